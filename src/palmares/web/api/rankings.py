"""
Rankings: of players, of nations, and the four totals of master points.

    rankings    the lists that there are
    ranking     one of them as of a day
    nations     the same by nation
    totals      the four totals of every player
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated

from litestar import Response, get
from litestar.openapi.spec import Example
from litestar.params import QueryParameter

from palmares.rankings import TOTAL
from palmares.regulations import regulation as held
from palmares.regulations import regulations
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
from palmares.web.api.replies import answered, listed
from palmares.web.hall import Known
from palmares.web.pages import nation_list as nation_lists
from palmares.web.pages import ranking as lists
from palmares.web.pages import totals as all_totals
from palmares.web.pages.days import before, published
from palmares.web.pages.list_heads import WaitingEvent, reason, waiting_events
from palmares.web.pages.nation_list import NationRow
from palmares.web.pages.ranking import SETTINGS, Asked, RankingRow
from palmares.web.pages.totals import TotalsRow
from palmares.web.replies import Visit

TAGS = ["Rankings"]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ListHead:
    """A regulation that makes lists."""

    regulation: str
    title: str
    discipline: str
    total: str  # sum: points are added; latest: the last rating counts
    kinds: tuple[str, ...]  # of points
    settings: tuple[str, ...]  # that it keeps apart
    by_nation: bool  # whether there is a list of nations
    totals: bool  # whether there is one of separate totals


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """The lists that there are."""

    items: tuple[ListHead, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingList:
    """A ranking of players as of a day."""

    regulation: str
    title: str
    as_of: date
    known_at: str  # what was asked for; empty: now
    entry: int  # the last entry of the journal that counts
    before: date  # the list that movement is measured from
    published: int | None  # the entry that published this list
    setting: str | None
    kind: str
    nation: str | None
    search: str
    waiting: tuple[WaitingEvent, ...]  # events that are missing in the list
    empty: str  # why it is empty; empty: it is not
    players: int  # on the whole list, or found
    items: tuple[RankingRow, ...]
    next: str | None  # the address of the next rows; none: these are the last


@dataclass(frozen=True, slots=True, kw_only=True)
class NationsList:
    """A ranking of nations as of a day."""

    regulation: str
    title: str
    as_of: date
    known_at: str  # what was asked for; empty: now
    entry: int  # the last entry of the journal that counts
    before: date  # the list that movement is measured from
    published: int | None  # the entry that published this list
    setting: str | None
    kind: str
    stateless: str  # players who count for none, in words; empty: there are none
    waiting: tuple[WaitingEvent, ...]  # events that are missing in the list
    empty: str  # why it is empty; empty: it is not
    nations: int  # on the whole list
    items: tuple[NationRow, ...]
    next: str | None  # the address of the next rows; none: these are the last


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalsList:
    """The four totals of every player, and their sum, as of a day."""

    regulation: str
    title: str
    as_of: date
    known_at: str  # what was asked for; empty: now
    entry: int  # the last entry of the journal that counts
    search: str
    waiting: tuple[WaitingEvent, ...]  # events that are missing in the list
    empty: str  # why it is empty; empty: it is not
    players: int  # on the whole list, or found
    items: tuple[TotalsRow, ...]
    next: str | None  # the address of the next rows; none: these are the last


@get("/rankings", name="api_rankings", tags=TAGS)
async def rankings(request: Visit) -> Response[Lists]:
    """The lists that there are."""
    return await answered(request, lambda _: _lists())


def _lists() -> Lists:
    return Lists(
        items=tuple(
            ListHead(
                regulation=one.name,
                title=one.title,
                discipline=one.discipline,
                total=one.total,
                kinds=one.kinds,
                settings=SETTINGS.get(one.name, ()),
                by_nation=one.total == "sum",
                totals=one.name in SETTINGS,
            )
            for one in regulations().values()
            if one.kinds
        )
    )


@get("/rankings/{regulation:str}", name="api_ranking", tags=TAGS)
async def ranking(
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

    def build(known: Known, window: Window) -> RankingList:
        asked = Asked(
            regulation=awarding(regulation),
            as_of=day_of(as_of, window.day),
            setting=setting or None,
            kind=kind or TOTAL,
            nation=nation or None,
            search=search.strip(),
            known_at=known_at,
        )
        return _ranking(known, asked, window)

    return await listed(request, build, limit, cursor, known_at)


def _ranking(known: Known, asked: Asked, window: Window) -> RankingList:
    ranking = known.ranking(asked.regulation, asked.selection(asked.as_of))
    found = lists.whole(known, asked)
    entry = known.head.sequence
    rows, more = window.cut(found, "player_id", entry)
    since = before(known, asked.regulation, asked.as_of)
    announced = published(known, asked.regulation).get(asked.as_of)
    return RankingList(
        regulation=asked.regulation,
        title=held(asked.regulation, awards=True).title,
        as_of=asked.as_of,
        known_at=asked.known_at,
        entry=entry,
        before=since,
        published=None if asked.narrowed else announced,
        setting=asked.setting,
        kind=asked.kind,
        nation=asked.nation,
        search=asked.search,
        waiting=waiting_events(ranking.waiting),
        empty=reason(known, ranking),
        players=len(found),
        items=lists.rows(known, asked, rows, since),
        next=more,
    )


@get("/rankings/{regulation:str}/nations", name="api_ranking_nations", tags=TAGS)
async def nations(
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

    def build(known: Known, window: Window) -> NationsList:
        asked = Asked(
            regulation=awarding(regulation),
            as_of=day_of(as_of, window.day),
            setting=setting or None,
            kind=kind or TOTAL,
            known_at=known_at,
        )
        page = nation_lists.nation_list_page(known, asked, window.day)
        rows, more = window.cut(page.rows, "nation", known.head.sequence)
        return NationsList(
            regulation=page.regulation,
            title=page.title,
            as_of=page.as_of,
            known_at=page.known_at,
            entry=known.head.sequence,
            before=page.before,
            published=page.published,
            setting=page.setting,
            kind=page.kind,
            stateless=page.stateless,
            waiting=page.waiting,
            empty=page.empty,
            nations=len(page.rows),
            items=rows,
            next=more,
        )

    return await listed(request, build, limit, cursor, known_at)


@get("/rankings/{regulation:str}/totals", name="api_ranking_totals", tags=TAGS)
async def totals(
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

    def build(known: Known, window: Window) -> TotalsList:
        asked = Asked(
            regulation=awarding(regulation),
            as_of=day_of(as_of, window.day),
            search=search.strip(),
            known_at=known_at,
        )
        made = all_totals.made(known, asked)
        found = all_totals.whole(known, asked)
        rows, more = window.cut(found, "player_id", known.head.sequence)
        return TotalsList(
            regulation=asked.regulation,
            title=held(asked.regulation, awards=True).title,
            as_of=asked.as_of,
            known_at=known_at,
            entry=known.head.sequence,
            search=asked.search,
            waiting=waiting_events(made.waiting),
            empty=all_totals.why_empty(made),
            players=len(found),
            items=tuple(TotalsRow(**row) for row in rows.iter_rows(named=True)),
            next=more,
        )

    return await listed(request, build, limit, cursor, known_at)
