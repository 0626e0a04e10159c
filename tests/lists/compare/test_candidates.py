"""What a printed list is as a whole: another day, edition, reading, kind or setting; properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from palmares.facts import Facts
from palmares.formats.load import read
from palmares.formats.printed_lists import PrintedList, PrintedPoints, PrintedRow, printed
from palmares.lists.compare import Comparison, compare
from palmares.lists.compare.candidates import Line, fits, fitted, our_list
from palmares.points.awards import Question, award
from palmares.points.rankings import Selection
from tests.amounts import amount
from tests.points.test_rankings import alone
from tests.random_awards import START, Row, awards, seasons, selections
from tests.season import season, written
from tests.slow import rank

DAY = date(2019, 1, 1)
ASKED = Selection(as_of=DAY)
WBGF = Question(regulation="wbgf")
ROUNDING = st.sampled_from(["half up", "half even", "cut off"])


def listed(rows: Iterable[tuple[int, str, int, int]]) -> PrintedList:
    """A list of ranks, ids, units and decimals."""
    return PrintedList(
        file="list.csv",
        rows=tuple(
            PrintedRow(line=line, rank=place, name=player, id=player,
                       points=PrintedPoints("", units, places))
            for line, (place, player, units, places) in enumerate(rows, start=2)
        ),
        columns=("rank", "id", "points"),
        ignored=(),
    )  # fmt: skip


def ours(facts: Facts, question: Question, selection: Selection, places: int = 2) -> PrintedList:
    """Our own list, as somebody prints it."""
    frame = rank(award(question, facts), selection).frame
    rows = frame.select("rank", "player_id", "nanopoints").iter_rows()
    return listed(
        (place, player, printed(nanopoints, 1, places, "half up"), places)
        for place, player, nanopoints in rows
    )


def changes(found: Comparison) -> list[tuple[str, str]]:
    """What is otherwise than asked."""
    return [(one.cause, one.words) for one in found.fitted.changes]


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """A season that all regulations look at."""
    return read(str(written(season(7, 60), tmp_path_factory.mktemp("season") / "s")))


class TestDay:
    """10.95 points lose 0.01 a day."""

    @pytest.fixture
    def facts(self, tmp_path: Path) -> Facts:
        results = [("a", "2018-12-01", "21.9"), ("b", "2018-10-01", "10.95"),
                   ("c", "2018-12-25", "5.475"), ("d", "2018-06-01", "32.85")]  # fmt: skip
        return read(str(alone(tmp_path / "p", results)))

    @pytest.mark.parametrize("days", [-30, -1, 1, 30, 400])
    def test_most_lines_fit_on_another(self, facts: Facts, days: int) -> None:
        other = DAY + timedelta(days=days)
        found = compare(WBGF, facts, ASKED, ours(facts, WBGF, replace(ASKED, as_of=other), 3))
        assert changes(found) == [("day", f"as of {other}")]
        assert {row.status for row in found.rows if row.line} == {"same"}
        assert not found.agrees

    def test_without_online_results_that_came_later(self, tmp_path: Path) -> None:
        """On no day are there 10.95 - 31 × 0.01 of live results and nothing else."""
        package = alone(tmp_path / "q", [(one, "2018-12-01", "10.95") for one in "abcd"])
        tournaments = (package / "tournaments.csv").read_text(encoding="utf-8").splitlines()
        rows = [f"{row},{'live' if at else 'setting'}" for at, row in enumerate(tournaments)]
        rows += [f"O{one},Online,backgammon,2018-12-31,online" for one in "abcd"]
        (package / "tournaments.csv").write_text("\n".join(rows), encoding="utf-8")
        with (package / "events.csv").open("a", encoding="utf-8") as events:
            events.writelines(f"O{one},O{one},Online,championship,1,0,5\n" for one in "abcd")
        with (package / "placings.csv").open("a", encoding="utf-8") as placings:
            placings.writelines(f"O{one},{one},1\n" for one in "abcd")
        found = compare(
            WBGF, read(str(package)), ASKED, listed([(1, one, 1064, 2) for one in "abcd"])
        )
        assert changes(found) == [("setting", "of live results")]
        assert found.fitted.as_well == ()

    def test_by_an_officers_sum(self, facts: Facts) -> None:
        """On 22 December a has 21.9 - 21 × 0.02, b 10.95 - 82 × 0.01, d 32.85 - 204 × 0.03."""
        found = compare(
            WBGF, facts, ASKED,
            listed([(1, "d", 2673, 2), (2, "a", 2148, 2), (3, "b", 1013, 2)]),
        )  # fmt: skip
        assert changes(found) == [("day", "as of 2018-12-22")]
        assert found.fitted.asked == 0

    def test_what_does_not_fit_on_that_day_is_explained_there(self, facts: Facts) -> None:
        found = compare(
            WBGF, facts, ASKED,
            listed([(1, "d", 2673, 2), (2, "a", 2148, 2), (3, "b", 1013, 2), (4, "c", 100, 2)]),
        )  # fmt: skip
        assert found.fitted.lines == 3
        (row,) = [row for row in found.rows if row.matters]
        assert (row.player_id, row.status, row.cause) == ("c", "only theirs", "nothing counts")

    def test_too_far_away_is_not_looked_for(self, facts: Facts) -> None:
        other = Selection(as_of=DAY + timedelta(days=401))
        assert changes(compare(WBGF, facts, ASKED, ours(facts, WBGF, other, 3))) == []

    def test_one_line_alone_tells_no_day(self, facts: Facts) -> None:
        """Any number fits on some day."""
        found = compare(WBGF, facts, ASKED, listed([(1, "a", 2100, 2)]))
        assert changes(found) == []

    def test_days_that_do_as_well_are_told(self, tmp_path: Path) -> None:
        facts = read(str(written(season(3), tmp_path / "s")))
        asked = Question(regulation="dptr")
        found = compare(
            asked, facts, Selection(as_of=date(2020, 12, 31)),
            ours(facts, asked, Selection(as_of=date(2018, 12, 31) + timedelta(days=366)), 4),
        )  # fmt: skip
        (change,) = found.fitted.changes
        assert change.cause == "day"
        assert change.as_well.startswith("on any day from ")


class TestRules:
    """A list that we print by other rules is told to be that one."""

    @pytest.mark.parametrize(
        ("regulation", "other", "selected", "cause", "words"),
        [
            ("usbgf", {"edition": "2015-05"}, {}, "edition", "under the edition 2015-05"),
            (
                "dptr",
                {"chosen": {"D1": "published-inputs"}},
                {},
                "reading",
                "with the reading D1=published-inputs",
            ),
            ("usbgf", {}, {"kind": "match"}, "kind", "of match points"),
            ("usbgf", {}, {"kind": "placement"}, "kind", "of placement points"),
            ("usbgf", {}, {"setting": "live"}, "setting", "of live results"),
            ("usbgf", {}, {"setting": "online"}, "setting", "of online results"),
        ],
    )
    def test_each(
        self,
        made_up: Facts,
        regulation: str,
        other: Mapping[str, Any],
        selected: Mapping[str, Any],
        cause: str,
        words: str,
    ) -> None:
        question, asked = Question(regulation=regulation), Selection(as_of=date(2020, 12, 31))
        theirs = ours(made_up, replace(question, **other), replace(asked, **selected), 6)
        found = compare(question, made_up, asked, theirs)
        assert changes(found) == [(cause, words)]
        assert found.fitted.lines == len(theirs.rows)

    @pytest.mark.parametrize(
        ("chosen", "selected", "words"),
        [
            ({"D1": "published-inputs"}, {}, "with our own reading of D1"),
            ({}, {"edition": "2019-10"}, ""),
        ],
    )
    def test_back_to_ours(
        self, made_up: Facts, chosen: dict[str, str], selected: Mapping[str, Any], words: str
    ) -> None:
        question, asked = Question(regulation="dptr"), Selection(as_of=date(2020, 12, 31))
        theirs = ours(made_up, question, asked, 6)
        found = compare(replace(question, chosen=chosen, **selected), made_up, asked, theirs)
        assert [one.words for one in found.fitted.changes] == [words] * bool(words)

    def test_a_kind_and_a_setting(self, made_up: Facts) -> None:
        question, asked = Question(regulation="usbgf"), Selection(as_of=date(2020, 12, 31))
        theirs = ours(made_up, question, replace(asked, kind="match", setting="online"), 6)
        found = compare(question, made_up, asked, theirs)
        assert sorted(changes(found)) == [
            ("kind", "of match points"),
            ("setting", "of online results"),
        ]

    def test_what_does_as_well_is_told(self, made_up: Facts) -> None:
        """Match points are won online here, and placement points live."""
        question = Question(regulation="usbgf")
        given = [
            Row(player, 0, points * 10**9, "2019-01", setting, kind)
            for player in range(4)
            for points, setting, kind in (
                (player + 1, "online", "match"),
                (7, "live", "placement"),
            )
        ]
        lines = [Line(f"p{player}", PrintedPoints("", player + 1, 0)) for player in range(4)]
        found = fitted(made_up, Selection(as_of=START), awards(question, given), lines)
        assert [one.words for one in found.changes] == ["of match points"]
        assert [[one.words for one in some] for some in found.as_well] == [
            ["of online results"],
        ]

    def test_two_things_at_once(self, made_up: Facts) -> None:
        question, asked = Question(regulation="dptr"), Selection(as_of=date(2020, 1, 31))
        other = replace(question, chosen={"D1": "published-inputs"})
        theirs = ours(made_up, other, Selection(as_of=date(2019, 6, 30)), 6)
        found = compare(question, made_up, asked, theirs)
        assert sorted(one.cause for one in found.fitted.changes) == ["day", "reading"]
        assert found.fitted.lines == len(theirs.rows)

    def test_a_rating_after_an_earlier_event(self, made_up: Facts) -> None:
        question, asked = Question(regulation="dptr"), Selection(as_of=date(2020, 12, 31))
        given = award(question, made_up)
        theirs = ours(made_up, question, asked, 4)
        often = given.frame.group_by("player_id").len().sort("len")["player_id"][-1]
        ratings = given.frame.filter(player_id=often).sort("order")
        rows = [
            replace(row, points=PrintedPoints("", ratings["nanopoints"][-2] // 10**5, 4))
            if row.id == often
            else row
            for row in theirs.rows
        ]
        found = compare(question, made_up, asked, replace(theirs, rows=tuple(rows)))
        (row,) = [row for row in found.rows if row.matters and row.player_id == often]
        assert row.cause in {"award missing", "rounding"}


# ── whatever the season ──────────────────────────────────────────────────────────────────────────


@drawn(data=st.data(), places=st.integers(0, 9), rule=ROUNDING)
def test_every_line_of_our_list_fits_as_it_was_printed(
    data: st.DataObject, places: int, rule: str
) -> None:
    given = data.draw(seasons())
    held = our_list(given, data.draw(selections(given.question)))
    lines = [
        Line(player, PrintedPoints("", printed(weight, held.parts, places, rule), places))
        for player, weight in held.weights.items()
    ]
    assert fits(held, lines)[rule] == len(lines)


POINTS = st.integers(1_000, 900_000).map(lambda value: f"{value / 1000:.3f}")
RESULTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 1000), POINTS), min_size=1, max_size=8
)


@settings(max_examples=amount(500))
@drawn(results=RESULTS, places=st.integers(0, 4), rule=ROUNDING)
def test_a_list_printed_from_ours_is_the_same(
    results: list[tuple[str, int, str]], places: int, rule: str
) -> None:
    with TemporaryDirectory() as folder:
        rows = [(one, str(DAY - timedelta(days=age)), value) for one, age, value in results]
        facts = read(str(alone(Path(folder) / "p", rows)))
        ranking = rank(award(WBGF, facts), ASKED).frame
        lines = ranking.select("rank", "player_id", "nanopoints").iter_rows()
        theirs = listed((r, p, printed(n, 1, places, rule), places) for r, p, n in lines)
        found = compare(WBGF, facts, ASKED, theirs)
    assert found.agrees
    assert rule in found.fitted.rules
    assert {row.status for row in found.rows} == {"same"}


@settings(max_examples=amount(500))
@drawn(
    values=st.lists(st.integers(1_000, 900_000), min_size=2, max_size=6, unique=True),
    others=st.lists(st.integers(1_000, 900_000), min_size=2, max_size=4),
    data=st.data(),
)
def test_an_award_taken_away_is_named(
    values: list[int], others: list[int], data: st.DataObject
) -> None:
    """In thousandths, so that three decimals show all there is."""
    gone = data.draw(st.integers(0, len(values) - 1))
    rows = [("a", str(DAY), f"{value / 1000:.3f}") for value in values]
    rows += [(f"z{n}", str(DAY), f"{value / 1000:.3f}") for n, value in enumerate(others)]
    with TemporaryDirectory() as folder:
        facts = read(str(alone(Path(folder) / "p", rows)))
        theirs = listed(
            [(0, "a", sum(values) - values[gone], 3)]
            + [(0, f"z{n}", value, 3) for n, value in enumerate(others)]
        )
        found = compare(WBGF, facts, ASKED, theirs)
    row = found.rows[0]
    assert row.cause in {"award missing", "perhaps"}
    assert f"without Event {gone} of Cup {gone} (main: {values[gone] / 1000:.3f})" in row.detail
