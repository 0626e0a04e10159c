"""
A journal in its database: entries are read in order and added at the end, by somebody.

Everything between the head that a writer sees and its own entries is the writer's alone: the lock
is taken before the head is read, and given back when all is on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec
import sqlalchemy as sa

from palmares.core.errors import Refused
from palmares.core.messages import hint, msg
from palmares.journal.store.databases import Database, connect
from palmares.journal.store.entries import START, Actor, Draft, Entry, Head, chain
from palmares.journal.store.head_file import (
    HeadFile,
    read_head_file,
    remove_head_file,
    write_head_file,
)
from palmares.journal.store.migrations import revision, upgraded
from palmares.journal.store.persons import Sealed
from palmares.journal.store.tables import ENTRIES, PERSONS, SCHEMA

Clock = Callable[[], datetime]
MOST = 2**63 - 1
"""A number that a database can hold."""
_IN_ORDER = sa.select(ENTRIES).order_by(ENTRIES.c.sequence)
_AT_ONCE = 500
"""Rows that are asked for, or fetched, at a time."""


def now() -> datetime:
    """The moment it is, in UTC."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Reader:
    """One state of a journal, whatever others record meanwhile."""

    connection: sa.Connection
    kept: HeadFile | None = field(default=None, kw_only=True)  # beside the file, read before

    def lost(self) -> str | None:
        """What is wrong with the journal's end, if the head kept beside it is not in it."""
        if self.kept is None:
            return None
        if self.kept.sequence is None:
            return f"{self.kept.file} is damaged."
        query = sa.select(ENTRIES.c.hash).where(ENTRIES.c.sequence == self.kept.sequence)
        if self.connection.execute(query).scalar() == self.kept.hash:
            return None
        return (
            f"Entry {self.kept.sequence} was recorded here with the hash {self.kept.hash}, as"
            f" {self.kept.file} says, and is not in the journal."
        )

    def head(self) -> Head:
        """The last entry, or `START`."""
        return self.at(None)

    def at(self, moment: str | None) -> Head:
        """The last entry recorded up to a moment, written as entries write it."""
        columns = ENTRIES.c.sequence, ENTRIES.c.hash, ENTRIES.c.recorded_at
        query = sa.select(*columns).order_by(ENTRIES.c.sequence.desc()).limit(1)
        if moment is not None:
            query = query.where(ENTRIES.c.recorded_at <= moment)
        row = self.connection.execute(query).one_or_none()
        return START if row is None else Head(*row)

    def entry(self, sequence: int) -> Entry:
        """One entry.

        Raises:
            Refused: there is none of that number.
        """
        if 0 < sequence <= MOST and (found := [*self.entries(sequence - 1, sequence)]):
            return found[0]
        raise Refused(msg("There is no entry %(entry)s in this journal.", entry=str(sequence)))

    def select(self, query: sa.Select[Any]) -> Generator[Entry, None, None]:
        """The entries that a query of whole rows gives, fetched a few hundred at a time."""
        with self.connection.execute(query.execution_options(yield_per=_AT_ONCE)) as rows:
            for row in rows:
                yield Entry(**row._mapping)  # noqa: SLF001  the name SQLAlchemy gives it

    def entries(self, after: int = 0, until: int | None = None) -> Generator[Entry, None, None]:
        """Entries in order, from behind one to another."""
        query = _IN_ORDER.where(ENTRIES.c.sequence > after)
        return self.select(query if until is None else query.where(ENTRIES.c.sequence <= until))

    def of_kinds(self, kinds: Collection[str], after: int = 0) -> Iterator[Entry]:
        """Entries of some kinds in order, from behind one on."""
        return self.select(_IN_ORDER.where(ENTRIES.c.sequence > after, ENTRIES.c.kind.in_(kinds)))

    def by_number(self, sequences: Collection[int]) -> Iterator[Entry]:
        """Some entries by number, in order."""
        for few in _parts(sorted(sequences)):
            yield from self.select(_IN_ORDER.where(ENTRIES.c.sequence.in_(few)))

    def about(self, subjects: Collection[str], kind: str, until: int) -> Iterator[Entry]:
        """Entries of a kind about some subjects, up to one of them; those of a subject in order."""
        wanted = _IN_ORDER.where(ENTRIES.c.kind == kind, ENTRIES.c.sequence <= until)
        for few in _parts(sorted(subjects)):
            yield from self.select(wanted.where(ENTRIES.c.subject.in_(few)))

    def by_key(self, key: str) -> Entry | None:
        """The entry that a program recorded under its key."""
        found = list(self.select(_IN_ORDER.where(ENTRIES.c.key == key)))
        return found[0] if found else None

    def records(self, commitments: Collection[str] | None = None) -> dict[str, str]:
        """The records of persons that are still there, by commitment: of some, or of all."""
        query = sa.select(PERSONS.c.commitment, PERSONS.c.record).where(
            PERSONS.c.record.is_not(None)
        )
        if commitments is None:
            return {row[0]: row[1] for row in self.connection.execute(query)}
        return {
            row[0]: row[1]
            for few in _parts(sorted(commitments))
            for row in self.connection.execute(query.where(PERSONS.c.commitment.in_(few)))
        }

    def sealed(self, after: int = 0, until: int | None = None) -> Iterator[tuple[int, Sealed]]:
        """Names beside the chain, each with the entry that brought its seal, in their order."""
        query = sa.select(
            PERSONS.c.sequence, PERSONS.c.commitment, PERSONS.c.salt, PERSONS.c.record
        ).where(PERSONS.c.sequence > after)
        if until is not None:
            query = query.where(PERSONS.c.sequence <= until)
        query = query.order_by(PERSONS.c.sequence, PERSONS.c.commitment)
        with self.connection.execute(query.execution_options(yield_per=_AT_ONCE)) as rows:
            for row in rows:
                yield row[0], Sealed(*row[1:])


