"""Routes to players: found by name, on every list, under one regulation, why, and their charts."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, TypeVar
from urllib.parse import quote, urlencode

from anyio import to_thread
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter, QueryParameter

from palmares.core.messages import msg
from palmares.facts.text import LONGEST
from palmares.lists.figures.gains import FORMATS, MOST_PLAYERS
from palmares.web.api.parameters import (
    AsOf,
    EventId,
    Flight,
    KnownAt,
    PlayerId,
    Regulation,
    Search,
    awarding,
    day_of,
)
from palmares.web.api.replies import listed
from palmares.web.http.parameters import query_names, refuse_others
from palmares.web.http.replies import answered, answered_at, moved, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import Snapshot, Visit, awarding_regulations
from palmares.web.players import curve, views
from palmares.web.players import search as searching
from palmares.web.players.curve import CurvePage
from palmares.web.players.figures import (
    GainsQuery,
    PlayerAgainst,
    PlayerGains,
    player_against,
    player_gains,
)
from palmares.web.players.screen import ScreenQuery, player_screen
from palmares.web.players.search import PlayersList, PlayersQuery, SearchPage
from palmares.web.players.views import (
    AwardPage,
    AwardsList,
    Expiries,
    HistoryList,
    PlayerListPage,
    PlayerOverview,
)
from palmares.web.shared.lists import parse_day, refuse_unlistable, refuse_unranked
from palmares.web.shared.paging import AskedRows, Cut, extended
from palmares.web.shared.publications import PublishedList, published_lists
from palmares.web.shared.results import merged_into

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
    request: Visit,
    rows: AskedRows,
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
    return await listed(
        request,
        lambda snapshot, rows: searching.players(snapshot, query, rows.day, rows),
        rows,
    )


async def search(request: Visit, search: Search = "") -> Response[SearchPage]:
    """Players, tournaments and nations with every word in their names, or nearly."""
    return await answered(
        request, lambda snapshot: searching.search_page(snapshot, search.strip(), _today(request))
    )


async def api_player(
    request: Visit, player_id: PlayerId, known_at: KnownAt = ""
) -> Response[PlayerOverview]:
    """A player on every list.

    A record that was merged into another answers 308 with the address of that one, here and below.
    """
    today = _today(request)
    return await _found(
        request,
        player_id,
        known_at,
        lambda snapshot: views.player_page(snapshot, player_id, today, known_at),
    )


async def api_player_list(
    request: Visit,
    player_id: PlayerId,
    regulation: Regulation,
    as_of: AsOf = None,
    known_at: KnownAt = "",
) -> Response[PlayerListPage]:
    """A player under one regulation, with everything that belongs to it."""
    page = _page(request, player_id, regulation, as_of, known_at)
    return await _found(request, player_id, known_at, page)


async def api_player_awards(
    request: Visit,
    player_id: PlayerId,
    regulation: Regulation,
    rows: AskedRows,
    as_of: AsOf = None,
    known_at: KnownAt = "",
) -> Response[AwardsList]:
    """What a player was awarded under one regulation, the latest first.

    Each with what it is worth on the day, when it ends, and when it is worth half or less.
    """
    return await _listed(request, player_id, regulation, as_of, known_at, rows, views.awards_list)


async def api_player_award(
    request: Visit,
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
    name, day = awarding(regulation), day_of(as_of, _today(request))
    return await _found(
        request,
        player_id,
        known_at,
        lambda snapshot: views.award_page(
            snapshot, player_id, name, day, (event_id, flight, kind), effective, known_at
        ),
    )


async def api_player_history(
    request: Visit,
    player_id: PlayerId,
    regulation: Regulation,
    rows: AskedRows,
    as_of: AsOf = None,
    known_at: KnownAt = "",
) -> Response[HistoryList]:
    """A player's points and rank at the end of every month and on the day, the latest first."""
    return await _listed(request, player_id, regulation, as_of, known_at, rows, views.history_list)


async def api_player_expiries(
    request: Visit,
    player_id: PlayerId,
    regulation: Regulation,
    as_of: AsOf = None,
    known_at: KnownAt = "",
) -> Response[Expiries]:
    """What a player has to defend in the months to come, as if they played no more."""
    page = _page(request, player_id, regulation, as_of, known_at)
    return await _found(
        request, player_id, known_at, lambda snapshot: views.expiries(page(snapshot))
    )


