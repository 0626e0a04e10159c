"""
A ranking of nations as of a day, with the movement since the list before.

    nation_list_page    what is asked  ->  NationListPage
    whole               the same  ->  all its rows, for a file
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares.regulations import regulation as held
from palmares.web.hall import Known
from palmares.web.pages import days
from palmares.web.pages.list_heads import WaitingEvent, reason, waiting_events
from palmares.web.pages.ranking import SETTINGS, Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class NationRow:
    """One nation of the list."""

    rank: int
    nation: str
    nanopoints: int
    players: int  # who count for it
    moved: int | None  # ranks up since the list before; none: was not on it


@dataclass(frozen=True, slots=True, kw_only=True)
class NationListPage:
    """A ranking of nations as of a day."""

    regulation: str
    title: str
    as_of: date
    before: date  # the list that movement is measured from
    after: date | None  # none: it lies ahead
    ahead: bool  # whether the day itself lies ahead
    known_at: str  # the day, moment or entry up to which reports are counted; empty: all
    published: int | None  # the entry that published this list
    setting: str | None
    settings: tuple[str, ...]
    kind: str
    kinds: tuple[str, ...]
    stateless: str  # players who count for none, in words; empty: there are none
    waiting: tuple[WaitingEvent, ...]  # events that are missing in the list
    empty: str  # why no nation is on the list; empty: one is
    rows: tuple[NationRow, ...]


def nation_list_page(known: Known, asked: Asked, today: date) -> NationListPage:
    """The page of a list of nations.

    Raises:
        Refused: the regulation makes no sums over a nation.
    """
    regulation = held(asked.regulation, awards=True)
    before = days.before(known, asked.regulation, asked.as_of)
    ranking = known.nations(asked.regulation, asked.selection(asked.as_of))
    earlier = known.nations(asked.regulation, asked.selection(before)).frame
    rows = ranking.frame.join(
        earlier.select("nation", (pl.col("rank")).alias("was")),
        on="nation", how="left", maintain_order="left",
    )  # fmt: skip
    published = days.published(known, asked.regulation, "nation").get(asked.as_of)
    return NationListPage(
        regulation=asked.regulation,
        title=regulation.title,
        as_of=asked.as_of,
        before=before,
        after=days.after(known, asked.regulation, asked.as_of, today),
        ahead=asked.as_of > today,
        known_at=asked.known_at,
        published=None if asked.narrowed else published,
        setting=asked.setting,
        settings=SETTINGS.get(asked.regulation, ()),
        kind=asked.kind,
        kinds=regulation.kinds if len(regulation.kinds) > 1 else (),
        stateless=next((one.what for one in ranking.notices if one.where == "players"), ""),
        waiting=waiting_events(ranking.waiting),
        empty=reason(known, ranking),
        rows=tuple(
            NationRow(
                rank=row["rank"],
                nation=row["nation"],
                nanopoints=row["nanopoints"],
                players=row["players"],
                moved=None if row["was"] is None else row["was"] - row["rank"],
            )
            for row in rows.iter_rows(named=True)
        ),
    )


def whole(known: Known, asked: Asked) -> pl.DataFrame:
    """Every row of the list: rank, nation, nanopoints, players."""
    frame = known.nations(asked.regulation, asked.selection(asked.as_of)).frame
    return frame.select("rank", "nation", "nanopoints", "players")
