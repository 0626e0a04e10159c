"""
Awards by player as arrays, their sums, and players in the order of their totals.

All sums are whole numbers; where 64 bits might not hold them they are Python's own.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from palmares.core.rounding import tie_margin

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
ABSENT = -(2**63)
"""In place of a total: no award of this player counts."""


class AwardRows(NamedTuple):
    """Awards by player; an award class is a day, an edition, a setting and a kind of points."""

    begin: Array  # rows of player p are begin[p] to end[p]
    end: Array
    award_classes: Array  # an entry a row
    nanopoints: Array

    def only(self, players: Array) -> AwardRows:
        """The same players, with rows for some of them only."""
        return self._replace(end=np.where(players, self.end, self.begin))

    def places(self) -> Array:
        """The place of every player's rows, player by player."""
        return places_of(self.begin, self.end - self.begin)


def places_of(begin: Array, sizes: Array) -> Array:
    """The places of rows, given where each group of them begins and its size."""
    places: Array = np.repeat(begin - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    return places


TOGETHER = 2**17
"""Rows valued at once: larger arrays of what lies between leave the processor's cache."""
LIMIT = 2**62


def sort_order(keys: Array) -> Array:
    """The order of whole numbers from 0 on; equal ones stay in the order given.

    Whole numbers that end in the number of their row are sorted in a quarter of the time that rows
    are. Larger ones are sorted without regard to equal ones, in a third of it; then those are.
    """
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)).bit_length() + bits >= 64:  # noqa: PLR2004  bits of a whole number
        order = np.argsort(keys)
        same = np.diff(keys[order]) == 0
        equal = np.flatnonzero(np.append(same, False) | np.append(False, same))
        rows = np.sort(order[equal])
        order[equal] = rows[np.argsort(keys[rows], kind="stable")]
        return order
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
        rows = rows._replace(nanopoints=rows.nanopoints.astype(object))
    if len(rows.award_classes) <= TOGETHER:
        return _valued(rows, weights, latest)
    pieces = player_slices(rows, len(rows.award_classes) // TOGETHER + 1)
    return np.concatenate([_valued(_alone(rows, here), weights, latest) for here in pieces])


def is_wide(weights: Array, reach: int) -> bool:
    """Whether 64 bits might not hold a total."""
    return reach * int(weights.max(initial=0)) >= LIMIT


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
    places = sort_order(per_player.max(initial=0) - per_player)
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
