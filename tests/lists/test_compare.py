"""A printed list beside ours: each difference named only where the numbers fit; officers' sums."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from palmares.core.errors import Refused
from palmares.formats import printed_lists
from palmares.formats.load import read
from palmares.lists import compare
from palmares.lists.compare import CAUSES, Comparison, Row
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from tests.points.test_rankings import alone

DAY = "2019-01-01"
RESULTS = [
    ("a", DAY, "30"), ("a", DAY, "12.5"), ("a", DAY, "3.25"),
    ("b", DAY, "20"), ("b", DAY, "7.125"),
    ("c", DAY, "25"),
    ("d", DAY, "11"),
    ("e", DAY, "11"),
    ("f", DAY, "4.004"),
]  # fmt: skip
"""Cup 0 to 8. a has 45.75, b 27.125, c 25, d and e 11 each, f 4.004, of which nothing has faded."""

OURS = ["1,Player a,45.75", "2,Player b,27.13", "3,Player c,25.00", "4,Player d,11.00",
        "4,Player e,11.00", "6,Player f,4.00"]  # fmt: skip


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return alone(tmp_path / "p", RESULTS)


def compared(
    package: Path, lines: list[str], *, head: str = "Rank,Name,Points", **more: object
) -> Comparison:
    """A printed list beside ours as of the day."""
    (package.parent / "list.csv").write_text("\n".join([head, *lines]), encoding="utf-8")
    printed = printed_lists.read(package.parent / "list.csv")
    selection = Selection(as_of=date.fromisoformat(str(more.pop("as_of", DAY))), **more)  # type: ignore[arg-type]
    return compare.compare(Question(regulation="wbgf"), read(str(package)), selection, printed)


def changed(*lines: str) -> list[str]:
    """Our list as it is printed, with other lines in the place of the players'."""
    others = {line.split(",")[1]: line for line in lines}
    return [others.pop(line.split(",")[1], line) for line in OURS] + list(others.values())


def one(found: Comparison, status: str = "differs") -> Row:
    """The only row that matters; it has a status."""
    (row,) = [row for row in found.rows if row.matters]
    assert row.status == status
    assert row.cause in CAUSES
    return row


def test_our_own_list_agrees(package: Path) -> None:
    found = compared(package, OURS)
    assert found.agrees
    assert [row.status for row in found.rows] == ["same"] * 6
    assert found.ours.rules == ("half up",)  # 27.125 is 27.13, and 27.12 to even


def test_a_row_says_what_both_lists_have(package: Path) -> None:
    row = one(compared(package, changed("1,Player a,40.00")))
    assert (row.line, row.player_id, row.player) == (2, "a", "Player a")
    assert (row.their_rank, row.our_rank) == (1, 1)
    assert (row.theirs and row.theirs.text, row.our_points) == ("40.00", 45_750_000_000)
    assert row.difference == -5_750_000_000


class TestRounding:
    @pytest.mark.parametrize(
        ("printed", "rule"), [("27.13", "half up"), ("27.12", "half even"), ("27.125", "half up")]
    )
    def test_the_rule_of_the_list_is_told(self, package: Path, printed: str, rule: str) -> None:
        found = compared(package, changed(f"2,Player b,{printed}"))
        assert found.agrees
        assert found.ours.rule == rule

    def test_a_list_that_is_cut_off_fits_as_such(self, package: Path) -> None:
        """27.125 and 45.75 to one decimal: 27.1 and 45.7."""
        lines = ["1,Player a,45.7", "2,Player b,27.1", "3,Player c,25.0"]
        found = compared(package, lines)
        assert found.agrees
        assert found.ours.rules == ("cut off",)

    def test_one_line_alone_that_is_cut_off(self, tmp_path: Path) -> None:
        points = {"a": "9.996", "b": "7.777", "c": "5.556", "d": "3.339"}
        package = alone(tmp_path / "p", [(one, DAY, value) for one, value in points.items()])
        lines = ["1,Player a,10.00", "2,Player b,7.78", "3,Player c,5.56", "4,Player d,3.33"]
        row = one(compared(package, lines))
        assert row.cause == "rounding"
        assert row.detail == "3.339 is cut off here; most of the list is rounded half up"


