"""Our list with exact totals, how theirs is rounded, and how its ranks are counted."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from palmares.core.rounding import margin, shared, shown
from palmares.formats.printed_lists import RULES, PrintedRow, printed
from palmares.points import ledger
from palmares.points.awards import Awards
from palmares.points.rankings import Selection

MAX_PLACES = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class OurList:
    """Our list, and the rounding rules under which most of their lines fit."""

    frame: pl.DataFrame  # the ranking
    weights: Mapping[str, int]  # by player: nanopoints times parts
    counts: Mapping[str, int]  # of awards by player
    parts: int
    latest: bool  # whether the latest award replaces those before
    rules: tuple[str, ...]  # of `palmares.formats.printed_lists.RULES`, under which most fit
    lines: int  # of theirs that fit
    places: int  # decimals of their list

    @property
    def rule(self) -> str:
        """The rounding rule of their list, as far as it fits."""
        return self.rules[0]

    def bounds(self, player_id: str, row: PrintedRow, rule: str = "") -> tuple[int, int]:
        """The least and the greatest weight that are printed as in a line."""
        return row.points.bounds(rule or self.rule, self.parts, self.counts.get(player_id, 1))

    def fits(self, player_id: str, row: PrintedRow) -> bool:
        """Whether a line has our number of a player."""
        return _fits(self.weights, player_id, self.bounds(player_id, row))

    def points(self, weight: int) -> str:
        """A weight as points, with the decimals of their list."""
        return shown(shared(weight, self.parts), min(MAX_PLACES, self.places))


def our_list(
    awards: Awards, selection: Selection, lines: Sequence[tuple[str, PrintedRow]], places: int
) -> OurList:
    """Our list, and how their list is rounded.

    Args:
        awards: of all players.
        selection: the day, and which awards count.
        lines: of their list, with the ids of their players.
        places: decimals of their list.
    """
    book, latest = ledger.ledger(awards), awards.question.aggregate.latest
    frame = ledger.ranking(book, selection).frame
    totals, parts = ledger.totals(book, selection)
    ids, listed = book.players["player_id"], set(frame["player_id"])
    weights = {
        player: total
        for player, total in zip(ids, totals.tolist(), strict=True)
        if player in listed
    }
    counts = selection.apply(awards.frame).group_by("player_id").len()
    many = {} if latest else dict(counts.iter_rows())
    fitting = {
        rule: sum(
            _fits(weights, player, row.points.bounds(rule, parts, many.get(player, 1)))
            for player, row in lines
        )
        for rule in RULES
    }
    most = max(fitting.values())
    return OurList(
        frame=frame,
        weights=weights,
        counts=many,
        parts=parts,
        latest=latest,
        rules=tuple(rule for rule in RULES if fitting[rule] == most),
        lines=most,
        places=places,
    )


def _fits(weights: Mapping[str, int], player_id: str, bounds: tuple[int, int]) -> bool:
    return player_id in weights and bounds[0] <= weights[player_id] <= bounds[1]


# ── how ranks are counted ────────────────────────────────────────────────────────────────────────


class Place(NamedTuple):
    """The place of points among others."""

    above: int  # players with more
    equal: int  # players with the same, this one included
    steps: int  # different points that are higher


TIE_RULES: Mapping[str, tuple[Callable[[int, Place], bool], str]] = {
    "competition": (
        lambda rank, place: rank == place.above + 1,
        "equal points share the best place, and the next places are skipped (1, 2, 2, 4)",
    ),
    "dense": (
        lambda rank, place: rank == place.steps + 1,
        "equal points share a place, and no place is skipped (1, 2, 2, 3)",
    ),
    "last": (
        lambda rank, place: rank == place.above + place.equal,
        "equal points share the worst place (1, 3, 3, 4)",
    ),
    "sorted": (
        lambda rank, place: place.above < rank <= place.above + place.equal,
        "equal points get places one after the other (1, 2, 3, 4)",
    ),
}
"""How ties are ranked, by name: a test and a description; ours first."""

BASES = {
    "exact": "our exact points",
    "printed": "our points as they are printed",
    "theirs": "the points of their own lines",
}
"""Which points are ranked; ours first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCounting:
    """How ranks are counted, and the lines whose ranks it gives."""

    way: str  # of `TIE_RULES`
    basis: str  # of `BASES`
    given: frozenset[int]  # lines of the file


def detect_counting(rows: Sequence[tuple[PrintedRow, str | None]], ours: OurList) -> RankCounting:
    """How the ranks of a printed list are counted, by the way that gives most of them.

    Args:
        rows: its lines, with their players if known.
        ours: our list.
    """
    places = ours.places
    as_printed = {
        player: printed(weight, ours.parts, places, ours.rule)
        for player, weight in ours.weights.items()
    }
    theirs = {row.line: row.points.units * 10 ** (places - row.points.places) for row, _ in rows}
    found: dict[str, dict[int, Place]] = {
        "exact": _places(
            ours.weights, {row.line: player for row, player in rows}, margin(ours.parts)
        ),
        "printed": _places(as_printed, {row.line: player for row, player in rows}),
        "theirs": _places(theirs, {row.line: row.line for row, _ in rows}),
    }
    best: RankCounting | None = None
    for basis in BASES:
        for way, (gives, _) in TIE_RULES.items():
            given = frozenset(
                row.line
                for row, _ in rows
                if row.rank and row.line in found[basis] and gives(row.rank, found[basis][row.line])
            )
            if best is None or len(given) > len(best.given):
                best = RankCounting(way=way, basis=basis, given=given)
    assert best is not None  # noqa: S101  `BASES` and `TIE_RULES` are not empty
    return best


def _places(
    values: Mapping[Hashable, int] | Mapping[str, int] | Mapping[int, int],
    wanted: Mapping[int, Hashable],
    apart: int = 0,
) -> dict[int, Place]:
    """The places of lines' players, if they have a value; values *apart* or nearer are equal."""
    known: dict[Hashable, int] = dict(values.items())
    every = sorted(known.values())
    above = {value: len(every) - bisect_right(every, value + apart) for value in set(every)}
    steps = sorted(set(above.values()))
    return {
        line: Place(
            above=above[value],
            equal=len(every) - above[value] - bisect_left(every, value - apart),
            steps=bisect_left(steps, above[value]),
        )
        for line, value in ((line, known.get(player)) for line, player in wanted.items())
        if value is not None
    }


def counting_in_words(counting: RankCounting) -> str:
    """How ranks are counted, in words."""
    usual = counting.way == next(iter(TIE_RULES))
    return f"by {BASES[counting.basis]}" + f"; {TIE_RULES[counting.way][1]}" * (not usual)
