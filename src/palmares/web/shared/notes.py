"""Notes to the officers about a page, without an account; messages about a report."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.facts.text import without_padding
from palmares.journal.store.databases import Database
from palmares.web.database import ACCOUNTS, NOTES, SUBMISSIONS

LONGEST_NOTE = 2_000
_KEPT = "\r\n\t\u200c\u200d"
"""Kept though it is not printable: new lines, and what joins or parts letters and emoji."""
MOST_OPEN = 1_000
"""Open notes at most, so that nobody can fill the database from many addresses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A mistake that a reader reports on a page, or a message about a report."""

    id: int
    at: str  # the moment, in UTC
    page: str  # the address of the page that it is about; empty: none
    text: str
    author: str | None  # the name of an account; none: a visitor
    submission: int | None  # the report that it is about; none: it is about a page


def note_text(text: str) -> str:
    """A text as a note keeps it: every space a plain one, without invisible padding."""
    return re.sub(r"[^\S\r\n\t]", " ", without_padding(text)).strip()


def is_note(text: str) -> bool:
    """Whether a text is neither empty nor too long, and has only letters, signs and spaces."""
    plain = all(letter.isprintable() or letter in _KEPT for letter in text)
    return plain and 0 < len(text) <= LONGEST_NOTE


def add_note(
    connection: sa.Connection, page: str, text: str, account: int | None, now: int
) -> bool:
    """Keep a note, once however often it is sent; not where too many wait already."""
    same = (NOTES.c.page == page) & (NOTES.c.text == text) & NOTES.c.done.is_(None)
    if connection.execute(sa.select(NOTES.c.id).where(same).limit(1)).scalar() is not None:
        return True
    waiting = sa.select(sa.func.count()).select_from(NOTES).where(NOTES.c.done.is_(None))
    if connection.execute(waiting).scalar_one() >= MOST_OPEN:
        return False
    given = {"created": now, "page": page, "text": text, "account": account}
    connection.execute(sa.insert(NOTES), given)
    return True


def open_notes(connection: sa.Connection) -> tuple[Note, ...]:
    """The notes that wait, the oldest first."""
    return _read(connection, NOTES.c.done.is_(None))


def _read(connection: sa.Connection, wanted: sa.ColumnElement[bool]) -> tuple[Note, ...]:
    """Some notes, the oldest first."""
    columns = (NOTES.c.id, NOTES.c.created, NOTES.c.page, NOTES.c.text, NOTES.c.submission)
    query = (
        sa.select(*columns, ACCOUNTS.c.name.label("author"))
        .join(ACCOUNTS, NOTES.c.account == ACCOUNTS.c.id, isouter=True)
        .where(wanted)
        .order_by(NOTES.c.id)
    )
    return tuple(
        Note(
            id=row.id,
            at=datetime.fromtimestamp(row.created, UTC).isoformat(),
            page=row.page,
            text=row.text,
            author=row.author,
            submission=row.submission,
        )
        for row in connection.execute(query)
    )


def close_note(connection: sa.Connection, number: int, account: int, now: int) -> bool:
    """Whether an officer is done with a note now: there is one of that number that waited."""
    waits = (NOTES.c.id == number) & NOTES.c.done.is_(None)
    done = connection.execute(sa.update(NOTES).where(waits).values(done=now, done_by=account))
    return done.rowcount == 1


# ── messages about a report ──────────────────────────────────────────────────────────────────────

MOST_MESSAGES = 100
"""So many messages may be written about a report."""


def report_messages(database: Database, submission: int) -> tuple[Note, ...]:
    """The messages about a report, the oldest first."""
    with database.reading() as connection:
        return _read(connection, NOTES.c.submission == submission)


def add_message(
    connection: sa.Connection, submission: int, text: str, account: int, now: int
) -> None:
    """Keep a message about a report; one of its director waits until an officer answers.

    Raises:
        Refused: it is empty or too long, or there are too many about the report.
    """
    text = note_text(text)
    if not is_note(text):
        raise Refused(msg("Write a message of at most %(most)s characters.", most=LONGEST_NOTE))
    if len(_read(connection, NOTES.c.submission == submission)) >= MOST_MESSAGES:
        raise Refused(msg("There are too many messages about this report."))
    owner = sa.select(SUBMISSIONS.c.account).where(SUBMISSIONS.c.id == submission)
    answers = connection.execute(owner).scalar_one() != account
    if answers:
        close_messages(connection, submission, account, now)
    given = {"created": now, "page": "", "text": text, "account": account, "submission": submission}
    done = {"done": now, "done_by": account} if answers else {}
    connection.execute(sa.insert(NOTES), given | done)


def close_messages(connection: sa.Connection, submission: int, account: int, now: int) -> None:
    """An officer has answered the messages about a report, or decided on it."""
    waits = (NOTES.c.submission == submission) & NOTES.c.done.is_(None)
    connection.execute(sa.update(NOTES).where(waits).values(done=now, done_by=account))