class TestAwards:
    @pytest.mark.parametrize(
        ("printed", "cause", "told"),
        [
            ("33.25", "award missing", "without Event 1 of Cup 1 (main: 12.50)"),
            ("15.75", "award missing", "without Event 0 of Cup 0 (main: 30.00)"),
            ("49.00", "award extra", "with Event 2 of Cup 2 (main: 3.25) counted twice"),
        ],
    )
    def test_of_the_day(self, package: Path, printed: str, cause: str, told: str) -> None:
        """45.75 = 30 + 12.5 + 3.25"""
        row = one(compared(package, changed(f"1,Player a,{printed}")))
        assert (row.cause, row.detail) == (cause, told)

    def test_that_do_not_count_yet(self, tmp_path: Path) -> None:
        package = alone(
            tmp_path / "p", [("a", DAY, "20"), ("b", DAY, "10"), ("a", "2019-01-09", "3")]
        )
        row = one(compared(package, ["1,Player a,23.00", "2,Player b,10.00"]))
        assert (row.cause, row.detail) == (
            "award extra",
            "with Event 2 of Cup 2 (main: 3.00, which counts from 2019-01-09 only)",
        )

    def test_that_were_not_asked_for(self, tmp_path: Path) -> None:
        package = alone(
            tmp_path / "p", [("a", DAY, "20"), ("b", DAY, "10"), ("a", "2018-12-31", "10.95")]
        )
        """10.95 points lose 0.01 a day: 20 + 10.94"""
        lines = ["1,Player a,30.94", "2,Player b,10.00"]
        row = one(compared(package, lines, since=date(2019, 1, 1)))
        assert row.detail == "with Event 2 of Cup 2 (main: 10.94, which was not asked for)"

    def test_of_which_nothing_is_left(self, tmp_path: Path) -> None:
        package = alone(
            tmp_path / "p", [("a", DAY, "20"), ("b", DAY, "10"), ("b", "2016-01-01", "7")]
        )
        row = one(compared(package, ["1,Player a,20.00", "2,Player b,17.00"]))
        assert row.detail.endswith("(main: 7.00, in full, though nothing of it is left)")

    def test_where_two_would_do_as_well_none_is_claimed(self, tmp_path: Path) -> None:
        results = [("a", DAY, "30"), ("a", DAY, "5"), ("a", DAY, "5"), ("b", DAY, "20")]
        package = alone(tmp_path / "p", results)
        row = one(compared(package, ["1,Player a,35.00", "2,Player b,20.00"]))
        assert row.cause == "unexplained"

    def test_a_fit_among_numbers_without_decimals_may_be_chance(self, tmp_path: Path) -> None:
        """Of 1 to 9 points an award, any whole difference from 1 to 9 is one of them."""
        results = [("a", DAY, f"{points}.01") for points in range(1, 10)]
        package = alone(tmp_path / "p", [*results, ("b", DAY, "20")])
        row = one(compared(package, ["1,Player a,41", "2,Player b,20"]))
        assert row.cause == "unexplained"

    def test_what_stays_unexplained_says_what_we_have(self, package: Path) -> None:
        row = one(compared(package, changed("1,Player a,40.21")))
        assert row.cause == "unexplained"
        assert row.detail == (
            "we have Event 0 of Cup 0 (main: 30.00); Event 1 of Cup 1 (main: 12.50); "
            "Event 2 of Cup 2 (main: 3.25)"
        )

    def test_a_flight_of_which_every_line_differs_is_named(self, tmp_path: Path) -> None:
        """Both who played in Cup 0 differ, also by a second result; three others are ours."""
        package = alone(tmp_path / "p", [(player, DAY, "10") for player in "aabcde"])
        events, placings = package / "events.csv", package / "placings.csv"
        events.write_text(events.read_text().replace(",championship,1,", ",championship,2,", 1))
        placings.write_text(placings.read_text() + "E0,b,1\n")
        ours = ["3,Player c,10.00", "3,Player d,10.00", "3,Player e,10.00"]
        found = compared(package, ["1,Player a,99.00", "2,Player b,98.00", *ours])
        assert [row.cause for row in found.rows if row.matters] == ["unexplained"] * 2
        for row in found.rows[:2]:
            assert "look at Event 0 of Cup 0 (main: " in row.detail
            assert row.detail.endswith("): no line with points of it fits")
        few = compared(package, ["1,Player a,99.00", "2,Player b,98.00", *ours[:2]])
        assert few.rows[0].detail.startswith("we have ")


