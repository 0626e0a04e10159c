"""
Export a journal into a file of lines, and import it: for backups, auditors, another database.

Every line is canonical JSON: a header; each entry, followed by its names in the order of their
seals; at the end the number of entries and the hash of the last one. The same journal gives the
same file, byte for byte. A name that an entry erased is never imported again.
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
from palmares.journal.store.persons import ERASING, Sealed
from palmares.journal.store.verify import entry_faults, name_faults, seals_in, verify

HEADER = canonical({"format": 1, "palmares": "journal"})
"""The first line of an export."""

REMEDY = "This is not what an export wrote. Take another copy of the file, or export again."
_LONGEST = 1 << 28  # bytes of a line

_BATCH = 500  # entries


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSummary:
    """What an import added to a journal."""

    entries: int
    names: int
    head: Head


def export(reader: Reader, target: Path, *, names: bool = True) -> Head:
    """Write a valid journal into a file.

    Args:
        reader: the journal.
        target: the file; it appears when it is complete.
        names: whether to write names, or only their seals.

    Raises:
        FactsRejected: the journal is not valid; nothing was written.
        Refused: the file cannot be written.
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
    """The lines of an export, with line ends.

    Raises:
        FactsRejected: the journal is not valid.
    """
    head = verify(reader).head
    yield f"{HEADER}\n".encode()
    sealed = reader.sealed()
    next_name = next(sealed, None)
    for entry in over(reader.entries(), "entries to write", head.sequence):
        yield f"{entry.line()}\n".encode()
        while next_name is not None and next_name[0] == entry.sequence:
            name = next_name[1] if names else next_name[1].emptied()
            yield f"{name_line(name)}\n".encode()
            next_name = next(sealed, None)
    yield f"{last_line(head)}\n".encode()


def import_journal(journal: Journal, source: Path, by: Actor) -> ImportSummary:
    """Add the entries of a file that a journal is missing, with their authors and times.

    Args:
        journal: empty, or its entries are the first of the file.
        source: an export.
        by: who imports.

    Raises:
        FactsRejected: the file is damaged; names every problem. Nothing was recorded.
        Refused: the file cannot be read, or the journal has entries that the file does not have.
    """
    checked = ExportFile(source)
    with task("lines to check") as step:
        for _ in checked.entries():
            step()
    checked.refuse_problems()
    again = ExportFile(source)
    with journal.writing(by) as writer:
        summary = _add_missing(
            journal.url, writer, again, checked.erased.keys(), checked.head.sequence
        )
        again.refuse_problems()
        return summary


def _add_missing(
    url: str, writer: Writer, file: ExportFile, erased: Collection[str], total: int
) -> ImportSummary:
    """Skip the entries that the journal has, and store the others."""
    last = writer.last
    entries: list[Entry] = []
    sealed: list[tuple[int, Sealed]] = []
    names = 0

    def store() -> None:
        writer.put(entries, sealed)
        entries.clear()
        sealed.clear()

    with closing(writer.entries(until=last.sequence)) as own:
        for entry, its_names in over(file.entries(), "entries to record", total):
            if entry.sequence <= last.sequence:
                _refuse_another(url, file, next(own, None), entry)
                continue
            entries.append(entry)
            for name in its_names:
                stored = name.emptied() if name.commitment in erased else name
                names += stored.record is not None
                sealed.append((entry.sequence, stored))
            if len(entries) == _BATCH:
                store()
    store()
    if writer.last != last and erased:
        writer.erase(erased)  # also names of entries that the journal had before
    if file.head.sequence < last.sequence:
        raise Refused(
            f"{url} has entries that {file.path} has not, from entry {file.head.sequence + 1}"
            " on. Nothing was recorded. Import into an empty journal, or a later export."
        )
    return ImportSummary(
        entries=writer.last.sequence - last.sequence, names=names, head=writer.last
    )


def _refuse_another(url: str, file: ExportFile, own: Entry | None, other: Entry) -> None:
    if own != other:
        raise Refused(
            hint(
                "verify-both",
                "Entry %(entry)s of %(journal)s differs from that in %(file)s: they are two"
                " journals, or one of them was changed. Nothing was recorded. Import into an"
                " empty journal.",
                entry=str(other.sequence),
                journal=url,
                file=str(file.path),
            )
        )


# ── the lines of a file ──────────────────────────────────────────────────────────────────────────


