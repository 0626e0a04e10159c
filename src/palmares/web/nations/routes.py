"""Routes to nations: on every list, and their points and ranks over time."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter

from palmares.core.messages import msg
from palmares.facts.text import LONGEST
from palmares.regulations import get_regulation
from palmares.web.http.replies import answered, is_api, moved
from palmares.web.http.routing import to
from palmares.web.http.state import Request
from palmares.web.nations import views
from palmares.web.nations.views import NationPage, Nations, canonical_code
from palmares.web.shared.lists import awarding, listable_day
from palmares.web.shared.paging import RequestedRows, answer_rows
from palmares.web.shared.parameters import KnownAt

Code = Annotated[
    str,
    PathParameter(
        description="The code of a nation: ISO 3166-1 alpha-3, or one of sport such as `ENG`."
        " Other codes of it answer 308 with the address of this one.",
        examples=[Example(value="CZE")],
    ),
]


async def api_nations(request: Request, rows: RequestedRows) -> Response[Nations]:
    """The nations that players play for, by code."""
    return await answer_rows(request, views.nations, rows)


async def nation(request: Request, code: Code, known_at: KnownAt = "") -> Response[NationPage]:
    """A nation on every list: its rank, its first players, the tournaments held there last."""
    known_as = canonical_code(code[:LONGEST])
    if known_as != code:
        address = to.api_nation if is_api(request) else to.nation
        return moved(address(known_as, known_at=known_at))
    return await answered(
        request,
        lambda snapshot: views.nation_page(snapshot, code, request.app_state.today(), known_at),
        known_at=known_at,
    )


async def nation_history_page(
    request: Request,
    code: FromPath[str],
    regulation: FromPath[str],
    day: FromPath[date],
    known_at: FromQuery[str] = "",
) -> Response[bytes]:
    """A nation's points and rank over time, as a drawing and a table."""
    until = _until(request, code, regulation, day)
    return await answered(
        request,
        lambda snapshot: views.nation_history_page(snapshot, code, regulation, until, known_at),
        known_at=known_at,
    )


def _until(request: Request, code: str, regulation: str, day: date) -> date:
    """The last day of a nation's history, today at the latest; there has to be such a history."""
    if canonical_code(code[:LONGEST]) != code:
        raise NotFoundException(msg("There is no such nation."))
    awarding(regulation)
    if get_regulation(regulation).aggregate.latest:
        raise NotFoundException(msg("There is no such list."))
    today = request.app_state.today()
    return min(listable_day(day, today), today)
