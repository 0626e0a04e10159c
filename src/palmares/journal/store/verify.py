"""
Verify a journal: the hash and order of every entry, the seal of every name.

A chain whose end was cut off is valid by itself. That is found by a later head: SQLite's is in a
file (`palmares.journal.store.databases`), publications print theirs, and `verify` takes one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.core.messages import msg
from palmares.core.progress import task
from palmares.journal.store.entries import (
    ERASING,
    KINDS,
    ROLES,
    SEALING,
    START,
    ChainFault,
    Entry,
    Head,
    Sealed,
    body_of,
    chain_faults,
    is_visible,
)
from palmares.journal.store.events import event_faults, event_records
from palmares.journal.store.journal import ENTRIES, Reader, restore_remedy
from palmares.journal.store.migrations import upgraded

REMEDY = (
    "This was changed by other means than palmares. Restore the journal from an export or a copy"
    " that verifies."
)
NOT_VALID = msg("the journal is not valid")
_AT_ONCE = 500
T = TypeVar("T")
_FIRST, _LAST = -(2**63), 2**63 - 1  # numbers that a database can hold
_TEXTS = ("recorded_at", "author", "role", "kind", "subject", "body", "previous", "hash")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A valid journal."""

    head: Head
    names: int  # that fit their seals
    erased: int  # by an entry
    absent: int  # neither: imported from an export without names


# ── one entry ────────────────────────────────────────────────────────────────────────────────────


def entry_faults(entry: Entry, before: Head | None) -> Iterator[ChainFault]:
    """What is wrong with an entry.

    Args:
        entry: as the database or file has it.
        before: the entry before; none if it could not be read.
    """
    wrong = [name for name in _TEXTS if not isinstance(getattr(entry, name), str)]
    if wrong or not isinstance(entry.key, str | None):
        yield ChainFault("text", f"Its {', '.join(wrong or ['key'])} is no text.")
        return
    for name in ("author", "subject", "key"):
        text = getattr(entry, name)
        if text is not None and not is_visible(text):
            yield ChainFault(name, f"{brief(ascii(text))} is no {name}.")
    if entry.kind not in KINDS:
        yield ChainFault(
            "kind", f"This palmares knows no kind {brief(ascii(entry.kind))}; a later one may."
        )
    if entry.role not in ROLES:
        yield ChainFault("role", f"There is no role {brief(ascii(entry.role))}.")
    yield from chain_faults(entry, before)


# ── entries with their names ─────────────────────────────────────────────────────────────────────


def seals_in(entry: Entry) -> tuple[str, ...]:
    """The seals in an entry's body.

    Raises:
        Refused: the body has another shape.
    """
    if entry.kind in SEALING:
        return tuple(filter(None, (body_of(entry).person,)))
    return tuple(body_of(entry).persons) if entry.kind == ERASING else ()


@dataclass(slots=True)
class ChainCheck:
    """Checks entries and their names, one after another from the first, in a database or a file."""

    before: Head | None = START  # the last entry; none: it could not be read
    keys: set[str] = field(default_factory=set)
    stored: dict[str, int] = field(default_factory=dict)  # the entry of each seal
    with_name: set[str] = field(default_factory=set)  # seals whose names are there
    erased: dict[str, int] = field(default_factory=dict)  # the entry that erased each seal

    def faults(self, entry: Entry, names: Sequence[Sealed]) -> Iterator[ChainFault]:
        """What is wrong with the next entry and the names that are stored for it."""
        yield from entry_faults(entry, self.before)
        self.before = Head(entry.sequence, str(entry.hash), str(entry.recorded_at))
        if entry.key is not None:
            if entry.key in self.keys:
                yield ChainFault("key", f"An entry before has the key {brief(entry.key)}.")
            self.keys.add(entry.key)
        try:
            seals = seals_in(entry)
        except Refused as error:
            yield ChainFault("seal", str(error))
            return
        stored = self.stored.keys() | {name.commitment for name in names}
        for seal in [seal for seal in seals if seal not in stored]:
            yield ChainFault("seal", f"Its seal {brief(seal)} has no name, not even an erased one.")
        for name in names:
            yield from self._name_faults(entry, name, seals)
        if entry.kind == ERASING:
            self.erased |= dict.fromkeys(seals, entry.sequence)

    def _name_faults(
        self, entry: Entry, name: Sealed, seals: Sequence[str]
    ) -> Iterator[ChainFault]:
        short = short_seal(name)
        if name.commitment in self.stored:
            yield ChainFault("name", f"The name is stored a second time: {short}.")
        elif entry.kind not in SEALING or name.commitment not in seals:
            yield ChainFault("name", f"It has no seal of the name stored for it: {short}.")
        elif not name.is_sound:
            yield ChainFault("name", f"The name stored for it does not fit its seal: {short}.")
        elif name.record is not None:
            self.with_name.add(name.commitment)
        self.stored[name.commitment] = entry.sequence


def short_seal(name: Sealed) -> str:
    """The first letters of a seal, whatever the database has in its place."""
    return ascii(str(name.commitment))[1:-1][:12]


# ── a journal ────────────────────────────────────────────────────────────────────────────────────


