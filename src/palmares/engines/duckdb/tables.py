"""
The tables of packages as DuckDB sees them: counted by day, cut into shards, looked through for ids.

    Tables      every table of some packages; rows know their file and row
    Source      one package: the parts of each table
    placed      rows from such tables  ->  the same in order, with file and line
    shard_files the files of one shard of one table

DuckDB joins, counts, sorts and partitions here, and that is all: what a cell means is for
`palmares.facts` to say. Ids are compared as text; those that do not match are brought to their one
spelling first, as `palmares.facts.text` has it, before they are called unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

import polars as pl

from palmares.core.errors import FactsRejected, Problem
from palmares.engines.duckdb.sql import NUMBER, ROW, SHARD, Sql, literal, quoted
from palmares.engines.shards import ROUTES, Stretch, lost, nowhere, values
from palmares.facts.cells import typed_frames
from palmares.facts.checks.keys import twice
from palmares.facts.packages import Part
from palmares.facts.parquet import Unreadable, schema_of
from palmares.facts.schema import FILE, LINE, REFERENCES, REPORT_TABLES, TABLES

MOST = 1_000_000  # rows that are looked at one by one where something is wrong
_SIMILAR = 2_001  # ids among which one that was meant is looked for, and one more
NOWHERE = -1
_ROOM = 2**32  # more than rows in a file: a file's number and a row go into one whole number
_REPEATED = ("matches", "team_matches")  # tables whose ids may be used in two shards


class Source(NamedTuple):
    """One package."""

    tables: Mapping[str, Sequence[Part]]
    told: bool = False  # its rows have columns that say their file and line


class Tables:
    """Every table of some packages.

    Each is a view with two columns more: the number of the file, and the row in it from 0.
    """

    def __init__(self, sql: Sql, sources: Sequence[Source]) -> None:
        self._sql = sql
        self.files: list[str] = []
        self.columns: dict[str, list[str]] = {}
        for name in TABLES:
            try:
                selects = [self._select(one, name) for one in sources if one.tables.get(name)]
            except (FactsRejected, Unreadable) as error:
                told = [error.problem] if isinstance(error, Unreadable) else error.problems
                raise FactsRejected(_unreadable(sources) or told) from None
            if selects:
                sql.run(f"CREATE TEMP VIEW {name} AS {' UNION ALL BY NAME '.join(selects)}")
                self.columns[name] = sql.columns(name)

    def _select(self, source: Source, name: str) -> str:
        """One package's rows of a table."""
        found = source.tables[name]
        there, first = self._sql.parquet([one.path for one in found]), len(self.files)
        self.files += [one.path for one in found]
        columns = [
            one for one in self._sql.columns(there) if source.told or one not in (FILE, LINE)
        ]
        selected = [quoted(one) for one in columns]
        said = {key for one in found for key in one.said}
        for key in sorted(said):
            cells = ", ".join(_said(one, key, known=key in columns) for one in found)
            value = f"list_extract([{cells}]::VARCHAR[], CAST(file_index + 1 AS BIGINT))"
            if key in columns:
                selected.remove(quoted(key))
                value = f"coalesce({value}, CAST({quoted(key)} AS VARCHAR))"
            selected.append(f"{value} AS {quoted(key)}")
        selected.append(f"CAST(file_index + {first} AS UINTEGER) AS {NUMBER}")
        selected.append(f"CAST(file_row_number AS UINTEGER) AS {ROW}")
        return f"SELECT {', '.join(selected)} FROM {there}"

    # ── which day, which shard ───────────────────────────────────────────────────────────────────

    def days(self) -> list[tuple[date, int]]:
        """How many rows of all tables belong to each day; needed before anything below."""
        self._place_tournaments()
        found: dict[date, int] = {}
        for name in REPORT_TABLES:
            if name not in self.columns:
                continue
            if name == "team_matches":
                self._place_matches()
            for day, rows in self._counted(name):
                if day is not None:
                    found[day] = found.get(day, 0) + rows
        return sorted(found.items())

    def _place_tournaments(self) -> None:
        """The day of each tournament and each event, by its id as it stands in the tables.

        An id that is there on two days has no day, so that all its rows come together.
        """
        tournaments = self._cells("tournaments", "tournament_id", "end_date")
        days = _one_day(tournaments.rename({"tournament_id": "id", "end_date": "day"}))
        self._sql.table("tournament_days", days)
        events = self._cells("events", "event_id", "tournament_id")
        events = events.join(
            days.rename({"raw": "tournament_id"}), on="tournament_id", how="left"
        ).select("raw", "day", id="event_id")
        self._sql.table("event_days", _one_day(events))

    def _cells(self, table: str, *names: str) -> pl.DataFrame:
        """Columns of a table in their types, and the first as the text that stands there."""
        if table not in self.columns:
            columns = {one: TABLES[table][one].type for one in names}
            return pl.DataFrame(schema={"raw": pl.String, **columns})
        picked = ", ".join(self._column(table, one) for one in names)
        first = self._column(table, names[0])
        frame = self._sql.frame(f"SELECT CAST({first} AS VARCHAR) AS raw, {picked} FROM {table}")
        cells = (
            values(frame[:, at + 1], TABLES[table][one]).alias(one) for at, one in enumerate(names)
        )
        return pl.DataFrame([frame["raw"], *cells])

    def _column(self, table: str, name: str) -> str:
        return quoted(name) if name in self.columns.get(table, ()) else "NULL::VARCHAR"

    def _place_matches(self) -> None:
        """The day of each match of teams, which its boards follow."""
        days = self._days_of("team_matches")
        self._sql.run(
            "CREATE OR REPLACE TEMP TABLE match_days AS SELECT raw, "
            "CASE WHEN count(DISTINCT day) = 1 THEN min(day) END AS day FROM "
            f"(SELECT {_plain(self._column('team_matches', 'match_id'))} AS raw, day FROM {days}) "
            "WHERE raw IS NOT NULL GROUP BY raw"
        )

    def _days_of(self, table: str) -> str:
        """The rows of a table, each with its day."""
        column, owner = ROUTES[table]
        return (
            f"{table} LEFT JOIN {_DAYS[owner]} AS d "
            f"ON d.raw = CAST({self._column(table, column)} AS VARCHAR)"
        )

    def _counted(self, table: str) -> list[tuple[date | None, int]]:
        query = f"SELECT d.day, count(*) FROM {self._days_of(table)} GROUP BY d.day"
        counted: list[tuple[date | None, int]] = self._sql.rows(query)
        if any(day is None for day, _ in counted) and self._respelt(table):
            counted = self._sql.rows(query)
        return counted

    def _respelt(self, table: str) -> bool:
        """Whether ids that did not match do in their one spelling; they then lead to its day."""
        column, owner = ROUTES[table]
        if owner == table:
            return False
        other = self._unmatched(table, column, _DAYS[owner], "raw")
        if not other.height:
            return False
        other = other.with_columns(values(other["cell"], TABLES[table][column]).alias("id"))
        self._sql.table("respelt", other.select("raw", "id").drop_nulls())
        self._sql.run(
            f"INSERT INTO {_DAYS[owner]} SELECT r.raw, d.day FROM respelt r JOIN {_DAYS[owner]} d "
            "ON d.raw = r.id"
        )
        return True

    def _unmatched(self, table: str, column: str, known: str, key: str) -> pl.DataFrame:
        """Ids of a column that are not known as they stand: as text, and as the cell is."""
        cell = self._column(table, column)
        return self._sql.frame(
            f"SELECT DISTINCT CAST({cell} AS VARCHAR) AS raw, {cell} AS cell FROM {table} "
            f"ANTI JOIN {known} AS k ON k.{key} = CAST({cell} AS VARCHAR) "
            f"WHERE {cell} IS NOT NULL LIMIT {MOST}"
        )

    def cut(self, found: Sequence[Stretch], folder: Path) -> list[str]:
        """Write every table by shard into a folder for each; gives the names of the tables.

        Rows that lead to no tournament with a day are of the shard `NOWHERE`.
        """
        shards = [(one.first, one.last, one.number) for one in found]
        schema = {"first": pl.Date, "last": pl.Date, "shard": pl.Int32}
        self._sql.table("shards", pl.DataFrame(shards, schema=schema, orient="row"))
        for days in dict.fromkeys(_DAYS.values()):
            if not self._sql.exists(days):
                continue
            self._sql.run(
                f"CREATE OR REPLACE TEMP TABLE {days}_of AS SELECT raw, shard FROM {days} "
                "JOIN shards ON day BETWEEN first AND last"
            )
        names = [name for name in REPORT_TABLES if name in self.columns]
        for name in names:
            column, owner = ROUTES[name]
            cell = self._column(name, column)
            cell = f"t.{cell}" if cell.startswith('"') else cell
            self._sql.partition(
                f"SELECT t.*, coalesce(s.shard, {NOWHERE}) AS {SHARD} FROM {name} t "
                f"LEFT JOIN {_DAYS[owner]}_of s ON s.raw = CAST({cell} AS VARCHAR)",
                folder / name,
                SHARD,
            )
        return names

    # ── what is wrong with ids ───────────────────────────────────────────────────────────────────

    def problems(self, folder: Path, players: pl.Series) -> list[Problem]:
        """Rows that lead nowhere, ids that are unknown, ids that two shards use."""
        self._sql.table("known_players", players.drop_nulls().unique().rename("raw").to_frame())
        found = [*self._nowhere(folder), *self._lost(players), *self._repeated()]
        return list(dict.fromkeys(found))

    def _nowhere(self, folder: Path) -> Iterator[Problem]:
        frames = {}
        for name in REPORT_TABLES:
            if found := shard_files(folder / name, NOWHERE):
                rows = self._sql.frame(
                    f"SELECT * FROM {self._sql.parquet(found)} "
                    f"ORDER BY {NUMBER}, {ROW} LIMIT {MOST}"
                )
                frames[name] = placed(rows, self.files)
        if frames:
            yield from nowhere(frames)

    def _lost(self, players: pl.Series) -> Iterator[Problem]:
        for table, column, target, key in REFERENCES:
            if column not in self.columns.get(table, ()):
                continue
            known = "known_players" if target == "players" else _DAYS[target]
            if not self._sql.exists(known):
                self._sql.table(known, pl.DataFrame(schema={"raw": pl.String, "day": pl.Date}))
            cell = quoted(column)
            rows = self._sql.frame(
                f"SELECT {cell}, {self._where(table)} FROM {table} ANTI JOIN {known} AS k "
                f"ON k.raw = CAST({cell} AS VARCHAR) WHERE {cell} IS NOT NULL "
                f"ORDER BY {NUMBER}, {ROW} LIMIT {MOST}"
            )
            if rows.height:
                ids = players
                if target != "players":
                    ids = self._cells(target, key)[key]
                yield from self._told(table, column, placed(rows, self.files), ids)

    def _told(
        self, table: str, column: str, rows: pl.DataFrame, ids: pl.Series
    ) -> Iterator[Problem]:
        """The unknown ids of some rows, those left aside that are known in another spelling."""
        spelt = values(rows[column], TABLES[table][column])
        rows = rows.filter(spelt.is_not_null() & ~spelt.is_in(ids.drop_nulls().implode()))
        if rows.height:
            yield from lost(table, column, rows, ids.head(_SIMILAR))

    def _where(self, table: str) -> str:
        told = [quoted(one) for one in (FILE, LINE) if one in self.columns[table]]
        return ", ".join([NUMBER, ROW, *told])

    def _repeated(self) -> Iterator[Problem]:
        for table in _REPEATED:
            if "match_id" not in self.columns.get(table, ()):
                continue
            ids = self._sql.rows(
                f"SELECT {_plain('match_id')} AS id FROM {table} WHERE match_id IS NOT NULL "
                f"GROUP BY id HAVING count(*) > 1 LIMIT {MOST // 100}"
            )
            if ids:
                self._sql.table("repeated", pl.DataFrame(ids, schema=["id"], orient="row"))
                rows = self._sql.frame(
                    f"SELECT match_id, {self._where(table)} FROM {table} SEMI JOIN repeated r "
                    f"ON r.id = {_plain('match_id')} ORDER BY {NUMBER}, {ROW}"
                )
                yield from twice(typed_frames({table: placed(rows, self.files)}).facts)


