"""
A nation: its players on every list, its rank where nations are ranked, tournaments held there.

    nation_page     a code  ->  NationPage
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares.facts import nations
from palmares.rankings import Selection
from palmares.web.hall import Known
from palmares.web.pages import days, names
from palmares.web.pages.tournaments import TournamentRow, of_country

TOP = 20
LATEST = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Compatriot:
    """A player of a nation on a list."""

    national_rank: int
    world_rank: int
    player_id: str
    player: str
    nanopoints: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NationStanding:
    """A nation on one list."""

    regulation: str
    title: str
    as_of: date  # today, or the day of the last list with anybody on it
    rank: int | None  # among nations; none: they are not ranked, or it is not on the list
    nations: int | None  # that are
    nanopoints: int | None  # of the nation
    over_time: bool  # whether there is a chart of it: it was on the list before, too
    players: int  # of the nation on the list
    rows: tuple[Compatriot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NationPage:
    """A nation on every list."""

    code: str
    as_of: date
    known_at: str  # the day, moment or entry up to which reports are counted; empty: all
    players: int  # whom we know
    lists: tuple[NationStanding, ...]
    tournaments: tuple[TournamentRow, ...]


def nation_page(known: Known, code: str, today: date, known_at: str = "") -> NationPage | None:
    """The page of a nation; none if nobody plays for it and nothing was held there.

    Args:
        known: what is known.
        code: its code.
        today: the day it is.
        known_at: the day, moment or entry that it is known at, as somebody asked for it.
    """
    page = NationPage(
        code=code,
        as_of=today,
        known_at=known_at,
        players=len(names.shown(known).filter(pl.col("nation") == code)),
        lists=tuple(_standings(known, code, today)),
        tournaments=of_country(known, code, LATEST),
    )
    return page if page.players or page.lists or page.tournaments else None


def canonical(code: str) -> str | None:
    """The code by which we know a nation: DEU for GER; none if it is none."""
    return nations.nation(code) if code.isascii() else None


def _standings(known: Known, code: str, today: date) -> list[NationStanding]:
    found = []
    for one in days.making():
        as_of = days.current(known, one.name, today)
        day = Selection(as_of=as_of)
        own = known.make_ranking(one.name, Selection(as_of=as_of, nation=code)).frame
        if own.is_empty():
            continue
        ranked = known.nations(one.name, day).frame if one.total == "sum" else None
        mine = None if ranked is None else ranked.filter(pl.col("nation") == code)
        is_ranked = mine is not None and len(mine) == 1
        found.append(
            NationStanding(
                regulation=one.name,
                title=one.title,
                as_of=as_of,
                rank=mine["rank"][0] if mine is not None and is_ranked else None,
                nations=len(ranked) if ranked is not None and is_ranked else None,
                nanopoints=mine["nanopoints"][0] if mine is not None and is_ranked else None,
                over_time=is_ranked and _was_ranked(known, one.name, code, as_of),
                players=len(own),
                rows=_compatriots(own, known.ranking(one.name, day).frame),
            )
        )
    return found


def _was_ranked(known: Known, regulation: str, code: str, day: date) -> bool:
    """Whether a nation was on the list before, too: one month is no course."""
    before = Selection(as_of=days.before(known, regulation, day))
    return code in known.nations(regulation, before).frame["nation"]


def _compatriots(own: pl.DataFrame, everybody: pl.DataFrame) -> tuple[Compatriot, ...]:
    """The first of a nation's list, with their ranks on the whole list."""
    first = own.head(TOP).rename({"rank": "national_rank"})
    ranks = everybody.select("player_id", pl.col("rank").alias("world_rank"))
    rows = first.join(ranks, on="player_id", how="left", maintain_order="left")
    columns = ("national_rank", "world_rank", "player_id", "player", "nanopoints")
    return tuple(Compatriot(**row) for row in rows.select(columns).to_dicts())
