"""Routes to public draws."""

from __future__ import annotations

from typing import Annotated

from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import PathParameter

from palmares.web.draws import views
from palmares.web.draws.views import DrawPage, Draws
from palmares.web.http.replies import answered
from palmares.web.http.state import Snapshot, Visit

Announcement = Annotated[
    int,
    PathParameter(
        description="The entry of the journal in which the draw was announced.",
        examples=[Example(value=41)],
    ),
]


async def draws(request: Visit) -> Response[Draws]:
    """Every draw that was announced, the latest first."""
    return await answered(request, views.draws)


async def draw(request: Visit, entry: Announcement) -> Response[DrawPage]:
    """An announced draw: what decides it, each step in words, and the places.

    The draw is computed again from the announcement and the recorded randomness.
    """

    def make(snapshot: Snapshot) -> DrawPage:
        def read() -> DrawPage:
            with request.app_state.journal.reading() as reader:
                return views.draw_page(snapshot, reader, entry)

        return snapshot.once(("draw", entry), read)

    return await answered(request, make, heavy=True)
