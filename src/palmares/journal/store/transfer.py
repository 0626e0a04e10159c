"""
A journal as one file of lines, and back: for backups, auditors, and another database.

Every line is canonical JSON. The first says what the file is; then comes each entry, directly
followed by the names that it brought, in the order of their commitments; the last line counts the
entries and repeats the hash of the last one, so that a file that was cut off is known. The same
journal gives the same file, byte for byte, whichever database it is in.

A name that an entry erased never comes back, even from a file that still has it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.core.files import atomic_path
from palmares.core.messages import hint, msg
from palmares.core.progress import over, task
from palmares.journal.store.entries import START, Actor, Entry, EntryFields, Head
from palmares.journal.store.journal import Journal, Reader, Writer
from palmares.journal.store.persons import ERASES, Sealed
from palmares.journal.store.verify import entry_faults, name_faults, seals_in, verify

HEADER = canonical({"format": 1, "palmares": "journal"})
"""The first line of an export."""

REMEDY = "This is not what an export wrote. Take another copy of the file, or export again."
_LONGEST = 1 << 28  # bytes of a line

Part = tuple[Entry, list[Sealed]]
_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSummary:
    """What a file added to a journal."""

    entries: int
    names: int
    head: Head


def export(reader: Reader, target: Path, *, names: bool = True) -> Head:
    """Write a journal that is whole into a file.

    Args:
        reader: one state of the journal.
        target: the file; it appears when all is in it.
        names: or only the seals of names, for whoever checks the chain.

    Raises:
        FactsRejected: the journal is not whole; nothing was written.
        Refused: the file cannot be written; nothing was.
    """
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                stream.writelines(export_lines(reader, names=names))
        else:
            with atomic_path(target) as draft, draft.open("wb") as stream:
                stream.writelines(export_lines(reader, names=names))
    except OSError as error:
        raise Refused(
            f"{target}: cannot be written ({error.strerror}). Nothing was written."
        ) from None
    return reader.head()


def export_lines(reader: Reader, *, names: bool = True) -> Iterator[bytes]:
    """The lines of an export, each with its end.

    Raises:
        FactsRejected: the journal is not whole; there is no first line.
    """
    head = verify(reader).head
    yield _ended(HEADER)
    sealed = reader.sealed()
    next_up = next(sealed, None)
    for entry in over(reader.entries(), "entries to write", head.sequence):
        yield _ended(entry.line())
        while next_up is not None and next_up[0] == entry.sequence:
            name = next_up[1]
            yield _ended(name_line(name if names else _emptied(name)))
            next_up = next(sealed, None)
    yield _ended(last_line(head))


def import_journal(journal: Journal, source: Path, by: Actor) -> ImportSummary:
    """Add to a journal what a file has and the journal has not.

    Authors and moments stay what they are in the file. The journal must be empty, or its entries
    must be the first of the file; the same file once more adds nothing.

    Args:
        journal: where to.
        source: what `export` wrote.
        by: who imports.

    Raises:
        FactsRejected: with everything that is wrong with the file; nothing was recorded.
        Refused: the file cannot be read, or the journal has entries that the file has not.
    """
    first = Lines(source)
    with task("lines to check") as step:
        for _ in first.parts():
            step()
    _refuse(first)
    again = Lines(source)
    with journal.writing(by) as writer:
        added = _added(journal.url, writer, again, first.erased.keys(), first.head.sequence)
        _refuse(again)
        return added


def _refuse(file: Lines) -> None:
    if file.problems:
        raise FactsRejected(file.problems, so=msg("nothing was recorded"))


def _added(
    shown: str, writer: Writer, file: Lines, erased: Collection[str], total: int
) -> ImportSummary:
    """Pass over what the journal has, and store the rest."""
    held = writer.last
    entries: list[Entry] = []
    sealed: list[tuple[int, Sealed]] = []
    names = 0
    with closing(writer.entries(until=held.sequence)) as own:
        for entry, beside in over(file.parts(), "entries to record", total):
            if entry.sequence <= held.sequence:
                _same(shown, file, next(own, None), entry)
                continue
            entries.append(entry)
            for name in beside:
                kept = _emptied(name) if name.commitment in erased else name
                names += kept.record is not None
                sealed.append((entry.sequence, kept))
            if len(entries) == _AT_ONCE:
                _put(writer, entries, sealed)
    _put(writer, entries, sealed)
    if writer.last != held and erased:
        writer.erase(erased)  # also names that came with entries that were here before
    if file.head.sequence < held.sequence:
        raise Refused(
            f"{shown} has entries that {file.path} has not, from entry {file.head.sequence + 1}"
            " on. Nothing was recorded. Import into an empty journal, or a later export."
        )
    return ImportSummary(
        entries=writer.last.sequence - held.sequence, names=names, head=writer.last
    )


def _put(writer: Writer, entries: list[Entry], sealed: list[tuple[int, Sealed]]) -> None:
    writer.put(entries, sealed)
    entries.clear()
    sealed.clear()


def _same(shown: str, file: Lines, own: Entry | None, other: Entry) -> None:
    if own != other:
        raise Refused(
            hint(
                "verify-both",
                "Entry %(entry)s of %(journal)s is another than in %(file)s: they are two journals,"
                " or one of them was changed. Nothing was recorded. Import into an empty journal.",
                entry=str(other.sequence),
                journal=shown,
                file=str(file.path),
            )
        )


def _emptied(name: Sealed) -> Sealed:
    return Sealed(name.commitment, None, None)


def _ended(line: str) -> bytes:
    return line.encode() + b"\n"


# ── the lines of a file ──────────────────────────────────────────────────────────────────────────


class _EntryLine(EntryFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry as a line has it."""

    body: msgspec.Raw


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
            *entry_faults(entry, self._before),
            *name_faults(entry, names, {}, lambda one, _: one in self._names),
        ):
            self._fault(number, *found)
        if entry.key is not None and entry.key in self._keys:
            self._fault(number, "key", f"An entry before has the key {brief(entry.key)}.")
        self._names.update(name.commitment for name in names)
        if entry.key is not None:
            self._keys.add(entry.key)
        with suppress(Refused):  # said already
            if entry.kind == ERASES:
                self.erased |= dict.fromkeys(seals_in(entry), entry.sequence)
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
    return Entry(**{**msgspec.structs.asdict(line), "body": bytes(line.body).decode()})


def _spelt(found: Entry | Sealed | _LastLine) -> str:
    """The line that an export would have; the body of an entry as it stands."""
    if isinstance(found, Entry):
        return found.line()
    if isinstance(found, Sealed):
        return name_line(found)
    return last_line(Head(found.entries, found.head, ""))
