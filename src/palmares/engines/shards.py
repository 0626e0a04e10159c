"""
Shards: which shard every row is in, and the raw rows of one shard checked.

Rows are assigned to shards by SQL that DuckDB and Spark both know. An id leads to a day if the rows
of its table agree on one; ids are compared as they are written, without spaces around. Rows whose
id leads to no day, and matches that are there twice, are refused here in a few words; the engine in
process names every place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import polars as pl
from msgspec.structs import replace

from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.core.files import atomic_path
from palmares.engines import Shard, ShardResult, ShardWork
from palmares.facts import TABLES, Facts, check_facts
from palmares.facts.cells import parse_frames
from palmares.facts.checks import keys
from palmares.facts.packages import is_address, is_package, parquet_tables
from palmares.facts.rates import with_bank_rates
from palmares.facts.schema import OWNERS, PLAYER_COLUMNS, SHARED_TABLES
from palmares.formats.load import beside_package, first_notices, gathered
from palmares.points.award_table import public_players
from palmares.regulations import money_disciplines

_SMALL = (pl.Int8, pl.Int16, pl.Int32, pl.UInt8, pl.UInt16, pl.UInt32)


def shard_of_days(days: Iterable[tuple[date, int]], rows: int) -> dict[date, int]:
    """The number of the shard of each day, in order of time; a shard has *rows* or is one day."""
    shards: dict[date, int] = {}
    number = size = 0
    for day, count in sorted(days):
        if shards and size + count > rows:
            number, size = number + 1, 0
        shards[day] = number
        size += count
    return shards


class Inputs(NamedTuple):
    """What there is to read at some paths."""

    packages: list[str]  # of Parquet, which the database reads where they lie
    others: Facts | None  # reports and CSV, read and checked in this process
    notices: list[Problem]


def inputs(paths: Sequence[str], encoding: str | None) -> Inputs:
    """The packages of Parquet at some paths, and the facts of all else.

    Raises:
        FactsRejected: something that is no package of Parquet is wrong.
    """
    packages: list[str] = []
    others: list[str] = []
    notices: list[Problem] = []
    for path in paths:
        folder = Path(path)
        if is_address(path):
            packages.append(path)
        elif folder.is_dir() and is_package(folder) and parquet_tables(folder):
            packages.append(path)
            notices += beside_package(folder)
        else:
            others.append(path)
    facts = gathered(*others, encoding=encoding) if others else None
    return Inputs(packages, facts, notices + list(facts.notices if facts else ()))


class ShardedFacts:
    """What an engine knows of its facts apart from the rows of the shards."""

    def __init__(self) -> None:
        self.people = pl.DataFrame()
        self._of_reading: Sequence[Problem] = ()
        self._of_work: Sequence[Problem] = ()  # of the latest by tournament

    def take_shared(
        self, sources: Iterable[Mapping[str, pl.DataFrame]], notices: Sequence[Problem]
    ) -> Facts:
        """Check players, memberships and rates; of players, shards need no more than their ids.

        Args:
            sources: of each package, raw frames by table, with ``_file`` and ``_line``.
            notices: what reading had to say.

        Raises:
            FactsRejected: something is wrong with them.
        """
        facts = check_facts(
            *(
                parse_frames(
                    {name: _wide(source[name]) for name in SHARED_TABLES if name in source}
                )
                for source in sources
            )
        )
        self._of_reading = (*notices, *facts.notices)
        self.people = public_players(facts)
        shared = {name: facts[name] for name in ("memberships", "rates")}
        return Facts(shared | {"players": self.people.select("player_id")})

    def notices(self) -> tuple[Problem, ...]:
        """What reading and the latest work by tournament had to say."""
        return first_notices((*self._of_reading, *self._of_work))


def work_on_shard(
    work: ShardWork, number: int, frames: Mapping[str, pl.DataFrame], shared: Facts
) -> ShardResult:
    """Work done on one shard.

    Args:
        work: what is done with the shard.
        number: of the shard, from 0 in order of time.
        frames: raw frames by table, with ``_file`` and ``_line``.
        shared: what `ShardedFacts.take_shared` gave.

    Raises:
        FactsRejected: something is wrong with the rows; with every problem of the shard.
    """
    draft = parse_frames({name: _wide(frame) for name, frame in frames.items()})
    players = {"players": shared["players"]}
    unknown = keys.unknown(draft.facts.changed(players), TABLES.keys() - {"players"})
    facts = check_facts(
        replace(draft, problems=(*draft.problems, *unknown), incomplete=frozenset({"players"}))
    )
    used_ids = [
        facts.encoded(name, column).values
        for name, columns in PLAYER_COLUMNS.items()
        for column in columns
    ]
    members = shared["memberships"].filter(pl.col("player_id").is_in(pl.concat(used_ids).implode()))
    facts = facts.changed({"memberships": members, "rates": shared["rates"]})
    result = work(Shard(number, with_bank_rates(facts, money_disciplines)))
    return ShardResult(result.rows, first_notices((*facts.notices, *result.notices)))


def merged_schema(schemas: Iterable[pl.Schema]) -> pl.Schema:
    """The columns of all schemas, in the order in which they first have them."""
    frames = [pl.DataFrame(schema=schema) for schema in schemas]
    return pl.concat(frames, how="diagonal_relaxed").schema if frames else pl.Schema()


def fitted(rows: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """Rows with the columns of a schema: those they do not have are empty."""
    return rows.select(
        pl.col(name).cast(kind) if name in rows.columns else pl.lit(None, kind).alias(name)
        for name, kind in schema.items()
    )


def _wide(frame: pl.DataFrame) -> pl.DataFrame:
    """Whole numbers as 64 bits, as the tables have them, so that none is converted to text."""
    return frame.cast(
        {name: pl.Int64 for name, kind in frame.schema.items() if kind in _SMALL and name[0] != "_"}
    )


# ── Parquet ───────────────────────────────────────────────────────────────────────────────────────


def write_parquet(rows: pl.LazyFrame, path: str, partition_by: Sequence[str] = ()) -> None:
    """Write rows whole or not at all; a partitioned folder in an object store file by file.

    Raises:
        Refused: they cannot be written there.
    """
    try:
        if is_address(path):
            _sink(rows, path, partition_by)
        else:
            with atomic_path(Path(path)) as draft:
                _sink(rows, str(draft), partition_by)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise Refused(f"{path} cannot be written: {reason}.") from error


def _sink(rows: pl.LazyFrame, place: str, partition_by: Sequence[str]) -> None:
    if partition_by:
        parts = pl.PartitionBy(place, key=list(partition_by), include_key=False)
        rows.sink_parquet(parts, mkdir=True)
    else:
        rows.sink_parquet(place)


# ── which shard every row is in ───────────────────────────────────────────────────────────────────


SHARD = "_shard"
"""The column that says which shard a row belongs to."""

ROUTES = {
    "tournaments": ("tournament_id", "tournaments"),
    **OWNERS,
    "events": ("event_id", "events"),
}
"""The column that leads a row to its day, and through which table.

