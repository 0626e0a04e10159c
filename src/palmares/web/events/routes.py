"""Routes to live events, for anyone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter
from litestar.response import Stream

from palmares.core.messages import msg
from palmares.journal.store.journal import Reader
from palmares.render.bracket import SIZES, bracket_pages
from palmares.web.events import views
from palmares.web.events.views import LiveEvent, LiveEvents, LoadedEvent
from palmares.web.events.watch import Watcher
from palmares.web.http.i18n import wording
from palmares.web.http.replies import (
    VARY,
    is_api,
    language_of,
    private_answer,
    public_answer,
    with_etag,
)
from palmares.web.http.state import Request, SingleFlightCache, Snapshot

T = TypeVar("T")

EventId = Annotated[
    str, PathParameter(description="The id of the event.", examples=[Example(value="club-night")])
]


async def live_events(request: Request) -> Response[LiveEvents]:
    """Every event that was started, the latest first."""
    nothing_kept = SingleFlightCache(1)
    return await _shown(request, views.live_events, lambda page: page, lambda _: nothing_kept)


async def live_event(request: Request, event: EventId) -> Response[LiveEvent]:
    """An event: who plays next, every match, standings and placings."""

    def load(snapshot: Snapshot, reader: Reader) -> LoadedEvent:
        return views.load_event(snapshot, reader, event)

    return await _shown(request, load, views.live_event, lambda loaded: loaded.pages)


async def live_bracket(
    request: Request, event: EventId, number: FromPath[int], paper: FromQuery[str] = "A4"
) -> Response[bytes]:
    """A page of the bracket of an event, to print on A4 or A3, as SVG.

    Raises:
        NotFoundException: the bracket has no such page, or there is no such paper.
    """
    snapshot, words = await request.app_state.now(), wording(language_of(request))

    def drawn() -> bytes:
        with request.app_state.journal.reading() as reader:
            running = views.load_event(snapshot, reader, event).running
        sizes = [size for size in SIZES if size == paper.upper()]
        pages = bracket_pages(running.setup, running.matches, sizes[0], words.text) if sizes else ()
        if not 1 <= number <= len(pages):
            raise NotFoundException(msg("The bracket has no such page."))
        return pages[number - 1].encode()

    content = await request.app_state.visitors.long(drawn)
    return with_etag(content, "image/svg+xml", VARY)


async def _shown(
    request: Request,
    load: Callable[[Snapshot, Reader], T],
    make: Callable[[T], Any],
    cache: Callable[[T], SingleFlightCache],
) -> Response[Any]:
    """A page of what is recorded of events, which changes while the journal stays.

    Args:
        request: whose answer it is.
        load: what the page is made of; the same object as long as it is the same.
        make: the page.
        cache: what keeps the answer.
    """
    snapshot = await request.app_state.now()

    def loaded() -> T:
        with request.app_state.journal.reading() as reader:
            return load(snapshot, reader)

    content = await request.app_state.visitors.page(loaded)
    if request.user is not None:
        return await private_answer(request, make(content))
    key = (is_api(request), language_of(request), request.app_state.federation)
    return await request.app_state.visitors.page(
        cache(content).once, key, lambda: public_answer(request, make(content))
    )


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
    snapshot = await request.app_state.now()

    def last() -> int:
        with request.app_state.journal.reading() as reader:
            return views.load_event(snapshot, reader, event).records[-1].sequence

    sequence = await request.app_state.visitors.page(last)
    return Stream(
        watcher.stream(event, sequence),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
