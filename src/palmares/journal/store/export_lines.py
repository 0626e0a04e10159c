"""The lines of an exported journal, read back one by one and checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from palmares.core.canonical import canonical
from palmares.core.errors import Location, Problem, Refused, brief
from palmares.journal.store.entries import START, Entry, Head
from palmares.journal.store.persons import ERASES, Sealed
from palmares.journal.store.verify import beside, faults, sealed_by

HEADER = canonical({"format": 1, "palmares": "journal"})
"""The first line of an export."""

REMEDY = "This is not what an export wrote. Take another copy of the file, or export again."
_LONGEST = 1 << 28  # bytes of a line

Part = tuple[Entry, list[Sealed]]


class _EntryLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry as a line has it."""

    author: str
    body: msgspec.Raw
    hash: str
    key: str | None
    kind: str
    previous: str
    recorded_at: str
    role: str
    sequence: int
    subject: str


class _NameLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A name as a line has it."""

    commitment: str
    record: msgspec.Raw
    salt: str | None


class _LastLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last line."""

    entries: int
    head: str


_KINDS: tuple[tuple[str, Any], ...] = (
    ('{"author":', _EntryLine),
    ('{"commitment":', _NameLine),
    ('{"entries":', _LastLine),
)


def name_line(name: Sealed) -> str:
    """A name as one line of canonical JSON; its record as it was sealed."""
    salt = "null" if name.salt is None else canonical(name.salt)
    record = "null" if name.record is None else name.record
    return f'{{"commitment":{canonical(name.commitment)},"record":{record},"salt":{salt}}}'


def last_line(head: Head) -> str:
    """The line that says that nothing was cut off."""
    return canonical({"entries": head.sequence, "head": head.hash})


@dataclass(slots=True)
class Lines:
    """A file that is read; what was found so far."""

    path: Path
    head: Head = START
    erased: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _before: Head | None = START
    _names: set[str] = field(default_factory=set)
    _keys: set[str] = field(default_factory=set)

    def parts(self) -> Iterator[Part]:
        """Every entry with its names, in order; what cannot be read is a problem instead.

        Raises:
            Refused: it is no such file, or cannot be read.
        """
        part: tuple[int, Entry, list[Sealed]] | None = None
        end: _LastLine | None = None
        number = 1
        for number, line in self._lines():
            if end is not None:
                self._fault(number, "end", "Something follows the last line.")
                return
            found = self._read(number, line)
            if isinstance(found, Sealed):
                self._name(number, found, part)
                continue
            if part is not None:
                yield self._whole(*part)
                part = None
            if isinstance(found, Entry):
                part = number, found, []
            end = found if isinstance(found, _LastLine) else None
        if part is not None:
            yield self._whole(*part)
        self._end(number, end)

    def _lines(self) -> Iterator[tuple[int, str]]:
        """The lines behind the first, with their numbers."""
        if self.path.exists() and not self.path.is_file():
            raise Refused(f"{self.path} is no file; an import reads it more than once.")
        try:
            with self.path.open("rb") as stream:
                self._header(stream.readline(_LONGEST))
                number = 1
                while line := stream.readline(_LONGEST):
                    number += 1
                    try:
                        yield number, line.decode()
                    except UnicodeDecodeError:
                        yield number, ""
        except OSError as error:
            raise Refused(f"{self.path}: cannot be read ({error.strerror}).") from None

    def _header(self, line: bytes) -> None:
        if line.rstrip(b"\n") == HEADER.encode():
            return
        if line.startswith(b'{"format":') and b'"palmares":"journal"' in line:
            raise Refused(f"{self.path}: a later palmares wrote it. Install the newer version.")
        raise Refused(f"{self.path} is no export of a journal: its first line is not {HEADER}.")

    def _read(self, number: int, line: str) -> Entry | Sealed | _LastLine | None:
        """What a line says; nothing if it is not spelt as exports spell it."""
        kind = next((kind for start, kind in _KINDS if line.startswith(start)), None)
        if kind is None:
            self._unread(number, "It is no line of an export.")
            return None
        try:
            found = _meant(msgspec.json.decode(line, type=kind))
            spelt = _spelt(found)
        except (msgspec.MsgspecError, UnicodeError, RecursionError, Refused) as error:
            self._unread(number, f"It cannot be read: {error}.")
            return None
        if f"{spelt}\n" != line:
            self._unread(number, "It is not in canonical JSON, or was cut off.")
            return None
        return found

    def _unread(self, number: int, what: str) -> None:
        self._fault(number, "line", what)
        self._before = None

    def _name(
        self, number: int, name: Sealed, part: tuple[int, Entry, list[Sealed]] | None
    ) -> None:
        """A name belongs to the entry above it, in the order of commitments."""
        if part is None:
            self._fault(number, "name", "No entry that could be read stands above this name.")
            return
        if name.commitment in self._names or any(
            name.commitment <= one.commitment for one in part[2]
        ):
            self._fault(number, "name", "It came before, or is out of order.")
        part[2].append(name)

    def _whole(self, number: int, entry: Entry, names: list[Sealed]) -> Part:
        """An entry with all its names, checked."""
        for found in (
            *faults(entry, self._before),
            *beside(entry, names, {}, lambda one, _: one in self._names),
        ):
            self._fault(number, *found)
        if entry.key is not None and entry.key in self._keys:
            self._fault(number, "key", f"An entry before has the key {brief(entry.key)}.")
        self._names.update(name.commitment for name in names)
        if entry.key is not None:
            self._keys.add(entry.key)
        with suppress(Refused):  # said already
            if entry.kind == ERASES:
                self.erased |= dict.fromkeys(sealed_by(entry), entry.sequence)
        self._before = self.head = entry.head
        return entry, names

    def _end(self, number: int, end: _LastLine | None) -> None:
        if end is None:
            self._fault(number, "end", "The last line is missing: the file was cut off.")
        elif (end.entries, end.head) != (self.head.sequence, self.head.hash):
            self._fault(
                number, "end",
                f"It says {end.entries} entries and head {brief(end.head)};"
                f" the file has {self.head.sequence} and {brief(self.head.hash)}.",
            )  # fmt: skip

    def _fault(self, number: int, rule: str, what: str) -> None:
        self.problems.append(
            Problem(
                at=Location(str(self.path), number),
                what=what,
                clause=f"journal {rule}",
                remedy=REMEDY,
            )
        )


def _meant(line: _EntryLine | _NameLine | _LastLine) -> Entry | Sealed | _LastLine:
    """What a line stands for."""
    if isinstance(line, _LastLine):
        return line
    if isinstance(line, _NameLine):
        record = bytes(line.record).decode()
        return Sealed(line.commitment, line.salt, None if record == "null" else record)
    given = {name: getattr(line, name) for name in _EntryLine.__struct_fields__}
    return Entry(**{**given, "body": bytes(line.body).decode()})


def _spelt(found: Entry | Sealed | _LastLine) -> str:
    """The line that an export would have."""
    if isinstance(found, Entry):
        return found.line()
    if isinstance(found, Sealed):
        return name_line(found)
    return last_line(Head(found.entries, found.head, ""))
