"""
Changes to a journal that palmares itself refuses to make.

    tampered    a journal  ->  a connection on which everything may be changed; undone at the end
    complaints  a connection  ->  what `verify` says of the journal, place by place
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from palmares.core.errors import FactsRejected
from palmares.journal.store.journal import Journal, Reader
from palmares.journal.store.verify import verify

VERBS = ("update", "delete")


@contextmanager
def tampered(journal: Journal) -> Iterator[sa.Connection]:
    """A connection without guards; nothing of what it does stays."""
    with journal.database.engine.connect() as connection:
        transaction = connection.begin()
        if journal.database.file is not None:
            connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
            for table in ("entries", "event_records"):
                for verb in VERBS:
                    connection.exec_driver_sql(f"DROP TRIGGER {table}_no_{verb}")
        else:
            for table in ("entries", "persons", "event_records"):
                connection.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
        yield connection
        transaction.rollback()


def complaints(connection: sa.Connection, head: str | None = None) -> list[tuple[str, str]]:
    """Place and rule of everything that is wrong, but for the guards that were taken away."""
    try:
        verify(Reader(connection), head)
    except FactsRejected as rejected:
        told = [(one.where, one.clause.removeprefix("journal ")) for one in rejected.problems]
        return [one for one in told if one != ("database", "database")]
    return []
