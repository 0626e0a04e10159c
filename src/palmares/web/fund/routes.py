"""Routes to the statements of the streaming fund."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import QueryParameter

from palmares.web.fund import views
from palmares.web.fund.views import FundPage, FundTournamentPage
from palmares.web.http.replies import answered
from palmares.web.http.state import Request, Snapshot
from palmares.web.shared.parameters import TournamentId

Day = Annotated[
    date | None,
    QueryParameter(
        description="The day of the statement. Today, if it is not given.",
        examples=[Example(value="2019-12-31")],
    ),
]
Days = Annotated[
    int | None,
    QueryParameter(
        description="Days of streaming of a planned tournament: what it may cost, and whether the"
        " fund bears it.",
        ge=1,
        le=99,
        examples=[Example(value=2)],
    ),
]


async def fund(request: Request, as_of: Day = None, days: Days = None) -> Response[FundPage]:
    """The streaming fund as of a day: what it has and owes, tournament by tournament."""
    day, today = as_of or request.app_state.today(), as_of is None
    return await answered(
        request, lambda snapshot: views.fund_page(snapshot, day, days, today=today)
    )


async def fund_tournament(
    request: Request, tournament_id: TournamentId, as_of: Day = None
) -> Response[FundTournamentPage]:
    """The statement of a tournament, each figure by its clause, and the donors who may be named."""
    day, today = as_of or request.app_state.today(), as_of is None

    def make(snapshot: Snapshot) -> FundTournamentPage:
        with request.app_state.journal.reading() as reader:
            return views.tournament_page(
                snapshot, reader, tournament_id.lstrip("/"), day, today=today
            )

    return await answered(request, make)
