"""
Manifests: a publication as a file, from which anybody can recompute and compare.

    Manifest    a statement, and the entry that it is recorded in
    ManifestEntry   an entry without its body
    of_entry    an entry of a journal  ->  Manifest
    text        Manifest  ->  the file's text
    read        a file's content  ->  Manifest
    read_file   a file  ->  the same
    entry_hash  what the hash of the entry must be, if the manifest is sound

The file is JSON. How it is laid out means nothing: every hash is formed over canonical JSON of
what it says. The body of the entry is the statement, so a manifest alone has all that the hash of
its entry is made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from palmares.core.canonical import canonical
from palmares.core.errors import Refused, brief
from palmares.journal.store.entries import Entry, EntryFields
from palmares.journal.store.kinds import body_of
from palmares.lists.publication import KIND, Publication

FORM = "palmares manifest 1"
MOST_BYTES = 100 * 2**20
"""Of a manifest: a place in a list takes about 40."""


class ManifestEntry(EntryFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of a journal without its body."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A list that was published, and where it is recorded."""

    format: str = FORM
    entry: ManifestEntry | None = None  # none: it was made from files
    publication: Publication

    def filed(self) -> ManifestEntry:
        """The entry that it is recorded in.

        Raises:
            Refused: it was made from files.
        """
        if self.entry is None:
            raise Refused(f"{self.publication.name} was made from files; no journal has it.")
        return self.entry


def manifest_of_entry(entry: Entry) -> Manifest:
    """The manifest of a publication in a journal.

    Raises:
        Refused: the entry is something else.
    """
    if entry.kind != KIND:
        raise Refused(f"Entry {entry.sequence} is no publication: it is of the kind {entry.kind}.")
    filed = ManifestEntry(
        **{name: getattr(entry, name) for name in ManifestEntry.__struct_fields__}
    )
    return Manifest(entry=filed, publication=body_of(entry, Publication))


def entry_hash(manifest: Manifest) -> str | None:
    """The hash that the entry's fields and the statement come to; none without an entry."""
    if manifest.entry is None:
        return None
    fields = msgspec.structs.asdict(manifest.entry)
    return Entry(**fields, body=canonical(msgspec.to_builtins(manifest.publication))).digest()


# ── as a file ────────────────────────────────────────────────────────────────────────────────────

_OPENED = ("publication", "list", "facts", "editions", "readings", "in_force")
"""Whose members have a line each."""


def manifest_text(manifest: Manifest) -> str:
    """A manifest as its file has it: JSON, a line for each thing it says."""
    return "".join(_laid_out(msgspec.to_builtins(manifest), "")) + "\n"


def _laid_out(values: dict[str, Any], indent: str) -> Iterator[str]:
    yield "{"
    sign = "\n"
    for name, value in values.items():
        yield f"{sign}{indent}  {canonical(name)}: "
        if name in _OPENED and value:
            yield from _laid_out(value, f"{indent}  ")
        else:
            yield canonical(value)
        sign = ",\n"
    yield f"\n{indent}}}"


def parse_manifest(content: bytes, name: str) -> Manifest:
    """The manifest that a file holds.

    Args:
        content: of the file.
        name: what to call it in messages.

    Raises:
        Refused: it is none, or none of a form that we know.
    """
    try:
        form = msgspec.json.decode(content, type=_Form).format
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise Refused(f"{name}: this is no manifest: {error}.") from None
    if form != FORM:
        raise Refused(
            f"{name}: this is a {brief(form)}; this version reads {FORM}. Install a newer one."
        )
    try:
        found = msgspec.json.decode(content, type=Manifest)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise Refused(f"{name}: this manifest is damaged: {error}.") from None
    _refuse_ragged(found.publication, name)
    return found


def read_manifest(name: str) -> Manifest:
    """The manifest in a file.

    Raises:
        Refused: it cannot be read, is no manifest, or none of a form that we know.
    """
    try:
        with Path(name).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Refused(f"{name}: cannot be read ({error.strerror}).") from None
    if len(content) > MOST_BYTES:
        raise Refused(f"{name}: more than {MOST_BYTES:,} bytes are too many for a manifest.")
    return parse_manifest(content, name)


class _Form(msgspec.Struct):
    format: str


def _refuse_ragged(publication: Publication, name: str) -> None:
    """Refuse a list whose columns are not of one length, or not those of its kind."""
    columns = msgspec.to_builtins(publication.rows)
    wanted = "player_id" if publication.selection.by == "player" else "players"
    if wanted not in columns or len(columns) != 4 or len({*map(len, columns.values())}) != 1:  # noqa: PLR2004
        raise Refused(f"{name}: this manifest is damaged: its list is no table by rank.")
