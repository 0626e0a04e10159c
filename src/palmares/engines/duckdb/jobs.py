"""What a worker of the out-of-core engine does: a shard, or the rows of some players."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import lru_cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any, NamedTuple

import polars as pl

from palmares.core.errors import FactsRejected, Problem, Refused
from palmares.core.progress import Advance
from palmares.engines import PlayerWork, ShardWork
from palmares.engines.duckdb.sql import QUICK
from palmares.engines.duckdb.tables import read_shard
from palmares.engines.shards import fitted, work_on_shard
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
        result = work_on_shard(work, number, there, _shared(cut.folder))
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
    rows = work(read_rows(paths, given)).select(schema.names()).cast(schema)
    _write(rows, target)
    return Done(target, rows.schema)


def read_rows(paths: Sequence[Path], schema: pl.Schema) -> pl.DataFrame:
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


# ── processes ─────────────────────────────────────────────────────────────────────────────────────


_THREADS = ("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS")


def each(
    job: Callable[..., Any],
    jobs: Sequence[tuple[Any, ...]],
    processes: int,
    threads: int,
    step: Advance,
) -> list[Any]:
    """What *job* gives for each set of arguments, in their order.

    Args:
        job: a function of a module.
        jobs: the arguments of each.
        processes: how many work at once; they start from nothing and end with this call.
        threads: of each of them.
        step: called after each.

    Raises:
        Refused: a process ended, most likely because memory ran out.
    """
    context = get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(processes, context, initializer=_ready, initargs=(reader,))
    answers = []
    try:
        with _inherited(threads):
            coming = pool.map(job, *zip(*jobs, strict=True))
        for answer in coming:
            answers.append(answer)
            step()
    except (BrokenProcessPool, MemoryError) as error:
        raise Refused(
            "A process that worked on the facts ended. Most likely the memory ran out: give it"
            " more, or let fewer processes work at once."
        ) from error
    finally:
        writer.close()  # on which they end, whatever they do
        reader.close()
        pool.shutdown(cancel_futures=True)
    return answers


@contextmanager
def _inherited(threads: int) -> Iterator[None]:
    """Within it, processes begin with so many threads, and Ctrl-C is for this one alone.

    Nor do they run the program that starts them, which may be a script without a guard: of a main
    module without a file, `multiprocessing` runs nothing.
    """
    main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    before = {name: os.environ.get(name) for name in _THREADS}
    masks = hasattr(signal, "pthread_sigmask")  # not on Windows
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masks else ()
    os.environ.update(dict.fromkeys(_THREADS, str(threads)))
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        for name, value in before.items():
            del os.environ[name]
            os.environ.update({} if value is None else {name: value})
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _ready(parent: Connection) -> None:
    """Begin in a new process: watch the one that started it."""
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Connection) -> None:
    """End when the other side of a pipe is closed, or its process is gone."""
    with suppress(EOFError, OSError):
        parent.recv()
    os._exit(1)
