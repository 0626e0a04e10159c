"""
A journal in its database: entries are read in order and added at the end.

A writer holds the lock from before it reads the head until its entries are on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec
import sqlalchemy as sa

from palmares.core.errors import Refused, StoreError, brief
from palmares.core.messages import hint, msg
from palmares.journal.store.databases import (
    JOURNAL,
    Database,
    HeadFile,
    connect,
    read_head_file,
    write_head_file,
)
from palmares.journal.store.entries import (
    FIRST,
    START,
    Actor,
    Draft,
    Entry,
    Head,
    Link,
    Sealed,
    chain,
    fits_seal,
)
from palmares.journal.store.migrations import revision, upgraded


def _table(name: str, *columns: str) -> sa.TableClause:
    """A table that `palmares.journal.store.migrations` makes."""
    kinds = {"sequence": sa.BigInteger}
    return sa.table(name, *(sa.column(each, kinds.get(each, sa.Text)) for each in columns))


ENTRIES = _table("entries", *Entry.__struct_fields__)
PERSONS = _table("persons", "commitment", "sequence", "salt", "record")
EVENT_RECORDS = _table("event_records", *Link.__struct_fields__, "event", "body")
EVENT_NAMES = _table("event_names", "event", "entrant", "name")  # outside the chain, to be erased

SCHEMA = "0001"
"""The revision of `palmares.journal.store.migrations` that makes these tables."""


Clock = Callable[[], datetime]
MAX_NUMBER = 2**63 - 1
"""The largest number that a database can hold."""
IN_ORDER = sa.select(ENTRIES).order_by(ENTRIES.c.sequence)
_BATCH = 500
"""Rows selected or fetched at a time."""


def now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Reader:
    """One state of a journal, whatever is recorded meanwhile."""

    connection: sa.Connection
    head_file: HeadFile | None = field(default=None, kw_only=True)  # read before
    new_ends: dict[str, tuple[int, str]] = field(default_factory=dict, kw_only=True)
    """Number and hash of what a transaction adds last, as the head file has them."""

    def lost_ends(self, chain: str | None = None) -> list[str]:
        """What was recorded last, by the head file, and is missing.

        Args:
            chain: `JOURNAL` or the id of an event; by default, all.
        """
        if self.head_file is None:
            return []
        ends = self.head_file.ends()
        if ends is None:
            return [f"{self.head_file.file} is damaged."]
        lost = []
        for name, (sequence, digest) in ends.items():
            if chain not in (None, name):
                continue
            table, what = ENTRIES, f"Entry {sequence}"
            if name != JOURNAL:
                table, what = EVENT_RECORDS, f"Record {sequence} of the event {name}"
            query = sa.select(table.c.sequence).where(table.c.hash == digest)
            if self.connection.execute(query).scalar() != sequence:
                lost.append(
                    f"{what} was recorded here with the hash {digest}, as {self.head_file.file}"
                    " says, and is not in the journal."
                )
        return lost

    def refuse_damage(self, chain: str, so: str = "") -> None:
        """Refuse to go on with a chain whose end was lost, or of which entries are missing.

        Whether entries were changed is seen where they are read.

        Args:
            chain: `JOURNAL` or the id of an event.
            so: what follows from it, such as " Nothing was recorded.".

        Raises:
            StoreError: something is missing: what is recorded behind a gap would hide it.
        """
        if lost := self.lost_ends(chain):
            raise StoreError(f"{lost[0]}{so} {restore_remedy(self)}")
        if chain == JOURNAL:
            count = sa.select(sa.func.count(), sa.func.max(ENTRIES.c.sequence))
            entries, last = self.connection.execute(count.select_from(ENTRIES)).one()
            if entries != (last or 0):
                raise changed_since(f"{(last or 0) - entries} of {last} entries", "are missing", so)

    def head(self) -> Head:
        """The head: the last entry, or `START`."""
        return self.at(None)

    def at(self, moment: str | None) -> Head:
        """The last entry up to a moment, given as entries write it."""
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
        if 0 < sequence <= MAX_NUMBER and (entries := [*self.entries(sequence - 1, sequence)]):
            return entries[0]
        raise Refused(msg("There is no entry %(entry)s in this journal.", entry=str(sequence)))

    def select(self, query: sa.Select[Any]) -> Generator[Entry, None, None]:
        """The entries that a query selects, fetched in batches.

        Raises:
            StoreError: one was changed by other means.
        """
        for entry in self.stored(query):
            if not entry.is_unchanged:
                raise changed_since(f"Entry {entry.sequence}")
            yield entry

    def stored(self, query: sa.Select[Any]) -> Generator[Entry, None, None]:
        """The entries that a query selects, as the database has them."""
        with self.connection.execute(query.execution_options(yield_per=_BATCH)) as rows:
            for row in rows:
                yield Entry(**dict(zip(Entry.__struct_fields__, row, strict=True)))

    def entries(self, after: int = 0, until: int | None = None) -> Generator[Entry, None, None]:
        """The entries after a number, up to another, in order."""
        query = IN_ORDER.where(ENTRIES.c.sequence > after)
        previous = None if after else FIRST
        for entry in self.select(
            query if until is None else query.where(ENTRIES.c.sequence <= until)
        ):
            if previous not in (None, entry.previous):
                raise changed_since(f"Entry {entry.sequence - 1}")
            previous = entry.hash
            yield entry

    def of_kinds(self, kinds: Collection[str], after: int = 0) -> Generator[Entry, None, None]:
        """The entries of some kinds after a number, in order."""
        return self.select(IN_ORDER.where(ENTRIES.c.sequence > after, ENTRIES.c.kind.in_(kinds)))

    def by_number(self, sequences: Collection[int]) -> Generator[Entry, None, None]:
        """Some entries by their numbers, in order."""
        for batch in _batches(sorted(sequences)):
            yield from self.select(IN_ORDER.where(ENTRIES.c.sequence.in_(batch)))

    def about(
        self, subjects: Collection[str], kind: str, until: int
    ) -> Generator[Entry, None, None]:
        """Entries of a kind about some subjects, up to a number; in order for each subject."""
        wanted = IN_ORDER.where(ENTRIES.c.kind == kind, ENTRIES.c.sequence <= until)
        for batch in _batches(sorted(subjects)):
            yield from self.select(wanted.where(ENTRIES.c.subject.in_(batch)))

    def by_key(self, key: str) -> Entry | None:
        """The entry with an idempotency key."""
        return next(iter([*self.select(IN_ORDER.where(ENTRIES.c.key == key))]), None)

    def records(self, commitments: Collection[str] | None = None) -> dict[str, str]:
        """Person records by seal, of some or all seals, without erased ones.

        Raises:
            StoreError: one was changed, or one of some seals deleted, by other means.
        """
        columns = PERSONS.c.commitment, PERSONS.c.salt, PERSONS.c.record, PERSONS.c.sequence
        query = sa.select(*columns).where(PERSONS.c.record.is_not(None))
        batches = [] if commitments is None else _batches(sorted(commitments))
        queries = [query] if commitments is None else []
        queries += [query.where(PERSONS.c.commitment.in_(batch)) for batch in batches]
        records = {}
        for each in queries:
            for seal, salt, record, sequence in self.connection.execute(each).all():
                if not fits_seal(seal, salt, record):
                    raise changed_since(f"The name that belongs to entry {sequence}")
                records[seal] = record
        self.refuse_lost_names({*(commitments or ())} - records.keys())
        return records

    def refuse_lost_names(self, commitments: Collection[str]) -> None:
        """Refuse seals without a name, not even an erased one or one left out of an import.

        Raises:
            StoreError: names were deleted by other means.
        """
        rows = 0
        for batch in _batches(sorted(commitments)):
            query = sa.select(sa.func.count()).where(PERSONS.c.commitment.in_(batch))
            rows += self.connection.execute(query).scalar_one()
        if rows < len(commitments):
            raise changed_since(f"{len(commitments) - rows} names", "are missing")

    def sealed(self, after: int = 0, until: int | None = None) -> Iterator[tuple[int, Sealed]]:
        """Sealed names with the numbers of their entries, in order."""
        query = sa.select(
            PERSONS.c.sequence, PERSONS.c.commitment, PERSONS.c.salt, PERSONS.c.record
        ).where(PERSONS.c.sequence > after)
        if until is not None:
            query = query.where(PERSONS.c.sequence <= until)
        query = query.order_by(PERSONS.c.sequence, PERSONS.c.commitment)
        with self.connection.execute(query.execution_options(yield_per=_BATCH)) as rows:
            for row in rows:
                yield row[0], Sealed(*row[1:])


@dataclass(slots=True)
class Writer(Reader):
    """A transaction that adds entries."""

    by: Actor
    clock: Clock
    last: Head
    has_erased: bool = False

    def extend(self, drafts: Sequence[Draft]) -> list[Entry]:
        """Add entries and their names, in order.

        Raises:
            Refused: a draft is invalid.
        """
        entries = []
        for draft in drafts:
            entry = chain(draft, self.by, self.last, self.clock())
            self.last = entry.head
            entries.append(entry)
        pairs = zip(entries, drafts, strict=True)
        self.put(
            entries, [(entry.sequence, name) for entry, draft in pairs for name in draft.sealed]
        )
        return entries

    def put(self, entries: Sequence[Entry], sealed: Sequence[tuple[int, Sealed]]) -> None:
        """Store chained entries and names as they are."""
        if entries:
            rows = [msgspec.structs.asdict(entry) for entry in entries]
            self.connection.execute(sa.insert(ENTRIES), rows)
            self.last = entries[-1].head
        if sealed:
            self.connection.execute(
                sa.insert(PERSONS),
                [
                    {"commitment": name.commitment, "sequence": sequence, "salt": name.salt,
                     "record": name.record}
                    for sequence, name in sealed
                ],
            )  # fmt: skip

    def erase(self, commitments: Collection[str]) -> None:
        """Delete salts and records; the seals stay, so the chain stays valid."""
        self.has_erased = True
        for batch in _batches(sorted(commitments)):
            self.connection.execute(
                sa.update(PERSONS)
                .where(PERSONS.c.commitment.in_(batch))
                .values(salt=None, record=None)
            )


@dataclass(frozen=True, slots=True)
class Journal:
    """A federation's journal in one database."""

    database: Database
    clock: Clock = now

    @property
    def url(self) -> str:
        """Where it is, without a password."""
        return self.database.safe_url

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """One state of the journal."""
        head_file = read_head_file(self.database.file)  # before the journal, so never ahead
        with self.database.reading() as connection:
            yield Reader(connection, head_file=head_file)

    @contextmanager
    def writing(self, by: Actor) -> Iterator[Writer]:
        """A transaction to record in the name of an actor.

        Raises:
            StoreError: the database fails, or entries are missing; nothing was recorded.
        """
        with self.appending(JOURNAL) as reader:
            head, ends = reader.head(), reader.new_ends
            writer = Writer(reader.connection, by, self.clock, head, new_ends=ends)
            yield writer
            if writer.last.sequence:
                ends[JOURNAL] = (writer.last.sequence, writer.last.hash)
        if writer.has_erased:
            self.database.empty_log()  # it still has the names

    @contextmanager
    def appending(self, chain: str) -> Iterator[Reader]:
        """A transaction to add to `JOURNAL` or to an event; others wait.

        Raises:
            StoreError: the database fails, or links are missing; nothing was recorded.
        """
        file = self.database.file
        ends: dict[str, tuple[int, str]] = {}

        def write_ends() -> None:
            if file is not None and ends:
                write_head_file(file, ends)

        with self.database.writing(write_ends) as connection:
            reader = Reader(connection, head_file=read_head_file(file), new_ends=ends)
            reader.refuse_damage(chain, " Nothing was recorded.")
            yield reader

    def record(self, drafts: Sequence[Draft], by: Actor) -> list[Entry]:
        """Record statements in one transaction."""
        with self.writing(by) as writer:
            return writer.extend(drafts)

    def head(self) -> Head:
        """The last entry."""
        with self.reading() as reader:
            return reader.head()

    def close(self) -> None:
        """Close the database."""
        self.database.close()


