"""
Tables of facts as Spark reads them.

    Table       one table of one source: its rows, where they are from, what it is called
    tables      paths  ->  tables

A package of Parquet files is read where it lies, by Spark. Reports, and packages of CSV files, are
read and checked in this process first; their rows then travel like all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from palmares.core.errors import Problem, rejected
from palmares.engines.spark.files import Hadoop
from palmares.facts import TABLES
from palmares.facts.cells import missing_columns
from palmares.facts.schema import FILE, LINE
from palmares.formats.load import beside_package, gathered

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table of one source."""

    source: int
    name: str
    rows: DataFrame  # the columns we know, and _line; _file where there are several
    unknown: tuple[str, ...] = ()  # columns we do not know
    file: str | None = None  # of all rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What was found at the paths."""

    tables: tuple[Table, ...]
    problems: tuple[Problem, ...] = ()
    notices: tuple[Problem, ...] = ()


def tables(spark: SparkSession, paths: Sequence[str], encoding: str | None) -> Read:
    """Every table of facts at some paths.

    Raises:
        FactsRejected: a path holds no facts; or, of what is read in this process, every problem.
    """
    files = Hadoop(spark)
    found: list[Table] = []
    problems: list[Problem] = []
    notices: list[Problem] = []
    others = []
    for source, path in enumerate(paths):
        places = _parquet(files, path)
        if not places:
            others.append(path)
        elif "://" not in path:
            notices += beside_package(Path(path))
        for name, place in places.items():
            table = _table(files, source, name, place)
            found.append(table)
            problems += _headless(table)
    if not others:
        return Read(tables=tuple(found), problems=tuple(problems), notices=tuple(notices))
    facts = gathered(*others, encoding=encoding)
    found += [
        Table(source=len(paths), name=name, rows=_from_here(spark, facts[name])) for name in facts
    ]
    notices += facts.notices
    return Read(tables=tuple(found), problems=tuple(problems), notices=tuple(notices))


def _parquet(files: Hadoop, path: str) -> dict[str, str]:
    """Where the tables of a package lie that is all of Parquet; none if it is anything else."""
    url = files.url(path)
    if not files.exists(url):
        raise rejected(path, "there is no such file or directory", "facts package",
                       "Check the path.")  # fmt: skip
    if not files.is_folder(url):
        return {}
    inside = files.inside(url)
    found = {
        name: f"{path.rstrip('/')}/{place}"
        for name in TABLES
        for place, folder in inside.items()
        if place == f"{name}.parquet" or (folder and place == name)
    }
    there = sum(one in inside for name in TABLES for one in (f"{name}.parquet", f"{name}.csv"))
    there += sum(inside.get(name, False) for name in TABLES)
    if there == len(found) and found:
        return found
    if "://" in path:
        raise rejected(path, "it is no package of Parquet files", "facts package",
                       "Name a folder with tournaments.parquet, events.parquet, ...")  # fmt: skip
    return {}


def _table(files: Hadoop, source: int, name: str, place: str) -> Table:
    """One table of a package: a file, or a folder of parts."""
    from pyspark.sql import functions as sql

    url = files.url(place)
    folder = files.is_folder(url)
    reader = files.spark.read
    if folder:
        reader = reader.option("pathGlobFilter", "*.parquet")
    rows = reader.parquet(files.plain(url))
    known = [one for one in rows.columns if one in TABLES[name]]
    unknown = tuple(one for one in rows.columns if one not in (*TABLES[name], FILE, LINE))
    columns = [sql.col(one) for one in known]
    columns.append((sql.col("_metadata.row_index") + 1).alias(LINE))
    if folder:
        last = place.rpartition("/")[2]
        within = sql.element_at(sql.split(sql.col("_metadata.file_path"), f"/{last}/"), -1)
        columns.append(sql.concat(sql.lit(f"{place}/"), within).alias(FILE))
    return Table(
        source=source,
        name=name,
        rows=rows.select(columns),
        unknown=unknown,
        file=None if folder else place,
    )


def _headless(table: Table) -> Iterator[Problem]:
    """Columns that a table without rows must have; of one with rows, its rows tell."""
    if all(one in table.rows.columns for one, column in TABLES[table.name].items()
           if column.required):  # fmt: skip
        return
    if table.rows.isEmpty():
        columns = [*table.rows.columns, *table.unknown]
        yield from missing_columns(table.name, columns, table.file or table.name)


def _from_here(spark: SparkSession, frame: pl.DataFrame) -> DataFrame:
    """A table that was read in this process; its file and line travel with it."""
    arrow = frame.cast({LINE: pl.Int64}).to_arrow(compat_level=pl.CompatLevel.oldest())
    return spark.createDataFrame(arrow)
