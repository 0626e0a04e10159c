"""Routes to tournaments and to one of them; the API has the places of a flight, too."""

from __future__ import annotations

from typing import Annotated

from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, QueryParameter

from palmares.facts.text import LONGEST
from palmares.web.api.cursors import listed
from palmares.web.api.parameters import (
    EventId,
    Flight,
    KnownAt,
    Page,
    Search,
    TournamentId,
)
from palmares.web.http.parameters import refuse_others
from palmares.web.http.replies import answered
from palmares.web.http.state import Request, Snapshot
from palmares.web.shared.paging import AskedRows
from palmares.web.tournaments import views
from palmares.web.tournaments.views import (
    PlacingsList,
    TournamentPage,
    TournamentsList,
)

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
Letter = Annotated[
    str, QueryParameter(description="Only those whose name begins with this letter.", max_length=1)
]


# ── the API ──────────────────────────────────────────────────────────────────────────────────────


async def tournaments(
    request: Request,
    rows: AskedRows,
    search: Search = "",
    year: Year = None,
    discipline: Discipline = "",
    country: Country = "",
    letter: Letter = "",
) -> Response[TournamentsList]:
    """Tournaments, the latest first.

    The words of a search stand in the name or the place.
    """
    return await listed(
        request,
        lambda snapshot, rows: views.tournaments(
            snapshot, rows, search.strip(), year, discipline, country.strip(), letter
        ),
        rows,
    )


async def api_tournament(
    request: Request, tournament_id: TournamentId, known_at: KnownAt = ""
) -> Response[TournamentPage]:
    """A tournament: its events and flights, their first places, and the points each gave.

    With a token, also who recorded its entries. All places of a flight have an address of their
    own.
    """
    return await answered(
        request,
        lambda snapshot: _tournament(request, snapshot, tournament_id, known_at),
        known_at=known_at,
    )


async def api_placings(
    request: Request,
    tournament_id: TournamentId,
    event_id: EventId,
    flight: Flight,
    rows: AskedRows,
    known_at: KnownAt = "",
) -> Response[PlacingsList]:
    """All places of a flight, and the points each gave."""
    return await listed(
        request,
        lambda snapshot, rows: views.placings(
            snapshot, tournament_id, event_id, flight, rows, known_at
        ),
        rows,
        known_at,
    )


# ── pages ────────────────────────────────────────────────────────────────────────────────────────


async def tournament(
    request: Request,
    tournament_id: FromPath[str],
    known_at: FromQuery[str] = "",
    event: FromQuery[str] = "",
    flight: FromQuery[str] = "",
    page: Page = 1,
) -> Response[bytes]:
    """A tournament; who is signed in sees who recorded it. One flight can be turned to a page."""
    if not (event and flight):
        refuse_others(request, ("known_at", "event", "flight"))
    return await answered(
        request,
        lambda snapshot: _tournament(
            request, snapshot, tournament_id, known_at, (event, flight), page
        ),
        known_at=known_at,
    )


def _tournament(
    request: Request,
    snapshot: Snapshot,
    tournament_id: str,
    known_at: str,
    flight: tuple[str, str] = ("", ""),
    page: int = 1,
) -> TournamentPage:
    """A tournament with its entries of the journal; whoever is signed in sees who recorded it."""
    authors = request.scope["user"] is not None
    with request.app_state.journal.reading() as reader:
        return views.tournament_page(
            snapshot, reader, tournament_id, request.app_state.today(),
            authors=authors, known_at=known_at, flight=flight, page=page,
        )  # fmt: skip
