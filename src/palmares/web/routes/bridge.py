"""Routes to events of bridge teams and their charts; other events lead to their tournament."""

from __future__ import annotations

from urllib.parse import unquote

import polars as pl
from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery

from palmares.errors import Refused
from palmares.vp import CONTINUOUS
from palmares.web import addresses
from palmares.web.charts import FORMS, THEMES, Chart, sent
from palmares.web.charts_bridge import running_chart
from palmares.web.hall import Hall, Known
from palmares.web.messages import said
from palmares.web.pages.bridge_event import (
    AskedOfEvent,
    BridgeEventPage,
    bridge_event_page,
    bridge_events,
    bridge_page,
    list_of,
)
from palmares.web.parameters import refuse_others
from palmares.web.replies import Visit, answered, answered_at, redirected
from palmares.web.wording import Wording

_PREFIX = "/events/"
_NO_EVENT = said("There is no such event.")


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
    known_at: FromQuery[str] = "",
) -> Response[bytes]:
    """An event of bridge teams."""
    wanted = event_of(request, event_id)
    asked = AskedOfEvent(
        event_id=wanted,
        scale=scale or CONTINUOUS,
        until=until or None,
        team=team or None,
        match=match or None,
        known_at=known_at,
    )

    def build(known: Known) -> BridgeEventPage:
        if wanted not in bridge_events(known):
            raise _WithoutTeams(_tournament(known, wanted))
        return bridge_event_page(known, asked)

    try:
        return await answered_at(request, known_at, build)
    except _WithoutTeams as other:
        refuse_others(request, ("known_at",))  # the rest is for events of teams
        return redirected(addresses.tournament(other.tournament_id, known_at=known_at))


class _WithoutTeams(Exception):
    """An event has no page of its own; it stands on that of its tournament."""

    def __init__(self, tournament_id: str) -> None:
        super().__init__(tournament_id)
        self.tournament_id = tournament_id


def _tournament(known: Known, event_id: str) -> str:
    """The tournament of an event."""
    events = known.facts["events"].filter(pl.col("event_id") == event_id)
    if events.is_empty():
        raise NotFoundException(_NO_EVENT)
    return str(events["tournament_id"][0])


@get([f"/charts/running.{form}" for form in FORMS], name="running_chart", include_in_schema=False)
async def chart(
    request: Visit,
    event: FromQuery[str],
    scale: FromQuery[str] = CONTINUOUS,
    until: FromQuery[str] = "",
    theme: FromQuery[str] = "light",
    size: FromQuery[str] = "",
    known_at: FromQuery[str] = "",
) -> Response[bytes]:
    """The running totals of an event as a chart, up to a round or to the last."""
    hall: Hall = request.app.state.hall
    now = await hall.now()
    if theme not in THEMES:
        raise Refused(
            said(
                "There is no theme %(theme)s. There are: %(themes)s.",
                theme=theme[:40],
                themes=", ".join(THEMES),
            )
        )

    def make(wording: Wording) -> Chart:
        known = hall.at(now, known_at)
        if event not in bridge_events(known):
            raise NotFoundException(_NO_EVENT)
        return running_chart(list_of(known, event, scale, until or None), theme, wording)

    return await sent(
        request,
        now,
        ("running", event, scale, until, known_at),
        make,
        request.url.path.rpartition(".")[2],
        theme,
        size,
    )


def event_of(request: Visit, given: str) -> str:
    """The id of an event as it was sent: ids may hold slashes, one after another, too."""
    raw = unquote(request.scope["raw_path"].decode("latin-1").partition("?")[0])
    return raw.removeprefix(_PREFIX) if raw.startswith(_PREFIX) else given.removeprefix("/")
