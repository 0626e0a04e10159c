"""Routes to events of bridge teams and their charts."""

from __future__ import annotations

from typing import Annotated

from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, QueryParameter

from palmares.bridge.vp import CONTINUOUS
from palmares.render.charts.standings import running_chart
from palmares.render.charts.style import Chart
from palmares.web.api.parameters import USUAL, Cursor, EventId, KnownAt, Limit
from palmares.web.api.replies import listed
from palmares.web.bridge import views
from palmares.web.bridge.views import BridgeEventPage, BridgeEvents
from palmares.web.http.charts import chart_response, form_of
from palmares.web.http.i18n import Wording
from palmares.web.http.replies import answered, answered_at
from palmares.web.http.state import Visit
from palmares.web.shared.paging import ALL_ROWS

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


# ── pages and charts ─────────────────────────────────────────────────────────────────────────────


async def bridge(request: Visit) -> Response[bytes]:
    """Every event of bridge teams."""
    return await answered(request, lambda snapshot: views.bridge_events(snapshot, ALL_ROWS))


async def event(
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
    return await answered_at(
        request,
        known_at,
        lambda snapshot: views.bridge_event_page(
            snapshot,
            event_id,
            scale or CONTINUOUS,
            until or None,
            team or None,
            match or None,
            known_at,
        ),
    )


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
        standings = views.standings_of(snapshot, event, scale, until or None)
        return running_chart(standings, theme or "light", wording)

    return await chart_response(
        request,
        now,
        ("running", event, scale, until, known_at),
        make,
        form,
        theme or "light",
        size,
    )
