"""
Whose turn it is to write into an SQLite file: in the order of asking, over threads and processes.

SQLite lets whoever comes first have its lock, so that a busy writer may starve the others. Here are
two locks: the next writer holds the first one until the writer before has given back the second, so
that a writer who has just written goes behind those who wait. The locks are the system's own, so
they go with the process that holds them, however it ends.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from palmares.core.errors import StoreError
from palmares.core.files import OWNERS


@contextmanager
def turn(journal: Path) -> Iterator[None]:
    """Wait for one's turn to write into a journal's file.

    Raises:
        StoreError: the directory cannot be written to.
    """
    with ExitStack() as held:
        with _lock(journal, "door"):  # of the next in line
            held.enter_context(_lock(journal, "turn"))
        yield


@contextmanager
def _lock(journal: Path, name: str) -> Iterator[None]:
    """Hold a lock."""
    try:
        number = _open(journal, name)
    except OSError as error:
        why = error.strerror or error
        raise StoreError(f"{journal}: {why}. Nothing was recorded.") from error
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


def _open(journal: Path, name: str) -> int:
    """Open a file of locks; whoever may write to the journal may write to it, and nobody else."""
    path, how = f"{journal}-{name}", os.O_RDWR | os.O_CLOEXEC
    with suppress(FileNotFoundError):
        return os.open(path, how)
    number = os.open(path, how | os.O_CREAT, OWNERS)
    with suppress(OSError):  # somebody else made it meanwhile
        os.fchmod(number, journal.stat().st_mode & 0o666)
    return number
