"""Routes to players: found by name, on every list, under one regulation, why, and their charts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, TypeVar

from anyio import to_thread
from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter, QueryParameter

from palmares.lists.figures.gains import MOST_PLAYERS
from palmares.web.http.replies import answered, is_api, pinned_player, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import Request, Snapshot, awarding_regulations
from palmares.web.players import views
from palmares.web.players.figures import (
    GainsQuery,
    PlayerAgainst,
    PlayerGains,
    person,
    player_against,
    player_gains,
)
from palmares.web.players.views import (
    CurvePage,
    PlayerListPage,
    curve_of_player,
    player_screen,
)
from palmares.web.shared.lists import (
    awarding,
    listable_day,
    parse_day,
)
from palmares.web.shared.names import extended
from palmares.web.shared.parameters import (
    AsOf,
    KnownAt,
    PlayerId,
    RegulationName,
)

T = TypeVar("T")

Like = Annotated[
    str,
    QueryParameter(
        description="The id of an event to go by: its kind, level, flights and currency are those"
        " of the event to come. The last that the player played, if it is not given.",
        max_length=1000,
    ),
]
Players = Annotated[
    int,
    QueryParameter(
        description="How many enter; as many as in the event to go by, if it is not given.",
        ge=0,
        le=MOST_PLAYERS,
    ),
]
Fee = Annotated[
    str,
    QueryParameter(
        description="The entry fee, in the currency of the event to go by; as there, if it is not"
        " given.",
        max_length=20,
    ),
]
Format = Annotated[
    str,
    QueryParameter(
        description="The format of the Main: knockout, double_knockout, swiss or round_robin; as in"
        " the event to go by, if it is not given.",
        pattern="^(knockout|double_knockout|swiss|round_robin)?$",
    ),
]
Held = Annotated[
    date | None,
    QueryParameter(
        description="The day on which the event ends; in four weeks, if it is not given.",
        examples=[Example(value="2026-12-13")],
    ),
]
Rival = Annotated[
    str,
    QueryParameter(
        description="The id of a player to be passed: `needed` is the last place that does.",
        max_length=1000,
    ),
]
RivalId = Annotated[
    str, PathParameter(description="The id of another player.", examples=[Example(value="P2")])
]

# ── the API ──────────────────────────────────────────────────────────────────────────────────────


async def player(
    request: Request, player_id: FromPath[str], known_at: FromQuery[str] = ""
) -> Response[Any]:
    """Leads to the player's page under the regulation in which they have most results."""
    snapshot = await request.app_state.now()
    page = await to_thread.run_sync(views.player_page, snapshot, player_id, _today(request))
    most = max(page.lists, key=lambda place: place.results, default=None)
    regulation = most.regulation if most else awarding_regulations()[0]
    return redirected(to.player_list(page.person.player_id, regulation, known_at=known_at))


def gains_page(
    snapshot: Snapshot,
    today: date,
    player_id: PlayerId,
    regulation: RegulationName,
    like: Like = "",
    players: Players = 0,
    fee: Fee = "",
    format: Format = "",  # noqa: A002
    held: Held = None,
    rival: Rival = "",
) -> PlayerGains:
    """What each place of an event to come would give a player: points, total and rank.

    The event is awarded as any other and never recorded; nobody else plays until then.
    """
    query = GainsQuery(like=like, players=players, fee=fee, format=format, held=held, rival=rival)
    name, who = awarding(regulation), person(snapshot, player_id)
    return player_gains(snapshot, name, who.player_id, query, today)


def against_page(
    snapshot: Snapshot,
    today: date,
    player_id: PlayerId,
    regulation: RegulationName,
    rival: RivalId,
    as_of: AsOf = None,
) -> PlayerAgainst:
    """Two players beside each other: points month by month, and the events that both played."""
    name, who = awarding(regulation), person(snapshot, player_id)
    return player_against(snapshot, name, who.player_id, rival, listable_day(as_of, today))


# ── a player under one regulation ────────────────────────────────────────────────────────────────

PAGE = (
    "known_at", "on", "which", "sort", "page", "rival", "like", "players", "fee", "format", "held",
    "ask",
)  # fmt: skip
"""What the page takes beside the day.

``on`` is the day as a form sends it; ``ask`` is sent by what loads gains and a rival when they come
into view; ``like``, ``players``, ``fee``, ``format`` and ``held`` make up an event to come;
``rival`` is the name or id of another player.
"""


async def player_list(
    request: Request,
    player_id: PlayerId,
    regulation: RegulationName,
    as_of: AsOf = None,
    known_at: KnownAt = "",
) -> Response[PlayerListPage]:
    """A player under one regulation, with everything that belongs to it."""
    if is_api(request):
        return await _answer(request, player_id, regulation, as_of, known_at, lambda _, page: page)
    query_params = request.query_params
    if on := query_params.get("on"):
        return redirected(to.player_list(player_id, regulation, parse_day(on), known_at=known_at))
    today, own = _today(request), "" if known_at else pinned_player(request)
    return await _answer(
        request,
        player_id,
        regulation,
        as_of,
        known_at,
        lambda snapshot, page: player_screen(snapshot, page, query_params, today, own),
    )


async def player_curve(
    request: Request,
    player_id: FromPath[str],
    regulation: FromPath[str],
    as_of: FromPath[date | None] = None,
    known_at: FromQuery[str] = "",
) -> Response[CurvePage]:
    """A player's points and rank over time and in the year to come, as a drawing and a table."""
    today = _today(request)
    return await _answer(
        request,
        player_id,
        regulation,
        as_of,
        known_at,
        lambda snapshot, page: extended(
            CurvePage, page, curve=curve_of_player(snapshot, page, today)
        ),
    )


async def _answer(
    request: Request,
    player_id: str,
    regulation: str,
    as_of: date | None,
    known_at: str,
    view: Callable[[Snapshot, PlayerListPage], T],
) -> Response[T]:
    """What a view makes of the page of a player under a regulation.

    The page is made once, as its chart and its cards are asked for after it.
    """
    journal, today = request.app_state.journal, _today(request)
    asked = (player_id, awarding(regulation), listable_day(as_of, today), today, known_at)

    def make(snapshot: Snapshot) -> T:
        page = snapshot.once(
            ("page of", *asked), lambda: views.player_list_page(journal, snapshot, *asked)
        )
        return view(snapshot, page)

    return await answered(request, make, known_at=known_at)


def _today(request: Request) -> date:
    return request.app_state.today()
