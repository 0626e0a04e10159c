"""
Tables of facts as Spark reads them, and the rows of all of them as one.

A package of Parquet files is read where it lies, by Spark. Reports, and packages of CSV files, are
read and checked in this process first; their rows then travel like all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import polars as pl

from palmares.core.errors import FactsRejected, Problem, rejected
from palmares.engines.shards import SHARD, Inputs, in_shards
from palmares.engines.spark.session import exists, url_of
from palmares.engines.spark.workers import PART, TableLayout, frame_of, raw_rows
from palmares.facts import TABLES, Facts
from palmares.facts.cells import missing_columns
from palmares.facts.schema import FILE, LINE, REPORT_TABLES, SHARED_TABLES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkTable:
    """One table of one source."""

    source: int
    name: str
    rows: DataFrame  # the columns we know, and _line; _file where there are several
    unknown: tuple[str, ...] = ()  # columns we do not know
    file: str | None = None  # of all rows

    @property
    def part(self) -> TableLayout:
        """Its columns in shared ones: the first of a type, the second of a type, ..."""
        counts: Counter[str] = Counter()
        columns = []
        for column in self.rows.schema.fields:
            kind = "".join(x if x.isalnum() else "_" for x in column.dataType.simpleString())
            columns.append((column.name, f"{kind}_{counts[kind]}"))
            counts[kind] += 1
        return TableLayout(
            table=self.name, columns=tuple(columns), unknown=self.unknown, file=self.file
        )


def spark_tables(spark: SparkSession, given: Inputs) -> list[SparkTable]:
    """Every table of facts.

    Raises:
        FactsRejected: a package holds no facts.
    """
    sources: list[SparkTable] = []
    for source, path in enumerate(given.packages):
        places = _places(spark, path)
        if not places:
            raise rejected(
                path,
                "there is no package of Parquet files",
                "facts package",
                "Name a folder with tournaments.parquet, events.parquet, ...",
            )
        sources += [_table(spark, source, name, place) for name, place in places.items()]
    others = given.others or Facts()
    for name in others:
        rows = from_frame(spark, others[name].cast({LINE: pl.Int64}))
        sources.append(SparkTable(source=len(given.packages), name=name, rows=rows))
    return sources


def from_frame(spark: SparkSession, frame: pl.DataFrame) -> DataFrame:
    """A frame of this process in Spark."""
    return spark.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))


def _places(spark: SparkSession, path: str) -> dict[str, str]:
    folder = path.rstrip("/")
    return {
        name: place
        for name in TABLES
        for place in (f"{folder}/{name}", f"{folder}/{name}.parquet")
        if exists(spark, place)
    }


def _table(spark: SparkSession, source: int, name: str, place: str) -> SparkTable:
    """One table of a package: a file, or a folder of parts."""
    from pyspark.sql import functions as sql

    folder = exists(spark, place, folder=True)
    reader = spark.read.option("pathGlobFilter", "*.parquet") if folder else spark.read
    rows = reader.parquet(url_of(place))
    read = [column for column in rows.columns if column in TABLES[name]]
    unknown = tuple(column for column in rows.columns if column not in (*TABLES[name], FILE, LINE))
    columns = [sql.col(column) for column in read]
    columns.append((sql.col("_metadata.row_index") + 1).alias(LINE))
    if folder:
        last = place.rpartition("/")[2]
        within = sql.element_at(sql.split(sql.col("_metadata.file_path"), f"/{last}/"), -1)
        columns.append(sql.concat(sql.lit(f"{place}/"), within).alias(FILE))
    file = None if folder else place
    return SparkTable(
        source=source, name=name, rows=rows.select(columns), unknown=unknown, file=file
    )


def shared_frames(sources: Sequence[SparkTable]) -> list[Mapping[str, pl.DataFrame]]:
    """The raw frames of the tables that no tournament owns, source by source."""
    frames: dict[int, dict[str, pl.DataFrame]] = {}
    for table in sources:
        if table.name in SHARED_TABLES:
            names = {name: name for name in table.rows.columns}
            part = TableLayout(table.name, tuple(names.items()), table.unknown, table.file)
            frames.setdefault(table.source, {})[table.name] = raw_rows(
                frame_of(table.rows.toArrow()), part
            )
    return list(frames.values())


def id_views(sources: Sequence[SparkTable]) -> dict[str, str]:
    """A view of each table of reports with its ids and days; gives where each table lies.

    Raises:
        FactsRejected: a table has not the columns it must have.
    """
    from pyspark.sql import functions as sql

    places: dict[str, str] = {}
    problems: list[Problem] = []
    for name in REPORT_TABLES:
        parts = [table for table in sources if table.name == name]
        for part in parts:
            file = part.file or name
            places.setdefault(name, file)
            problems += missing_columns(name, [*part.rows.columns, *part.unknown], file)
        if problems or not parts:
            continue
        wanted = [x.name for x in TABLES[name].values() if x.required and x.kind in ("id", "date")]
        texts = [sql.col(column).cast("string") for column in wanted]
        rows = reduce(_below, (part.rows.select(texts) for part in parts))
        rows.createOrReplaceTempView(name)
    if problems:
        raise FactsRejected(problems)
    return places


def all_rows(
    spark: SparkSession, sources: Sequence[SparkTable]
) -> tuple[DataFrame, list[TableLayout]]:
    """The rows of all tables of reports as one, with the number of table and shard.

    Columns of one type share a place, so that a row is as wide as the widest table and no wider;
    a cell keeps the type it had in its file.
    """
    from pyspark.sql import functions as sql

    owned = [table for table in sources if table.name in REPORT_TABLES]
    parts = [table.part for table in owned]
    frames = []
    for number, (table, part) in enumerate(zip(owned, parts, strict=True)):
        view = f"part_{number}"
        table.rows.createOrReplaceTempView(view)
        columns: list[Any] = [sql.col(name).alias(shared) for name, shared in part.columns]
        rows = spark.sql(in_shards(table.name, view))
        frames.append(rows.select(sql.lit(number).alias(PART), SHARD, *columns))
    return reduce(_below, frames), parts


def _below(above: DataFrame, rows: DataFrame) -> DataFrame:
    return above.unionByName(rows, allowMissingColumns=True)
