"""
Calculators: points of a place, a match or a margin that nobody has played yet.

    calculators         which there are
    performance         WBGF: fee, field and place
    master_points       USBGF: a match won, a place
    percentile          DPTR: place, field and rounds
    victory_points      bridge: boards and a margin, or VPs

What is asked is text, as in the forms of the pages: a fee of 12.10 is not 12.1 in some other base.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

from litestar import Response, get
from litestar.openapi.spec import Example
from litestar.params import QueryParameter

from palmares.web.api.calculations import Calculation, VictoryPoints, calculation, looked_up
from palmares.web.api.replies import answered
from palmares.web.hall import Hall, Known
from palmares.web.pages import calculators as forms
from palmares.web.pages.calculators import CalculatorPage
from palmares.web.pages.forms import Sent
from palmares.web.pages.vp_calculator import victory_points as vp_page
from palmares.web.replies import Visit

TAGS = ["Calculators"]


def _asked(says: str, example: str) -> Any:
    return QueryParameter(description=says, examples=[Example(value=example)])


Day = Annotated[
    str | None, _asked("The day of the tournament; today, if it is not given.", "2019-12-31")
]
Entrants = Annotated[str | None, _asked("Entrants of the main flight; 64.", "64")]
Place = Annotated[str | None, _asked("The place; 1. Tied players share the best.", "1")]
Tied = Annotated[str | None, _asked("So many share the place; 1.", "1")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculators:
    """The calculators that there are."""

    items: tuple[str, ...]


@get("/calculators", name="api_calculators", tags=TAGS)
async def calculators(request: Visit) -> Response[Calculators]:
    """The calculators that there are."""
    return await answered(request, lambda _: Calculators(items=forms.WORDS))


@get("/calculators/performance", name="api_performance", tags=TAGS)
async def performance(
    request: Visit,
    kind: Annotated[
        str | None, _asked("`championship`, `intermediate` or `super_jackpot`.", "championship")
    ] = None,
    fee: Annotated[str | None, _asked("The entry fee; 100.", "150")] = None,
    currency: Annotated[str | None, _asked("Its currency; EUR.", "EUR")] = None,
    added: Annotated[str | None, _asked("Added money.", "500")] = None,
    entrants: Entrants = None,
    consolation: Annotated[str | None, _asked("Entrants of the consolation.", "32")] = None,
    last_chance: Annotated[str | None, _asked("Entrants of the last chance.", "32")] = None,
    flight: Annotated[str | None, _asked("`main`, `consolation` or `last_chance`.", "main")] = None,
    place: Place = None,
    tied: Tied = None,
    day: Day = None,
    on: Annotated[
        str | None, _asked("A day on which the points are valued, too.", "2020-12-31")
    ] = None,
) -> Response[Calculation]:
    """WBGF performance points of a place: fee, field and place, clause by clause."""
    del kind, fee, currency, added, entrants, consolation, last_chance, flight, place, tied, day, on
    return await _calculated(request, forms.performance)


@get("/calculators/master-points", name="api_master_points", tags=TAGS)
async def master_points(
    request: Visit,
    day: Day = None,
    setting: Annotated[str | None, _asked("`live` or `online`.", "live")] = None,
    type: Annotated[  # noqa: A002  as the form of the page calls it
        str | None, _asked("The type of event, of Appendix A.", "ABT Main Event")
    ] = None,
    level: Annotated[str | None, _asked("An event level, of other types.", "3")] = None,
    division: Annotated[str | None, _asked("The rank of the division; 1.", "1")] = None,
    length: Annotated[str | None, _asked("The length of a match that was won; 9.", "9")] = None,
    entrants: Entrants = None,
    format: Annotated[  # noqa: A002  the same
        str | None, _asked("`knockout`, `double_knockout`, `swiss` or `round_robin`.", "swiss")
    ] = None,
    place: Place = None,
    tied: Tied = None,
) -> Response[Calculation]:
    """USBGF master points of a match won, of a place, or of both; the day chooses the edition."""
    del day, setting, type, level, division, length, entrants, format, place, tied
    return await _calculated(request, forms.master_points)


@get("/calculators/percentile", name="api_percentile", tags=TAGS)
async def percentile(
    request: Visit,
    entrants: Annotated[str | None, _asked("Entrants of the event; 49.", "49")] = None,
    place: Place = None,
    rounds: Annotated[str | None, _asked("Rounds of the event; 3.", "3")] = None,
    worlds: Annotated[str | None, _asked("Whether it is a World Championship.", "no")] = None,
    day: Day = None,
    before: Annotated[str | None, _asked("The rating before the event.", "52.30")] = None,
) -> Response[Calculation]:
    """The DPTR percentile of a place, and what it makes of a rating."""
    del entrants, place, rounds, worlds, day, before
    return await _calculated(request, forms.percentile)


@get("/calculators/victory-points", name="api_victory_points", tags=TAGS)
async def victory_points(
    request: Visit,
    boards: Annotated[str | None, _asked("Boards of the match; 16.", "16")] = None,
    scale: Annotated[str | None, _asked("`continuous` or `discrete`.", "continuous")] = None,
    margin: Annotated[str | None, _asked("A margin in IMPs.", "7")] = None,
    points: Annotated[
        str | None, _asked("VPs: the smallest margin that reaches them.", "12.5")
    ] = None,
) -> Response[VictoryPoints]:
    """A scale of victory points for so many boards, and a margin or VPs looked up in it."""
    del boards, scale, margin, points
    return await answered(request, lambda _: looked_up(vp_page(_given(request))))


# ── what they share ──────────────────────────────────────────────────────────────────────────────


def _given(request: Visit) -> Sent:
    """What was asked, as it was typed."""
    return Sent({name: str(value) for name, value in request.query_params.items()})


async def _calculated(
    request: Visit, calculator: Callable[[Known, Sent, date], CalculatorPage]
) -> Response[Calculation]:
    hall: Hall = request.app.state.hall
    given = _given(request)
    return await answered(
        request, lambda known: calculation(calculator(known, given, hall.today()))
    )
