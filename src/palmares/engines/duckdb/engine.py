"""
The engine for Parquet larger than memory, on this machine: DuckDB and some processes.

DuckDB counts rows by day and writes every table once, by shard, into a temporary folder. Each
process then takes a shard at a time, checks it, works on it and writes what it gives. Between the
steps rows are files, so that neither memory nor the number of rows is in the way of the other.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from types import ModuleType
from typing import Any, NamedTuple

import polars as pl

from palmares.core.errors import FactsRejected, Problem, Refused
from palmares.core.files import atomic_path
from palmares.core.progress import Advance, task
from palmares.engines import EngineSettings, PlayerWork, ShardWork
from palmares.engines.duckdb.sql import (
    QUICK,
    Resources,
    Sql,
    limits,
    parquet_packages,
    quoted,
    read_shard,
    shared_frames,
    views,
)
from palmares.engines.shards import (
    SHARD,
    ShardedFacts,
    fitted,
    in_shards,
    inputs,
    merged_schema,
    place_in_shards,
    work_on_shard,
    write_parquet,
)
from palmares.facts import Facts
from palmares.facts.packages import is_address
from palmares.facts.schema import SHARED_TABLES


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Rows as Parquet files, one below the other; sorted and named on their way out."""

    paths: tuple[Path, ...]
    schema: pl.Schema
    order: tuple[str, ...] = ()
    with_names: bool = False  # the column player is taken from the table of players

    def rows(self) -> int:
        """How many rows they have."""
        return sum(pl.scan_parquet(path).select(pl.len()).collect().item() for path in self.paths)


def start(paths: Sequence[str], settings: EngineSettings) -> OutOfCore:
    """The engine on facts at some paths."""
    return OutOfCore(paths, settings)