async def api_player_gains(
    request: Visit,
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
        views.person(snapshot, player_id)
        return player_gains(snapshot, name, player_id, query, today)

    return await _found(request, player_id, "", make)


async def api_player_against(
    request: Visit, player_id: PlayerId, regulation: Regulation, rival: RivalId, as_of: AsOf = None
) -> Response[PlayerAgainst]:
    """Two players beside each other: points month by month, and the events that both played."""
    name, day = awarding(regulation), day_of(as_of, _today(request))

    def make(snapshot: Snapshot) -> PlayerAgainst:
        views.person(snapshot, player_id)
        return player_against(snapshot, name, player_id, rival, day)

    return await _found(request, player_id, "", make)


def _page(
    request: Visit, player_id: str, regulation: str, as_of: date | None, known_at: str
) -> Callable[..., PlayerListPage]:
    """What makes the page of a player under a regulation; as of the day on which a list began."""
    today, journal = _today(request), request.app_state.journal
    name = awarding(regulation)

    def make(snapshot: Snapshot, begun: date | None = None) -> PlayerListPage:
        day = day_of(as_of, begun or today)
        return snapshot.once(
            ("player under", name, player_id, day, today, known_at),
            lambda: views.player_list_page(
                journal, snapshot, player_id, name, day, today, known_at
            ),
        )

    return make


async def _found(
    request: Visit, player_id: str, known_at: str, make: Callable[[Snapshot], T]
) -> Response[T]:
    """The answer that is made, or the way to the record that this one was merged into."""
    into = await _into(request, player_id, known_at)
    return into or await answered_at(request, known_at, make)


async def _listed(
    request: Visit,
    player_id: str,
    regulation: str,
    as_of: date | None,
    known_at: str,
    rows: Cut,
    view: Callable[[Snapshot, PlayerListPage, Cut], T],
) -> Response[T]:
    """A list page by page; one that was begun before a merge is read to its end."""
    page = _page(request, player_id, regulation, as_of, known_at)
    into = None if rows.entry else await _into(request, player_id, known_at)
    return into or await listed(
        request,
        lambda snapshot, rows: view(snapshot, page(snapshot, rows.day), rows),
        rows,
        known_at,
    )


async def _into(request: Visit, player_id: str, then: str) -> Response[Any] | None:
    """The way to the record that a player's was merged into; not for what was known earlier."""
    into = None if then else merged_into(await request.app_state.now()).get(player_id)
    if into is None:
        return None
    path = request.scope["path"].split("/")
    path[path.index("players") + 1] = quote(into, safe="")
    query = urlencode(list(request.query_params.multi_items()))
    return moved("/".join(path) + (f"?{query}" if query else ""))


def _today(request: Visit) -> date:
    return request.app_state.today()


# ── pages and charts ─────────────────────────────────────────────────────────────────────────────


async def player(
    request: Visit, player_id: FromPath[str], known_at: FromQuery[str] = ""
) -> Response[Any]:
    """Leads to the player's page under the regulation in which they have most results."""
    if into := await _into(request, player_id, known_at):
        return into
    snapshot = await request.app_state.now()
    page = await to_thread.run_sync(views.player_page, snapshot, player_id, _today(request))
    most = max(page.lists, key=lambda place: place.results, default=None)
    regulation = most.regulation if most else awarding_regulations()[0]
    return redirected(to.player_list(player_id, regulation, known_at=known_at))


async def player_list(
    request: Visit,
    player_id: FromPath[str],
    regulation: FromPath[str],
    day: FromPath[date | None] = None,
    on: FromQuery[str] = "",
    known_at: FromQuery[str] = "",
    published: FromQuery[str] = "",
    which: FromQuery[str] = "",
    sort: FromQuery[str] = "",
    page: FromQuery[int] = 1,
    rival: FromQuery[str] = "",
    like: FromQuery[str] = "",
    players: FromQuery[str] = "",
    fee: FromQuery[str] = "",
    format: FromQuery[str] = "",  # noqa: A002
    held: FromQuery[str] = "",
    ask: FromQuery[str] = "",
) -> Response[Any]:
    """A player under one regulation, as of a day; ``on`` is the day as a form sends it.

    ``ask`` is sent by what loads gains and a rival when they come into view; ``like``,
    ``players``, ``fee``, ``format`` and ``held`` make up an event to come; ``rival`` is the name
    or id of somebody to be beside.
    """
    if on:
        query = {"known_at": known_at, "published": published}
        return redirected(to.player_list(player_id, regulation, parse_day(on), **query))
    today = _today(request)
    asked = ScreenQuery(
        which=which,
        sort=sort,
        page=max(1, page),
        asks=bool(ask or rival or like),
        rival=rival.strip()[:LONGEST],
        gains=GainsQuery(
            like=like,
            players=_entered(players),
            fee=fee,
            format=format if format in FORMATS else "",
            held=parse_day(held) if held else None,
        ),
    )

    def shown(known: Snapshot, found: PlayerListPage) -> PlayerListPage:
        return player_screen(known, found, asked, today)

    return await _on_list(request, player_id, regulation, day, (known_at, published), shown)


def _entered(text: str) -> int:
    """How many players somebody typed; 0: nothing was typed, -1: it is no number."""
    plain = text.strip()
    return int(plain or 0) if re.fullmatch(r"[0-9]{0,6}", plain) else -1


async def player_curve(
    request: Visit,
    player_id: FromPath[str],
    regulation: FromPath[str],
    day: FromPath[date | None] = None,
    known_at: FromQuery[str] = "",
    published: FromQuery[str] = "",
) -> Response[Any]:
    """A player's points and rank over time and in the year to come, as a drawing and a table."""
    today = _today(request)

    def shown(known: Snapshot, found: PlayerListPage) -> PlayerListPage:
        return extended(CurvePage, found, curve=curve.player_curve(known, found, today))

    return await _on_list(request, player_id, regulation, day, (known_at, published), shown)


async def _on_list(
    request: Visit,
    player_id: str,
    regulation: str,
    day: date | None,
    by: tuple[str, str],
    shown: Callable[[Snapshot, PlayerListPage], PlayerListPage],
) -> Response[Any]:
    """A page about a player under a regulation, as of a day.

    Args:
        request: of the page.
        player_id: who.
        regulation: of the list.
        day: of the list; none: today.
        by: what is to be known, and the published list whose rules count; empty: all, and today's.
        shown: what makes the page of the player's place on the list.
    """
    known_at, published = by
    rules = await _rules(request, regulation, day, published)
    then, today = f"#{rules.last_entry}" if rules else known_at, _today(request)

    def make(snapshot: Snapshot) -> PlayerListPage:
        known = snapshot.under(rules.question if rules else None)
        return shown(
            known,
            views.player_list_page(
                request.app_state.journal,
                known,
                player_id,
                regulation,
                day or today,
                today,
                then,
                rules,
            ),
        )

    return await _found(request, player_id, then, make)


async def award(
    request: Visit,
    player_id: FromPath[str],
    regulation: FromPath[str],
    event_id: FromPath[str],
    flight: FromPath[str],
    kind: FromPath[str],
    day: FromPath[date | None] = None,
    effective: FromQuery[str] = "",
    known_at: FromQuery[str] = "",
    published: FromQuery[str] = "",
) -> Response[AwardPage]:
    """Why a player has some points; ``effective`` is a day of play, where a flight has several."""
    rules = await _rules(request, regulation, day, published)
    then = f"#{rules.last_entry}" if rules else known_at
    counted_from = parse_day(effective) if effective else None
    return await _found(
        request,
        player_id,
        then,
        lambda snapshot: views.award_page(
            snapshot.under(rules.question if rules else None),
            player_id,
            regulation,
            day or _today(request),
            (event_id, flight, kind),
            counted_from,
            then,
            rules,
        ),
    )


async def _rules(
    request: Visit, regulation: str, day: date | None, published: str
) -> PublishedList | None:
    """The list by whose rules to answer, with what was known when it was made; none: in force.

    Raises:
        NotFoundException: there is no such list.
    """
    refuse_unranked(regulation)
    refuse_unlistable(day)
    if not published:
        return None
    refuse_others(request, set(query_names(request)) - {"known_at"})
    for one in published_lists(await request.app_state.now()):
        if (one.entry, one.regulation) == (int(published), regulation) and one.question:
            return one
    raise NotFoundException(msg("There is no such list."))