def open_journal(url: str) -> Journal:
    """Open the journal at a URL.

    Raises:
        Refused: there is none, or its tables have another schema.
    """
    with ExitStack() as on_error:
        database = connect(url)
        on_error.callback(database.close)
        with database.reading() as connection:
            _refuse_another(database.safe_url, _schema(database, connection))
        on_error.pop_all()
    return Journal(database)


def create_journal(url: str, clock: Clock = now) -> Journal:
    """Open the journal at a URL; create it, or migrate its tables, if needed.

    Raises:
        Refused: it cannot be created there, or has the tables of a later palmares or of another
            program.
    """
    with ExitStack() as on_error:
        database = connect(url, create=True)
        on_error.callback(database.close)
        if database.file and database.file.exists():
            with database.reading() as connection:  # nothing is made beside what is no journal
                _schema(database, connection)
        with database.writing() as connection:
            schema = revision(connection)
            if schema is None or schema < SCHEMA:
                upgraded(connection)
            else:
                _refuse_another(database.safe_url, schema)
            head_file = read_head_file(database.file)  # also of a journal whose file is gone
            Reader(connection, head_file=head_file).refuse_damage(JOURNAL)
        on_error.pop_all()
    return Journal(database, clock)


_LOST = (
    "The end of the journal was lost: its -wal file was cut off, damaged or another's, or its file"
    " was replaced by an older copy. Bring both files back from a copy of one moment, or import the"
    " latest export into an empty journal."
)


