"""
Charts drawn by a process of their own.

The library that draws has a browser's engine in it: 80 MB once it has drawn something, for the rest
of the process's life. So a worker (`chart_worker`) starts when a picture is wanted and exits after
a minute of inactivity; if it crashes, the site keeps running.
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
"""Seconds of inactivity after which the worker exits."""
SECONDS = 30.0
"""A picture takes no longer."""


class NotDrawn(Exception):
    """A picture could not be drawn."""


class ChartRenderer:
    """Draws descriptions in Vega-Lite, one after another; threads may ask."""

    def __init__(self, idle: float = IDLE, seconds: float = SECONDS) -> None:
        self._idle = idle
        self._seconds = seconds
        self._lock = Lock()
        self._worker: subprocess.Popen[bytes] | None = None
        self._closed = False

    def draw(self, chart: Mapping[str, Any], form: str) -> bytes:
        """Draw a description as "svg" or "png".

        Raises:
            NotDrawn: it is no good description, drawing it takes too long, or the site is closing.
        """
        question = msgspec.json.encode({"chart": chart, "form": form}) + b"\n"
        with self._lock:
            fresh = False  # the worker may have exited just now; then another one is started
            while not (fresh or self._closed):
                fresh = self._worker is None
                try:
                    return self._answer(question)
                except (EOFError, OSError):
                    self._end()
        if self._closed:
            raise NotDrawn("Nothing is drawn any more: the site is closing.")
        raise NotDrawn(f"The {form} was not drawn in {self._seconds:.0f} seconds, or at all.")

    def close(self) -> None:
        """End the worker, whatever it is drawing; no other one is started."""
        self._closed = True
        worker = self._worker
        if worker is not None:
            worker.kill()  # the thread that waits for a picture has the lock, and lets go of it now
        with self._lock:
            self._end()

    def _answer(self, question: bytes) -> bytes:
        worker = self._worker = self._worker or self._started()
        if self._closed:
            raise EOFError
        stdin, stdout = cast("IO[bytes]", worker.stdin), cast("IO[bytes]", worker.stdout)
        late = Timer(self._seconds, worker.kill)
        late.start()
        try:
            stdin.write(question)
            stdin.flush()
            what, _, size = stdout.readline().partition(b" ")
            if not what:
                raise EOFError
            content = stdout.read(int(size))
            if len(content) < int(size):
                raise EOFError
        finally:
            late.cancel()
        if what != b"picture":
            raise NotDrawn(content.decode(errors="replace"))
        return content

    def _started(self) -> subprocess.Popen[bytes]:
        file = Path(__file__).with_name("chart_worker.py")
        worker = subprocess.Popen(  # noqa: S603  our own file
            [sys.executable, "-I", str(file), str(self._idle)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is meant for the site, which ends the worker
        )
        self._finalizer = finalize(self, _kill, worker)
        return worker

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            self._finalizer()


def _kill(worker: subprocess.Popen[bytes]) -> None:
    worker.kill()  # it has nothing to lose
    with suppress(OSError), worker:  # closes the pipes, and waits
        pass
