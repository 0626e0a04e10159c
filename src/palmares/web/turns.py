"""
Who works at the same time, so that what some people ask for does not hold up others.

    Turns       threads of one kind of people
    PAGES       so many pages are made at the same time

More threads only take more memory, so they are few; whoever finds none free waits for his turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

from anyio import CapacityLimiter, to_thread

T = TypeVar("T")
P = TypeVarTuple("P")

PAGES = 3


class Turns:
    """Threads of one kind of people: some for pages, one for what takes long."""

    def __init__(self) -> None:
        self._pages = CapacityLimiter(PAGES)
        self._long = CapacityLimiter(1)

    async def page(self, work: Callable[[*P], T], *what: *P) -> T:
        """Something short, such as a page, when a thread is free."""
        return await to_thread.run_sync(work, *what, limiter=self._pages)

    async def long(self, work: Callable[[*P], T], *what: *P) -> T:
        """Something long, one after another; pages are made meanwhile."""
        return await to_thread.run_sync(work, *what, limiter=self._long)
