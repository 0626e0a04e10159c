"""Routes to regulations: all of them, one edition, two editions side by side."""

from __future__ import annotations

from litestar import Response, get
from litestar.params import FromPath, FromQuery

from palmares.web.hall import Hall
from palmares.web.pages.editions import editions_page
from palmares.web.pages.regulation import regulation_page, regulations_page
from palmares.web.replies import Visit, answered


@get("/regulations", name="regulations", include_in_schema=False)
async def regulations(request: Visit) -> Response[bytes]:
    """Every regulation and its editions."""
    hall: Hall = request.app.state.hall
    return await answered(request, lambda _: regulations_page(hall.today()))


@get(
    ["/regulations/{regulation:str}", "/regulations/{regulation:str}/{edition:str}"],
    name="regulation",
    include_in_schema=False,
)
async def regulation(
    request: Visit, regulation: FromPath[str], edition: FromPath[str | None] = None
) -> Response[bytes]:
    """One edition, in the text's order and words."""
    hall: Hall = request.app.state.hall
    return await answered(request, lambda _: regulation_page(regulation, edition, hall.today()))


@get("/regulations/{regulation:str}/compare", name="editions", include_in_schema=False)
async def editions(
    request: Visit,
    regulation: FromPath[str],
    a: FromQuery[str] = "",
    b: FromQuery[str] = "",
    whole: FromQuery[str] = "",
) -> Response[bytes]:
    """Two editions side by side."""
    hall: Hall = request.app.state.hall
    return await answered(
        request,
        lambda _: editions_page(
            regulation, a or None, b or None, hall.today(), whole=whole == "yes"
        ),
    )
