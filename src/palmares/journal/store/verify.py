"""
Is a journal whole? Every entry is held against the one before, every name against its seal.

A chain that was cut off at its end is whole: only a later head tells. SQLite's is kept beside the
file (`palmares.journal.store.head_file`); publications print the head, and `verify` takes one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from palmares.core.canonical import is_canonical
from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.core.messages import msg
from palmares.core.progress import task
from palmares.journal.store.entries import KINDS, ROLES, START, Entry, Head, is_visible
from palmares.journal.store.integrity import weakened
from palmares.journal.store.journal import LOST, Reader
from palmares.journal.store.kinds import body_of
from palmares.journal.store.persons import BRINGS, ERASES, Sealed
from palmares.journal.store.tables import ENTRIES, PERSONS

REMEDY = (
    "This was changed by other means than palmares. Restore the journal from an export or a copy"
    " that verifies."
)
NOT_WHOLE = msg("the journal is not whole")
_AT_ONCE = 500
T = TypeVar("T")
_FIRST, _LAST = -(2**63), 2**63 - 1  # numbers that a database can hold
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)
_TEXTS = ("recorded_at", "author", "role", "kind", "subject", "body", "previous", "hash")


class Fault(NamedTuple):
    """Which rule of the chain is broken, and how."""

    rule: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A journal that is whole."""

    head: Head
    names: int  # there, each as it was sealed
    erased: int  # thrown away, as an entry says
    absent: int  # neither: the journal was restored from an export without names


# ── one entry ────────────────────────────────────────────────────────────────────────────────────


def entry_faults(entry: Entry, before: Head | None) -> Iterator[Fault]:
    """What is wrong with an entry that stands behind another.

    Args:
        entry: as it was found.
        before: the last one; none if it could not be read.
    """
    wrong = [name for name in _TEXTS if not isinstance(getattr(entry, name), str)]
    if wrong or not isinstance(entry.key, str | None):
        yield Fault("text", f"Its {', '.join(wrong or ['key'])} is no text.")
        return
    if before is not None:
        yield from _order(entry, before)
    if not _is_moment(entry.recorded_at):
        yield Fault("recorded_at", f"{brief(ascii(entry.recorded_at))} is no moment in UTC.")
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
    digest = _digest(entry)
    if digest != entry.hash:
        yield Fault("hash", f"It has the hash {brief(entry.hash)}; its fields come to {digest}.")


def _order(entry: Entry, before: Head) -> Iterator[Fault]:
    """Number, hash and moment of the entry before."""
    after = before.sequence + 1
    if entry.sequence > after:
        missing = f"Entry {after} is" if entry.sequence == after + 1 else (
            f"Entries {after} to {entry.sequence - 1} are"
        )  # fmt: skip
        yield Fault("sequence", f"{missing} missing before it.")
    elif entry.sequence < after:
        yield Fault("sequence", f"It stands behind entry {before.sequence}.")
    elif entry.previous != before.hash:
        yield Fault("previous", f"It follows {brief(entry.previous)}, not {brief(before.hash)}.")
    if entry.recorded_at <= before.recorded_at:
        yield Fault(
            "recorded_at",
            f"It was recorded at {brief(entry.recorded_at)}, not after {before.recorded_at}.",
        )


def _is_moment(text: str) -> bool:
    if not _MOMENT.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _digest(entry: Entry) -> str:
    try:
        return entry.digest()
    except (Refused, UnicodeError):
        return "none"


# ── names beside it ──────────────────────────────────────────────────────────────────────────────


def seals_in(entry: Entry) -> tuple[str, ...]:
    """The commitments in an entry's body.

    Raises:
        Refused: its body is none that can be read, or has something else in their place.
    """
    if entry.kind == BRINGS:
        person = body_of(entry).person
        return () if person is None else (person,)
    return tuple(body_of(entry).persons) if entry.kind == ERASES else ()


def name_faults(
    entry: Entry,
    names: Sequence[Sealed],
    erased: Mapping[str, int],
    brought_before: Callable[[str, int], bool],
) -> Iterator[Fault]:
    """What is wrong with the names laid beside an entry.

    Args:
        entry: the entry.
        names: those that came with it.
        erased: which entry erased which.
        brought_before: whether an earlier entry than one brought a commitment.
    """
    try:
        held = seals_in(entry)
    except Refused as error:
        yield Fault("seal", str(error))
        return
    brought = {one.commitment for one in names}
    for one in held:
        if one not in brought and not brought_before(one, entry.sequence):
            yield Fault("seal", f"Its seal {brief(one)} has no name, not even an erased one.")
    for name in names:
        yield from _one_name(entry, name, held, erased)


def _one_name(
    entry: Entry, name: Sealed, held: Sequence[str], erased: Mapping[str, int]
) -> Iterator[Fault]:
    told = _short(name)
    if entry.kind != BRINGS or name.commitment not in held:
        yield Fault("name", f"A name lies beside it of which it has no seal: {told}.")
    elif not _sound(name):
        yield Fault("name", f"A name beside it is not the one that was sealed: {told}.")
    elif name.record is not None and name.commitment in erased:
        by = erased[name.commitment]
        yield Fault("erasure", f"Entry {by} erased a name beside it that is still there.")


def _short(name: Sealed) -> str:
    """The first letters of a commitment, whatever stands there."""
    return ascii(str(name.commitment))[1:-1][:12]


def _sound(name: Sealed) -> bool:
    """Whether a record is the one that was sealed, and is a person's."""
    try:
        if not name.sound:
            return False
        name.person()
    except (msgspec.MsgspecError, UnicodeError, TypeError, AttributeError):
        return False
    return True


