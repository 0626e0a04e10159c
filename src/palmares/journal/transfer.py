"""
Export a journal into a file of lines, and import it: for backups, auditors, another database.

Every line is canonical JSON: a header; each entry, followed by its names; the records and names of
each event; at the end the number of entries, of records if there are any, and the hash of the last
entry. The same journal gives the same file, byte for byte. A name that an entry erased is never
imported again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.core.files import atomic_path
from palmares.core.messages import msg
from palmares.core.progress import over
from palmares.facts import Facts
from palmares.facts.checks import repeated_rows
from palmares.journal.projection.project import EMPTY, State, apply_to_state, delta_to
from palmares.journal.store.entries import Actor, Entry, EntryHead, Head, Sealed
from palmares.journal.store.events import (
    EventRecord,
    event_faults,
    event_ids,
    event_names,
    event_records,
    put_event_names,
    put_event_records,
)
from palmares.journal.store.journal import Journal, Reader
from palmares.journal.store.verify import ChainCheck, verify

HEADER = canonical({"format": 1, "palmares": "journal"})
"""The first line of an export."""

REMEDY = "This is not what an export wrote. Take another copy of the file, or export again."
_LONGEST = 1 << 28  # bytes of a line

_BATCH = 500  # entries
_OF_REPORTS = ("report", "withdrawal", "override", "merge", "undo")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSummary:
    """What an import recorded."""

    names: int
    head: Head  # the last entry, whose number is how many there are
    is_new: bool = True  # whether anything was recorded


# ── export ───────────────────────────────────────────────────────────────────────────────────────


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
    is_device = target.exists() and not target.is_file()
    try:
        with (
            nullcontext(target) if is_device else atomic_path(target) as draft,
            draft.open("wb") as stream,
        ):
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
        yield b"%b\n" % entry.line()
        while next_name is not None and next_name[0] == entry.sequence:
            name = next_name[1]
            name = name if names else Sealed(name.commitment, None, None)
            yield f"{_name_line(name)}\n".encode()
            next_name = next(sealed, None)
    records = event_records(reader)
    yield from (b'{"event_record":%b}\n' % record.line() for record in records)
    for event in sorted({record.event for record in records}) if names else ():
        if typed_in := event_names(reader, event):
            yield _line({"event_names": {"event": event, "names": typed_in}})
    count = {"event_records": len(records)} if records else {}
    yield _line({"entries": head.sequence, "head": head.hash, **count})


def _line(content: Any) -> bytes:
    return f"{canonical(content)}\n".encode()


def _name_line(name: Sealed) -> str:
    """A name as one line of canonical JSON; its record as it was sealed."""
    salt = "null" if name.salt is None else canonical(name.salt)
    record = "null" if name.record is None else name.record
    return f'{{"commitment":{canonical(name.commitment)},"record":{record},"salt":{salt}}}'


# ── import ───────────────────────────────────────────────────────────────────────────────────────


def import_journal(journal: Journal, source: Path, by: Actor) -> ImportSummary:
    """Record the entries of a file in an empty journal, with their authors and times.

    The export of this very journal changes nothing, so that an import can be tried again.

    Args:
        journal: without entries and events.
        source: an export.
        by: who imports.

    Raises:
        FactsRejected: the file is damaged, or its reports have a row twice; names every problem.
            Nothing was recorded.
        Refused: the file cannot be read, or the journal is not empty.
    """
    file = ExportFile(source)
    with journal.writing(by) as writer:
        if writer.last.sequence or event_ids(writer):
            if _is_export_of(writer, source):
                return ImportSummary(names=0, head=writer.last, is_new=False)
            raise Refused(
                msg(
                    "%(journal)s has entries already. Nothing was recorded. Import into an empty"
                    " journal.",
                    journal=journal.url,
                )
            )
        entries = over(file.entries(), "entries to record")
        while batch := list(islice(entries, _BATCH)):
            if not file.problems:
                sealed = [(entry.sequence, name) for entry, names in batch for name in names]
                writer.put([entry for entry, _ in batch], sealed)
        if problems := file.problems or _repeated_rows(writer):
            raise FactsRejected(problems, so=msg("nothing was recorded"))
        writer.erase(file.check.erased.keys())  # a file put together by hand may have such names
        put_event_records(writer, file.event_records)
        for event, typed_in in file.event_names.items():
            put_event_names(writer.connection, event, typed_in)
        names = len(file.check.with_name - file.check.erased.keys())
        return ImportSummary(names=names, head=writer.last)


def _repeated_rows(reader: Reader) -> list[Problem]:
    """Rows that reports, overrides and merges have twice; commands refuse them."""
    state, places = apply_to_state(State(), reader.of_kinds(_OF_REPORTS))
    return repeated_rows(Facts(delta_to(EMPTY, state, places, reader).rows))


def _is_export_of(reader: Reader, source: Path) -> bool:
    """Whether a file is what an export of the journal would write now."""
    with suppress(OSError), source.open("rb") as stream:
        lines = export_lines(reader)
        return all(stream.readline(_LONGEST) == line for line in lines) and not stream.read(1)
    return False


# ── the lines of a file ──────────────────────────────────────────────────────────────────────────


class _EntryLine(EntryHead, frozen=True, kw_only=True):
    body: msgspec.Raw


class _NameLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    commitment: str
    record: msgspec.Raw
    salt: str | None


class _RecordLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    event_record: dict[str, Any]


class _EventNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    event: str
    names: dict[str, str]


class _NamesLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    event_names: _EventNames


class _LastLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    entries: int
    head: str
    event_records: int = 0


_LINE_TYPES: tuple[tuple[str, Any], ...] = (
    ('{"author":', _EntryLine),
    ('{"commitment":', _NameLine),
    ('{"event_record":', _RecordLine),
    ('{"event_names":', _NamesLine),
    ('{"entries":', _LastLine),
)


def _parsed(line: str, kind: Any) -> Entry | Sealed | EventRecord | _EventNames | _LastLine:
    """The content of a line."""
    parsed = msgspec.json.decode(line, type=kind)
    if isinstance(parsed, _EntryLine):
        return Entry(**msgspec.structs.asdict(parsed) | {"body": bytes(parsed.body).decode()})
    if isinstance(parsed, _NameLine):
        record = bytes(parsed.record).decode()
        return Sealed(parsed.commitment, parsed.salt, None if record == "null" else record)
    if isinstance(parsed, _RecordLine):
        values = parsed.event_record
        return msgspec.convert({**values, "body": canonical(values.get("body"))}, EventRecord)
    content: _EventNames | _LastLine = getattr(parsed, "event_names", parsed)
    return content


@dataclass(slots=True)
class ExportFile:
    """An export that is read, with the problems found so far."""

    path: Path
    check: ChainCheck = field(default_factory=ChainCheck)
    event_records: list[EventRecord] = field(default_factory=list)
    event_names: dict[str, dict[str, str]] = field(default_factory=dict)  # by event
    problems: list[Problem] = field(default_factory=list)
    end: _LastLine | None = None

    def entries(self) -> Iterator[tuple[Entry, list[Sealed]]]:
        """Every entry with its names, in order; lines that cannot be read become problems.

        Raises:
            Refused: it is not an export, or cannot be read.
        """
        current: tuple[int, Entry, list[Sealed]] | None = None
        number = 1
        for number, line in self._lines():
            content = self._read(number, line)
            if self.end is not None:
                self._fault(number, "end", "Something follows the last line.")
            elif isinstance(content, Sealed) and current is not None:
                current[2].append(content)
                continue
            if current is not None:
                yield self._checked(*current)
            current = (number, content, []) if isinstance(content, Entry) else None
            if isinstance(content, Sealed):
                self._fault(number, "name", "There is no readable entry above this name.")
            elif isinstance(content, EventRecord):
                self.event_records.append(content)
            elif isinstance(content, _EventNames):
                self.event_names[content.event] = content.names
            elif isinstance(content, _LastLine):
                self.end = content
        if current is not None:
            yield self._checked(*current)
        self._check_end(number)

    def _checked(
        self, number: int, entry: Entry, names: list[Sealed]
    ) -> tuple[Entry, list[Sealed]]:
        """An entry with all its names, after checks."""
        for fault in self.check.faults(entry, names):
            self._fault(number, *fault)
        return entry, names

    def _check_end(self, number: int) -> None:
        """Check the chains of events, and that nothing was cut off."""
        for record, what in event_faults(self.event_records):
            self._fault(
                number, "event", f"Event {brief(record.event)}, record {record.sequence}: {what}"
            )
        head, end = self.check.before, self.end
        if end is None:
            self._fault(number, "end", "The last line is missing: the file was cut off.")
        elif head is not None and (end.entries, end.head) != (head.sequence, head.hash):
            self._fault(
                number, "end",
                f"It says {end.entries} entries and head {brief(end.head)};"
                f" the file has {head.sequence} and {brief(head.hash)}.",
            )  # fmt: skip
        elif end.event_records != len(self.event_records):
            self._fault(
                number, "end",
                f"It says {end.event_records} records of events; the file has"
                f" {len(self.event_records)}.",
            )  # fmt: skip

    def _lines(self) -> Iterator[tuple[int, str]]:
        """The lines after the header, with their numbers."""
        try:
            with self.path.open("rb") as stream:
                self._refuse_other_formats(stream.readline(_LONGEST))
                number = 1
                while line := stream.readline(_LONGEST):
                    number += 1
                    yield number, line.decode(errors="replace")
        except OSError as error:
            raise Refused(f"{self.path}: cannot be read ({error.strerror}).") from None

    def _refuse_other_formats(self, line: bytes) -> None:
        if line.rstrip(b"\r\n") == HEADER.encode():
            return
        if line.startswith(b'{"format":') and b'"palmares":"journal"' in line:
            raise Refused(f"{self.path}: a later palmares wrote it. Install the newer version.")
        raise Refused(f"{self.path} is no export of a journal: its first line is not {HEADER}.")

    def _read(
        self, number: int, line: str
    ) -> Entry | Sealed | EventRecord | _EventNames | _LastLine | None:
        """The content of a line; None, with a problem, if it is not written as exports are."""
        kind = next((kind for start, kind in _LINE_TYPES if line.startswith(start)), None)
        what = "It is no line of an export."
        if kind is not None and line.endswith(("}\n", "}\r\n")):
            try:
                return _parsed(line, kind)
            except (msgspec.MsgspecError, UnicodeError, RecursionError, Refused) as error:
                what = f"It cannot be read: {error}."
        self._fault(number, "line", what)
        self.check.before = None
        return None

    def _fault(self, number: int, rule: str, what: str) -> None:
        at, clause = Location(str(self.path), number), f"journal {rule}"
        self.problems.append(Problem(at=at, what=what, clause=clause, remedy=REMEDY))
