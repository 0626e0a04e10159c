"""Work for engines in tests: module-level functions, for they travel to other processes."""

from __future__ import annotations

import os
import signal
import time

import polars as pl

from palmares.core.errors import FactsRejected, Location, NotCovered, Problem
from palmares.engines import Shard, ShardResult

ADDED = pl.Schema({"player_id": pl.String(), "rank": pl.Int64(), "rows": pl.Int64()})


def ranks(shard: Shard) -> ShardResult:
    """Every placing of a shard."""
    rows = shard.facts["placings"].select("player_id", "rank", shard=pl.lit(shard.number, pl.Int64))
    return ShardResult(rows)


def tables(shard: Shard) -> ShardResult:
    """How many rows a shard has of each table, and the days of its tournaments."""
    days = shard.facts["tournaments"]["end_date"]
    held = {name: [shard.facts[name].height] for name in shard.facts}
    return ShardResult(pl.DataFrame({"first": [days.min()], "last": [days.max()], **held}))


def places(shard: Shard) -> ShardResult:
    """Where each placing comes from."""
    return ShardResult(shard.facts["placings"].select("event_id", "player_id", "_file", "_line"))


def lines(shard: Shard) -> ShardResult:
    """The line of each placing, and its shard."""
    return ShardResult(shard.facts["placings"].select("_line", shard=pl.lit(shard.number)))


def odd(shard: Shard) -> ShardResult:
    """Rows whose columns and types depend on the shard."""
    if shard.number % 2:
        return ShardResult(pl.DataFrame({"player_id": ["x"], "a": [0.5], "c": ["odd"]}))
    return ShardResult(
        pl.DataFrame({"player_id": ["y"], "b": [None], "a": [1]}, schema_overrides={"b": pl.Int64})
    )


def noticing(shard: Shard) -> ShardResult:
    """One notice that all shards have in common, and one of each."""
    both = [_problem("everywhere"), _problem(f"shard {shard.number}")]
    return ShardResult(pl.DataFrame({"n": [1]}), both)


def refusing(shard: Shard) -> ShardResult:
    """A problem of each shard."""
    raise FactsRejected([_problem("shard", shard.number + 1)])


def uncovered(shard: Shard) -> ShardResult:
    """What a regulation says to a day that it does not cover."""
    raise NotCovered("no rule holds")


def dying(shard: Shard) -> ShardResult:
    """A process that the system ends, as it does where memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)
    return ShardResult(pl.DataFrame())


def sleeping(shard: Shard) -> ShardResult:
    """Work that takes longer than anybody waits."""
    time.sleep(60)
    return ShardResult(pl.DataFrame({"n": [1]}))


def added(rows: pl.DataFrame) -> pl.DataFrame:
    """Each player's ranks added up."""
    return rows.group_by("player_id").agg(
        pl.col("rank").sum(), pl.len().cast(pl.Int64).alias("rows")
    )


def pairs(rows: pl.DataFrame) -> pl.DataFrame:
    """Matches of teams as they stand."""
    return rows.select("match_id", "home")


def _problem(file: str, line: int = 0) -> Problem:
    return Problem(at=Location(file, line), what="it is so", clause="test", remedy="Leave it.")
