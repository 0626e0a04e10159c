"""Ctrl-C, and the other ways to ask a command to stop: one line, and nothing half-written."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from palmares.core.errors import Refused
from palmares.core.files import finished

_asked: list[tuple[int, float]] = []  # the signals that came, and when
_ends: list[str] = []  # what to say at the end
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_AGAIN = 1.0  # seconds: a key pressed twice is one request, and undoing the work goes on


class Stopped(BaseException):
    """The work was asked to stop, by a signal of that number; Click would call it "Aborted!"."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(number)
        self.status = 128 + number  # as shells count it


@contextmanager
def stoppable() -> Iterator[None]:
    """Within it, Ctrl-C, SIGTERM and SIGHUP raise `Stopped`; one that is ignored stays so."""

    def stop(number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        again = bool(_asked) and now - _asked[-1][1] < _AGAIN
        _asked.append((number, now))
        if not again:
            raise Stopped(number)

    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    heeded = [one for one in numbers if signal.getsignal(one) != signal.SIG_IGN]
    for number in heeded:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in heeded:  # all that is left to do is leaving: at once, without a word
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def heeding() -> Iterator[None]:
    """Within it, what fails after somebody asked to stop is `Stopped`.

    A library may answer the signal in its own way: Polars with a KeyboardInterrupt, DuckDB with a
    RuntimeError.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped from None
    except Exception:
        if _asked:
            raise Stopped(_asked[-1][0]) from None
        raise


def heed_at_questions() -> None:
    """Have Ctrl-C end a question at once: once Polars is loaded, a read would go on after it."""
    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)  # noqa: FBT003


def end_with(words: str) -> None:
    """Say this if the command is asked to stop."""
    _ends.append(words)


def say() -> None:
    """One line on standard error."""
    written = ", ".join(str(one) for one in finished())
    what = f"written before: {written}" if written else "no file was written"
    sys.stderr.write(f"{_ends[-1] if _ends else f'Interrupted; {what}.'}\n")


def need_terminal(nothing: str) -> None:
    """Refuse to go on where no question can be asked."""
    if not sys.stdin.isatty():
        raise Refused(
            f"{nothing}: this needs a yes, and input is not a terminal. Add --yes to go on."
        )


def ask(question: str, nothing: str) -> None:
    """Refuse to go on unless the user says yes.

    Args:
        question: to which yes or no is an answer.
        nothing: what was not done if it is no, such as "Nothing was recorded".
    """
    import click

    need_terminal(nothing)
    heed_at_questions()
    if not click.confirm(question, default=False, err=True):
        raise Refused(f"{nothing}.")