@dataclass(slots=True)
class Writer(Reader):
    """A transaction that adds entries; they are in the journal when it has ended well."""

    by: Actor
    clock: Clock
    last: Head
    has_erased: bool = False

    def append(self, draft: Draft) -> Entry:
        """Add one entry to the chain, with the names that its body has the seals of.

        Raises:
            Refused: it is no entry.
        """
        return self.extend([draft])[0]

    def extend(self, drafts: Sequence[Draft]) -> list[Entry]:
        """Add entries in order."""
        found = []
        for draft in drafts:
            entry = chain(draft, self.by, self.last, self.clock())
            self.last = entry.head
            found.append(entry)
        self.put(found, [(e.sequence, s) for e, d in zip(found, drafts, strict=True)
                         for s in d.sealed])  # fmt: skip
        return found

    def put(self, entries: Sequence[Entry], sealed: Sequence[tuple[int, Sealed]]) -> None:
        """Store entries that are chained already, and names, as they are."""
        if entries:
            rows = [msgspec.structs.asdict(entry) for entry in entries]
            self.connection.execute(sa.insert(ENTRIES), rows)
            self.last = entries[-1].head
        if sealed:
            self.connection.execute(
                sa.insert(PERSONS),
                [
                    {"commitment": one.commitment, "sequence": sequence, "salt": one.salt,
                     "record": one.record}
                    for sequence, one in sealed
                ],
            )  # fmt: skip

    def erase(self, commitments: Collection[str]) -> None:
        """Throw salts and records away; their commitments stay, and so does the chain."""
        self.has_erased = True
        for few in _parts(sorted(commitments)):
            self.connection.execute(
                sa.update(PERSONS)
                .where(PERSONS.c.commitment.in_(few))
                .values(salt=None, record=None)
            )


