"""
Charts and pages to print, made by a process of their own.

The library that draws has a browser's engine in it: 80 MB once it has drawn something, for the rest
of the process's life; the one that sets pages keeps what it needed, 400 MB for a long list. So a
worker starts when something is wanted and exits after a minute of inactivity, or after a page; if
it crashes, the site keeps running.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from threading import Lock
from typing import Any

from palmares.render.charts.drawing import draw
from palmares.render.pdf import compiled

FORMS: Mapping[str, str] = {"svg": "image/svg+xml", "png": "image/png"}
PDF = "pdf"
"""The form of pages, from what `palmares.render.pdf` takes."""
IDLE = 60.0
"""Seconds of inactivity after which the worker exits."""
SECONDS = 30.0
"""A picture takes no longer."""
_SPAWN = get_context("spawn")


class NotDrawn(Exception):
    """A picture could not be drawn."""


def _work(pipe: Connection[bytes | str, Any], idle: float) -> None:
    """Draw until nothing is asked for a while, or the site is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the site, which ends the worker
    with suppress(EOFError):
        while pipe.poll(idle):
            chart, form = pipe.recv()
            try:
                pipe.send(compiled(chart) if form == PDF else draw(chart, form))
            except Exception as error:  # noqa: BLE001  the site is told
                pipe.send(str(error))
            if form == PDF:
                return


class ChartRenderer:
    """Draws descriptions in Vega-Lite, and sets pages, one after another; threads may ask."""

    def __init__(self, idle: float = IDLE, seconds: float = SECONDS) -> None:
        self._idle = idle
        self._seconds = seconds
        self._lock = Lock()
        self._worker: SpawnProcess | None = None
        self._closed = False

    def draw(self, chart: Mapping[str, Any], form: str) -> bytes:
        """Draw a description as "svg" or "png", or set a page as `PDF`.

        Raises:
            NotDrawn: it is no good description, drawing it takes too long, or the site is closing.
        """
        with self._lock:
            fresh = False  # the worker may have exited just now; then another one is started
            while not (fresh or self._closed):
                fresh = self._worker is None
                try:
                    return self._answer(chart, form)
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

    def _answer(self, chart: Mapping[str, Any], form: str) -> bytes:
        if self._worker is None:
            self._pipe, theirs = _SPAWN.Pipe()
            worker = _SPAWN.Process(target=_work, args=(theirs, self._idle), daemon=True)
            worker.start()
            self._worker = worker  # whoever closes meets no worker that has not begun
            theirs.close()
        self._pipe.send((chart, form))
        if self._closed or not self._pipe.poll(self._seconds):
            raise EOFError
        answer = self._pipe.recv()
        if isinstance(answer, str):
            raise NotDrawn(answer)
        return bytes(answer)

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()  # it has nothing to lose
            worker.join()
            self._pipe.close()
