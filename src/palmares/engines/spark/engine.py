"""
The engine for facts on a Spark cluster, and for Spark on one machine.

Spark reads Parquet wherever it lies; joins, counts and sorts; computes nothing. Reports, and
packages of CSV files, are read and checked in this process first; their rows then travel like all
others. Formulas, checks and the typing of cells run in Python, in Spark's workers, on Arrow tables:
the same functions as in process.
"""

from __future__ import annotations

import io
import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from palmares.core.errors import FactsRejected, PalmaresError, Problem, rejected
from palmares.core.progress import task
from palmares.engines import EngineSettings, PlayerWork, ShardResult, ShardWork
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
)
from palmares.engines.spark.session import Session, exists, plainly, session, url_of, write
from palmares.facts import TABLES, Facts
from palmares.facts.cells import missing_columns
from palmares.facts.schema import FILE, LINE, REPORT_TABLES, SHARED_TABLES

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


# ── what runs in Spark's Python workers, where the rows are ───────────────────────────────────────

# A parcel is some rows as one cell, in Arrow's own form. Of the columns of what a shard gives
# nothing has to be known beforehand, and kept parcels need no more room than a file of the same
# rows. The first parcel of a group carries what a person should know, and what is wrong.

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


# ── tables ───────────────────────────────────────────────────────────────────────────────────────


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


_GROUP = "_group"
_ONE_FILE = 20_000_000  # rows; more are a folder of files


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkRows:
    """Rows in Spark; the DataFrame may have more columns than the schema."""

    frame: DataFrame
    schema: pl.Schema
    order: tuple[str, ...] = (SHARD, ROW)
    count: int


