"""A player's points and rank, day by day."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from palmares.careers import days
from tests.packages import error, rows, run
from tests.test_rankings import alone


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Ada has 10.95 points, which lose 0.01 a day; Ben comes in with 20 on the third day."""
    return alone(tmp_path / "p", [("a", "2019-01-01", "10.95"), ("b", "2019-01-03", "21.9")])


def history(package: Path, *more: str) -> list[Any]:
    found = rows("history", "wbgf", package, "--player", *more)
    return [[row["day"], row["points"], row["rank"]] for row in found]


class TestSteps:
    def test_every_day(self, package: Path) -> None:
        found = history(package, "a", "--every", "day", "--until", "2019-01-04")
        assert found == [
            ["2019-01-01", 10.95, 1],
            ["2019-01-02", 10.94, 1],
            ["2019-01-03", 10.93, 2],
            ["2019-01-04", 10.92, 2],
        ]

    def test_every_month_on_its_last_day_and_the_last_day_asked_for(self, package: Path) -> None:
        found = history(package, "a", "--until", "2019-03-10")
        assert [row[0] for row in found] == ["2019-01-31", "2019-02-28", "2019-03-10"]
        assert [row[1] for row in found] == [10.65, 10.37, 10.27]

    def test_from_a_day_before_the_first_result(self, package: Path) -> None:
        found = history(package, "b", "--every", "day", "--since", "2019-01-02", "--until",
                        "2019-01-03")  # fmt: skip
        assert found == [["2019-01-02", 0, None], ["2019-01-03", 21.9, 1]]

    def test_after_all_has_faded(self, package: Path) -> None:
        found = history(package, "a", "--since", "2021-12-29", "--until", "2022-01-01", "--every",
                        "day")  # fmt: skip
        assert found == [
            ["2021-12-29", 0.02, 2],
            ["2021-12-30", 0.01, 2],
            ["2021-12-31", 0, None],
            ["2022-01-01", 0, None],
        ]

    def test_each_day_is_what_the_ranking_of_the_day_says(self, package: Path) -> None:
        for day, points, rank in history(package, "a", "--every", "week", "--until", "2019-02-20"):
            (row,) = (
                row
                for row in rows("rank", "wbgf", package, "--as-of", day)
                if row["player_id"] == "a"
            )
            assert (row["points"], row["rank"]) == (points, rank)

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


class TestRefusals:
    def test_nobody_of_that_name(self, package: Path) -> None:
        assert "No player has the id or name z" in error(
            "history", "wbgf", package, "--player", "z"
        )

    def test_nothing_up_to_the_last_day(self, package: Path) -> None:
        said = error("history", "wbgf", package, "--player", "b", "--until", "2019-01-02")
        assert "Player b (b) has no points under wbgf up to 2019-01-02" in said

    def test_an_end_before_the_start(self, package: Path) -> None:
        said = error(
            "history", "wbgf", package, "--player", "a", "--since", "2019-03-01", "--until",
            "2019-02-01",
        )  # fmt: skip
        assert "2019-03-01" in said

    def test_another_step(self, package: Path) -> None:
        assert run("history", "wbgf", package, "--player", "a", "--every", "year").exit_code == 2

    @pytest.mark.parametrize("since", ["1900-01-01", "0001-01-01"])
    def test_very_long_ones_finish(self, package: Path, since: str) -> None:
        found = history(package, "a", "--since", since, "--until", "2019-01-31")
        assert found[-1] == ["2019-01-31", 10.65, 2]


class TestRatings:
    def test_a_rating_stays(self, diplomacy: Path) -> None:
        found = rows("history", "dptr", diplomacy, "--player", "b", "--until", "2019-07-31")
        assert {row["points"] for row in found} == {found[0]["points"]}
        assert [row["rank"] for row in found] == [1, 2, 2]
