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
    count_digits,
    machine_loop,
    move_rows,
    settle_groups,
    take_latest,
)

COMPILED_FROM = 50_000_000  # rows: loading Numba takes as long as NumPy takes longer
COMPILED_FROM_ONCE_LOADED = 1_000_000  # the same in a process that has Numba loaded
DIGIT = 9  # bits that rows are sorted by at once: the places of all digits stay in the cache
WHOLE = 64  # bits of a whole number, the sign among them
PIECES = 4  # a thread: those that get little to do take another
TOGETHER = (
    2**17
)  # rows that NumPy values together: larger arrays of what lies between leave its cache
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
    if int(keys.max(initial=0)).bit_length() + bits >= WHOLE:
        return np.argsort(keys, kind="stable")
    numbered = keys.astype(np.int64) << bits
    numbered |= np.arange(len(keys))
    numbered.sort()
    numbered &= (1 << bits) - 1
    return numbered


def by_loops(
    player: Array, award_class: Array, nanopoints: Array, players: int, *, in_order: bool
) -> tuple[Array, AwardRows, int]:
    """Rows by player: whose each of them is, all of them, and their `reach`.

    Args:
        player: whose each row is, from 0.
        award_class: an entry a row, from 0.
        nanopoints: an entry a row.
        players: how many there are.
        in_order: a player's rows stay in the order given; else they go by award class.
    """
    bits = int(award_class.max(initial=0)).bit_length()
    keys: Array = player.astype(np.uint32 if players << bits < 1 << WHOLE // 2 else np.int64)
    keys <<= bits
    keys |= award_class
    for shift in range(bits if in_order else 0, bits, DIGIT):
        keys, nanopoints, _ = _by_digit(keys, nanopoints, shift)
    inner = max((players - 1).bit_length() - DIGIT, 0)  # bits of a player's number in their group
    keys, nanopoints, starts = _by_digit(keys, nanopoints, bits + inner)
    begin, end = np.empty((2, 1 << DIGIT + inner), np.int64)
    settled = AwardRows(begin, end, np.empty_like(award_class), np.empty_like(nanopoints))
    whose, settle = np.empty_like(player), machine_loop(settle_groups)

    def part(groups: tuple[int, int]) -> float:
        here = slice(groups[0] << inner, groups[1] << inner)
        rows = settled._replace(begin=begin[here], end=end[here])
        starts_here = starts[groups[0] : groups[1] + 1]
        return float(settle(keys, nanopoints, starts_here, bits, whose, rows))

    parts = threads.row_ranges(1 << DIGIT, PIECES * threads.cores())
    reach = _no_less(max(threads.in_threads(part, parts)))
    return whose, settled._replace(begin=begin[:players], end=end[:players]), reach


def _by_digit(keys: Array, nanopoints: Array, shift: int) -> tuple[Array, Array, Array]:
    """Rows by a digit of their keys, those of one in the order given; where each digit begins."""
    parts = [slice(*pair) for pair in threads.row_ranges(len(keys), threads.cores())]
    counts = np.zeros((len(parts), 1 << DIGIT), np.int64)
    count, move = machine_loop(count_digits), machine_loop(move_rows)
    threads.in_threads(lambda n: count(keys[parts[n]], shift, counts[n]), range(len(parts)))
    starts = np.append(0, np.cumsum(counts.sum(axis=0)))
    places = starts[:-1] + np.cumsum(counts, axis=0) - counts
    moved = np.empty_like(keys), np.empty_like(nanopoints)
    threads.in_threads(
        lambda n: move(keys[parts[n]], nanopoints[parts[n]], shift, places[n], moved),
        range(len(parts)),
    )
    return *moved, starts


def reach(rows: AwardRows) -> int:
    """A whole number that no player's absolute nanopoints exceed, however floats are rounded."""
    absolute = of_each(np.add, np.abs(rows.nanopoints.astype(float)), rows)
    return _no_less(absolute.max(initial=0.0))


def _no_less(absolute: float) -> int:
    return int(absolute * (1 + 1e-6)) + 1


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
