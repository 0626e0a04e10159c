"""Awards as numbers, some of them made anew: officer's sums."""

from __future__ import annotations

import numpy as np
import polars as pl

from palmares import awarded, awarded_rows
from palmares.awards import Question

WBGF = Question(regulation="wbgf")


def test_rows_made_anew_take_the_place_of_others() -> None:
    """Player 0 had 5, and has 3 and 4; player 1 has 7; player 2 is new and has nothing."""
    below = _stretch([0, 1], [(0, 5), (1, 7)])
    above = _stretch([0, 2], [(0, 3), (0, 4)])
    weights = np.array([1])
    apart = awarded_rows.summed(below, above, 3, weights, latest=False)
    whole = awarded_rows.merged(below, above, np.arange(3))
    absent = -(2**63)
    assert apart.tolist() == [7, 7, absent]
    assert whole.rows["nanopoints"].to_list() == [3, 4, 7]
    nothing = awarded.nothing(WBGF)
    assert awarded_rows.summed(whole, nothing, 3, weights, latest=False).tolist() == [
        7, 7, absent,
    ]  # fmt: skip


def _stretch(players: list[int], rows: list[tuple[int, int]]) -> awarded_rows.Stretch:
    cells = [(player, 0, nanopoints, 0, 0) for player, nanopoints in rows]
    frame = pl.DataFrame(cells, awarded_rows.ROWS, orient="row")
    return awarded_rows.as_stretch(np.array(players), frame)
