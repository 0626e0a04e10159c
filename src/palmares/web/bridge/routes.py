"""Routes to events of bridge teams."""

from __future__ import annotations

from typing import Annotated

from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import QueryParameter

from palmares.bridge.vp import CONTINUOUS
from palmares.web.api.cursors import listed
from palmares.web.api.parameters import EventId, KnownAt
from palmares.web.bridge import views
from palmares.web.bridge.views import BridgeEventPage, BridgeEvents
from palmares.web.http.replies import answered, is_api
from palmares.web.http.state import Request, Snapshot
from palmares.web.shared.paging import AskedRows

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


async def bridge(request: Request, rows: AskedRows) -> Response[BridgeEvents]:
    """Every event of bridge teams, the latest first."""
    return await listed(request, views.bridge_events, rows)


async def event(
    request: Request,
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

    def build(snapshot: Snapshot) -> BridgeEventPage:
        page = views.bridge_event_page(
            snapshot,
            event_id,
            scale or CONTINUOUS,
            until or None,
            team or None,
            match or None,
            known_at,
        )
        return page if is_api(request) else views.event_screen(snapshot, page)

    return await answered(request, build, known_at=known_at)
