"""
USBGF Master Points worked out a second time, from the texts alone and with none of our code.

Ranks are put on a list one by one and every tie is averaged over the list; rounds of a bracket are
tried one by one; what is rational is a Fraction, roots and logarithms are Decimals of 60 digits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, localcontext
from fractions import Fraction

WEIGHT_OF_RANK_POINTS = {"2015-05": Fraction(1), "2019-01": Fraction(6, 10)}
FLIGHTS = ("main", "consolation", "last_chance")


@dataclass
class Placing:
    """A player on a rank, which *tied* players share."""

    player: str
    rank: int
    tied: int
    designated: bool


@dataclass
class Win:
    """A match won, or with *wins* above 1 a series of which no more is known."""

    player: str
    length: int
    wins: int = 1


@dataclass
class Case:
    """An event of one edition: everything its points depend on."""

    edition: str
    event_weight: Fraction
    division: int
    players: int
    bracket: bool = True
    flights: dict[str, list[Placing]] = field(default_factory=dict)
    wins: list[Win] = field(default_factory=list)
    members: set[str] = field(default_factory=set)


@dataclass
class OnlineEvent:
    """An online event of type Circuit Monthly, 32 players, one winner: days as they are known."""

    matches: list[date | None]
    completed: date | None
    end: date


def edition_of(day: date) -> str | None:
    """'Effective May 2015', 'Effective January, 2019'."""
    if day < date(2015, 5, 1):
        return None
    return "2015-05" if day < date(2019, 1, 1) else "2019-01"


def last_match(held: OnlineEvent) -> date:
    """'… upon the completion of the event (when the last match result is recorded)'."""
    known = sorted(day for day in held.matches if day is not None)
    return held.completed or (known[-1] if known else held.end)


def online_points(held: OnlineEvent) -> dict[tuple[str, date], Fraction]:
    """The winner's points by kind and day: matches of 9 points, 1 each; rank points, 5 rounds."""
    level = {"2015-05": Fraction(4, 10), "2019-01": Fraction(6, 10)}
    found: dict[tuple[str, date], Fraction] = {}
    completed = last_match(held)
    for played in held.matches:
        day = completed if played is None else played
        edition = edition_of(day)
        if edition is not None:
            found["match", day] = found.get(("match", day), Fraction(0)) + level[edition]
    edition = edition_of(completed)
    if edition is not None:
        found["placement", completed] = level[edition] * WEIGHT_OF_RANK_POINTS[edition] * 5
    return found


def decimal(value: Fraction) -> Decimal:
    """A fraction as a decimal of the digits in force."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def division_weight(rank: int) -> Fraction:
    """The table of the body: 1.0, 0.7, 0.5, then 1/(R-1)."""
    return {1: Fraction(1), 2: Fraction(7, 10), 3: Fraction(1, 2)}.get(rank) or Fraction(
        1, rank - 1
    )


def rank_factor(rank: int) -> Fraction:
    """The table of rank factors: 1.0, 0.7, then 1/(R-1)."""
    return {1: Fraction(1), 2: Fraction(7, 10)}.get(rank) or Fraction(1, rank - 1)


def rounds_behind(rank: int) -> int:
    """How often a bracket was halved between a place and the win."""
    rounds, left = 0, 1
    while left < rank:
        left, rounds = left * 2, rounds + 1
    return rounds


def match_points(case: Case) -> dict[str, Decimal]:
    """Match win master points by player."""
    total: dict[str, Decimal] = {}
    with localcontext(prec=60):
        for win in case.wins:
            if win.player in case.members:
                length = (win.length + 1) * win.wins if win.wins >= 2 else win.length
                weight = decimal(case.event_weight * division_weight(case.division))
                total[win.player] = total.get(win.player, Decimal(0)) + (
                    weight * Decimal(length).sqrt() / 3
                )
    return total


def remaining(players: int) -> int:
    """Players left in the round closest to an eighth; half-way the larger."""
    rounds, left = [], 1
    while left <= max(players, 1):
        rounds.append(left)
        left *= 2
    return max(rounds, key=lambda left: (-abs(Fraction(players, 8) - left), left))


def nearest_eighth(players: int) -> int:
    """An eighth to the nearest whole number, half up, at least one."""
    return max(1, (players + 4) // 8)


def slots(case: Case) -> dict[str, Fraction]:
    """The rank factor of every ranked finisher."""
    ranked = [name for name in FLIGHTS if any(p.designated for p in case.flights.get(name, []))]
    if not ranked:
        main = case.flights.get("main", [])
        cut = remaining(case.players) if case.bracket else nearest_eighth(case.players)
        return {p.player: mean(p.rank, p.tied) for p in main if p.rank <= cut}
    if len(ranked) == 1:
        return {p.player: mean(p.rank, p.tied) for p in case.flights[ranked[0]] if p.designated}
    by_distance: dict[int, list[str | None]] = {}
    for down, name in enumerate(one for one in FLIGHTS if one in case.flights):
        for p in case.flights[name]:
            if p.designated:
                by_distance.setdefault(rounds_behind(p.rank) + down, []).append(p.player)
        for rank, distance in nobody(case.flights[name], down):
            assert rank
            by_distance.setdefault(distance, []).append(None)
    found: dict[str, Fraction] = {}
    first = 1
    for distance in sorted(by_distance):
        group = by_distance[distance]
        for player in group:
            if player is not None and player not in found:
                found[player] = mean(first, len(group))
        first += len(group)
    return found


def nobody(placings: list[Placing], down: int) -> list[tuple[int, int]]:
    """Places of players who are not named: beside named ones, or between them."""
    found = []
    taken = {place for p in placings for place in range(p.rank, p.rank + p.tied)}
    last = max((p.rank for p in placings if p.designated), default=0)
    for rank in {p.rank for p in placings if p.designated}:
        here = [p for p in placings if p.rank == rank]
        found += [(rank, rounds_behind(rank) + down)] * (here[0].tied - len(here))
    found += [(r, rounds_behind(r) + down) for r in range(1, last) if r not in taken]
    return found


def mean(first: int, tied: int) -> Fraction:
    """The mean factor of so many ranks."""
    return sum((rank_factor(first + more) for more in range(tied)), Fraction(0)) / tied


def placement_points(case: Case) -> dict[str, Decimal]:
    """Placement master points by player."""
    with localcontext(prec=60):
        rounds = Decimal(case.players).ln() / Decimal(2).ln()
        weight = case.event_weight * division_weight(case.division)
        weight *= WEIGHT_OF_RANK_POINTS[case.edition]
        return {
            player: decimal(weight * factor) * rounds
            for player, factor in slots(case).items()
            if player in case.members
        }
