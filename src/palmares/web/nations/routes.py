"""
Routes to nations.

    nation          a nation on every list
    nation_course   its points and rank over time, as a table
    nation_chart    the same as a chart
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
from palmares.web.pages.names import LONGEST
from palmares.web.pages.nation import NationPage, canonical, nation_page
from palmares.web.pages.nation_course import nation_course_page
from palmares.web.replies import Visit, answered_at


@get("/nations/{code:str}", name="nation", include_in_schema=False)
async def nation(
    request: Visit, code: FromPath[str], known_at: FromQuery[str] = ""
) -> Response[bytes]:
    """A nation on every list; other codes of it lead there."""
    hall: Hall = request.app.state.hall
    known_as = canonical(code[:LONGEST])
    if known_as is None:
        raise NotFoundException(said("There is no such nation."))
    if known_as != code:
        return Response(
            b"",
            status_code=HTTP_308_PERMANENT_REDIRECT,
            headers={"Location": addresses.nation(known_as, known_at=known_at)},
        )

    def build(known: Known) -> NationPage:
        found = nation_page(known, known_as, hall.today(), known_at)
        if found is None:
            raise NotFoundException(
                said("Nobody plays for that nation, and nothing was held there.")
            )
        return found

    return await answered_at(request, known_at, build)


@get(
    "/nations/{code:str}/{regulation:str}/{day:date}/history",
    name="nation_course",
    include_in_schema=False,
)
async def nation_course(
    request: Visit,
    code: FromPath[str],
    regulation: FromPath[str],
    day: FromPath[date],
    known_at: FromQuery[str] = "",
) -> Response[bytes]:
    """A nation's points and rank over time, as a table."""
    until = _until(request, code, regulation, day)
    return await answered_at(
        request,
        known_at,
        lambda known: nation_course_page(known, code, regulation, until, known_at),
    )


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
    size: FromQuery[str] = "",
    known_at: FromQuery[str] = "",
) -> Response[bytes]:
    """A nation's points and rank over time, as a picture or its description."""
    hall: Hall = request.app.state.hall
    until, now = _until(request, code, regulation, day), await hall.now()
    theme = theme if theme in THEMES else THEMES[0]
    return await sent(
        request,
        now,
        ("nation", code, regulation, until, known_at),
        lambda said: charts.nation_chart(
            hall.at(now, known_at), code, regulation, until, theme, said
        ),
        request.url.path.rpartition(".")[2],
        theme,
        size,
    )


def _until(request: Visit, code: str, regulation: str, day: date) -> date:
    """The last day of a nation's course, today at the latest; there has to be such a course."""
    hall: Hall = request.app.state.hall
    if canonical(code[:LONGEST]) != code:
        raise NotFoundException(said("There is no such nation."))
    if regulation not in awarding_regulations() or held(regulation).total != "sum":
        raise NotFoundException(said("There is no such list."))
    if not listable(day):
        raise NotFoundException(said("There is no list for that day."))
    return min(day, hall.today())
