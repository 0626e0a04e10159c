"""
Routes to what is looked for: players, tournaments, nations.

    players         players by name, on every list
    tournaments     tournaments by name, place, year and discipline
    nation          a nation on every list
    nation_chart    its points and rank over time
"""

from __future__ import annotations

from datetime import date

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery
from litestar.status_codes import HTTP_308_PERMANENT_REDIRECT

from palmares.regulations import regulation as held
from palmares.web import addresses, charts
from palmares.web.charts import FORMS, THEMES, sent
from palmares.web.hall import Hall, Known, awarding_regulations
from palmares.web.messages import said
from palmares.web.pages.days import listable
from palmares.web.pages.finding import players_page
from palmares.web.pages.names import LONGEST
from palmares.web.pages.nation import NationPage, canonical, nation_page
from palmares.web.pages.tournaments import tournaments_page
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
    page: FromQuery[int] = 1,
) -> Response[bytes]:
    """Tournaments, the latest first."""
    number = int(year) if year.isascii() and year.isdigit() and len(year) == len("2019") else None
    return await answered(
        request,
        lambda known: tournaments_page(
            known,
            search=search.strip()[:LONGEST],
            year=number,
            discipline=discipline[:LONGEST],
            page=max(1, page),
        ),
    )


@get("/nations/{code:str}", name="nation", include_in_schema=False)
async def nation(request: Visit, code: FromPath[str]) -> Response[bytes]:
    """A nation on every list; other codes of it lead there."""
    hall: Hall = request.app.state.hall
    known_as = canonical(code[:LONGEST])
    if known_as is None:
        raise NotFoundException(said("There is no such nation."))
    if known_as != code:
        return Response(
            b"",
            status_code=HTTP_308_PERMANENT_REDIRECT,
            headers={"Location": addresses.nation(known_as)},
        )

    def build(known: Known) -> NationPage:
        found = nation_page(known, known_as, hall.today())
        if found is None:
            raise NotFoundException(
                said("Nobody plays for that nation, and nothing was held there.")
            )
        return found

    return await answered(request, build)


@get(
    [f"/nations/{{code:str}}/{{regulation:str}}/{{day:date}}/history.{form}" for form in FORMS],
    name="nation_chart",
    include_in_schema=False,
)
async def nation_chart(
    request: Visit,
    code: FromPath[str],
    regulation: FromPath[str],
    day: FromPath[date],
    theme: FromQuery[str] = "",
) -> Response[bytes]:
    """A nation's points and rank over time, as a picture or its description."""
    hall: Hall = request.app.state.hall
    if canonical(code[:LONGEST]) != code:
        raise NotFoundException(said("There is no such nation."))
    if regulation not in awarding_regulations() or held(regulation).total != "sum":
        raise NotFoundException(said("There is no such list."))
    if not listable(day):
        raise NotFoundException(said("There is no list for that day."))
    known, until = await hall.now(), min(day, hall.today())
    theme = theme if theme in THEMES else THEMES[0]
    return await sent(
        request,
        known,
        ("nation", code, regulation, until),
        lambda said: charts.nation_chart(known, code, regulation, until, theme, said),
        request.url.path.rpartition(".")[2],
        theme,
    )
