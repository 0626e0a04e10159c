"""Folds by player: as a fold through whole events gives them, in Python and compiled."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.rounding import to_nanopoints
from palmares.points import ratings
from palmares.points.kernels import compiled
from palmares.regulations import dptr
from palmares.regulations.editions import rulebook

RULES = rulebook("dptr", dptr.Constants).all[-1]
steps = st.lists(
    st.tuples(st.integers(0, 4), st.floats(0, 20), st.floats(0, 100)), max_size=40
).map(lambda rows: sorted(rows, key=lambda row: row[0]))


def folded(rows: list[tuple[int, float, float]], compiled_from: int) -> ratings.Folded:
    player = np.array([row[0] for row in rows], int)
    value = np.array([row[1] for row in rows], float)
    percentile = np.array([row[2] for row in rows], float)
    with patch.object(ratings, "compiles", lambda many: many >= compiled_from):
        return ratings.fold(
            dptr.new_rating,
            [RULES.constants],
            np.zeros(len(rows), int),
            np.full(5, 40.0),
            player,
            {"value": value, "percentile": percentile},
        )


def by_hand(rows: list[tuple[int, float, float]]) -> tuple[list[int], list[int]]:
    """Each rating moves value per cent of the way to the percentile."""
    last = [40.0] * 5
    before, after = [], []
    for player, value, percentile in rows:
        before.append(to_nanopoints(last[player]))
        last[player] = last[player] + value / 100 * (percentile - last[player])
        after.append(to_nanopoints(last[player]))
    return after, before


@given(steps)
def test_in_python(rows: list[tuple[int, float, float]]) -> None:
    found = folded(rows, compiled_from=10**9)
    assert (found.after.tolist(), found.before.tolist()) == by_hand(rows)


@given(steps)
def test_compiled(rows: list[tuple[int, float, float]]) -> None:
    found = folded(rows, compiled_from=0)
    assert (found.after.tolist(), found.before.tolist()) == by_hand(rows)


@given(steps)
def test_shared_over_threads(rows: list[tuple[int, float, float]]) -> None:
    with patch.object(compiled, "THREADS_FROM", 1), patch.object(compiled, "cores", lambda: 3):
        found = folded(rows, compiled_from=0)
    assert (found.after.tolist(), found.before.tolist()) == by_hand(rows)


def test_a_formula_with_constants_takes_those_of_the_rows_edition() -> None:
    def formula(constants: Any, before: Any, value: Any) -> Any:
        return before + constants * value

    found = ratings.fold(
        formula,
        [1.0, 10.0],
        np.array([0, 1, 1]),
        np.array([0.0]),
        np.zeros(3, int),
        {"value": np.array([1.0, 2.0, 3.0])},
    )
    assert found.after.tolist() == [10**9, 21 * 10**9, 51 * 10**9]
    assert ratings.fold_parameters(formula) == ("value",)


@pytest.mark.parametrize("points", [float("inf"), 1e11])
def test_what_cannot_be_counted_is_marked(points: float) -> None:
    for compiled_from in (0, 10**9):
        found = folded([(0, 100.0, points), (0, 50.0, points)], compiled_from)
        assert found.after[0] == found.before[1] == -(2**63)