class TestOthers:
    def test_a_name_that_is_not_ours_is_never_merged(self, package: Path) -> None:
        lines = [line.replace("Player c", "Player cc") for line in OURS]
        found = compared(package, lines)
        theirs, ours = (row for row in found.rows if row.status != "same")
        assert (theirs.status, theirs.cause, theirs.player_id) == (
            "only theirs", "unknown player", None
        )  # fmt: skip
        assert theirs.detail == "we have no player with this name"
        assert (ours.status, ours.cause, ours.player_id) == ("only ours", "not on their list", "c")

    def test_two_of_their_lines_for_one_of_ours_are_unclear(self, package: Path) -> None:
        found = compared(package, [*OURS, "7,Player f,1.00"])
        unclear = [row for row in found.rows if row.matters]
        assert [(row.line, row.status, row.cause) for row in unclear] == [
            (7, "unclear", "unclear player"),
            (8, "unclear", "unclear player"),
        ]
        assert (
            unclear[0].detail == "this is Player f [f] with 4.00, as they print, and so is line 8"
        )

    def test_one_whose_results_do_not_count(self, tmp_path: Path) -> None:
        package = alone(tmp_path / "p", [("a", DAY, "20"), ("b", "2015-01-01", "7")])
        row = one(compared(package, ["1,Player a,20.00", "2,Player b,1.23"]), "only theirs")
        assert row.cause == "nothing counts"
        assert row.detail == (
            "we have: Event 1 of Cup 1 (main: 7.00, in full, though nothing of it is left)"
        )

    def test_one_without_any_result(self, tmp_path: Path) -> None:
        package = alone(tmp_path / "p", [("a", DAY, "20")], z="")
        row = one(compared(package, ["1,Player a,20.00", "2,Player z,1.00"]), "only theirs")
        assert (row.cause, row.player_id) == ("nothing counts", "z")
        assert row.detail == "no award of this player is among our facts"

    def test_a_list_may_end_before_ours(self, package: Path) -> None:
        found = compared(package, OURS[:3])
        assert found.agrees
        assert [row.cause for row in found.rows[3:]] == ["below their list"] * 3

    def test_one_who_is_left_out_in_the_middle_matters(self, package: Path) -> None:
        lines = [line for line in OURS if "Player c" not in line]
        row = one(compared(package, lines), "only ours")
        assert (row.player_id, row.cause, row.our_points) == ("c", "not on their list", 25 * 10**9)


