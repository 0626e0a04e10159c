"""
Pictures, drawn by a process of their own.

    Easel   draws descriptions in Vega-Lite, one after another
    FORMS   what it draws, and the media type

The library that draws has a browser's engine in it: 80 MB once it has drawn something, for the rest
of the process's life. So somebody else has them (`drawing_child`), who comes when a picture is
wanted, stays while there is more to draw, and goes home after a minute. If he falls over, the site
stands.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock, Timer
from typing import IO, Any, cast
from weakref import finalize

import msgspec

FORMS: Mapping[str, str] = {"svg": "image/svg+xml", "png": "image/png"}
IDLE = 60.0
"""Seconds after which he goes home."""
SECONDS = 30.0
"""A picture takes no longer."""
_SCALE = 2.0


class NotDrawn(Exception):
    """A picture could not be drawn."""


class Easel:
    """Where pictures are drawn, one at a time; threads may ask."""

    def __init__(self, idle: float = IDLE, seconds: float = SECONDS) -> None:
        self._idle = idle
        self._seconds = seconds
        self._lock = Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._closed = False

    def drawn(self, chart: Mapping[str, Any], form: str) -> bytes:
        """A description as "svg" or "png".

        Raises:
            NotDrawn: it is no good description, drawing it takes too long, or the site is closing.
        """
        question = msgspec.json.encode({"chart": chart, "form": form, "scale": _SCALE}) + b"\n"
        with self._lock:
            fresh = False  # he may have gone home just now; then somebody else comes
            while not (fresh or self._closed):
                fresh = self._child is None
                try:
                    return self._answer(question)
                except (EOFError, OSError):
                    self._send_home()
        if self._closed:
            raise NotDrawn("Nothing is drawn any more: the site is closing.")
        raise NotDrawn(f"The {form} was not drawn in {self._seconds:.0f} seconds, or at all.")

    def close(self) -> None:
        """Send him home, whatever he is drawing; nobody is called after him."""
        self._closed = True
        child = self._child
        if child is not None:
            child.kill()  # whoever waits for his picture has the lock, and lets go of it now
        with self._lock:
            self._send_home()

    def _answer(self, question: bytes) -> bytes:
        child = self._child = self._child or self._called()
        if self._closed:
            raise EOFError
        asks, hears = cast("IO[bytes]", child.stdin), cast("IO[bytes]", child.stdout)
        late = Timer(self._seconds, child.kill)
        late.start()
        try:
            asks.write(question)
            asks.flush()
            what, _, many = hears.readline().partition(b" ")
            if not what:
                raise EOFError
            content = hears.read(int(many))
            if len(content) < int(many):
                raise EOFError
        finally:
            late.cancel()
        if what != b"picture":
            raise NotDrawn(content.decode(errors="replace"))
        return content

    def _called(self) -> subprocess.Popen[bytes]:
        file = Path(__file__).with_name("drawing_child.py")
        child = subprocess.Popen(  # noqa: S603  our own file
            [sys.executable, "-I", str(file), str(self._idle)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is meant for the site, which sends him home
        )
        self._forgotten = finalize(self, _ended, child)
        return child

    def _send_home(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            self._forgotten()


def _ended(child: subprocess.Popen[bytes]) -> None:
    child.kill()  # he has nothing to lose
    with suppress(OSError), child:  # closes what we talked through, and waits
        pass
