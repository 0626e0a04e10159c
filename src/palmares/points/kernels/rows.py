"""Awards by player as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
ABSENT = -(2**63)
"""In place of a total: no award of this player counts."""


class Rows(NamedTuple):
    """Awards by player; an award class is a day, an edition, a setting and a kind of points."""

    begin: Array  # rows of player p are begin[p] to end[p]
    end: Array
    award_classes: Array  # an entry a row
    nanopoints: Array

    def only(self, kept: Array) -> Rows:
        """The same players, with rows for some of them only."""
        return self._replace(end=np.where(kept, self.end, self.begin))

    def places(self) -> Array:
        """The place of every player's rows, player by player."""
        return places_of(self.begin, self.end - self.begin)


def places_of(begin: Array, sizes: Array) -> Array:
    """The places of rows, given where each group of them begins and its size."""
    places: Array = np.repeat(begin - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    return places
