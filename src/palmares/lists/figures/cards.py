"""Where a player stands in a few figures: rank, points, what ends next, the gap to the next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares.core.rounding import Nanopoints, shared
from palmares.lists.figures.losses import NextExpiry, next_expiry
from palmares.lists.figures.totals import DayTotals, PlayerResults, national_rank
from palmares.lists.live.update import KeptAwards


@dataclass(frozen=True, slots=True, kw_only=True)
class NextAbove:
    """The player next above somebody on a list."""

    player_id: str
    rank: int
    nanopoints: Nanopoints
    gap: Nanopoints  # nanopoints between them


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A player on the list of a day; points are nanopoints."""

    player_id: str
    day: date
    nanopoints: Nanopoints | None  # none: not on the list
    rank: int | None
    ranked: int  # how many are on the list
    nation: str | None
    national_rank: int | None
    next_expiry: NextExpiry | None  # none: nothing of theirs ends
    above: NextAbove | None  # none: nobody is


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The most points that a player ever had, and the first day on which they had them."""

    day: date
    nanopoints: Nanopoints


def card(player: PlayerResults, now: DayTotals) -> Card:
    """Where a player stands on the list of a day, and what they lose next.

    Args:
        player: who.
        now: everybody's totals on the day.
    """
    given, number = player.given, player.number
    people = given.projection.people(pl.Series([player.player_id]))
    nation = people["nation"][0] if len(people) else None
    rank = now.rank(number)
    return Card(
        player_id=player.player_id,
        day=now.day,
        nanopoints=now.nanopoints(number),
        rank=rank,
        ranked=int(now.listed.sum()),
        nation=nation,
        national_rank=(
            national_rank(given, now, player.player_id, nation) if rank and nation else None
        ),
        next_expiry=next_expiry(player, now.day),
        above=None if number is None else _above(given, now, number),
    )


def _above(given: KeptAwards, now: DayTotals, number: int) -> NextAbove | None:
    own, other = now.total(number), now.above(number)
    theirs = now.total(other)
    if own is None or other is None or theirs is None:
        return None
    gap = theirs - own
    return NextAbove(
        player_id=given.names.players["player_id"][other],
        rank=now.rank(other) or 0,
        nanopoints=shared(theirs.numerator, theirs.denominator),
        gap=shared(gap.numerator, gap.denominator),
    )


def peak(player: PlayerResults, until: date) -> Peak | None:
    """The most points of a player up to a day; none: they never had any.

    Points rise on a day on which a result begins to count, and on no other, so no other is looked
    at.
    """
    days = sorted({result.effective for result in player.results if result.effective <= until})
    points = [(player.nanopoints(day), day) for day in days]
    if not points:
        return None
    most, day = max(points, key=lambda pair: (pair[0], -pair[1].toordinal()))
    return Peak(day=day, nanopoints=most) if most > 0 or player.latest else None
