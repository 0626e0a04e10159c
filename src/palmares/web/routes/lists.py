"""Routes to what anyone sees: the front page and the lists."""

from __future__ import annotations

from datetime import date

from litestar import Response, get
from litestar.params import FromPath, FromQuery

from palmares.web.hall import Hall
from palmares.web.pages.front import front_page
from palmares.web.pages.ranking import Asked, ranking_page
from palmares.web.replies import Visit, answered


@get("/", name="front", include_in_schema=False)
async def front(request: Visit) -> Response[bytes]:
    """The front page."""
    hall: Hall = request.app.state.hall
    return await answered(request, lambda known: front_page(known, hall.today()))


@get(
    ["/rankings/{regulation:str}", "/rankings/{regulation:str}/{day:date}"],
    name="ranking",
    include_in_schema=False,
)
async def ranking(
    request: Visit,
    regulation: FromPath[str],
    day: FromPath[date | None] = None,
    setting: FromQuery[str | None] = None,
    kind: FromQuery[str] = "total",
    nation: FromQuery[str | None] = None,
    search: FromQuery[str] = "",
    page: FromQuery[int] = 1,
) -> Response[bytes]:
    """A ranking as of a day."""
    hall: Hall = request.app.state.hall
    asked = Asked(
        regulation=regulation,
        as_of=day or hall.today(),
        setting=setting or None,
        kind=kind,
        nation=nation or None,
        search=search.strip(),
        page=max(1, page),
    )
    return await answered(request, lambda known: ranking_page(known, asked, hall.today()))
