"""Levels of recognition: the day on which each was reached, and the award that did it."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from palmares.points.awards import Question
from palmares.points.master_points import levels_reached
from palmares.regulations.usbgf import recognition_level
from tests.points.random_awards import Row, awards

THIRD = 333_333_333  # a third of a point, counted
LEVELS = {"Club": Fraction(1), "Regional": Fraction(2)}


def in_time(*rows: Row) -> pl.DataFrame:
    frame = awards(Question(regulation="usbgf"), rows).frame
    return frame.with_columns(pl.format("e{}", "order").alias("event_id"))


def test_three_thirds_of_a_point_make_one() -> None:
    """0.333333333 + 0.333333333 + 0.333333333 is a billionth short of 1, which is near enough."""
    given = in_time(*(Row(0, day, THIRD, "2019-01", kind="match") for day in (1, 2, 3)))
    reached = levels_reached(given, LEVELS)
    assert reached.select("player_id", "level", "event_id", "lifetime").rows() == [
        ("p0", "Club", "e2", 999_999_999)
    ]


def test_one_award_may_reach_two_levels() -> None:
    reached = levels_reached(in_time(Row(1, 5, 2 * 10**9, "2019-01", kind="placement")), LEVELS)
    assert set(reached["level"]) == {"Club", "Regional"}
    assert set(reached["kind"]) == {"placement"}


def test_live_and_online_points_count_together() -> None:
    """U30: the lifetime is of all four totals, whatever the division."""
    reached = levels_reached(
        in_time(
            Row(0, 1, 6 * 10**8, "2015-05", "live", "match", 3),
            Row(0, 2, 4 * 10**8, "2019-01", "online", "placement", 1),
        ),
        LEVELS,
    )
    assert reached["event_id"].to_list() == ["e1"]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10**9)), max_size=20))
def test_it_is_the_level_of_the_clause(won: list[tuple[int, int]]) -> None:
    """After every award, the levels reached so far are those that the clause gives."""
    rows = [
        Row(player, day, points, "2019-01", kind="match")
        for day, (player, points) in enumerate(won)
    ]
    frame = in_time(*rows)
    for size in range(len(rows) + 1):
        part = frame.head(size)
        highest = {
            player: recognition_level(LEVELS, Fraction(total, 10**9))
            for player, total in part.group_by("player_id")
            .agg(pl.col("nanopoints").sum())
            .iter_rows()
        }
        reached = levels_reached(part, LEVELS)
        for player, level in highest.items():
            theirs = set(reached.filter(pl.col("player_id") == player)["level"])
            assert (
                theirs == {None: set(), "Club": {"Club"}, "Regional": {"Club", "Regional"}}[level]
            )
