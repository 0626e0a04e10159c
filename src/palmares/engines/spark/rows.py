"""
Rows in Spark, and what their columns are to Spark and to us.

    Rows        a DataFrame, the columns it has to us, and the columns that say its order
    frame       a DataFrame  ->  a frame in this process
    merged      the columns of several groups  ->  one schema
    plain       a schema  ->  the same in types that Spark has
    ddl         such a schema in Spark's words
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from palmares.engines.spark.workers import ROW, SHARD, Report, fitted, reopened

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Rows in Spark; the DataFrame may have more columns than the schema."""

    frame: DataFrame
    schema: pl.Schema
    order: tuple[str, ...] = ()
    count: int
    parcels: DataFrame | None = None  # the same as they were kept, if nothing was done to them


def frame(rows: DataFrame) -> pl.DataFrame:
    """Spark's rows as a frame in this process."""
    found = pl.from_arrow(rows.toArrow())
    if not isinstance(found, pl.DataFrame):
        raise TypeError("Arrow's rows are no table")
    return found


def collected(rows: Rows) -> pl.DataFrame:
    """Rows as a frame in this process, in their order and with the types they have to us."""
    if rows.parcels is not None:
        kept = rows.parcels.select(SHARD, "_parcel", "data").orderBy(SHARD, "_parcel")
        frames = [fitted(reopened(row.data), rows.schema) for row in kept.toLocalIterator()]
        return pl.concat(frames) if frames else rows.schema.to_frame()
    wanted = dict.fromkeys((*rows.schema.names(), *rows.order))
    here = frame(rows.frame.select(*(f"`{one}`" for one in wanted)))
    if rows.order:
        here = here.sort(rows.order, maintain_order=True)
    return here.select(pl.col(name).cast(kind) for name, kind in rows.schema.items())


def merged(reports: Iterable[Report]) -> pl.Schema:
    """The columns of all groups, in the order in which they first have them."""
    empty = [reopened(report.columns) for report in reports if report.columns]
    return pl.concat(empty, how="diagonal_relaxed").schema if empty else pl.Schema()


_PLAIN: Mapping[Any, Any] = {
    pl.Categorical: pl.String(),
    pl.Enum: pl.String(),
    pl.Int128: pl.Decimal(38, 0),
    pl.Null: pl.String(),
    pl.UInt8: pl.Int16(),
    pl.UInt16: pl.Int32(),
    pl.UInt32: pl.Int64(),
    pl.UInt64: pl.Decimal(20, 0),
}
_NAMES: Mapping[Any, str] = {
    pl.Binary: "binary",
    pl.Boolean: "boolean",
    pl.Date: "date",
    pl.Float32: "float",
    pl.Float64: "double",
    pl.Int8: "tinyint",
    pl.Int16: "smallint",
    pl.Int32: "int",
    pl.Int64: "bigint",
    pl.String: "string",
}
"""Types that Spark has no like of, in ones that it has; and its names of those."""


def plain(schema: pl.Schema) -> pl.Schema:
    """A schema in types that Spark has."""
    return pl.Schema({name: _PLAIN.get(type(one), one) for name, one in schema.items()})


def ddl(schema: pl.Schema) -> str:
    """A schema in Spark's words, with the columns that say the order of rows."""
    own = [f"`{name}` {_name(kind)}" for name, kind in schema.items()]
    return ", ".join([f"{SHARD} int", f"{ROW} long", *own])


def _name(kind: Any) -> str:
    if isinstance(kind, pl.Decimal):
        return f"decimal({kind.precision},{kind.scale})"
    return _NAMES[type(kind)]
