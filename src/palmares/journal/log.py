"""Search the journal's entries, and the names of players in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import sqlalchemy as sa

from palmares.core.errors import Refused
from palmares.journal.projection.snapshots import last_known_entry, parse_moment
from palmares.journal.store.databases import JOURNAL
from palmares.journal.store.entries import SEALING, Entry, PersonalData, body_of, tables_of
from palmares.journal.store.journal import ENTRIES, MAX_NUMBER, Reader
from palmares.journal.store.verify import seals_in

LONG = ("report", "publication")
"""Kinds of entries with tables, whose players are not looked up."""
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')  # a text in JSON, which may be a player's id


@dataclass(frozen=True, slots=True, kw_only=True)
class LogQuery:
    """A search for entries."""

    kind: str | None = None
    subject: str | None = None
    author: str | None = None
    since: str | None = None  # a day (its beginning, UTC), a moment, or #41
    until: str | None = None  # a day (its end), a moment, or #41
    before: int | None = None  # only entries with lower numbers
    limit: int | None = None


def newest_entries(reader: Reader, search: LogQuery) -> list[Entry]:
    """Entries that fit a search, the newest first.

    Raises:
        Refused: *since* or *until* is no day, moment or entry.
        StoreError: entries are missing, or one of these was changed.
    """
    reader.refuse_damage(JOURNAL)
    query = sa.select(ENTRIES).order_by(ENTRIES.c.sequence.desc())
    if search.limit is not None:
        query = query.limit(min(search.limit, MAX_NUMBER))
    for name in ("kind", "subject", "author"):
        wanted = getattr(search, name)
        if wanted is not None:
            query = query.where(ENTRIES.c[name] == wanted)
    if search.since is not None:
        query = query.where(ENTRIES.c.sequence >= first_entry_since(reader, search.since))
    if search.before is not None:
        query = query.where(ENTRIES.c.sequence < search.before)
    last = last_known_entry(reader, search.until)
    if last is not None:
        query = query.where(ENTRIES.c.sequence <= last)
    return list(reader.select(query))


def first_entry_since(reader: Reader, since: str) -> int:
    """The number of the first entry since a day, a moment or an entry; after the last: none.

    Raises:
        Refused: it is none of these.
    """
    if since.startswith("#"):
        return last_known_entry(reader, since) or 0
    is_later = ENTRIES.c.recorded_at >= parse_moment(since, time="00:00:00.000000")
    query = sa.select(sa.func.min(ENTRIES.c.sequence)).where(is_later)
    return reader.connection.execute(query).scalar() or reader.head().sequence + 1


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def undone_entries(reader: Reader, entries: Iterable[Entry]) -> dict[int, Entry]:
    """The entries that some entries undo, by number."""
    numbers = {body_of(entry).undoes for entry in entries if entry.kind == "undo"}
    return {entry.sequence: entry for entry in reader.by_number(numbers)}


def names_in_entries(reader: Reader, entries: Iterable[Entry]) -> dict[str, str]:
    """Current names of the players in some entries, by id, without erased ones.

    The name in an entry of a player is included by its seal. Of tournaments that are corrected or
    withdrawn, the names are those of their reports and of the events in them.
    """
    entries = list(entries)
    about = {entry.subject for entry in entries if entry.kind in ("override", "withdrawal")}
    names: dict[str, str] = {}
    for entry in reader.about(about, "report", reader.head().sequence):
        tables = tables_of(entry)
        for table, key in (("tournaments", "tournament_id"), ("events", "event_id")):
            cells = tables.get(table, {})
            names |= dict(zip(cells.get(key, ()), cells.get("name", ()), strict=True))
    seals: dict[str, str] = {}
    for entry in entries:
        if entry.kind in SEALING:
            with suppress(Refused):
                seals |= {seal: seal for seal in seals_in(entry)}
    ids = {
        text
        for entry in entries
        if entry.kind not in LONG
        for text in (entry.subject, *_TEXT.findall(entry.body))
    }
    versions = reader.about(ids, "player", reader.head().sequence)
    for version in {version.subject: version for version in versions}.values():
        with suppress(Refused):
            seals |= dict.fromkeys([version.subject], *seals_in(version))
    records = reader.records(set(seals.values()))
    return names | {
        player: PersonalData.read(records[seal]).name
        for player, seal in seals.items()
        if seal in records
    }
