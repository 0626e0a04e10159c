"""Notes to the officers: what somebody says is wrong on a page; no account is needed."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from palmares.web.tables import ACCOUNTS, NOTES

LONGEST_NOTE = 2_000
MOST_OPEN = 1_000
"""So many notes may wait; whoever sends thousands from many addresses fills nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What somebody says is wrong on a page."""

    id: int
    created: int  # seconds since 1970
    page: str  # its address on the site
    text: str
    author: str | None  # the name of an account; none: a visitor


def add_note(
    connection: sa.Connection, page: str, text: str, account: int | None, now: int
) -> bool:
    """Keep a note; not where too many wait already."""
    if count_open(connection) >= MOST_OPEN:
        return False
    given = {"created": now, "page": page, "text": text, "account": account}
    connection.execute(sa.insert(NOTES), given)
    return True


def count_open(connection: sa.Connection) -> int:
    """How many notes wait for an officer."""
    query = sa.select(sa.func.count()).select_from(NOTES).where(NOTES.c.done.is_(None))
    return int(connection.execute(query).scalar_one())


def open_notes(connection: sa.Connection) -> tuple[Note, ...]:
    """The notes that wait, the oldest first."""
    query = (
        sa.select(NOTES.c.id, NOTES.c.created, NOTES.c.page, NOTES.c.text, ACCOUNTS.c.name)
        .join(ACCOUNTS, NOTES.c.account == ACCOUNTS.c.id, isouter=True)
        .where(NOTES.c.done.is_(None))
        .order_by(NOTES.c.id)
    )
    return tuple(
        Note(id=number, created=created, page=page, text=text, author=author)
        for number, created, page, text, author in connection.execute(query)
    )


def close_note(connection: sa.Connection, number: int, account: int, now: int) -> bool:
    """Whether an officer is done with a note now: there is one of that number that waited."""
    waits = (NOTES.c.id == number) & NOTES.c.done.is_(None)
    done = connection.execute(sa.update(NOTES).where(waits).values(done=now, done_by=account))
    return done.rowcount == 1
