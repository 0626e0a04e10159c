"""Nations: their players on every list, and their rank where nations are ranked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated

import polars as pl
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter

from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints
from palmares.facts import codes
from palmares.facts.text import LONGEST
from palmares.journal.store.journal import Journal
from palmares.points.rankings import Selection
from palmares.regulations import Regulation
from palmares.web.http.state import AppState, Snapshot
from palmares.web.rankings.views import ListQuery, RankingRow, all_ranked, ranked_rows
from palmares.web.shared.lists import current_day, ranked_regulations
from palmares.web.shared.names import (
    ListAsOf,
    TournamentRow,
    all_tournaments,
    shown_players,
    tournament_rows,
)
from palmares.web.shared.parameters import KnownAt

TOP = 20
LATEST = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class NationStanding(ListAsOf):
    """A nation on one list: today's, or the last one with anybody on it."""

    rank: int | None  # among nations; none: they are not ranked, or it is not on the list
    nations: int | None  # that are
    nanopoints: Nanopoints | None  # of the nation
    players: int  # of the nation on the list
    before: date  # the day of the list that movement is measured from
    before_entry: int | None  # that published it; none: it is that list as it is known now
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


def nation_page(
    app_state: AppState, snapshot: Snapshot, code: Code, today: date, known_at: KnownAt = ""
) -> NationPage:
    """A nation on every list: its rank, its first players, the tournaments held there last.

    Raises:
        NotFoundException: it is none, or nobody plays for it and nothing was held there.
    """
    code = (codes.nation(code[:LONGEST]) if code.isascii() else None) or ""  # DEU for GER
    if not code:
        raise NotFoundException(msg("There is no such nation."))
    there = all_tournaments(snapshot).filter(pl.col("country") == code)
    standings = (
        _nation_on_list(app_state.journal, snapshot, regulation, code, today)
        for regulation in ranked_regulations()
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


def _nation_on_list(
    journal: Journal, snapshot: Snapshot, regulation: Regulation, code: str, today: date
) -> NationStanding | None:
    """A nation on the list of a regulation; none if none of its players is on it."""
    name, day = regulation.name, current_day(snapshot, regulation.name, today)
    query = ListQuery(regulation=name, as_of=day, nation=code)
    own = all_ranked(snapshot, query)
    if own.is_empty():
        return None
    (since, entry), rows = ranked_rows(journal, snapshot, query, own.head(TOP), today)
    ranked = {}
    if not regulation.aggregate.latest:
        frame = snapshot.ranking(name, Selection(as_of=day), by="nation").frame
        places = frame.select("nation", "rank", "nanopoints").iter_rows()
        ranked = {nation: place for nation, *place in places}
    rank, nanopoints = ranked.get(code, (None, None))
    return NationStanding(
        regulation=name,
        title=regulation.title,
        as_of=day,
        rank=rank,
        nations=len(ranked) if rank else None,
        nanopoints=nanopoints,
        players=len(own),
        before=since,
        before_entry=entry,
        rows=rows,
    )


Code = Annotated[
    str,
    PathParameter(
        description="A code of a nation: ISO 3166-1 alpha-3, or one of sport such as `ENG`.",
        examples=[Example(value="CZE")],
    ),
]
