"""
Snapshots: projections cached on disk, so that a long journal opens at once.

A snapshot has the state and the tables up to an entry, each file read and checked when it is
needed. It has no names: they are read from the journal, so that erased and withheld names stay so.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
import polars as pl

from palmares.core.errors import Refused, brief
from palmares.core.files import (
    atomic_path,
    cache_folder,
    checksum,
    make_private,
    owners,
    read_cached,
    write_cached,
)
from palmares.core.messages import msg, restored, stored
from palmares.core.progress import gc_paused
from palmares.facts.schema import TABLES, schema
from palmares.journal.projection.project import (
    EMPTY,
    GROUPS,
    Delta,
    Group,
    LazyMapping,
    Projection,
    State,
    apply_entries,
    canonical_ids,
    hide_withheld,
    no_change,
    player_lookup,
    player_rows,
)
from palmares.journal.store.databases import JOURNAL
from palmares.journal.store.entries import Head, timestamp
from palmares.journal.store.journal import Journal, Reader

SNAPSHOT_EVERY = 500
"""After so many more entries, another snapshot is written."""
MAX_SNAPSHOTS = 3
_TABLES = {name: pl.Schema(schema(name)) for name in TABLES if name != "players"}
_ENTRY = re.compile(r"#([1-9][0-9]{0,17})")


def last_known_entry(reader: Reader, known_at: str | None) -> int | None:
    """The number of the last entry known at a day, moment or entry; None for now.

    Args:
        reader: the journal.
        known_at: a day (its end, UTC), a moment with its offset, or ``#41`` for an entry.

    Raises:
        Refused: it is none of these, or there is no such entry.
    """
    if known_at is None:
        return None
    if entry := _ENTRY.fullmatch(known_at):
        return reader.entry(int(entry[1])).sequence
    return reader.at(parse_moment(known_at)).sequence


def parse_moment(known_at: str, time: str = "23:59:59.999999") -> str:
    """A day, at a time in UTC (its end), or a moment as entries write it.

    Raises:
        Refused: it is neither.
    """
    with suppress(ValueError):
        day = date.fromisoformat(known_at)
        if day.isoformat() == known_at:
            return f"{day}T{time}Z"
    with suppress(ValueError, OverflowError):
        at = datetime.fromisoformat(known_at)
        if at.tzinfo is not None:
            return timestamp(at)
    raise Refused(
        msg(
            "%(known_at)s is no day such as 2019-12-31, no moment such as 2019-12-31T18:00:00Z, and"
            " no entry such as #41.",
            known_at=brief(known_at),
        )
    )


def load_projection(journal: Journal, known_at: str | None = None) -> Projection:
    """The facts of a journal as known now, or at an earlier day, moment or entry.

    Names that are withheld now are withheld in earlier facts, too.

    Raises:
        Refused: *known_at* is none, or the journal cannot be read.
    """
    with journal.reading() as reader:
        return from_snapshot(reader, last_known_entry(reader, known_at)).delta.after.loaded()


@dataclass(frozen=True, slots=True, eq=False)
class FromSnapshot:
    """The facts up to an entry, with the snapshot they were read from."""

    delta: Delta  # from the snapshot on
    folder: Path | None  # of the snapshot, if there is one

    @gc_paused()
    def loaded(self) -> FromSnapshot:
        """The facts with everything read, independent of snapshot and journal."""
        before, after = self.delta.before.loaded(), self.delta.after.loaded()
        return replace(self, delta=replace(self.delta, before=before, after=after))


def from_snapshot(
    reader: Reader, last: int | None = None, since: State | None = None
) -> FromSnapshot:
    """The facts up to an entry, with their snapshot; they are read when they are needed.

    Args:
        reader: the journal; it must stay open while the facts are used.
        last: the number of the entry; by default, the last of all.
        since: the latest state at hand, to find out faster which names are withheld now.
    """
    snapshot = _from_nearest(reader, last)
    if last is None or last >= reader.head().sequence:
        return snapshot
    then = snapshot.delta.after
    since = since if since and since.sequence >= last else then.state
    after = hide_withheld(then, since, reader)
    return replace(snapshot, delta=replace(snapshot.delta, after=after))


@gc_paused()
def _from_nearest(reader: Reader, last: int | None) -> FromSnapshot:
    reader.refuse_damage(JOURNAL)
    head = reader.head()
    wanted = head.sequence if last is None else last
    if not wanted:
        return FromSnapshot(no_change(EMPTY, EMPTY), None)
    folder = snapshot_folder(reader)
    start = _nearest_before(reader, folder, wanted)
    delta = apply_entries(start, reader, wanted)
    if wanted - start.state.sequence > SNAPSHOT_EVERY:
        _write(delta.after, folder)
        delta = no_change(delta.after, delta.after)
    own = folder / _name(delta.before.state)
    exists = os.path.isdir(own)  # noqa: PTH112  no error in an unreadable folder
    return FromSnapshot(delta, own if exists else None)


# ── on disk ──────────────────────────────────────────────────────────────────────────────────────


def snapshot_folder(reader: Reader) -> Path:
    """The folder of a journal's snapshots, named by its first entry and our file layout."""
    layout = [[name, list(schema(name))] for name in TABLES] + [[*GROUPS], 6]
    version = sha256(repr(layout).encode()).hexdigest()
    return cache_folder() / "journals" / f"{reader.entry(1).hash[:16]}-{version[:8]}"


def _name(state: State) -> str:
    return f"{state.sequence:018}-{state.hash}"