def changed_since(what: str, how: str = "is not as it was recorded", so: str = "") -> StoreError:
    """The error of an entry or a record that was changed or deleted by other means."""
    return StoreError(
        hint(
            "verify-the-journal",
            "The journal was changed by other means than palmares: %(what)s.%(so)s To verify it"
            " shows every fault. Restore the journal from an export or a copy that verifies.",
            what=f"{what} {how}",
            so=so,
        )
    )


def restore_remedy(reader: Reader) -> str:
    """What to do if a journal does not have what its head file says."""
    file = "" if reader.head_file is None else reader.head_file.file
    return f"{_LOST} If the journal is meant as it is, remove {file}."


def _schema(database: Database, connection: sa.Connection) -> str | None:
    """The schema of a journal's tables, if there are any.

    Raises:
        Refused: the file is the database of another program; in PostgreSQL others have theirs.
    """
    schema = revision(connection)
    if schema is None and database.file and (tables := sa.inspect(connection).get_table_names()):
        raise Refused(
            f"{database.safe_url} is the database of another program: it has the table"
            f" {brief(tables[0])}. Name another file."
        )
    return schema


def _refuse_another(url: str, schema: str | None) -> None:
    """Refuse tables of another schema."""
    if schema is None:
        raise Refused(hint("begin-a-journal", "%(journal)s holds no journal yet.", journal=url))
    if schema < SCHEMA:
        raise Refused(
            hint(
                "bring-forward",
                "%(journal)s has tables of an earlier palmares (schema %(schema)s; now %(now)s).",
                journal=url,
                schema=schema,
                now=SCHEMA,
            )
        )
    if schema > SCHEMA:
        raise Refused(
            f"{url} has tables of a later palmares (schema {schema}; this one knows {SCHEMA})."
            " Install the newer version."
        )


def _batches(items: Sequence[int] | Sequence[str]) -> Iterator[Sequence[int] | Sequence[str]]:
    for start in range(0, len(items), _BATCH):
        yield items[start : start + _BATCH]