_DAYS = {
    "tournaments": "tournament_days",
    "events": "event_days",
    "team_matches": "match_days",
}
"""Where the days of the rows of a table are kept."""


def _plain(column: str) -> str:
    return f"nfc_normalize(trim(CAST({column} AS VARCHAR)))"


def _said(part: Part, key: str, *, known: bool) -> str:
    """What a part's folders say of a column, unless it has the column itself."""
    said = part.said.get(key)
    if said is None or (known and key in schema_of(part.path)):
        return "NULL"
    return literal(said)


def _unreadable(sources: Sequence[Source]) -> list[Problem]:
    """Every part that is no Parquet file."""
    found = []
    for part in (part for one in sources for parts in one.tables.values() for part in parts):
        try:
            schema_of(part.path)
        except Unreadable as error:
            found.append(error.problem)
    return found


def _one_day(rows: pl.DataFrame) -> pl.DataFrame:
    """The day of each id, also under the texts that were read as it: raw, day."""
    days = (
        rows.drop_nulls("id")
        .group_by("id")
        .agg(day=pl.when(pl.col("day").n_unique() == 1).then(pl.col("day").first()))
    )
    other = rows.filter(pl.col("raw") != pl.col("id")).select("raw", "id").unique()
    again = other.join(days, on="id").select("raw", "day")
    spelt = days.select("day", raw="id").select("raw", "day")
    return pl.concat([spelt, again.join(spelt, on="raw", how="anti")]).unique("raw")


def shard_files(folder: Path, number: int) -> list[Path]:
    """The files of one shard of one table."""
    return sorted((folder / f"{SHARD}={number}").glob("*.parquet"))


def placed(rows: pl.DataFrame, files: Sequence[str]) -> pl.DataFrame:
    """Rows in their order with the file and line they came from."""
    place = rows[NUMBER].cast(pl.UInt64) * _ROOM + rows[ROW]
    if not place.is_sorted():  # of each thread that wrote them, they are
        rows = rows[place.arg_sort()]
    file = pl.Series(files, dtype=pl.String).gather(rows[NUMBER]).alias(FILE)
    line = (rows[ROW] + 1).cast(pl.UInt32).alias(LINE)
    if FILE in rows.columns:  # a report's row knows better
        file = rows[FILE].fill_null(file)
        line = rows[LINE].cast(pl.UInt32).fill_null(line)
    return rows.drop(NUMBER, ROW, FILE, LINE, strict=False).with_columns(file, line)
