"""Counting: points become whole nanopoints once, and are shown from there."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.rounding import (
    GREATEST,
    NANO,
    UNCOUNTABLE,
    countable_nanopoints,
    divided_half_up,
    exact_text,
    half_up,
    outranks,
    points_text,
    reaches,
    to_nanopoints,
)

F = Fraction


class TestOutranks:
    """W16: 'higher by more than a millionth'"""

    @pytest.mark.parametrize("parts", [1, 2, 1095, 10**20])
    def test_it_takes_more_than_a_millionth(self, parts: int) -> None:
        total = 5 * NANO * parts
        assert not outranks(total + 1000 * parts, total, parts)
        assert outranks(total + 1000 * parts + 1, total, parts)
        assert not outranks(total, total, parts)
        assert not outranks(total, total + 1000 * parts + 1, parts)

    @pytest.mark.parametrize("number", [F, float])
    @pytest.mark.parametrize("threshold", ["0.5", "500", "123456.789"])
    def test_a_threshold_is_reached_from_a_millionth_below_it(
        self, number: type[F | float], threshold: str
    ) -> None:
        least = number(threshold)
        below = F(threshold) - F(1, 10**6)
        assert reaches(least, least)
        assert reaches(number(below), least)
        assert not reaches(number(below - F(1, NANO)), least)


class TestCounted:
    @pytest.mark.parametrize(
        ("points", "nanopoints"),
        [
            (F(140, 11), 12_727_272_727),
            (F(80, 11), 7_272_727_273),
            (140 / 11, 12_727_272_727),
            (F(1, 2 * NANO), 1),  # exactly half a nanopoint
            (F(1, 2 * NANO) - F(1, 10**30), 0),
            (F(-1, 2 * NANO), 0),  # half up is towards more
            (F(-3, 2 * NANO), -1),
            (0.0, 0),
            (37.41, 37_410_000_000),
            (-2.5, -2_500_000_000),
            (7, 7_000_000_000),
        ],
    )
    def test_to_the_nearest_nanopoint_half_up(
        self, points: float | Fraction, nanopoints: int
    ) -> None:
        assert to_nanopoints(points) == nanopoints

    @given(points=st.fractions(-10_000, 10_000))
    def test_is_never_more_than_half_a_nanopoint_off(self, points: F) -> None:
        assert -F(1, 2) < to_nanopoints(points) - points * NANO <= F(1, 2)

    @pytest.mark.parametrize(
        ("points", "nanopoints"),
        [
            (12.5, 12_500_000_000),
            (F(GREATEST) - 1, (GREATEST - 1) * NANO),
            (GREATEST, UNCOUNTABLE),
            (float(GREATEST), UNCOUNTABLE),
            (-GREATEST, UNCOUNTABLE),
            (F(1 - GREATEST), (1 - GREATEST) * NANO),
            (inf, UNCOUNTABLE),
            (nan, UNCOUNTABLE),
        ],
    )
    def test_what_no_counter_holds_is_marked(
        self, points: float | Fraction, nanopoints: int
    ) -> None:
        assert countable_nanopoints(points) == nanopoints
        assert -(2**63) <= nanopoints < 2**63


class TestShared:
    @pytest.mark.parametrize(
        ("nanopoints", "parts", "each"),
        [(10, 4, 3), (9, 4, 2), (7, 2, 4), (-7, 2, -3), (0, 5, 0), (2 * 1095, 1095, 2)],
    )
    def test_half_up(self, nanopoints: int, parts: int, each: int) -> None:
        assert divided_half_up(nanopoints, parts) == each

    @given(nanopoints=st.integers(-(10**30), 10**30), parts=st.integers(1, 10**6))
    def test_is_never_more_than_half_a_nanopoint_off(self, nanopoints: int, parts: int) -> None:
        assert -F(1, 2) < divided_half_up(nanopoints, parts) - F(nanopoints, parts) <= F(1, 2)


class TestHalfUp:
    @pytest.mark.parametrize(
        ("value", "places", "rounded"),
        [
            ("88.4615", 2, "88.46"),
            ("95.625", 2, "95.63"),  # exactly half-way
            ("95.62499", 2, "95.62"),
            ("2.5", 0, "3"),
            ("-2.5", 0, "-2"),  # half up is towards more
            ("0.0005", 3, "0.001"),
        ],
    )
    def test_fractions_and_floats_alike(self, value: str, places: int, rounded: str) -> None:
        assert half_up(F(value), places) == F(rounded)
        assert half_up(float(value), places) == float(rounded)

    def test_keeps_the_kind_of_number(self) -> None:
        assert isinstance(half_up(F(1, 3), 2), F)
        assert isinstance(half_up(1 / 3, 2), float)

    def test_a_float_is_taken_for_the_decimal_it_shows(self) -> None:
        """1.005 is stored as 1.00499999999999989…; whoever reads 1.005 expects 1.01."""
        assert half_up(1.005, 2) == 1.01


class TestShown:
    @pytest.mark.parametrize(
        ("nanopoints", "places", "text"),
        [
            (60_019_230_769, 3, "60.019"),
            (60_019_230_769, 2, "60.02"),
            (5_000_000, 2, "0.01"),  # half away from zero
            (4_999_999, 2, "0.00"),
            (-5_000_000, 2, "-0.01"),
            (-4_999_999, 2, "0.00"),  # no minus before nothing
            (-1_500_000_000, 1, "-1.5"),
            (2_500_000_000, 0, "3"),
            (7, 9, "0.000000007"),
        ],
    )
    def test_with_exactly_so_many_decimals(self, nanopoints: int, places: int, text: str) -> None:
        assert points_text(nanopoints, places) == text

    def test_two_decimals_unless_asked(self) -> None:
        assert points_text(12_727_272_727) == "12.73"

    @pytest.mark.parametrize(
        ("nanopoints", "text"),
        [
            (37_410_000_000, "37.41"),
            (15 * NANO, "15"),
            (100 * NANO, "100"),
            (0, "0"),
            (-1, "-0.000000001"),
        ],
    )
    def test_plainly_without_trailing_zeros(self, nanopoints: int, text: str) -> None:
        assert exact_text(nanopoints) == text

    @given(nanopoints=st.integers(-(2**63), 2**63 - 1))
    def test_plain_text_loses_nothing(self, nanopoints: int) -> None:
        assert F(exact_text(nanopoints)) * NANO == nanopoints
