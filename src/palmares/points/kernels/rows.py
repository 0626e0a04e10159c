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
        sizes = self.end - self.begin
        places: Array = np.repeat(self.begin - np.cumsum(sizes) + sizes, sizes) + np.arange(
            sizes.sum()
        )
        return places
