"""Players' points and ranks, day by day, and ahead of time if nobody plays."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

import palmares
from palmares.points.awards import Question, award
from palmares.points.history import Period, careers, days, history
from palmares.points.rankings import Selection
from tests.packages import error, rows, run
from tests.points.slow import rank
from tests.points.test_rankings import alone
from tests.season import PLAYERS, season, written

DAILY = ("--every", "day")
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Ada has 10.95 points, which lose 0.01 a day; Ben comes in with 20 on the third day."""
    return alone(tmp_path / "p", [("a", "2019-01-01", "10.95"), ("b", "2019-01-03", "21.9")])


def asked(package: Path, *more: str) -> list[Any]:
    found = rows("history", "wbgf", package, "--player", *more)
    return [[row["day"], row["points"], row["rank"]] for row in found]


class TestSteps:
    def test_every_day(self, package: Path) -> None:
        found = asked(package, "a", *DAILY, "--until", "2019-01-04")
        assert found == [
            ["2019-01-01", 10.95, 1],
            ["2019-01-02", 10.94, 1],
            ["2019-01-03", 10.93, 2],
            ["2019-01-04", 10.92, 2],
        ]

    def test_every_month_on_its_last_day_and_the_last_day_asked_for(self, package: Path) -> None:
        found = asked(package, "a", "--until", "2019-03-10")
        assert [row[0] for row in found] == ["2019-01-31", "2019-02-28", "2019-03-10"]
        assert [row[1] for row in found] == [10.65, 10.37, 10.27]

    def test_every_result_with_what_it_changed(self, package: Path) -> None:
        """Ada's last 0.01 is gone on the day on which the result counts no more."""
        wanted = ("--player", "a", "--every", "result", "--until", "2022-03-01")
        found = rows("history", "wbgf", package, *wanted)
        assert [(row["day"], row["change"], row["points"], row["rank"]) for row in found] == [
            ("2019-01-01", 10.95, 10.95, 1),
            ("2021-12-31", -0.01, 0, None),
        ]
        later = rows("history", "wbgf", package, *wanted, "--since", "2019-01-02")
        assert later == [found[1] | {"faded": None}, *found[2:]]  # there is no row before

    def test_every_result_of_a_rating_changes_it_as_its_award_says(self) -> None:
        """Of the first event against what a rating opens with."""
        folder = EXAMPLES / "diplomacy"
        awards = {
            row["effective"]: (row["change"], row["points"])
            for row in rows("award", "dptr", folder)
            if row["player"] == "Andy BARTALONE"
        }
        wanted = ("--player", "Andy BARTALONE", "--every", "result", "--until", "2019-12-31")
        found = rows("history", "dptr", folder, *wanted)
        assert {row["day"]: (row["change"], row["points"]) for row in found} == awards
        assert len(found) == 3
        later = rows("history", "dptr", folder, *wanted, "--since", "2004-08-15")
        assert later == [found[1] | {"faded": None}, *found[2:]]  # there is no row before

    def test_every_result_in_python(self) -> None:
        facts = palmares.read(EXAMPLES / "diplomacy")
        found = palmares.history(
            "dptr", facts, player="Andy BARTALONE", every="result", until=date(2019, 12, 31)
        )
        assert found.columns[2:6] == ["day", "faded", "change", "points"]
        assert found["change"].to_list() == [8.419047619, 7.603214286, 5.529490493]

    def test_from_a_day_before_the_first_result(self, package: Path) -> None:
        found = asked(package, "b", *DAILY, "--since", "2019-01-02", "--until", "2019-01-03")
        assert found == [["2019-01-02", 0, None], ["2019-01-03", 21.9, 1]]

    def test_after_all_has_faded(self, package: Path) -> None:
        found = asked(package, "a", "--since", "2021-12-29", "--until", "2022-01-01", *DAILY)
        assert found == [
            ["2021-12-29", 0.02, 2],
            ["2021-12-30", 0.01, 2],
            ["2021-12-31", 0, None],
            ["2022-01-01", 0, None],
        ]

    @pytest.mark.parametrize(
        ("first", "last", "every", "found"),
        [
            ((2019, 1, 1), (2019, 1, 3), "day", [1, 2, 3]),
            ((2019, 1, 1), (2019, 1, 16), "week", [6, 13, 16]),  # Sundays, and the last day
            ((2019, 1, 1), (2019, 1, 13), "week", [6, 13]),
            ((2019, 1, 1), (2019, 1, 1), "month", [1]),
            ((2019, 1, 31), (2019, 2, 28), "month", [31, 28]),
            ((2020, 2, 1), (2020, 3, 1), "month", [29, 1]),
            ((2019, 1, 2), (2019, 1, 1), "day", []),
        ],
    )
    def test_days(
        self, first: tuple[int, int, int], last: tuple[int, int, int], every: str, found: list[int]
    ) -> None:
        assert [day.day for day in days(date(*first), date(*last), every)] == found

    @pytest.mark.parametrize("since", ["1900-01-01", "0001-01-01"])
    def test_very_long_ones_finish(self, package: Path, since: str) -> None:
        found = asked(package, "a", "--since", since, "--until", "2019-01-31")
        assert found[-1] == ["2019-01-31", 10.65, 2]

    def test_up_to_the_last_day_there_is(self, package: Path) -> None:
        found = asked(package, "a", "--since", "9999-10-01", "--until", "9999-12-31")
        assert found == [[f"9999-{day}", 0, None] for day in ("10-31", "11-30", "12-31")]


