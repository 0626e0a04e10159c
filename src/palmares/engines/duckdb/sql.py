"""
DuckDB with limits: what it may take, where it may spill, its errors in plain words; what it reads.

What lies at some paths are views whose rows know their file and row. What is no package of Parquet
(reports, CSV) is read and checked in process, and written as one; its rows keep the file and line
they came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

import polars as pl

from palmares.core.errors import FactsRejected, Problem, Refused, rejected
from palmares.core.threads import cores
from palmares.engines import EngineSettings
from palmares.engines.shards import SHARD, Inputs
from palmares.facts.cells import missing_columns
from palmares.facts.packages import TableFile, located, memory_here, no_pattern, read_parts
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
        """Give back its memory."""
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
            raise rejected(
                "DuckDB",
                f"a file cannot be read or written ({_first_line(error)})",
                "facts package",
                "Get the file again if it was read; make room on the disk if it was written.",
            ) from error

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

    def partition(self, query: str, folder: Path, *by: str, codec: str = "snappy") -> None:
        """The rows of an answer as Parquet files in folders by the values of some columns."""
        columns = ", ".join(quoted(each) for each in by)
        self.run(
            f"COPY ({query}) TO {literal(str(folder))}"
            f" (FORMAT parquet, COMPRESSION {codec}, PARTITION_BY ({columns}))"
        )


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


class Views(NamedTuple):
    """The tables of reports, each a view of its own name."""

    places: Mapping[str, str]  # where each lies
    files: Sequence[str]  # by number, as the user named them


def views(sql: Sql, packages: Sequence[ParquetPackage]) -> Views:
    """Make a view of each table, with two columns more: the number of the file, the row in it.

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
    return Views(places, files)


def _select(sql: Sql, package: ParquetPackage, parts: Sequence[TableFile], first: int) -> str:
    """One package's rows of a table; values in the names of folders become columns."""
    paths = [part.path for part in parts]
    relation = sql.parquet(paths, folders=any(part.folder_values for part in parts))
    columns = [
        quoted(column)
        for column in sql.columns(relation)
        if package.located or column not in (FILE, LINE)
    ]
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
