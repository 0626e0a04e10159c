"""
The same question over shards: DuckDB or Spark.

Bulk work has two groupings only: by tournament (points) and by player (sums, folds). A shard holds
every tournament that ended on a range of days, with all its rows of every table, so that shards in
their order are in the order of time. What is done with a shard is a plain function, the same for
every engine (`palmares.engines.queries`); so is what is done with the rows of a player.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import polars as pl
from msgspec import Struct

from palmares.core.errors import Problem, Refused
from palmares.facts import Facts

ROWS_PER_SHARD = 1_000_000

Rows = Any
"""Rows that an engine holds, each engine in a form of its own; all have a ``schema``."""


class Shard(NamedTuple):
    """Checked facts of all tournaments that ended on a range of days."""

    number: int  # from 0, in the order of time
    facts: Facts


class ShardResult(NamedTuple):
    """What the work on a shard gave: rows, and what a person should know."""

    rows: pl.DataFrame
    notices: Sequence[Problem] = ()


ShardWork = Callable[[Shard], ShardResult]
"""What is done with one shard. It may raise `FactsRejected`; the engine gathers the problems."""

PlayerWork = Callable[[pl.DataFrame], pl.DataFrame]
"""What is done with the rows of some players, all rows of each of them at once."""


class Engine(Protocol):
    """Reads facts, cuts them into shards, and carries rows to the kernels and back.

    Functions handed to it are module-level functions or partials of them: they may have to travel
    to another machine. A schema is given wherever the columns of the rows are known beforehand; it
    is none where a shard's work decides (the terms of awards), and the rows then have the columns
    of all shards, in the order in which shards first have them.
    """

    people: pl.DataFrame
    """The players as they may be shown: `palmares.points.award_table.public_players`."""

    def by_tournament(self, work: ShardWork, schema: pl.Schema | None = None) -> Rows:
        """Every shard through *work*; the rows in the order of shards.

        Raises:
            FactsRejected: with every problem of every shard, and of ids used twice.
        """

    def by_player(self, rows: Rows, work: PlayerWork, schema: pl.Schema) -> Rows:
        """All rows of a player (column ``player_id``) together through *work*; in no order."""

    def select(self, rows: Rows, columns: Sequence[str], order: Sequence[str] = ()) -> Rows:
        """These columns of the rows, sorted by *order* if it is given: ascending, nulls first.

        ``player`` is taken from ``people`` by ``player_id``.
        """

    def collect(self, rows: Rows) -> pl.DataFrame:
        """The rows as one frame in this process."""

    def write(self, rows: Rows, path: str, partition_by: Sequence[str] = ()) -> None:
        """The rows as Parquet: a file, or a folder with one file or more for each partition."""

    def notices(self) -> tuple[Problem, ...]:
        """What reading and the latest work by tournament had to say.

        The same for every engine: `palmares.formats.load.first_notices`.
        """

    def close(self) -> None:
        """Release temporary files, processes, a session."""


class EngineSettings(Struct, frozen=True, kw_only=True):
    """How an engine is to run."""

    rows_per_shard: int = ROWS_PER_SHARD
    memory: str | None = None  #: of DuckDB and its workers, as "4GB"; most of the machine's if None
    workers: int | None = None  #: processes; one for each core if None
    scratch: str | None = None  #: where temporary files go; the system's place if None
    master: str | None = None  #: of Spark; what is configured, or else local[*], if None
    encoding: str | None = None  #: of text files that are not UTF-8


ENGINES = {
    "duckdb": ("palmares.engines.duckdb", "Parquet larger than memory, on this machine"),
    "spark": ("palmares.engines.spark.engine", "Parquet on a Spark cluster"),
}
"""Every engine by name: its module, with a function ``start``, and what it is for."""


def engine(name: str, paths: Sequence[str], settings: EngineSettings | None = None) -> Engine:
    """The engine of that name on the facts at some paths; close it after use.

    Raises:
        Refused: there is no such engine, or a library that it needs is not installed.
    """
    if name not in ENGINES:
        raise Refused(f"There is no engine {name}. There are: {', '.join(ENGINES)}.")
    started: Engine = import_module(ENGINES[name][0]).start(
        tuple(paths), settings or EngineSettings()
    )
    return started
