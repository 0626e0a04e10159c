"""Everybody's totals of a day, and the results of one player."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import floor
from typing import NamedTuple

import numpy as np

from palmares.core.rounding import TIE, Nanopoints, shared
from palmares.lists.live import query
from palmares.lists.live.update import KeptAwards
from palmares.points import ledger
from palmares.points.history import Fading
from palmares.points.kernels import sums
from palmares.points.kernels.rows import Array
from palmares.points.rankings import Selection, by_event


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DayTotals:
    """The total of every player on a day, by their numbers in the ledger; exact.

    A day to come has the totals that there will be if nothing is added.
    """

    day: date
    found: Array  # in nanopoints times ``parts``
    parts: int
    latest: bool

    @property
    def listed(self) -> Array:
        """A flag a player: whether they are on the list of the day."""
        listed: Array = self.found > sums.floor(self.found, latest=self.latest)
        return listed

    def total(self, number: int | None) -> Fraction | None:
        """A player's exact nanopoints; none: not on the list."""
        if number is None or not self.found[number] > sums.floor(self.found, latest=self.latest):
            return None
        return Fraction(int(self.found[number]), self.parts)

    def base(self, number: int | None) -> Fraction:
        """What more points are added to: a player's exact total, 0 if nothing of theirs counts."""
        if number is None or self.found[number] == sums.absent(self.found):
            return Fraction()
        return Fraction(int(self.found[number]), self.parts)

    def nanopoints(self, number: int | None) -> int | None:
        """A player's nanopoints, rounded half up as lists show it."""
        total = self.total(number)
        return None if total is None else shared(total.numerator, total.denominator)

    def rank_with(
        self, total: Fraction, number: int | None = None, among: Array | None = None
    ) -> int:
        """The rank that a total has among those of everybody else.

        Args:
            total: in nanopoints.
            number: whose total it is; theirs on the list is not counted.
            among: a flag a player: who is compared with; without it, all.
        """
        higher = self.found > floor((total + TIE) * self.parts)
        if among is not None:
            higher &= among
        if number is not None:
            higher[number] = False
        return 1 + int(np.count_nonzero(higher))

    def rank(self, number: int | None, among: Array | None = None) -> int | None:
        """A player's rank; none: not on the list."""
        total = self.total(number)
        return None if total is None else self.rank_with(total, number, among)

    def above(self, number: int) -> int | None:
        """The player next above another: the lowest total that outranks theirs; none: first."""
        total = self.total(number)
        if total is None:
            return None
        higher = np.flatnonzero(self.found > floor((total + TIE) * self.parts))
        return int(higher[np.argmin(self.found[higher])]) if higher.size else None


def day_totals(given: KeptAwards, day: date) -> DayTotals:
    """Everybody's totals on a day."""
    found, parts = ledger.totals(given.ledger, Selection(as_of=day))
    return DayTotals(day=day, found=found, parts=parts, latest=given.question.aggregate.latest)


def number_of(given: KeptAwards, player_id: str) -> int | None:
    """A player's number in the ledger; none: they have no awards."""
    numbers = (given.names.players["player_id"] == player_id).arg_true()
    return int(numbers[0]) if len(numbers) else None


def national_rank(given: KeptAwards, totals: DayTotals, player_id: str, nation: str) -> int | None:
    """A player's rank on the list of a nation; none: not on it."""
    if by_event(given.question):  # a list of a nation has the points won under it, no others
        places = query.places(given, Selection(as_of=totals.day, nation=nation))
        at = places["player_id"].index_of(player_id)
        return None if at is None else int(places["rank"][at])
    return totals.rank(number_of(given, player_id), given.ledger.of_nation(nation))


# ── one player's results ─────────────────────────────────────────────────────────────────────────


class Result(NamedTuple):
    """An award of a player."""

    event_id: str
    event: str
    tournament_id: str
    tournament: str
    flight: str
    kind: str
    effective: date
    edition: str
    nanopoints: Nanopoints  # when it is new; a rating: after the event


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlayerResults:
    """A player's results under a regulation, and how they fade."""

    given: KeptAwards
    player_id: str
    number: int | None  # in the ledger; none: they have no awards
    results: tuple[Result, ...]  # in the order of time
    fades: Fading

    @property
    def latest(self) -> bool:
        """Whether the latest result replaces those before."""
        return self.given.question.aggregate.latest

    def counting(self, day: date) -> list[Result]:
        """The results that count on a day: those with something left, of a rating the last."""
        begun = [result for result in self.results if result.effective <= day]
        if self.latest:
            return begun[-1:]
        return [result for result in begun if self._left(result, day)[0] > 0]

    def worth(self, result: Result, day: date) -> Fraction:
        """What a result is worth on a day from which it counts, in exact nanopoints."""
        left, parts = self._left(result, day)
        return Fraction(result.nanopoints * max(left, 0), parts)

    def ends(self, result: Result) -> date | None:
        """The first day on which nothing of a result is left; none: it always counts."""
        return self.fades.ends(result.effective, result.edition)

    def nanopoints(self, day: date) -> int:
        """All that counts on a day, 0 if nothing does; on one to come, as nothing changes."""
        if self.latest:
            last = self.counting(day)
            return last[0].nanopoints if last else 0
        sums: dict[int, int] = {}
        for result in self.results:
            if result.effective <= day:
                left, parts = self._left(result, day)
                sums[parts] = sums.get(parts, 0) + result.nanopoints * max(left, 0)
        total = sum((Fraction(points, parts) for parts, points in sums.items()), Fraction())
        return shared(total.numerator, total.denominator)

    def _left(self, result: Result, day: date) -> tuple[int, int]:
        return self.fades.left(result.effective, result.edition, day)


def player_results(given: KeptAwards, player_id: str, fades: Fading | None = None) -> PlayerResults:
    """A player's results; without a fading, that of the regulation."""
    number = number_of(given, player_id)
    rows = (
        query.of_player(given, number).select(Result._fields).rows() if number is not None else ()
    )
    return PlayerResults(
        given=given,
        player_id=player_id,
        number=number,
        results=tuple(map(Result._make, rows)),
        fades=fades or Fading(given.question),
    )


# ── where they stand ─────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class NextAbove:
    """The player next above another on a list."""

    player_id: str
    rank: int
    nanopoints: Nanopoints
    gap: Nanopoints  # nanopoints between them


def next_above(player: PlayerResults, now: DayTotals) -> NextAbove | None:
    """The player next above on the list of a day; none: nobody is, or they are not on it."""
    own, number = now.total(player.number), None
    if own is not None and player.number is not None:
        number = now.above(player.number)
    theirs = now.total(number)
    if own is None or number is None or theirs is None:
        return None
    gap = theirs - own
    return NextAbove(
        player_id=player.given.names.players["player_id"][number],
        rank=now.rank(number) or 0,
        nanopoints=shared(theirs.numerator, theirs.denominator),
        gap=shared(gap.numerator, gap.denominator),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The most points that a player ever had, and the first day on which they had them."""

    day: date
    nanopoints: Nanopoints


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