class Spark(ShardedFacts):
    """The engine on facts at some paths, which Spark reads."""

    def __init__(self, session: Session, settings: EngineSettings) -> None:
        super().__init__()
        self.session, self.settings = session, settings
        self.cached: list[DataFrame] = []
        self.shared: Any = None  # Spark's broadcast of ids of players, memberships and rates
        self.rows_in_shards: DataFrame | None = None  # of all tables; none without tournaments
        self.parts: Sequence[TableLayout] = ()
        self.shards = 1

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    def prepare(self, paths: Sequence[str]) -> None:
        """Find what there is, check what no tournament owns, and which shard each row is in."""
        spark = self.session.spark
        given = inputs(paths, self.settings.encoding)
        sources = spark_tables(spark, given)
        shared = self.take_shared(shared_frames(sources), given.notices)
        self.shared = spark.sparkContext.broadcast(shared)
        shards = place_in_shards(self, id_views(sources), self.settings.rows_per_shard)
        if shards:
            self.shards = shards
            self.rows_in_shards, self.parts = all_rows(spark, sources)

    def rows(self, query: str) -> list[Any]:
        """The rows of a small answer."""
        return self.session.spark.sql(query).collect()

    def keep(self, name: str, query: str) -> None:
        """Compute an answer once, and call it a table of that name."""
        answer = self.session.spark.sql(query).persist()
        self.cached.append(answer)
        answer.createOrReplaceTempView(name)

    def load(self, name: str, frame: pl.DataFrame) -> None:
        """A small frame as a table."""
        from_frame(self.session.spark, frame).createOrReplaceTempView(name)

    # ── shards and players ───────────────────────────────────────────────────────────────────────

    def by_tournament(self, work: ShardWork, schema: pl.Schema | None = None) -> SparkRows:
        """Every shard through *work*; the rows in the order of shards.

        The work is done once, whether a schema is given or not: what it gave is kept as parcels,
        and where no schema is known they are opened with the columns of all of them.

        Raises:
            FactsRejected: with every problem of every shard.
        """
        spark = self.session.spark
        function = partial(on_shard, work=work, parts=self.parts, shared=self.shared)
        with plainly(), task("shards", self.shards) as step:
            if self.rows_in_shards is None:
                parcels = spark.createDataFrame(function(None, None), PARCELS)
            else:
                groups = self.rows_in_shards.groupBy(SHARD)
                parcels = groups.applyInArrow(_grouped(function), PARCELS)
            rows, self._of_work = self._opened(parcels, schema)
            step(self.shards)
        return rows

    def by_player(self, rows: SparkRows, work: PlayerWork, schema: pl.Schema) -> SparkRows:
        """All rows of a player together through *work*, many players at once; in no order."""
        from pyspark.sql import functions as sql

        groups = max(1, -(-rows.count // self.settings.rows_per_shard))
        function = partial(on_players, work=work, schema=rows.schema, order=rows.order)
        with plainly(), task("groups of players", groups) as step:
            bucket = sql.pmod(sql.hash("player_id"), sql.lit(groups)).alias(_GROUP)
            grouped = rows.frame.select("*", bucket).groupBy(_GROUP)
            done, _ = self._opened(grouped.applyInArrow(_grouped(function), PARCELS), schema)
            step(groups)
        return done

    def _opened(
        self, parcels: DataFrame, schema: pl.Schema | None
    ) -> tuple[SparkRows, tuple[Problem, ...]]:
        """The rows of groups and their notices, after a check that no group failed."""
        from pyspark.storagelevel import StorageLevel

        cached = parcels.persist(StorageLevel.MEMORY_AND_DISK)
        self.cached.append(cached)
        sizes = cached.select(SHARD, "rows", REPORT).orderBy(SHARD, PARCEL).collect()
        reports: list[GroupReport] = [pickle.loads(each) for _, _, each in sizes if each]  # noqa: S301  our own
        errors = [each.error for each in reports if each.error is not None]
        rejections = [each for each in errors if isinstance(each, FactsRejected)]
        if rejections:
            raise FactsRejected(
                sorted(problem for rejection in rejections for problem in rejection.problems)
            )
        for error in errors:
            raise error
        columns = schema or merged_schema(report.schema for report in reports)
        plain = pl.Schema({name: _PLAIN.get(type(kind), kind) for name, kind in columns.items()})
        frame = cached.mapInArrow(
            partial(unpacked, schema=columns, plain=plain), spark_schema(plain)
        )
        count = sum(count for _, count, _ in sizes)
        notices = tuple(notice for report in reports for notice in report.notices)
        return SparkRows(frame=frame, schema=columns, count=count), notices

    def select(
        self, rows: SparkRows, columns: Sequence[str], order: Sequence[str] = ()
    ) -> SparkRows:
        """These columns of the rows, sorted, of equals the earlier first.

        ``player`` is taken from the players.
        """
        kinds = {**rows.schema, "player": pl.String()}
        selected = replace(
            rows,
            schema=pl.Schema({column: kinds[column] for column in columns}),
            order=tuple(dict.fromkeys((*order, *rows.order))),
        )
        if "player" not in columns:
            return selected
        people = from_frame(self.session.spark, self.people.select("player_id", "player"))
        return replace(selected, frame=rows.frame.drop("player").join(people, "player_id", "left"))

    # ── out ──────────────────────────────────────────────────────────────────────────────────────

    def collect(self, rows: SparkRows) -> pl.DataFrame:
        """The rows as one frame in this process."""
        wanted = dict.fromkeys((*rows.schema.names(), *rows.order))
        with plainly():
            here = frame_of(rows.frame.select(*(f"`{each}`" for each in wanted)).toArrow())
        here = here.sort(rows.order, maintain_order=True)
        return here.select(pl.col(name).cast(kind) for name, kind in rows.schema.items())

    def write(self, rows: SparkRows, path: str, partition_by: Sequence[str] = ()) -> None:
        """The rows as Parquet: a file, or a folder with one file or more for each partition.

        On this machine, a path that ends in ``.parquet`` is one file, unless the rows are too many.

        Raises:
            Refused: nothing can be written there.
        """
        with plainly():
            single_file = path.endswith(".parquet") and not partition_by and rows.count <= _ONE_FILE
            out = rows.frame.repartition(1) if single_file else rows.frame
            out = out.sortWithinPartitions(*rows.order) if single_file else out.orderBy(*rows.order)
            write(
                out.select(*rows.schema.names()),
                path,
                single_file=single_file,
                partition_by=partition_by,
            )

    def close(self) -> None:
        """Release what is cached, and the session if it was started for this."""
        with suppress(Exception):
            for each in self.cached:
                each.unpersist()
            if self.shared is not None:
                self.shared.unpersist()
        self.session.close()


def start(paths: Sequence[str], settings: EngineSettings) -> Spark:
    """Spark on the facts at some paths.

    Raises:
        Refused: PySpark or a Java for it is not installed, or Spark does not start.
        FactsRejected: there are no facts at a path; or something is wrong that is seen before rows
            are looked at shard by shard.
    """
    engine = Spark(session(settings), settings)
    try:
        with plainly():
            engine.prepare(paths)
    except BaseException:
        engine.close()
        raise
    return engine


def _grouped(function: Callable[..., Any]) -> Any:
    """A function of a group with parameters as Spark expects them: it counts them by name."""

    def group(key: Any, table: Any) -> Any:
        return function(key, table)

    return group


# ── types ────────────────────────────────────────────────────────────────────────────────────────

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
"""What stands for types that Spark does not have."""


def spark_schema(schema: pl.Schema) -> StructType:
    """A schema of types that Spark has, as its own, with the columns that say the order of rows."""
    from pyspark.sql.pandas.types import from_arrow_schema

    columns = pl.Schema({**schema, SHARD: pl.Int32(), ROW: pl.Int64()})
    return from_arrow_schema(
        columns.to_frame().to_arrow(compat_level=pl.CompatLevel.oldest()).schema
    )