class OutOfCore(ShardedFacts):
    """Works on facts by way of temporary files."""

    def __init__(self, paths: Sequence[str], settings: EngineSettings) -> None:
        super().__init__()
        self._settings = settings
        self._limits: Resources = limits(settings)
        self._folder = _temporary(settings.scratch)
        self._scratch = Path(self._folder.name)
        self._steps = 0
        try:
            self._prepare(paths)
        except OSError as error:
            self.close()
            raise unwritten(error) from error
        except BaseException:
            self.close()
            raise

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    def _prepare(self, paths: Sequence[str]) -> None:
        """Find what there is, check what no tournament owns, cut the rest into shards."""
        given = inputs(paths, self._settings.encoding)
        packages = parquet_packages(given, self._scratch)
        shared = self.take_shared(shared_frames(packages), given.notices)
        folder = self._step("shards")
        with self._sql() as sql, task("tables cut into shards") as step:
            if any(is_address(path) for path in paths):
                sql.reach_out()
            tables = views(sql, packages)
            shards = place_in_shards(sql, tables.places, self._limits.rows)
            step()
            for name in tables.places:
                sql.partition(in_shards(name, name), folder / name, SHARD, codec=QUICK)
            step()
        self.people.write_parquet(folder / "people.parquet")
        for name in SHARED_TABLES:
            shared[name].write_parquet(folder / f"{name}.parquet")
        self._cut = Cut(folder, tuple(tables.places), tuple(tables.files), shards)

    def _step(self, what: str) -> Path:
        self._steps += 1
        folder = self._scratch / f"{self._steps:02}-{what}"
        folder.mkdir()
        return folder

    # ── shards and players ───────────────────────────────────────────────────────────────────────

    def by_tournament(self, work: ShardWork, schema: pl.Schema | None = None) -> Files:
        """Every shard through *work*; the rows in the order of shards."""
        cut = self._cut
        folder = self._step("rows")
        numbers = range(max(cut.shards, 1))  # without tournaments there is one, empty shard
        jobs = [(work, cut, number, folder / f"{number:06}.parquet") for number in numbers]
        done = self._each(shard_job, jobs, "shards")
        if problems := [problem for each in done for problem in each.problems]:
            raise FactsRejected(sorted(problems))
        self._of_work = [notice for each in done for notice in each.notices]
        return _files(done, schema)

    def by_player(self, rows: Files, work: PlayerWork, schema: pl.Schema) -> Files:
        """All rows of a player together through *work*; in no order."""
        folder = self._step("players")
        parts = -(-rows.rows() // self._limits.rows)
        groups = [rows.paths]
        if parts > 1:
            with self._sql() as sql:
                query = (
                    f"SELECT *, hash(player_id) % {parts} AS _part FROM {sql.parquet(rows.paths)}"
                )
                sql.partition(query, folder / "parts", "_part", codec=QUICK)
            parted = sorted((folder / "parts").iterdir())
            groups = [tuple(sorted(path.glob("*.parquet"))) for path in parted]
        jobs = [
            (work, paths, schema, rows.schema, folder / f"{number:06}.parquet")
            for number, paths in enumerate(groups)
        ]
        return _files(self._each(rows_job, jobs, "players' rows"), schema)

    def _each(
        self, job: Callable[..., Done], jobs: Sequence[tuple[object, ...]], what: str
    ) -> list[Done]:
        """Run every job; in this process if there is only one job or one process."""
        alone = len(jobs) == 1 or self._limits.workers == 1
        with task(what, len(jobs)) as step:
            if not alone:
                return each(job, jobs, self._limits.workers, self._limits.threads, step)
            answers = []
            for args in jobs:
                answers.append(job(*args))
                step()
        return answers

    def _sql(self) -> closing[Sql]:
        return closing(Sql(self._limits, self._scratch))

    # ── what comes out ───────────────────────────────────────────────────────────────────────────

    def laid_out(self, rows: Files, columns: Sequence[str], order: Sequence[str] = ()) -> Files:
        """These columns of the rows, sorted; ``player`` is taken from the players."""
        kinds = {**rows.schema, "player": pl.String()}
        return replace(
            rows,
            schema=pl.Schema({column: kinds[column] for column in columns}),
            order=tuple(order) or rows.order,
            with_names=rows.with_names or "player" in columns,
        )

    def _settled(self, rows: Files, *, always: bool = False) -> Files:
        """The rows as one file, sorted and with names."""
        if not rows.paths or not (rows.order or rows.with_names or always):
            return rows
        target = self._step("settled") / "0.parquet"
        with self._sql() as sql:
            sql.write(self._query(sql, rows), target)
        return Files(paths=(target,), schema=rows.schema)

    def _query(self, sql: Sql, rows: Files) -> str:
        columns = [f"r.{quoted(each)}" for each in rows.schema]
        tables = f"{sql.parquet(rows.paths)} r"
        if rows.with_names:
            columns[rows.schema.names().index("player")] = "p.player"
            people = sql.parquet([self._cut.folder / "people.parquet"])
            tables += f" LEFT JOIN {people} p ON p.player_id = r.player_id"
        order = ", ".join(f"r.{quoted(each)} ASC NULLS FIRST" for each in rows.order)
        sort = f" ORDER BY {order}" if order else ""
        return f"SELECT {', '.join(columns)} FROM {tables}{sort}"

    def collect(self, rows: Files) -> pl.DataFrame:
        """The rows as one frame in this process."""
        return read_rows(self._settled(rows).paths, rows.schema)

    def write(self, rows: Files, path: str, partition_by: Sequence[str] = ()) -> None:
        """The rows as Parquet, whole or not at all; in an object store, file by file."""
        if is_address(path):
            settled = self._settled(rows, always=True)
            write_parquet(
                pl.scan_parquet(list(settled.paths), schema=rows.schema), path, partition_by
            )
            return
        try:
            with atomic_path(Path(path)) as draft, self._sql() as sql:
                if not rows.paths:
                    self.collect(rows).write_parquet(draft)
                elif partition_by:
                    sql.partition(self._query(sql, rows), draft, *partition_by)
                else:
                    sql.write(self._query(sql, rows), draft)
        except FactsRejected as error:
            raise Refused(f"{path} cannot be written: {error.problems[0].what}.") from error
        except OSError as error:
            raise Refused(f"{path} cannot be written: {error.strerror or error}.") from error

    def close(self) -> None:
        """Remove every temporary file."""
        self._folder.cleanup()


def _temporary(scratch: str | None) -> TemporaryDirectory[str]:
    try:
        return TemporaryDirectory(prefix="palmares-", dir=scratch, ignore_cleanup_errors=True)
    except OSError as error:
        raise Refused(
            f"No temporary files can be written in {scratch}: {error.strerror or error}."
        ) from error


def _files(done: Sequence[Done], schema: pl.Schema | None) -> Files:
    schema = schema or merged_schema(each.schema for each in done if each.schema is not None)
    return Files(paths=tuple(each.path for each in done if each.path), schema=schema)


# ── what a worker does: a shard, or the rows of some players ──────────────────────────────────────


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
