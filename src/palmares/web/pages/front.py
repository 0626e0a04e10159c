"""The front page: the current lists, and what came in last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares.regulations import regulations
from palmares.web.hall import Known
from palmares.web.pages.ranking import Asked, RankingRow, ranking_page

TOP = 10
LATEST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontList:
    """The top of a current list."""

    regulation: str
    title: str
    players: int
    rows: tuple[RankingRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontTournament:
    """A tournament that ended lately."""

    tournament_id: str
    name: str
    city: str | None
    country: str | None
    end_date: date


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPage:
    """The current lists, and the latest tournaments."""

    as_of: date
    entries: int  # of the journal
    lists: tuple[FrontList, ...]
    tournaments: tuple[FrontTournament, ...]


def front_page(known: Known, today: date) -> FrontPage:
    """The front page of a day."""
    lists = []
    for one in regulations().values():
        if one.kinds:
            found = ranking_page(known, Asked(regulation=one.name, as_of=today), today)
            if found.players:
                lists.append(
                    FrontList(
                        regulation=one.name,
                        title=one.title,
                        players=found.players,
                        rows=found.rows[:TOP],
                    )
                )
    latest = (
        known.facts["tournaments"]
        .filter(pl.col("end_date") <= today)
        .sort("end_date", "tournament_id", descending=True)
        .head(LATEST)
        .select("tournament_id", "name", "city", "country", "end_date")
    )
    return FrontPage(
        as_of=today,
        entries=known.head.sequence,
        lists=tuple(lists),
        tournaments=tuple(FrontTournament(**row) for row in latest.iter_rows(named=True)),
    )
