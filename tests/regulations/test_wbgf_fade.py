"""WBGF World Ranking: how results fade over three years."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.points.rankings import Selection
from palmares.regulations import wbgf
from tests.regulations import oracle_wbgf as oracle
from tests.regulations.build_wbgf import book

F = Fraction

PLAIN = book().all[0]
SKIPPING = book(W3="skip-29-feb").all[0]
END = date(2020, 12, 31)


class TestAge:
    """'age is the number of days from the last day of the tournament to today's date'"""

    @pytest.mark.parametrize(
        ("end", "today", "plain", "skipping"),
        [
            (date(2023, 6, 15), date(2023, 6, 15), 0, 0),
            (date(2023, 6, 15), date(2023, 6, 16), 1, 1),
            (date(2022, 6, 15), date(2023, 6, 15), 365, 365),
            (date(2023, 6, 15), date(2024, 6, 15), 366, 365),
            (date(2020, 2, 28), date(2020, 2, 29), 1, 0),
            (date(2020, 2, 28), date(2020, 3, 1), 2, 1),
            (date(2020, 2, 29), date(2020, 3, 1), 1, 1),
            (date(2020, 2, 29), date(2024, 2, 28), 4 * 365, 4 * 365),
            (date(2020, 2, 29), date(2024, 2, 29), 4 * 365 + 1, 4 * 365),
            (date(2020, 2, 28), date(2024, 2, 29), 4 * 365 + 2, 4 * 365),
            (date(2019, 12, 1), date(2024, 12, 1), 5 * 365 + 2, 5 * 365),
            (date(2100, 2, 28), date(2100, 3, 1), 1, 1),
        ],
    )
    def test_leap_days_are_counted_unless_asked_not_to(
        self, end: date, today: date, plain: int, skipping: int
    ) -> None:
        """'Leap days are ignored': plain days (W3), or 29 February not counted (skip-29-feb)."""
        assert wbgf.age(end, today) == plain
        assert wbgf.age_without_29_february(end, today) == skipping


class TestDaysLeft:
    """
    'declines linearly over the course of 3 years, starting from the final date of the event,
    halting at zero'
    """

    @pytest.mark.parametrize(
        ("age", "left"),
        [(0, 1095), (1, 1094), (365, 730), (1093, 2), (1094, 1), (1095, 0), (1096, 0), (5000, 0)],
    )
    def test_until_three_years_of_365_days(self, age: int, left: int) -> None:
        assert wbgf.fade(PLAIN, END, END + timedelta(days=age)) == (left, 1095)

    @pytest.mark.parametrize(
        ("today", "plain", "skipping"),
        [
            (date(2022, 2, 28), 1, 2),
            (date(2022, 3, 1), 0, 1),
            (date(2022, 3, 2), 0, 0),
        ],
    )
    def test_a_leap_day_lengthens_three_years_if_skipped(
        self, today: date, plain: int, skipping: int
    ) -> None:
        """From 2019-03-02 to 2022-03-02 there are 366 + 365 + 365 days."""
        end = date(2019, 3, 2)
        assert wbgf.fade(PLAIN, end, today) == (max(0, plain), 1095)
        assert wbgf.fade(SKIPPING, end, today) == (skipping, 1095)


class TestWr:
    """'WR = PP · max(0, 1 − age/1095)'"""

    @pytest.mark.parametrize(
        ("age", "share"),
        [(0, F(1)), (365, F(2, 3)), (730, F(1, 3)), (1094, F(1, 1095)), (1095, F(0))],
    )
    def test_is_the_share_of_days_left(self, age: int, share: F) -> None:
        left = wbgf.days_left(PLAIN.constants, age)
        assert wbgf.wr(PLAIN.constants, F("37.41"), left) == F("37.41") * share
        assert wbgf.worth(PLAIN, F("37.41"), left) == F("37.41") * share

    @given(
        points=st.fractions(0, 5000),
        end=st.dates(date(1999, 1, 1), date(2030, 12, 31)),
        age=st.integers(0, 1300),
    )
    def test_agrees_with_the_days_counted_one_by_one(self, points: F, end: date, age: int) -> None:
        today = end + timedelta(days=age)
        for rules, skip in ((PLAIN, False), (SKIPPING, True)):
            left, _ = wbgf.fade(rules, end, today)
            worth = wbgf.wr(rules.constants, points, left)
            assert worth == oracle.wr(points, end, today, skip_29_february=skip)

    @given(end=st.dates(date(1999, 1, 1), date(2030, 12, 31)), age=st.integers(0, 1300))
    def test_never_rises(self, end: date, age: int) -> None:
        today = end + timedelta(days=age)
        for rules in (PLAIN, SKIPPING):
            now, tomorrow = (wbgf.fade(rules, end, today + timedelta(days=n))[0] for n in (0, 1))
            assert now - 1 <= tomorrow <= now


@pytest.mark.parametrize(("day", "results"), [(date(2020, 12, 30), 0), (END, 1)])
def test_a_result_does_not_count_before_the_tournament_ends(day: date, results: int) -> None:
    """Reading W4."""
    awards = pl.DataFrame({"effective": [END]})
    assert len(Selection(as_of=day).apply(awards)) == results


def test_a_nation_keeps_what_was_won_under_it_only_under_the_reading() -> None:
    """Reading W17: its players' points as they are now, or those won at the event under it."""
    assert not wbgf.nation_at_event(PLAIN)
    assert wbgf.nation_at_event(book(W17="at-event").all[0])
