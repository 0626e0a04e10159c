"""The publications in a journal, and how they are recorded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import polars as pl

from palmares.facts.schema import WITHHELD
from palmares.journal.commands.transaction import record_entries
from palmares.journal.projection.project import Projection, player_rows, withheld_players
from palmares.journal.projection.snapshots import from_snapshot
from palmares.journal.projection.state import State
from palmares.journal.store.entries import Actor
from palmares.journal.store.journal import Journal, Reader
from palmares.journal.store.kinds import PublicationHead, body_of
from palmares.lists.publication import KIND, Publication, publish_list
from palmares.lists.publication.manifest import Manifest, manifest_of_entry

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
    found = []
    for entry in reader.of_kinds([KIND]):
        body: PublicationHead = body_of(entry)
        found.append(
            PublicationSummary(
                entry=entry.sequence,
                published=entry.recorded_at,
                author=entry.author,
                list=entry.subject,
                last_entry=body.head.sequence if body.head else 0,
                list_sha256=body.list_sha256,
                note=body.note,
            )
        )
    return found


def record_publication(
    journal: Journal, publication: Publication, by: Actor, known: Projection | None = None
) -> tuple[Manifest, bool]:
    """Record a publication, unless the last one of its name is the same.

    Args:
        journal: that it was made from.
        publication: the list.
        by: who publishes.
        known: the facts at an earlier entry, if at hand.

    Returns:
        The manifest, and whether it was recorded now.

    Raises:
        Refused: the list was not made from this journal, or the database refuses.
    """
    done = record_entries(journal, by, publish_list(publication), start=known)
    if done.entries:
        return manifest_of_entry(done.entries[0]), True
    last = done.delta.after.state.in_force("publications", publication.name)
    with journal.reading() as reader:
        return manifest(reader, last.sequence if last else 0), False


def manifest(reader: Reader, sequence: int) -> Manifest:
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
    known = player_rows(state, {}, [one for one in ids if one in state.group("players")], reader)
    nameless = withheld_players(state)
    return {
        one: WITHHELD if hidden or one in nameless else name
        for one, name, hidden in known.select("player_id", "name", "withheld").iter_rows()
    }
