"""
Routes to a tournament.

    tournament      its events, its points, what was reported of it
"""

from __future__ import annotations

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery

from palmares.web.hall import Hall, Known
from palmares.web.messages import said
from palmares.web.pages.tournament import (
    TournamentPage,
    Turned,
    tournament_page,
    was_withdrawn,
)
from palmares.web.replies import Visit, answered_at
from palmares.web.routes.paths import parts


@get("/tournaments/{rest:path}", name="tournament", include_in_schema=False)
async def tournament(
    request: Visit,
    rest: FromPath[str],
    known_at: FromQuery[str] = "",
    event: FromQuery[str] = "",
    flight: FromQuery[str] = "",
    page: FromQuery[int] = 1,
) -> Response[bytes]:
    """A tournament; who is signed in sees who recorded it. One flight can be turned to a page."""
    del rest  # ids may hold slashes: the address is read as it was sent
    hall: Hall = request.app.state.hall
    wanted = "/".join(parts(request, "/tournaments/"))
    authors = request.scope["user"] is not None
    turned = Turned(event_id=event, flight=flight, page=max(1, page))

    def build(then: Known) -> TournamentPage:
        with hall.journal.reading() as reader:
            found = tournament_page(
                then,
                reader,
                wanted,
                hall.today(),
                authors=authors,
                known_at=known_at,
                turned=turned,
            )
        if found is None:
            raise NotFoundException(
                said("This tournament was withdrawn.")
                if was_withdrawn(then, wanted)
                else said("There is no such tournament.")
            )
        return found

    return await answered_at(request, known_at, build)
