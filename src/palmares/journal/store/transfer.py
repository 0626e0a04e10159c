"""
Export a journal into a file of lines, and import it: for backups, auditors, another database.

Every line is canonical JSON: a header; each entry, followed by its names in the order of their
seals; the records and names of each event; at the end the number of entries, of records if there
are any, and the hash of the last entry. The same journal gives the same file, byte for byte. A name
that an entry erased is never imported again.
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
from palmares.journal.store.events import (
    EventRecord,
    event_faults,
    event_names,
    event_records,
    put_event_names,
    put_event_records,
)
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
    records = event_records(reader)
    for record in records:
        yield f"{canonical({'event_record': record.values()})}\n".encode()
    for event in sorted({record.event for record in records}) if names else ():
        if typed_in := event_names(reader, event):
            line = canonical({"event_names": {"event": event, "names": typed_in}})
            yield f"{line}\n".encode()
    yield f"{last_line(head, len(records))}\n".encode()


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
        _add_events(journal.url, writer, again)
        return summary


def _add_events(url: str, writer: Writer, file: ExportFile) -> None:
    """Store the records of events that the journal is missing, and names that it has not."""
    own = {(record.event, record.sequence): record for record in event_records(writer)}
    for record in file.event_records:
        if own.get((record.event, record.sequence), record) != record:
            raise Refused(
                f"Record {record.sequence} of the event {record.event} of {url} differs from that"
                f" in {file.path}. Nothing was recorded. Import into an empty journal."
            )
    put_event_records(
        writer.connection,
        [one for one in file.event_records if (one.event, one.sequence) not in own],
    )
    events = {event for event, _ in own}
    for names in file.event_names:
        if names.event not in events:  # a name that was erased here is not imported again
            put_event_names(writer.connection, names.event, names.names)


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


class _EventNames(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    event: str
    names: dict[str, str]


class _EventLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    event_record: dict[str, Any] | None = None
    event_names: _EventNames | None = None


class _LastLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    entries: int
    head: str
    event_records: int = 0


_LINE_TYPES: tuple[tuple[str, Any], ...] = (
    ('{"author":', _EntryLine),
    ('{"commitment":', _NameLine),
    ('{"event_', _EventLine),
    ('{"entries":', _LastLine),
)


def name_line(name: Sealed) -> str:
    """A name as one line of canonical JSON; its record as it was sealed."""
    salt = "null" if name.salt is None else canonical(name.salt)
    record = "null" if name.record is None else name.record
    return f'{{"commitment":{canonical(name.commitment)},"record":{record},"salt":{salt}}}'


def last_line(head: Head, event_records: int) -> str:
    """The last line, by which a file that was cut off is found."""
    records = {"event_records": event_records} if event_records else {}
    return canonical({"entries": head.sequence, "head": head.hash, **records})


_Content = Entry | Sealed | EventRecord | _EventNames | _LastLine


def _decode(line: str, kind: Any) -> tuple[_Content, str]:
    """The content of a line, and the same as a canonical line."""
    decoded = msgspec.json.decode(line, type=kind)
    if isinstance(decoded, _LastLine):
        head = Head(decoded.entries, decoded.head, "")
        return decoded, last_line(head, decoded.event_records)
    if isinstance(decoded, _EventLine):
        if decoded.event_record is None:
            names = msgspec.convert(decoded.event_names, _EventNames)
            return names, canonical({"event_names": msgspec.to_builtins(names)})
        values = {**decoded.event_record, "body": canonical(decoded.event_record.get("body"))}
        of_event = msgspec.convert(values, EventRecord)
        return of_event, canonical({"event_record": of_event.values()})
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
    event_records: list[EventRecord] = field(default_factory=list)
    event_names: list[_EventNames] = field(default_factory=list)
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
        end: _LastLine | None = None
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
            end = content if isinstance(content, _LastLine) else None
            if isinstance(content, EventRecord):
                self.event_records.append(content)
            elif isinstance(content, _EventNames):
                self.event_names.append(content)
        if current is not None:
            yield self._checked(*current)
        self._check_end(number, end)

    def _check_end(self, number: int, end: _LastLine | None) -> None:
        """Check the chains of events, and that nothing was cut off."""
        for record, what in event_faults(self.event_records):
            self._fault(
                number, "event", f"Event {brief(record.event)}, record {record.sequence}: {what}"
            )
        if end is None:
            self._fault(number, "end", "The last line is missing: the file was cut off.")
        elif (end.entries, end.head) != (self.head.sequence, self.head.hash):
            self._fault(
                number, "end",
                f"It says {end.entries} entries and head {brief(end.head)};"
                f" the file has {self.head.sequence} and {brief(self.head.hash)}.",
            )  # fmt: skip
        elif end.event_records != len(self.event_records):
            self._fault(
                number, "end",
                f"It says {end.event_records} records of events; the file has"
                f" {len(self.event_records)}.",
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

    def _read(self, number: int, line: str) -> _Content | None:
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
