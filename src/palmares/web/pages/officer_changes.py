"""
What an action does to points and ranks, as an officer sees it before it is recorded.

    changes     what an action put down  ->  Changes for each regulation
    Changes     one regulation: whose points and ranks are others, or why it cannot say
    Change      a player's points of a tournament, and his ranks
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares.awards import award
from palmares.errors import PalmaresError
from palmares.journal.projection import Growth
from palmares.journal.recording import Recorded
from palmares.previews import Effect, effects
from palmares.rankings import Selection
from palmares.web.complaints import reasons
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
    refused: str  # why it cannot say; empty if it can
    ends: bool  # it has no list any more because of this very action
    returns: bool  # it had no list, and has one again
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
        as_of, old, new = today, dict[str, int](), dict[str, int]()
        refused = _refused(one, done)
        if not refused and not one.returns:
            with suppress(PalmaresError):  # no list today, as where a rate was missing until now
                lists = both(one, done.growth, before)
                old, new = _ranks(lists, as_of)
                if not {*old, *new} & set(rows["player_id"]):
                    as_of = min(today, _last(rows, done.growth) or today)
                    old, new = _ranks(lists, as_of)
        moving = {who for who in {*old, *new} if old.get(who) != new.get(who)}
        yield Changes(
            regulation=one.question.regulation,
            title=one.question.held().title,
            refused=refused,
            ends=one.ends,
            returns=one.returns and not refused,
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


def _refused(effect: Effect, done: Recorded) -> str:
    """Why there is no list with this, or still none where it mends a part; else nothing."""
    if effect.refusal is not None:
        return reasons(effect.refusal)
    if not effect.returns:
        return ""
    try:
        award(effect.question, done.growth.after.facts, terms=False)
    except PalmaresError as error:
        return str(error)
    return ""


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
