"""Awards as numbers, some of them made anew: officer's sums."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl

from palmares.points import ledger_rows
from palmares.points.awards import Question
from palmares.points.ledger import Ledger, PlayerRows, player_rows, player_totals
from palmares.points.rankings import Selection

DAY = date(2019, 12, 31)
AWARD_CLASSES = pl.DataFrame(
    {
        "effective": [DAY],
        "edition": ["2019-01"],
        "setting": ["live"],
        "kind": ["match"],
        "division": [1],
    }
)
ABSENT = -(2**63)


def test_rows_made_anew_take_the_place_of_others() -> None:
    """Player 0 had 5, and has 3 and 4; player 1 has 7; player 2 is new and has nothing."""
    below = _rows([0, 1], [(0, 5), (1, 7)])
    above = _rows([0, 2], [(0, 3), (0, 4)])
    whole = ledger_rows.overlaid(below, above, np.arange(3))
    assert whole.frame["nanopoints"].to_list() == [3, 4, 7]
    for base, newer in ((below, above), (whole, None)):
        book = Ledger(
            question=Question(regulation="usbgf"),
            players=pl.DataFrame({"player_id": ["a", "b", "c"]}),
            award_classes=AWARD_CLASSES,
            base=base,
            newer=newer,
        )
        found, parts = player_totals(book, Selection(as_of=DAY))
        assert (found.tolist(), parts) == ([7, 7, ABSENT], 1)


def _rows(players: list[int], rows: list[tuple[int, int]]) -> PlayerRows:
    cells = [(player, 0, nanopoints, 0, 0, 0, 0) for player, nanopoints in rows]
    frame = pl.DataFrame(cells, ledger_rows.ROWS, orient="row")
    return player_rows(np.array(players), frame)
