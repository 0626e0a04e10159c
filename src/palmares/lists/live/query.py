"""
One tournament's awards, out of those that are kept, without awarding everybody's.

    of_tournament   awards that are kept and a tournament  ->  its awards
"""

from __future__ import annotations

import numpy as np
import polars as pl

from palmares import awards
from palmares.awarded import Awarded, beside
from palmares.awarded_rows import is_fold
from palmares.journal.recording import part

_ONE = ("event_id", "player_id", "nth")
"""A row: the first, the second of a player in an event."""


def of_tournament(given: Awarded, tournament_id: str) -> pl.DataFrame:
    """The awards of one tournament.

    Args:
        given: awards of all, as they are kept.
        tournament_id: which tournament; there need not be one.

    Returns:
        The columns of `palmares.award_rows.SCHEMA`, and ``nation``.

    Raises:
        FactsRejected: something is missing in it that a formula needs.
    """
    projection, fold = given.projection, is_fold(given.question)
    own = beside(part(projection.tables, {tournament_id}), projection)
    frame = awards.award(given.question, own, terms=False, unfolded=fold).frame
    if not fold or frame.is_empty():
        return frame
    points = _kept(given, tournament_id, frame["player_id"]).select(*_ONE, "nanopoints")
    return (
        _counted(frame, "order")
        .drop("nanopoints")
        .join(points, on=_ONE, how="left", maintain_order="left")
        .select(frame.columns)
    )


def _kept(given: Awarded, tournament_id: str, players: pl.Series) -> pl.DataFrame:
    """What is kept of some players and a tournament: a fold has gone over it already."""
    names = given.names
    wanted = names.players["player_id"].is_in(players.unique().implode()).to_numpy()
    numbers = np.flatnonzero(wanted)
    above = given.newer.players
    rows = pl.concat([given.rows.of(np.setdiff1d(numbers, above)), given.newer.of(numbers)])
    here = (names.events["tournament_id"] == tournament_id).to_numpy()
    rows = rows.filter(pl.Series(here[rows["event"].to_numpy()]))
    named = rows.with_columns(
        names.events["event_id"].gather(rows["event"]).alias("event_id"),
        names.players["player_id"].gather(rows["player"]).alias("player_id"),
    )
    return _counted(named, "grant")


def _counted(frame: pl.DataFrame, order: str) -> pl.DataFrame:
    """The rows of each player in each event, numbered in the order of what was granted."""
    return frame.with_columns(
        pl.col(order).rank("ordinal").over("event_id", "player_id").cast(pl.Int64).alias("nth")
    )
