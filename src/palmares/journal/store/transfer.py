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
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from palmares.core.errors import FactsRejected, Refused
from palmares.core.files import atomic_path
from palmares.core.messages import hint, msg
from palmares.core.progress import over, task
from palmares.journal.store.entries import Actor, Entry, Head
from palmares.journal.store.export_lines import HEADER, Lines, last_line, name_line
from palmares.journal.store.journal import Journal, Reader, Writer
from palmares.journal.store.persons import Sealed
from palmares.journal.store.verify import verify

_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
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
                stream.writelines(lines(reader, names=names))
        else:
            with atomic_path(target) as draft, draft.open("wb") as stream:
                stream.writelines(lines(reader, names=names))
    except OSError as error:
        raise Refused(
            f"{target}: cannot be written ({error.strerror}). Nothing was written."
        ) from None
    return reader.head()


def lines(reader: Reader, *, names: bool = True) -> Iterator[bytes]:
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


def imported(journal: Journal, source: Path, by: Actor) -> Imported:
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
) -> Imported:
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
    return Imported(entries=writer.last.sequence - held.sequence, names=names, head=writer.last)


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
