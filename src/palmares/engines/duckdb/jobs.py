"""What a worker of the out-of-core engine does: a shard, or the rows of some players."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from palmares.core.errors import FactsRejected, Problem, Refused
from palmares.engines import PlayerWork, ShardWork
from palmares.engines.duckdb.sql import QUICK
from palmares.engines.duckdb.tables import read_shard
from palmares.engines.shards import fitted, worked
from palmares.facts import Facts
from palmares.facts.schema import SHARED_TABLES


class Cut(NamedTuple):
    """Where the shards lie."""

    folder: Path
    tables: tuple[str, ...]
    files: tuple[str, ...]  # by number, as the user named them
    shards: int


class Done(NamedTuple):
    """What a job came to; without rows if something is wrong."""

    path: Path | None = None  # of its rows
    schema: pl.Schema | None = None
    notices: Sequence[Problem] = ()
    problems: Sequence[Problem] = ()


def shard_job(work: ShardWork, cut: Cut, number: int, target: Path) -> Done:
    """One shard through a function; its rows into a file."""
    frames = {name: read_shard(cut.folder / name, number, cut.files) for name in cut.tables}
    there = {name: frame for name, frame in frames.items() if frame is not None}
    try:
        result = worked(work, number, there, _shared(cut.folder))
    except FactsRejected as rejected:
        return Done(problems=rejected.problems)
    _write(result.rows, target)
    return Done(target, result.rows.schema, result.notices)


@lru_cache(maxsize=1)
def _shared(folder: Path) -> Facts:
    """The ids of players, memberships and rates, read once."""
    tables = {name: pl.read_parquet(folder / f"{name}.parquet") for name in SHARED_TABLES}
    return Facts(tables)


def rows_job(
    work: PlayerWork, paths: Sequence[Path], schema: pl.Schema, given: pl.Schema, target: Path
) -> Done:
    """Rows of some files through a function; what it gives into a file."""
    rows = work(read(paths, given)).select(schema.names()).cast(schema)
    _write(rows, target)
    return Done(target, rows.schema)


def read(paths: Sequence[Path], schema: pl.Schema) -> pl.DataFrame:
    """Rows of some files, one below the other, with the columns and types of a schema."""
    frames = [pl.read_parquet(path, hive_partitioning=False, glob=False) for path in paths]
    rows = pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()
    return fitted(rows, schema)


def _write(rows: pl.DataFrame, target: Path) -> None:
    try:
        rows.write_parquet(target, compression=QUICK)
    except OSError as error:
        raise unwritten(error) from error


def unwritten(error: OSError) -> Refused:
    """What to do where a temporary file cannot be written."""
    return Refused(
        f"A temporary file cannot be written: {error.strerror or error}. Make room on the disk,"
        " or name another place for temporary files."
    )
