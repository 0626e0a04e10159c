"""
Master points as of a day: live and online, match and placement, side by side.

    totals_page     what is asked  ->  TotalsPage
    whole           the same  ->  all its rows, for a file
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares import totals
from palmares.awards import Awards, Question, award
from palmares.empty_lists import explained
from palmares.regulations import regulation as held
from palmares.totals import Totals
from palmares.web.hall import Known
from palmares.web.pages import days, names
from palmares.web.pages.list_heads import WaitingEvent, waiting_events
from palmares.web.pages.ranking import ROWS, Asked
from palmares.web.pages.turning import turned

KEYS = tuple(one for one in totals.KEYS if one != "level")
"""Without levels: their thresholds are the federation's own, in a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalsRow:
    """One player, points in nanopoints."""

    rank: int
    player_id: str
    player: str
    nation: str | None
    live_match: int
    live_placement: int
    online_match: int
    online_placement: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalsPage:
    """The four totals of every player, and their sum, as of a day."""

    regulation: str
    title: str
    as_of: date
    before: date
    after: date | None  # none: it lies ahead
    ahead: bool  # whether the day itself lies ahead
    known_at: str  # the day, moment or entry up to which reports are counted; empty: all
    search: str
    waiting: tuple[WaitingEvent, ...]  # events that are missing in the list
    empty: str  # why nobody is on the list; empty: somebody is
    players: int  # on the whole list, or found
    page: int  # from 1
    pages: int
    rows: tuple[TotalsRow, ...]


def totals_page(known: Known, asked: Asked, today: date) -> TotalsPage:
    """The page of all four totals.

    Raises:
        Refused: the regulation keeps no such totals.
    """
    all_of_them = made(known, asked)
    found = whole(known, asked)
    page, pages = turned(asked.page, len(found), ROWS)
    return TotalsPage(
        regulation=asked.regulation,
        title=held(asked.regulation, awards=True).title,
        as_of=asked.as_of,
        before=days.before(known, asked.regulation, asked.as_of),
        after=days.after(known, asked.regulation, asked.as_of, today),
        ahead=asked.as_of > today,
        known_at=asked.known_at,
        search=asked.search,
        waiting=waiting_events(all_of_them.waiting),
        empty=why_empty(all_of_them),
        players=len(found),
        page=page,
        pages=pages,
        rows=tuple(
            TotalsRow(**row) for row in found.slice((page - 1) * ROWS, ROWS).iter_rows(named=True)
        ),
    )


def made(known: Known, asked: Asked) -> Totals:
    """The whole list of a day.

    Raises:
        Refused: the regulation keeps no such totals.
    """
    selection, question = asked.selection(asked.as_of), Question(regulation=asked.regulation)
    totals.refuse_others(question)

    def awarded() -> Awards:
        return award(question, known.facts, terms=False)

    def make() -> Totals:
        found = totals.totals(known.once(("totals of", asked.regulation), awarded), selection)
        return explained(found, question, lambda: known.evidence(asked.regulation))

    return known.lists.once(("totals", asked.regulation, selection), make)


def why_empty(found: Totals) -> str:
    """Why nobody is on the list; empty if somebody is."""
    return found.empty[0].what if found.empty else ""


def whole(known: Known, asked: Asked) -> pl.DataFrame:
    """Every row that is asked for: the columns of `KEYS`, points as nanopoints."""
    frame = made(known, asked).frame
    if asked.search:
        frame = frame.join(names.matching(known, asked.search), on="player_id", how="semi")
    return frame.select(KEYS)
