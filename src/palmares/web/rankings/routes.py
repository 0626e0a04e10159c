"""Routes to the front page and to lists: of players, nations and totals; as pages, files, API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

import polars as pl
from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import FromPath, QueryParameter

from palmares.facts.text import LONGEST
from palmares.points.rankings import TOTAL
from palmares.web.api.asked import (
    AsOf,
    Cursor,
    KnownAt,
    Limit,
    Regulation,
    Search,
    awarding,
    day_of,
)
from palmares.web.api.cursors import USUAL, Window
from palmares.web.api.replies import listed
from palmares.web.http.replies import answered, answered_at, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import Snapshot, Visit
from palmares.web.rankings import views
from palmares.web.rankings.views import Asked, Lists, NationsList, RankingList, TotalsList
from palmares.web.shared.downloads import sent
from palmares.web.shared.lists import (
    list_head,
    parse_day,
    ranked_regulations,
    refuse_unlistable,
    refuse_unranked,
)

_LONG = 10

Setting = Annotated[
    str | None,
    QueryParameter(
        description="Only results of this setting, where a regulation keeps them apart.",
        examples=[Example(value="live"), Example(value="online")],
    ),
]
Kind = Annotated[
    str,
    QueryParameter(
        description="Only points of this kind, such as `match` or `placement`; `total`: all.",
        examples=[Example(value=TOTAL)],
    ),
]
Nation = Annotated[
    str | None,
    QueryParameter(description="Only players of this nation.", examples=[Example(value="CZE")]),
]


# ── the API ──────────────────────────────────────────────────────────────────────────────────────


async def api_rankings(request: Visit) -> Response[Lists]:
    """The lists that there are."""
    return await answered(
        request,
        lambda _: Lists(items=tuple(list_head(one.name) for one in ranked_regulations())),
    )


async def api_ranking(
    request: Visit,
    regulation: Regulation,
    as_of: AsOf = None,
    known_at: KnownAt = "",
    setting: Setting = None,
    kind: Kind = TOTAL,
    nation: Nation = None,
    search: Search = "",
    limit: Limit = USUAL,
    cursor: Cursor = "",
) -> Response[RankingList]:
    """A ranking of players as of a day.

    Best first; players with equal results share a rank.
    """

    def build(snapshot: Snapshot, window: Window) -> RankingList:
        asked = Asked(
            regulation=awarding(regulation),
            as_of=day_of(as_of, window.day),
            setting=setting or None,
            kind=kind or TOTAL,
            nation=nation or None,
            search=search.strip(),
            known_at=known_at,
        )
        return views.ranking(snapshot, asked, window)

    return await listed(request, build, limit, cursor, known_at)


async def api_ranking_nations(
    request: Visit,
    regulation: Regulation,
    as_of: AsOf = None,
    known_at: KnownAt = "",
    setting: Setting = None,
    kind: Kind = TOTAL,
    limit: Limit = USUAL,
    cursor: Cursor = "",
) -> Response[NationsList]:
    """A ranking of nations as of a day."""

    def build(snapshot: Snapshot, window: Window) -> NationsList:
        asked = Asked(
            regulation=awarding(regulation),
            as_of=day_of(as_of, window.day),
            setting=setting or None,
            kind=kind or TOTAL,
            known_at=known_at,
        )
        return views.nation_list(snapshot, asked, window)

    return await listed(request, build, limit, cursor, known_at)


async def api_ranking_totals(
    request: Visit,
    regulation: Regulation,
    as_of: AsOf = None,
    known_at: KnownAt = "",
    search: Search = "",
    limit: Limit = USUAL,
    cursor: Cursor = "",
) -> Response[TotalsList]:
    """The four totals of master points as of a day.

    Live and online, match and placement points of every player, and their sum.
    """

    def build(snapshot: Snapshot, window: Window) -> TotalsList:
        asked = Asked(
            regulation=awarding(regulation),
            as_of=day_of(as_of, window.day),
            search=search.strip(),
            known_at=known_at,
        )
        return views.totals(snapshot, asked, window)

    return await listed(request, build, limit, cursor, known_at)


# ── pages and files ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class _List:
    """What makes a list on the site."""

    page: Callable[[Snapshot, Asked, date, int], Any]
    rows: Callable[[Snapshot, Asked], pl.DataFrame]  # all of them, for a file
    route: str
    name: str = ""  # in the name of a file


_PLAYERS = _List(page=views.ranking_page, rows=views.all_ranked, route="ranking")
_NATIONS = _List(
    page=views.nation_list_page, rows=views.all_nations, route="nation_list", name="nations"
)
_TOTALS = _List(page=views.totals_page, rows=views.all_totals, route="totals", name="totals")


async def front(request: Visit) -> Response[bytes]:
    """The front page."""
    return await answered(
        request, lambda snapshot: views.front_page(snapshot, request.app_state.today())
    )


async def ranking(
    request: Visit, regulation: FromPath[str], day: FromPath[date | None] = None
) -> Response[bytes]:
    """A ranking as of a day."""
    return await _answered(request, regulation, day, _PLAYERS)


async def nation_list(
    request: Visit, regulation: FromPath[str], day: FromPath[date | None] = None
) -> Response[bytes]:
    """A ranking of nations as of a day."""
    return await _answered(request, regulation, day, _NATIONS)


async def totals(
    request: Visit, regulation: FromPath[str], day: FromPath[date | None] = None
) -> Response[bytes]:
    """The four totals of master points as of a day."""
    return await _answered(request, regulation, day, _TOTALS)


async def _answered(
    request: Visit, regulation: str, day: date | None, which: _List
) -> Response[bytes]:
    """A list as a page or as a file; what was known then is made when it is its turn."""
    query = {name: str(value).strip() for name, value in request.query_params.items()}
    refuse_unranked(regulation)
    refuse_unlistable(day)
    on = query.get("on")
    asked = Asked(
        regulation=regulation,
        as_of=parse_day(on) if on else day or request.app_state.today(),
        setting=query.get("setting") or None,
        kind=query.get("kind") or TOTAL,
        nation=query.get("nation") or None,
        search=query.get("search", "")[:LONGEST],
        known_at=query.get("known_at", ""),
    )
    if on:  # a form chose the day: it has an address of its own
        address: Callable[..., str] = getattr(to, which.route)
        return redirected(address(regulation, asked.as_of, **_query(asked)))
    if form := query.get("format"):
        return await sent(
            request,
            lambda now: which.rows(request.app_state.at(now, asked.known_at), asked),
            _file_name(asked, which.name),
            form,
            lambda now: _notes(request.app_state.at(now, asked.known_at), asked, which.name),
        )
    page = query.get("page", "")
    number = max(1, int(page[:_LONG])) if page.isascii() and page.isdigit() else 1
    return await answered_at(
        request,
        asked.known_at,
        lambda snapshot: which.page(snapshot, asked, request.app_state.today(), number),
    )


def _query(asked: Asked) -> dict[str, str | None]:
    """What an address asks for beside the day."""
    return {
        "setting": asked.setting,
        "kind": "" if asked.kind == TOTAL else asked.kind,
        "nation": asked.nation,
        "search": asked.search,
        "known_at": asked.known_at,
    }


def _narrowed_to(asked: Asked, name: str) -> list[str]:
    """What sets a file apart from the whole list of its day."""
    query = _query(asked) | {"known_at": ""}
    return [one for one in (name, *query.values()) if one]


def _file_name(asked: Asked, name: str) -> str:
    """What a file is called: "wbgf-2019-12-31-nations"."""
    known = [f"known-{asked.known_at}"] if asked.known_at else []
    parts = [asked.regulation, str(asked.as_of), *_narrowed_to(asked, name), *known]
    safe = ("".join(c for c in one if c.isascii() and (c.isalnum() or c in "-_")) for one in parts)
    return "-".join(one for one in safe if one)


def _notes(snapshot: Snapshot, asked: Asked, name: str) -> list[str]:
    """What a list is, for whoever finds the file later."""
    narrowed = ", ".join(_narrowed_to(asked, name))
    return [
        f"List: {list_head(asked.regulation).title} ({asked.regulation})",
        f"As of: {asked.as_of}",
        f"Known at: entry {snapshot.head.sequence} of the journal, {snapshot.head.hash}",
        *([f"Asked for as known at: {asked.known_at}"] if asked.known_at else []),
        *([f"Only: {narrowed}"] if narrowed else []),
        "Points are as they were counted, not rounded.",
    ]
