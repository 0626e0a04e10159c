"""
Which shard every row is in: counts and joins, and nothing else.

    Routes      tables  ->  the day of every id that leads to a tournament, and rows by day
    routes      counts rows by id, joins ids with days: tournament, event, match
    together    tables, stretches of days  ->  the rows of all tables as one, with their shards
    twice       ids of matches that are there twice
    lost        rows that lead to no tournament, or whose ids are there twice
    of_players  rows that name some players
    like        ids that there are, of which one may have been meant

An id leads to a day if one row of its table has it. If two have it, or none, all its rows are lost:
they are in no shard, and `palmares.engines.shards.nowhere` says what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial, reduce
from typing import TYPE_CHECKING

import polars as pl

from palmares.engines.shards import ROUTES, Stretch
from palmares.engines.spark.rows import frame
from palmares.engines.spark.tables import Table
from palmares.engines.spark.workers import PART, SHARD, Part, cleaned, id_of
from palmares.facts.schema import FILE, KEYS, LINE, OWNERS, PLAYER_COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_SMALL = 1_000_000
"""Ids of a table that are few enough to be sent to every machine whole."""
_LOST = 20_000  # rows told at most; messages name a thousand
_LIKE = 2_001  # ids looked through for similar ones; with more, none is proposed


@dataclass(frozen=True, slots=True, kw_only=True)
class Routes:
    """The way of every row to its day."""

    spark: SparkSession
    tables: Sequence[Table]
    ways: DataFrame  # part, raw (an id as it is written), id, rows, day
    known: Mapping[str, DataFrame]  # by table of ids: every id that it has
    days: Mapping[date, int]  # rows of all tables
    ids: Mapping[int, int]  # how many ids each table uses
    lost: frozenset[int]  # tables with rows that lead nowhere


def routes(spark: SparkSession, tables: Sequence[Table]) -> Routes:
    """The days of all ids, and how many rows each day has; *tables* are one or more."""
    from pyspark.sql import functions as sql

    days, known = _days(tables)
    used = _union(
        one.rows.select(
            sql.lit(number).alias(PART),
            sql.lit(ROUTES[one.name][1]).alias("of"),
            text(one, ROUTES[one.name][0]).alias("raw"),
        )
        for number, one in enumerate(tables)
    )
    counted = used.groupBy(PART, "of", "raw").agg(sql.count("*").alias("rows"))
    ids = _with_ids(counted, [("raw", "events.event_id", "id")])
    ways = ids.join(days, ["of", "id"], "left").select(PART, "raw", "id", "rows", "day").persist()
    by_day: dict[date, int] = {}
    count: dict[int, int] = {}
    lost = set()
    each = ways.groupBy(PART, "day").agg(sql.sum("rows"), sql.count("*"))
    for part, day, rows, several in each.collect():
        count[part] = count.get(part, 0) + several
        if day is None:
            lost.add(part)
        else:
            by_day[day] = by_day.get(day, 0) + rows
    return Routes(
        spark=spark, tables=tables, ways=ways, known=known, days=by_day, ids=count,
        lost=frozenset(lost),
    )  # fmt: skip


def text(table: Table, column: str) -> Column:
    """Ids as Spark writes them: the same as palmares does, but for spaces and spellings."""
    from pyspark.sql import functions as sql

    cell = sql.col(column)
    kind = table.rows.schema[column].dataType.simpleString() if column in table.rows.columns else ""
    if not kind:
        return sql.lit(None).cast("string")
    if kind in {"float", "double"}:  # how pandas holds whole numbers of which one is missing
        whole = cell.cast("decimal(38,0)").cast("string")
        return sql.when(cell == sql.rint(cell), whole).otherwise(cell.cast("string"))
    return cell.cast("string")


def _union(frames: Iterable[DataFrame]) -> DataFrame:
    return reduce(lambda one, other: one.union(other), frames)


def _with_ids(rows: DataFrame, columns: Sequence[tuple[str, str, str]]) -> DataFrame:
    """Rows with ids as the checks read them: the column, the column of facts, the one added."""
    own = [f"`{one.name}` {one.dataType.simpleString()}" for one in rows.schema.fields]
    schema = ", ".join([*own, *(f"{name} string" for _, _, name in columns)])
    return rows.mapInArrow(partial(cleaned, columns=columns), schema)


def _days(tables: Sequence[Table]) -> tuple[DataFrame, dict[str, DataFrame]]:
    """The day of each id of tournaments, events and matches of teams; and the ids there are."""
    from pyspark.sql import functions as sql

    known: dict[str, DataFrame] = {}
    days: dict[str, DataFrame] = {}
    wanted = ["tournaments", "events"]
    if any(one.name == "boards" for one in tables):
        wanted.append("team_matches")
    for name in wanted:
        rows = [_own_days(one, days.get(OWNERS.get(name, ("", ""))[1])) for one in tables
                if one.name == name]  # fmt: skip
        if not rows:
            continue
        each = _union(rows)
        known[name] = each.select("id").distinct()
        days[name] = (
            each.groupBy("id")
            .agg(sql.count("*").alias("times"), sql.min("day").alias("day"))
            .where("times = 1 and day is not null")
            .select(sql.lit(name).alias("of"), "id", "day")
        )
    nothing = tables[0].rows.sparkSession.createDataFrame([], "of string, id string, day date")
    return _union(days.values()) if days else nothing, known


def _own_days(table: Table, parents: DataFrame | None) -> DataFrame:
    """Every row of a table that has ids of its own: the id and the day it leads to."""
    from pyspark.sql import functions as sql

    column = KEYS[table.name][0]
    if table.name == "tournaments":
        there = "end_date" in table.rows.columns
        day = sql.col("end_date") if there else sql.lit(None).cast("string")
        rows = table.rows.select(text(table, column).alias("raw"), day.alias("end"))
        read = _with_ids(rows, [("raw", f"tournaments.{column}", "id"),
                                ("end", "tournaments.end_date", "last")])  # fmt: skip
        return read.select("id", sql.col("last").cast("date").alias("day"))
    owner = OWNERS[table.name][0]
    rows = table.rows.select(text(table, column).alias("raw"), text(table, owner).alias("above"))
    read = _with_ids(rows, [("raw", f"{table.name}.{column}", "id"),
                            ("above", f"{table.name}.{owner}", "owner")])  # fmt: skip
    if parents is None:
        return read.select("id", sql.lit(None).cast("date").alias("day"))
    above = parents.select(sql.col("id").alias("owner"), "day")
    return read.join(above, "owner", "left").select("id", "day")


# ── all tables as one ────────────────────────────────────────────────────────────────────────────


def together(found: Routes, stretches: Sequence[Stretch]) -> tuple[DataFrame, list[Part]]:
    """The rows of all tables as one, with the number of table and shard, and how to part them.

    Columns of one type share a place, so that a row is as wide as the widest table and no wider;
    a cell keeps the type it had in its file.
    """
    from pyspark.sql import functions as sql

    shards = _shards(found.spark, stretches)
    parts = [_part(one) for one in found.tables]
    kinds = dict(sorted({shared: kind for part, table in zip(parts, found.tables, strict=True)
                         for shared, kind in _kinds(part, table)}.items()))  # fmt: skip
    each = []
    for number, (part, table) in enumerate(zip(parts, found.tables, strict=True)):
        mine = found.ways.where(sql.col(PART) == number)
        way = mine.join(sql.broadcast(shards), "day").select("raw", SHARD)
        if found.ids.get(number, 0) <= _SMALL:
            way = sql.broadcast(way)
        own = {shared: name for name, shared in part.columns}
        columns = [
            sql.col(own[shared]).alias(shared) if shared in own
            else sql.lit(None).cast(kind).alias(shared)
            for shared, kind in kinds.items()
        ]  # fmt: skip
        rows = table.rows.join(way, text(table, ROUTES[table.name][0]) == way["raw"])
        each.append(rows.select(sql.lit(number).alias(PART), SHARD, *columns))
    return _union(each), parts


def _shards(spark: SparkSession, stretches: Sequence[Stretch]) -> DataFrame:
    days = pl.concat(
        pl.select(
            pl.date_range(one.first, one.last).alias("day"),
            pl.lit(one.number, pl.Int32).alias(SHARD),
        )
        for one in stretches
    )
    return spark.createDataFrame(days.to_arrow(compat_level=pl.CompatLevel.oldest()))


def _part(table: Table) -> Part:
    """A table's columns in shared ones: the first of a type, the second of a type, ..."""
    held: dict[str, int] = {}
    columns = []
    for field_ in table.rows.schema.fields:
        kind = "".join(one if one.isalnum() else "_" for one in field_.dataType.simpleString())
        columns.append((field_.name, f"{kind}_{held.get(kind, 0)}"))
        held[kind] = held.get(kind, 0) + 1
    return Part(table=table.name, columns=tuple(columns), unknown=table.unknown, file=table.file)


