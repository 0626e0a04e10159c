"""
Why one line of a printed list differs: each cause is tried by computing, and named only if it fits.

    cause_of        a line that differs  ->  Cause
    not_counted     a line of a player who is not on our list  ->  Cause, if there is one
    shared_by       lines  ->  tournaments that alone would explain several of them
    CAUSES          every cause there is, in words
    Book            what the causes look at

A sum of awards is only claimed if no other choice of as few awards fits and hardly any would by
chance, or if the same tournament explains other lines as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from palmares.core.rounding import plain, shared, shown
from palmares.formats.printed_lists import RULES, PrintedRow
from palmares.lists.compare.candidates import OurList
from palmares.lists.compare.subsets import (
    EXTRA,
    MISSING,
    Choice,
    Held,
    Sought,
    by_chance,
    choices,
    of_size,
)

CAUSES = {
    "rounding": "the number is ours, printed by another rule than the rest of the list",
    MISSING: "without some awards, our number is theirs",
    EXTRA: "with awards that we do not count, or count once, our number is theirs",
    "perhaps": "several things would make the number fit, or one that may do so by chance",
    "players merged": "their number is the sum of two of our players",
    "player split": "two of their lines are the awards of one of our players",
    "ties counted otherwise": "the points are ours; the rank is another way to count ties",
    "rank follows": "the points are ours; the rank is that of the points on their own list",
    "rank alone": "the points are ours; the rank follows neither from our points nor from theirs",
    "unknown player": "nobody of ours has this name or id",
    "unclear player": "the name fits several of ours, or two of their lines fit one of ours",
    "nothing counts": "the player is known, but has no award that counts",
    "not on their list": "we list the player, they do not",
    "below their list": "we list the player, with less than anybody on their list has",
    "unexplained": "nothing that was tried makes the number fit",
}
"""Every cause of a difference."""

MOST = 3  # awards that may be missing, or extra, in one line
BY_CHANCE = 0.02  # choices that would fit by chance; more, and a fit says little
LITTLE = 0.2  # with so many, it says nothing of another player
SEVERAL = 3  # lines that one tournament must explain to be believed of each of them
MOST_NAMED = 3  # choices that are told
MOST_TOLD = 8  # awards of a line that stays unexplained


class Cause(NamedTuple):
    """Why a line differs: one of `CAUSES`, and a sentence."""

    key: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """What causes look at."""

    ours: OurList
    rule: str
    places: int  # decimals of their list
    latest: bool  # whether the latest award replaces those before
    awards: Mapping[str, Sequence[Held]]  # of the players asked for, in the order of time
    names: Mapping[str, str]  # of our players, as lists show them
    absent: Mapping[str, int]  # weights of those of our list who are not on theirs
    strangers: Sequence[PrintedRow]  # lines whose players are not known

    def points(self, weight: int) -> str:
        """A weight as points, with as many decimals as their list has."""
        return shown(shared(weight, self.ours.parts), min(9, self.places))

    def told(self, some: Iterable[Held]) -> str:
        """Awards in words."""
        return " and ".join(one.told(self.ours.parts, min(9, self.places)) for one in some)

    def sought(self, player: str, row: PrintedRow) -> Sought:
        """Where the total of a player should be for a line to fit."""
        many = len(self.awards[player])
        low, high = row.points.bounds(self.rule, self.ours.parts, many)
        return Sought(weight=self.ours.weights.get(player, 0), low=low, high=high)


Shared = Mapping[tuple[str, str], int]
"""How many lines a tournament would explain, by `MISSING` or `EXTRA` and its name."""


def shared_by(book: Book, lines: Iterable[tuple[str, PrintedRow]]) -> Shared:
    """How many lines each tournament would explain alone."""
    found: Counter[tuple[str, str]] = Counter()
    for player, row in () if book.latest else lines:
        some, _ = choices(book.awards[player], book.sought(player, row), 1)
        found.update({(one.key, one.some[0].tournament) for one in some})
    return found


def cause_of(book: Book, common: Shared, player: str, row: PrintedRow) -> Cause:
    """Why the points of a line are not those of its player."""
    for cause in (_rounding, _earlier) if book.latest else (_rounding, _split):
        if found := cause(book, player, row):
            return found
    if book.latest:
        return _unexplained(book, player)
    several = [
        one for one in (_merged(book, player, row), _awards(book, common, player, row)) if one
    ]
    sure = [one for one in several if one.key != "perhaps"]
    if len(sure) > 1:
        return Cause("perhaps", "; or ".join(one.detail for one in sure))
    return next(iter(sure + several), None) or _unexplained(book, player)


def not_counted(book: Book, common: Shared, player: str, row: PrintedRow) -> Cause | None:
    """Awards that do not count here, but make the number of a player whom we do not list."""
    if book.latest:
        return _earlier(book, player, row)
    return _awards(book, common, player, row)


def _rounding(book: Book, player: str, row: PrintedRow) -> Cause | None:
    """The number by another rule."""
    weight, count = book.ours.weights[player], book.ours.counts[player]
    for rule, words in RULES.items():
        low, high = row.points.bounds(rule, book.ours.parts, count)
        if low <= weight <= high:
            exact = plain(shared(weight, book.ours.parts))
            usual = RULES[book.rule]
            return Cause("rounding", f"{exact} is {words} here; most of the list is {usual}")
    return None


def _earlier(book: Book, player: str, row: PrintedRow) -> Cause | None:
    """The rating after another of the player's events."""
    sought = book.sought(player, row)
    fits = [one for one in book.awards[player] if sought.low <= one.weight <= sought.high]
    if not fits:
        return None
    one = fits[-1]
    after = "which does not count here" if one.why else "what came later is missing"
    return Cause(
        EXTRA if one.why else MISSING,
        f"their rating is the one after {one.event} ({one.effective}); {after}",
    )


