"""Margins in bulk: arrays and columns, the loop beside NumPy, and what is refused."""

from __future__ import annotations

from decimal import Decimal
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

SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.fixture
def by_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vp, "COMPILED_FROM", 1)


class TestPublished:
    @pytest.mark.parametrize("kind", SIGNED)
    def test_an_array(self, kind: Any) -> None:
        found = vp.convert(np.array(MARGINS, kind), 16)
        assert (found.tolist(), found.dtype) == (REPORTED, np.int16)

    @pytest.mark.parametrize("kind", SIGNED)
    def test_by_the_loop(self, by_loop: None, kind: Any) -> None:
        assert vp.convert(np.array(MARGINS, kind), 16).tolist() == REPORTED

    def test_a_column_keeps_name_and_nulls(self) -> None:
        column = pl.Series("margin", [62, None, -30], dtype=pl.Int32)
        found = vp.convert(column, 16)
        assert found.equals(pl.Series("margin", [2000, None, 327], dtype=pl.Int16), null_equal=True)
        assert found.name == "margin"

    def test_a_column_without_nulls(self) -> None:
        assert vp.convert(pl.Series(MARGINS), 16).to_list() == REPORTED

    def test_a_list(self) -> None:
        assert vp.convert(MARGINS, 16).tolist() == REPORTED


class TestShapes:
    def test_any_shape(self, by_loop: None) -> None:
        table = np.arange(24).reshape(2, 3, 4)
        assert vp.convert(table, 16).shape == (2, 3, 4)
        assert np.array_equal(vp.convert(table.T, 16), vp.convert(table, 16).T)

    def test_nothing(self) -> None:
        assert vp.convert([], 16).shape == (0,)
        assert vp.convert(pl.Series("m", [], dtype=pl.Int64), 16).to_list() == []

    def test_one_margin(self) -> None:
        assert vp.convert(7, 16) == 1203

    def test_a_column_in_several_pieces(self) -> None:
        column = pl.concat([pl.Series([7]), pl.Series([-7])], rechunk=False)
        assert vp.convert(column, 16).to_list() == [1203, 797]


class TestBeyondTheTable:
    @pytest.mark.parametrize("kind", SIGNED)
    @pytest.mark.parametrize("many", [1, 100])
    def test_signed(self, monkeypatch: pytest.MonkeyPatch, kind: Any, many: int) -> None:
        monkeypatch.setattr(vp, "COMPILED_FROM", many)
        ends = np.array([np.iinfo(kind).min, np.iinfo(kind).max], kind)
        assert vp.convert(ends, 16).tolist() == [0, 2000]

    @pytest.mark.parametrize("kind", UNSIGNED)
    def test_unsigned(self, kind: Any) -> None:
        ends = np.array([0, 7, np.iinfo(kind).max], kind)
        assert vp.convert(ends, 16).tolist() == [1000, 1203, 2000]
        assert vp.convert(pl.Series(ends), 16).to_list() == [1000, 1203, 2000]

    def test_more_vps_than_int16_holds(self) -> None:
        assert vp.convert([0], 16, draw=100).dtype == np.int16
        found = vp.convert([0, 60, -60], 16, draw=200)
        assert (found.tolist(), found.dtype) == ([20000, 40000, 0], np.int32)


class TestRefused:
    @pytest.mark.parametrize(
        "margins",
        [
            np.array([7.0]),
            [7.5],
            [True],
            ["7"],
            [None],
            [2**70],
            pl.Series([7.0]),
            pl.Series(["7"]),
            pl.Series([Decimal(7)]),
            pl.DataFrame({"m": [7]}),
        ],
    )
    def test_what_is_no_whole_number(self, margins: Any) -> None:
        with pytest.raises(Refused, match="Margins are whole numbers, not") as refused:
            vp.convert(margins, 16)
        assert len(str(refused.value)) < 120


@given(st.lists(st.integers(-(2**63), 2**63 - 1)), st.integers(1, 60), st.sampled_from(vp.SCALES))
def test_each_is_the_side_s_score(margins: list[int], boards: int, name: str) -> None:
    scale = vp.scale_of(boards, name)
    scores = [(scale.score(abs(one)), one < 0) for one in margins]
    expected = [(score.loser if lost else score.winner) * 100 for score, lost in scores]
    assert vp.convert(np.array(margins, np.int64), boards, name).tolist() == expected
