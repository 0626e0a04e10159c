"""
What runs in Spark's Python workers, where the rows are.

A parcel is some rows as one cell, in Arrow's own form. Of the columns of what a shard gives nothing
has to be known beforehand, and kept parcels need no more room than a file of the same rows. The
first parcel of a group carries what a person should know, and what is wrong.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from palmares.core.errors import PalmaresError, Problem
from palmares.engines import PlayerWork, ShardResult, ShardWork
from palmares.engines.shards import SHARD, fitted, work_on_shard
from palmares.facts.schema import FILE, LINE

if TYPE_CHECKING:
    import pyarrow as pa

PART, PARCEL, REPORT, ROW = "_part", "_parcel", "_report", "_row"
PARCELS = f"{SHARD} int, {PARCEL} int, rows long, {REPORT} binary, data binary"
"""What a group gives, in Spark's types."""

_ROWS_IN_PARCEL = 200_000


class TableLayout(NamedTuple):
    """One table of one source: which of the columns that all tables share are its own."""

    table: str
    columns: tuple[tuple[str, str], ...]  # the name, and the shared column it travels in
    unknown: tuple[str, ...] = ()  # columns we do not know: only their names travel
    file: str | None = None  # as the user named it, if all rows are of one


class GroupReport(NamedTuple):
    """What a group reports besides its rows."""

    schema: pl.Schema
    notices: Sequence[Problem] = ()
    error: PalmaresError | None = None


# ── groups ───────────────────────────────────────────────────────────────────────────────────────


def on_shard(
    key: tuple[pa.Scalar, ...] | None,
    table: pa.Table | None,
    *,
    work: ShardWork,
    parts: Sequence[TableLayout],
    shared: Any,
) -> pa.Table:
    """A shard's rows of all tables, checked and worked on, as parcels.

    Args:
        key: the shard's number; none: there is one, without rows.
        table: its rows, as `TableLayout` says.
        work: what is done with the shard.
        parts: by number, the column ``_part`` of the rows.
        shared: Spark's broadcast of what `palmares.engines.shards.work_on_shard` takes.
    """
    number = int(key[0].as_py()) if key else 0
    frames: dict[str, list[pl.DataFrame]] = {}
    if table is not None:
        for (place,), rows in frame_of(table).partition_by(PART, as_dict=True).items():
            part = parts[int(place)]
            frames.setdefault(part.table, []).append(raw_rows(rows, part))
    tables = {name: pl.concat(each, how="diagonal_relaxed") for name, each in frames.items()}
    return _parcels(number, lambda: work_on_shard(work, number, tables, shared.value))


def raw_rows(rows: pl.DataFrame, part: TableLayout) -> pl.DataFrame:
    """Rows with the columns of their table, in the order of files and lines."""
    columns = [pl.col(shared).alias(name) for name, shared in part.columns]
    if part.file is not None:
        columns.append(pl.lit(part.file).alias(FILE))
    columns += [pl.lit(None, pl.String).alias(name) for name in part.unknown]
    return rows.select(columns).sort(FILE, LINE)


def on_players(
    key: tuple[pa.Scalar, ...],
    table: pa.Table,
    *,
    work: PlayerWork,
    schema: pl.Schema,
    order: Sequence[str],
) -> pa.Table:
    """All rows of some players through a work, as parcels.

    Args:
        key: the number of the group.
        table: the rows, with the columns that say their order.
        work: what is done with them.
        schema: what the rows are to the work, whatever Spark made of them.
        order: the columns that say their order.
    """
    rows = frame_of(table).sort(order)
    return _parcels(int(key[0].as_py()), lambda: ShardResult(work(fitted(rows, schema))))


# ── parcels ──────────────────────────────────────────────────────────────────────────────────────


def _parcels(number: int, work: Callable[[], ShardResult]) -> pa.Table:
    """What a work gives, or its error, packed to travel."""
    import pyarrow as pa

    try:
        rows, notices = work()
        report = GroupReport(rows.schema, notices)
    except PalmaresError as error:
        rows, report = pl.DataFrame(), GroupReport(pl.Schema(), error=error)
    parcels = list(rows.iter_slices(_ROWS_IN_PARCEL)) or [rows]
    more = [None] * (len(parcels) - 1)
    return pa.table(
        {
            SHARD: pa.array([number] * len(parcels), pa.int32()),
            PARCEL: pa.array(range(len(parcels)), pa.int32()),
            "rows": pa.array([each.height for each in parcels], pa.int64()),
            REPORT: pa.array([pickle.dumps(report), *more], pa.binary()),
            "data": pa.array([_closed(each) for each in parcels], pa.binary()),
        }
    )


def _closed(rows: pl.DataFrame) -> bytes:
    into = io.BytesIO()
    rows.write_ipc(into, compression="lz4")
    return into.getvalue()


def unpacked(
    batches: Iterator[pa.RecordBatch], schema: pl.Schema, plain: pl.Schema
) -> Iterator[pa.RecordBatch]:
    """The rows of parcels, with their place among all rows.

    Args:
        batches: parcels.
        schema: the columns of all parcels.
        plain: the same in types that Spark has.
    """
    for batch in batches:
        for number, parcel, data in zip(
            *(batch.column(name).to_pylist() for name in (SHARD, PARCEL, "data")), strict=True
        ):
            first = parcel * _ROWS_IN_PARCEL
            rows = fitted(fitted(pl.read_ipc(io.BytesIO(data)), schema), plain).with_columns(
                pl.lit(number, pl.Int32).alias(SHARD),
                pl.int_range(first, first + pl.len(), dtype=pl.Int64).alias(ROW),
            )
            yield from rows.to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches()


def frame_of(rows: pa.Table) -> pl.DataFrame:
    """Spark's rows as a frame in this process."""
    return pl.DataFrame(pl.from_arrow(rows))
