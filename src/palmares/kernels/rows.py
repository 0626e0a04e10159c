"""
Arrays that the loops of `palmares.kernels.sums` and `palmares.kernels.sweeps` share.

    Rows    awards by player: what each is worth, and which stamp it has
    ABSENT  in the place of a total: no award of this player counts
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
ABSENT = -(2**63)


class Rows(NamedTuple):
    """Awards by player. A stamp is what awards have in common: day, edition, setting, kind."""

    begin: Array  # rows of player p are begin[p] to end[p]
    end: Array
    stamps: Array  # an entry a row
    nanopoints: Array

    def only(self, kept: Array) -> Rows:
        """The same players, with rows for some of them only."""
        return self._replace(end=np.where(kept, self.end, self.begin))
