"""
What runs in Spark's Python workers, where the rows are.

    Part            one table of one source: how its rows travel among those of all tables
    cleaned         ids as they are written  ->  ids as the checks read them
    on_shard        the rows of a shard, through the work on it  ->  parcels
    on_players      the rows of some players, through the work on them  ->  parcels
    opened          parcels  ->  rows

A parcel is some rows as one cell, in Arrow's own form. Of the columns of what a shard gives nothing
has to be known beforehand, and kept parcels need no more room than a file of the same rows. The
first parcel of a group carries what a person should know, and what is wrong.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import polars as pl

from palmares.core.errors import (
    FactsRejected,
    NotCovered,
    PalmaresError,
    Problem,
    Refused,
    RuleError,
)
from palmares.core.messages import plain
from palmares.engines import PlayerWork, Shard, ShardWork, Told
from palmares.engines.shards import Outcome, worked
from palmares.facts.parsers import as_text, converted
from palmares.facts.schema import FILE, LINE, PLAYER_COLUMNS, TABLES, Facts

if TYPE_CHECKING:
    import pyarrow as pa

PART, SHARD, PARCEL, TOLD, ROW = "_part", "_shard", "_parcel", "_told", "_row"
PARCELS = f"{SHARD} int, {PARCEL} int, rows long, {TOLD} string, data binary"
"""What a group gives, as Spark is told of it."""

_ROWS_IN_PARCEL = 200_000
_UNKNOWN = 1001  # unknown players of a shard told; one more than messages name
ERRORS: dict[str, type[PalmaresError]] = {
    one.__name__: one for one in (NotCovered, Refused, RuleError)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One table of one source: which of the columns that all tables share are its own."""

    table: str
    columns: tuple[tuple[str, str], ...]  # the name, and the shared column it travels in
    unknown: tuple[str, ...] = ()  # columns we do not know: only their names travel
    file: str | None = None  # as the user named it, if all rows are of one


class Report(msgspec.Struct, kw_only=True):
    """What a group has to say beside its rows."""

    notices: list[Problem] = []  # msgspec copies it for each report
    problems: list[Problem] = []
    players: list[str] = []  # who are in no table of players
    columns: bytes = b""  # a parcel without rows: which columns they have
    error: str | None = None  # another error of ours: its name
    words: str = ""  # and what it says


class Known(NamedTuple):
    """What every shard looks at, and no tournament owns."""

    facts: Facts  # memberships and rates
    players: pl.Series | None  # ids; none: players are not missed


# ── ids ──────────────────────────────────────────────────────────────────────────────────────────


def cleaned(
    batches: Iterator[pa.RecordBatch], columns: Sequence[tuple[str, str, str]]
) -> Iterator[pa.RecordBatch]:
    """Rows with a column added for each id: the id as the checks read it, null if they cannot.

    Args:
        batches: of any columns.
        columns: the column of ids, the table and column of facts they are of, the one to add.
    """
    for batch in batches:
        frame = _frame(batch)
        added = [id_of(frame[column], *of.split(".")).rename(name) for column, of, name in columns]
        yield from frame.with_columns(added).to_arrow(compat_level=_old()).to_batches()


def id_of(cells: pl.Series, table: str, column: str) -> pl.Series:
    """Ids (or days, as text) as the checks of facts read them."""
    kind = TABLES[table][column]
    text = as_text(cells, kind)
    values = cells if text is None else converted(text, kind).values
    return values.cast(pl.String)


# ── groups ───────────────────────────────────────────────────────────────────────────────────────


def on_shard(
    key: tuple[pa.Scalar, ...] | None,
    table: pa.Table | None,
    *,
    work: ShardWork,
    parts: Sequence[Part],
    known: Any,
) -> pa.Table:
    """A shard's rows of all tables, checked and worked on, as parcels.

    Args:
        key: the shard's number; none: there is one, without rows.
        table: its rows, as `Part` says.
        work: what is done with the shard.
        parts: by number, the column ``_part`` of the rows.
        known: Spark's broadcast of a `Known`.
    """
    shared: Known = known.value
    number = int(key[0].as_py()) if key else 0
    rows = {} if table is None else _tables(_frame(table), parts)
    lost = [] if shared.players is None else unknown_players(rows, shared.players)
    doing = nothing if lost else work
    done = _attempt(lambda: worked(doing, number, rows, shared.facts))
    if isinstance(done, Report):
        done.players = lost
        return _parcels(number, None, done)
    report = Report(notices=[*done.notices], problems=[*done.problems], players=lost)
    return _parcels(number, done.rows, report)


