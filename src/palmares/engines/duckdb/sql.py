"""DuckDB with limits: what it may take, where it may spill, and its errors in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

import polars as pl

from palmares.core.errors import Refused, rejected
from palmares.core.threads import cores
from palmares.engines import EngineSettings
from palmares.facts.packages import memory_here, no_pattern

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
