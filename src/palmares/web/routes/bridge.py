"""Routes to events of bridge teams and their charts; other events lead to their tournament."""

from __future__ import annotations

from urllib.parse import unquote

import polars as pl
from anyio import to_thread
from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery

from palmares.errors import Refused
from palmares.vp import CONTINUOUS
from palmares.web import addresses
from palmares.web.charts import FORMS, THEMES, sent
from palmares.web.charts_bridge import running_chart
from palmares.web.hall import Hall
from palmares.web.messages import said
from palmares.web.pages.bridge_event import (
    AskedOfEvent,
    bridge_event_page,
    bridge_events,
    bridge_page,
    list_of,
)
from palmares.web.replies import Visit, answered, redirected

_PREFIX = "/events/"


@get("/bridge", name="bridge", include_in_schema=False)
async def bridge(request: Visit) -> Response[bytes]:
    """Every event of bridge teams."""
    return await answered(request, bridge_page)


@get("/events/{event_id:path}", name="event", include_in_schema=False)
async def event(
    request: Visit,
    event_id: FromPath[str],
    scale: FromQuery[str] = CONTINUOUS,
    until: FromQuery[str] = "",
    team: FromQuery[str] = "",
    match: FromQuery[str] = "",
) -> Response[bytes]:
    """An event of bridge teams."""
    wanted = event_of(request, event_id)
    hall: Hall = request.app.state.hall
    known = await hall.now()
    if wanted not in await to_thread.run_sync(bridge_events, known):
        events = known.facts["events"].filter(pl.col("event_id") == wanted)
        if events.is_empty():
            raise NotFoundException(said("There is no such event."))
        return redirected(addresses.tournament(events["tournament_id"][0]))
    asked = AskedOfEvent(
        event_id=wanted,
        scale=scale or CONTINUOUS,
        until=until or None,
        team=team or None,
        match=match or None,
    )
    return await answered(request, lambda now: bridge_event_page(now, asked))


@get([f"/charts/running.{form}" for form in FORMS], name="running_chart", include_in_schema=False)
async def chart(
    request: Visit,
    event: FromQuery[str],
    scale: FromQuery[str] = CONTINUOUS,
    until: FromQuery[str] = "",
    theme: FromQuery[str] = "light",
    size: FromQuery[str] = "",
) -> Response[bytes]:
    """The running totals of an event as a chart, up to a round or to the last."""
    hall: Hall = request.app.state.hall
    known = await hall.now()
    if event not in await to_thread.run_sync(bridge_events, known):
        raise NotFoundException(said("There is no such event."))
    if theme not in THEMES:
        raise Refused(
            said(
                "There is no theme %(theme)s. There are: %(themes)s.",
                theme=theme[:40],
                themes=", ".join(THEMES),
            )
        )
    return await sent(
        request,
        known,
        ("running", event, scale, until),
        lambda said: running_chart(list_of(known, event, scale, until or None), theme, said),
        request.url.path.rpartition(".")[2],
        theme,
        size,
    )


def event_of(request: Visit, given: str) -> str:
    """The id of an event as it was sent: ids may hold slashes, one after another, too."""
    raw = unquote(request.scope["raw_path"].decode("latin-1").partition("?")[0])
    return raw.removeprefix(_PREFIX) if raw.startswith(_PREFIX) else given.removeprefix("/")
