"""
The engine for facts on a Spark cluster, and for Spark on one machine.

    start       paths, settings  ->  Spark, an `Engine`
    Spark       reads Parquet wherever Spark reads it; joins, counts and sorts; computes nothing

Formulas, checks and the typing of cells run in Python, in Spark's workers, on Arrow tables: the
same functions as in process. Spark's own arithmetic is not used for anything but counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl

from palmares.core.errors import FactsRejected, Problem, Refused
from palmares.engines import PlayerWork, Settings, ShardWork
from palmares.engines.shards import beside, lost, nowhere, rated, shown, stretches
from palmares.engines.spark.files import written
from palmares.engines.spark.progress import followed
from palmares.engines.spark.rows import Rows, collected, ddl, frame, merged, plain
from palmares.engines.spark.session import Session, plainly, session
from palmares.engines.spark.shards import Routes, like, of_players, routes, together, twice
from palmares.engines.spark.shards import lost as lost_rows
from palmares.engines.spark.tables import Read, Table, tables
from palmares.engines.spark.workers import (
    ERRORS,
    PARCEL,
    PARCELS,
    ROW,
    SHARD,
    TOLD,
    Known,
    Part,
    Report,
    id_of,
    nothing,
    on_players,
    on_shard,
    opened,
    unknown_players,
)
from palmares.facts.schema import FILE, LINE, OWNERS, SHARED_TABLES, Facts
from palmares.formats.load import first_notices, in_order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_GROUP = "_group"
_ONE_FILE = 20_000_000  # rows; more are a folder of files


@dataclass(slots=True, kw_only=True)
class _Prepared:
    """What every question needs of the tables, found once."""

    known: Any  # Spark's broadcast of a `Known`
    problems: list[Problem]
    unknown: Sequence[str] = ()  # players in rows that are in no shard
    rows: DataFrame | None = None  # of all tables, with their shards
    parts: Sequence[Part] = ()
    shards: int = 1


@dataclass(slots=True)
class Spark:
    """Facts at some paths, in the hands of Spark."""

    held: Session
    settings: Settings
    read: Read
    said: dict[Problem, None] = field(default_factory=dict)  # by reading
    told: dict[Problem, None] = field(default_factory=dict)  # by the latest work by tournament
    facts: Facts | None = None  # players, memberships and rates
    players: pl.Series | None = None  # their ids; none: one of them cannot be read
    found: Routes | None = None
    prepared: _Prepared | None = None
    kept: list[DataFrame] = field(default_factory=list)

    # ── shards ───────────────────────────────────────────────────────────────────────────────────

    def by_tournament(self, work: ShardWork, schema: pl.Schema | None = None) -> Rows:
        """Every shard through *work*; the rows in the order of shards.

        The work is done once, whether a schema is given or not: what it gave is kept as parcels,
        and where no schema is known they are opened with the columns of all of them.

        Raises:
            FactsRejected: with every problem of every shard, and of ids used twice.
        """
        with plainly():
            ready = self._prepare()
            doing = nothing if ready.problems else rated(work, self.settings)
            function = partial(on_shard, work=doing, parts=ready.parts, known=ready.known)
            if ready.rows is None:  # without tournaments there is one shard, and it is empty
                parcels = self.held.spark.createDataFrame(function(None, None), PARCELS)
            else:
                parcels = ready.rows.groupBy(SHARD).applyInArrow(_grouped(function), PARCELS)
            with followed(self.held.spark.sparkContext, "shards", ready.shards):
                return self._opened(parcels, schema, ready)

    def _prepare(self) -> _Prepared:
        if self.prepared is None:
            problems = list(self.read.problems)
            try:
                known = self._beside()
            except FactsRejected as rejected:
                problems += rejected.problems
                known = Facts()
            owned = [one for one in self.read.tables if one.name not in SHARED_TABLES]
            self.found = routes(self.held.spark, owned) if owned else None
            tables = {name: known.tables[name] for name in ("memberships", "rates")}
            share = self.held.spark.sparkContext.broadcast(Known(Facts(tables), self.players))
            ready = _Prepared(known=share, problems=problems)
            if self.found is not None:
                cut = stretches(self.found.days.items(), self.settings.rows_per_shard)
                ready.shards = max(1, len(cut))
                again = twice(self.found) if len(cut) > 1 else {}
                if self.found.lost or again:
                    self._nowhere(self.found, again, ready)
                if cut:
                    ready.rows, ready.parts = together(self.found, cut)
            self.prepared = ready
        return self.prepared

    def _beside(self) -> Facts:
        """Players, memberships and rates: checked, in this process."""
        if self.facts is None:
            sources: dict[int, dict[str, pl.DataFrame]] = {}
            for one in self.read.tables:
                if one.name in SHARED_TABLES:
                    sources.setdefault(one.source, {})[one.name] = _whole(one)
            ids = [
                id_of(one["players"]["player_id"], "players", "player_id")
                for one in sources.values()
                if "player_id" in one.get("players", pl.DataFrame()).columns
            ]
            players = pl.concat(ids) if ids else pl.Series(dtype=pl.String)
            self.players = None if players.null_count() else players.unique()
            self.facts = beside(sources.values()) if sources else Facts()
            self.said |= dict.fromkeys(self.facts.notices)
        return self.facts

    def _nowhere(self, found: Routes, again: Mapping[int, DataFrame], ready: _Prepared) -> None:
        """What is wrong with rows that are in no shard, and with ids that are there twice."""
        rows = lost_rows(found, again)
        ids = like(found, rows)
        ready.problems += nowhere(rows)
        for table, (column, owner) in OWNERS.items():
            if table in rows and column in rows[table].columns:
                used = rows[table].select(column, FILE, LINE)
                known = ids.get(owner, pl.Series(dtype=pl.String))
                ready.problems += lost(table, column, used, known)
        if self.players is not None:
            ready.unknown = unknown_players(rows, self.players)

    # ── parcels ──────────────────────────────────────────────────────────────────────────────────

    def _opened(
        self, parcels: DataFrame, schema: pl.Schema | None, ready: _Prepared | None = None
    ) -> Rows:
        """What groups gave, once it is known that nothing is wrong."""
        from pyspark.storagelevel import StorageLevel

        kept = parcels.persist(StorageLevel.MEMORY_AND_DISK)
        self.kept.append(kept)
        told = kept.select(SHARD, "rows", TOLD).orderBy(SHARD, PARCEL).collect()
        reports = [
            (number, msgspec.json.decode(text, type=Report)) for number, _, text in told if text
        ]
        self._raise([report for _, report in reports], ready or _Prepared(known=None, problems=[]))
        if ready is not None:  # by tournament
            self.told = dict.fromkeys(one for _, report in reports for one in report.notices)
        columns = schema
        if columns is None:
            columns = merged(report for _, report in reports)
        kinds = plain(columns)
        rows = kept.mapInArrow(partial(opened, schema=columns, plain=kinds), ddl(kinds))
        return Rows(
            frame=rows,
            schema=columns,
            order=(SHARD, ROW),
            count=sum(count for _, count, _ in told),
            parcels=kept,
        )

    def _raise(self, reports: Sequence[Report], ready: _Prepared) -> None:
        """Raise what is wrong, all of it; unknown players are told by the rows that name them."""
        found = [*ready.problems, *(one for report in reports for one in report.problems)]
        unknown = {*ready.unknown, *(one for report in reports for one in report.players)}
        if unknown and self.players is not None and self.found is not None:
            named = of_players(self.found, sorted(unknown) if len(self.players) else None)
            for (table, column), rows in named.items():
                found += lost(table, column, rows, self.players)
        if found:
            raise FactsRejected(in_order(found))
        for report in reports:
            if report.error is not None:
                raise ERRORS.get(report.error, Refused)(report.words)

    # ── players ──────────────────────────────────────────────────────────────────────────────────

    def by_player(self, rows: Rows, work: PlayerWork, schema: pl.Schema) -> Rows:
        """All rows of a player together through *work*, many players at once; in no order."""
        from pyspark.sql import functions as sql

        with plainly():
            groups = max(1, -(-rows.count // self.settings.rows_per_shard))
            bucket = sql.pmod(sql.hash("player_id"), sql.lit(groups)).alias(_GROUP)
            grouped = rows.frame.select("*", bucket).groupBy(_GROUP)
            function = partial(on_players, work=work, schema=rows.schema, order=rows.order)
            with followed(self.held.spark.sparkContext, "groups of players", groups):
                return self._opened(grouped.applyInArrow(_grouped(function), PARCELS), schema)

    def schema(self, rows: Rows) -> pl.Schema:
        """The columns of the rows."""
        return rows.schema

    def laid_out(self, rows: Rows, columns: Sequence[str]) -> Rows:
        """These columns of the rows, in this order; ``player`` is taken from the players."""
        kinds = {**rows.schema, "player": pl.String()}
        laid = replace(rows, schema=pl.Schema({one: kinds[one] for one in columns}), parcels=None)
        if "player" not in columns:
            return laid
        names = shown(self.people()).to_arrow(compat_level=pl.CompatLevel.oldest())
        people = self.held.spark.createDataFrame(names)
        return replace(laid, frame=rows.frame.drop("player").join(people, "player_id", "left"))

    def in_order(self, rows: Rows, by: Sequence[str]) -> Rows:
        """The rows sorted by some columns, ascending; nulls first, of equals the earlier first."""
        place = (one for one in (SHARD, ROW) if one not in by)
        return replace(rows, order=(*by, *place), parcels=None)

    def people(self) -> pl.DataFrame:
        """Every player: player_id, name, nation, withheld."""
        with plainly():
            return (
                self._beside().tables["players"].select("player_id", "name", "nation", "withheld")
            )

    # ── out ──────────────────────────────────────────────────────────────────────────────────────

    def collect(self, rows: Rows) -> pl.DataFrame:
        """The rows as one frame in this process."""
        with plainly():
            return collected(rows)

    def write(self, rows: Rows, path: str, partition_by: Sequence[str] = ()) -> None:
        """The rows as Parquet: a file, or a folder with one file or more for each partition.

        A path that ends in ``.parquet`` is one file, unless the rows are too many for one.

        Raises:
            Refused: nothing can be written there.
        """
        with plainly():
            one = path.endswith(".parquet") and not partition_by and rows.count <= _ONE_FILE
            out = rows.frame.repartition(1) if one else rows.frame
            if rows.order:
                out = out.sortWithinPartitions(*rows.order) if one else out.orderBy(*rows.order)
            written(out.select(*rows.schema.names()), path, one=one, partition_by=partition_by)

    def notices(self) -> tuple[Problem, ...]:
        """What reading and the latest work by tournament had to say."""
        return first_notices(self.said | self.told)

    def close(self) -> None:
        """Give back what was kept, and the session if it was started for this."""
        with suppress(Exception):
            for one in self.kept:
                one.unpersist()
            if self.found is not None:
                self.found.ways.unpersist()
            if self.prepared is not None:
                self.prepared.known.unpersist()
        self.held.close()


def start(paths: Sequence[str], settings: Settings) -> Spark:
    """Spark on the facts at some paths.

    Raises:
        Refused: PySpark or a Java for it is not installed, or Spark does not start.
        FactsRejected: there are no facts at a path; or, of what is read here, every problem.
    """
    held = session(settings)
    try:
        with plainly():
            read = tables(held.spark, paths, settings.encoding)
    except BaseException:
        held.close()
        raise
    return Spark(held, settings, read, dict.fromkeys(read.notices))


def _grouped(function: Any) -> Any:
    """A function of a group as Spark looks at it: it counts the parameters by name."""

    def group(key: Any, table: Any) -> Any:
        return function(key, table)

    return group


def _whole(table: Table) -> pl.DataFrame:
    """A small table in this process, raw."""
    rows = frame(table.rows)
    if table.file is not None:
        rows = rows.with_columns(pl.lit(table.file).alias(FILE))
    empty = [pl.lit(None, pl.String).alias(name) for name in table.unknown]
    return rows.with_columns(empty).sort(FILE, LINE)