class TestRanks:
    """45.75, 27.125, 25, 11, 11, 4.004"""

    @pytest.mark.parametrize(
        ("ranks", "differ"),
        [("123446", ""), ("123445", "f"), ("123456", "e"), ("123546", "d"), ("123556", "de")],
    )
    def test_ties_counted_otherwise(self, package: Path, ranks: str, differ: str) -> None:
        """Dense, one after the other in either order, and the worst of the shared places."""
        lines = [f"{rank}{line[1:]}" for rank, line in zip(ranks, OURS, strict=True)]
        found = compared(package, lines)
        assert "".join(str(row.player_id) for row in found.rows if row.matters) == differ
        assert {row.cause for row in found.rows} <= {"", "ties counted otherwise"}

    def test_where_a_tie_differs_is_told(self, package: Path) -> None:
        lines = [f"{rank}{line[1:]}" for rank, line in zip("123456", OURS, strict=True)]
        assert one(compared(package, lines)).detail == (
            "players with equal points share the best place: 4 for the 2 with these points on"
            " their list"
        )

    def test_ties_of_what_is_printed(self, tmp_path: Path) -> None:
        """10.004 and 10.001 are both printed 10.00."""
        package = alone(tmp_path / "p", [("a", DAY, "10.004"), ("b", DAY, "10.001"),
                                         ("c", DAY, "9")])  # fmt: skip
        found = compared(package, ["1,Player a,10.00", "1,Player b,10.00", "3,Player c,9.00"])
        assert one(found).cause == "rank follows"

    def test_a_rank_that_follows_from_their_own_points(self, package: Path) -> None:
        """c has too much there, so b is third and not second."""
        found = compared(package, ["1,Player a,45.75", "3,Player b,27.13", "2,Player c,28.55",
                                   "4,Player d,11.00", "4,Player e,11.00"])  # fmt: skip
        causes = {row.player_id: row.cause for row in found.rows if row.matters}
        assert causes == {"b": "rank follows", "c": "unexplained"}
        assert [row.player_id for row in found.rows if row.is_listed] == ["c"]

    def test_a_rank_that_follows_from_nothing(self, package: Path) -> None:
        assert one(compared(package, changed("5,Player c,25.00"))).cause == "rank alone"

    def test_a_list_without_ranks(self, package: Path) -> None:
        lines = [line.partition(",")[2] for line in OURS]
        assert compared(package, lines, head="Name,Points").agrees


class TestRatings:
    """The pouch's own example: 7th of 30 from 40 is 44.052381; an 8th place of 65 follows."""

    def rated(self, diplomacy: Path, *lines: str, as_of: date) -> Comparison:
        place = diplomacy.parent / "list.csv"
        place.write_text("\n".join(["Name,Points", *lines]), encoding="utf-8")
        printed = printed_lists.read(place)
        question = Question(regulation="dptr")
        return compare.compare(question, read(str(diplomacy)), Selection(as_of=as_of), printed)

    def test_one_after_an_earlier_event(self, diplomacy: Path) -> None:
        row = self.rated(diplomacy, "Ada Novak,44.0524", as_of=date(2019, 12, 31)).rows[0]
        assert (row.cause, row.detail) == (
            "award missing",
            "their rating is the one after Tempest (2019-05-05); what came later is missing",
        )

    def test_one_after_an_event_to_come(self, diplomacy: Path) -> None:
        found = self.rated(diplomacy, "Ada Novak,44.0524", as_of=date(2019, 5, 1))
        assert one(found, "only theirs").detail == (
            "their rating is the one after Tempest (2019-05-05); which does not count here"
        )

    def test_one_after_no_event(self, diplomacy: Path) -> None:
        row = self.rated(diplomacy, "Ada Novak,43.21", as_of=date(2019, 5, 31)).rows[0]
        assert row.cause == "unexplained"
        assert row.detail == "our number is the one after Tempest of Tempest (main: 44.05)"


def test_a_list_of_strangers(package: Path) -> None:
    found = compared(package, ["1,Somebody,50.00", "2,Nobody,40.00"])
    assert found.ours.lines == 0
    assert [row.status for row in found.rows[:2]] == ["only theirs"] * 2


def test_where_we_have_nothing(package: Path) -> None:
    found = compared(package, OURS, as_of="2010-01-01")
    assert {row.cause for row in found.rows} == {"nothing counts"}


def test_what_the_regulation_does_not_have_is_refused(package: Path) -> None:
    with pytest.raises(Refused, match="no points of the kind match"):
        compared(package, OURS, kind="match")


def test_the_last_day_of_all(package: Path) -> None:
    found = compared(package, OURS, as_of="9999-12-31")
    assert {row.status for row in found.rows} == {"only theirs"}
