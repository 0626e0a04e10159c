"""
What keeps a journal's tables as they were made: is all of it still there?

    weakened    a connection  ->  what is wrong with the database around the entries

SQLite looks at its own file, page by page; that finds damage where no entry lies. The tables,
indexes and triggers are then held against those that `palmares.journal.migrations` makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from palmares.journal.migrations import upgraded

_MOST = 1000  # complaints of SQLite about its file
_SQLITE = (
    "SELECT type || ' ' || name, sql FROM sqlite_schema"
    " WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY 1"
)
_POSTGRESQL = (
    "SELECT tgname, tgenabled::text FROM pg_trigger"
    " WHERE tgrelid = 'entries'::regclass AND NOT tgisinternal ORDER BY 1"
)
_ON = {f"entries_no_{verb}": "O" for verb in ("delete", "truncate", "update")}


def weakened(connection: sa.Connection) -> Iterator[str]:
    """What is wrong with the database around the entries, each in a sentence."""
    if connection.dialect.name != "sqlite":
        yield from _told(_read(connection, _POSTGRESQL), _ON)
        return
    try:
        for (line,) in connection.exec_driver_sql(f"PRAGMA integrity_check({_MOST})"):
            if line != "ok":
                yield f"SQLite says of its file: {' '.join(str(line).split())}."
        yield from _told(_read(connection, _SQLITE), _as_made())
    except DBAPIError as error:
        yield f"SQLite cannot check its file: {error.orig}."


def _told(found: Mapping[str, str], made: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(made.keys() - found.keys()):
        yield f"The database has no {name} any more."
    for name in sorted(found.keys() & made.keys()):
        if found[name] != made[name]:
            yield f"The database's {name} is not as palmares made it."
    for name in sorted(found.keys() - made.keys()):
        if name.startswith(("trigger ", "entries_")):
            yield f"The database has a {name} that palmares did not make."


def _read(connection: sa.Connection, query: str) -> dict[str, str]:
    return {str(name): str(sql) for name, sql in connection.exec_driver_sql(query)}


@cache
def _as_made() -> Mapping[str, str]:
    """Tables, indexes and triggers of a new journal."""
    engine = sa.create_engine("sqlite://")
    try:
        with engine.begin() as connection:
            upgraded(connection)
            return _read(connection, _SQLITE)
    finally:
        engine.dispose()
