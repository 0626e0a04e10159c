"""The front page: the current lists, what moved since the last ones, and what came in last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from palmares.web.hall import Known
from palmares.web.pages import days
from palmares.web.pages.publications import PublishedList, published_lists
from palmares.web.pages.ranking import SETTINGS, Asked, RankingRow, ranking_page
from palmares.web.pages.tournaments import TournamentRow, latest

TOP = 10
CLIMBED = 3
LATEST = 8
PUBLISHED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontList:
    """The top of a current list; of the last one with anybody on it if today's is empty."""

    regulation: str
    title: str
    as_of: date
    before: date  # the list that movement is measured from
    players: int
    by_nation: bool  # whether there is a list of nations
    totals: bool  # whether there is one of separate totals
    rows: tuple[RankingRow, ...]
    climbed: tuple[RankingRow, ...]  # who moved up most among the first hundred
    changed: bool  # whether any of the first hundred stands elsewhere than before


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPage:
    """The current lists, the latest tournaments, and the lists published last."""

    as_of: date
    entries: int  # of the journal
    lists: tuple[FrontList, ...]
    waiting: tuple[str, ...]  # regulations in whose lists events are missing, because they wait
    tournaments: tuple[TournamentRow, ...]
    published: tuple[PublishedList, ...]


def front_page(known: Known, today: date) -> FrontPage:
    """The front page of a day."""
    lists = []
    for one in days.making():
        asked = Asked(regulation=one.name, as_of=days.current(known, one.name, today))
        found = ranking_page(known, asked, today)
        if found.players:
            lists.append(
                FrontList(
                    regulation=one.name,
                    title=one.title,
                    as_of=found.as_of,
                    before=found.before,
                    players=found.players,
                    by_nation=found.by_nation,
                    totals=one.name in SETTINGS,
                    rows=found.rows[:TOP],
                    climbed=_climbed(found.rows),
                    changed=any(row.moved != 0 for row in found.rows),
                )
            )
    return FrontPage(
        as_of=today,
        entries=known.head.sequence,
        lists=tuple(lists),
        waiting=days.with_waiting(known, today),
        tournaments=latest(known, today, LATEST),
        published=published_lists(known)[:PUBLISHED],
    )


def _climbed(rows: tuple[RankingRow, ...]) -> tuple[RankingRow, ...]:
    """Who moved up most, the most ranks first."""
    up = [row for row in rows if row.moved is not None and row.moved > 0]
    return tuple(sorted(up, key=lambda row: (-(row.moved or 0), row.rank))[:CLIMBED])
