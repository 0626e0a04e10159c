"""
What a worker of the out-of-core engine does: a shard, or the rows of some players.

    Cut         where the shards lie
    Done        what a job came to: where its rows are, what there is to say
    shard_job   one shard through a function
    rows_job    rows of some files through a function
    unwritten   what to do where a temporary file cannot be written
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from palmares.core.errors import Problem, Refused
from palmares.engines import PlayerWork, ShardWork
from palmares.engines.duckdb.tables import placed, shard_files
from palmares.engines.shards import worked
from palmares.facts import Facts


class Cut(NamedTuple):
    """Where the shards lie."""

    folder: Path
    tables: tuple[str, ...]
    files: tuple[str, ...]  # by number, as the user named them
    beside: tuple[str, ...]  # tables of which all shards have a part, one file each
    shards: int


class Done(NamedTuple):
    """What a job came to."""

    path: Path | None  # of its rows
    schema: pl.Schema | None
    notices: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()


def shard_job(work: ShardWork, cut: Cut, number: int, target: Path) -> Done:
    """One shard through a function; its rows into a file."""
    frames = {}
    for name in cut.tables:
        if found := shard_files(cut.folder / name, number):
            frames[name] = placed(pl.read_parquet(found, hive_partitioning=False), cut.files)
    outcome = worked(work, number, frames, _beside(cut))
    if outcome.rows is None:
        return Done(None, None, outcome.notices, outcome.problems)
    _write(outcome.rows, target)
    return Done(target, outcome.rows.schema, outcome.notices)


@lru_cache(maxsize=1)
def _beside(cut: Cut) -> Facts:
    """Memberships and rates, read once."""
    tables = {one: pl.read_parquet(cut.folder / f"{one}.parquet") for one in cut.beside}
    return Facts(tables)


def rows_job(
    work: PlayerWork, paths: Sequence[Path], schema: pl.Schema, given: pl.Schema, target: Path
) -> Done:
    """Rows of some files through a function; what it gives into a file."""
    found = work(read(paths, given)).select(schema.names()).cast(schema)
    _write(found, target)
    return Done(target, found.schema)


def read(paths: Sequence[Path], schema: pl.Schema | None) -> pl.DataFrame:
    """Rows of some files, one below the other, with the columns and types of a schema."""
    frames = [pl.read_parquet(one, hive_partitioning=False, glob=False) for one in paths]
    found = pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame(schema=schema)
    if schema is None:
        return found
    return found.select(
        pl.col(name).cast(kind) if name in found.columns else pl.lit(None, kind).alias(name)
        for name, kind in schema.items()
    )


def _write(rows: pl.DataFrame, target: Path) -> None:
    try:
        rows.write_parquet(target, compression="lz4")
    except OSError as error:
        raise unwritten(error) from error


def unwritten(error: OSError) -> Refused:
    """What to do where a temporary file cannot be written."""
    return Refused(
        f"A temporary file cannot be written: {error.strerror or error}. Make room on the disk,"
        " or name another place for temporary files."
    )