def _kinds(part: Part, table: Table) -> Iterator[tuple[str, str]]:
    for (_, shared), column in zip(part.columns, table.rows.schema.fields, strict=True):
        yield shared, column.dataType.simpleString()


# ── rows that are in no shard ────────────────────────────────────────────────────────────────────


def twice(found: Routes) -> dict[int, DataFrame]:
    """Ids of matches that are there twice, by table; only those that the shards cannot see."""
    from pyspark.sql import functions as sql

    again: dict[int, DataFrame] = {}
    for name in ("matches", "team_matches"):
        mine = {number: one for number, one in enumerate(found.tables) if one.name == name}
        if not mine:
            continue
        used = _union(
            one.rows.select(sql.lit(number).alias(PART), text(one, "match_id").alias("raw"))
            for number, one in mine.items()
        )
        ids = _with_ids(used, [("raw", f"{name}.match_id", "id")]).where("id is not null")
        times = ids.groupBy("id").agg(sql.count("*").alias("times"))
        some = times.where("times > 1").select("id").limit(_LOST).persist()
        if not some.isEmpty():
            raws = ids.join(some, "id")
            again |= {
                number: raws.where(sql.col(PART) == number).select("raw").distinct()
                for number in mine
            }
    return again


def lost(found: Routes, again: Mapping[int, DataFrame]) -> dict[str, pl.DataFrame]:
    """Rows that lead nowhere, or of matches that are there twice, by table, raw.

    Args:
        found: the ways of all rows.
        again: ids that are there twice, by number of the table.
    """
    from pyspark.sql import functions as sql

    rows: dict[str, list[pl.DataFrame]] = {}
    for number, table in enumerate(found.tables):
        fetched = rows.setdefault(table.name, [])
        if number in found.lost:
            mine = found.ways.where((sql.col(PART) == number) & sql.col("day").isNull())
            fetched.append(_fetched(table, ROUTES[table.name][0], mine.select("raw")))
        if number in again:
            fetched.append(_fetched(table, "match_id", again[number]))
    return {name: _sorted(frames) for name, frames in rows.items() if frames}


