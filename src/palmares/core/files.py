"""
Files and folders that appear whole or not at all, whatever stops the work.

The name to write under stands beside the place, so that the last step is one renaming, and it is
known before anything is written, so that there is no moment at which it could be left behind.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

OWNERS = 0o600
"""What others may do with a file that holds names or results not announced: nothing."""
_PIECE = 2**20
"""Bytes of a file that are looked at together."""


class _Placed(NamedTuple):
    """What was about to take its place: after that, the place has this file's number."""

    place: Path
    device: int
    file: int


_MOST = 100  # remembered; a service that runs for months writes more
_placed: deque[_Placed] = deque(maxlen=_MOST)


@contextmanager
def atomic_path(place: Path) -> Iterator[Path]:
    """A name for a file or a folder that takes its place when the work has ended well.

    A file that was there is replaced; a folder must be empty or not there, and folders above it
    are made. Nothing stays behind where the work fails or is interrupted.

    Raises:
        OSError: it cannot be written there.
    """
    place = place.resolve()
    above = next(one for one in place.parents if one.exists())
    draft = above / f".palmares-{secrets.token_hex(8)}"
    try:
        yield draft
        _put(draft, place)
    finally:
        _remove(draft)


def finished() -> list[Path]:
    """Every place that was taken, and that nobody has changed since."""
    return [one.place for one in _placed if _number(one.place) == one[1:]]


def _put(draft: Path, place: Path) -> None:
    """Rename the draft; folders that were made for it go again if that fails."""
    above = [one for one in place.parents if not one.exists()] if draft.is_dir() else []
    try:
        for one in reversed(above):
            one.mkdir()
        if number := _number(draft):
            _placed.append(_Placed(place, *number))
        os.replace(draft, place)  # noqa: PTH105
    except BaseException:
        for one in above:
            with suppress(OSError):
                one.rmdir()
        raise


def _number(path: Path) -> tuple[int, int] | None:
    """What the system calls a file, under whichever name."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _remove(draft: Path) -> None:
    if draft.is_dir() and not draft.is_symlink():
        shutil.rmtree(draft, ignore_errors=True)
    else:
        with suppress(OSError):
            draft.unlink()


def owners(folder: Path) -> None:
    """Let nobody but their owner read the files of a folder that is the owner's already."""
    for one in folder.iterdir():
        one.chmod(OWNERS)


def checksum(file: Path) -> str:
    """How long a file is, and the CRC-32 of its bytes.

    It finds damage, at seven times the speed of a SHA-256; it proves nothing against somebody who
    may write there.
    """
    found = size = 0
    piece = memoryview(bytearray(_PIECE))
    with file.open("rb", buffering=0) as opened:
        while many := opened.readinto(piece):
            found, size = crc32(piece[:many], found), size + many
    return f"{size}-{found:08x}"
