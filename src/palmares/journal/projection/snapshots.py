"""
Projections on disk, so that a journal of any age opens at once; thrown away, they are made again.

A snapshot is the state and the tables at one head, in a folder named after it. It holds no names:
they are read from the journal each time, so that what was erased is gone everywhere, and what is
withheld now is shown in no list of then. Whoever opens a journal takes the latest snapshot of its
own history and lets it grow.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from hashlib import sha256
from pathlib import Path

import msgspec
import polars as pl

from palmares.core.caches import made, ours
from palmares.core.cycles import gc_paused
from palmares.core.errors import Refused, brief
from palmares.core.files import atomic_path, checksum, owners
from palmares.facts.schema import TABLES, empty, schema
from palmares.journal.projection.project import (
    NOTHING,
    Delta,
    Projection,
    apply_entries,
    hide_withheld,
    latest,
    people,
    unchanged,
)
from palmares.journal.projection.state import GROUPS, State, became
from palmares.journal.store.entries import stamp
from palmares.journal.store.journal import Journal, Reader

BEHIND = 500
"""So many entries are read anew rather than kept; beyond that, a snapshot is worth its while."""
KEPT = 3
_STATE = "state.msgpack"  # its own digest, then `_Kept`
_DIGEST = 32
_ENTRY = re.compile(r"#([1-9][0-9]{0,17})")


def until(reader: Reader, known_at: str | None) -> int | None:
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
    return reader.at(moment(known_at)).sequence


def moment(known_at: str) -> str:
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
            return stamp(found)
    raise Refused(
        f"{brief(known_at)} is no day such as 2019-12-31, no moment such as"
        " 2019-12-31T18:00:00Z, and no entry such as #41."
    )


def known(journal: Journal, known_at: str | None = None) -> Projection:
    """The facts of a journal as they are known now, or were known then.

    Names that are withheld now are withheld in what was known then.

    Raises:
        Refused: *known_at* is none, or the journal cannot be read.
    """
    with journal.reading() as reader:
        return read(reader, until(reader, known_at))


def read(reader: Reader, last: int | None = None) -> Projection:
    """The facts up to an entry, from the nearest snapshot on."""
    return nearest(reader, last).growth.after


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """How the facts grew from the nearest snapshot, and its folder, if there is one."""

    growth: Delta
    place: Path | None


def nearest(reader: Reader, last: int | None = None, since: State | None = None) -> Nearest:
    """The facts up to an entry, and the snapshot they grew from: a new one if they grew much.

    Args:
        reader: the journal.
        last: the number of the entry; without it, the last of all.
        since: the latest state at hand, if there is one: it is quicker told who is withheld now.
    """
    found = _nearest(reader, last)
    if last is None or last >= reader.head().sequence:
        return found
    then = found.growth.after
    now = latest(since if since and since.sequence >= last else then.state, reader)
    return replace(found, growth=replace(found.growth, after=hide_withheld(then, now)))


@gc_paused()
def _nearest(reader: Reader, last: int | None) -> Nearest:
    head = reader.head()
    wanted = head.sequence if last is None else last
    if not wanted:
        return Nearest(unchanged(NOTHING, NOTHING), None)
    place = folder(reader)
    start = _latest(reader, place, wanted)
    growth = apply_entries(start, reader, wanted)
    if wanted - start.state.sequence > BEHIND:
        _keep(growth.after, place)
        growth = unchanged(growth.after, growth.after)
    kept = place / _name(growth.before.state)
    there = os.path.isdir(kept)  # noqa: PTH112  no error where nobody may look
    return Nearest(growth, kept if there else None)


# ── on disk ──────────────────────────────────────────────────────────────────────────────────────


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    """What stands beside the tables; others may throw a snapshot away while it is read."""

    sums: dict[str, str]  # of every table that has rows
    state: State


def folder(reader: Reader) -> Path:
    """Where the snapshots of a journal are: named by its first entry, and by how we write them."""
    made = [[name, list(schema(name))] for name in TABLES] + [[*GROUPS], 3]
    version = sha256(repr(made).encode()).hexdigest()
    return ours() / "journals" / f"{reader.entry(1).hash[:16]}-{version[:8]}"


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
            with suppress(OSError, ValueError, msgspec.MsgspecError, pl.exceptions.PolarsError):
                found = _loaded(reader, one)
                os.utime(one)
                return found
            shutil.rmtree(one, ignore_errors=True)  # damaged: it is made again
    return NOTHING


def _loaded(reader: Reader, place: Path) -> Projection:
    text = (place / _STATE).read_bytes()
    if sha256(text[_DIGEST:]).digest() != text[:_DIGEST]:
        raise ValueError(_STATE)
    kept = msgspec.msgpack.decode(text[_DIGEST:], type=_Kept)
    state, tables = kept.state, {}
    for name in TABLES:
        file = place / f"{name}.arrow"
        if name not in kept.sums:
            tables[name] = empty(name)
            continue
        if checksum(file) != kept.sums[name]:
            raise ValueError(name)
        tables[name] = pl.read_ipc(file)
        if tables[name].schema != pl.Schema(schema(name)):
            raise ValueError(name)
    tables["players"] = people(state, became(state.merges()), None, reader)
    return Projection(state, tables)


def _last_used(place: Path) -> int:
    try:
        return place.stat().st_mtime_ns
    except OSError:  # gone
        return 0


def _keep(projection: Projection, place: Path) -> None:
    """Write a snapshot, and let go of those that were not used for longest.

    A full disk only makes the next time slower.
    """
    state = projection.state
    target = place / _name(state)
    with suppress(OSError, pl.exceptions.PolarsError):
        made(place)
        if target.exists():
            return
        with atomic_path(target) as draft:
            draft.mkdir(mode=0o700)
            sums = {}
            for name, table in projection.tables.items():
                if table.height and name != "players":
                    file = draft / f"{name}.arrow"
                    table.rechunk().write_ipc(file, compat_level=None)
                    sums[name] = checksum(file)
            text = msgspec.msgpack.encode(_Kept(sums, state))
            (draft / _STATE).write_bytes(sha256(text).digest() + text)
            owners(draft)
    by_use = sorted((one for _, _, one in _found(place)), key=_last_used, reverse=True)
    for old in by_use[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
