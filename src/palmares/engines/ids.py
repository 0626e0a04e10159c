"""
Which shard every row is in, by SQL that DuckDB and Spark both know: counts and joins of ids.

An id leads to a day if the rows of its table agree on one. Ids are compared as they are written,
without spaces around. Rows whose id leads to no day, and matches that are there twice, may be far
apart: they are refused here in a few words, and the engine in process tells every place. All else
is checked shard by shard.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Protocol

import polars as pl

from palmares.core.errors import FactsRejected, Location, Problem
from palmares.engines.shards import shard_of_days
from palmares.facts.schema import OWNERS

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


class Database(Protocol):
    """What answers SQL: DuckDB, or Spark."""

    def rows(self, query: str) -> list[Any]:
        """The rows of a small answer."""
        ...

    def keep(self, name: str, query: str) -> None:
        """Compute an answer once, and call it a table of that name."""
        ...

    def load(self, name: str, frame: pl.DataFrame) -> None:
        """A small frame as a table."""
        ...


def place(database: Database, places: Mapping[str, str], rows: int) -> int:
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
            f"TRY_CAST({_text('end_date')} AS DATE) AS day FROM tournaments"
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


def _lost(database: Database, name: str, file: str, rows: int) -> Problem:
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


def _repeated(database: Database, name: str, file: str) -> list[Problem]:
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
