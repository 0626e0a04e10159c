"""A bar for work that takes longer than two seconds, on a terminal and nowhere else."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from threading import Timer
from typing import TYPE_CHECKING

from palmares.core.progress import Step, heard_by

if TYPE_CHECKING:
    from rich.progress import Progress, Task

PATIENCE = 2.0  # seconds of work before anything is shown
_BRIEF = 0.3  # seconds: later work is shown only if it lasts, so that nothing flickers
_LOOKS = 10  # a second


class _Bars:
    """Rich's bars: they come once work has taken long, and go when there is none."""

    def __init__(self) -> None:
        self.begun = 0.0  # when the first of all work did
        self.progress: Progress | None = None
        self.timer: Timer | None = None

    @contextmanager
    def task(self, what: str, total: int | None) -> Iterator[Step]:
        """A task as `palmares.core.progress` tells it."""
        self.begun = self.begun or time.monotonic()
        progress = self.progress = self.progress or _new_progress()
        if not progress.tasks:
            patience = max(PATIENCE - (time.monotonic() - self.begun), _BRIEF)
            self.timer = Timer(patience, progress.start)
            self.timer.daemon = True
            self.timer.start()
        row = progress.add_task(what, total=total)
        try:
            yield partial(progress.advance, row)
        finally:
            progress.remove_task(row)
            if not progress.tasks:
                self.hide()

    def hide(self) -> None:
        """Show nothing until there is more work."""
        if self.timer and self.progress:
            self.timer.cancel()
            self.timer.join()
            self.progress.stop()


def _new_progress() -> Progress:
    """Rich's live display, gone without a trace when it stops."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress
    from rich.table import Table
    from rich.text import Text

    class Rows(Progress):
        """A row for each task that has lasted: its name, a bar, and `words`."""

        def get_renderables(self) -> Iterator[Table]:
            """All of them as one table; where the line is short, so is the bar."""
            table = Table.grid(padding=(0, 1))
            table.add_column(no_wrap=True)
            table.add_column(max_width=40)
            table.add_column(no_wrap=True)
            for task in self.tasks:
                if (task.elapsed or 0.0) >= _BRIEF:
                    bar = BarColumn(bar_width=None).render(task)
                    table.add_row(Text(task.description), bar, Text(words(task)))
            if table.row_count:
                yield table

    return Rows(
        console=Console(stderr=True),
        refresh_per_second=_LOOKS,
        transient=True,
        redirect_stdout=False,  # else what goes to a file would go to the terminal
        redirect_stderr=False,
    )


def words(task: Task) -> str:
    """How much of a task is done, how fast, and how long the rest will take."""
    count = f"{task.completed:,.0f}" if task.completed or task.total else ""
    total = f"/{task.total:,.0f}" if task.total else ""
    rate = f"  {task.speed:,.{0 if task.speed >= 10 else 1}f}/s" if task.speed else ""  # noqa: PLR2004
    seconds = task.time_remaining if task.total else None
    left = "" if seconds is None else f"  {timedelta(seconds=max(0, round(seconds)))} left"
    return f"{count}{total}{rate}{left}"


@contextmanager
def shown() -> Iterator[None]:
    """Within it, long work is shown, if standard error is a terminal that can take back a line."""
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        yield
        return
    bars = _Bars()
    try:
        with heard_by(bars.task):
            yield
    finally:
        bars.hide()
