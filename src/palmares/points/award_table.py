"""
Worked grants as one table: a row per player, event, flight and kind of points.

    table       tournaments and their worked grants  ->  rows, and the names of their terms
    in_points   a column of nanopoints  ->  the nearest floats there are

Many rows stay arrays all the way; a few, worked out in plain Python, come as lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import polars as pl

from palmares.core.rounding import NANO, counted
from palmares.facts import Facts
from palmares.points import inputs
from palmares.points.kernels.formulas import BEFORE, Worked
from palmares.regulations.model import Tournament

SCHEMA = pl.Schema(
    {
        "player_id": pl.String(),
        "player": pl.String(),
        "event_id": pl.String(),
        "event": pl.String(),
        "flight": pl.String(),
        "kind": pl.String(),
        "nanopoints": pl.Int64(),
        "effective": pl.Date(),
        "edition": pl.String(),
        "tournament_id": pl.String(),
        "setting": pl.String(),
        "nation_now": pl.String(),
        "order": pl.Int64(),
    }
)
"""What every row has; ``nation`` and the terms follow."""

CHANGE = "change"
"""The term of a fold beside ``before``: what an event added to a player's points."""


def table(
    tournaments: Sequence[Tournament],
    worked: Sequence[Worked],
    facts: Facts,
    ids: pl.Series,
    *,
    terms: bool = True,
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The awards as one table, sorted by time, event, flight, kind, rank or player.

    Args:
        tournaments: of each grant.
        worked: grants whose players are numbers.
        facts: who the players are, and the nations they held at the events.
        ids: of the players, by their numbers.
        terms: whether to give them, too.

    Returns:
        The columns of `SCHEMA`, ``nation`` and one column a term; and the names of the terms.
    """
    sizes = [len(one.grant.players) for one in worked]
    of = pl.Series(np.repeat(np.arange(len(worked)), sizes), dtype=pl.UInt32)
    players = _column([one.grant.players for one in worked]).cast(pl.UInt32)
    found = pl.concat(
        [
            _heads(tournaments, worked).select(pl.all().gather(of)),
            _people(facts, ids).select(pl.all().gather(players)),
            _column([one.nanopoints for one in worked]).alias("nanopoints").to_frame(),
        ],
        how="horizontal",
    ).select(SCHEMA.names())
    names = _terms(worked) if terms else []
    found = found.with_columns(_term(worked, name, of).alias(name) for name in names)
    return _nation_at_event(found, facts), tuple(names)


def _heads(tournaments: Sequence[Tournament], worked: Sequence[Worked]) -> pl.DataFrame:
    """What all rows of a grant have in common, a row a grant."""
    rows = [
        {
            "event_id": one.grant.event.event_id,
            "event": one.grant.event.name,
            "flight": one.grant.flight,
            "kind": one.grant.kind,
            "effective": one.grant.effective,
            "edition": one.grant.rules.edition.id,
            "tournament_id": tournament.tournament_id,
            "setting": tournament.setting,
            "order": order,
        }
        for order, (tournament, one) in enumerate(zip(tournaments, worked, strict=True))
    ]
    of_a_row = ("player_id", "player", "nation_now", "nanopoints")
    return pl.DataFrame(rows, {name: SCHEMA[name] for name in SCHEMA if name not in of_a_row})


def _people(facts: Facts, ids: pl.Series) -> pl.DataFrame:
    """Id, name and nation of every player who is a number, a row a number."""
    people = inputs.people(facts)
    found = [people.get(one, (None, None)) for one in ids]
    return pl.DataFrame(
        {
            "player_id": ids,
            "player": [name for name, _ in found],
            "nation_now": [nation for _, nation in found],
        },
        schema=dict.fromkeys(("player_id", "player", "nation_now"), pl.String),
    )


# ── terms ────────────────────────────────────────────────────────────────────────────────────────


def _terms(worked: Sequence[Worked]) -> list[str]:
    """The names of all terms, in the order in which formulas came to them."""
    names: dict[str, None] = {}
    for one in worked:
        names.update(dict.fromkeys((*one.grant.terms, *one.grant.columns, *one.columns)))
        if BEFORE in one.columns:
            names[CHANGE] = None
    return list(names)


def _term(worked: Sequence[Worked], name: str, of: pl.Series) -> pl.Series:
    """One term of every row: null where a row has no such term."""
    if name in (BEFORE, CHANGE) and any(BEFORE in one.columns for one in worked):
        before = _column([_before(one) for one in worked])
        if name == BEFORE:
            return in_points(before)
        return in_points(_column([one.nanopoints for one in worked]) - before)
    if any(name in one.columns or name in one.grant.columns for one in worked):
        return _column([_cells(one, name) for one in worked])
    common = [one.grant.terms.get(name) for one in worked]
    return _column([common]).gather(of)


def _before(one: Worked) -> Sequence[Any]:
    """Nanopoints before the event; nothing where a grant is not of a fold."""
    points = one.columns.get(BEFORE)
    if isinstance(points, np.ndarray):
        return cast("Sequence[int]", np.floor(points * 1e9 + 0.5).astype(np.int64))
    return [None] * len(one.grant.players) if points is None else [counted(one) for one in points]


def _cells(one: Worked, name: str) -> Sequence[Any]:
    """A term of the rows of one grant."""
    if name in one.columns:
        return one.columns[name]
    if name in one.grant.columns:
        return one.grant.columns[name]
    return [one.grant.terms.get(name)] * len(one.grant.players)


def _column(stretches: Sequence[Sequence[Any]]) -> pl.Series:
    """Numbers laid end to end: Float64 if any of them is no whole number, else Int64."""
    if stretches and all(isinstance(one, np.ndarray | memoryview) for one in stretches):
        whole = np.concatenate([np.asarray(one) for one in stretches])
        return pl.Series(whole, dtype=pl.Float64 if whole.dtype.kind == "f" else pl.Int64)
    cells = [cell for one in stretches for cell in _plain(one)]
    dtype = pl.Float64 if any(isinstance(cell, float) for cell in cells) else pl.Int64
    return pl.Series(cells, dtype=dtype)


def _plain(stretch: Sequence[Any]) -> Sequence[Any]:
    """The same as Python's numbers."""
    return stretch.tolist() if isinstance(stretch, np.ndarray | memoryview) else stretch


def in_points(nanopoints: pl.Series) -> pl.Series:
    """Nanopoints as points, each the nearest float there is, so that 41.585714286 shows as it is.

    Polars multiplies by the reciprocal where a column is divided by one number, which misses the
    nearest float in two cases of five; NumPy divides.
    """
    missing = nanopoints.is_null()
    points = pl.Series(nanopoints.name, nanopoints.fill_null(0).to_numpy() / NANO)
    return points.set(missing, None) if missing.any() else points


POINTS = pl.col("nanopoints").map_batches(in_points, return_dtype=pl.Float64).alias("points")
"""The column ``points`` of a frame that has nanopoints."""


# ── nations ──────────────────────────────────────────────────────────────────────────────────────


def _nation_at_event(found: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    """Where a placing names the nation held at the event, that one (reading W17)."""
    placings = facts.tables["placings"]
    said = placings.filter(pl.col("nation").is_not_null()).select(
        "event_id", pl.col("flight").fill_null("main"), "player_id", pl.col("nation").alias("then")
    )
    found = found.with_columns(pl.col("nation_now").alias("nation"))
    if said.is_empty():
        return found
    return (
        found.join(said, on=["event_id", "flight", "player_id"], how="left", maintain_order="left")
        .with_columns(pl.coalesce("then", "nation").alias("nation"))
        .drop("then")
    )
