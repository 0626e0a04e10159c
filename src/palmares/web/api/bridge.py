"""
Events of bridge teams.

    events      all of them
    event       one: its list, crosstable, ties and matches
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter

from palmares.vp import CONTINUOUS
from palmares.web.api.asked import Cursor, KnownAt, Limit
from palmares.web.api.cursors import USUAL, Window
from palmares.web.api.replies import answered_at, listed
from palmares.web.hall import Known
from palmares.web.pages.bridge_event import (
    AskedOfEvent,
    BridgeEventPage,
    BridgeHead,
    bridge_event_page,
    bridge_events,
    bridge_page,
)
from palmares.web.replies import Visit

TAGS = ["Bridge"]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeEvents:
    """Every event of bridge teams, the latest first."""

    entry: int  # the last entry of the journal that counts
    events: int
    items: tuple[BridgeHead, ...]
    next: str | None  # the address of the next rows; none: these are the last


@get("/bridge/events", name="api_bridge_events", tags=TAGS)
async def events(
    request: Visit, limit: Limit = USUAL, cursor: Cursor = ""
) -> Response[BridgeEvents]:
    """Every event of bridge teams, the latest first."""

    def build(known: Known, window: Window) -> BridgeEvents:
        found = bridge_page(known).events
        rows, more = window.cut(found, "event_id", known.head.sequence)
        return BridgeEvents(entry=known.head.sequence, events=len(found), items=rows, next=more)

    return await listed(request, build, limit, cursor)


@get("/bridge/events/{event_id:str}", name="api_bridge_event", tags=TAGS)
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
    asked = AskedOfEvent(
        event_id=event_id,
        scale=scale or CONTINUOUS,
        until=until or None,
        team=team or None,
        match=match or None,
        known_at=known_at,
    )

    def build(known: Known) -> BridgeEventPage:
        if event_id not in bridge_events(known):
            raise NotFoundException("There is no such event of bridge teams.")
        return bridge_event_page(known, asked)

    return await answered_at(request, known_at, build)
