"""
Awards by player as arrays, and the loops that add them up.

The loops are plain functions over arrays, compiled where there are many rows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from inspect import getsource
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

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


def add_up(rows: AwardRows, weights: Array, totals: Array) -> None:
    """The sum of nanopoints times weight of each player; ABSENT where no award of theirs counts."""
    for p in range(len(totals)):
        # Slices tell Numba that no place is below 0: a quarter of the time.
        award_classes = rows.award_classes[rows.begin[p] : rows.end[p]]
        nanopoints = rows.nanopoints[rows.begin[p] : rows.end[p]]
        worth, counting = 0, 0
        for i in range(len(award_classes)):
            weight = weights[award_classes[i]]
            worth += nanopoints[i] * weight
            counting |= weight
        totals[p] = worth if counting else ABSENT


def take_latest(rows: AwardRows, weights: Array, totals: Array) -> None:
    """The last award of each player that counts; ABSENT where none does."""
    for p in range(len(totals)):
        i = rows.end[p] - 1
        while i >= rows.begin[p] and weights[rows.award_classes[i]] == 0:
            i -= 1
        totals[p] = rows.nanopoints[i] if i >= rows.begin[p] else ABSENT


def count_digits(keys: Array, shift: int, counts: Array) -> None:
    """How many keys have each digit: their bits from *shift* on, as many as number the counts."""
    mask = np.uint64(len(counts) - 1)
    for i in range(len(keys)):
        counts[(np.uint64(keys[i]) >> np.uint64(shift)) & mask] += 1


def move_rows(
    keys: Array, nanopoints: Array, shift: int, places: Array, into: tuple[Array, Array]
) -> None:
    """Put each row in the next free place of its digit; *places* are those places, counted on."""
    mask = np.uint64(len(places) - 1)
    keys_there, nanopoints_there = into
    for i in range(len(keys)):
        digit = (np.uint64(keys[i]) >> np.uint64(shift)) & mask
        place = np.uint64(places[digit])  # unsigned: see `add_up`
        places[digit] += 1
        keys_there[place] = keys[i]
        nanopoints_there[place] = nanopoints[i]


def settle_groups(
    keys: Array, nanopoints: Array, starts: Array, bits: int, player: Array, rows: AwardRows
) -> float:
    """Fill *player* and *rows*, given the rows of groups of players; the greatest absolute sum.

    A key is a player and, in its low *bits*, an award class. A group's rows are few enough to stay
    in the cache while they are put in order.
    """
    width, greatest = len(rows.begin) // max(len(starts) - 1, 1), 0.0
    mask, low = np.uint64(width - 1), np.uint64((1 << bits) - 1)
    for group in range(len(starts) - 1):
        begin = rows.begin[group * width : (group + 1) * width]
        end = rows.end[group * width : (group + 1) * width]
        end[:] = 0
        for i in range(np.uint64(starts[group]), np.uint64(starts[group + 1])):
            end[(np.uint64(keys[i]) >> np.uint64(bits)) & mask] += 1
        place = starts[group]
        for k in range(width):
            begin[k] = place
            place += end[k]
            end[k] = begin[k]
        for i in range(np.uint64(starts[group]), np.uint64(starts[group + 1])):
            number = np.uint64(keys[i]) >> np.uint64(bits)
            there = np.uint64(end[number & mask])
            end[number & mask] += 1
            player[there] = number
            rows.award_classes[there] = keys[i] & low
            rows.nanopoints[there] = nanopoints[i]
        for k in range(width):
            absolute = 0.0
            for one in rows.nanopoints[begin[k] : end[k]]:
                absolute += abs(float(one))
            greatest = max(greatest, absolute)
    return greatest


@cache
def machine_loop(loop: Callable[..., Any]) -> Callable[..., Any]:
    """A loop as machine code. It holds no lock, so that each core may take some of the players."""
    from palmares.points.kernels.compiled import (  # Numba loads only where it pays
        cache_file,
        cached,
    )

    source = getsource(sys.modules[__name__])
    path = cache_file(source, [source])
    names: dict[str, Any] = {"__name__": __name__}
    exec(compile(source, str(path or "<loops>"), "exec"), names)  # noqa: S102  (our own lines)
    return cached(names[loop.__name__], path, nogil=True)
