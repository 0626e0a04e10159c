"""
Progress of long work; the command line shows it as a bar.

Work calls ``with task("placings", total) as step: ... step(1000)`` and does not know who listens.
Without a listener a step costs next to nothing; take it once a batch, not once a row. Any thread
may take a step; for other processes the one that gathers their results does.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from operator import length_hint
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Advance(Protocol):
    """Report that so many more are done."""

    def __call__(self, done: int = 1, /) -> None:
        """So many more than at the last call."""


Listener = Callable[[str, int | None], AbstractContextManager[Advance]]
"""Given what is done and how much there is (none: unknown), gives the task's context."""

_SHARES = 1000
"""A loop of known length reports its progress so many times."""


def _ignored(done: int = 1, /) -> None:
    """A step without a listener."""


_NO_LISTENER: AbstractContextManager[Advance] = nullcontext(_ignored)
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def task(what: str, total: int | None = None) -> AbstractContextManager[Advance]:
    """A piece of work that may be long; its context is a function that takes the steps.

    Args:
        what: the things it goes through, as a person calls them: "tournaments".
        total: how many there are; none if unknown.
    """
    listener = _listener.get()
    return _NO_LISTENER if listener is None else listener(what, total)


def over(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """The items of a loop, each counted as done when the next one is asked for.

    Args:
        items: what the loop goes through.
        what: as a person calls them: "tournaments".
        total: how many there are; by default what *items* knows of it.
    """
    if _listener.get() is None:
        return iter(items)
    return _in_steps(items, what, total or length_hint(items) or None)


def _in_steps(items: Iterable[Item], what: str, total: int | None) -> Iterator[Item]:
    batch = max(1, (total or 0) // _SHARES)
    waiting = 0
    with task(what, total) as step:
        for item in items:
            yield item
            waiting += 1
            if waiting == batch:
                step(batch)
                waiting = 0
        step(waiting)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Within it, *listener* is called for every task that begins in this context."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Within it, Python looks for no cycles of objects.

    There are none among plain values: to look through a million of them again and again takes from
    a quarter to three quarters of the time.
    """
    looks = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looks:
            gc.enable()
