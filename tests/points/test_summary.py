"""A formula as the sum one would write on paper."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.rounding import divided_half_up, points_text, to_nanopoints
from palmares.points.summary import summed, with_thousands


class Constants(NamedTuple):
    """An edition's numbers."""

    t: Any
    days: Any


def share(constants: Constants, grade: Any, reward: Any, total_reward: Any) -> Any:
    """Points shared out."""
    return grade * constants.t * reward / total_reward


def moved(before: Any, value: Any, score: Any) -> Any:
    """A rating moved."""
    return before + value / 100 * (score - before)


def looked_up(table: Any, rank: Any) -> Any:
    """More than arithmetic."""
    return table[rank]


def sum_of(formula: Any, left: int = 1, parts: int = 1, **values: Any) -> tuple[str, str]:
    """Its numbers and its names."""
    made = summed(formula, values, to_nanopoints(Fraction(formula(**values))), left, parts)
    return made.numbers, made.names


CONSTANTS = Constants(Fraction(10), Fraction(1095))


def test_numbers_that_are_short_are_exact() -> None:
    """1.5 x 10 x 3 / 4 = 11.25, which nothing is rounded for."""
    values: dict[str, Any] = {"grade": Fraction(3, 2), "reward": 3, "total_reward": 4}
    assert sum_of(share, constants=CONSTANTS, **values) == (
        "1.5 × 10 × 3 / 4 = 11.25",
        "grade × t × reward / total reward",
    )


def test_as_many_decimals_as_it_takes() -> None:
    """2000/3 x 10 x (1/3) / 1.5 = 1481.48; 666.67 x 10 x 0.33 / 1.5 would be 1466.67."""
    values: dict[str, Any] = {
        "grade": Fraction(2000, 3),
        "reward": Fraction(1, 3),
        "total_reward": 1.5,
    }
    numbers, _ = sum_of(share, constants=CONSTANTS, **values)
    assert numbers == "666.666667 × 10 × 0.333333 / 1.5 ≈ 1,481.48"


def test_the_printed_points_fade_to_the_printed_worth() -> None:
    """62.6338 x 880/1095 is 50.34 and 62.63 x 880/1095 is 50.33, so that 62.634 is printed."""
    values: dict[str, Any] = {"grade": Fraction("6.26338"), "reward": 1, "total_reward": 1}
    assert sum_of(share, 880, 1095, constants=CONSTANTS, **values)[0].endswith(" ≈ 62.634")


def test_brackets_where_they_are_needed() -> None:
    """50 + 15/100 x (40 - 50) = 48.5; 2 - (3 - 5) = 4; 12 / (2 x 3) = 2; -3 x 2 = -6."""
    assert sum_of(moved, before=50, value=15, score=40) == (
        "50 + 15 / 100 × (40 − 50) = 48.50",
        "before + value / 100 × (score − before)",
    )
    assert sum_of(lambda a, b, c: a - (b - c), a=2, b=3, c=5)[0] == "2 − (3 − 5) = 4.00"
    assert sum_of(lambda a, b, c: a / (b * c), a=12, b=2, c=3)[0] == "12 / (2 × 3) = 2.00"
    assert sum_of(lambda a, b: a * b, a=-3, b=2)[0] == "(-3) × 2 = -6.00"
    assert sum_of(lambda a, b: 1 - a * (1 + b), a=2, b=3)[0] == "1 − 2 × (1 + 3) = -7.00"


def test_what_is_more_than_arithmetic_is_its_points() -> None:
    assert sum_of(looked_up, table=(0, 25, 18), rank=2) == ("18.00", "")
    with pytest.raises(TypeError, match=r"1\.5 is not a whole number"):
        summed(looked_up, {"table": (1, 2), "rank": 1.5}, 0, 1, 1)
    with pytest.raises(TypeError):
        summed(lambda name, a: name * a, {"name": None, "a": 1}, 0, 1, 1)


def test_thousands_stand_apart() -> None:
    assert [with_thousands(one) for one in ("1095", "-1234.5", "-0.5", "12")] == [
        "1,095",
        "-1,234.5",
        "-0.5",
        "12",
    ]


numbers = st.fractions(min_value=Fraction(1, 2), max_value=50, max_denominator=10**6)


@given(grade=numbers, reward=numbers, total=numbers, left=st.integers(1, 1095))
def test_who_reckons_gets_the_printed_result(
    grade: Fraction, reward: Fraction, total: Fraction, left: int
) -> None:
    """Within the last digit whatever the numbers are; what is left of it, to the digit."""
    values: dict[str, Any] = {
        "constants": CONSTANTS,
        "grade": grade,
        "reward": reward,
        "total_reward": total,
    }
    points = to_nanopoints(share(**values))
    made = summed(share, values, points, left, 1095).numbers.replace(",", "")
    terms = [Fraction(one) for one in re.findall(r"[\d.]+", made)]
    assert len(terms) == 5
    grade_told, ten, reward_told, total_told, printed = terms
    places = len(made.rpartition(".")[2])
    reckoned = grade_told * ten * reward_told / total_told
    assert abs(reckoned - printed) <= Fraction(1, 10**places)
    assert points_text(divided_half_up(to_nanopoints(printed) * left, 1095)) == points_text(
        divided_half_up(points * left, 1095)
    )
    exact = {"grade": grade_told, "reward": reward_told, "total_reward": total_told}
    assert ("=" in made) is (
        all(values[name] == one for name, one in exact.items()) and printed == share(**values)
    )