def verify(reader: Reader, head: str | None = None) -> Verified:
    """Verify a journal from its first entry to its last.

    Args:
        reader: the journal.
        head: the hash of an entry that it must have.

    Raises:
        FactsRejected: with every fault, each with the entry it is in.
    """
    weaknesses = list(weakened(reader.connection))
    problems = [_problem("database", "database", what) for _, what in weaknesses]
    if any(of.startswith("table ") for of, _ in weaknesses):
        raise FactsRejected(problems, so=NOT_VALID)  # columns may hold anything
    check = ChainCheck()
    problems += _chain_problems(reader, check)
    for seal in sorted(check.with_name & check.erased.keys()):
        what = f"Entry {check.erased[seal]} erased its name, which is still there."
        problems.append(_problem(f"entry {check.stored[seal]}", "erasure", what))
    for record, what in event_faults(_read(reader, lambda: event_records(reader)) or ()):
        where = f"event {brief(record.event)}, record {record.sequence}"
        problems.append(_problem(where, "event", what))
    if head not in (None, START.hash) and not _read(reader, lambda: _has(reader, head)):
        remedy = "Entries were cut off at the end, or the hash is another journal's."
        problems.append(_problem("head", "head", f"No entry has the hash {head}.", remedy))
    for lost in _read(reader, reader.lost_ends) or ():
        problems.append(_problem("head", "head", lost, restore_remedy(reader)))
    if problems:
        raise FactsRejected(problems, so=NOT_VALID)
    without = check.stored.keys() - check.with_name
    erased = len(without & check.erased.keys())
    return Verified(
        head=check.before or START,
        names=len(check.with_name),
        erased=erased,
        absent=len(without) - erased,
    )


def _problem(where: str, rule: str, what: str, remedy: str = REMEDY) -> Problem:
    return Problem(at=Location(where), what=what, clause=f"journal {rule}", remedy=remedy)


def _read(reader: Reader, what: Callable[[], T]) -> T | None:
    """A value from the journal; None if the database cannot read it, which is found elsewhere."""
    with suppress(DBAPIError), reader.connection.begin_nested():
        return what()
    return None


def _has(reader: Reader, digest: str | None) -> bool:
    """Whether an entry has a hash."""
    query = sa.select(ENTRIES.c.sequence).where(ENTRIES.c.hash == digest)
    return reader.connection.execute(query).scalar() is not None


def _chain_problems(reader: Reader, check: ChainCheck) -> Iterator[Problem]:
    """What is wrong with the entries and names; those that cannot be read are named one by one."""
    last = _read(reader, lambda: reader.head().sequence)
    after: int | None = _FIRST
    with task("entries to verify", last) as step:
        while after is not None:
            try:
                through, problems = _check(reader, check, after, _LAST)
                yield from problems
            except DBAPIError as error:
                first = max(after, 0) + 1
                if last is None or last < first:
                    what = f"They cannot be read: {error.orig}."
                    yield _problem(f"entry {first} and later", "database", what)
                    return
                through = min(last, first + _AT_ONCE - 1)
                for sequence in range(first, through + 1):
                    yield from _check_one(reader, check, sequence)
            if through is not None:
                step(through - max(after, 0))
            after = through


def _check_one(reader: Reader, check: ChainCheck, sequence: int) -> list[Problem]:
    """Check an entry by itself, where those beside it cannot be read."""
    try:
        return _check(reader, check, sequence - 1, sequence)[1]
    except DBAPIError as error:
        check.before = None
        what = f"It, or its name, cannot be read: {error.orig}."
        return [_problem(f"entry {sequence}", "database", what)]


def _check(
    reader: Reader, check: ChainCheck, after: int, until: int
) -> tuple[int | None, list[Problem]]:
    """Check some entries and their names.

    Returns:
        The number of the last of them, if there is one, and what is wrong.
    """
    query = sa.select(ENTRIES).where(ENTRIES.c.sequence.between(after + 1, until))
    limit = min(_AT_ONCE, until - after)  # rows after the last may be damaged
    names: dict[int, list[Sealed]] = {}
    with reader.connection.begin_nested():
        entries = list(reader.stored(query.order_by(ENTRIES.c.sequence).limit(limit)))
        through = entries[-1].sequence if entries else None
        for sequence, name in reader.sealed(after, until if through is None else through):
            names.setdefault(sequence, []).append(name)
    problems = [
        _problem(f"entry {entry.sequence}", *fault)
        for entry in entries
        for fault in check.faults(entry, names.pop(entry.sequence, ()))
    ]
    for sequence, strays in names.items():
        what = f"It is stored for entry {sequence}, which is missing."
        problems += [_problem(f"name {short_seal(name)}", "name", what) for name in strays]
    return through, problems


# ── the database around the entries ───────────────────────────────────────────────────────────────

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


def weakened(connection: sa.Connection) -> Iterator[tuple[str, str]]:
    """What is wrong with SQLite's file, tables, indexes and triggers ("table entries"), and how."""
    if connection.dialect.name != "sqlite":
        yield from _compared(_objects(connection, _POSTGRESQL), _ON)
        return
    try:
        for (line,) in connection.exec_driver_sql(f"PRAGMA integrity_check({_MAX_ERRORS})"):
            if line != "ok":
                yield "file", f"SQLite says about its file: {' '.join(str(line).split())}."
        yield from _compared(_objects(connection, _SQLITE), _expected())
    except (DBAPIError, UnicodeError) as error:
        yield "file", f"SQLite cannot check its file: {getattr(error, 'orig', error)}."


def _compared(objects: Objects, expected: Objects) -> Iterator[tuple[str, str]]:
    for name in sorted(objects.keys() | expected.keys()):
        if name not in objects:
            yield name, f"The database has no {name} any more."
        elif name not in expected and name.startswith("trigger "):
            yield name, f"The database has a {name} that palmares did not make."
        elif name in expected and objects[name] != expected[name]:
            yield name, f"The database's {name} is not as palmares made it."


def _objects(connection: sa.Connection, query: str) -> Objects:
    return {
        f"{kind} {name}": tuple(rest) for kind, name, *rest in connection.exec_driver_sql(query)
    }


@cache
def _expected() -> Objects:
    """Tables, indexes and triggers that the migrations make for a new journal."""
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        upgraded(connection)
        objects = _objects(connection, _SQLITE)
    engine.dispose()
    return objects
