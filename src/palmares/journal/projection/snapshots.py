"""
Projections on disk, so that a journal of any age opens at once; thrown away, they are made again.

A snapshot is the state and the tables at one head, in a folder named after it. It holds no names:
they are read from the journal each time, so that what was erased is gone everywhere, and what is
withheld now is shown in no list of then. Whoever opens a journal takes the latest snapshot of its
own history and lets it grow. Each file of it is read, and held against its checksum, when it is
asked for: a list of ten needs no placings.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import polars as pl

from palmares.core.errors import Refused, brief
from palmares.core.files import cache_folder, make_private
from palmares.core.progress import gc_paused
from palmares.facts.schema import TABLES, schema
from palmares.journal.projection.cached_tables import (
    CachedTables,
    Damaged,
    open_tables,
    write_tables,
)
from palmares.journal.projection.lazy import Lazy
from palmares.journal.projection.project import (
    EMPTY,
    Delta,
    Projection,
    apply_entries,
    hide_withheld,
    no_change,
    player_lookup,
    player_rows,
    with_later_names,
)
from palmares.journal.projection.state import GROUPS, Group, State, canonical_ids
from palmares.journal.store.entries import Head, timestamp
from palmares.journal.store.journal import Journal, Reader

SNAPSHOT_EVERY = 500
"""So many entries are read anew rather than kept; beyond that, a snapshot is worth its while."""
MAX_SNAPSHOTS = 3
_KEPT_TABLES = {name: pl.Schema(schema(name)) for name in TABLES if name != "players"}
_ENTRY = re.compile(r"#([1-9][0-9]{0,17})")


def last_known_entry(reader: Reader, known_at: str | None) -> int | None:
    """The number of the last entry that was known; none for all of them.

    Args:
        reader: the journal.
        known_at: a day (its end, UTC), a moment with its offset, or ``#41`` for an entry.

    Raises:
        Refused: it is none of these, or there is no such entry.
    """
    if known_at is None:
        return None
    if found := _ENTRY.fullmatch(known_at):
        return reader.entry(int(found[1])).sequence
    return reader.at(parse_moment(known_at)).sequence


def parse_moment(known_at: str) -> str:
    """A day or a moment as entries write it; a day is known to its end.

    Raises:
        Refused: it is neither.
    """
    with suppress(ValueError):
        day = date.fromisoformat(known_at)
        if day.isoformat() == known_at:
            return f"{day}T23:59:59.999999Z"
    with suppress(ValueError, OverflowError):
        found = datetime.fromisoformat(known_at)
        if found.tzinfo is not None:
            return timestamp(found)
    raise Refused(
        f"{brief(known_at)} is no day such as 2019-12-31, no moment such as"
        " 2019-12-31T18:00:00Z, and no entry such as #41."
    )


def load_projection(journal: Journal, known_at: str | None = None) -> Projection:
    """The facts of a journal as they are known now, or were known then.

    Names that are withheld now are withheld in what was known then.

    Raises:
        Refused: *known_at* is none, or the journal cannot be read.
    """
    with journal.reading() as reader:
        return read_projection(reader, last_known_entry(reader, known_at))


def read_projection(reader: Reader, last: int | None = None) -> Projection:
    """The facts up to an entry, from the nearest snapshot on."""
    return from_snapshot(reader, last).delta.after


@dataclass(frozen=True, slots=True, eq=False)
class FromSnapshot:
    """How the facts grew from the nearest snapshot, and its folder, if there is one."""

    delta: Delta
    place: Path | None

    def loaded(self) -> FromSnapshot:
        """The same with everything read."""
        before, after = self.delta.before.loaded(), self.delta.after.loaded()
        return replace(self, delta=replace(self.delta, before=before, after=after))


@gc_paused()
def from_snapshot(
    reader: Reader, last: int | None = None, since: State | None = None
) -> FromSnapshot:
    """The facts up to an entry, and the snapshot they grew from, everything read.

    Args:
        reader: the journal.
        last: the number of the entry; without it, the last of all.
        since: the latest state at hand, if there is one: it is quicker told who is withheld now.
    """
    return from_snapshot_lazily(reader, last, since).loaded()


def from_snapshot_lazily(
    reader: Reader, last: int | None = None, since: State | None = None
) -> FromSnapshot:
    """The same, with tables and statements that are read when they are asked for.

    The snapshot is a new one if the facts grew much.

    Args:
        reader: the journal; it must be open for as long as the facts are looked at.
        last: the number of the entry; without it, the last of all.
        since: the latest state at hand, if there is one: it is quicker told who is withheld now.
    """
    found = _nearest(reader, last)
    if last is None or last >= reader.head().sequence:
        return found
    then = found.delta.after
    now = with_later_names(since if since and since.sequence >= last else then.state, reader)
    return replace(found, delta=replace(found.delta, after=hide_withheld(then, now)))


@gc_paused()
def _nearest(reader: Reader, last: int | None) -> FromSnapshot:
    head = reader.head()
    wanted = head.sequence if last is None else last
    if not wanted:
        return FromSnapshot(no_change(EMPTY, EMPTY), None)
    place = snapshot_folder(reader)
    start = _latest(reader, place, wanted)
    delta = apply_entries(start, reader, wanted)
    if wanted - start.state.sequence > SNAPSHOT_EVERY:
        _keep(delta.after, place)
        delta = no_change(delta.after, delta.after)
    kept = place / _name(delta.before.state)
    there = os.path.isdir(kept)  # noqa: PTH112  no error where nobody may look
    return FromSnapshot(delta, kept if there else None)


# ── on disk ──────────────────────────────────────────────────────────────────────────────────────


def snapshot_folder(reader: Reader) -> Path:
    """Where the snapshots of a journal are: named by its first entry, and by how we write them."""
    layout = [[name, list(schema(name))] for name in TABLES] + [[*GROUPS], 5]
    version = sha256(repr(layout).encode()).hexdigest()
    return cache_folder() / "journals" / f"{reader.entry(1).hash[:16]}-{version[:8]}"


def _name(state: State) -> str:
    return f"{state.sequence:018}-{state.hash}"


def _found(place: Path) -> Iterator[tuple[int, str, Path]]:
    """Snapshots by number of their entry, the latest first."""
    try:
        names = sorted(place.iterdir(), reverse=True)
    except OSError:
        return
    for one in names:
        number, _, digest = one.name.partition("-")
        if number.isdigit() and digest:
            yield int(number), digest, one


def _latest(reader: Reader, place: Path, wanted: int) -> Projection:
    """The latest snapshot that is of this journal's own history, or nothing."""
    for number, digest, one in _found(place):
        if number <= wanted and reader.entry(number).hash == digest:
            found = open_tables(one, _About)
            if found is not None:
                with suppress(OSError):
                    os.utime(one)
                return _opened(found, reader)
            shutil.rmtree(one, ignore_errors=True)  # damaged: it is made again
    return EMPTY


