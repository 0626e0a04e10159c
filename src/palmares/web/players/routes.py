"""
Players, their results, and why they have the points of each.

    players     players by name
    player      one of them on every list
    standing    under one regulation, with everything that belongs to it
    awards      his results
    award       one of them, clause by clause
    history     his points and ranks at the ends of months
    expiries    what he has to defend in the months to come
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter

from palmares.web.api.asked import (
    AsOf,
    Cursor,
    EventId,
    Flight,
    KnownAt,
    Limit,
    PlayerId,
    Regulation,
    Search,
    awarding,
    day_of,
)
from palmares.web.api.cursors import USUAL, Window
from palmares.web.api.replies import answered_at, listed
from palmares.web.hall import Hall, Known
from palmares.web.pages import names
from palmares.web.pages.courses import CourseRow, merged_into
from palmares.web.pages.explanation import AskedOfAward, AwardPage, award_page
from palmares.web.pages.finding import PlayerRow, standings
from palmares.web.pages.player import (
    AheadRow,
    Person,
    PlayerListPage,
    PlayerPage,
    ResultRow,
    player_list_page,
    player_page,
)
from palmares.web.replies import Visit, moved

T = TypeVar("T")

TAGS = ["Players"]
_ID = 4  # of the parts of "/api/v1/players/P1"

Effective = Annotated[
    date | None,
    QueryParameter(
        description="The day from which it counts, where a flight was played on several days and"
        " each gave points. The first of them, if it is not given; `others` has the rest.",
        examples=[Example(value="2019-11-10")],
    ),
]
KindOfAward = Annotated[
    str, PathParameter(description="A kind of points.", examples=[Example(value="performance")])
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersList:
    """Players by name, and where they stand on every list."""

    as_of: date
    entry: int  # the last entry of the journal that counts
    search: str
    players: int  # found
    items: tuple[PlayerRow, ...]
    next: str | None  # the address of the next rows; none: these are the last


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardsList:
    """What a player was awarded under one regulation, the latest first."""

    person: Person
    regulation: str
    title: str
    as_of: date
    known_at: str  # what was asked for; empty: now
    entry: int  # the last entry of the journal that counts
    results: int  # up to the day
    later: int  # results that begin to count after the day
    items: tuple[ResultRow, ...]
    next: str | None  # the address of the next rows; none: these are the last


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryList:
    """A player's points and rank at the end of every month, the latest first."""

    person: Person
    regulation: str
    title: str
    as_of: date
    known_at: str  # what was asked for; empty: now
    entry: int  # the last entry of the journal that counts
    months: int
    items: tuple[CourseRow, ...]
    next: str | None  # the address of the next rows; none: these are the last


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiries:
    """A player's points at the end of the months to come, as if he played no more."""

    person: Person
    regulation: str
    title: str
    as_of: date
    known_at: str  # what was asked for; empty: now
    fades: bool  # whether results of this regulation ever count less
    items: tuple[AheadRow, ...]


# ── by name ──────────────────────────────────────────────────────────────────────────────────────


@get("/players", name="api_players", tags=TAGS)
async def players(
    request: Visit, search: Search = "", limit: Limit = USUAL, cursor: Cursor = ""
) -> Response[PlayersList]:
    """Players by name, and where they stand on every list.

    Without a search all players, those whose names are withheld among them.
    """

    def build(known: Known, window: Window) -> PlayersList:
        wanted = search.strip()
        found = names.matching(known, wanted) if wanted else names.shown(known)
        rows, more = window.cut(found, "player_id", known.head.sequence)
        of = standings(known, rows["player_id"].to_list(), window.day)
        return PlayersList(
            as_of=window.day,
            entry=known.head.sequence,
            search=wanted,
            players=len(found),
            items=tuple(
                PlayerRow(player_id=one, player=name, nation=nation, standings=tuple(of[one]))
                for one, name, nation in rows.select("player_id", "player", "nation").iter_rows()
            ),
            next=more,
        )

    return await listed(request, build, limit, cursor)


# ── one of them ──────────────────────────────────────────────────────────────────────────────────


@get("/players/{player_id:str}", name="api_player", tags=TAGS)
async def player(
    request: Visit, player_id: PlayerId, known_at: KnownAt = ""
) -> Response[PlayerPage]:
    """A player on every list.

    A record that was merged into another answers 308 with the address of that one, here and below.
    """
    today = _today(request)
    return await _found(
        request,
        player_id,
        known_at,
        lambda known: player_page(known, player_id, today, known_at),
    )


@get("/players/{player_id:str}/{regulation:str}", name="api_player_list", tags=TAGS)
async def standing(
    request: Visit,
    player_id: PlayerId,
    regulation: Regulation,
    as_of: AsOf = None,
    known_at: KnownAt = "",
) -> Response[PlayerListPage]:
    """A player under one regulation, with everything that belongs to it."""
    page = _page(request, player_id, regulation, as_of, known_at)
    return await _found(request, player_id, known_at, lambda known: page(known, None))


