"""
Verify a journal: the hash and order of every entry, the seal of every name.

A chain whose end was cut off is valid by itself. That is found by a later head: SQLite's is in a
file (`palmares.journal.store.head_file`), publications print theirs, and `verify` takes one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from palmares.core.canonical import is_canonical
from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.core.messages import msg
from palmares.core.progress import task
from palmares.journal.store.entries import (
    KINDS,
    ROLES,
    START,
    Entry,
    Head,
    is_timestamp,
    is_visible,
)
from palmares.journal.store.events import event_faults, event_records
from palmares.journal.store.integrity import weakened
from palmares.journal.store.journal import LOST, Reader
from palmares.journal.store.kinds import body_of
from palmares.journal.store.persons import ERASING, SEALING, Sealed
from palmares.journal.store.tables import ENTRIES, PERSONS

REMEDY = (
    "This was changed by other means than palmares. Restore the journal from an export or a copy"
    " that verifies."
)
NOT_VALID = msg("the journal is not valid")
_AT_ONCE = 500
T = TypeVar("T")
_FIRST, _LAST = -(2**63), 2**63 - 1  # numbers that a database can hold
_TEXTS = ("recorded_at", "author", "role", "kind", "subject", "body", "previous", "hash")


class Fault(NamedTuple):
    """A broken rule of the chain, and how it is broken."""

    rule: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A valid journal."""

    head: Head
    names: int  # that fit their seals
    erased: int  # by an entry
    absent: int  # neither: imported from an export without names


# ── one entry ────────────────────────────────────────────────────────────────────────────────────


def entry_faults(entry: Entry, before: Head | None) -> Iterator[Fault]:
    """What is wrong with an entry.

    Args:
        entry: as the database or file has it.
        before: the entry before; none if it could not be read.
    """
    wrong = [name for name in _TEXTS if not isinstance(getattr(entry, name), str)]
    if wrong or not isinstance(entry.key, str | None):
        yield Fault("text", f"Its {', '.join(wrong or ['key'])} is no text.")
        return
    if before is not None:
        yield from _order(entry, before)
    if not is_timestamp(entry.recorded_at):
        yield Fault("recorded_at", f"{brief(ascii(entry.recorded_at))} is not a moment in UTC.")
    for name in ("author", "subject", "key"):
        text = getattr(entry, name)
        if text is not None and not is_visible(text):
            yield Fault(name, f"{brief(ascii(text))} is no {name}.")
    if entry.kind not in KINDS:
        yield Fault("kind", f"There is no kind {brief(ascii(entry.kind))}.")
    if entry.role not in ROLES:
        yield Fault("role", f"There is no role {brief(ascii(entry.role))}.")
    if not (entry.body.startswith("{") and is_canonical(entry.body)):
        yield Fault("body", "Its body is no canonical JSON.")
    digest = "none"
    with suppress(Refused, UnicodeError):
        digest = entry.digest()
    if digest != entry.hash:
        yield Fault("hash", f"It has the hash {brief(entry.hash)}; its fields come to {digest}.")


def _order(entry: Entry, before: Head) -> Iterator[Fault]:
    """Faults of number, previous hash and time."""
    after = before.sequence + 1
    if entry.sequence > after:
        missing = f"Entry {after} is" if entry.sequence == after + 1 else (
            f"Entries {after} to {entry.sequence - 1} are"
        )  # fmt: skip
        yield Fault("sequence", f"{missing} missing before it.")
    elif entry.sequence < after:
        yield Fault("sequence", f"It comes after entry {before.sequence}.")
    elif entry.previous != before.hash:
        yield Fault("previous", f"It follows {brief(entry.previous)}, not {brief(before.hash)}.")
    if entry.recorded_at <= before.recorded_at:
        yield Fault(
            "recorded_at",
            f"It was recorded at {brief(entry.recorded_at)}, not after {before.recorded_at}.",
        )


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def seals_in(entry: Entry) -> tuple[str, ...]:
    """The seals in an entry's body.

    Raises:
        Refused: the body has another shape.
    """
    if entry.kind in SEALING:
        return tuple(filter(None, (body_of(entry).person,)))
    return tuple(body_of(entry).persons) if entry.kind == ERASING else ()


