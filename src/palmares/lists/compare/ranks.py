"""
How somebody counted ranks: which places follow a tie, and what was a tie to them.

    counting    ranks of lines  ->  Counting: the way that gives most of them
    words       a way of counting in one line
    WAYS        how equal points are ranked
    BASES       whose points are compared
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from palmares.core.rounding import margin
from palmares.formats.printed_lists import PrintedRow, printed
from palmares.lists.compare.our_list import OurList


class Place(NamedTuple):
    """Where points stand among others."""

    above: int  # how many have more
    equal: int  # how many have as many, oneself too
    steps: int  # how many different points are higher


WAYS: Mapping[str, tuple[Callable[[int, Place], bool], str]] = {
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
"""How equal points are ranked; ours first."""

BASES = {
    "exact": "our exact points",
    "printed": "our points as they are printed",
    "theirs": "the points of their own lines",
}
"""Whose points are compared; ours first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """A way to count ranks, and the lines whose rank it gives."""

    way: str
    basis: str
    given: frozenset[int]  # lines of the file


def counting(rows: Sequence[tuple[PrintedRow, str | None]], ours: OurList) -> Counting:
    """The way of counting that gives most ranks; ours, if no other gives more.

    Args:
        rows: lines of a printed list, each with its player, if known.
        ours: exact totals, and how points are printed.
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
    best: Counting | None = None
    for basis in BASES:
        for way, (gives, _) in WAYS.items():
            given = frozenset(
                row.line
                for row, _ in rows
                if row.rank and row.line in found[basis] and gives(row.rank, found[basis][row.line])
            )
            if best is None or len(given) > len(best.given):
                best = Counting(way=way, basis=basis, given=given)
    assert best is not None  # noqa: S101  there are ways
    return best


def _places(
    values: Mapping[Hashable, int] | Mapping[str, int] | Mapping[int, int],
    wanted: Mapping[int, Hashable],
    apart: int = 0,
) -> dict[int, Place]:
    """Where the players of lines stand among all; those who do not, nowhere.

    Values that are no more than *apart* from each other are equal.
    """
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


def words(found: Counting) -> str:
    """A way of counting in one line."""
    usual = found.way == next(iter(WAYS))
    return f"by {BASES[found.basis]}" + f"; {WAYS[found.way][1]}" * (not usual)
