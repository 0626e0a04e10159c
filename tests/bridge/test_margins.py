"""`vp.convert`: margins in arrays, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.bridge import vp
from palmares.core.errors import Refused

MARGINS = [62, 20, 19, 1, -30, 3, 33, -39, 0]
REPORTED = [2000, 1500, 1480, 1031, 327, 1091, 1717, 203, 1000]
"""Matches of 16 boards at Opatija 2014: IMPs won or lost by, and the VPs reported."""


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64])
def test_an_array(kind: Any) -> None:
    assert vp.convert(np.array(MARGINS, kind), 16).tolist() == REPORTED
    ends = np.array([np.iinfo(kind).min, np.iinfo(kind).max], kind)
    assert vp.convert(ends, 16).tolist() == [0, 2000]


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32])
def test_an_array_of_wins(kind: Any) -> None:
    ends = np.array([0, 7, np.iinfo(kind).max], kind)
    assert vp.convert(ends, 16).tolist() == [1000, 1203, 2000]


def test_other_shapes() -> None:
    assert vp.convert(MARGINS, 16).tolist() == REPORTED
    assert vp.convert(pl.Series(MARGINS), 16).tolist() == REPORTED
    assert vp.convert(np.arange(24).reshape(2, 3, 4), 16).shape == (2, 3, 4)
    assert vp.convert([], 16).shape == (0,)
    assert vp.convert(7, 16) == 1203
    assert vp.convert([0, 60, -60], 16, draw=200).tolist() == [20000, 40000, 0]


@pytest.mark.parametrize(
    "margins",
    [
        np.array([7.0]), np.array([7], np.uint64), [7.5], [True], ["7"], [None], [2**70],
        pl.Series([7.0]), pl.Series(["7"]), pl.Series([7, None]),
    ],
)  # fmt: skip
def test_what_is_no_whole_number(margins: Any) -> None:
    with pytest.raises(Refused, match="Margins are whole numbers of up to 63 bits, not") as refused:
        vp.convert(margins, 16)
    assert len(str(refused.value)) < 120


@given(st.lists(st.integers(-(2**63), 2**63 - 1)), st.integers(1, 60), st.sampled_from(vp.SCALES))
def test_each_is_the_side_s_score(margins: list[int], boards: int, name: str) -> None:
    scale = vp.scale_of(boards, name)
    scores = [(scale.score(abs(margin)), margin < 0) for margin in margins]
    expected = [(score.loser if lost else score.winner) * 100 for score, lost in scores]
    assert vp.convert(np.array(margins, np.int64), boards, name).tolist() == expected
