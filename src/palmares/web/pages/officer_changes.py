"""
What an action does to points and ranks, as an officer sees it before it is recorded.

    changes     what an action put down  ->  Changes for each regulation
    Changes     one regulation: whose points and ranks are others, and which events will wait
    Change      a player's points of a tournament, and his ranks
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares.journal.projection import Growth
from palmares.journal.recording import Recorded
from palmares.previews import effects
from palmares.rankings import Selection
from palmares.web.hall import Known
from palmares.web.moving import Both, both

MOST_CHANGES = 500
"""Rows of points that a preview shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A player's points of a tournament, in nanopoints."""

    tournament_id: str | None  # none: of a rating, which goes on
    tournament: str | None
    player_id: str
    player: str
    before: int | None
    after: int | None
    change: int
    rank_before: int | None  # none: not on the list
    rank_after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What one regulation makes of it."""

    regulation: str
    title: str
    waits: tuple[str, ...]  # events that will wait, each with what is missing
    mended: tuple[str, ...]  # events that waited until now and will not
    as_of: date  # of the lists: today, or the last day of what has faded since
    rows: tuple[Change, ...]
    more: int  # rows that are not shown
    change: int  # what all rows come to, in nanopoints
    otherwise: bool  # whether points of some stay, and count from another day or on other lists
    others: int  # players whose ranks alone change


def changes(done: Recorded, before: Known, today: date) -> Iterable[Changes]:
    """What every regulation that sees it makes of what an action put down.

    Args:
        done: what it put down.
        before: what was known until then.
        today: the day of the lists whose ranks are looked at.
    """
    for one in effects(done.growth):
        rows = one.frame.head(MOST_CHANGES).drop("regulation")
        as_of, lists = today, both(one, done.growth, before)
        old, new = _ranks(lists, as_of)
        if not {*old, *new} & set(rows["player_id"]):
            as_of = min(today, _last(rows, done.growth) or today)
            old, new = _ranks(lists, as_of)
        moving = {who for who in {*old, *new} if old.get(who) != new.get(who)}
        yield Changes(
            regulation=one.question.regulation,
            title=one.question.held().title,
            waits=tuple(each.why for each in one.waits),
            mended=tuple(f"{each.event} ({each.tournament})" for each in one.mended),
            as_of=as_of,
            rows=tuple(
                Change(
                    **row,
                    rank_before=old.get(row["player_id"]),
                    rank_after=new.get(row["player_id"]),
                )
                for row in rows.iter_rows(named=True)
            ),
            more=max(0, one.frame.height - MOST_CHANGES),
            change=int(one.frame["change"].sum()),
            otherwise=one.counts_otherwise,
            others=len(moving - set(one.frame["player_id"])),
        )


def _last(rows: pl.DataFrame, growth: Growth) -> date | None:
    """The last day of the tournaments of some rows; none for a rating, which does not fade."""
    tables = [one.tables["tournaments"] for one in (growth.before, growth.after)]
    found = pl.concat(one.select("tournament_id", "end_date") for one in tables)
    last = found.join(rows, on="tournament_id", how="semi")["end_date"].max()
    return last if isinstance(last, date) else None


def _ranks(lists: Both, as_of: date) -> tuple[dict[str, int], dict[str, int]]:
    """The ranks of everybody on the list, before and after."""
    first, then = (
        dict(zip(one["player_id"].to_list(), one["rank"].to_list(), strict=True))
        for one in lists(Selection(as_of=as_of))
    )
    return first, then