@dataclass(frozen=True, slots=True)
class Journal:
    """A federation's shared truth, in one database."""

    database: Database
    clock: Clock = now

    @property
    def url(self) -> str:
        """Where it is, without a password."""
        return self.database.safe_url

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """One state of the journal."""
        kept = read_head_file(self.database.file)  # it is never ahead of what is read then
        with self.database.reading() as connection:
            yield Reader(connection, kept=kept)

    @contextmanager
    def writing(self, by: Actor) -> Iterator[Writer]:
        """A turn to record, in the name of somebody; all of it is recorded, or nothing.

        Raises:
            Refused: the database refuses, or its end was lost; nothing was recorded.
        """
        file = self.database.file
        writer: Writer | None = None

        def keep() -> None:
            if file is not None and writer is not None and writer.last.sequence:
                write_head_file(file, writer.last.sequence, writer.last.hash)

        with self.database.writing(keep) as connection:
            reader = Reader(connection, kept=read_head_file(file))
            _refuse_a_lost_end(reader)
            writer = Writer(connection, by, self.clock, reader.head())
            yield writer
        if writer.has_erased:
            self.database.tidy()  # the log still had the names

    def record(self, drafts: Sequence[Draft], by: Actor) -> list[Entry]:
        """Record statements in one transaction."""
        with self.writing(by) as writer:
            return writer.extend(drafts)

    def head(self) -> Head:
        """The last entry."""
        with self.reading() as reader:
            return reader.head()

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()


def open_journal(url: str, clock: Clock = now) -> Journal:
    """The journal at a URL.

    Raises:
        Refused: there is none, or its tables are of another version of palmares.
    """
    database = connect(url)
    with _or_closed(database), database.reading() as connection:
        _refuse_another(database.safe_url, revision(connection))
    return Journal(database, clock)


def create_journal(url: str, clock: Clock = now) -> Journal:
    """The journal at a URL, made if there is none, its tables brought forward if they are older.

    Raises:
        Refused: it cannot be made there, or is of a later version of palmares.
    """
    database = connect(url, create=True)
    with _or_closed(database), database.writing() as connection:
        found = revision(connection)
        if found is None and database.file is not None:
            remove_head_file(database.file)
        if found is None or found < SCHEMA:
            upgraded(connection)
        else:
            _refuse_another(database.safe_url, found)
            _refuse_a_lost_end(Reader(connection, kept=read_head_file(database.file)))
    return Journal(database, clock)


@contextmanager
def _or_closed(database: Database) -> Iterator[None]:
    try:
        yield
    except BaseException:
        database.close()
        raise


LOST = (
    "The end of the journal was lost: its -wal file was cut off, damaged or another's, or its file"
    " was replaced by an older copy. Bring both files back from a copy of one moment, or import the"
    " latest export into an empty journal."
)
"""What to do where the head kept beside a journal is not in it."""


def _refuse_a_lost_end(reader: Reader) -> None:
    """Refuse to go on behind an end that was lost: what was there would never be missed."""
    lost = reader.lost()
    if lost is not None and reader.kept is not None:
        raise Refused(
            f"{lost} Nothing was recorded. {LOST} If the journal is meant as it is, remove"
            f" {reader.kept.file}."
        )


def _refuse_another(shown: str, found: str | None) -> None:
    """Refuse tables of another schema than the present one."""
    if found is None:
        raise Refused(hint("begin-a-journal", "%(journal)s holds no journal yet.", journal=shown))
    if found < SCHEMA:
        raise Refused(
            hint(
                "bring-forward",
                "%(journal)s has tables of an earlier palmares (schema %(schema)s; now %(now)s).",
                journal=shown,
                schema=found,
                now=SCHEMA,
            )
        )
    if found > SCHEMA:
        raise Refused(
            f"{shown} has tables of a later palmares (schema {found}; this one knows {SCHEMA})."
            " Install the newer version."
        )


def _parts(items: Sequence[int] | Sequence[str]) -> Iterator[Sequence[int] | Sequence[str]]:
    for start in range(0, len(items), _AT_ONCE):
        yield items[start : start + _AT_ONCE]
