"""
What every award puts into a player's total on a day, exactly.

    put_in      awards and a selection  ->  a row per award that counts, with what it puts in
    awarded     awards, and facts of which some tournaments changed  ->  the awards of these facts

Of a sum, an award puts in what it is worth. Of a rating, an event puts in what it moved the rating
by, and the first event also brings the rating that everybody starts from; so what is put in adds
up to the total under every regulation.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import polars as pl

from palmares.core.rounding import counted
from palmares.facts import Facts
from palmares.facts.subsets import subset
from palmares.journal.projection.project import Projection
from palmares.points import rankings
from palmares.points.awards import Awards, Question, award, in_order
from palmares.points.rankings import Selection

AWARD = ("player_id", "tournament_id", "event_id", "flight", "kind")
"""What tells awards apart; the rating to start from is of no tournament."""

COLUMNS = (*AWARD, "event", "effective", "weight", "parts")


def put_in(awards: Awards, selection: Selection) -> pl.DataFrame:
    """The awards that count, each with what it puts into the player's total.

    Returns:
        The columns of `COLUMNS`: an award puts in weight (Int128) / parts (Int64) nanopoints.
    """
    if awards.question.aggregate.latest:
        return _moves(awards, selection)
    return rankings.worth(awards, selection).select(COLUMNS)


def _moves(awards: Awards, selection: Selection) -> pl.DataFrame:
    """What every event moved a rating by, up to the last that counts, and where it started."""
    last = rankings.latest(awards.frame, selection, ["order"]).select(
        "player_id", pl.col("order").alias("last")
    )
    rows = (
        awards.frame.join(last, on="player_id")
        .filter(pl.col("order") <= pl.col("last"))
        .sort("player_id", "order")
    )
    opening = awards.question.aggregate.opening
    start = {
        one.edition.id: counted(opening(one)) if opening else 0
        for one in awards.question.rulebook().all
    }
    before = pl.col("nanopoints").shift(1).over("player_id")
    begun = pl.col("edition").replace_strict(start, return_dtype=pl.Int64)
    rows = rows.with_columns(before.alias("before")).with_columns(
        pl.coalesce("before", begun).alias("from"), pl.lit(1, pl.Int64).alias("parts")
    )
    moves = rows.with_columns((pl.col("nanopoints") - pl.col("from")).alias("weight"))
    starts = rows.filter(pl.col("before").is_null()).with_columns(
        *(pl.lit("").alias(name) for name in ("tournament_id", "event_id", "event", "flight")),
        pl.lit(None, pl.Date).alias("effective"),
        pl.col("from").alias("weight"),
    )
    found = pl.concat([moves.select(COLUMNS), starts.select(COLUMNS)])
    return found.with_columns(pl.col("weight").cast(pl.Int128))


def awarded(before: Awards, after: Projection, tournaments: Collection[str]) -> Awards:
    """The awards of facts of which some tournaments changed; of a rating, everything is new.

    Args:
        before: of the facts before.
        after: the facts.
        tournaments: that changed, came or went.
    """
    question = before.question
    if question.aggregate.latest:
        return whole(question, after.facts)
    facts = replace(after.facts, tables=subset(after.tables, tournaments))
    mended = award(question, facts, terms=False)
    kept = before.frame.filter(~pl.col("tournament_id").is_in(list(tournaments)))
    waiting = [one for one in before.waiting if one.tournament_id not in tournaments]
    return replace(
        before,
        frame=pl.concat([kept, mended.frame]),
        waiting=in_order([*waiting, *mended.waiting]),
    )


def whole(question: Question, facts: Facts) -> Awards:
    """Every award of some facts, without terms."""
    return award(question, facts, terms=False)
