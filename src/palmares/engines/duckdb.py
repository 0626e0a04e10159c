"""
The engine for Parquet larger than memory, on this machine: DuckDB and some processes.

DuckDB counts rows by day and writes every table once, by shard, into a temporary folder. Each
process then takes a shard at a time, checks it, works on it and writes what it gives. Between the
steps rows are files, so that neither memory nor the number of rows is in the way of the other.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from types import ModuleType
from typing import Any, Literal, NamedTuple

import polars as pl

from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.core.extras import needs
from palmares.core.progress import Advance, task
from palmares.core.threads import cores
from palmares.engines import EngineSettings, PlayerWork, ShardWork
from palmares.engines.shards import (
    SHARD,
    Inputs,
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
from palmares.facts.cells import missing_columns
from palmares.facts.packages import (
    TableFile,
    is_address,
    located,
    memory_here,
    memory_of,
    no_pattern,
    read_parts,
)
from palmares.facts.schema import FILE, LINE, REPORT_TABLES, SHARED_TABLES

QUICK: Literal["lz4"] = "lz4"
"""How temporary files are packed: written and read in less time than Parquet's usual snappy."""
NUMBER, ROW = "_n", "_at"
"""The number of a row's file, and the row in it from 0."""

_MIB = 2**20
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_HERE = 350 * _MIB  # this process without DuckDB's memory, and small tables
_WORKER = 250 * _MIB  # a worker before it has read anything
_ROW = 1_000  # bytes that a worker needs for each row of a shard; measured: 600
_LEAST = 10_000  # rows of a shard, however little memory there is
_SHARE = 0.6  # of the machine's memory, by default


class Resources(NamedTuple):
    """How memory and processors are shared out."""

    duckdb: int  # bytes
    workers: int
    threads: int  # of each worker
    rows: int  # of a shard


