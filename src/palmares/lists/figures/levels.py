"""Recognition levels of a journal: who reached which, when, and through which award."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import polars as pl

from palmares.journal.projection.project import State
from palmares.journal.store.entries import Levels
from palmares.lists.live.update import KeptAwards
from palmares.points.ledger_rows import MOMENT
from palmares.points.totals import levels_reached


def levels_of(state: State, regulation: str) -> Levels | None:
    """The levels that a journal has for a regulation."""
    statement = state.in_force("levels", regulation)
    return None if statement is None else statement.body


def thresholds_of(state: State, regulation: str) -> dict[str, Fraction]:
    """Lifetime points by level; nothing where the journal has no levels."""
    levels = levels_of(state, regulation)
    return {level.name: Fraction(level.points) for level in levels.levels} if levels else {}


def reached(given: KeptAwards, thresholds: Mapping[str, Fraction]) -> pl.DataFrame:
    """The award by which each player reached each level; see `levels_reached`."""
    names = given.names
    rows = given.of(np.arange(len(names.players)))
    events = names.events[rows["event"]]
    awards = pl.concat(
        [
            rows.select("nanopoints", "grant"),
            names.players[rows["player"]],
            names.award_classes.select("effective", "kind")[rows["award_class"]],
            events,
        ],
        how="horizontal",
    ).sort("effective", *MOMENT, "grant", nulls_last=False)
    return levels_reached(awards, thresholds)
