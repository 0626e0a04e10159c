"""A bar for work that takes longer than two seconds, on a terminal and nowhere else."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from palmares.core.progress import Step, heard_by

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 2.0  # seconds of work before anything is shown
_BRIEF = 0.3  # seconds: later work is shown only if it lasts, so that nothing flickers
_TICK = 0.1  # seconds between two looks
_FEW = 10  # a second: fewer are shown with a decimal


@dataclass(slots=True, eq=False)
class _Work:
    """A task under way."""

    what: str
    total: int | None
    begun: float
    done: int = 0
    lock: Lock = field(default_factory=Lock)
    row: TaskID | None = None  # of the display

    def step(self, done: int = 1, /) -> None:
        """So many more are done; from any thread."""
        with self.lock:
            self.done += done

    def told(self, now: float) -> dict[str, Any]:
        """What the display says of it."""
        rate = self.done / (now - self.begun) if self.done and now > self.begun else 0.0
        left = (self.total - self.done) / rate if self.total and rate else None
        count = f"{self.done:,}" if self.done or self.total else ""
        return {
            "completed": self.done,
            "count": f"{count}/{self.total:,}" if self.total else count,
            "rate": f"{rate:,.{1 if rate < _FEW else 0}f}/s" if rate else "",
            "left": "" if left is None else f"{_clock(max(left, 0.0))} left",
        }


def _clock(seconds: float) -> str:
    """``0:07``, ``12:30``, ``1:02:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class _Display:
    """Hears of work, and shows it once it has taken long; a thread looks ten times a second.

    The thread is there because a step may be a long time in coming.
    """

    def __init__(self) -> None:
        self.works: list[_Work] = []
        self.first: float | None = None  # when the first of all work began
        self.progress: Progress | None = None
        self.lock = Lock()
        self.over = Event()

    @contextmanager
    def __call__(self, what: str, total: int | None) -> Iterator[Step]:
        """A task as `palmares.core.progress` tells it."""
        work = _Work(what, total, time.monotonic())
        with self.lock:
            self.works.append(work)
            if self.first is None:
                self.first = work.begun
                Thread(target=self._watch, name="progress", daemon=True).start()
        try:
            yield work.step
        finally:
            with self.lock:
                self.works.remove(work)
                if self.progress and work.row is not None:
                    self.progress.remove_task(work.row)
                if not self.works:
                    self._hide()

    def close(self) -> None:
        """Show nothing any more."""
        self.over.set()
        with self.lock:
            self._hide()

    def _watch(self) -> None:
        while not self.over.wait(_TICK):
            with self.lock:
                self._look(time.monotonic())

    def _look(self, now: float) -> None:
        if self.over.is_set() or self.first is None or now - self.first < PATIENCE:
            return
        for work in self.works:
            if work.row is None and now - work.begun >= _BRIEF:
                self.progress = self.progress or _started()
                work.row = self.progress.add_task(work.what, total=work.total, **work.told(now))
            if self.progress and work.row is not None:
                self.progress.update(work.row, **work.told(now))
        if self.progress:
            self.progress.refresh()

    def _hide(self) -> None:
        if self.progress:
            self.progress.stop()
            self.progress = None


def _started() -> Progress:
    """Rich's live display, drawn by us and gone without a trace."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}", justify="right", markup=False),
        TextColumn("{task.fields[rate]}", justify="right", markup=False),
        TextColumn("{task.fields[left]}", justify="right", markup=False),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,  # else what goes to a file would go to the terminal
        redirect_stderr=False,
    )
    progress.start()
    return progress


@contextmanager
def shown() -> Iterator[None]:
    """Within it, long work is shown, if standard error is a terminal that can take back a line."""
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        yield
        return
    display = _Display()
    try:
        with heard_by(display):
            yield
    finally:
        display.close()
