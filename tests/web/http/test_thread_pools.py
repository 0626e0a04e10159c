"""What some people ask for does not hold up others."""

from __future__ import annotations

from threading import Barrier, Event, Lock

import anyio
from anyio import to_thread

from palmares.web.http.state import PAGES, ThreadPools


def test_long_work_goes_one_by_one_and_pages_meanwhile() -> None:
    turns, begun, done, order = ThreadPools(), Event(), Event(), list[str]()

    def first() -> None:
        begun.set()
        done.wait()
        order.append("first")

    async def ask() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(turns.long, first)
            await to_thread.run_sync(begun.wait)
            tasks.start_soon(turns.long, order.append, "second")
            await turns.page(order.append, "page")
            done.set()

    anyio.run(ask)
    assert order == ["page", "first", "second"]


def test_so_many_pages_and_no_more() -> None:
    turns, together, lock = ThreadPools(), Barrier(PAGES), Lock()
    now = most = 0

    def make() -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        together.wait()  # as many as may; if fewer did, nobody would get on
        with lock:
            now -= 1

    async def ask() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(4 * PAGES):
                tasks.start_soon(turns.page, make)

    anyio.run(ask)
    assert most == PAGES
