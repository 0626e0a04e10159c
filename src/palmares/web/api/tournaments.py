"""
Tournaments, their flights, and the points that each place gave.

    tournaments     tournaments by name, place, year and discipline
    tournament      one of them
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter

from palmares.web.api.asked import Cursor, KnownAt, Limit, Search
from palmares.web.api.cursors import USUAL, Window
from palmares.web.api.replies import answered_at, listed, own_at
from palmares.web.hall import Hall, Known
from palmares.web.pages import tournaments as every
from palmares.web.pages.names import LONGEST
from palmares.web.pages.tournament import TournamentPage, tournament_page, was_withdrawn
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentsList:
    """Tournaments, the latest first."""

    entry: int  # the last entry of the journal that counts
    search: str
    year: int | None
    discipline: str
    tournaments: int  # found
    items: tuple[TournamentRow, ...]
    next: str | None  # the address of the next rows; none: these are the last


@get("/tournaments", name="api_tournaments", tags=TAGS)
async def tournaments(
    request: Visit,
    search: Search = "",
    year: Year = None,
    discipline: Discipline = "",
    limit: Limit = USUAL,
    cursor: Cursor = "",
) -> Response[TournamentsList]:
    """Tournaments, the latest first.

    The words of a search stand in the name or the place.
    """

    def build(known: Known, window: Window) -> TournamentsList:
        wanted = search.strip()
        found = every.whole(known, search=wanted, year=year, discipline=discipline)
        rows, more = window.cut(found, "tournament_id", known.head.sequence)
        return TournamentsList(
            entry=known.head.sequence,
            search=wanted,
            year=year,
            discipline=discipline,
            tournaments=len(found),
            items=every.rows(rows),
            next=more,
        )

    return await listed(request, build, limit, cursor)


@get("/tournaments/{tournament_id:str}", name="api_tournament", tags=TAGS)
async def tournament(
    request: Visit, tournament_id: TournamentId, known_at: KnownAt = ""
) -> Response[TournamentPage]:
    """A tournament: its events and flights with placings, and the points each place gave.

    With a token, also who recorded its entries.
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