def limits(settings: EngineSettings) -> Resources:
    """Share out what there is. DuckDB never works at the same time as the workers."""
    processors = cores()
    memory = _bytes(settings.memory) if settings.memory else int(memory_here() * _SHARE)
    workers = max(1, settings.workers or processors)
    for_rows = (memory - _HERE) // workers - _WORKER
    rows = max(_LEAST, min(settings.rows_per_shard, for_rows // _ROW))
    rows = min(rows, settings.rows_per_shard)
    return Resources(
        duckdb=max(int((memory - _HERE) * 0.75), 128 * _MIB),
        workers=workers,
        threads=max(1, processors // workers),
        rows=rows,
    )


def _bytes(text: str) -> int:
    """``4GB``, ``4 GiB``, ``800MB`` in bytes."""
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(i?)B?\s*", text, re.IGNORECASE)
    if not match or not float(match[1]):
        raise Refused(f"'{text}' is not an amount of memory. Write 4GB, for example.")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def quoted(name: str) -> str:
    """A column's name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


class Sql:
    """DuckDB in memory, spilling into a folder."""

    def __init__(self, limit: Resources, scratch: Path) -> None:
        import duckdb

        self._duckdb, self._scratch = duckdb, scratch
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{limit.duckdb // _MIB}MiB",
            "threads": limit.workers * limit.threads,
            "temp_directory": str(scratch / "spill"),
            "autoinstall_known_extensions": False,  # nothing is fetched behind anybody's back
            "autoload_known_extensions": False,
            "preserve_insertion_order": False,
        }
        self._connection = duckdb.connect(config=config)
        self._connection.execute("SET enable_progress_bar = false")  # a notebook would get one

    def reach_out(self) -> None:
        """Make ready to read what lies in an object store.

        Raises:
            Refused: DuckDB has not got what it needs for that.
        """
        try:
            self._connection.execute("LOAD httpfs")
        except self._duckdb.Error as error:
            raise Refused(
                "DuckDB reads from object stores with its extension httpfs, which is not installed"
                ' here and is not fetched unasked. Install it once: python -c "import duckdb;'
                " duckdb.sql('INSTALL httpfs')\"; or use the engine inprocess."
            ) from error

    def close(self) -> None:
        """Release its memory."""
        self._connection.close()

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        try:
            yield
        except (RuntimeError, self._duckdb.InterruptException) as error:
            if "interrupted" in str(error).lower():  # what DuckDB makes of Ctrl-C
                raise KeyboardInterrupt from error
            raise
        except self._duckdb.OutOfMemoryException as error:
            raise Refused(
                "DuckDB has too little memory, or no more room for temporary files "
                f"({_first_line(error)}). Give it more of the one or the other."
            ) from error
        except self._duckdb.Error as error:
            problem = Problem(
                at=Location("DuckDB"),
                what=f"a file cannot be read or written ({_first_line(error)})",
                clause="facts package",
                remedy="Get the file again, or make room on the disk if it was written.",
            )
            raise DuckdbFailed([problem]) from error

    def run(self, query: str) -> Any:
        """Run a query."""
        with self._plainly():
            return self._connection.execute(query)

    def rows(self, query: str) -> list[Any]:
        """The rows of a small answer."""
        with self._plainly():
            return self._connection.execute(query).fetchall()

    def columns(self, relation: str) -> list[str]:
        """The names of a relation's columns."""
        return [row[0] for row in self.rows(f"DESCRIBE SELECT * FROM {relation}")]

    def parquet(self, paths: Sequence[str | Path], *, folders: bool = False) -> str:
        """Parquet files as a relation; names of folders such as ``year=2019`` may be columns."""
        names = ", ".join(literal(no_pattern(str(path))) for path in paths)
        hive = f"hive_partitioning = {folders}, hive_types_autocast = false"
        return f"read_parquet([{names}], union_by_name = true, {hive})"

    def keep(self, name: str, query: str) -> None:
        """Compute an answer once, and call it a table of that name."""
        self.run(f"CREATE TEMP TABLE {name} AS {query}")

    def load(self, name: str, frame: pl.DataFrame) -> None:
        """A frame as a table; through a file, as DuckDB and Polars share no other form here."""
        path = self._scratch / f"{name}.parquet"
        frame.write_parquet(path)
        self.keep(name, f"SELECT * FROM {self.parquet([path])}")

    def write(self, query: str, path: Path) -> None:
        """The rows of an answer, in its order, as one Parquet file."""
        self.run("SET preserve_insertion_order = true")
        self.run(f"COPY ({query}) TO {literal(str(path))} (FORMAT parquet)")

    def partition(self, query: str, folder: Path, by: str) -> None:
        """The rows of an answer as Parquet files in folders by the values of a column."""
        self.run(
            f"COPY ({query}) TO {literal(str(folder))}"
            f" (FORMAT parquet, COMPRESSION {QUICK}, PARTITION_BY ({quoted(by)}))"
        )


class DuckdbFailed(FactsRejected):
    """DuckDB cannot read or write a file; which one, it may not say."""


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]


# ── what lies at some paths ───────────────────────────────────────────────────────────────────────

_ROOM = 2**32  # more than rows in a file: a file's number and a row go into one whole number


class ParquetPackage(NamedTuple):
    """One package of Parquet."""

    tables: Mapping[str, Sequence[TableFile]]
    located: bool = False  # its rows have columns that say their file and line


def parquet_packages(given: Inputs, scratch: Path) -> list[ParquetPackage]:
    """The packages of Parquet; what is none is written as one."""
    packages = [ParquetPackage(located(path)) for path in given.packages]
    if given.others is not None:
        written = {
            name: [TableFile(str(scratch / f"read-{name}.parquet"))] for name in given.others
        }
        for name, (part,) in written.items():
            given.others[name].write_parquet(part.path)
        packages.append(ParquetPackage(written, located=True))
    return packages


def shared_frames(packages: Sequence[ParquetPackage]) -> Iterator[dict[str, pl.DataFrame]]:
    """The raw frames of the tables that no tournament owns, package by package.

    Raises:
        FactsRejected: one of them cannot be read.
    """
    for package in packages:
        frames = {}
        for name in SHARED_TABLES:
            if parts := package.tables.get(name):
                sheet = read_parts(parts, placed=package.located)
                if sheet.problems:
                    raise FactsRejected(sheet.problems)
                if sheet.frame is not None:
                    frames[name] = sheet.frame
        yield frames


@contextmanager
def naming_damaged_files(sql: Sql, packages: Sequence[ParquetPackage]) -> Iterator[None]:
    """Within it, if DuckDB fails, every file that it cannot read to its end is named."""
    try:
        yield
    except DuckdbFailed as failed:
        problems = []
        for path in [part.path for each in packages for of in each.tables.values() for part in of]:
            try:
                sql.rows(f"SELECT max(hash(COLUMNS(*))) FROM {sql.parquet([path])}")
            except DuckdbFailed as error:
                problems += [replace(each, at=Location(path)) for each in error.problems]
        raise FactsRejected(problems or failed.problems) from failed


def views(sql: Sql, packages: Sequence[ParquetPackage]) -> tuple[Mapping[str, str], Sequence[str]]:
    """Make a view of each table, with two columns more: the number of the file, the row in it.

    Returns:
        Where each table lies, and the files by number, as the user named them.

    Raises:
        FactsRejected: a file cannot be read, or has not the columns it must have.
    """
    places: dict[str, str] = {}
    files: list[str] = []
    problems: list[Problem] = []
    for name in REPORT_TABLES:
        first, selects = len(files), []
        for package in packages:
            if parts := package.tables.get(name):
                selects.append(_select(sql, package, parts, len(files)))
                files += [part.path for part in parts]
        if selects:
            places[name] = files[first]
            sql.run(f"CREATE TEMP VIEW {name} AS {' UNION ALL BY NAME '.join(selects)}")
            problems += missing_columns(name, sql.columns(name), files[first])
    if problems:
        raise FactsRejected(problems)
    return places, files


def _select(sql: Sql, package: ParquetPackage, parts: Sequence[TableFile], first: int) -> str:
    """One package's rows of a table; values in the names of folders become columns."""
    paths = [part.path for part in parts]
    relation = sql.parquet(paths, folders=any(part.folder_values for part in parts))
    try:
        names = sql.columns(relation)
    except FactsRejected:
        for path in paths:
            if not is_address(path):
                memory_of(path)  # says which file it is, as in process
        raise
    columns = [quoted(column) for column in names if package.located or column not in (FILE, LINE)]
    return (
        f"SELECT {', '.join(columns)}, CAST(file_index + {first} AS UINTEGER) AS {NUMBER}, "
        f"CAST(file_row_number AS UINTEGER) AS {ROW} FROM {relation}"
    )


def read_shard(folder: Path, number: int, files: Sequence[str]) -> pl.DataFrame | None:
    """The rows of one shard of one table in their order, with the file and line they came from."""
    written = sorted((folder / f"{SHARD}={number}").glob("*.parquet"))
    if not written:
        return None
    rows = pl.read_parquet(written, hive_partitioning=False)
    place = rows[NUMBER].cast(pl.UInt64) * _ROOM + rows[ROW]
    if not place.is_sorted():  # of each thread that wrote them, they are
        rows = rows[place.arg_sort()]
    file = pl.Series(files, dtype=pl.String).gather(rows[NUMBER]).alias(FILE)
    line = (rows[ROW] + 1).cast(pl.UInt32).alias(LINE)
    if FILE in rows.columns:  # a report's row knows better
        file = rows[FILE].fill_null(file)
        line = rows[LINE].cast(pl.UInt32).fill_null(line)
    return rows.drop(NUMBER, ROW, FILE, LINE, strict=False).with_columns(file, line)


# ── the engine ───────────────────────────────────────────────────────────────────────────────────


class Files(NamedTuple):
    """Rows as Parquet files, one below the other; the files may have more columns."""

    paths: tuple[Path, ...]
    schema: pl.Schema


def start(paths: Sequence[str], settings: EngineSettings) -> OutOfCore:
    """The engine on facts at some paths."""
    needs("duckdb", "The engine duckdb")
    return OutOfCore(paths, settings)


class OutOfCore(ShardedFacts):
    """The engine on facts at some paths, by way of temporary files."""

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
            with naming_damaged_files(sql, packages):
                places, files = views(sql, packages)
                shards = place_in_shards(sql, places, self._limits.rows)
                step()
                for name in places:
                    sql.partition(in_shards(name, name), folder / name, SHARD)
                step()
        self.people.write_parquet(folder / "people.parquet")
        for name in SHARED_TABLES:
            shared[name].write_parquet(folder / f"{name}.parquet")
        self._shard_files = ShardFiles(folder, tuple(places), tuple(files), shards)

    def _step(self, what: str) -> Path:
        self._steps += 1
        folder = self._scratch / f"{self._steps:02}-{what}"
        folder.mkdir()
        return folder

    # ── shards and players ───────────────────────────────────────────────────────────────────────

    def by_tournament(self, work: ShardWork, schema: pl.Schema | None = None) -> Files:
        """Every shard through *work*; the rows in the order of shards."""
        shard_files = self._shard_files
        folder = self._step("rows")
        numbers = range(max(shard_files.shards, 1))  # without tournaments there is one, empty shard
        jobs = [(work, shard_files, number, folder / f"{number:06}.parquet") for number in numbers]
        done = self._each(shard_job, jobs, "shards")
        if problems := [problem for each in done for problem in each.problems]:
            raise FactsRejected(sorted(problems))
        self._of_work = [notice for each in done for notice in each.notices]
        return _files(done, schema)

    def by_player(self, rows: Files, work: PlayerWork, schema: pl.Schema) -> Files:
        """All rows of a player together through *work*; in no order."""
        folder = self._step("players")
        sizes = [pl.scan_parquet(path).select(pl.len()).collect().item() for path in rows.paths]
        parts = -(-sum(sizes) // self._limits.rows)
        groups = [rows.paths]
        if parts > 1:
            with self._sql() as sql:
                query = (
                    f"SELECT *, hash(player_id) % {parts} AS _part FROM {sql.parquet(rows.paths)}"
                )
                sql.partition(query, folder / "parts", "_part")
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

    def select(self, rows: Files, columns: Sequence[str], order: Sequence[str] = ()) -> Files:
        """These columns of the rows; with an order, as one sorted file.

        ``player`` is taken from the players.
        """
        kinds = {**rows.schema, "player": pl.String()}
        schema = pl.Schema({column: kinds[column] for column in columns})
        if not order:
            return Files(rows.paths, schema)
        target = self._step("sorted") / "0.parquet"
        names = ["p.player" if name == "player" else f"r.{quoted(name)}" for name in columns]
        by = ", ".join(f"r.{quoted(name)} ASC NULLS FIRST" for name in order)
        with self._sql() as sql:
            tables = f"{sql.parquet(rows.paths)} r"
            if "player" in columns:
                people = sql.parquet([self._shard_files.folder / "people.parquet"])
                tables += f" LEFT JOIN {people} p ON p.player_id = r.player_id"
            sql.write(f"SELECT {', '.join(names)} FROM {tables} ORDER BY {by}", target)
        return Files((target,), schema)

    def collect(self, rows: Files) -> pl.DataFrame:
        """The rows as one frame in this process."""
        return read_rows(rows.paths, rows.schema)

    def write(self, rows: Files, path: str, partition_by: Sequence[str] = ()) -> None:
        """The rows as Parquet, whole or not at all; in an object store, file by file."""
        columns = pl.scan_parquet([*rows.paths]).select(rows.schema.names())
        write_parquet(columns, path, partition_by)

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


class ShardFiles(NamedTuple):
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


def shard_job(work: ShardWork, shard_files: ShardFiles, number: int, target: Path) -> Done:
    """One shard through a function; its rows into a file."""
    frames = {
        name: read_shard(shard_files.folder / name, number, shard_files.files)
        for name in shard_files.tables
    }
    there = {name: frame for name, frame in frames.items() if frame is not None}
    try:
        result = work_on_shard(work, number, there, _shared(shard_files.folder))
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
    return fitted(pl.concat(frames, how="diagonal_relaxed"), schema)


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