class _About(NamedTuple):
    """What is read of a snapshot in any case."""

    head: Head
    groups: list[str]
    undos: dict[int, list[int]]


def _opened(found: CachedTables[_About], reader: Reader) -> Projection:
    """A snapshot, read when it is asked for; what is damaged is made again from the entries."""
    head, groups, undos = found.about

    @cache
    def again() -> Projection:
        shutil.rmtree(found.place, ignore_errors=True)
        return _nearest(reader, head.sequence).delta.after

    @gc_paused()
    def table(name: str) -> pl.DataFrame:
        if name == "players":
            return player_rows(state, canonical_ids(state.merges()), None, reader)
        try:
            return found.table(name, _KEPT_TABLES[name])
        except Damaged:
            return again().tables[name]

    @gc_paused()
    def group(name: str) -> Group:
        try:
            return found.packed(name, Group)
        except Damaged:
            return again().state.group(name)

    state = State(
        head.sequence,
        head.hash,
        head.recorded_at,
        Lazy({name: partial(group, name) for name in groups}),
        undos,
    )
    tables = Lazy({name: partial(table, name) for name in TABLES})
    return Projection(state, tables, few=player_lookup(state, reader))


def _last_used(place: Path) -> int:
    try:
        return place.stat().st_mtime_ns
    except OSError:  # gone
        return 0


def _keep(projection: Projection, place: Path) -> None:
    """Write a snapshot, and let go of those that were not used for longest."""
    with suppress(OSError):
        make_private(place)
        tables = {name: projection.tables[name] for name in _KEPT_TABLES}
        state = projection.state
        about = _About(state.head, [*state.groups], state.undos)
        write_tables(place / _name(state), tables, about, state.groups)
    by_use = sorted((one for _, _, one in _found(place)), key=_last_used, reverse=True)
    for old in by_use[MAX_SNAPSHOTS:]:
        shutil.rmtree(old, ignore_errors=True)
