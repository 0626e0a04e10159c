"""
Whose turn it is to write into an SQLite file: in the order of asking, over threads and processes.

SQLite lets whoever comes first have its lock, so that a busy writer may starve the others. Here one
stands in the door until the writer before has left, and only then lets the next one stand there: a
writer who has just left goes behind those who wait. The locks are the system's own, so they go with
the process that holds them, however it ends.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from palmares.core.files import OWNERS


@contextmanager
def turn(journal: Path) -> Iterator[None]:
    """Wait for one's turn to write into a journal's file.

    Raises:
        OSError: the directory cannot be written to.
    """
    inside = _locked(journal, "turn")
    try:
        yield
    finally:
        os.close(inside)


def _locked(journal: Path, name: str) -> int:
    """The lock of the one who writes, taken while standing in the door."""
    door = _open(journal, "door")
    try:
        fcntl.flock(door, fcntl.LOCK_EX)
        inside = _open(journal, name)
        try:
            fcntl.flock(inside, fcntl.LOCK_EX)
        except BaseException:
            os.close(inside)
            raise
        return inside
    finally:
        os.close(door)


def _open(journal: Path, name: str) -> int:
    """Open a file of locks; whoever may write to the journal may write to it, and nobody else."""
    path, how = f"{journal}-{name}", os.O_RDWR | os.O_CLOEXEC
    with suppress(FileNotFoundError):
        return os.open(path, how)
    number = os.open(path, how | os.O_CREAT, OWNERS)
    with suppress(OSError):  # somebody else made it meanwhile
        os.fchmod(number, journal.stat().st_mode & 0o666)
    return number
