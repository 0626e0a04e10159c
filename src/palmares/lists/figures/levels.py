"""Recognition levels of a journal: who reached which, when, and through which award."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import polars as pl

from palmares.journal.projection.project import State
from palmares.journal.store.entries import Levels
from palmares.lists import live
from palmares.lists.live import JournalAwards
from palmares.points.master_points import levels_reached


def levels_of(state: State, regulation: str) -> Levels | None:
    """The levels that a journal has for a regulation."""
    statement = state.in_force("levels", regulation)
    return None if statement is None else statement.body


def thresholds_of(state: State, regulation: str) -> dict[str, Fraction]:
    """Lifetime points by level; nothing where the journal has no levels."""
    levels = levels_of(state, regulation)
    return {level.name: Fraction(level.points) for level in levels.levels} if levels else {}


def reached(given: JournalAwards, thresholds: Mapping[str, Fraction]) -> pl.DataFrame:
    """The award by which each player reached each level; see `levels_reached`."""
    everybody = np.arange(len(given.names.players))
    awards = live.with_names(given, given.of(everybody)).sort("effective", maintain_order=True)
    return levels_reached(awards, thresholds)
