"""
Whose turn it is to write into an SQLite file: in the order of asking, over threads and processes.

SQLite lets whoever comes first have its lock, so that a busy writer may starve the others. Here are
two locks: the next writer holds the first one until the writer before has given back the second, so
that a writer who has just written goes behind those who wait. The locks are the system's own, so
they go with the process that holds them, however it ends.
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
    """Wait for one's turn to write into a journal's file.

    Raises:
        StoreError: the directory cannot be written to.
    """
    with _lock(journal, "door") as next_in_line, _lock(journal, "turn"):
        next_in_line.release()
        yield


@contextmanager
def _lock(journal: Path, name: str) -> Iterator[FileLock]:
    """Hold a lock; whoever may write to the journal may write to its file, and nobody else."""
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
