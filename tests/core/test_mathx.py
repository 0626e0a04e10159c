"""Roots, powers and logarithms of either kind of number."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core import mathx

F = Fraction
CLOSE = F(1, 10**55)
positive = st.fractions(F(1, 1000), 1000, max_denominator=1000)


class TestSqrt:
    @pytest.mark.parametrize(("square", "root"), [(F(9, 4), F(3, 2)), (F(0), 0), (F(49), 7)])
    def test_of_two_squares_is_exact(self, square: F, root: F) -> None:
        assert mathx.sqrt(square) == root

    @given(value=positive)
    def test_squared_again(self, value: F) -> None:
        assert abs(mathx.sqrt(value) ** 2 - value) < CLOSE * 1000

    def test_of_a_float_is_the_machines(self) -> None:
        assert mathx.sqrt(2.0) == math.sqrt(2)


class TestLogarithms:
    def test_to_sixty_digits(self) -> None:
        """ln 2 and ln 10 as in tables of constants."""
        ln2 = F("0.693147180559945309417232121458176568075500134360255254120680")
        ln10 = F("2.302585092994045684017991454684364207601101488628772976033328")
        assert abs(mathx.log(F(2)) - ln2) < CLOSE
        assert abs(mathx.log(F(10)) - ln10) < CLOSE

    def test_of_a_float_is_the_machines(self) -> None:
        assert mathx.log(3.0) == math.log(3)
        assert mathx.log2(3.0) == math.log2(3)

    @pytest.mark.parametrize("exponent", [0, 1, 5, 10, 100])
    def test_of_powers_of_two_is_exact(self, exponent: int) -> None:
        assert mathx.log2(F(2**exponent)) == exponent

    @pytest.mark.parametrize("value", [F(3), F(1, 4), F(48), F(13, 3)])
    def test_to_base_two(self, value: F) -> None:
        assert abs(mathx.log2(value) - mathx.log(value) / mathx.log(F(2))) < CLOSE

    def test_whole_numbers_will_do(self) -> None:
        assert mathx.log2(F(8)) == 3
        assert mathx.log(F(1)) == 0


class TestPower:
    @pytest.mark.parametrize(
        ("base", "exponent", "power"),
        [(F(3, 2), F(3), F(27, 8)), (F(2), F(-2), F(1, 4)), (F(7), F(0), F(1))],
    )
    def test_to_a_whole_exponent_is_exact(self, base: F, exponent: F, power: F) -> None:
        assert mathx.power(base, exponent) == power

    @given(base=positive)
    def test_to_one_half_is_the_root(self, base: F) -> None:
        assert abs(mathx.power(base, F(1, 2)) - mathx.sqrt(base)) < CLOSE * 100

    def test_of_a_float_is_the_machines(self) -> None:
        assert mathx.power(2.0, 0.3) == math.pow(2.0, 0.3)


class TestSettled:
    """A value is on the right side of every whole number."""

    def test_far_from_a_whole_number_floats_serve(self) -> None:
        given: list[Any] = []

        def formula(value: Any) -> Any:
            given.append(value)
            return value / 4

        assert mathx.settled(formula, F(5)) == 1.25
        assert [type(value) for value in given] == [float]

    def test_what_is_whole_is_whole(self) -> None:
        """sqrt(2)² is 2, though 60 digits do not say so, and floats say 2.0000000000000004."""

        def squared(value: Any) -> Any:
            root = mathx.sqrt(value)
            return root * root

        assert squared(2.0) != 2
        assert squared(F(2)) != 2
        assert mathx.settled(squared, 2) == 2

    @pytest.mark.parametrize("hair", [F(1, 10**20), F(-1, 10**20)])
    def test_what_is_not_quite_whole_is_not(self, hair: F) -> None:
        assert mathx.settled(lambda value: value + 1, 4 + hair) == 5 + hair

    def test_a_hair_that_sixty_digits_cannot_tell_is_none(self) -> None:
        assert mathx.settled(lambda value: value + 1, 4 + F(1, 10**45)) == 5


class TestAdded:
    """The same float on every version of Python, in any order of the numbers."""

    def test_one_after_the_other_from_the_smallest(self) -> None:
        assert mathx.sorted_sum([0.3, 0.1, 0.2]) == (0.1 + 0.2) + 0.3

    def test_fractions_stay_exact(self) -> None:
        assert mathx.sorted_sum([F(1, 3), F(1, 6), F(1, 2)]) == 1
