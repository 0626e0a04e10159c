"""
Routes to what is looked for: players and tournaments.

    players         players by name, on every list
    tournaments     tournaments by name, place, year, discipline and country
"""

from __future__ import annotations

from litestar import Response, get
from litestar.params import FromQuery

from palmares.web.hall import Hall
from palmares.web.pages.finding import players_page
from palmares.web.pages.names import LONGEST
from palmares.web.pages.tournaments import Wanted, tournaments_page
from palmares.web.replies import Visit, answered


@get("/players", name="players", include_in_schema=False)
async def players(
    request: Visit, search: FromQuery[str] = "", page: FromQuery[int] = 1
) -> Response[bytes]:
    """Players by name, and where they stand on every list."""
    hall: Hall = request.app.state.hall
    typed = search.strip()[:LONGEST]
    return await answered(
        request, lambda known: players_page(known, typed, hall.today(), max(1, page))
    )


@get("/tournaments", name="tournaments", include_in_schema=False)
async def tournaments(
    request: Visit,
    search: FromQuery[str] = "",
    year: FromQuery[str] = "",
    discipline: FromQuery[str] = "",
    country: FromQuery[str] = "",
    page: FromQuery[int] = 1,
) -> Response[bytes]:
    """Tournaments, the latest first."""
    number = int(year) if year.isascii() and year.isdigit() and len(year) == len("2019") else None
    wanted = Wanted(
        search=search.strip()[:LONGEST],
        year=number,
        discipline=discipline[:LONGEST],
        country=country.strip()[:LONGEST],
    )
    return await answered(request, lambda known: tournaments_page(known, wanted, max(1, page)))
