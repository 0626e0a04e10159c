"""
One formula, three ways to run it: random facts through all three.

Plain floats and machine code count the very same nanopoints and give the very same derived values;
exact fractions agree to a nanopoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palmares import compiled, vp
from palmares.editions import rulebook
from palmares.kernels import bulk, formulas
from palmares.kernels.formulas import Worked
from palmares.placings import Grant, Tournament
from palmares.regulations import regulation, wbf_vp
from tests.kernels.listed import listed
from tests.kernels.random_tournaments import MEMBERS, seasons
from tests.kernels.recipes import CELLS

REGULATIONS = ("wbgf", "usbgf", "dptr")
unhurried = settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def granted(name: str, season: Iterable[Tournament], number: Any = float) -> list[Grant]:
    """What a regulation grants for a season, in the order of time."""
    module = regulation(name).load()
    rules = rulebook(name, module.Constants, number=number)
    in_time = sorted(season, key=lambda one: (one.end_date, one.tournament_id))
    found = (one for each in in_time for one in module.award(rules, each, MEMBERS))
    return [one for one in found if isinstance(one, Grant)]


def in_bulk(name: str, grants: Sequence[Grant]) -> list[Worked]:
    """The grants through machine code alone."""
    with patch.object(formulas, "plain", side_effect=AssertionError("left to plain Python")):
        return listed(bulk.work(grants, getattr(regulation(name).load(), "opening", None)))


def in_python(name: str, grants: Sequence[Grant]) -> list[Worked]:
    """The grants through plain Python alone."""
    return formulas.plain(grants, getattr(regulation(name).load(), "opening", None))


@pytest.mark.parametrize("name", REGULATIONS)
class TestAwards:
    @unhurried
    @given(season=seasons)
    def test_plain_and_compiled_count_the_same(
        self, name: str, season: tuple[Tournament, ...]
    ) -> None:
        grants = granted(name, season)
        plain, machine = in_python(name, grants), in_bulk(name, grants)
        assert [one.nanopoints for one in machine] == [one.nanopoints for one in plain]
        assert [one.columns for one in machine] == [one.columns for one in plain]
        assert [kinds(one) for one in machine] == [kinds(one) for one in plain]

    @unhurried
    @given(season=seasons)
    def test_fractions_agree_to_a_nanopoint(
        self, name: str, season: tuple[Tournament, ...]
    ) -> None:
        exact = in_python(name, granted(name, season, Fraction))
        floats = in_python(name, granted(name, season))
        for one, other in zip(exact, floats, strict=True):
            assert one.grant.players == other.grant.players
            pairs = zip(one.nanopoints, other.nanopoints, strict=True)
            assert all(abs(left - right) <= 1 for left, right in pairs)


def kinds(worked: Worked) -> list[list[type]]:
    """The type of every derived value."""
    return [[type(value) for value in column] for column in worked.columns.values()]


class TestVictoryPoints:
    @unhurried
    @given(
        matches=st.lists(st.tuples(st.integers(1, 60), st.integers(-400, 400)), min_size=1),
        scale=st.sampled_from(vp.SCALES),
    )
    def test_a_table_is_read_alike(self, matches: list[tuple[int, int]], scale: str) -> None:
        """Plain and compiled; the table itself is made once, of exact fractions."""
        tables = [vp.scale_of(boards, scale).cells for boards, _ in matches]
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
