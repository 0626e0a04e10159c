"""
A ranking as of a day: a hundred rows at a time, with the movement since the list before.

    Asked           what a visitor asks of a list
    ranking_page    that  ->  RankingPage
    whole           that  ->  all its rows, for a file
    rows            some of them, with their movement
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

import polars as pl

from palmares.facts import nations as codes
from palmares.rankings import TOTAL, Selection
from palmares.regulations import regulation as held
from palmares.web.hall import Known
from palmares.web.pages import days, names
from palmares.web.pages.list_heads import WaitingEvent, reason, waiting_events
from palmares.web.pages.turning import turned

ROWS = 100
SETTINGS = {"usbgf": ("live", "online")}
"""The regulations that keep live and online results apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingRow:
    """One player of the list."""

    rank: int  # on the list that is asked for
    world_rank: int | None  # among players of all nations; none: the list is not of one nation
    national_rank: int | None  # among those of the nation; none: the list is not of one nation
    player_id: str
    player: str
    nation: str | None
    nanopoints: int
    moved: int | None  # ranks up since the list before; none: was not on it


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingPage:
    """A ranking as of a day."""

    regulation: str
    title: str
    as_of: date
    before: date  # the list that movement is measured from
    after: date | None  # none: it lies ahead
    nearest: date | None  # of which somebody is on the list, where nobody is on this one
    ahead: bool  # whether the day itself lies ahead
    known_at: str  # the day, moment or entry up to which reports are counted; empty: all
    published: int | None  # the entry that published this list
    by_nation: bool  # whether there is a list of nations
    setting: str | None
    settings: tuple[str, ...]
    kind: str
    kinds: tuple[str, ...]
    nation: str | None
    nations: tuple[str, ...]  # of whom there are players on the list, and the one asked for
    search: str
    waiting: tuple[WaitingEvent, ...]  # events that are missing in the list
    empty: str  # why nobody is on the list; empty: somebody is
    players: int  # on the whole list, or found
    page: int  # from 1
    pages: int
    rows: tuple[RankingRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a visitor asks of a list."""

    regulation: str
    as_of: date
    setting: str | None = None
    kind: str = TOTAL
    nation: str | None = None
    search: str = ""
    known_at: str = ""
    page: int = 1

    def selection(self, day: date) -> Selection:
        """The same as rankings take it."""
        return Selection(as_of=day, setting=self.setting, kind=self.kind, nation=self.nation)

    @property
    def narrowed(self) -> bool:
        """Whether it is less than the whole list."""
        return bool(self.setting or self.nation or self.kind != TOTAL)


def ranking_page(known: Known, asked: Asked, today: date) -> RankingPage:
    """The page of a ranking."""
    regulation = held(asked.regulation, awards=True)
    before = days.before(known, asked.regulation, asked.as_of)
    ranking = known.ranking(asked.regulation, asked.selection(asked.as_of))
    found = whole(known, asked)
    page, pages = turned(asked.page, len(found), ROWS)
    here = found.slice((page - 1) * ROWS, ROWS)
    published = days.published(known, asked.regulation).get(asked.as_of)
    nation = codes.nation(asked.nation) or asked.nation if asked.nation else None
    return RankingPage(
        regulation=asked.regulation,
        title=regulation.title,
        as_of=asked.as_of,
        before=before,
        after=days.after(known, asked.regulation, asked.as_of, today),
        nearest=_nearest(known, asked, today),
        ahead=asked.as_of > today,
        known_at=asked.known_at,
        published=None if asked.narrowed else published,
        by_nation=regulation.total == "sum",
        setting=asked.setting,
        settings=SETTINGS.get(asked.regulation, ()),
        kind=asked.kind,
        kinds=regulation.kinds if len(regulation.kinds) > 1 else (),
        nation=nation,
        nations=_nations(known, asked, nation),
        search=asked.search,
        waiting=waiting_events(ranking.waiting),
        empty=reason(known, ranking),
        players=len(found),
        page=page,
        pages=pages,
        rows=rows(known, asked, here, before),
    )


def _nearest(known: Known, asked: Asked, today: date) -> date | None:
    """Where to look, if the whole list is empty."""
    selection = Selection(as_of=asked.as_of)
    if len(known.ranking(asked.regulation, selection).frame):
        return None
    found = days.nearest(known, asked.regulation, asked.as_of, today)
    return found if found != asked.as_of else None


def whole(known: Known, asked: Asked) -> pl.DataFrame:
    """Every row that is asked for: its ranks, player_id, player, nation, nanopoints.

    There is one ``rank``, or on the list of one nation ``national_rank`` and ``world_rank``.
    """
    frame = known.ranking(asked.regulation, asked.selection(asked.as_of)).frame
    if asked.search:
        frame = frame.join(names.matching(known, asked.search), on="player_id", how="semi")
    ranks = ["rank"]
    if asked.nation:
        everybody = replace(asked, nation=None).selection(asked.as_of)
        world = known.ranking(asked.regulation, everybody).frame
        frame = frame.rename({"rank": "national_rank"}).join(
            world.select("player_id", world_rank="rank"),
            on="player_id", how="left", maintain_order="left",
        )  # fmt: skip
        ranks = ["national_rank", "world_rank"]
    return frame[[*ranks, "player_id", "player", "nation", "nanopoints"]]


def _nations(known: Known, asked: Asked, nation: str | None) -> tuple[str, ...]:
    """The nations of players on the whole list, and the one asked for, by code."""

    def made() -> tuple[str, ...]:
        whole = known.ranking(asked.regulation, Selection(as_of=asked.as_of)).frame
        return tuple(whole["nation"].drop_nulls().unique().sort())

    found = known.once(("nations of a list", asked.regulation, asked.as_of), made)
    return found if nation is None or nation in found else tuple(sorted((*found, nation)))


def rows(known: Known, asked: Asked, found: pl.DataFrame, before: date) -> tuple[RankingRow, ...]:
    """Rows of a list, with the movement since the list of the day before, as pages show them."""
    earlier = known.ranking(asked.regulation, asked.selection(before)).frame
    # A join would make an index of everybody, on all cores, for a hundred of them; and columns are
    # filtered one by one since a frame would ask all cores, too.
    these = earlier["player_id"].is_in(found["player_id"].implode())
    ranks = earlier["rank"].filter(these), earlier["player_id"].filter(these)
    was = {player_id: rank for rank, player_id in zip(*ranks, strict=True)}
    return tuple(
        RankingRow(
            rank=rank,
            world_rank=world[0] if world else None,
            national_rank=rank if world else None,
            player_id=player_id,
            player=player,
            nation=nation,
            nanopoints=nanopoints,
            moved=was[player_id] - rank if player_id in was else None,
        )
        for rank, *world, player_id, player, nation, nanopoints in found.iter_rows()
    )
