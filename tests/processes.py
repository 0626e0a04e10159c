"""
Processes that a test starts, on a terminal or not, and signals to them.

    at_the_end      one that is gone at the end, whatever went wrong
    free_port       a port for it to listen at
    on_terminal     a command whose standard error is a terminal  ->  what it showed, and when
    plain           what was shown without the terminal's own codes
"""

from __future__ import annotations

import os
import re
import select
import socket
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import AnyStr, NamedTuple

ROWS, COLUMNS = 24, 100


@contextmanager
def at_the_end(process: subprocess.Popen[AnyStr]) -> Iterator[subprocess.Popen[AnyStr]]:
    """One that should have ended by itself is killed: else a test would wait for it for ever."""
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def free_port() -> int:
    """A port at which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


# ── on a terminal ────────────────────────────────────────────────────────────────────────────────


class Shown(NamedTuple):
    """What a process did on its terminal."""

    status: int
    pieces: list[tuple[float, str]]  # seconds since the start, and what came then
    printed: str  # on standard output, which is a pipe

    @property
    def text(self) -> str:
        """All that came on the terminal."""
        return "".join(piece for _, piece in self.pieces)


INTERRUPT = "\x03"


def on_terminal(
    command: Sequence[object],
    environment: Mapping[str, str] | None = None,
    press: str = "",
    after: str = "",
) -> Shown:
    """Run with standard error and input on a terminal; press keys once it has shown some text."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (ROWS, COLUMNS))
    started = time.monotonic()
    process = subprocess.Popen(
        # A terminal of its own, whose Ctrl-C reaches nobody else.
        ["setsid", "--ctty", sys.executable, *map(str, command)],  # noqa: S607  wherever it is
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm"} | dict(environment or {}),
    )
    with at_the_end(process):
        os.close(theirs)
        pieces: list[tuple[float, str]] = []
        again = b""
        while piece := _piece(ours, again):
            pieces.append((time.monotonic() - started, piece))
            if press and after in plain("".join(text for _, text in pieces)):
                os.write(ours, press.encode())
                again = press.encode() if press == INTERRUPT else b""
                press = ""
        os.close(ours)  # which hangs up on a process that still waits for a key
        printed = process.stdout.read().decode() if process.stdout else ""
        process.wait(60)
    return Shown(process.returncode, pieces, printed)


def _piece(terminal: int, again: bytes) -> str:
    """What comes next; nothing when nobody writes there any more, or for a minute.

    *again* is pressed every five seconds: Python misses a Ctrl-C that comes just before it begins
    to wait for a key, and people press it again.
    """
    for _ in range(12):
        if select.select([terminal], [], [], 5)[0]:
            break
        os.write(terminal, again)
    else:
        return ""
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:
        return ""


def plain(text: str) -> str:
    """Text without what moves the cursor or colours it; each drawing on a line of its own."""
    return re.sub(r"[\r\n]+", "\n", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text))
