"""
Check a journal's database around the entries: SQLite's file, tables, indexes and triggers.

SQLite checks its file page by page. Tables, indexes and triggers are compared with those that
`palmares.journal.store.migrations` makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from palmares.journal.store.migrations import upgraded

_MAX_ERRORS = 1000  # of SQLite about its file
_SQLITE = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
_POSTGRESQL = (
    "SELECT 'trigger', tgname::text, tgenabled::text FROM pg_trigger"
    " WHERE tgrelid IN ('entries'::regclass, 'event_records'::regclass) AND NOT tgisinternal"
)
_ON = {
    f"trigger {table}_no_{verb}": ("O",)
    for table in ("entries", "event_records")
    for verb in ("delete", "truncate", "update")
}

Objects = Mapping[str, tuple[Any, ...]]
"""The tables, indexes and triggers of a database, by kind and name."""


Weakness = tuple[str, str]
"""What is wrong ("table entries", "trigger entries_no_update", "file"), and how."""


def weakened(connection: sa.Connection) -> Iterator[Weakness]:
    """Everything that is wrong with the database around the entries."""
    if connection.dialect.name != "sqlite":
        yield from _compared(_read(connection, _POSTGRESQL), _ON)
        return
    try:
        for (line,) in connection.exec_driver_sql(f"PRAGMA integrity_check({_MAX_ERRORS})"):
            if line != "ok":
                error = " ".join(str(line).split())
                yield "file", f"SQLite says about its file: {error}."
        yield from _compared(_read(connection, _SQLITE), _expected())
    except (DBAPIError, UnicodeError) as error:
        yield "file", f"SQLite cannot check its file: {getattr(error, 'orig', error)}."


def _compared(found: Objects, expected: Objects) -> Iterator[Weakness]:
    for name in sorted(expected.keys() - found.keys()):
        yield name, f"The database has no {name} any more."
    for name in sorted(found.keys() & expected.keys()):
        if found[name] != expected[name]:
            yield name, f"The database's {name} is not as palmares made it."
    for name in sorted(found.keys() - expected.keys()):
        if name.startswith("trigger "):
            yield name, f"The database has a {name} that palmares did not make."


def _read(connection: sa.Connection, query: str) -> Objects:
    return {
        f"{kind} {name}": tuple(rest) for kind, name, *rest in connection.exec_driver_sql(query)
    }


@cache
def _expected() -> Objects:
    """Tables, indexes and triggers of a new journal."""
    engine = sa.create_engine("sqlite://")
    try:
        with engine.begin() as connection:
            upgraded(connection)
            return _read(connection, _SQLITE)
    finally:
        engine.dispose()
