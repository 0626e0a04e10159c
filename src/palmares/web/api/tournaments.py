"""
Tournaments, their flights, and the points that each place gave.

    tournaments     tournaments by name, place, year, discipline and country
    tournament      one of them
    placings        all places of a flight
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter

from palmares.web.api.asked import Cursor, EventId, Flight, KnownAt, Limit, Search
from palmares.web.api.cursors import USUAL, Window
from palmares.web.api.replies import answered_at, listed, own_at
from palmares.web.hall import Hall, Known
from palmares.web.pages import tournaments as every
from palmares.web.pages.names import LONGEST
from palmares.web.pages.tournament import (
    PlacingRow,
    PointsColumn,
    TournamentPage,
    tournament_page,
    was_withdrawn,
    whole_flight,
)
from palmares.web.pages.tournaments import TournamentRow
from palmares.web.replies import Visit

TAGS = ["Tournaments"]

TournamentId = Annotated[
    str,
    PathParameter(
        description="The id of a tournament; a slash in it is sent as `%2F`.",
        examples=[Example(value="winter")],
    ),
]
Year = Annotated[
    int | None,
    QueryParameter(
        description="Only those that ended in this year.", ge=1, le=9999,
        examples=[Example(value=2019)],
    ),
]  # fmt: skip
Discipline = Annotated[
    str,
    QueryParameter(
        description="Only those of this discipline.", max_length=LONGEST,
        examples=[Example(value="backgammon")],
    ),
]  # fmt: skip
Country = Annotated[
    str,
    QueryParameter(
        description="Only those that were held in this country.", max_length=LONGEST,
        examples=[Example(value="CZE")],
    ),
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentsList:
    """Tournaments, the latest first."""

    entry: int  # the last entry of the journal that counts
    search: str
    year: int | None
    discipline: str
    country: str
    tournaments: int  # found
    items: tuple[TournamentRow, ...]
    next: str | None  # the address of the next rows; none: these are the last


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacingsList:
    """The places of a flight, and what each gave."""

    tournament_id: str
    event_id: str
    event: str
    flight: str
    known_at: str  # what was asked for; empty: now
    entry: int  # the last entry of the journal that counts
    entrants: int | None
    columns: tuple[PointsColumn, ...]  # of points, in the order of the numbers in a row
    players: int  # with a place or points
    items: tuple[PlacingRow, ...]
    next: str | None  # the address of the next rows; none: these are the last


@get("/tournaments", name="api_tournaments", tags=TAGS)
async def tournaments(
    request: Visit,
    search: Search = "",
    year: Year = None,
    discipline: Discipline = "",
    country: Country = "",
    limit: Limit = USUAL,
    cursor: Cursor = "",
) -> Response[TournamentsList]:
    """Tournaments, the latest first.

    The words of a search stand in the name or the place.
    """

    def build(known: Known, window: Window) -> TournamentsList:
        wanted = every.Wanted(
            search=search.strip(), year=year, discipline=discipline, country=country.strip()
        )
        found = every.whole(known, wanted)
        rows, more = window.cut(found, "tournament_id", known.head.sequence)
        return TournamentsList(
            entry=known.head.sequence,
            search=wanted.search,
            year=year,
            discipline=discipline,
            country=every.code_of(wanted.country),
            tournaments=len(found),
            items=every.rows(rows),
            next=more,
        )

    return await listed(request, build, limit, cursor)


@get("/tournaments/{tournament_id:str}", name="api_tournament", tags=TAGS)
async def tournament(
    request: Visit, tournament_id: TournamentId, known_at: KnownAt = ""
) -> Response[TournamentPage]:
    """A tournament: its events and flights, their first places, and the points each gave.

    With a token, also who recorded its entries. All places of a flight have an address of their
    own.
    """
    hall: Hall = request.app.state.hall
    authors = request.scope["user"] is not None

    def build(known: Known) -> TournamentPage:
        with hall.journal.reading() as reader:
            found = tournament_page(
                known, reader, tournament_id, hall.today(), known_at=known_at, authors=authors
            )
        if found is None:
            raise NotFoundException(
                "This tournament was withdrawn."
                if was_withdrawn(known, tournament_id)
                else "There is no such tournament."
            )
        return found

    if authors:
        return await own_at(request, known_at, build)
    return await answered_at(request, known_at, build)


@get(
    "/tournaments/{tournament_id:str}/placings/{event_id:str}/{flight:str}",
    name="api_placings",
    tags=TAGS,
)
async def placings(
    request: Visit,
    tournament_id: TournamentId,
    event_id: EventId,
    flight: Flight,
    known_at: KnownAt = "",
    limit: Limit = USUAL,
    cursor: Cursor = "",
) -> Response[PlacingsList]:
    """All places of a flight, and the points each gave."""

    def build(known: Known, window: Window) -> PlacingsList:
        found = whole_flight(known, tournament_id, event_id, flight)
        if found is None:
            raise NotFoundException("There is no such flight.")
        event, table = found
        rows, more = window.cut(table.rows, "player_id", known.head.sequence)
        return PlacingsList(
            tournament_id=tournament_id,
            event_id=event_id,
            event=event.event,
            flight=flight,
            known_at=known_at,
            entry=known.head.sequence,
            entrants=table.entrants,
            columns=table.columns,
            players=table.players,
            items=rows,
            next=more,
        )

    return await listed(request, build, limit, cursor, known_at)
