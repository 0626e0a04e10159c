"""Text for a terminal: its width, bars for long work, questions, Ctrl-C."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from textwrap import wrap
from threading import Timer
from types import FrameType
from typing import TYPE_CHECKING

import click

from palmares.core.errors import Refused
from palmares.core.progress import Advance, heard_by

if TYPE_CHECKING:
    from rich.progress import Progress, Task


NARROWEST = 20  # letters a line to which text is broken
INDENT = "    "


def harmless(text: str) -> str:
    """Text that is safe to print on a terminal: invisible letters by their codes."""
    if text.replace("\n", "").isprintable():
        return text
    from palmares.facts.text import visible

    return visible(text, keep="\n")


def folded(text: str, *, err: bool = False) -> str:
    """Text whose lines are broken at words where a terminal is narrower; elsewhere as it is.

    Args:
        text: lines; what goes on below a line stands four letters further in.
        err: whether it is for standard error.
    """
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty():
        return text
    width = max(NARROWEST, shutil.get_terminal_size().columns)
    lines = []
    for line in text.split("\n"):
        left = " " * (len(line) - len(line.lstrip()))
        lines += wrap(
            line, width, subsequent_indent=left or INDENT,
            break_long_words=False, break_on_hyphens=False,
        ) or [""]  # fmt: skip
    return "\n".join(lines)


def count_of(number: int, noun: str, several: str = "") -> str:
    """``1 board``, ``1,008 boards``."""
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"


PATIENCE = 2.0  # seconds of work before anything is shown
_BRIEF = 0.3  # seconds: later work is shown only if it lasts, so that nothing flickers
_LOOKS = 10  # a second


class _Bars:
    """Progress bars of Rich, shown after two seconds of work, and hidden at its end."""

    def __init__(self) -> None:
        self.begun = 0.0  # when the first of all work did
        self.progress: Progress | None = None
        self.timer: Timer | None = None

    @contextmanager
    def task(self, what: str, total: int | None) -> Iterator[Advance]:
        """Show a task of `palmares.core.progress`."""
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
    """Rich's live display, which leaves no trace when it stops."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
    from rich.table import Column
    from rich.text import Text

    class Words(ProgressColumn):
        """How far a task is, in `words`."""

        def render(self, task: Task) -> Text:
            """The text of the column."""
            return Text(words(task))

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),  # on a short line, the bar is short
        Words(Column(no_wrap=True)),
        console=Console(stderr=True),
        refresh_per_second=_LOOKS,
        transient=True,
        redirect_stdout=False,  # else what goes to a file would go to the terminal
        redirect_stderr=False,
    )


def words(task: Task) -> str:
    """The progress of a task, its rate, and the time left."""
    count = f"{task.completed:,.0f}" if task.completed or task.total else ""
    total = f"/{task.total:,.0f}" if task.total else ""
    rate = f"  {task.speed:,.{0 if task.speed >= 10 else 1}f}/s" if task.speed else ""  # noqa: PLR2004
    seconds = task.time_remaining if task.total else None
    left = "" if seconds is None else f"  {timedelta(seconds=max(0, round(seconds)))} left"
    return f"{count}{total}{rate}{left}"


@contextmanager
def showing_progress() -> Iterator[None]:
    """Show a bar for long work, if standard error is a terminal that can take back a line."""
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        yield
        return
    bars = _Bars()
    try:
        with heard_by(bars.task):
            yield
    finally:
        bars.hide()


_signals: list[tuple[int, float]] = []  # those that came, and when
_last_words: list[str] = []  # what to print when the command is stopped
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_AGAIN = 1.0  # seconds: a key pressed twice is one request, and undoing the work goes on
_SOON = 0.01  # seconds: until then a callback has ended


class Stopped(BaseException):
    """The work was stopped by a signal; Click would call it "Aborted!"."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(number)
        self.number = number
        self.status = 128 + number  # as shells count it


@contextmanager
def stoppable() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP raise `Stopped`; a signal that is ignored stays ignored.

    Python drops what is raised while it clears an object away (a destructor, the callback of a
    weak reference). There the signal is sent once more, a moment later.
    """

    def stop(number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        again = bool(_signals) and now - _signals[-1][1] < _AGAIN
        _signals.append((number, now))
        if not again:
            raise Stopped(number)

    def dropped(what: sys.UnraisableHookArgs) -> None:
        if not isinstance(what.exc_value, Stopped):
            sys.__unraisablehook__(what)
            return
        _signals.clear()
        later = Timer(_SOON, signal.raise_signal, [what.exc_value.number])
        later.daemon = True
        later.start()

    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    numbers = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    for number in numbers:
        signal.signal(number, stop)
    sys.unraisablehook = dropped
    try:
        yield
    finally:
        sys.unraisablehook = sys.__unraisablehook__
        for number in numbers:  # the command ends: a second Ctrl-C ends it at once
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def failing_as_stopped() -> Iterator[None]:
    """Turn failures after a signal into `Stopped`.

    A library may answer the signal in its own way: Polars with a KeyboardInterrupt, DuckDB with a
    RuntimeError.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped from None
    except Exception:
        if _signals:
            raise Stopped(_signals[-1][0]) from None
        raise


def interrupt_questions() -> None:
    """Let Ctrl-C end a question immediately; with Polars loaded, Python would go on reading."""
    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)  # noqa: FBT003


def set_last_words(words: str) -> None:
    """Print this, and not the usual line, if the command is stopped."""
    _last_words.append(words)


def print_stopped() -> None:
    """Say on standard error that the command was stopped."""
    usual = "Interrupted; every file is whole or was not written."
    sys.stderr.write(f"{_last_words[-1] if _last_words else usual}\n")


def need_terminal(nothing: str) -> None:
    """Refuse to go on if no question can be asked."""
    if not sys.stdin.isatty():
        raise Refused(
            f"{nothing}: this needs a yes, and input is not a terminal. Add --yes to go on."
        )


def ask(question: str, nothing: str) -> None:
    """Refuse to go on unless the user says yes.

    Args:
        question: one that yes or no answers.
        nothing: what was not done if it is no, such as "Nothing was recorded".
    """
    need_terminal(nothing)
    interrupt_questions()
    with suppress(click.Abort):  # the input ended
        if click.confirm(question, default=False, err=True):
            return
    raise Refused(f"{nothing}.")
