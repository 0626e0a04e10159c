"""
Regulations: their editions, clauses, numbers and readings.

    regulations     all of them
    regulation      the edition in force, or another
    editions        two editions side by side
"""

from __future__ import annotations

from typing import Annotated

from litestar import Response, get
from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter

from palmares.web.api.replies import answered
from palmares.web.hall import Hall
from palmares.web.pages.editions import EditionsPage, editions_page
from palmares.web.pages.regulation import (
    RegulationPage,
    RegulationsPage,
    regulation_page,
    regulations_page,
)
from palmares.web.replies import Visit

TAGS = ["Regulations"]

Name = Annotated[
    str,
    PathParameter(
        description="The name of a regulation, such as `usbgf`.",
        examples=[Example(value="usbgf")],
    ),
]
Edition = Annotated[
    str,
    PathParameter(description="The id of an edition.", examples=[Example(value="2019-01")]),
]
Before = Annotated[
    str | None,
    QueryParameter(
        description="The older edition; the one before the latest, if it is not given.",
        examples=[Example(value="2015-05")],
    ),
]
After = Annotated[
    str | None,
    QueryParameter(
        description="The newer edition; the latest, if it is not given.",
        examples=[Example(value="2019-01")],
    ),
]
Whole = Annotated[bool, QueryParameter(description="Whether to show what is the same, too.")]


@get("/regulations", name="api_regulations", tags=TAGS)
async def regulations(request: Visit) -> Response[RegulationsPage]:
    """Every regulation and its editions."""
    hall: Hall = request.app.state.hall
    return await answered(request, lambda _: regulations_page(hall.today()))


@get("/regulations/{regulation:str}", name="api_regulation", tags=TAGS)
async def regulation(request: Visit, regulation: Name) -> Response[RegulationPage]:
    """The edition of a regulation that is in force, in the text's order and words."""
    hall: Hall = request.app.state.hall
    return await answered(request, lambda _: regulation_page(regulation, None, hall.today()))


@get("/regulations/{regulation:str}/{edition:str}", name="api_edition", tags=TAGS)
async def edition(request: Visit, regulation: Name, edition: Edition) -> Response[RegulationPage]:
    """One edition of a regulation, in the text's order and words."""
    hall: Hall = request.app.state.hall
    return await answered(request, lambda _: regulation_page(regulation, edition, hall.today()))


@get("/regulations/{regulation:str}/compare", name="api_editions", tags=TAGS)
async def editions(
    request: Visit, regulation: Name, a: Before = None, b: After = None, *, whole: Whole = False
) -> Response[EditionsPage]:
    """Two editions side by side: what changed, clause by clause, number by number."""
    hall: Hall = request.app.state.hall
    return await answered(
        request,
        lambda _: editions_page(regulation, a or None, b or None, hall.today(), whole=whole),
    )
