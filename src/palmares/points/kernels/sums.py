"""
Awards by player, their sums, and players in the order of their totals.

    by_player   awards in any order  ->  the same by player, sorted once
    totals      what each player's awards are worth, given what each award class is worth
    ordered     players by total, the greatest first; their ranks and nanopoints
    ranks       the ranks of totals in order
    shared      totals divided by the days in all, rounded half up

Few rows go through NumPy, many through compiled loops on every core; both give the same. All sums
are whole numbers; where 64 bits might not hold them they are made with Python's own.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

import numpy as np

from palmares.core import threads
from palmares.core.extras import installed
from palmares.core.rounding import margin
from palmares.points.kernels import jit, sums_jit
from palmares.points.kernels.rows import ABSENT, Array, Rows

COMPILED_FROM = 4_000_000  # rows: sorting them takes NumPy as long as loading Numba
ADDED_FROM = 50_000_000  # the same for sums alone: NumPy adds up five million in 0.1 s
ADDED_FROM_ONCE_LOADED = 1_000_000  # the same in a process that has Numba loaded
GROUPS = 10  # bits: so many groups of players that each group's place stays at hand
CODES = 16  # bits: the rest of a code
WHOLE = 64  # bits of a whole number, the sign among them
PIECES = 4  # a thread: those that get little to do take another
TOGETHER = (
    2**17
)  # rows that NumPy values together: larger arrays of what lies between leave its cache
LIMIT = 2**62


class Sorted(NamedTuple):
    """Awards by player, and the most that any sum of theirs can reach."""

    rows: Rows
    reach: int  # no player's absolute nanopoints come to more


def by_player(codes: Array, given: Rows, players: int, *, timed: bool) -> Sorted:
    """Awards by player.

    Args:
        codes: whose each award is, from 0.
        given: award classes and nanopoints, an entry an award.
        players: how many there are.
        timed: a player's awards come by award class; if not, they stay in the order given.
    """
    if len(codes) >= COMPILED_FROM and installed("fast"):
        return _by_radix(codes, given, players, timed=timed)
    order = _order(codes, given.award_classes if timed else np.zeros_like(given.award_classes))
    sizes = np.bincount(codes, minlength=players)
    ends = np.cumsum(sizes)
    absolute = np.bincount(codes, np.abs(given.nanopoints.astype(float)), minlength=players)
    rows = Rows(ends - sizes, ends, given.award_classes[order], given.nanopoints[order])
    return Sorted(rows, above(absolute.max(initial=0.0)))


def _order(codes: Array, award_classes: Array) -> Array:
    """Rows by code and award class, those of equal ones in the order given.

    Numbers that end in that of their row are sorted in a quarter of the time that rows are.
    """
    bits = int(award_classes.max(initial=0)).bit_length()
    key = codes.astype(np.int64) << bits | award_classes
    numbered = len(codes).bit_length()
    if int(key.max(initial=0)).bit_length() + numbered >= WHOLE:
        return np.argsort(key, kind="stable")
    return np.sort(key << numbered | np.arange(len(codes))) & ((1 << numbered) - 1)


def above(reach: float) -> int:
    """A whole number that is no less, however the float was rounded."""
    return int(reach * (1 + 1e-6)) + 1


def _by_radix(codes: Array, given: Rows, players: int, *, timed: bool) -> Sorted:
    """Two passes: to groups of players, each core a stretch of rows; then group by group."""
    machine = jit.compiled(sums_jit.__name__)
    shift = min(max((players - 1).bit_length() - GROUPS, 0), CODES)
    groups = (players - 1 >> shift) + 1
    cuttings = [slice(*pair) for pair in threads.stretches(len(codes), threads.cores())]
    counts = np.zeros((len(cuttings), groups), np.int64)
    threads.in_threads(
        lambda number: machine.count(codes[cuttings[number]], shift, counts[number]),
        range(len(cuttings)),
    )
    bounds = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    places = bounds[:-1] + np.cumsum(counts, axis=0) - counts
    low = np.empty(len(codes), np.uint16)
    taken = Rows(
        np.empty(players, np.int64),
        np.empty(players, np.int64),
        np.empty_like(given.award_classes),
        np.empty_like(given.nanopoints),
    )

    def spread(number: int) -> None:
        here = cuttings[number]
        some = given._replace(
            award_classes=given.award_classes[here], nanopoints=given.nanopoints[here]
        )
        machine.spread(codes[here], some, shift, places[number], low, taken)

    threads.in_threads(spread, range(len(cuttings)))
    cuts = np.searchsorted(bounds, np.linspace(0, len(codes), PIECES * threads.cores() + 1)[1:-1])
    edges = [0, *map(int, cuts), groups]
    reaches = threads.in_threads(
        lambda pair: machine.settle(bounds, pair, shift, low, taken, timed),
        [pair for pair in pairwise(edges) if pair[0] < pair[1]],
    )
    return Sorted(taken, above(max(reaches, default=0.0)))


def stretches(rows: Rows, pieces: int) -> list[slice]:
    """Stretches of players with about as many rows each."""
    size = int(rows.end[-1]) if len(rows.end) else 0
    cuts = np.searchsorted(rows.begin, np.linspace(0, size, pieces + 1)[1:-1])
    edges = [0, *map(int, cuts), len(rows.end)]
    return [slice(*pair) for pair in pairwise(edges) if pair[0] < pair[1]]


# ── totals ───────────────────────────────────────────────────────────────────────────────────────


def totals(rows: Rows, weights: Array, *, latest: bool, reach: int) -> Array:
    """The sum of nanopoints times weight of each player; `ABSENT` where no award counts.

    Args:
        rows: awards by player.
        weights: by award class, none below 0; an award of weight 0 does not count.
        latest: a player's last award that counts replaces those before.
        reach: of the rows, as `Sorted` says.

    Returns:
        int64; or Python integers, and ``-inf`` for ABSENT, where 64 bits might not hold them.
    """
    if reach * int(weights.max(initial=0)) >= LIMIT:
        return _in_numpy(rows._replace(nanopoints=rows.nanopoints.astype(object)), weights, latest)
    pays = ADDED_FROM_ONCE_LOADED if "numba" in sys.modules else ADDED_FROM
    if len(rows.nanopoints) < pays or not installed("fast"):
        return _in_numpy(rows, weights, latest)
    found = np.empty(len(rows.begin), np.int64)
    machine = jit.compiled(sums_jit.__name__)
    loop = machine.last if latest else machine.total

    def part(here: slice) -> None:
        loop(rows._replace(begin=rows.begin[here], end=rows.end[here]), weights, found[here])

    threads.in_threads(part, stretches(rows, PIECES * threads.cores()))
    return found


def _in_numpy(rows: Rows, weights: Array, latest: bool) -> Array:  # noqa: FBT001
    if len(rows.award_classes) <= TOGETHER:
        return _valued(rows, weights, latest)
    pieces = stretches(rows, len(rows.award_classes) // TOGETHER + 1)
    return np.concatenate([_valued(_alone(rows, here), weights, latest) for here in pieces])


def _alone(rows: Rows, here: slice) -> Rows:
    """Some of the players, and no rows but theirs."""
    low = rows.begin[here.start]
    past = rows.begin[here.stop] if here.stop < len(rows.begin) else len(rows.award_classes)
    return Rows(
        rows.begin[here] - low,
        rows.end[here] - low,
        rows.award_classes[low:past],
        rows.nanopoints[low:past],
    )


def _valued(rows: Rows, weights: Array, latest: bool) -> Array:  # noqa: FBT001
    worth = weights[rows.award_classes]
    if latest:
        places = np.where(worth > 0, np.arange(len(worth)), -1)
        newest = np.concatenate([[-1], np.maximum.accumulate(places)])[rows.end]
        counted = newest >= rows.begin
        found = np.append(rows.nanopoints, 0)[newest]
    else:
        counted = of_each(np.logical_or, worth > 0, rows)
        found = of_each(np.add, rows.nanopoints * worth, rows)
    kept: Array = np.where(counted, found, absent(found))
    return kept


def of_each(together: np.ufunc, column: Array, rows: Rows) -> Array:
    """The rows of each player taken together; of a player without any, 0."""
    found = np.zeros(len(rows.begin), column.dtype)
    some = np.flatnonzero(rows.begin < rows.end)
    if some.size:
        edges = np.column_stack([rows.begin[some], rows.end[some]]).ravel()
        inner = edges if edges[-1] < len(column) else edges[:-1]
        found[some] = together.reduceat(column, inner)[::2]  # the others lie between two players
    return found


def absent(found: Array) -> Any:
    """What stands in the place of a total where no award counts."""
    return ABSENT if found.dtype != object else -inf


# ── order ────────────────────────────────────────────────────────────────────────────────────────


def floor(found: Array, *, latest: bool) -> Any:
    """On a list are those whose total is above this: above 0, or of a rating, who has one."""
    return absent(found) if latest else 0


def ordered(
    found: Array, parts: int, *, latest: bool, compiled: bool
) -> tuple[Array, Array, Array]:
    """The players who are on the list, by total, the greatest first; their ranks and nanopoints.

    Equal totals stand in the order of the players. Compiled loops take a third of NumPy's time,
    and pay where Numba is there already.
    """
    players = np.flatnonzero(found > floor(found, latest=latest)).astype(np.int32)
    theirs = found[players]
    if not compiled or found.dtype == object or not installed("fast"):
        codes = players[np.argsort(-theirs, kind="stable")]
        return codes, ranks(found[codes], parts), shared(found[codes], parts)
    machine, codes = jit.compiled(sums_jit.__name__), np.empty_like(players)
    machine.order(theirs, players, codes)
    numbers, nanopoints = np.empty((2, len(codes)), np.int64)
    machine.number(theirs, parts, tied(theirs, parts), numbers, nanopoints)
    return codes, numbers, nanopoints


def ranks(theirs: Array, parts: int) -> Array:
    """The ranks of totals that stand in order, the greatest first: see `rounding.outranks`."""
    apart = tied(theirs, parts)
    places = np.arange(1, len(theirs) + 1)
    close = np.flatnonzero(theirs[:-1] - theirs[1:] <= apart) + 1
    places[close] = np.searchsorted(-theirs, -theirs[close] - apart) + 1
    return places


def tied(found: Array, parts: int) -> int:
    """The `rounding.margin` of totals; no more than 64 bits hold, if they are of 64 bits."""
    apart = margin(parts)
    return apart if found.dtype == object else min(apart, LIMIT)


def shared(found: Array, parts: int) -> Array:
    """Totals divided by *parts*, rounded half up, as `palmares.core.rounding.shared` does."""
    whole = found // parts
    rounded: Array = whole + (2 * (found - whole * parts) >= parts)
    return rounded