@get("/players/{player_id:str}/{regulation:str}/awards", name="api_player_awards", tags=TAGS)
async def awards(
    request: Visit,
    player_id: PlayerId,
    regulation: Regulation,
    as_of: AsOf = None,
    known_at: KnownAt = "",
    limit: Limit = USUAL,
    cursor: Cursor = "",
) -> Response[AwardsList]:
    """What a player was awarded under one regulation, the latest first.

    Each with what it is worth on the day, when it ends, and when it is worth half or less.
    """
    page = _page(request, player_id, regulation, as_of, known_at)

    def build(known: Known, window: Window) -> AwardsList:
        made = _there(page(known, window.day))
        rows, more = window.cut(made.results, "event_id", known.head.sequence)
        return AwardsList(
            person=made.person,
            regulation=made.regulation,
            title=made.title,
            as_of=made.as_of,
            known_at=made.known_at,
            entry=known.head.sequence,
            results=len(made.results),
            later=made.later,
            items=rows,
            next=more,
        )

    return await _listed(request, player_id, build, limit, cursor, known_at)


@get(
    "/players/{player_id:str}/{regulation:str}/awards/{event_id:str}/{flight:str}/{kind:str}",
    name="api_player_award",
    tags=TAGS,
)
async def award(
    request: Visit,
    player_id: PlayerId,
    regulation: Regulation,
    event_id: EventId,
    flight: Flight,
    kind: KindOfAward,
    effective: Effective = None,
    as_of: AsOf = None,
    known_at: KnownAt = "",
) -> Response[AwardPage]:
    """Why a player has the points of one result, clause by clause."""
    asked = AskedOfAward(
        player_id=player_id,
        regulation=awarding(regulation),
        day=day_of(as_of, _today(request)),
        event_id=event_id,
        flight=flight,
        kind=kind,
        effective=effective,
        known_at=known_at,
    )
    return await _found(request, player_id, known_at, lambda known: award_page(known, asked))


@get("/players/{player_id:str}/{regulation:str}/history", name="api_player_history", tags=TAGS)
async def history(
    request: Visit,
    player_id: PlayerId,
    regulation: Regulation,
    as_of: AsOf = None,
    known_at: KnownAt = "",
    limit: Limit = USUAL,
    cursor: Cursor = "",
) -> Response[HistoryList]:
    """A player's points and rank at the end of every month and on the day, the latest first."""
    page = _page(request, player_id, regulation, as_of, known_at)

    def build(known: Known, window: Window) -> HistoryList:
        made = _there(page(known, window.day))
        rows, more = window.cut(made.course, "day", known.head.sequence)
        return HistoryList(
            person=made.person,
            regulation=made.regulation,
            title=made.title,
            as_of=made.as_of,
            known_at=made.known_at,
            entry=known.head.sequence,
            months=len(made.course),
            items=rows,
            next=more,
        )

    return await _listed(request, player_id, build, limit, cursor, known_at)


@get("/players/{player_id:str}/{regulation:str}/expiries", name="api_player_expiries", tags=TAGS)
async def expiries(
    request: Visit,
    player_id: PlayerId,
    regulation: Regulation,
    as_of: AsOf = None,
    known_at: KnownAt = "",
) -> Response[Expiries]:
    """What a player has to defend in the months to come, as if he played no more."""
    page = _page(request, player_id, regulation, as_of, known_at)

    def build(known: Known) -> Expiries:
        made = _there(page(known, None))
        return Expiries(
            person=made.person,
            regulation=made.regulation,
            title=made.title,
            as_of=made.as_of,
            known_at=made.known_at,
            fades=made.fades,
            items=made.ahead,
        )

    return await _found(request, player_id, known_at, build)


# ── what they share ──────────────────────────────────────────────────────────────────────────────


def _page(
    request: Visit, player_id: str, regulation: str, as_of: date | None, known_at: str
) -> Callable[[Known, date | None], PlayerListPage | None]:
    """What makes the page of a player under a regulation; as of the day on which a list began."""
    today = _today(request)
    name = awarding(regulation)

    def made(known: Known, begun: date | None) -> PlayerListPage | None:
        day = day_of(as_of, begun or today)
        return known.once(
            ("player under", name, player_id, day, today, known_at),
            lambda: player_list_page(known, player_id, name, day, today, known_at),
        )

    return made


async def _found(
    request: Visit, player_id: str, known_at: str, make: Callable[[Known], T | None]
) -> Response[T]:
    """The answer that is made; nothing made means nothing there."""
    into = await _into(request, player_id, known_at)
    return into or await answered_at(request, known_at, lambda known: _there(make(known)))


async def _listed(
    request: Visit,
    player_id: str,
    build: Callable[[Known, Window], T],
    limit: int,
    cursor: str,
    known_at: str,
) -> Response[T]:
    """A list page by page; one that was begun before a merge is read to its end."""
    into = None if cursor else await _into(request, player_id, known_at)
    return into or await listed(request, build, limit, cursor, known_at)


async def _into(request: Visit, player_id: str, known_at: str) -> Response[Any] | None:
    """The answer that leads to the record which another was merged into."""
    hall: Hall = request.app.state.hall
    into = None if known_at else merged_into(await hall.now()).get(player_id)
    if into is None:
        return None
    parts = request.scope["path"].split("/")
    parts[_ID] = quote(into, safe="")
    asked = request.url.query
    return moved("/".join(parts) + (f"?{asked}" if asked else ""))


def _there(found: T | None) -> T:
    if found is None:
        raise NotFoundException("There is no such player, or no such result of his.")
    return found


def _today(request: Visit) -> date:
    hall: Hall = request.app.state.hall
    return hall.today()
