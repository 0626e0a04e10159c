"""
Manifests: a publication as a JSON file, from which anyone can verify it.

A manifest has the fields of its entry and the body, so the hash of the entry can be checked.
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
    """A published list, and the entry that recorded it."""

    format: str = FORM
    entry: ManifestEntry | None = None  # none: it was made from files
    publication: Publication

    def recorded_entry(self) -> ManifestEntry:
        """The entry that recorded it.

        Raises:
            Refused: it was made from files.
        """
        if self.entry is None:
            raise Refused(f"{self.publication.name} was made from files; no journal has it.")
        return self.entry


def manifest_of_entry(entry: Entry) -> Manifest:
    """The manifest of a publication in a journal.

    Raises:
        Refused: it is an entry of another kind.
    """
    if entry.kind != KIND:
        raise Refused(f"Entry {entry.sequence} is no publication: it is of the kind {entry.kind}.")
    recorded = ManifestEntry(
        **{name: getattr(entry, name) for name in ManifestEntry.__struct_fields__}
    )
    return Manifest(entry=recorded, publication=body_of(entry, Publication))


def entry_hash(manifest: Manifest) -> str | None:
    """The hash of the entry's fields and the publication; None without an entry."""
    if manifest.entry is None:
        return None
    fields = msgspec.structs.asdict(manifest.entry)
    return Entry(**fields, body=canonical(msgspec.to_builtins(manifest.publication))).digest()


# ── as a file ────────────────────────────────────────────────────────────────────────────────────

_EXPANDED = ("publication", "list", "facts", "editions", "readings", "in_force")
"""Objects that are written with a line for each member."""


def manifest_text(manifest: Manifest) -> str:
    """A manifest as its file holds it: JSON with a line for each part."""
    return "".join(_laid_out(msgspec.to_builtins(manifest), "")) + "\n"


def _laid_out(values: dict[str, Any], indent: str) -> Iterator[str]:
    yield "{"
    sign = "\n"
    for name, value in values.items():
        yield f"{sign}{indent}  {canonical(name)}: "
        if name in _EXPANDED and value:
            yield from _laid_out(value, f"{indent}  ")
        else:
            yield canonical(value)
        sign = ",\n"
    yield f"\n{indent}}}"


def parse_manifest(content: bytes, name: str) -> Manifest:
    """The manifest in a file's content.

    Args:
        content: of the file.
        name: what to call it in messages.

    Raises:
        Refused: it is not a manifest, or one of a later version.
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
        Refused: it cannot be read, is not a manifest, or is one of a later version.
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
    """Refuse a list with columns of different lengths, or other columns than its kind has."""
    columns = msgspec.to_builtins(publication.rows)
    wanted = "player_id" if publication.selection.by == "player" else "players"
    if wanted not in columns or len(columns) != 4 or len({*map(len, columns.values())}) != 1:  # noqa: PLR2004
        raise Refused(f"{name}: this manifest is damaged: its list is no table by rank.")