class TestEachDayIsWhatTheRankingOfTheDaySays:
    @pytest.mark.parametrize("regulation", ["wbgf", "usbgf", "dptr"])
    @pytest.mark.parametrize("every", ["day", "month"])
    def test_of_a_season(self, tmp_path: Path, regulation: str, every: str) -> None:
        """The day's own list is the oracle, after the last day one without new results."""
        facts = palmares.read(written(season(7, tournaments=12), tmp_path / "season"))
        question, until = Question(regulation=regulation), date(2019, 6, 15)
        given = award(question, facts)
        held = set(given.frame.filter(given.frame["effective"] <= until)["player_id"])
        asked_for = sorted(held & {*PLAYERS[::4]})
        first = date(2019, 4, 1) if every == "day" else None
        period = Period(until=until, since=first, ahead=date(2019, 9, 2), every=every)
        found = history(careers(question, facts, asked_for, period))

        assert len(asked_for) > 3
        lists = {
            day: {
                player: (nanopoints, place)
                for player, nanopoints, place in rank(given, Selection(as_of=day, until=until))
                .frame.select("player_id", "nanopoints", "rank")
                .iter_rows()
            }
            for day in found.line["day"].unique()
        }
        for frame in (found.frame, found.line):
            for player, day, *standing in frame.select(
                "player_id", "day", "nanopoints", "rank"
            ).iter_rows():
                assert tuple(standing) == lists[day].get(player, (0, None)), (player, day)

    def test_of_days_years_apart(self, tmp_path: Path) -> None:
        """The days lie in several stretches; one result ends in each of them."""
        results = [("a", f"20{year}-02-28", "10.95") for year in ("01", "06", "11", "12")]
        package = alone(tmp_path / "p", [*results, ("b", "2011-05-01", "21.9")])
        question, until = Question(regulation="wbgf"), date(2013, 1, 1)
        facts = palmares.read(package)
        found = history(careers(question, facts, ["a", "b"], Period(until=until)))
        given = award(question, facts)
        for player, day, *standing in found.line.select(
            "player_id", "day", "nanopoints", "rank"
        ).iter_rows():
            on = rank(given, Selection(as_of=day)).frame
            (listed,) = on.filter(on["player_id"] == player).select(
                "nanopoints", "rank"
            ).rows() or [(0, None)]
            assert tuple(standing) == listed, (player, day)