class _EntryLine(EntryFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    body: msgspec.Raw


class _NameLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    commitment: str
    record: msgspec.Raw
    salt: str | None


class _LastLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    entries: int
    head: str


_LINE_TYPES: tuple[tuple[str, Any], ...] = (
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
    """The last line, by which a file that was cut off is found."""
    return canonical({"entries": head.sequence, "head": head.hash})


def _decode(line: str, kind: Any) -> tuple[Entry | Sealed | Head, str]:
    """The content of a line, and the same as a canonical line; the last line gives a head."""
    decoded = msgspec.json.decode(line, type=kind)
    if isinstance(decoded, _LastLine):
        head = Head(decoded.entries, decoded.head, "")
        return head, last_line(head)
    if isinstance(decoded, _NameLine):
        record = bytes(decoded.record).decode()
        name = Sealed(decoded.commitment, decoded.salt, None if record == "null" else record)
        return name, name_line(name)
    body = bytes(decoded.body).decode()
    entry = Entry(**{**msgspec.structs.asdict(decoded), "body": body})
    return entry, entry.line()


@dataclass(slots=True)
class ExportFile:
    """An export that is read, with the problems found so far."""

    path: Path
    head: Head = START
    erased: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _before: Head | None = START
    _seals: set[str] = field(default_factory=set)
    _keys: set[str] = field(default_factory=set)

    def refuse_problems(self) -> None:
        """Raise FactsRejected if there are problems."""
        if self.problems:
            raise FactsRejected(self.problems, so=msg("nothing was recorded"))

    def entries(self) -> Iterator[tuple[Entry, list[Sealed]]]:
        """Every entry with its names, in order; lines that cannot be read become problems.

        Raises:
            Refused: it is not an export, or cannot be read.
        """
        current: tuple[int, Entry, list[Sealed]] | None = None
        end: Head | None = None
        number = 1
        for number, line in self._lines():
            if end is not None:
                self._fault(number, "end", "Something follows the last line.")
                return
            content = self._read(number, line)
            if isinstance(content, Sealed):
                self._add_name(number, content, current)
                continue
            if current is not None:
                yield self._checked(*current)
            current = (number, content, []) if isinstance(content, Entry) else None
            end = content if isinstance(content, Head) else None
        if current is not None:
            yield self._checked(*current)
        if end is None:
            self._fault(number, "end", "The last line is missing: the file was cut off.")
        elif (end.sequence, end.hash) != (self.head.sequence, self.head.hash):
            self._fault(
                number, "end",
                f"It says {end.sequence} entries and head {brief(end.hash)};"
                f" the file has {self.head.sequence} and {brief(self.head.hash)}.",
            )  # fmt: skip

    def _lines(self) -> Iterator[tuple[int, str]]:
        """The lines after the header, with their numbers."""
        if self.path.exists() and not self.path.is_file():
            raise Refused(f"{self.path} is not a file; an import reads it more than once.")
        try:
            with self.path.open("rb") as stream:
                self._refuse_other_formats(stream.readline(_LONGEST))
                number = 1
                while line := stream.readline(_LONGEST):
                    number += 1
                    try:
                        yield number, line.decode()
                    except UnicodeDecodeError:
                        yield number, ""
        except OSError as error:
            raise Refused(f"{self.path}: cannot be read ({error.strerror}).") from None

    def _refuse_other_formats(self, line: bytes) -> None:
        if line.rstrip(b"\n") == HEADER.encode():
            return
        if line.startswith(b'{"format":') and b'"palmares":"journal"' in line:
            raise Refused(f"{self.path}: a later palmares wrote it. Install the newer version.")
        raise Refused(f"{self.path} is no export of a journal: its first line is not {HEADER}.")

    def _read(self, number: int, line: str) -> Entry | Sealed | Head | None:
        """The content of a line; None, with a problem, if it is not written as exports are."""
        kind = next((kind for start, kind in _LINE_TYPES if line.startswith(start)), None)
        what = "It is no line of an export."
        if kind is not None:
            try:
                content, canonical_line = _decode(line, kind)
            except (msgspec.MsgspecError, UnicodeError, RecursionError, Refused) as error:
                what = f"It cannot be read: {error}."
            else:
                if f"{canonical_line}\n" == line:
                    return content
                what = "It is not in canonical JSON, or was cut off."
        self._fault(number, "line", what)
        self._before = None
        return None

    def _add_name(
        self, number: int, name: Sealed, current: tuple[int, Entry, list[Sealed]] | None
    ) -> None:
        """Add a name to the entry above it, in the order of seals."""
        if current is None:
            self._fault(number, "name", "There is no readable entry above this name.")
            return
        names = current[2]
        if name.commitment in self._seals or (names and name.commitment <= names[-1].commitment):
            self._fault(number, "name", "It came before, or is out of order.")
        names.append(name)

    def _checked(
        self, number: int, entry: Entry, names: list[Sealed]
    ) -> tuple[Entry, list[Sealed]]:
        """An entry with all its names, after checks."""
        for fault in (
            *entry_faults(entry, self._before),
            *name_faults(entry, names, {}, lambda seal, _: seal in self._seals),
        ):
            self._fault(number, *fault)
        self._seals.update(name.commitment for name in names)
        if entry.key is not None:
            if entry.key in self._keys:
                self._fault(number, "key", f"An entry before has the key {brief(entry.key)}.")
            self._keys.add(entry.key)
        if entry.kind == ERASING:
            with suppress(Refused):  # a fault already
                self.erased |= dict.fromkeys(seals_in(entry), entry.sequence)
        self._before = self.head = entry.head
        return entry, names

    def _fault(self, number: int, rule: str, what: str) -> None:
        at, clause = Location(str(self.path), number), f"journal {rule}"
        self.problems.append(Problem(at=at, what=what, clause=clause, remedy=REMEDY))
