"""Routes to players: found by name, on every list, under one regulation, why, and their charts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Any, TypeVar

from anyio import to_thread
from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter, QueryParameter

from palmares.facts.text import LONGEST
from palmares.lists.figures.gains import FORMATS, MOST_PLAYERS
from palmares.web.http.replies import answered, is_api, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import Request, Snapshot, awarding_regulations
from palmares.web.players import search as searching
from palmares.web.players import views
from palmares.web.players.figures import (
    GainsQuery,
    PlayerAgainst,
    PlayerGains,
    person,
    player_against,
    player_gains,
)
from palmares.web.players.search import PlayersList, PlayersQuery, SearchPage
from palmares.web.players.views import (
    AwardPage,
    CurvePage,
    PlayerListPage,
    PlayerOverview,
    ScreenQuery,
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
    EventId,
    Flight,
    KnownAt,
    PlayerId,
    Regulation,
    RequestedRows,
    Search,
    answer_rows,
)

T = TypeVar("T")

Effective = Annotated[
    date | None,
    QueryParameter(
        description="The day from which it counts, where a flight was played on several days and"
        " each gave points. The first of them, if it is not given; `others` has the rest.",
        examples=[Example(value="2019-11-10")],
    ),
]
KindOfAward = Annotated[
    str, PathParameter(description="A kind of points.", examples=[Example(value="performance")])
]


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

PlayersNation = Annotated[
    str,
    QueryParameter(
        description="Only players of this nation.", examples=[Example(value="CZE")], max_length=100
    ),
]
Letter = Annotated[
    str,
    QueryParameter(
        description="Only players whose last name begins with this letter.",
        examples=[Example(value="N")],
        max_length=1,
    ),
]
Year = Annotated[
    str,
    QueryParameter(
        description="Only players who were placed in a tournament of this year.",
        pattern="^([0-9]{4})?$",
        examples=[Example(value="2019")],
    ),
]


# ── the API ──────────────────────────────────────────────────────────────────────────────────────


async def players(
    request: Request,
    rows: RequestedRows,
    search: Search = "",
    nation: PlayersNation = "",
    letter: Letter = "",
    year: Year = "",
) -> Response[PlayersList]:
    """Players by name, and where they stand on every list.

    Without a search all players, those whose names are withheld among them; with one those whose
    names have every word, or nearly, by their best rank on any list.
    """
    query = PlayersQuery(search=search.strip(), nation=nation, letter=letter, year=year)
    return await answer_rows(
        request,
        lambda snapshot, rows: searching.players(snapshot, query, rows.day, rows),
        rows,
    )


async def search(request: Request, search: Search = "") -> Response[SearchPage]:
    """Players, tournaments and nations with every word in their names, or nearly."""
    return await answered(
        request, lambda snapshot: searching.search_page(snapshot, search.strip(), _today(request))
    )


async def api_player(
    request: Request, player_id: PlayerId, known_at: KnownAt = ""
) -> Response[PlayerOverview]:
    """A player on every list.

    The address of a record that was merged into another shows that one, here and below.
    """
    today = _today(request)
    return await answered(
        request,
        lambda snapshot: views.player_page(snapshot, player_id, today, known_at),
        known_at=known_at,
    )


async def player(
    request: Request, player_id: FromPath[str], known_at: FromQuery[str] = ""
) -> Response[Any]:
    """Leads to the player's page under the regulation in which they have most results."""
    snapshot = await request.app_state.now()
    page = await to_thread.run_sync(views.player_page, snapshot, player_id, _today(request))
    most = max(page.lists, key=lambda place: place.results, default=None)
    regulation = most.regulation if most else awarding_regulations()[0]
    return redirected(to.player_list(page.person.player_id, regulation, known_at=known_at))


async def api_player_gains(
    request: Request,
    player_id: PlayerId,
    regulation: Regulation,
    like: Like = "",
    players: Players = 0,
    fee: Fee = "",
    format: Format = "",  # noqa: A002
    held: Held = None,
    rival: Rival = "",
) -> Response[PlayerGains]:
    """What each place of an event to come would give a player: points, total and rank.

    The event is awarded as any other and never recorded; nobody else plays until then.
    """
    query = GainsQuery(like=like, players=players, fee=fee, format=format, held=held, rival=rival)
    name, today = awarding(regulation), _today(request)

    def make(snapshot: Snapshot) -> PlayerGains:
        who = person(snapshot, player_id)
        return player_gains(snapshot, name, who.player_id, query, today)

    return await answered(request, make)


async def api_player_against(
    request: Request,
    player_id: PlayerId,
    regulation: Regulation,
    rival: RivalId,
    as_of: AsOf = None,
) -> Response[PlayerAgainst]:
    """Two players beside each other: points month by month, and the events that both played."""
    name, day = awarding(regulation), listable_day(as_of, _today(request))

    def make(snapshot: Snapshot) -> PlayerAgainst:
        who = person(snapshot, player_id)
        return player_against(snapshot, name, who.player_id, rival, day)

    return await answered(request, make)


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
    regulation: Regulation,
    as_of: AsOf = None,
    known_at: KnownAt = "",
) -> Response[PlayerListPage]:
    """A player under one regulation, with everything that belongs to it."""
    if is_api(request):
        return await _answer(request, player_id, regulation, as_of, known_at, lambda _, page: page)
    query_params = request.query_params
    if on := query_params.get("on"):
        return redirected(to.player_list(player_id, regulation, parse_day(on), known_at=known_at))
    screen, today = _screen_query(query_params), _today(request)
    return await _answer(
        request,
        player_id,
        regulation,
        as_of,
        known_at,
        lambda snapshot, page: player_screen(snapshot, page, screen, today),
    )


def _screen_query(params: Mapping[str, str]) -> ScreenQuery:
    """What the forms of the page ask."""
    rival, like = params.get("rival", ""), params.get("like", "")
    format, held = params.get("format", ""), params.get("held")  # noqa: A001
    return ScreenQuery(
        which=params.get("which", ""),
        sort=params.get("sort", ""),
        page=int(params.get("page", 1)),
        asks=bool(params.get("ask") or rival or like),
        rival=rival.strip()[:LONGEST],
        gains=GainsQuery(
            like=like,
            players=_entered(params.get("players", "")),
            fee=params.get("fee", ""),
            format=format if format in FORMATS else "",
            held=parse_day(held) if held else None,
        ),
    )


def _entered(text: str) -> int:
    """How many players a form says; 0: nothing was typed, -1: it is no number."""
    plain = text.strip()
    return int(plain or 0) if re.fullmatch(r"[0-9]{0,6}", plain) else -1


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


async def award(
    request: Request,
    player_id: PlayerId,
    regulation: Regulation,
    event_id: EventId,
    flight: Flight,
    kind: KindOfAward,
    effective: Effective = None,
    as_of: AsOf = None,
    known_at: KnownAt = "",
) -> Response[AwardPage]:
    """Why a player has the points of one result, clause by clause."""
    name, day = awarding(regulation), listable_day(as_of, _today(request))
    return await answered(
        request,
        lambda snapshot: views.award_page(
            snapshot,
            player_id,
            name,
            day,
            (event_id, flight, kind),
            effective,
            known_at,
        ),
        known_at=known_at,
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