def of_players(found: Routes, players: Sequence[str] | None) -> dict[tuple[str, str], pl.DataFrame]:
    """The rows that name some players, or any, by table and column; raw."""
    rows: dict[tuple[str, str], list[pl.DataFrame]] = {}
    wanted = found.spark.createDataFrame([(one,) for one in players or ()], "id string")
    for table in found.tables:
        for column in PLAYER_COLUMNS.get(table.name, ()):
            if column not in table.rows.columns:
                continue
            keys = None
            if players is not None:
                used = table.rows.select(text(table, column).alias("raw")).distinct()
                read = _with_ids(used, [("raw", f"{table.name}.{column}", "id")])
                keys = read.join(wanted, "id").select("raw")
            fetched = _fetched(table, column, keys).select(column, FILE, LINE)
            rows.setdefault((table.name, column), []).append(fetched)
    return {place: _sorted(frames) for place, frames in rows.items()}


def _sorted(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(frames, how="diagonal_relaxed").unique([FILE, LINE]).sort(FILE, LINE)


def _fetched(table: Table, column: str, keys: DataFrame | None) -> pl.DataFrame:
    """The first rows of a table that have one of some ids."""
    from pyspark.sql import functions as sql

    rows = table.rows
    if keys is not None:
        rows = rows.join(keys, text(table, column).eqNullSafe(keys["raw"]), "left_semi")
    if table.file is not None:
        rows = rows.withColumn(FILE, sql.lit(table.file))
    return frame(rows.orderBy(FILE, LINE).limit(_LOST))


def like(found: Routes, rows: Mapping[str, pl.DataFrame]) -> dict[str, pl.Series]:
    """By table the ids that there are: those that some rows use, and more for similar ones."""
    from pyspark.sql import functions as sql

    ids = {}
    for name, known in found.known.items():
        key = KEYS[name][0]
        used: set[str] = set()
        for table, frame_ in rows.items():
            if OWNERS.get(table, ("", ""))[1] == name and key in frame_.columns:
                used |= set(id_of(frame_[key], table, key).drop_nulls())
        mine = found.spark.createDataFrame([(one,) for one in sorted(used)], "id string")
        some = known.where("id is not null")
        named = some.join(mine, "id", "left_semi").union(some.limit(_LIKE)).distinct()
        ids[name] = frame(named.select(sql.col("id"))).get_column("id").sort()
    return ids
