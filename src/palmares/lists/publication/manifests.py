"""
Manifests: a publication as a JSON file, from which anyone can verify it, or as a journal has it.

A manifest has the fields of its entry and the body, so the hash of the entry can be checked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import polars as pl

from palmares.core.canonical import canonical
from palmares.core.errors import Refused, brief
from palmares.facts.schema import WITHHELD
from palmares.journal.commands.transaction import record_entries
from palmares.journal.projection.project import Projection, State, player_rows, withheld_players
from palmares.journal.projection.snapshots import from_snapshot
from palmares.journal.store.entries import Actor, Entry, EntryFields, body_of
from palmares.journal.store.journal import Journal, Reader
from palmares.lists.publication import KIND, Publication, publish_list

MOST_BYTES = 100 * 2**20
"""Of a manifest: a place in a list takes about 40."""


class ManifestEntry(EntryFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of a journal without its body."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A published list, and the entry that recorded it."""

    format: Literal["palmares manifest 1"] = "palmares manifest 1"
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
    recorded = msgspec.convert(entry, ManifestEntry, from_attributes=True)
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
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise Refused(
            f"{name}: this is no manifest of a list, it is damaged, or a later palmares wrote it:"
            f" {brief(error, 200)}."
        ) from None
    columns = msgspec.to_builtins(manifest.publication.rows)
    wanted = "player_id" if manifest.publication.selection.by == "player" else "players"
    if wanted not in columns or len(columns) != 4 or len({*map(len, columns.values())}) != 1:  # noqa: PLR2004
        raise Refused(f"{name}: this manifest is damaged: its list is no table by rank.")
    return manifest


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


# ── in a journal ──────────────────────────────────────────────────────────────────────────────────

Names = Callable[[Collection[str]], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationSummary:
    """A publication without its list."""

    entry: int
    published: str  # when it was recorded
    author: str
    list: str  # its name
    last_entry: int  # the head that it was made from
    list_sha256: str
    note: str | None


def list_publications(reader: Reader) -> list[PublicationSummary]:
    """All publications of a journal, the earliest first.

    Raises:
        Refused: one of them has an unknown shape.
    """
    bodies = ((entry, body_of(entry)) for entry in reader.of_kinds([KIND]))
    return [
        PublicationSummary(
            entry=entry.sequence,
            published=entry.recorded_at,
            author=entry.author,
            list=entry.subject,
            last_entry=body.head.sequence if body.head else 0,
            list_sha256=body.list_sha256,
            note=body.note,
        )
        for entry, body in bodies
    ]


def record_publication(
    journal: Journal, publication: Publication, by: Actor, start: Projection | None = None
) -> tuple[Manifest, bool]:
    """Record a publication, unless the last one of its name is the same.

    Args:
        journal: that it was made from.
        publication: the list.
        by: who publishes.
        start: the facts at an earlier entry, if at hand.

    Returns:
        The manifest, and whether it was recorded now.

    Raises:
        Refused: the list was not made from this journal, or the database refuses.
    """
    done = record_entries(journal, by, publish_list(publication), start=start)
    if done.entries:
        return manifest_of_entry(done.entries[0]), True
    last = done.delta.after.state.in_force("publications", publication.name)
    with journal.reading() as reader:
        return recorded_manifest(reader, last.sequence if last else 0), False


def recorded_manifest(reader: Reader, sequence: int) -> Manifest:
    """The manifest of a publication in a journal.

    Raises:
        Refused: there is no such entry, or it is not a publication.
    """
    return manifest_of_entry(reader.entry(sequence))


def list_with_names(publication: Publication, names: Names) -> pl.DataFrame:
    """A published list: rank, player_id, player, nation, nanopoints; or of nations."""
    frame = publication.frame()
    if "player_id" not in frame.columns:
        return frame.select("rank", "nation", "nanopoints", "players")
    visible = names(frame["player_id"])
    players = [visible.get(id_, WITHHELD) for id_ in frame["player_id"]]
    return frame.with_columns(pl.Series("player", players, pl.String)).select(
        "rank", "player_id", "player", "nation", "nanopoints"
    )


def names_today(reader: Reader) -> Names:
    """A function that gives the names a journal may show today, by id."""

    def shown(ids: Collection[str]) -> dict[str, str]:
        return visible_names(from_snapshot(reader).delta.after.state, reader, ids)

    return shown


def visible_names(state: State, reader: Reader, ids: Collection[str]) -> dict[str, str]:
    """The names of some players that may be shown; merged records have their own names."""
    recorded = [player for player in ids if player in state.group("players")]
    rows = player_rows(state, {}, recorded, reader)
    nameless = withheld_players(state)
    return {
        player: WITHHELD if hidden or player in nameless else name
        for player, name, hidden in rows.select("player_id", "name", "withheld").iter_rows()
    }