def unknown_players(rows: Mapping[str, pl.DataFrame], players: pl.Series) -> list[str]:
    """Ids of players in raw rows that no table of players has, sorted; of many the first."""
    used = [
        id_of(rows[table][column].unique(), table, column).alias("id")
        for table, columns in PLAYER_COLUMNS.items()
        for column in columns
        if table in rows and column in rows[table].columns
    ]
    if not used:
        return []
    ids = pl.concat(used).drop_nulls().unique().to_frame()
    lost = ids.join(players.to_frame("id"), on="id", how="anti")["id"]
    return lost.sort().head(_UNKNOWN).to_list()


def nothing(shard: Shard) -> Told:  # noqa: ARG001  a work is given a shard
    """The work where something is wrong already: the checks alone."""
    return Told(pl.DataFrame())


def _attempt(work: Any) -> Outcome | Report:
    """What the work gives, or the error of ours that it ends in, ready to travel."""
    try:
        done: Outcome = work()
    except FactsRejected as rejected:
        return Report(problems=[*rejected.problems])
    except PalmaresError as error:
        return Report(error=type(error).__name__, words=str(error))
    return done


def _tables(rows: pl.DataFrame, parts: Sequence[Part]) -> dict[str, pl.DataFrame]:
    """The rows of a shard as one raw frame a table, in the order of files and lines."""
    found: dict[str, list[pl.DataFrame]] = {}
    for (number,), frame in rows.partition_by(PART, as_dict=True).items():
        part = parts[int(number)]
        columns = [pl.col(shared).alias(name) for name, shared in part.columns]
        if part.file is not None:
            columns.append(pl.lit(part.file).alias(FILE))
        columns += [pl.lit(None, pl.String).alias(name) for name in part.unknown]
        found.setdefault(part.table, []).append(frame.select(columns).sort(FILE, LINE))
    return {name: pl.concat(frames, how="diagonal_relaxed") for name, frames in found.items()}


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
        schema: what the rows are to the work.
        order: the columns that say their order.
    """
    rows = _frame(table).sort(order) if order else _frame(table)
    done = _attempt(lambda: Outcome(rows=work(rows.select(_as(schema)))))
    if isinstance(done, Report):
        return _parcels(int(key[0].as_py()), None, done)
    return _parcels(int(key[0].as_py()), done.rows, Report())


def _as(schema: pl.Schema) -> list[pl.Expr]:
    """The columns of a schema in its own types, whatever Spark made of them."""
    return [pl.col(name).cast(kind) for name, kind in schema.items()]


# ── parcels ──────────────────────────────────────────────────────────────────────────────────────


def _parcels(number: int, rows: pl.DataFrame | None, report: Report) -> pa.Table:
    import pyarrow as pa

    frame = pl.DataFrame() if rows is None else rows
    parcels = [frame.slice(0, _ROWS_IN_PARCEL), *_rest(frame)]
    report.columns = closed(frame.clear())
    told = msgspec.json.encode(report, enc_hook=plain).decode()
    size = len(parcels)
    return pa.table(
        {
            SHARD: pa.array([number] * size, pa.int32()),
            PARCEL: pa.array(range(size), pa.int32()),
            "rows": pa.array([one.height for one in parcels], pa.int64()),
            TOLD: pa.array([told, *[None] * (size - 1)], pa.string()),
            "data": pa.array([closed(one) for one in parcels], pa.binary()),
        }
    )


def _rest(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    for start in range(_ROWS_IN_PARCEL, frame.height, _ROWS_IN_PARCEL):
        yield frame.slice(start, _ROWS_IN_PARCEL)


def closed(rows: pl.DataFrame) -> bytes:
    """Rows as one cell."""
    into = io.BytesIO()
    rows.write_ipc(into, compression="lz4")
    return into.getvalue()


def reopened(data: bytes) -> pl.DataFrame:
    """The rows of a parcel."""
    return pl.read_ipc(io.BytesIO(data))


def fitted(rows: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """The rows of a parcel with the columns of all: those it has not are empty."""
    return rows.select(
        pl.col(name).cast(kind) if name in rows.columns else pl.lit(None, kind).alias(name)
        for name, kind in schema.items()
    )


def opened(
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
            rows = fitted(reopened(data), schema).select(
                pl.lit(number, pl.Int32).alias(SHARD),
                pl.int_range(first, first + pl.len(), dtype=pl.Int64).alias(ROW),
                *_as(plain),
            )
            yield from rows.to_arrow(compat_level=_old()).to_batches()


def _frame(rows: pa.Table | pa.RecordBatch) -> pl.DataFrame:
    frame = pl.from_arrow(rows)
    if not isinstance(frame, pl.DataFrame):
        raise TypeError("Arrow's rows are no table")
    return frame


def _old() -> Any:
    return pl.CompatLevel.oldest()
