"""Routes to races, and to recognition levels with their feed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated
from urllib.parse import urljoin

from anyio import to_thread
from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import FromPath, PathParameter

from palmares.web.api.cursors import listed
from palmares.web.api.parameters import AsOf, Regulation
from palmares.web.http.i18n import wording
from palmares.web.http.replies import VARY, answered, language_of, with_etag
from palmares.web.http.state import Request
from palmares.web.http.templating import ENVIRONMENT
from palmares.web.recognition import views
from palmares.web.recognition.views import LevelsPage, RacePage, Races
from palmares.web.shared.paging import AskedRows, PageNumber

LATEST = 50
"""So many of the latest levels are in the feed."""

RaceName = Annotated[
    str,
    PathParameter(
        description="The race, as its file calls it.", examples=[Example(value="points-2019")]
    ),
]


async def races(request: Request) -> Response[Races]:
    """Every race that was declared, those that go on first."""
    return await answered(
        request, lambda snapshot: views.races(snapshot, request.app_state.today())
    )


async def race(
    request: Request, race: RaceName, rows: AskedRows, as_of: AsOf = None
) -> Response[RacePage]:
    """The standings of a race as of a day, and what changed in the week before.

    After the last day of a race they are final.
    """
    return await listed(
        request,
        lambda snapshot, rows: views.race_page(snapshot, race, as_of or rows.day, rows.day, rows),
        rows,
    )


async def levels(request: Request, regulation: Regulation, rows: AskedRows) -> Response[LevelsPage]:
    """The recognition levels of a regulation, and who reached which through which award.

    The latest come first.
    """
    return await listed(
        request,
        lambda snapshot, rows: views.levels_page(snapshot, regulation, rows.day, rows),
        rows,
    )


async def levels_feed(request: Request, regulation: FromPath[str]) -> Response[bytes]:
    """Who reached a level last, as Atom."""
    snapshot, today = await request.app_state.now(), request.app_state.today()
    said, root = wording(language_of(request)), request.app_state.settings.public_url

    def make() -> bytes:
        page = views.levels_page(snapshot, regulation, today, PageNumber(1, today))
        page = replace(page, items=page.items[:LATEST])
        text = ENVIRONMENT.get_template("levels.xml").render(
            page=page, tag=said.tag, _=said.text, day=said.day, at=partial(urljoin, root),
            site=request.app_state.federation.name,
        )  # fmt: skip
        return text.encode() + b"\n"

    content = await to_thread.run_sync(make)
    return with_etag(content, "application/atom+xml", VARY)
