"""Routes to events of bridge teams and their charts; other events lead to their tournament."""

from __future__ import annotations

from typing import Annotated

import polars as pl
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter, QueryParameter

from palmares.bridge.vp import CONTINUOUS
from palmares.core.messages import msg
from palmares.render.charts.standings import running_chart
from palmares.render.charts.style import Chart
from palmares.web.api.asked import Cursor, KnownAt, Limit
from palmares.web.api.cursors import USUAL
from palmares.web.api.replies import listed
from palmares.web.bridge import views
from palmares.web.bridge.views import AskedOfEvent, BridgeEventPage, BridgeEvents
from palmares.web.http.charts import chart_response, form_of
from palmares.web.http.i18n import Wording
from palmares.web.http.parameters import refuse_others
from palmares.web.http.replies import answered, answered_at, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import Snapshot, Visit
from palmares.web.shared.paging import ALL_ROWS

EventId = Annotated[
    str,
    PathParameter(
        description="The id of an event; a slash in it is sent as `%2F`.",
        examples=[Example(value="league%2Fteams")],
    ),
]
Scale = Annotated[
    str,
    QueryParameter(
        description="The scale of victory points: `continuous` or `discrete`.",
        examples=[Example(value=CONTINUOUS)],
    ),
]
Until = Annotated[
    str | None, QueryParameter(description="The last round that counts; all, if it is not given.")
]
Team = Annotated[
    str | None, QueryParameter(description="A team: how its total came about is told, too.")
]
Match = Annotated[str | None, QueryParameter(description="A match: its boards are told, too.")]


# ── the API ──────────────────────────────────────────────────────────────────────────────────────


async def api_bridge_events(
    request: Visit, limit: Limit = USUAL, cursor: Cursor = ""
) -> Response[BridgeEvents]:
    """Every event of bridge teams, the latest first."""
    return await listed(request, views.bridge_events, limit, cursor)


async def api_bridge_event(
    request: Visit,
    event_id: EventId,
    scale: Scale = CONTINUOUS,
    until: Until = None,
    team: Team = None,
    match: Match = None,
    known_at: KnownAt = "",
) -> Response[BridgeEventPage]:
    """An event of bridge teams: its list, crosstable, how ties were broken, match by match.

    VPs are texts such as `12.03`.
    """
    asked = _asked(event_id, scale, until, team, match, known_at)

    def build(snapshot: Snapshot) -> BridgeEventPage:
        if not views.has_teams(snapshot, event_id):
            raise NotFoundException(msg("There is no such event of bridge teams."))
        return views.bridge_event_page(snapshot, asked)

    return await answered_at(request, known_at, build)


def _asked(
    event_id: str, scale: str, until: str | None, team: str | None, match: str | None, known_at: str
) -> AskedOfEvent:
    """What is asked of an event; an empty parameter is none."""
    return AskedOfEvent(
        event_id=event_id,
        scale=scale or CONTINUOUS,
        until=until or None,
        team=team or None,
        match=match or None,
        known_at=known_at,
    )


# ── pages and charts ─────────────────────────────────────────────────────────────────────────────


async def bridge(request: Visit) -> Response[bytes]:
    """Every event of bridge teams."""
    return await answered(request, lambda snapshot: views.bridge_events(snapshot, ALL_ROWS))


async def event(
    request: Visit,
    event_id: FromPath[str],
    scale: FromQuery[str] = CONTINUOUS,
    until: FromQuery[str] = "",
    team: FromQuery[str] = "",
    match: FromQuery[str] = "",
    known_at: FromQuery[str] = "",
) -> Response[bytes]:
    """An event of bridge teams; another one stands on the page of its tournament."""
    asked = _asked(event_id, scale, until, team, match, known_at)

    def build(snapshot: Snapshot) -> BridgeEventPage:
        if not views.has_teams(snapshot, event_id):
            raise _WithoutTeams(_tournament(snapshot, event_id))
        return views.bridge_event_page(snapshot, asked)

    try:
        return await answered_at(request, known_at, build)
    except _WithoutTeams as other:
        refuse_others(request, ("known_at",))  # the rest is for events of teams
        return redirected(to.tournament(other.tournament_id, known_at=known_at))


class _WithoutTeams(Exception):
    """An event has no page of its own; it stands on that of its tournament."""

    def __init__(self, tournament_id: str) -> None:
        super().__init__(tournament_id)
        self.tournament_id = tournament_id


def _tournament(snapshot: Snapshot, event_id: str) -> str:
    """The tournament of an event."""
    events = snapshot.facts["events"].filter(pl.col("event_id") == event_id)
    if events.is_empty():
        raise NotFoundException(msg("There is no such event."))
    return str(events["tournament_id"][0])


async def running(
    request: Visit,
    chart: FromPath[str],
    event: FromQuery[str],
    scale: FromQuery[str] = CONTINUOUS,
    until: FromQuery[str] = "",
    theme: FromQuery[str] = "",
    size: FromQuery[str] = "",
    known_at: FromQuery[str] = "",
) -> Response[bytes]:
    """The running totals of an event as a chart, up to a round or to the last."""
    form, now = form_of(chart, "running"), await request.app_state.now()

    def make(wording: Wording) -> Chart:
        snapshot = request.app_state.at(now, known_at)
        if not views.has_teams(snapshot, event):
            raise NotFoundException(msg("There is no such event."))
        made = views.standings_of(snapshot, event, scale, until or None)
        return running_chart(made, theme or "light", wording)

    return await chart_response(
        request,
        now,
        ("running", event, scale, until, known_at),
        make,
        form,
        theme or "light",
        size,
    )
