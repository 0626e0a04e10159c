"""A journal looked through: which entries, and whose names they speak of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec
import sqlalchemy as sa

from palmares.core.errors import Refused
from palmares.journal.projection.snapshots import last_known_entry, parse_moment
from palmares.journal.store.entries import Entry
from palmares.journal.store.journal import Reader
from palmares.journal.store.persons import BRINGS, Person
from palmares.journal.store.tables import ENTRIES
from palmares.journal.store.verify import seals_in

LONG = ("report", "publication")
"""Kinds whose bodies are tables; they name players by id in every row."""

_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class LogQuery:
    """Which entries somebody wants to see."""

    kind: str | None = None
    subject: str | None = None
    author: str | None = None
    since: str | None = None  # a day (its beginning, UTC), a moment, or #41
    until: str | None = None  # a day (its end), a moment, or #41
    before: int | None = None  # only entries with lower numbers
    limit: int | None = None


def newest_entries(reader: Reader, asked: LogQuery) -> list[Entry]:
    """Entries, the newest first.

    Raises:
        Refused: *since* or *until* is no day, moment or entry.
    """
    query = sa.select(ENTRIES).order_by(ENTRIES.c.sequence.desc()).limit(asked.limit)
    for name in ("kind", "subject", "author"):
        wanted = getattr(asked, name)
        if wanted is not None:
            query = query.where(ENTRIES.c[name] == wanted)
    if asked.since is not None:
        query = query.where(ENTRIES.c.sequence >= first_entry_since(reader, asked.since))
    if asked.before is not None:
        query = query.where(ENTRIES.c.sequence < asked.before)
    last = last_known_entry(reader, asked.until)
    if last is not None:
        query = query.where(ENTRIES.c.sequence <= last)
    return list(reader.select(query))


def first_entry_since(reader: Reader, since: str) -> int:
    """The number of the first entry from a day, a moment or an entry on.

    Raises:
        Refused: it is none of these.
    """
    if since.startswith("#"):
        return last_known_entry(reader, since) or 0
    with suppress(ValueError):
        if date.fromisoformat(since).isoformat() == since:
            return _first(reader, f"{since}T00:00:00.000000Z")
    return _first(reader, parse_moment(since))


def _first(reader: Reader, at: str) -> int:
    """The first entry recorded at a moment or later; behind the last if there is none."""
    query = sa.select(sa.func.min(ENTRIES.c.sequence)).where(ENTRIES.c.recorded_at >= at)
    return reader.connection.execute(query).scalar() or reader.head().sequence + 1


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def names_in_entries(reader: Reader, entries: Iterable[Entry]) -> dict[str, str]:
    """What the players that entries speak of are called now, by id; nobody who was erased.

    The name that an entry brought itself is there too, by its seal: a log tells what was recorded.
    """
    entries = list(entries)
    seals: dict[str, str] = {}
    for entry in entries:
        if entry.kind == BRINGS:
            with suppress(Refused):
                seals |= {seal: seal for seal in seals_in(entry)}
    for player in _latest_versions(
        reader, {one for entry in entries for one in _possible_ids(entry)}
    ):
        with suppress(Refused):
            seals |= dict.fromkeys([player.subject], *seals_in(player))
    records = reader.records(set(seals.values()))
    return {
        player: Person.read(records[seal]).name for player, seal in seals.items() if seal in records
    }


def _possible_ids(entry: Entry) -> Iterator[str]:
    """Whatever may be a player's id in an entry that is not long."""
    if entry.kind in LONG:
        return
    yield entry.subject
    with suppress(msgspec.MsgspecError):
        yield from _texts(entry.read())


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _latest_versions(reader: Reader, players: Collection[str]) -> Iterator[Entry]:
    """The last entry of each player, in the order of entries."""
    wanted = sorted(players)
    for start in range(0, len(wanted), _AT_ONCE):
        of = sa.and_(
            ENTRIES.c.subject.in_(wanted[start : start + _AT_ONCE]), ENTRIES.c.kind == BRINGS
        )
        last = sa.select(sa.func.max(ENTRIES.c.sequence)).where(of).group_by(ENTRIES.c.subject)
        yield from reader.by_number([row[0] for row in reader.connection.execute(last)])