# ── other players ────────────────────────────────────────────────────────────────────────────────


def _merged(book: Book, player: str, row: PrintedRow) -> Cause | None:
    """The sum of two of our players, of whom the other is not on their list."""
    sought = book.sought(player, row)
    fits = [
        one
        for one, other in book.absent.items()
        if other and sought.low <= sought.weight + other <= sought.high
    ]
    least, most = sought.low - sought.weight, sought.high - sought.weight
    chance = by_chance(list(book.absent.values()), least, most)
    if not fits or chance > LITTLE:
        return None
    told = "; or ".join(
        f"with the points of {book.names[one]} ({book.points(book.absent[one])}), "
        "who is not on their list"
        for one in fits[:MOST_NAMED]
    )
    sure = len(fits) == 1 and chance <= BY_CHANCE
    return Cause("players merged" if sure else "perhaps", told)


def _split(book: Book, player: str, row: PrintedRow) -> Cause | None:
    """Two of their lines that are the awards of one of ours."""
    if not book.strangers:
        return None
    counted = [one for one in book.awards[player] if not one.why]
    sought = book.sought(player, row)
    for some in (one for size in range(1, MOST + 1) for one in of_size(counted, size)):
        total = sum(one.weight for one in some)
        if not sought.low <= sought.weight - total <= sought.high:
            continue
        for stranger in book.strangers:
            least, most = stranger.points.bounds(book.rule, book.ours.parts, len(some))
            if total and least <= total <= most:
                where = f"{stranger} (line {stranger.line})"
                return Cause("player split", f"{where} has the rest: {book.told(some)}")
    return None


# ── awards ───────────────────────────────────────────────────────────────────────────────────────


def _awards(book: Book, common: Shared, player: str, row: PrintedRow) -> Cause | None:
    """As few awards as possible, missing or extra, that make the number fit."""
    sought = book.sought(player, row)
    for size in range(1, MOST + 1):
        found, chance = choices(book.awards[player], sought, size)
        often = _oftenest(found, common) if size == 1 else None
        if often:
            others = common[often.key, often.some[0].tournament] - 1
            return Cause(often.key, f"{_told(book, often)}; as in {others} other lines")
        told = list(dict.fromkeys(_told(book, one) for one in found))
        if len(told) == 1 and chance <= BY_CHANCE:
            return Cause(found[0].key, told[0])
        if len(told) == 1:
            return Cause("perhaps", f"{told[0]}; among so many awards that may be chance")
        if told:
            more = f"; or {len(told) - MOST_NAMED} more" if len(told) > MOST_NAMED else ""
            return Cause("perhaps", "; or ".join(told[:MOST_NAMED]) + more)
    return None


def _oftenest(found: Sequence[Choice], common: Shared) -> Choice | None:
    """The one choice whose tournament explains several lines, and more than the others do."""
    counts = [common.get((one.key, one.some[0].tournament), 0) for one in found]
    most = max(counts, default=0)
    return found[counts.index(most)] if most >= SEVERAL and counts.count(most) == 1 else None


def _told(book: Book, choice: Choice) -> str:
    """A choice of awards in words."""
    if choice.key == MISSING:
        return f"without {book.told(choice.some)}"
    twice = not choice.some[0].why
    return f"with {book.told(choice.some)}{' counted twice' * twice}"


def _unexplained(book: Book, player: str) -> Cause:
    """What we have, for a person to look at."""
    counted = [one for one in book.awards[player] if not one.why]
    if book.latest:
        return Cause("unexplained", f"our number is the one after {book.told(counted[-1:])}")
    counted.sort(key=lambda one: -abs(one.weight))
    told = "; ".join(book.told([one]) for one in counted[:MOST_TOLD])
    more = f"; and {len(counted) - MOST_TOLD} more" if len(counted) > MOST_TOLD else ""
    return Cause("unexplained", f"we have {told}{more}")
