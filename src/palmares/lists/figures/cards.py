"""Where a player stands in a few figures: rank, points, what ends next, the gap to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

import polars as pl

from palmares.core.rounding import Nanopoints, shared
from palmares.lists.figures.losses import NextExpiry, next_expiry
from palmares.lists.figures.totals import (
    DayTotals,
    Result,
    counting,
    national_rank,
    number_of,
    results,
)
from palmares.lists.live.update import KeptAwards
from palmares.points.history import Fading


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


def card(given: KeptAwards, player_id: str, now: DayTotals, fades: Fading) -> Card:
    """Where a player stands on the list of a day, and what they lose next.

    Args:
        given: the awards of a regulation.
        player_id: who.
        now: everybody's totals on the day.
        fades: how results of the regulation fade.
    """
    number = number_of(given, player_id)
    people = given.projection.people(pl.Series([player_id]))
    nation = people["nation"][0] if len(people) else None
    rank = now.rank(number)
    return Card(
        player_id=player_id,
        day=now.day,
        nanopoints=now.nanopoints(number),
        rank=rank,
        ranked=int(now.listed.sum()),
        nation=nation,
        national_rank=national_rank(given, now, player_id, nation) if rank and nation else None,
        next_expiry=next_expiry(given, player_id, now.day, fades),
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


def peak(given: KeptAwards, player_id: str, until: date, fades: Fading) -> Peak | None:
    """The most points of a player up to a day; none: they never had any.

    Points rise on a day on which a result begins to count, and on no other, so no other is looked
    at.
    """
    found = results(given, number_of(given, player_id))
    days = sorted({one.effective for one in found if one.effective <= until})
    points = [(_total(given, found, day, fades), day) for day in days]
    if not points:
        return None
    most, day = max(points, key=lambda one: (one[0], -one[1].toordinal()))
    return Peak(day=day, nanopoints=most) if most > 0 or given.question.aggregate.latest else None


def points_on(
    given: KeptAwards, player_id: str, days: Sequence[date], fades: Fading
) -> tuple[int, ...]:
    """A player's nanopoints on some days, 0 where they have none; days to come as nothing changes.

    Args:
        given: the awards of a regulation.
        player_id: who.
        days: any days.
        fades: how results of the regulation fade.
    """
    found = results(given, number_of(given, player_id))
    return tuple(_total(given, found, day, fades) for day in days)


def _total(given: KeptAwards, found: Sequence[Result], day: date, fades: Fading) -> int:
    if given.question.aggregate.latest:
        last = counting(given, found, day, fades)
        return last[0].nanopoints if last else 0
    sums: dict[int, int] = {}
    for one in found:
        if one.effective <= day:
            left, parts = fades.left(one.effective, one.edition, day)
            sums[parts] = sums.get(parts, 0) + one.nanopoints * max(left, 0)
    total = sum((Fraction(some, parts) for parts, some in sums.items()), Fraction())
    return shared(total.numerator, total.denominator)
