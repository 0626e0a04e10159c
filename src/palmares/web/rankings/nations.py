"""Nations: their players on every list, their rank where nations are ranked, and over time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated

import polars as pl
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter

from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints
from palmares.facts import codes
from palmares.facts.text import LONGEST
from palmares.regulations import Regulation, get_regulation
from palmares.web.http.replies import answered, is_api, moved
from palmares.web.http.routing import to
from palmares.web.http.state import Request, Snapshot
from palmares.web.rankings.views import ListQuery, RankingRow, all_ranked, ranked_rows
from palmares.web.shared.history import (
    HistoryPoint,
    RankCurve,
    draw_curve,
    nation_history,
    nations_on,
)
from palmares.web.shared.lists import (
    awarding,
    current_day,
    day_before,
    listable_day,
    ranked_regulations,
)
from palmares.web.shared.names import (
    ListAsOf,
    NationSummary,
    TournamentRow,
    all_tournaments,
    nation_counts,
    nation_summaries,
    shown_players,
    tournament_rows,
)
from palmares.web.shared.paging import PageOfList, RequestedRows, Slice, answer_rows
from palmares.web.shared.parameters import KnownAt

TOP = 20
LATEST = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class NationStanding(ListAsOf):
    """A nation on one list: today's, or the last one with anybody on it."""

    rank: int | None  # among nations; none: they are not ranked, or it is not on the list
    nations: int | None  # that are
    nanopoints: Nanopoints | None  # of the nation
    has_chart: bool  # whether there is a chart of it: it was on the list before, too
    players: int  # of the nation on the list
    before: date  # the day of the list before
    rows: tuple[RankingRow, ...]  # the first of them


@dataclass(frozen=True, slots=True, kw_only=True)
class NationPage:
    """A nation on every list."""

    code: str
    as_of: date
    known_at: str  # the day, moment or entry up to which reports are counted; empty: all
    players: int  # whom we know
    lists: tuple[NationStanding, ...]
    tournaments: tuple[TournamentRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nations(Slice):
    """The nations that players play for, by code."""

    nations: int
    items: tuple[NationSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NationHistoryPage(ListAsOf):
    """A nation's points and rank over time."""

    code: str
    known_at: str  # the day, moment or entry up to which reports are counted; empty: all
    history: tuple[HistoryPoint, ...]  # the latest first; empty: it was on no list
    curve: RankCurve | None  # none: there are not two days to join


def nations(snapshot: Snapshot, rows: PageOfList) -> Nations:
    """The nations that players play for, by code."""
    by_nation = nation_counts(snapshot)
    here, part = rows.cut(by_nation, "nation", snapshot.head.sequence)
    return Nations(**part, nations=len(by_nation), items=nation_summaries(here))


def canonical_code(code: str) -> str:
    """The code by which we know a nation: DEU for GER.

    Raises:
        NotFoundException: it is none.
    """
    canonical = codes.nation(code) if code.isascii() else None
    if canonical is None:
        raise NotFoundException(msg("There is no such nation."))
    return canonical


def nation_page(snapshot: Snapshot, code: str, today: date, known_at: str = "") -> NationPage:
    """The page of a nation.

    Args:
        snapshot: what is known.
        code: its code.
        today: the day it is.
        known_at: the day, moment or entry that it is known at, as somebody asked for it.

    Raises:
        NotFoundException: nobody plays for it and nothing was held there.
    """
    there = all_tournaments(snapshot).filter(pl.col("country") == code)
    standings = (
        _standing(snapshot, regulation, code, today) for regulation in ranked_regulations()
    )
    page = NationPage(
        code=code,
        as_of=today,
        known_at=known_at,
        players=len(shown_players(snapshot).filter(pl.col("nation") == code)),
        lists=tuple(standing for standing in standings if standing is not None),
        tournaments=tournament_rows(there.head(LATEST)),
    )
    if not (page.players or page.lists or page.tournaments):
        raise NotFoundException(msg("Nobody plays for that nation, and nothing was held there."))
    return page


def _standing(
    snapshot: Snapshot, regulation: Regulation, code: str, today: date
) -> NationStanding | None:
    """A nation on the list of a regulation; none if none of its players is on it."""
    name, day = regulation.name, current_day(snapshot, regulation.name, today)
    query = ListQuery(regulation=name, as_of=day, nation=code)
    own = all_ranked(snapshot, query)
    if own.is_empty():
        return None
    before = day_before(snapshot, name, day, today)
    is_summed = not regulation.aggregate.latest
    ranked = nations_on(snapshot, name, day) if is_summed else {}
    rank, nanopoints = ranked.get(code, (None, None))
    return NationStanding(
        regulation=name,
        title=regulation.title,
        as_of=day,
        rank=rank,
        nations=len(ranked) if rank else None,
        nanopoints=nanopoints,
        has_chart=rank is not None and code in nations_on(snapshot, name, before),
        players=len(own),
        before=before,
        rows=ranked_rows(snapshot, query, own.head(TOP), before),
    )


def history_page(
    snapshot: Snapshot, code: str, regulation: str, until: date, known_at: str
) -> NationHistoryPage:
    """A nation's points and rank over time, up to a day."""
    history = nation_history(snapshot, regulation, code, until)
    return NationHistoryPage(
        code=code,
        regulation=regulation,
        title=get_regulation(regulation).title,
        as_of=until,
        known_at=known_at,
        history=history[::-1],
        curve=draw_curve(history, {point.day: point.nanopoints for point in history}, until),
    )


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
    return await answer_rows(request, nations, rows)


async def nation(request: Request, code: Code, known_at: KnownAt = "") -> Response[NationPage]:
    """A nation on every list: its rank, its first players, the tournaments held there last."""
    known_as = canonical_code(code[:LONGEST])
    if known_as != code:
        address = to.api_nation if is_api(request) else to.nation
        return moved(address(known_as, known_at=known_at))
    return await answered(
        request,
        lambda snapshot: nation_page(snapshot, code, request.app_state.today(), known_at),
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
        lambda snapshot: history_page(snapshot, code, regulation, until, known_at),
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
