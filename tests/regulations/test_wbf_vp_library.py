"""`palmares.vp`: the scales as values, and questions that have no answer."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import palmares
from palmares.bridge import vp
from palmares.core.errors import Refused
from palmares.regulations import wbf_vp

HUGE = pytest.param(-(10**5000), id="5000 digits")  # Python does not print it


def test_is_part_of_palmares() -> None:
    assert palmares.vp.continuous(16).score(7) == vp.Score(
        boards=16, scale="continuous", margin=7, winner=Decimal("12.03"), loser=Decimal("7.97")
    )


def test_whole_numbers_of_any_kind_will_do() -> None:
    assert vp.vps(np.int64(16), np.int8(-7)) == vp.vps(16, -7)
    assert vp.vps(True, 7).boards == 1


@pytest.mark.parametrize("points", [12.05, Decimal("12.05"), np.float64(12.05)])
def test_points_are_the_decimal_number_they_show(points: Any) -> None:
    """5 IMPs are 12.05 for 8 boards (published); the float is a little more than that."""
    assert vp.margin_for(8, points) == 5


def test_next_to_nothing_is_more_than_nothing() -> None:
    assert vp.margin_for(16, Decimal("1e-999999")) == vp.margin_for(16, Decimal("0.01"))


@pytest.mark.parametrize("points", [-1, 21, Decimal("nan"), Decimal("1e999999"), float("inf"), 0])
def test_points_no_side_can_have_are_refused(points: Any) -> None:
    with pytest.raises(Refused, match="wbf-vp loser"):
        vp.margin_for(16, points)


@pytest.mark.parametrize("boards", [0, -1, 1_000_001, 10**50, HUGE, 16.0, 16.5, "16", None])
def test_boards_that_no_match_has_are_refused(boards: Any) -> None:
    with pytest.raises(Refused, match="number of boards is") as refused:
        vp.continuous(boards)
    assert len(str(refused.value)) < 120


@pytest.mark.parametrize("margin", [7.5, "7", 10**10, HUGE])
def test_margins_that_no_match_has_are_refused(margin: Any) -> None:
    with pytest.raises(Refused, match="margin is"):
        vp.vps(16, margin)


def test_an_unknown_scale_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(Refused, match="There are: continuous, discrete, half-match"):
        vp.vps(16, 7, "quadratic")


def test_more_cells_than_a_table_has_are_an_error() -> None:
    with pytest.raises(ValueError, match="2001 cells are more than the 2000"):
        wbf_vp.margin_reaching((1000, 2000), 2001)