class TestWhatChanged:
    def test_results_that_began_and_ceased_to_count_since_the_step_before(
        self, package: Path
    ) -> None:
        found = rows("history", "wbgf", package, "--player", "a", "--until", "2022-01-31")
        told = {row["day"]: (row["results"], row["expired"]) for row in found}
        assert told.pop("2019-01-31") == ("Cup 0", "")
        assert told.pop("2021-12-31") == ("", "Cup 0")
        assert set(told.values()) == {("", "")}

    def test_several_in_one_step_each_once(self, tmp_path: Path) -> None:
        """Two days of Cup 0 and 1, and Cup 2 after the step; commas may be in a name."""
        results = [("a", f"2019-01-{day}", "10.95") for day in ("09", "02", "07")]
        package = alone(tmp_path / "p", [*results, ("a", "2019-02-01", "1")])
        found = rows("history", "wbgf", package, "--player", "a", "--until", "2019-02-28")
        assert [row["results"] for row in found] == ["Cup 1; Cup 2; Cup 0", "Cup 3"]

    def test_what_began_before_the_first_day_shown_caused_no_step(self, package: Path) -> None:
        found = rows(
            "history", "wbgf", package, "--player", "a", "--since", "2019-01-02", "--until",
            "2019-02-28",
        )  # fmt: skip
        assert {row["results"] for row in found} == {""}

    def test_a_rating_has_results_and_nothing_expires(self, diplomacy: Path) -> None:
        found = rows("history", "dptr", diplomacy, "--player", "a", "--until", "2019-07-31")
        assert [row["results"] for row in found] == ["Tempest", "Dixie", ""]
        assert {row["expired"] for row in found} == {""}


class TestSeveral:
    def test_in_the_order_asked_each_from_his_first_result(self, package: Path) -> None:
        found = rows(
            "history", "wbgf", package, "--player", "Player b", "--player", "a", *DAILY,
            "--until", "2019-01-03",
        )  # fmt: skip
        assert [(row["player"], row["day"], row["rank"]) for row in found] == [
            ("Player b", "2019-01-03", 1),
            ("Player a", "2019-01-01", 1),
            ("Player a", "2019-01-02", 1),
            ("Player a", "2019-01-03", 2),
        ]

    def test_the_same_player_by_id_and_by_name_is_one(self, package: Path) -> None:
        found = rows(
            "history", "wbgf", package, "--player", "a", "--player", "Player a", "--until",
            "2019-01-02",
        )  # fmt: skip
        assert len(found) == 1

    def test_each_has_the_rows_of_a_history_of_his_own(self, package: Path) -> None:
        until = ("--until", "2019-08-15", "--ahead", "2020-02-01")
        alone_ = [rows("history", "wbgf", package, "--player", one, *until) for one in "ab"]
        both = rows("history", "wbgf", package, "--player", "a", "--player", "b", *until)
        assert both == [*alone_[0], *alone_[1]]


class TestRefusals:
    def test_nobody_of_that_name(self, package: Path) -> None:
        assert "No player has the id or the name z" in error(
            "history", "wbgf", package, "--player", "z"
        )

    def test_nothing_up_to_the_last_day(self, package: Path) -> None:
        said = error("history", "wbgf", package, "--player", "b", "--until", "2019-01-02")
        assert "Player b (b) has no points under wbgf up to 2019-01-02" in said

    def test_each_who_has_nothing_is_named(self, tmp_path: Path) -> None:
        package = alone(tmp_path / "p", [("a", "2019-01-01", "1")], c="", d="")
        players = ("--player", "c", "--player", "a", "--player", "d")
        said = error("history", "wbgf", package, *players, "--until", "2019-01-02")
        assert "Player c (c) has no points" in said
        assert "Player d (d) has no points" in said
        assert "Player a" not in said

    def test_all_at_once(self, package: Path) -> None:
        said = error(
            "history", "wbgf", package, "--player", "y", "--player", "z", "--since", "2019-03-01",
            "--until", "2019-02-01", "--ahead", "2019-01-31",
        )  # fmt: skip
        for words in (
            "The first day, 2019-03-01, is after the last, 2019-02-01.",
            "The day to look ahead to, 2019-01-31, is before the last day, 2019-02-01.",
            "No player has the id or the name y",
            "No player has the id or the name z",
        ):
            assert words in said

    def test_another_step(self, package: Path) -> None:
        assert run("history", "wbgf", package, "--player", "a", "--every", "year").exit_code == 2

    def test_a_player_must_be_named(self, package: Path) -> None:
        assert run("history", "wbgf", package).exit_code == 2


class TestRatings:
    def test_a_rating_stays(self, diplomacy: Path) -> None:
        found = rows("history", "dptr", diplomacy, "--player", "b", "--until", "2019-07-31")
        assert {row["points"] for row in found} == {found[0]["points"]}
        assert [row["rank"] for row in found] == [1, 2, 2]
