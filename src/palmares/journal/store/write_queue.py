"""
A queue of writers for an SQLite file, over threads and processes.

SQLite's own lock lets a busy writer starve the others. Here the next writer holds a first lock
until the writer before releases a second one, so a writer who has just written queues behind those
who wait. The system releases both locks when a process ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from palmares.core.errors import StoreError

_POLL = 0.005  # seconds between two tries


@contextmanager
def turn(journal: Path) -> Iterator[None]:
    """Wait for a turn to write into a journal's file.

    Raises:
        StoreError: the directory cannot be written to.
    """
    with _lock(journal, "door") as next_in_line, _lock(journal, "turn"):
        next_in_line.release()
        yield


@contextmanager
def _lock(journal: Path, name: str) -> Iterator[FileLock]:
    """Hold a lock; its file has the rights of the journal's."""
    try:
        mode = journal.stat().st_mode & 0o666
        lock = FileLock(f"{journal}-{name}", mode=mode, poll_interval=_POLL)
        lock.acquire()
    except OSError as error:
        why = error.strerror or error
        raise StoreError(f"{journal}: {why}. Nothing was recorded.") from error
    try:
        yield lock
    finally:
        lock.release()
