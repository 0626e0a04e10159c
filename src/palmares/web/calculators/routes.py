"""
Routes to the calculators: each is a form by GET, and an address that can be shared.

What is asked is text, in the API, too: a fee of 12.10 is not 12.1 in some other base.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any
from urllib.parse import parse_qsl

from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, QueryParameter

from palmares.core.messages import msg
from palmares.web.calculators import views
from palmares.web.calculators.views import (
    CalculatedPoints,
    Calculators,
    VictoryPoints,
    refuse_problems,
)
from palmares.web.http.replies import answered
from palmares.web.http.state import Request, Snapshot


def _parameter(says: str, example: str) -> Any:
    return QueryParameter(description=says, examples=[Example(value=example)])


Day = Annotated[
    str | None, _parameter("The day of the tournament; today, if it is not given.", "2019-12-31")
]
Entrants = Annotated[str | None, _parameter("Entrants of the main flight; 64.", "64")]
Place = Annotated[str | None, _parameter("The place; 1. Tied players share the best.", "1")]
Tied = Annotated[str | None, _parameter("So many share the place; 1.", "1")]


# ── the API ──────────────────────────────────────────────────────────────────────────────────────


async def api_performance(
    request: Request,
    kind: Annotated[
        str | None, _parameter("`championship`, `intermediate` or `super_jackpot`.", "championship")
    ] = None,
    entry_fee: Annotated[str | None, _parameter("The entry fee; 100.", "150")] = None,
    currency: Annotated[str | None, _parameter("Its currency; EUR.", "EUR")] = None,
    added_money: Annotated[str | None, _parameter("Added money.", "500")] = None,
    entrants: Entrants = None,
    consolation: Annotated[str | None, _parameter("Entrants of the consolation.", "32")] = None,
    last_chance: Annotated[str | None, _parameter("Entrants of the last chance.", "32")] = None,
    flight: Annotated[
        str | None, _parameter("`main`, `consolation` or `last_chance`.", "main")
    ] = None,
    place: Place = None,
    tied: Tied = None,
    day: Day = None,
    as_of: Annotated[
        str | None, _parameter("A day on which the points are valued, too.", "2020-12-31")
    ] = None,
) -> Response[CalculatedPoints]:
    """WBGF performance points of a place: fee, field and place, clause by clause."""
    return await _calculation(request, "performance")


async def api_master_points(
    request: Request,
    day: Day = None,
    setting: Annotated[str | None, _parameter("`live` or `online`.", "live")] = None,
    event_type: Annotated[
        str | None, _parameter("The type of event, of Appendix A.", "ABT Main Event")
    ] = None,
    event_level: Annotated[str | None, _parameter("An event level, of other types.", "3")] = None,
    division_rank: Annotated[str | None, _parameter("The rank of the division; 1.", "1")] = None,
    match_length: Annotated[
        str | None, _parameter("The length of a match that was won; 9.", "9")
    ] = None,
    entrants: Entrants = None,
    format: Annotated[  # noqa: A002  the same
        str | None, _parameter("`knockout`, `double_knockout`, `swiss` or `round_robin`.", "swiss")
    ] = None,
    place: Place = None,
    tied: Tied = None,
) -> Response[CalculatedPoints]:
    """USBGF master points of a match won, of a place, or of both; the day chooses the edition."""
    return await _calculation(request, "master-points")


async def api_percentile(
    request: Request,
    entrants: Annotated[str | None, _parameter("Entrants of the event; 49.", "49")] = None,
    place: Place = None,
    rounds: Annotated[str | None, _parameter("Rounds of the event; 3.", "3")] = None,
    world_championship: Annotated[
        str | None, _parameter("Whether it is a World Championship.", "no")
    ] = None,
    day: Day = None,
    rating_before: Annotated[
        str | None, _parameter("The rating before the event.", "52.30")
    ] = None,
) -> Response[CalculatedPoints]:
    """The DPTR percentile of a place, and what it makes of a rating."""
    return await _calculation(request, "percentile")


async def api_victory_points(
    request: Request,
    boards: Annotated[str | None, _parameter("Boards of the match; 16.", "16")] = None,
    scale: Annotated[str | None, _parameter("`continuous` or `discrete`.", "continuous")] = None,
    margin: Annotated[str | None, _parameter("A margin in IMPs.", "7")] = None,
    points: Annotated[
        str | None, _parameter("VPs: the smallest margin that reaches them.", "12.5")
    ] = None,
) -> Response[VictoryPoints]:
    """A scale of victory points for so many boards, and a margin or VPs looked up in it."""
    return await _calculation(request, views.VICTORY_POINTS)


async def _calculation(request: Request, name: str) -> Response[Any]:
    """What a calculator answers; problems of what was sent are refused."""

    def build(snapshot: Snapshot) -> CalculatedPoints | VictoryPoints:
        view = _view(request, snapshot, name)
        refuse_problems(view.fields, () if isinstance(view, VictoryPoints) else view.problems)
        return view

    return await answered(request, build)


# ── pages ────────────────────────────────────────────────────────────────────────────────────────


async def calculators(request: Request) -> Response[Calculators]:
    """The calculators that there are."""
    return await answered(request, lambda _: Calculators(items=views.NAMES))


async def calculator(request: Request, calculator: FromPath[str]) -> Response[bytes]:
    """A calculator, with what was typed into its form."""
    if calculator not in views.NAMES:
        raise NotFoundException(msg("There is no such calculator."))
    template = "vp_calculator.html" if calculator == views.VICTORY_POINTS else ""
    return await answered(
        request, lambda snapshot: _view(request, snapshot, calculator), template=template
    )


def query(request: Request) -> Collection[str]:
    """The parameters of a calculator: its fields; an unknown calculator is refused later."""
    name = str(request.scope["path_params"].get("calculator"))
    if name not in views.NAMES:
        return [*request.query_params]
    return [field.name for field in views.fields_of(name)]


def _view(request: Request, snapshot: Snapshot, name: str) -> CalculatedPoints | VictoryPoints:
    query = request.scope["query_string"].decode("utf-8", "replace")
    typed = dict(parse_qsl(query, keep_blank_values=True))
    if name == views.VICTORY_POINTS:
        return views.victory_points_page(typed)
    return views.calculator_page(snapshot, name, typed, request.app_state.today())
