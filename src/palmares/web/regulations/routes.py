"""Routes to regulations: all of them, one edition, two editions side by side."""

from __future__ import annotations

from typing import Annotated

from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter

from palmares.web.api.parameters import Regulation
from palmares.web.http.replies import answered
from palmares.web.http.state import Request
from palmares.web.regulations import views
from palmares.web.regulations.views import EditionsPage, RegulationPage, RegulationsPage

Edition = Annotated[
    str | None,
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
Unchanged = Annotated[bool, QueryParameter(description="Whether to show what is the same, too.")]


async def regulations(request: Request) -> Response[RegulationsPage]:
    """Every regulation and its editions."""
    return await answered(request, lambda _: views.regulations_page(request.app_state.today()))


async def api_regulation(request: Request, regulation: Regulation) -> Response[RegulationPage]:
    """The edition of a regulation that is in force, in the text's order and words."""
    return await answered(
        request, lambda _: views.regulation_page(regulation, None, request.app_state.today())
    )


async def regulation(
    request: Request, regulation: Regulation, edition: Edition = None
) -> Response[RegulationPage]:
    """One edition of a regulation, in the text's order and words."""
    return await answered(
        request, lambda _: views.regulation_page(regulation, edition, request.app_state.today())
    )


async def editions(
    request: Request,
    regulation: Regulation,
    a: Before = None,
    b: After = None,
    *,
    unchanged: Unchanged = False,
) -> Response[EditionsPage]:
    """Two editions side by side: what changed, clause by clause, number by number."""
    return await answered(
        request,
        lambda _: views.editions_page(
            regulation, a, b, request.app_state.today(), unchanged=unchanged
        ),
    )
