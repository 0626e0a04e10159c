"""Questions to kept awards: lists of a day, days with results, one tournament."""

from __future__ import annotations

import numpy as np
import polars as pl

from palmares.facts.schema import Facts
from palmares.facts.subsets import subset
from palmares.lists.live.update import KeptAwards
from palmares.points import awards, ledger, rankings
from palmares.points.empty_lists import evidence
from palmares.points.rankings import Ranking, Selection

_ONE = ("event_id", "player_id", "nth")
"""A row: the first, the second of a player in an event."""


# ── lists ────────────────────────────────────────────────────────────────────────────────────────


def ranking(
    given: KeptAwards, selection: Selection, top: int | None = None, *, by: str = "player"
) -> Ranking:
    """The ranked list of a day, of players or of nations.

    Where a nation keeps the points won under it, all awards are made again: kept ones have no
    nation.

    Args:
        given: awards of one regulation.
        selection: the day and what else decides which awards count.
        top: only ranks up to this one.
        by: "player" or "nation".

    Raises:
        Refused: the regulation has no such kind of points, or makes no sums over a nation.
    """
    question = given.question
    rankings.refuse_nonsense(question, selection, by)
    if (selection.nation or by == "nation") and rankings.by_event(question):
        whole = awards.award(question, given.projection.facts, terms=False)
        return ledger.rank(whole, selection, by=by, top=top)
    return ledger.ranking(given.ledger, selection, top, by=by)


def places(given: KeptAwards, selection: Selection) -> pl.DataFrame:
    """The ranks of everybody on a list; see `palmares.points.ledger.places`."""
    if selection.nation and rankings.by_event(given.question):
        return ranking(given, selection).frame.select(ledger.PLACES)
    return ledger.places(given.ledger, selection)


def effective(given: KeptAwards) -> pl.Series:
    """The days from which awards put a player on a list, each once."""
    rows = given.in_force()
    if not given.question.aggregate.latest:  # 0 points put nobody on a list
        rows = rows.filter(pl.col("nanopoints") > 0)
    return _award_classes(given, rows)["effective"].unique()


def found_evidence(given: KeptAwards) -> pl.DataFrame:
    """The evidence for `palmares.points.empty_lists`, from kept awards."""
    return evidence(given.question, given.projection.facts, _award_classes(given, given.in_force()))


def _award_classes(given: KeptAwards, rows: pl.DataFrame) -> pl.DataFrame:
    """The classes of some awards, each once; not those of withdrawn events."""
    return given.names.award_classes.select(pl.all().gather(rows["award_class"].unique()))


# ── one tournament ───────────────────────────────────────────────────────────────────────────────


def of_tournament(given: KeptAwards, tournament_id: str) -> pl.DataFrame:
    """The awards of one tournament, without awarding all.

    Args:
        given: awards of all, as they are kept.
        tournament_id: which tournament; an unknown one has no awards.

    Returns:
        The columns of `palmares.points.award_table.SCHEMA`, and ``nation``.

    Raises:
        FactsRejected: something is missing in it that a formula needs.
    """
    projection, fold = given.projection, given.question.aggregate.step is not None
    own = Facts(subset(projection.tables, {tournament_id}), may_wait=True)
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


def _kept(given: KeptAwards, tournament_id: str, players: pl.Series) -> pl.DataFrame:
    """The kept, folded rows of some players in a tournament."""
    names = given.names
    wanted = names.players["player_id"].is_in(players.unique().implode()).to_numpy()
    rows = given.of(np.flatnonzero(wanted))
    here = (names.events["tournament_id"] == tournament_id).to_numpy()
    rows = rows.filter(pl.Series(here[rows["event"].to_numpy()]))
    named = rows.with_columns(
        names.events["event_id"].gather(rows["event"]).alias("event_id"),
        names.players["player_id"].gather(rows["player"]).alias("player_id"),
    )
    return _counted(named, "grant")


def _counted(frame: pl.DataFrame, order: str) -> pl.DataFrame:
    """Rows with ``nth``: the first, second, ... award of a player in an event."""
    return frame.with_columns(
        pl.col(order).rank("ordinal").over("event_id", "player_id").cast(pl.Int64).alias("nth")
    )
