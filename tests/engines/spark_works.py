"""Works that tests hand to an engine: they are found by Spark's workers under this name."""

from __future__ import annotations

import polars as pl

from palmares.core.errors import NotCovered
from palmares.engines import Shard, ShardResult
from palmares.facts import Facts
from palmares.points.awards import Question, award

WHO = ("player_id", "event_id", "flight", "kind", "nanopoints", "effective", "edition")


def points(shard: Shard, regulation: str) -> ShardResult:
    """Every award of a shard, with its terms; names of players are not asked for."""
    return points_of(shard.facts, regulation)


def points_of(facts: Facts, regulation: str) -> ShardResult:
    """Every award of some facts, with its terms."""
    placed, played = facts.tables["placings"]["player_id"], facts.tables["matches"]
    ids = pl.concat([placed, played["winner_id"], played["loser_id"]]).drop_nulls().unique()
    players = pl.DataFrame({"player_id": ids, "name": ids}).with_columns(
        pl.lit(None, pl.String).alias("nation"), pl.lit(None, pl.Boolean).alias("withheld")
    )
    found = award(Question(regulation=regulation), Facts({**facts.tables, "players": players}))
    return ShardResult(found.frame.select(*WHO, *found.terms), found.notices)


def contents(shard: Shard) -> ShardResult:
    """How many rows of each table a shard has."""
    heights = {name: [table.height] for name, table in shard.facts.tables.items()}
    return ShardResult(pl.DataFrame({"shard": [shard.number], **heights}))


def totals(rows: pl.DataFrame) -> pl.DataFrame:
    """The sum of each player, and how many rows he has, in how many calls."""
    return rows.group_by("player_id").agg(pl.col("nanopoints").sum(), pl.len().alias("awards"))


def uncovered(shard: Shard) -> ShardResult:
    """An error of ours."""
    raise NotCovered(f"No edition covers shard {shard.number}.")


def broken(shard: Shard) -> ShardResult:
    """A mistake of a programmer."""
    return ShardResult(pl.DataFrame({"quotient": [1 // (shard.number - shard.number)]}))
