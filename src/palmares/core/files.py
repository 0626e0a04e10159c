"""
Files and folders that appear whole or not at all, whatever stops the work; this user's caches.

The name to write under stands beside the place, so that the last step is one renaming, and it is
known before anything is written, so that there is no moment at which it could be left behind.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from zlib import crc32

OWNERS = 0o600
"""What others may do with a file that holds names or results not announced: nothing."""
PERMISSIONS = hasattr(os, "geteuid")
"""Whether a file's mode and owner say who may read it; on Windows its folder does."""
_PIECE = 2**20
"""Bytes of a file that are looked at together."""


@contextmanager
def atomic_path(place: Path) -> Iterator[Path]:
    """A name for a file or a folder that takes its place when the work has ended well.

    A file that was there is replaced; a folder must be empty or not there, and folders above it
    are made. Nothing stays behind where the work fails or is interrupted.

    Raises:
        OSError: it cannot be written there.
    """
    place = place.resolve()
    above = next(parent for parent in place.parents if parent.exists())
    draft = above / f".palmares-{secrets.token_hex(8)}"
    try:
        yield draft
        _put(draft, place)
    finally:
        if draft.is_dir() and not draft.is_symlink():
            shutil.rmtree(draft, ignore_errors=True)
        else:
            with suppress(OSError):
                draft.unlink()


def _put(draft: Path, place: Path) -> None:
    """Rename the draft; if that fails, remove the folders that were made for it."""
    above = [parent for parent in place.parents if not parent.exists()] if draft.is_dir() else []
    try:
        for parent in reversed(above):
            parent.mkdir()
        os.replace(draft, place)  # noqa: PTH105
    except BaseException:
        for parent in above:
            with suppress(OSError):
                parent.rmdir()
        raise


def owners(folder: Path) -> None:
    """Make the files of a folder readable by their owner only."""
    for path in folder.iterdir():
        path.chmod(OWNERS)


def checksum(file: Path) -> str:
    """How long a file is, and the CRC-32 of its bytes.

    It finds damage, at seven times the speed of a SHA-256; it proves nothing against somebody who
    may write there.
    """
    crc = size = 0
    piece = memoryview(bytearray(_PIECE))
    with file.open("rb", buffering=0) as opened:
        while many := opened.readinto(piece):
            crc, size = crc32(piece[:many], crc), size + many
    return f"{size}-{crc:08x}"


# ── caches ───────────────────────────────────────────────────────────────────────────────────────

_NOWHERE = Path("/nonexistent/palmares")
_DIGEST = 32


def cache_folder() -> Path:
    """This user's folder of our caches: what lies there may be thrown away at any time.

    Without a home directory it is a folder that does not exist, so that nothing is cached.
    """
    from platformdirs import user_cache_path

    try:
        return user_cache_path("palmares", appauthor=False)
    except RuntimeError:
        return _NOWHERE


def make_private(folder: Path) -> None:
    """Make a cache folder that only its owner can read.

    Raises:
        OSError: it cannot be made.
    """
    above = [parent for parent in reversed(folder.parents) if parent.is_relative_to(cache_folder())]
    for each in (*above, folder):
        each.mkdir(parents=True, exist_ok=True, mode=0o700)


def write_cached(file: Path, content: bytes) -> None:
    """Keep bytes in a file, behind their digest; a full disk only makes the next time slower."""
    draft = file.with_name(f".{secrets.token_hex(8)}")
    with suppress(OSError):
        make_private(file.parent)
        try:
            draft.touch(mode=OWNERS, exist_ok=False)
            draft.write_bytes(sha256(content).digest() + content)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)


def read_cached(file: Path) -> bytes | None:
    """The bytes cached in a file; none if it is missing, damaged or another user's."""
    try:
        with file.open("rb") as opened:
            if PERMISSIONS and os.fstat(opened.fileno()).st_uid != os.geteuid():
                return None  # it may be code, which we would run
            text = opened.read()
    except OSError:
        return None
    digest, content = text[:_DIGEST], text[_DIGEST:]
    return content if sha256(content).digest() == digest else None


def write_secret(file: str | os.PathLike[str], text: str) -> None:
    """Write a line into a new file that only its owner can read.

    Raises:
        OSError: it cannot be written; FileExistsError: there is one already, and it stays.
    """
    number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNERS)
    try:
        with os.fdopen(number, "w", encoding="ascii") as secret_file:
            secret_file.write(f"{text}\n")
    except OSError:
        Path(file).unlink()
        raise
