"""
Copies of an SQLite journal while a program writes into it.

Both files of one moment, as a snapshot of the file system has them, are a prefix of the history,
always. So are both files copied within a reading transaction, the database first. A plain copy of
the two, one after the other, may be torn: then verifying says so, or it is a prefix too.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

import pytest

from palmares.core.errors import FactsRejected, Refused, StoreError
from palmares.journal.store.entries import START
from palmares.journal.store.journal import create_journal, open_journal
from palmares.journal.store.verify import verify
from tests.amounts import amount
from tests.journal.filled import DIRECTOR, report
from tests.journal.programs import heard, started, tidying

COPIES = amount(1_000)
REPORTS = 100
"""So many are recorded, then another program starts with an empty journal."""

_numbers = count()


def copied(path: Path, to: Path) -> Path:
    """The database, then its log; no shared memory."""
    copy = to / f"copy-{next(_numbers)}.db"
    shutil.copyfile(path, copy)
    log = path.with_name(f"{path.name}-wal")
    if log.exists():
        shutil.copyfile(log, copy.with_name(f"{copy.name}-wal"))
    return copy


def of_one_moment(path: Path, process: int, to: Path) -> Path:
    """What a snapshot of the file system has; a process that has ended writes no more either."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGSTOP)
    try:
        return copied(path, to)
    finally:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)


def while_reading(path: Path, process: int, to: Path) -> Path:
    """As long as somebody reads, SQLite keeps the log that belongs to the database."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM entries").fetchone()
        return copied(path, to)


def by_sqlite(path: Path, process: int, to: Path) -> Path:
    """What sqlite3's ``.backup`` does."""
    copy = to / f"copy-{next(_numbers)}.db"
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


def one_after_the_other(path: Path, process: int, to: Path) -> Path:
    """What ``cp`` does."""
    return copied(path, to)


Way = Callable[[Path, int, Path], Path]
Last = tuple[int, str]


def last_of(copy: Path) -> Last | None:
    """Number and hash of a copy's last entry, if the copy is whole."""
    try:
        journal = open_journal(str(copy))
    except (Refused, StoreError):
        return None
    try:
        with journal.reading() as reader:
            head = verify(reader).head
    except (FactsRejected, Refused, StoreError):
        return None
    finally:
        journal.close()
    return head.sequence, head.hash


def history(path: Path) -> set[Last]:
    """Number and hash of every entry, and what stands before the first."""
    journal = open_journal(str(path))
    with journal.reading() as reader:
        found = {(one.sequence, one.hash) for one in reader.entries()}
    journal.close()
    return found | {(START.sequence, START.hash)}


def batches(way: Way, folder: Path) -> Iterator[tuple[list[Last | None], set[Last]]]:
    """What copies end with, and all that was recorded in the end, journal by journal."""
    folder.mkdir()
    copies = 0
    while copies < COPIES:
        path = folder / f"journal-{next(_numbers)}.db"
        create_journal(str(path)).close()
        process, hear = started(tidying, str(path), REPORTS)
        hear.recv()
        found: list[Last | None] = []
        while process.is_alive() and copies + len(found) < COPIES:
            found.append(last_of(way(path, process.pid or 0, folder)))
        heard(hear)
        process.join()
        yield found, history(path)
        copies += len(found)
        shutil.rmtree(folder)
        folder.mkdir()


@pytest.mark.parametrize("way", [of_one_moment, while_reading, by_sqlite])
def test_every_copy_is_a_prefix_of_the_history(way: Way, tmp_path: Path) -> None:
    for found, recorded in batches(way, tmp_path / "journals"):
        assert None not in found
        assert set(found) <= recorded
        numbers = [one[0] for one in found if one is not None]
        assert numbers == sorted(numbers)
        assert all(number % 4 == 0 for number in numbers)  # no half report


def test_a_plain_copy_is_a_prefix_or_known_to_be_none(tmp_path: Path) -> None:
    torn = 0
    for found, recorded in batches(one_after_the_other, tmp_path / "journals"):
        assert {one for one in found if one is not None} <= recorded
        torn += found.count(None)
    print(f"{torn} of {COPIES} plain copies were torn, and known to be.")


def test_a_copy_torn_by_a_checkpoint_is_known(tmp_path: Path) -> None:
    """The database is copied, the log moved into the original and begun anew, then copied."""
    lasts = []
    for more in range(1, 31):
        path, copy = tmp_path / f"{more}.db", tmp_path / f"{more}-copy.db"
        create_journal(str(path)).close()
        journal = open_journal(str(path))
        journal.record(report(0), DIRECTOR)
        shutil.copyfile(path, copy)
        for number in range(1, 1 + more):
            journal.record(report(number), DIRECTOR)
        with journal.database.engine.connect() as connection:
            connection.rollback()
            connection.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
        journal.record(report(99), DIRECTOR)
        shutil.copyfile(f"{path}-wal", f"{copy}-wal")
        recorded = history(path)
        journal.close()
        lasts.append(last_of(copy))
        assert lasts[-1] is None or lasts[-1] in recorded
    assert lasts.count(None) > 20
