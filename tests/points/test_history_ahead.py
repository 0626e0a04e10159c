"""What becomes of players' points and ranks if nobody plays, and what expires when."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

import palmares
from palmares.points.awards import Question
from palmares.points.history import Period, careers, expiries, history
from tests.packages import BACKGAMMON, rows, run, write
from tests.points.test_rankings import alone
from tests.season import season, written

NANOPOINT = 5e-10
DAILY = ("--every", "day")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Ada has 10.95 points, which lose 0.01 a day; Ben comes in with 20 on the third day."""
    return alone(tmp_path / "p", [("a", "2019-01-01", "10.95"), ("b", "2019-01-03", "21.9")])


def standings(package: Path, *more: str) -> list[Any]:
    found = rows("history", "wbgf", package, "--player", *more)
    return [[row["day"], row["points"], row["rank"]] for row in found]


class TestAhead:
    """As if nobody played any more after the last day"""

    def test_rows_behind_the_last_day_are_marked(self, package: Path) -> None:
        until = ("--until", "2019-01-31", "--ahead", "2019-03-31")
        found = rows("history", "wbgf", package, "--player", "a", *until)
        assert [(row["day"], row["projected"]) for row in found] == [
            ("2019-01-31", False),
            ("2019-02-28", True),
            ("2019-03-31", True),
        ]
        assert [row["points"] for row in found] == pytest.approx(
            [10.95 * (1095 - age) / 1095 for age in (30, 58, 89)], abs=NANOPOINT
        )

    def test_results_after_the_last_day_are_as_if_they_were_not_played(self, package: Path) -> None:
        """Ben comes in on 3 January: seen from the 2nd, Ada stays first."""
        until = ("--until", "2019-01-02", "--ahead", "2019-01-04")
        found = standings(package, "a", *DAILY, *until)
        assert found == [
            ["2019-01-01", 10.95, 1],
            ["2019-01-02", 10.94, 1],
            ["2019-01-03", 10.93, 1],
            ["2019-01-04", 10.92, 1],
        ]

    def test_a_rank_changes_by_fading_alone(self, tmp_path: Path) -> None:
        """Ada loses 0.02 a day, Ben half of that; they meet when 21.9 has 364 days on 10.95.

        0.02 x (1095 - 364 - n) = 0.01 x (1095 - n) for n = 367 days after 31 December 2019.
        """
        package = alone(tmp_path / "p", [("a", "2019-01-01", "21.9"), ("b", "2019-12-31", "10.95")])
        until = ("--until", "2019-12-31", "--ahead", "2021-01-02", *DAILY)
        found = rows("history", "wbgf", package, "--player", "a", "--player", "b", *until)
        last = [
            (row["player_id"], row["day"], row["points"], row["rank"])
            for row in found
            if row["day"] >= "2020-12-31"
        ]
        assert last == [
            ("a", "2020-12-31", pytest.approx(21.9 * (1095 - 730) / 1095, abs=NANOPOINT), 1),
            ("a", "2021-01-01", pytest.approx(21.9 * (1095 - 731) / 1095, abs=NANOPOINT), 1),
            ("a", "2021-01-02", pytest.approx(21.9 * (1095 - 732) / 1095, abs=NANOPOINT), 2),
            ("b", "2020-12-31", pytest.approx(10.95 * (1095 - 366) / 1095, abs=NANOPOINT), 2),
            ("b", "2021-01-01", pytest.approx(10.95 * (1095 - 367) / 1095, abs=NANOPOINT), 1),
            ("b", "2021-01-02", pytest.approx(10.95 * (1095 - 368) / 1095, abs=NANOPOINT), 1),
        ]
        assert {row["results"] for row in found if row["projected"]} == {""}

    def test_to_the_day_on_which_nothing_is_left(self, package: Path) -> None:
        """1095 days after 1 January 2019 is 31 December 2021: 2020 has 366."""
        until = ("--until", "2021-12-29", "--ahead", "2021-12-31")
        found = rows("history", "wbgf", package, "--player", "a", *DAILY, *until)[-2:]
        assert [(row["points"], row["rank"], row["expired"]) for row in found] == [
            (pytest.approx(10.95 * (1095 - 1094) / 1095, abs=NANOPOINT), 2, ""),
            (0, None, "Cup 0"),
        ]

    def test_to_the_last_day_itself_adds_nothing(self, package: Path) -> None:
        until = ("--until", "2019-01-31")
        found = standings(package, "a", *until, "--ahead", "2019-01-31")
        assert found == standings(package, "a", *until)

    @pytest.mark.parametrize(
        ("regulation", "why"),
        [
            ("usbgf", "Under usbgf results never fade: nothing expires"),
            ("dptr", "Under dptr a rating stays until the player's next event: nothing expires"),
        ],
    )
    def test_where_nothing_fades_nothing_changes_and_it_says_so(
        self, tmp_path: Path, regulation: str, why: str
    ) -> None:
        package = written(season(2019), tmp_path / "season")
        until = ("--player", "p19", "--until", "2019-12-31")
        monthly = (*until, "--every", "month")
        result = run("history", regulation, package, *monthly, "--ahead", "2029-12-31")
        assert result.exit_code == 0
        assert f"Note: {why}, and if nobody plays, nothing changes.\n" in result.stderr
        rows_ = [line.split() for line in result.stdout.splitlines() if line.endswith("yes")]
        before = rows("history", regulation, package, *until)[-1]
        assert len(rows_) == (2029 - 2019) * 12
        assert {(row[-2]) for row in rows_} == {str(before["rank"])}

        listed = run("history", regulation, package, *until, "--expiries", "--format", "json")
        assert (listed.stdout, listed.exit_code) == ("[]\n", 0)
        assert why in listed.stderr


