"""Who watches live events: one look at the database every half second serves them all."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator

import sqlalchemy as sa
from anyio import to_thread

from palmares.core.errors import PalmaresError
from palmares.journal.store.journal import EVENT_RECORDS, Journal

STREAMS = r"/live/[^/]+/stream$"
"""Addresses of streams, which are not compressed: each line is sent at once."""
MOST = 2_000
"""Streams of one process."""
BETWEEN = 0.5
"""Seconds between two looks at the database."""
HEARTBEAT = 15.0
"""Seconds after which a stream says that it is alive."""
LONGEST = 1_800.0
"""Seconds after which a stream ends; browsers open another."""


class Watcher:
    """The last record of each event that is watched in this process."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._streams: defaultdict[str, set[asyncio.Queue[int]]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None

    @property
    def is_full(self) -> bool:
        """Whether no more streams are taken."""
        return sum(map(len, self._streams.values())) >= MOST

    async def stream(self, event: str, sequence: int) -> AsyncGenerator[bytes, None]:
        """Server-sent events: the number of the last record, each time that it changes.

        Args:
            event: which event.
            sequence: its last record now, which is sent first.
        """
        queue: asyncio.Queue[int] = asyncio.Queue()
        self._streams[event].add(queue)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())
        end = asyncio.get_running_loop().time() + LONGEST
        try:
            yield b"retry: 3000\ndata: %d\n\n" % sequence
            while asyncio.get_running_loop().time() < end:
                try:
                    number = await asyncio.wait_for(queue.get(), HEARTBEAT)
                except TimeoutError:
                    yield b": here\n\n"
                else:
                    if number != sequence:
                        sequence = number
                        yield b"data: %d\n\n" % number
        finally:
            self._streams[event].discard(queue)
            if not self._streams[event]:
                del self._streams[event]

    async def _look(self) -> None:
        """Tell the streams of each event that has more records, until nobody watches."""
        last_seen: dict[str, int] = {}
        while self._streams:
            try:
                heads = await to_thread.run_sync(self._heads, list(self._streams))
            except PalmaresError:
                heads = {}  # the database is away for a moment
            for event, sequence in heads.items():
                if last_seen.get(event) != sequence:
                    for queue in self._streams.get(event, ()):
                        queue.put_nowait(sequence)
            last_seen |= heads
            await asyncio.sleep(BETWEEN)

    def _heads(self, events: list[str]) -> dict[str, int]:
        columns = EVENT_RECORDS.c
        query = (
            sa.select(columns.event, sa.func.max(columns.sequence))
            .where(columns.event.in_(events))
            .group_by(columns.event)
        )
        with self._journal.reading() as reader:
            return {row[0]: row[1] for row in reader.connection.execute(query)}
