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
