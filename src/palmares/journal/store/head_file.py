"""The last entry of a journal in SQLite, kept beside its file, so that a lost end is noticed."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_LINE = re.compile(r"([0-9]{1,18}) ([0-9a-f]{64})\n", re.ASCII)
_MOST = 200  # bytes that are looked at


@dataclass(frozen=True, slots=True)
class HeadFile:
    """Number and hash of an entry that was recorded; none where the file is damaged."""

    file: Path
    sequence: int | None
    hash: str = ""


def read_head_file(journal: Path | None) -> HeadFile | None:
    """What is kept beside a journal's file, if there is anything."""
    if journal is None:
        return None
    file = _place(journal)
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST).decode("ascii", errors="replace")
    except OSError:
        return None
    found = _LINE.fullmatch(text)
    return HeadFile(file, int(found[1]), found[2]) if found else HeadFile(file, None)


def write_head_file(journal: Path, sequence: int, digest: str) -> None:
    """Keep the entry that was recorded last, whole or not at all.

    It is recorded already: where this cannot be written, an earlier one stays.
    """
    file = _place(journal)
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
    """A new journal begins where another one was."""
    with suppress(OSError):
        _place(journal).unlink()


def _place(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}-head")
