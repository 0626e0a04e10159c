"""
Sums of awards by player, and players in the order of their totals.

All sums are whole numbers; where 64 bits might not hold them they are Python's own. Compiled loops
add up many rows in memory's own time, and give the same as NumPy.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from palmares.core import threads
from palmares.core.extras import pays
from palmares.core.rounding import tie_margin
from palmares.points.kernels.rows import (
    ABSENT,
    Array,
    AwardRows,
    add_up,
    machine_loop,
    take_latest,
)

COMPILED_FROM = 50_000_000  # rows: loading Numba takes as long as NumPy takes longer
COMPILED_FROM_ONCE_LOADED = 1_000_000  # the same in a process that has Numba loaded
PIECES = 4  # a thread: those that get little to do take another
# Rows that NumPy values together: larger arrays of what lies between leave its cache.
TOGETHER = 2**17
LIMIT = 2**62


def loops_pay(rows: int) -> bool:
    """Whether so many rows are worth compiled loops."""
    return pays("fast", rows, COMPILED_FROM, COMPILED_FROM_ONCE_LOADED)


def sort_order(keys: Array) -> Array:
    """The order of whole numbers from 0 on; equal ones stay in the order given.

    Whole numbers that end in the number of their row are sorted in a quarter of the time that rows
    are.
    """
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)).bit_length() + bits >= 64:  # noqa: PLR2004  bits of a whole number
        return np.argsort(keys, kind="stable")
    numbered = keys.astype(np.int64) << bits
    numbered |= np.arange(len(keys))
    numbered.sort()
    numbered &= (1 << bits) - 1
    return numbered


def reach(rows: AwardRows) -> int:
    """A whole number that no player's absolute nanopoints exceed, however floats are rounded."""
    absolute = of_each(np.add, np.abs(rows.nanopoints.astype(float)), rows)
    return int(absolute.max(initial=0.0) * (1 + 1e-6)) + 1


def player_slices(rows: AwardRows, pieces: int) -> list[slice]:
    """Slices of players with about as many rows each."""
    size = int(rows.end[-1]) if len(rows.end) else 0
    inner_edges = np.searchsorted(rows.begin, np.linspace(0, size, pieces + 1)[1:-1])
    edges = [0, *map(int, inner_edges), len(rows.end)]
    return [slice(*pair) for pair in pairwise(edges) if pair[0] < pair[1]]


# ── totals ───────────────────────────────────────────────────────────────────────────────────────


def totals(rows: AwardRows, weights: Array, *, latest: bool, reach: int) -> Array:
    """The sum of nanopoints times weight of each player; `ABSENT` where no award counts.

    Args:
        rows: awards by player.
        weights: by award class, none below 0; an award of weight 0 does not count.
        latest: a player's last award that counts replaces those before.
        reach: of the rows, see `reach`.

    Returns:
        int64; or Python integers, and ``-inf`` for ABSENT, where 64 bits might not hold them.
    """
    if is_wide(weights, reach):
        return _in_numpy(rows._replace(nanopoints=rows.nanopoints.astype(object)), weights, latest)
    if not loops_pay(len(rows.nanopoints)):
        return _in_numpy(rows, weights, latest)
    result = np.empty(len(rows.begin), np.int64)
    loop = machine_loop(take_latest if latest else add_up)

    def part(here: slice) -> None:
        loop(rows._replace(begin=rows.begin[here], end=rows.end[here]), weights, result[here])

    threads.in_threads(part, player_slices(rows, PIECES * threads.cores()))
    return result


def is_wide(weights: Array, reach: int) -> bool:
    """Whether 64 bits might not hold a total."""
    return reach * int(weights.max(initial=0)) >= LIMIT


def _in_numpy(rows: AwardRows, weights: Array, latest: bool) -> Array:  # noqa: FBT001
    if len(rows.award_classes) <= TOGETHER:
        return _valued(rows, weights, latest)
    pieces = player_slices(rows, len(rows.award_classes) // TOGETHER + 1)
    return np.concatenate([_valued(_alone(rows, here), weights, latest) for here in pieces])


def _alone(rows: AwardRows, here: slice) -> AwardRows:
    low = rows.begin[here.start]
    past = rows.begin[here.stop] if here.stop < len(rows.begin) else len(rows.award_classes)
    return AwardRows(
        rows.begin[here] - low,
        rows.end[here] - low,
        rows.award_classes[low:past],
        rows.nanopoints[low:past],
    )


def _valued(rows: AwardRows, weights: Array, latest: bool) -> Array:  # noqa: FBT001
    worth = weights[rows.award_classes]
    if latest:
        places = np.where(worth > 0, np.arange(len(worth)), -1)
        newest = np.concatenate([[-1], np.maximum.accumulate(places)])[rows.end]
        counted = newest >= rows.begin
        result = np.append(rows.nanopoints, 0)[newest]
    else:
        counted = of_each(np.logical_or, worth > 0, rows)
        result = of_each(np.add, rows.nanopoints * worth, rows)
    totals: Array = np.where(counted, result, absent(result))
    return totals


def of_each(together: np.ufunc, column: Array, rows: AwardRows) -> Array:
    """The rows of each player taken together; of a player without any, 0."""
    result = np.zeros(len(rows.begin), column.dtype)
    some = np.flatnonzero(rows.begin < rows.end)
    if some.size:
        edges = np.column_stack([rows.begin[some], rows.end[some]]).ravel()
        inner = edges if edges[-1] < len(column) else edges[:-1]
        result[some] = together.reduceat(column, inner)[::2]  # the others lie between two players
    return result


def absent(per_player: Array) -> Any:
    """What stands in the place of a total where no award counts."""
    return ABSENT if per_player.dtype != object else -inf


# ── order ────────────────────────────────────────────────────────────────────────────────────────


def floor(per_player: Array, *, latest: bool) -> Any:
    """Totals above this are on a list: above 0; of a rating, every player who has one."""
    return absent(per_player) if latest else 0


def ordered(per_player: Array, parts: int) -> tuple[Array, Array, Array]:
    """Totals in order, the greatest first: their places, ranks and nanopoints."""
    places = np.argsort(-per_player, kind="stable")
    return places, ranks(per_player[places], parts), divided_half_up(per_player[places], parts)


def ranks(theirs: Array, parts: int) -> Array:
    """The ranks of totals that stand in order, the greatest first: see `rounding.outranks`."""
    apart = tied(theirs, parts)
    places = np.arange(1, len(theirs) + 1)
    close = np.flatnonzero(theirs[:-1] - theirs[1:] <= apart) + 1
    places[close] = np.searchsorted(-theirs, -theirs[close] - apart) + 1
    return places


def tied(per_player: Array, parts: int) -> int:
    """The margin within which totals are equal, or the greatest number of 64 bits."""
    apart = tie_margin(parts)
    return apart if per_player.dtype == object else min(apart, LIMIT)


def divided_half_up(per_player: Array, parts: int) -> Array:
    """Totals divided by *parts* as `palmares.core.rounding.divided_half_up` does it."""
    down = per_player // parts
    rounded: Array = down + (2 * (per_player - down * parts) >= parts)
    return rounded
