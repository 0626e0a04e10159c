"""
This user's caches: what lies there may be thrown away at any time.

    ours    the folder of ours
    made    a folder in it, for its owner alone
    keep    bytes  ->  a file, whole or not at all
    kept    a file  ->  the bytes, if they are those that were kept
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from palmares.core.files import OWNERS

_NOBODYS = Path("/nonexistent")
_DIGEST = 32


def ours() -> Path:
    """The folder of our caches; ``XDG_CACHE_HOME`` counts if it is absolute, as it must be.

    Whoever has no home is sent to a place where nothing is, and nothing can be kept.
    """
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not chosen.is_absolute():
        try:
            chosen = Path.home() / ".cache"
        except RuntimeError:
            chosen = _NOBODYS
    return chosen / "palmares"


def made(folder: Path) -> None:
    """Make a folder of our caches that nobody but its owner can look into.

    Raises:
        OSError: it cannot be made.
    """
    above = [one for one in reversed(folder.parents) if one.is_relative_to(ours())]
    for one in (*above, folder):
        one.mkdir(parents=True, exist_ok=True, mode=0o700)


def keep(file: Path, content: bytes) -> None:
    """Keep bytes in a file, behind their digest; a full disk only makes the next time slower."""
    draft = file.with_name(f".{secrets.token_hex(8)}")
    with suppress(OSError):
        made(file.parent)
        try:
            draft.touch(mode=OWNERS, exist_ok=False)
            draft.write_bytes(sha256(content).digest() + content)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)


def kept(file: Path) -> bytes | None:
    """What was kept in a file; nothing where it is not there, damaged, or somebody else's."""
    try:
        with file.open("rb") as opened:
            if os.fstat(opened.fileno()).st_uid != os.geteuid():
                return None  # it may be code, and whoever wrote it would have it run in our name
            text = opened.read()
    except OSError:
        return None
    digest, content = text[:_DIGEST], text[_DIGEST:]
    return content if sha256(content).digest() == digest else None