def name_faults(
    entry: Entry,
    names: Sequence[Sealed],
    erased: Mapping[str, int],
    was_sealed_before: Callable[[str, int], bool],
) -> Iterator[Fault]:
    """What is wrong with the names of an entry.

    Args:
        entry: the entry.
        names: that are stored for it.
        erased: the entry that erased each seal.
        was_sealed_before: whether an entry before a number has a seal.
    """
    try:
        seals = seals_in(entry)
    except Refused as error:
        yield Fault("seal", str(error))
        return
    stored = {name.commitment for name in names}
    for seal in seals:
        if seal not in stored and not was_sealed_before(seal, entry.sequence):
            yield Fault("seal", f"Its seal {brief(seal)} has no name, not even an erased one.")
    for name in names:
        if entry.kind not in SEALING or name.commitment not in seals:
            yield Fault("name", f"It has no seal of the name stored for it: {_short(name)}.")
        elif not name.is_sound:
            yield Fault("name", f"The name stored for it does not fit its seal: {_short(name)}.")
        elif name.record is not None and name.commitment in erased:
            by = erased[name.commitment]
            yield Fault("erasure", f"Entry {by} erased its name, which is still there.")


def _short(name: Sealed) -> str:
    """The first letters of a seal, whatever the database has in its place."""
    return ascii(str(name.commitment))[1:-1][:12]


# ── a journal ────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class _Verification:
    """How far a journal is verified, and the problems so far."""

    reader: Reader
    wanted: str | None  # the hash of an entry that must still come
    erased: dict[str, int]
    before: Head | None = START
    end: int | None = None  # the number of the last entry; none if it cannot be read
    problems: list[Problem] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: {"names": 0, "erased": 0, "absent": 0})

    def fault(self, where: str, rule: str, what: str, remedy: str = REMEDY) -> None:
        """Add a problem."""
        self.problems.append(
            Problem(at=Location(where), what=what, clause=f"journal {rule}", remedy=remedy)
        )

    def entry(self, entry: Entry, names: Sequence[Sealed]) -> None:
        """Check an entry and its names."""
        where = f"entry {entry.sequence}"
        for fault in (
            *entry_faults(entry, self.before),
            *name_faults(entry, names, self.erased, self.was_sealed_before),
        ):
            self.fault(where, *fault)
        for name in names:
            missing = "erased" if name.commitment in self.erased else "absent"
            self.counts["names" if name.record is not None else missing] += 1
        if entry.hash == self.wanted:
            self.wanted = None
        self.before = Head(entry.sequence, str(entry.hash), str(entry.recorded_at))

    def was_sealed_before(self, commitment: str, sequence: int) -> bool:
        """Whether an earlier entry has a seal."""
        query = sa.select(PERSONS.c.sequence).where(PERSONS.c.commitment == commitment)
        with suppress(DBAPIError):
            first = self.reader.connection.execute(query).scalar()
            return isinstance(first, int) and first < sequence
        return False


