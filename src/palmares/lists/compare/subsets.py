"""
Sums of a player's awards that somebody may have left out, or counted though we do not.

    held        players  ->  their awards, those that count and those that do not
    choices     a player's awards, so many of them  ->  those that make up a difference
    by_chance   numbers  ->  how many of them would fit by chance
    Sought      between which weights a player's total should be

Among many awards some sum makes up any difference. So each search says how many sums would do so by
chance, and is not even begun where nothing could be learnt from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations
from math import comb
from typing import NamedTuple

import polars as pl

from palmares.core.rounding import shared, shown
from palmares.facts import Facts
from palmares.lists.compare.candidates import OurList
from palmares.points.awards import Awards, Question
from palmares.points.rankings import worth
from palmares.regulations.editions import Rules

MOST_SUMS = 50_000  # that are tried for a line: three of 67 awards, two of 316
SOON = timedelta(days=31)  # after the day of a list; later results can hardly be on it
MISSING, EXTRA = "award missing", "award extra"


class Held(NamedTuple):
    """An award of a player, in nanopoints times parts."""

    event: str
    flight: str
    kind: str  # empty where there is only one
    tournament: str
    effective: date
    weight: int  # on the day; in full if nothing of it is left, or it does not count yet
    why: str  # why it does not count; empty if it does

    def told(self, parts: int, places: int) -> str:
        """The award in one phrase."""
        words = ", ".join(word for word in (self.flight, self.kind) if word)
        points = shown(shared(self.weight, parts), places)
        more = f", {self.why}" if self.why else ""
        return f"{self.event} of {self.tournament} ({words}: {points}{more})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """Between which weights a player's total should be, and what it is."""

    weight: int
    low: int
    high: int


class Choice(NamedTuple):
    """Awards that make up a difference."""

    key: str  # MISSING | EXTRA
    some: tuple[Held, ...]

    @property
    def tournaments(self) -> frozenset[str]:
        """Of which tournaments they are."""
        return frozenset(one.tournament for one in self.some)


# ── what a player has ────────────────────────────────────────────────────────────────────────────


def held(
    awards: Awards, facts: Facts, ours: OurList, players: Sequence[str]
) -> dict[str, list[Held]]:
    """The awards of some players, those that count and those that do not, in the order of time."""
    theirs = awards.frame.filter(pl.col("player_id").is_in(players)).sort("order")
    theirs = theirs.with_row_index("row")
    some = Awards(question=awards.question, frame=theirs, terms=(), notices=())
    valued = worth(some, ours.selection).select("row", "weight", "parts")
    counting = {number: weight * (ours.parts // of) for number, weight, of in valued.iter_rows()}
    asked = set(ours.selection.apply(theirs)["row"])
    names = dict(facts.tables["tournaments"].select("tournament_id", "name").iter_rows())
    regulation, as_of = awards.question.held(), ours.selection.as_of
    found: dict[str, list[Held]] = {player: [] for player in players}
    for row in theirs.iter_rows(named=True):
        weight, why, day = row["nanopoints"] * ours.parts, "", row["effective"]
        if row["row"] in counting:
            weight = counting[row["row"]]
        elif row["row"] in asked:
            why = "" if regulation.aggregate.latest else "in full, though nothing of it is left"
        elif day > as_of:
            why = f"which counts from {day} only"
        else:
            rules = _edition(awards.question, row["edition"])
            left, days = regulation.aggregate.left(rules, day, as_of)
            weight, why = weight * left // days, "which was not asked for"
        kind = row["kind"] if len(regulation.kinds) > 1 else ""
        tournament = names.get(row["tournament_id"], row["tournament_id"])
        if day <= as_of + SOON:
            found[row["player_id"]].append(
                Held(row["event"], row["flight"], kind, tournament, day, weight, why)
            )
    return found


def _edition(question: Question, wanted: str) -> Rules:
    """An edition at work."""
    return next(one for one in question.rulebook().all if one.edition.id == wanted)


# ── sums ─────────────────────────────────────────────────────────────────────────────────────────


def choices(awards: Sequence[Held], sought: Sought, size: int) -> tuple[list[Choice], float]:
    """So many awards, missing or extra, that make up a difference.

    Args:
        awards: of one player.
        sought: where his total should be.
        size: how many awards; or for one, also all those of a tournament.

    Returns:
        The choices, and how many would be found by chance for any such difference. Where that is
        sure to be more than one, nothing is looked for.
    """
    worthy = [one for one in awards if one.weight]
    counted, others = [one for one in worthy if not one.why], [one for one in worthy if one.why]
    least, most = sought.low - sought.weight, sought.high - sought.weight
    ways = [(MISSING, counted, -most, -least), (EXTRA, others, least, most)]
    if size == 1:
        ways.append((EXTRA, counted, least, most))  # counted twice
    if sum(_expected(atoms, size, most - least) for _, atoms, _, _ in ways) > 1:
        return [], 1.0
    found: list[Choice] = []
    chance = 0.0
    for key, atoms, low, high in ways:
        sums = [(sum(one.weight for one in some), some) for some in of_size(atoms, size)]
        found += [Choice(key, some) for total, some in sums if low <= total <= high]
        chance += by_chance([total for total, _ in sums], low, high)
    return found, chance


def _expected(atoms: Sequence[Held], size: int, width: int) -> float:
    """How many sums of so many awards would fall between two bounds, if they were spread evenly."""
    spread = sum(sorted((abs(one.weight) for one in atoms), reverse=True)[:size])
    return comb(len(atoms), size) * (width + 1) / max(spread, width + 1)


def by_chance(numbers: Sequence[int], low: int, high: int) -> float:
    """How many of some numbers would be between two bounds by chance, as dense as they are there.

    The numbers around are counted, up to half as much and to half as much again.
    """
    middle, width = (low + high) // 2, high - low + 1
    reach = max(abs(middle) // 2, width)
    around = sum(abs(one - middle) <= reach and not low <= one <= high for one in numbers)
    return around * width / (2 * reach)


def of_size(awards: Sequence[Held], size: int) -> Iterator[tuple[Held, ...]]:
    """So many awards, or for one: all of one tournament; nothing if there are too many."""
    if comb(len(awards), size) > MOST_SUMS:
        return
    yield from combinations(awards, size)
    if size == 1:
        by_tournament: dict[str, list[Held]] = {}
        for one in awards:
            by_tournament.setdefault(one.tournament, []).append(one)
        yield from (tuple(some) for some in by_tournament.values() if len(some) > 1)
