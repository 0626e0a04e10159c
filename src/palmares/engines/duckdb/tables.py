"""
What lies at some paths as DuckDB sees it: views whose rows know their file and row.

What is no package of Parquet (reports, CSV) is read and checked in process, and written as one; its
rows keep the file and line they came from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from palmares.core.errors import FactsRejected, Problem
from palmares.engines.duckdb.sql import NUMBER, ROW, Sql, quoted
from palmares.engines.shards import SHARD, Inputs
from palmares.facts.cells import missing_columns
from palmares.facts.packages import TableFile, located, read_parts
from palmares.facts.schema import FILE, LINE, REPORT_TABLES, SHARED_TABLES

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