def verify(reader: Reader, head: str | None = None) -> Verified:
    """Verify a journal from its first entry to its last.

    Args:
        reader: the journal.
        head: the hash of an entry that it must have.

    Raises:
        FactsRejected: with every fault, each with the entry it is in.
    """
    erased = _read(reader, lambda: _erased(reader))
    walk = _Verification(reader, None if head == START.hash else head, erased or {})
    around = list(weakened(reader.connection))
    for _, what in around:
        walk.fault("database", "database", what)
    if any(of.startswith("table ") for of, _ in around):
        raise FactsRejected(walk.problems, so=NOT_VALID)  # columns may hold anything
    walk.end = _read(reader, lambda: _last(reader))
    with task("entries to verify", walk.end or None) as step:
        after = _FIRST
        while (through := _check_next(walk, after)) is not None:
            step(through - max(after, 0))
            after = through
    for record, what in event_faults(_read(reader, lambda: event_records(reader)) or ()):
        walk.fault(f"event {brief(record.event)}, record {record.sequence}", "event", what)
    if walk.wanted is not None:
        walk.fault(
            "head", "head", f"No entry has the hash {walk.wanted}.",
            "Entries were cut off at the end, or the hash is another journal's.",
        )  # fmt: skip
    lost = _read(reader, reader.lost)
    if lost is not None and reader.head_file is not None:
        meant = f" If the journal is meant as it is, remove {reader.head_file.file}."
        walk.fault("head", "head", lost, LOST + meant)
    if walk.problems:
        raise FactsRejected(walk.problems, so=NOT_VALID)
    return Verified(head=walk.before or START, **walk.counts)


def _read(reader: Reader, what: Callable[[], T]) -> T | None:
    """A value from the journal; None if the database cannot read it, which is found later."""
    with suppress(DBAPIError), reader.connection.begin_nested():
        return what()
    return None


def _erased(reader: Reader) -> dict[str, int]:
    """The entry that erased each seal."""
    erased: dict[str, int] = {}
    for entry in reader.of_kinds([ERASING]):
        with suppress(Refused):
            erased |= dict.fromkeys(seals_in(entry), entry.sequence)
    return erased


def _last(reader: Reader) -> int | None:
    """The number of the last entry, 0 if there is none; None if it is not a number."""
    last = reader.connection.execute(sa.select(sa.func.max(ENTRIES.c.sequence))).scalar() or 0
    return last if isinstance(last, int) else None


def _check_next(walk: _Verification, after: int) -> int | None:
    """Check the next entries and return the number of the last, if there are any.

    If the database cannot read some of them, each is read alone.
    """
    try:
        return _check(walk, after, _LAST)
    except DBAPIError as error:
        first = max(after + 1, START.sequence + 1)
        if walk.end is None:
            where = f"entry {first} and later"
            walk.fault(where, "database", f"They cannot be read: {error.orig}.")
        if walk.end is None or walk.end < first:
            return None
    last = min(walk.end, first + _AT_ONCE - 1)
    for sequence in range(first, last + 1):
        try:
            _check(walk, sequence - 1, sequence)
        except DBAPIError as error:
            what = f"It, or its name, cannot be read: {error.orig}."
            walk.fault(f"entry {sequence}", "database", what)
            walk.before = None
    return last


def _check(walk: _Verification, after: int, until: int) -> int | None:
    """Check some entries and their names, and return the number of the last, if there is one."""
    entries = _entries(walk.reader, after, until)
    if any(not isinstance(one.sequence, int) for one in entries):
        what = f"After entry {max(after, 0)} are rows that are not entries."
        walk.fault("database", "database", what)
        return None
    through = max((one.sequence for one in entries), default=until)
    names = _names(walk.reader, after, through)
    for entry in entries:
        walk.entry(entry, names.pop(entry.sequence, ()))
    for sequence, strays in names.items():
        for name in strays:
            where = f"name {_short(name)}"
            walk.fault(where, "name", f"It is stored for entry {sequence}, which is missing.")
    return through if entries and through > after else None


def _entries(reader: Reader, after: int, until: int) -> list[Entry]:
    query = sa.select(ENTRIES).where(ENTRIES.c.sequence.between(after + 1, until))
    limit = min(_AT_ONCE, until - after)  # rows after the last may be damaged
    with reader.connection.begin_nested():
        return list(reader.select(query.order_by(ENTRIES.c.sequence).limit(limit)))


def _names(reader: Reader, after: int, until: int) -> dict[int, Sequence[Sealed]]:
    names: dict[int, Sequence[Sealed]] = {}
    with reader.connection.begin_nested():
        for sequence, name in reader.sealed(after, until):
            names[sequence] = [*names.get(sequence, ()), name]
    return names