class TestExpiries:
    UNTIL = ("--player", "a", "--until", "2019-01-31", "--expiries")

    def test_when_what_and_the_rank_of_the_day(self, tmp_path: Path) -> None:
        """Three results of Ada end; on the last of these days she is on no list any more."""
        package = alone(
            tmp_path / "p",
            [
                ("a", "2018-01-01", "10"),
                ("a", "2019-01-01", "15"),
                ("a", "2017-01-02", "8"),
                ("b", "2019-01-30", "1"),
            ],
        )
        assert rows("history", "wbgf", package, *self.UNTIL) == [
            {
                "player_id": "a",
                "player": "Player a",
                "day": day,
                "tournament": tournament,
                "event": event,
                "points": pytest.approx(points, abs=NANOPOINT),
                "rank": place,
            }
            for day, tournament, event, points, place in [
                ("2020-01-02", "Cup 2", "Event 2", 8 * (1095 - 365 - 365 - 29) / 1095, 1),
                ("2020-12-31", "Cup 0", "Event 0", 10 * (1095 - 365 - 30) / 1095, 1),
                ("2021-12-31", "Cup 1", "Event 1", 15 * (1095 - 30) / 1095, None),
            ]
        ]

    @pytest.mark.parametrize(
        ("reading", "day", "points"),
        [
            ("W3=skip-29-feb", "2021-01-01", 10 * (1095 - 395) / 1095),
            ("W3=skip-29-feb", "2022-01-01", 15 * (1095 - 30) / 1095),
        ],
    )
    def test_29_february_is_not_counted(
        self, tmp_path: Path, reading: str, day: str, points: float
    ) -> None:
        """It lies in both spans, so that they are a day longer than 1095."""
        package = alone(tmp_path / "p", [("a", "2018-01-01", "10"), ("a", "2019-01-01", "15")])
        found = rows("history", "wbgf", package, *self.UNTIL, "--reading", reading)
        worth = {row["day"]: row["points"] for row in found}
        assert worth[day] == pytest.approx(points, abs=NANOPOINT)

    def test_up_to_the_day_looked_ahead_to(self, tmp_path: Path) -> None:
        package = alone(tmp_path / "p", [("a", "2018-01-01", "10"), ("a", "2019-01-01", "15")])
        for ahead, count in (("2020-12-30", 0), ("2020-12-31", 1), ("2021-12-31", 2)):
            found = run("history", "wbgf", package, *self.UNTIL, "--ahead", ahead)
            assert found.stdout.count("Cup") == count
            assert ("Nothing expires up to 2020-12-30" in found.stderr) == (count == 0)

    def test_what_ended_before_or_began_later_is_not_there(self, tmp_path: Path) -> None:
        package = alone(
            tmp_path / "p",
            [("a", "2016-02-01", "1"), ("a", "2016-02-02", "2"), ("a", "2019-02-01", "3")],
        )
        found = rows("history", "wbgf", package, *self.UNTIL)
        assert [(row["day"], row["tournament"]) for row in found] == [("2019-02-01", "Cup 1")]

    def test_where_nothing_counts_any_more(self, package: Path) -> None:
        result = run(
            "history", "wbgf", package, "--player", "a", "--until", "2025-01-01", "--expiries"
        )
        assert result.exit_code == 0
        assert "No result counts any more on 2025-01-01" in result.stderr

    def test_flights_of_an_event_are_one_row(self, tmp_path: Path) -> None:
        """Ada is in the Main and in the Consolation: one event, the sum of both."""
        package = write(
            tmp_path / "p",
            **BACKGAMMON
            | {
                "flights": "event_id,flight,entrants\nE,main,4\nE,consolation,2\n",
                "placings": "event_id,flight,player_id,rank\nE,main,a,1\nE,consolation,a,1\n",
            },
        )
        given = [row["points"] for row in rows("award", "wbgf", package)]
        until = ("--player", "a", "--until", "2019-12-15", "--expiries")
        (row,) = rows("history", "wbgf", package, *until)
        assert len(given) == 2
        assert row["points"] == pytest.approx(sum(given) * (1095 - 30) / 1095, abs=2e-9)
        assert row["event"] == "Prague Main"

    def test_their_days_and_ranks_are_those_of_the_projection(self, tmp_path: Path) -> None:
        facts = palmares.read(written(season(2019), tmp_path / "season"))
        period = Period(until=date(2019, 6, 15), ahead=date(2022, 7, 1), every="day")
        found = careers(Question(regulation="wbgf"), facts, ["p19", "p05"], period)
        projected = {
            (player, day): (place, ended)
            for player, day, place, ended in history(found)
            .frame.select("player_id", "day", "rank", "expired")
            .iter_rows()
        }
        rows_ = [*expiries(found).iter_rows(named=True)]
        assert len(rows_) > 5
        for row in rows_:
            place, ended = projected[row["player_id"], row["day"]]
            assert row["rank"] == place
            assert row["tournament"] in ended
