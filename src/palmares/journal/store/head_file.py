"""The head file next to an SQLite journal, by which a lost end is noticed."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_LINE = re.compile(r"([0-9]{1,18}) ([0-9a-f]{64})\n", re.ASCII)
_MAX_BYTES = 200


@dataclass(frozen=True, slots=True)
class HeadFile:
    """Number and hash of a recorded entry; no number if the file is damaged."""

    file: Path
    sequence: int | None
    hash: str = ""


def read_head_file(journal: Path | None) -> HeadFile | None:
    """The head file of a journal, if there is one."""
    if journal is None:
        return None
    file = _head_file_of(journal)
    try:
        with file.open("rb") as opened:
            text = opened.read(_MAX_BYTES).decode("ascii", errors="replace")
    except OSError:
        return None
    line = _LINE.fullmatch(text)
    return HeadFile(file, int(line[1]), line[2]) if line else HeadFile(file, None)


def write_head_file(journal: Path, sequence: int, digest: str) -> None:
    """Write the head file, completely or not at all.

    The entry is recorded already: if this fails, the earlier head file stays.
    """
    file = _head_file_of(journal)
    draft = file.with_name(f".{file.name}-{secrets.token_hex(8)}")
    with suppress(OSError):
        try:
            mode = journal.stat().st_mode & 0o777
            number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with open(number, "w", encoding="ascii") as opened:  # noqa: PTH123  as open as that
                opened.write(f"{sequence} {digest}\n")
                opened.flush()
                os.fsync(number)
            draft.chmod(mode)  # whatever the umask
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)


def remove_head_file(journal: Path) -> None:
    """Remove the head file, for a new journal."""
    with suppress(OSError):
        _head_file_of(journal).unlink()


def _head_file_of(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}-head")