def _snapshots(folder: Path) -> Iterator[tuple[int, str, Path]]:
    """The snapshots in a folder, the latest first: number and hash of their entry, folder."""
    try:
        paths = sorted(folder.iterdir(), reverse=True)
    except OSError:
        return
    for path in paths:
        number, _, digest = path.name.partition("-")
        if number.isdigit() and digest:
            yield int(number), digest, path


def _nearest_before(reader: Reader, folder: Path, wanted: int) -> Projection:
    """The last snapshot up to an entry that belongs to this journal, or an empty projection."""
    for number, digest, path in _snapshots(folder):
        if number <= wanted and reader.entry(number).hash == digest:
            cached = open_tables(path, _Details)
            if cached is not None:
                with suppress(OSError):
                    os.utime(path)
                return _projection(cached, reader)
            shutil.rmtree(path, ignore_errors=True)  # damaged
    return EMPTY


class _Details(NamedTuple):
    """What is always read of a snapshot."""

    head: Head
    groups: list[str]
    undos: dict[int, list[int]]


def _projection(cached: CachedTables[_Details], reader: Reader) -> Projection:
    """A snapshot, read when it is needed; damaged files are made again from the entries."""
    head, groups, undos = cached.details

    @cache
    def rebuilt() -> Projection:
        shutil.rmtree(cached.folder, ignore_errors=True)
        return _from_nearest(reader, head.sequence).delta.after

    @gc_paused()
    def table(name: str) -> pl.DataFrame:
        if name == "players":
            return player_rows(state, canonical_ids(state.merges()), None, reader)
        try:
            return cached.table(name, _TABLES[name])
        except Damaged:
            return rebuilt().tables[name]

    @gc_paused()
    def group(name: str) -> Group:
        try:
            return cached.packed(name, Group)
        except Damaged:
            return rebuilt().state.group(name)

    state = State(
        head.sequence,
        head.hash,
        head.recorded_at,
        LazyMapping({name: partial(group, name) for name in groups}),
        undos,
    )
    tables = LazyMapping({name: partial(table, name) for name in TABLES})
    return Projection(state, tables, lookup=player_lookup(state, reader))


def _last_used(snapshot: Path) -> int:
    try:
        return snapshot.stat().st_mtime_ns
    except OSError:  # gone
        return 0


def _write(projection: Projection, folder: Path) -> None:
    """Write a snapshot, and delete those that were not used for the longest time."""
    with suppress(OSError):
        make_private(folder)
        tables = {name: projection.tables[name] for name in _TABLES}
        state = projection.state
        details = _Details(state.head, [*state.groups], state.undos)
        write_tables(folder / _name(state), tables, details, state.groups)
    by_use = sorted((path for _, _, path in _snapshots(folder)), key=_last_used, reverse=True)
    for old in by_use[MAX_SNAPSHOTS:]:
        shutil.rmtree(old, ignore_errors=True)


# ── tables in a folder ────────────────────────────────────────────────────────────────────────────

HEAD = "head.msgpack"  # the checksum of every other file, and details
Details = TypeVar("Details")
Packed = TypeVar("Packed")


class Damaged(Exception):  # the caller makes it again
    """A file is missing or damaged."""


@dataclass(frozen=True, slots=True)
class CachedTables(Generic[Details]):
    """A folder of tables that are read when they are needed."""

    folder: Path
    checksums: Mapping[str, str]  # by file name
    details: Details

    def table(self, name: str, schema: pl.Schema) -> pl.DataFrame:
        """One table.

        Raises:
            Damaged: it is missing or damaged.
        """
        with suppress(OSError, pl.exceptions.PolarsError):
            file = self._checked(f"{name}.arrow")
            if file and (table := pl.read_ipc(file)).schema == schema:
                return table
        raise Damaged(name)

    def packed(self, name: str, kind: type[Packed]) -> Packed:
        """One packed value.

        Raises:
            Damaged: it is missing or damaged.
        """
        with suppress(OSError, msgspec.MsgspecError):
            if file := self._checked(f"{name}.msgpack"):
                return msgspec.msgpack.decode(file.read_bytes(), type=kind)
        raise Damaged(name)

    def _checked(self, name: str) -> Path | None:
        file = self.folder / name
        return file if checksum(file) == self.checksums.get(name) else None


def write_tables(
    folder: Path, tables: Mapping[str, pl.DataFrame], details: Any, packed: Mapping[str, Any]
) -> None:
    """Write tables and details; a full disk only makes the next time slower.

    Args:
        folder: must not exist.
        tables: by name.
        details: read whenever the folder is opened.
        packed: values by name, each read when it is needed.
    """
    with suppress(OSError, pl.exceptions.PolarsError), atomic_path(folder) as draft:
        draft.mkdir(mode=0o700)
        for name, table in tables.items():
            table.rechunk().write_ipc(
                draft / f"{name}.arrow",
                compat_level=None,
                record_batch_size=max(1, len(table)),  # in one piece, to be read as it is
            )
        for name, value in packed.items():
            (draft / f"{name}.msgpack").write_bytes(msgspec.msgpack.encode(value))
        checksums = {file.name: checksum(file) for file in draft.iterdir()}
        head = msgspec.msgpack.encode((checksums, details), enc_hook=stored)
        write_cached(draft / HEAD, head)
        owners(draft)


def open_tables(folder: Path, details: type[Details]) -> CachedTables[Details] | None:
    """A folder of tables; None if there is none, or its head is damaged."""
    content = read_cached(folder / HEAD)
    if content is None:
        return None
    layout: Any = tuple[dict[str, str], details]  # type: ignore[valid-type]
    with suppress(msgspec.MsgspecError):
        plain = msgspec.msgpack.decode(content, ext_hook=restored)
        return CachedTables(folder, *msgspec.convert(plain, layout))
    return None
