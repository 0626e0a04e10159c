"""
Arrays that the loops of `palmares.points.kernels.sums` and `palmares.points.kernels.sweeps` share.

    Rows    awards by player: what each is worth, and which award class it has
    Shape   how the awards of each award class count over a stretch of days
    State   how far a sweep over these days has come with each player
    ABSENT  in the place of a total: no award of this player counts
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
ABSENT = -(2**63)


class Rows(NamedTuple):
    """Awards by player; a class is what awards have in common: day, edition, setting, kind."""

    begin: Array  # rows of player p are begin[p] to end[p]
    end: Array
    award_classes: Array  # an entry a row
    nanopoints: Array

    def only(self, kept: Array) -> Rows:
        """The same players, with rows for some of them only."""
        return self._replace(end=np.where(kept, self.end, self.begin))

    def of(self, here: slice) -> Rows:
        """Of some of the players."""
        return self._replace(begin=self.begin[here], end=self.end[here])


class Shape(NamedTuple):
    """How awards count over a stretch of days, numbered from 0.

    Those of class c count from day ``first[c]`` to the one before ``past[c]``; one nanopoint is
    then worth ``bases[c] - counter[day]``. Neither day goes back from a class to the next.
    """

    first: Array
    past: Array
    bases: Array
    counts: Array  # 1, and 0 for award classes that are left out
    counter: Array  # an entry a day
    latest: bool  # whether an award takes the place of the player's one before


class State(NamedTuple):
    """Where each player is: the totals of a day are ``base - counter * slope``."""

    begun: Array  # the row that is next to begin to count
    ended: Array  # the row that is next to count no more
    base: Array
    slope: Array
    counting: Array  # how many awards count

    @classmethod
    def before(cls, rows: Rows) -> State:
        """Before the first day."""
        none = [np.zeros(len(rows.begin), np.int64) for _ in range(3)]
        return cls(rows.begin.copy(), rows.begin.copy(), *none)

    def of(self, here: slice) -> State:
        """Of some of the players; the same memory."""
        return State(*(one[here] for one in self))