Tournaments and events go by their own ids, so that an id used twice is in one shard.
"""
_OWNERS = ("tournaments", "events", "team_matches")
"""Tables whose ids other tables name; the days and shards of these ids are tables, too."""
_EXAMPLES = 5


class SqlEngine(Protocol):
    """What answers SQL: DuckDB, or Spark."""

    def rows(self, query: str) -> list[Any]:
        """The rows of a small answer."""

    def keep(self, name: str, query: str) -> None:
        """Compute an answer once, and call it a table of that name."""

    def load(self, name: str, frame: pl.DataFrame) -> None:
        """A small frame as a table."""


def place_in_shards(database: SqlEngine, places: Mapping[str, str], rows: int) -> int:
    """Cut the days of all tournaments into shards; `in_shards` then gives the rows of each.

    Returns:
        how many there are.

    Args:
        database: has a table of each name in *places*, with at least its ids and days.
        places: the tables of reports, and where each lies, as the user named it.
        rows: of a shard, at most.

    Raises:
        FactsRejected: rows lead to no day, or the id of a match is used twice.
    """
    for name in _OWNERS:
        database.keep(f"{name}_days", _days(name) if name in places else _NOTHING)
    counted: dict[date, int] = {}
    problems: list[Problem] = []
    for name, file in places.items():
        lost = 0
        by_day = f"SELECT d.day, sum(u.n) FROM {_by_id(name)} GROUP BY d.day"  # noqa: S608
        for day, count in database.rows(by_day):
            if day is None:
                lost = count
            else:
                counted[day] = counted.get(day, 0) + count
        if lost:
            problems.append(_lost(database, name, file, lost))
        if name in ("matches", "team_matches"):
            problems += _repeated(database, name, file)
    if problems:
        raise FactsRejected(problems)
    shards = shard_of_days(counted.items(), rows)
    frame = pl.DataFrame([*shards.items()], {"day": pl.Date, "shard": pl.Int32}, orient="row")
    database.load("shards", frame)
    for name in _OWNERS:
        by_id = f"SELECT d.id, s.shard FROM {name}_days d JOIN shards s ON s.day = d.day"  # noqa: S608
        database.keep(f"{name}_shards", by_id)
    return len(set(shards.values()))


def in_shards(name: str, view: str) -> str:
    """The rows of a table, each with the number of its shard.

    Args:
        name: of the table.
        view: what it, or a part of it, is called in the database.
    """
    column, owner = ROUTES[name]
    return (
        f"SELECT t.*, s.shard AS {SHARD} FROM {view} t "  # noqa: S608
        f"JOIN {owner}_shards s ON s.id = {_text(f't.{column}')}"
    )


_NOTHING = "SELECT CAST(NULL AS STRING) AS id, CAST(NULL AS DATE) AS day WHERE 1 = 0"


def _text(column: str) -> str:
    return f"trim(CAST({column} AS STRING))"


def _days(name: str) -> str:
    """The day of each id of a table: of tournaments their own, else that of the row above."""
    column, owner = OWNERS.get(name, ("", ""))
    if name == "tournaments":
        rows = (
            f"SELECT {_text('tournament_id')} AS id, "  # noqa: S608
            f"TRY_CAST(left({_text('end_date')}, 10) AS DATE) AS day FROM tournaments"
        )
    else:
        key = ROUTES[name][0] if name == "events" else "match_id"
        rows = (
            f"SELECT {_text(f't.{key}')} AS id, d.day AS day FROM {name} t "  # noqa: S608
            f"JOIN {owner}_days d ON d.id = {_text(f't.{column}')}"
        )
    return f"SELECT id, min(day) AS day FROM ({rows}) GROUP BY id HAVING min(day) = max(day)"  # noqa: S608


def _by_id(name: str) -> str:
    """How many rows of a table have each id that leads to a day, and the day."""
    column, owner = ROUTES[name]
    return (
        f"(SELECT {_text(column)} AS id, count(*) AS n FROM {name} GROUP BY 1) u "  # noqa: S608
        f"LEFT JOIN {owner}_days d ON d.id = u.id"
    )


def _lost(database: SqlEngine, name: str, file: str, rows: int) -> Problem:
    column, _ = ROUTES[name]
    lost_ids = database.rows(
        f"SELECT u.id FROM {_by_id(name)} WHERE d.day IS NULL ORDER BY u.id LIMIT {_EXAMPLES}"  # noqa: S608
    )
    examples = ", ".join("(empty)" if id_ is None else f"'{id_}'" for (id_,) in lost_ids)
    return Problem(
        at=Location(file, table=name, key=column),
        what=f"{rows} row{'s' * (rows != 1)} of {name} lead{'s' * (rows == 1)} to no day of a"
        f" tournament, by {column} {examples}",
        clause=f"facts {name}.{column}",
        remedy="Each id must stand once in its own table, written alike everywhere, and each"
        " tournament needs its end_date. The engine inprocess names every row.",
        code="unknown-id",
    )


def _repeated(database: SqlEngine, name: str, file: str) -> list[Problem]:
    repeated = database.rows(
        f"SELECT {_text('match_id')} AS id FROM {name} WHERE match_id IS NOT NULL "  # noqa: S608
        f"GROUP BY 1 HAVING count(*) > 1 ORDER BY 1 LIMIT {_EXAMPLES}"
    )
    if not repeated:
        return []
    examples = ", ".join(f"'{id_}'" for (id_,) in repeated)
    problem = Problem(
        at=Location(file, table=name, key="match_id"),
        what=f"rows of {name} have the same match_id, such as {examples}",
        clause=f"facts {name}.match_id",
        remedy="Keep one row, or give the other an id of its own. The engine inprocess names every"
        " row.",
        code="repeated-id",
    )
    return [problem]
