"""Routes to races, and to recognition levels with their feed."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Annotated
from urllib.parse import urljoin

from anyio import to_thread
from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter

from palmares.web.api.parameters import USUAL, AsOf, Cursor, Limit, Regulation
from palmares.web.api.replies import listed
from palmares.web.http.federation import federation
from palmares.web.http.i18n import wording
from palmares.web.http.replies import answered, finished, handed_out, spoken
from palmares.web.http.state import Visit
from palmares.web.http.templating import ENVIRONMENT
from palmares.web.recognition import views
from palmares.web.recognition.views import LevelsPage, RacePage, Races
from palmares.web.shared.paging import PageNumber

LATEST = 50
"""So many of the latest levels are in the feed."""

RaceName = Annotated[
    str,
    PathParameter(
        description="The race, as its file calls it.", examples=[Example(value="points-2019")]
    ),
]


async def races(request: Visit) -> Response[Races]:
    """Every race that was declared, those that go on first."""
    return await answered(
        request, lambda snapshot: views.races(snapshot, request.app_state.today())
    )


async def race(
    request: Visit, race: FromPath[str], as_of: FromQuery[date | None] = None,
    page: FromQuery[int] = 1,
) -> Response[bytes]:  # fmt: skip
    """The standings of a race as of a day."""
    today = request.app_state.today()
    rows = PageNumber(max(1, page), views.ROWS)
    return await answered(
        request, lambda snapshot: views.race_page(snapshot, race, as_of or today, today, rows)
    )


async def api_race(
    request: Visit, race: RaceName, as_of: AsOf = None, limit: Limit = USUAL, cursor: Cursor = ""
) -> Response[RacePage]:
    """The standings of a race as of a day, and what changed in the week before.

    After the last day of a race they are final.
    """
    return await listed(
        request,
        lambda snapshot, rows: views.race_page(snapshot, race, as_of or rows.day, rows.day, rows),
        limit,
        cursor,
    )


async def levels(
    request: Visit, regulation: FromPath[str], page: FromQuery[int] = 1
) -> Response[bytes]:
    """The recognition levels of a regulation, and who reached them."""
    today, rows = request.app_state.today(), PageNumber(max(1, page), views.ROWS)
    return await answered(
        request, lambda snapshot: views.levels_page(snapshot, regulation, today, rows)
    )


async def api_levels(
    request: Visit, regulation: Regulation, limit: Limit = USUAL, cursor: Cursor = ""
) -> Response[LevelsPage]:
    """The recognition levels of a regulation, and who reached which through which award.

    The latest come first.
    """
    return await listed(
        request,
        lambda snapshot, rows: views.levels_page(snapshot, regulation, rows.day, rows),
        limit,
        cursor,
    )


async def levels_feed(request: Visit, regulation: FromPath[str]) -> Response[bytes]:
    """Who reached a level last, as Atom."""
    snapshot, today = await request.app_state.now(), request.app_state.today()
    said, root = wording(spoken(request)), request.app_state.settings.public_url

    def make() -> bytes:
        page = views.levels_page(snapshot, regulation, today, PageNumber(1, LATEST))
        text = ENVIRONMENT.get_template("levels.xml").render(
            page=page, tag=said.tag, _=said.text, day=said.day, at=partial(urljoin, root),
            site=federation(request.app_state).name,
        )  # fmt: skip
        return text.encode() + b"\n"

    content = finished(await to_thread.run_sync(make), "application/atom+xml")
    return handed_out(content, {"Vary": "Accept-Language, Cookie"})
