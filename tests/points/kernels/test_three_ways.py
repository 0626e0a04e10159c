"""
One formula, three ways to run it: random facts through all three.

Plain floats and machine code count the very same nanopoints and give the very same derived values;
exact fractions agree to a nanopoint.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palmares.bridge import vp
from palmares.points.kernels import apply, compiled, formulas
from palmares.points.kernels.formulas import Worked
from palmares.regulations import get_regulation, wbf_vp
from palmares.regulations.model import Grant, Tournament
from palmares.testing import three_ways
from tests.amounts import amount
from tests.points.kernels.random_tournaments import MEMBERS, seasons
from tests.points.kernels.specs import CELLS

REGULATIONS = ("wbgf", "usbgf", "dptr")
unhurried = settings(
    deadline=None,
    max_examples=amount(1_000),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.parametrize("name", REGULATIONS)
@unhurried
@given(season=seasons)
def test_awards(name: str, season: tuple[Tournament, ...]) -> None:
    """Nothing is left to plain Python where machine code is asked for."""
    plain = formulas.plain

    def none_left(grants: Sequence[Grant], opening: Any, **more: Any) -> list[Worked]:
        assert sys._getframe(1).f_code is not apply.work.__code__
        return plain(grants, opening, **more)

    with patch.object(formulas, "plain", none_left):
        assert three_ways(get_regulation(name), season, MEMBERS) == []


class TestVictoryPoints:
    @unhurried
    @given(
        matches=st.lists(st.tuples(st.integers(1, 60), st.integers(-400, 400)), min_size=1),
        scale=st.sampled_from(vp.SCALES),
    )
    def test_a_table_is_read_alike(self, matches: list[tuple[int, int]], scale: str) -> None:
        """Plain and compiled; the table itself is made once, of exact fractions."""
        tables = [vp.scale_of(boards, scale).table for boards, _ in matches]
        starts = np.cumsum([0, *map(len, tables)])
        margins = np.array([margin for _, margin in matches])
        winner = np.empty(len(matches), np.int64)
        given_to = {
            "constants": 0,
            "cells_all": np.concatenate([np.array(table) for table in tables]),
            "cells_starts": starts,
            "cells_number": np.arange(len(tables)),
            "margin_at": margins,
            "winner_out": winner,
        }
        compiled.kernel(CELLS)(*(given_to[name] for name in compiled.arguments(CELLS)))
        pairs = zip(tables, margins.tolist(), strict=True)
        assert winner.tolist() == [wbf_vp.winner_cells(cells, margin) for cells, margin in pairs]
