"""
The Dip Pouch Tournament Rating worked out a second time, with nothing of palmares in it.

Exact fractions; a published figure is rounded on decimal text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple


class Event(NamedTuple):
    """One event: what the text asks about it, and the place of each player."""

    players: int
    rounds: int
    year: int
    worlds: bool
    places: Mapping[str, int]


def percentile(players: int, place: int) -> Fraction:
    """(([Number of Players]+0.5-[Placement])/[Number of Players])*100."""
    return 100 * (Fraction(players) + Fraction("0.5") - place) / players


def value(players: int, rounds: int, year: int, *, worlds: bool) -> Fraction:
    """20 for the Worlds; else 0 before 2001; else players / 7 or / 3.5, plus 2, at most 15."""
    if worlds:
        return Fraction(20)
    if year < 2001:
        return Fraction(0)
    uncapped = (Fraction(players, 7) if rounds == 1 else Fraction(2 * players, 7)) + 2
    return Fraction(15) if uncapped > 15 else uncapped


def printed(number: Fraction) -> Fraction:
    """Rounded half up to 2 decimals."""
    with localcontext(prec=60):
        exact = Decimal(number.numerator) / Decimal(number.denominator)
        return Fraction(exact.quantize(Decimal("0.01"), ROUND_HALF_UP))


def ratings(
    events: Iterable[Event], *, published_inputs: bool = False
) -> list[dict[str, Fraction]]:
    """The ratings after each event, of those who played in it; 40 before the first."""
    held: dict[str, Fraction] = {}
    after = []
    for event in events:
        worth = value(event.players, event.rounds, event.year, worlds=event.worlds)
        here = {}
        for player, place in event.places.items():
            score = percentile(event.players, place)
            if published_inputs:
                worth, score = printed(worth), printed(score)
            old = held.get(player, Fraction(40))
            here[player] = old * (100 - worth) / 100 + score * worth / 100
        held |= here
        after.append(here)
    return after
