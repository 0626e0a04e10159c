"""
Routes to live events, for anyone.

One look at the database every half second serves all who watch.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from typing import Annotated, Any

import sqlalchemy as sa
from anyio import to_thread
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter
from litestar.response import Stream

from palmares.core.errors import PalmaresError
from palmares.core.messages import msg
from palmares.journal.store.journal import EVENT_RECORDS, Journal
from palmares.render.event import SIZES, bracket_pages
from palmares.web.events import views
from palmares.web.events.views import LiveEvent, LiveEvents
from palmares.web.http.i18n import wording
from palmares.web.http.replies import (
    VARY,
    is_api,
    language_of,
    private_answer,
    public_answer,
    with_etag,
)
from palmares.web.http.state import Request

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
        """Tell the streams of each event that has new records, until no one watches."""
        last_seen: dict[str, int] = {}
        while self._streams:
            try:
                last_sequences = await to_thread.run_sync(self._heads, list(self._streams))
            except PalmaresError:
                last_sequences = {}  # the database is away for a moment
            for event, sequence in last_sequences.items():
                if last_seen.get(event) != sequence:
                    for queue in self._streams.get(event, ()):
                        queue.put_nowait(sequence)
            last_seen |= last_sequences
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


# ── routes ────────────────────────────────────────────────────────────────────────────────────────


EventId = Annotated[
    str, PathParameter(description="The id of the event.", examples=[Example(value="club-night")])
]


async def live_events(request: Request) -> Response[LiveEvents]:
    """Every event that was started, the latest first."""
    snapshot, pool = await request.app_state.now(), request.app_state.visitors
    events = await pool.page(request.app_state.read, views.live_events, snapshot)
    if request.user is not None:
        return await private_answer(request, events)
    return await pool.page(public_answer, request, events)


async def live_event(request: Request, event: EventId) -> Response[LiveEvent]:
    """An event: who plays next, every match, standings and placings."""
    snapshot, pool = await request.app_state.now(), request.app_state.visitors
    loaded = await pool.page(request.app_state.read, views.load_event, snapshot, event)
    if request.user is not None:
        return await private_answer(request, views.live_event(loaded))
    key = (is_api(request), language_of(request), request.app_state.federation)
    return await pool.page(
        loaded.pages.once, key, lambda: public_answer(request, views.live_event(loaded))
    )


async def live_bracket(
    request: Request, event: EventId, number: FromPath[int], paper: FromQuery[str] = "A4"
) -> Response[bytes]:
    """A page of the bracket of an event, to print on A4 or A3, as SVG.

    Raises:
        NotFoundException: the bracket has no such page, or there is no such paper.
    """
    snapshot, words = await request.app_state.now(), wording(language_of(request))

    def drawn() -> bytes:
        running = request.app_state.read(views.load_event, snapshot, event).running
        sizes = [size for size in SIZES if size == paper.upper()]
        pages = bracket_pages(running.setup, running.matches, sizes[0], words.text) if sizes else ()
        if not 1 <= number <= len(pages):
            raise NotFoundException(msg("The bracket has no such page."))
        return pages[number - 1].encode()

    content = await request.app_state.visitors.long(drawn)
    return with_etag(content, "image/svg+xml", VARY)


async def live_stream(request: Request, event: EventId) -> Response[Any]:
    """The number of the last record of an event, each time that it changes.

    Raises:
        NotFoundException: there is no such event.
    """
    watcher: Watcher = request.app.state.watcher
    if watcher.is_full:
        return Response(
            b"Too many people watch at once. Reload the page now and then.\n",
            media_type="text/plain",
            status_code=503,
            headers={"Retry-After": "30", "Cache-Control": "no-store"},
        )
    snapshot, pool = await request.app_state.now(), request.app_state.visitors
    loaded = await pool.page(request.app_state.read, views.load_event, snapshot, event)
    return Stream(
        watcher.stream(event, loaded.records[-1].sequence),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