# ── the whole journal ────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class _Walk:
    """How far a journal was checked, and what was found."""

    reader: Reader
    wanted: str | None
    erased: dict[str, int]
    before: Head | None = START
    end: int | None = None  # the number of the last entry; none if it cannot be read
    problems: list[Problem] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: {"names": 0, "erased": 0, "absent": 0})

    def fault(self, where: str, rule: str, what: str, remedy: str = REMEDY) -> None:
        """One more."""
        self.problems.append(
            Problem(at=Location(where), what=what, clause=f"journal {rule}", remedy=remedy)
        )

    def entry(self, entry: Entry, names: Sequence[Sealed]) -> None:
        """Check one entry and the names beside it."""
        where = f"entry {entry.sequence}"
        for found in (
            *entry_faults(entry, self.before),
            *name_faults(entry, names, self.erased, self.brought_before),
        ):
            self.fault(where, *found)
        for name in names:
            gone = "erased" if name.commitment in self.erased else "absent"
            self.counts["names" if name.record is not None else gone] += 1
        if entry.hash == self.wanted:
            self.wanted = None
        self.before = Head(entry.sequence, str(entry.hash), str(entry.recorded_at))

    def brought_before(self, commitment: str, sequence: int) -> bool:
        """Whether an earlier entry brought a commitment."""
        query = sa.select(PERSONS.c.sequence).where(PERSONS.c.commitment == commitment)
        try:
            found = self.reader.connection.execute(query).scalar()
        except DBAPIError:
            return False
        return isinstance(found, int) and found < sequence


def verify(reader: Reader, head: str | None = None) -> Verified:
    """Check a journal from its first entry to its last.

    Args:
        reader: one state of it.
        head: the hash of an entry that it must have, known from elsewhere.

    Raises:
        FactsRejected: with every fault, each with the entry it is in.
    """
    erased = _read(reader, lambda: _erased(reader))
    walk = _Walk(reader, None if head == START.hash else head, erased or {})
    around = list(weakened(reader.connection))
    for _, what in around:
        walk.fault("database", "database", what)
    if any(of.startswith("table ") for of, _ in around):
        raise FactsRejected(walk.problems, so=NOT_WHOLE)  # no telling what a column holds
    walk.end = _read(reader, lambda: _last(reader))
    with task("entries to verify", walk.end or None) as step:
        after = _FIRST
        while (through := _check_next(walk, after)) is not None:
            step(through - max(after, 0))
            after = through
    if walk.wanted is not None:
        walk.fault(
            "head", "head", f"No entry has the hash {walk.wanted}.",
            "Entries were cut off at the end, or the hash is another journal's.",
        )  # fmt: skip
    lost = _read(reader, reader.lost)
    if lost is not None and reader.kept is not None:
        meant = f" If the journal is meant as it is, remove {reader.kept.file}."
        walk.fault("head", "head", lost, LOST + meant)
    if walk.problems:
        raise FactsRejected(walk.problems, so=NOT_WHOLE)
    return Verified(head=walk.before or START, **walk.counts)


def _read(reader: Reader, what: Callable[[], T]) -> T | None:
    """Something of the journal; nothing where the database cannot read it, which is found later."""
    with suppress(DBAPIError), reader.connection.begin_nested():
        return what()
    return None


def _erased(reader: Reader) -> dict[str, int]:
    """Which entry erased which commitment."""
    found: dict[str, int] = {}
    for entry in reader.of_kinds([ERASES]):
        with suppress(Refused):
            found |= dict.fromkeys(seals_in(entry), entry.sequence)
    return found


def _last(reader: Reader) -> int | None:
    """The number of the last entry, 0 if there is none; none if it is no number."""
    found = reader.connection.execute(sa.select(sa.func.max(ENTRIES.c.sequence))).scalar() or 0
    return found if isinstance(found, int) else None


def _check_next(walk: _Walk, after: int) -> int | None:
    """Check the next entries; the number of the last of them, if there are any.

    Where the database cannot read some of them, each is read alone.
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
            what = f"It, or a name beside it, cannot be read: {error.orig}."
            walk.fault(f"entry {sequence}", "database", what)
            walk.before = None
    return last


def _check(walk: _Walk, after: int, until: int) -> int | None:
    """Check some entries and the names beside them; the number of the last, if there is one."""
    entries = _entries(walk.reader, after, until)
    if any(not isinstance(one.sequence, int) for one in entries):
        what = f"Behind entry {max(after, 0)} are rows that are no entries."
        walk.fault("database", "database", what)
        return None
    through = max((one.sequence for one in entries), default=until)
    names = _names(walk.reader, after, through)
    for entry in entries:
        walk.entry(entry, names.pop(entry.sequence, ()))
    for sequence, strays in names.items():
        for name in strays:
            where = f"name {_short(name)}"
            walk.fault(where, "name", f"It lies beside entry {sequence}, which is not there.")
    return through if entries and through > after else None


def _entries(reader: Reader, after: int, until: int) -> list[Entry]:
    query = sa.select(ENTRIES).where(ENTRIES.c.sequence.between(after + 1, until))
    most = min(_AT_ONCE, until - after)  # no look beyond the last: it may be damaged
    with reader.connection.begin_nested():
        return list(reader.select(query.order_by(ENTRIES.c.sequence).limit(most)))


def _names(reader: Reader, after: int, until: int) -> dict[int, Sequence[Sealed]]:
    found: dict[int, Sequence[Sealed]] = {}
    with reader.connection.begin_nested():
        for sequence, name in reader.sealed(after, until):
            found[sequence] = [*found.get(sequence, ()), name]
    return found
