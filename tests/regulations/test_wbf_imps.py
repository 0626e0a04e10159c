"""International Matchpoints, Law 78B: the printed scale, row by row, and matches board by board."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.bridge import vp
from palmares.bridge.vp import imps_edition
from palmares.core.errors import Refused
from palmares.regulations import wbf_imps
from palmares.regulations.editions import editions, rules

HUGE = pytest.param(10**5000, id="5000 digits")  # Python does not print it
POINTS = st.integers(-800, 800).map(lambda tens: 10 * tens)

PRINTED = """
0-10       0    370-420    9    1500-1740  17
20-40      1    430-490   10    1750-1990  18
50-80      2    500-590   11    2000-2240  19
90-120     3    600-740   12    2250-2490  20
130-160    4    750-890   13    2500-2990  21
170-210    5    900-1090  14    3000-3490  22
220-260    6    1100-1290 15    3500-3990  23
270-310    7    1300-1490 16    4000-7600  24
320-360    8
"""
"""The table as the Law prints it, in three columns; 7600 is the largest score of all, 1NT×× −13."""

WORDS = PRINTED.split()
ROWS = [
    (int(first), int(last), int(worth))
    for (first, last), worth in zip(
        (one.split("-") for one in WORDS[::2]), WORDS[1::2], strict=True
    )
]


class TestScale:
    """'… the total point difference … is converted into IMPs according to the following scale.'"""

    @pytest.mark.parametrize(("first", "last", "worth"), ROWS)
    def test_both_ends_of_every_row(self, first: int, last: int, worth: int) -> None:
        assert (vp.imps(first), vp.imps(last)) == (worth, worth)

    @pytest.mark.parametrize(("first", "last", "worth"), ROWS)
    def test_the_other_side_loses_as_many(self, first: int, last: int, worth: int) -> None:
        assert (vp.imps(-first), vp.imps(-last)) == (-worth, -worth)

    def test_the_rows_leave_nothing_out(self) -> None:
        assert sorted(worth for _, _, worth in ROWS) == list(range(25))
        ends = sorted((first, last) for first, last, _ in ROWS)
        assert all(last + 10 == first for (_, last), (first, _) in pairwise(ends))

    def test_the_sheet_has_the_printed_rows(self) -> None:
        assert list(imps_edition().tables["scale"]) == sorted(first for first, _, _ in ROWS)

    @given(POINTS)
    def test_more_points_are_never_fewer_imps(self, points: int) -> None:
        assert vp.imps(points) <= vp.imps(points + 10)

    def test_whole_numbers_of_any_kind_will_do(self) -> None:
        assert vp.imps(np.int64(620)) == 12


class TestNoSuchDifference:
    """Reading I1: two scores differ by a multiple of 10."""

    def test_the_step(self) -> None:
        held = rules(editions("wbf-imps")[-1], wbf_imps.Constants, Fraction)
        assert wbf_imps.is_of_two_scores(held.constants, 20)
        assert not wbf_imps.is_of_two_scores(held.constants, 15)
        assert not wbf_imps.is_of_two_scores(held.constants, 19)

    @pytest.mark.parametrize("points", [15, 25, 41, -45, 4001])
    def test_is_refused(self, points: int) -> None:
        with pytest.raises(Refused, match=f"No score is {points} points.*reading I1"):
            vp.imps(points)

    @pytest.mark.parametrize("points", [20.0, "20", None, 10**10, HUGE])
    def test_what_is_no_whole_number_is_refused(self, points: Any) -> None:
        with pytest.raises(Refused, match="whole number of points") as refused:
            vp.imps(points)
        assert len(str(refused.value)) < 120


class TestMatch:
    """Reading I2: the better score has the IMPs; a match is the sum over its boards."""

    def test_each_side_keeps_its_own(self) -> None:
        # 420 for 450: -1; 620 for -100: +12 (720); -50 for -50: 0; 140 for 170: -1; 50 for -110: +4
        boards = [(420, 450), (620, -100), (-50, -50), (140, 170), (50, -110)]
        assert vp.match_imps(boards) == (12 + 4, 1 + 1)

    def test_differences_will_do(self) -> None:
        assert vp.match_imps([-30, 720, 0, -30, 160]) == (12 + 4, 1 + 1)

    def test_no_board_is_no_imp(self) -> None:
        assert vp.match_imps([]) == (0, 0)

    @given(st.lists(POINTS))
    def test_seen_from_the_other_side_it_is_the_same_match(self, boards: list[int]) -> None:
        assert vp.match_imps([-one for one in boards]) == vp.match_imps(boards)[::-1]

    @given(st.lists(POINTS))
    def test_the_margin_is_the_sum_of_the_boards(self, boards: list[int]) -> None:
        home, away = vp.match_imps(boards)
        assert home - away == sum(map(vp.imps, boards))

    def test_the_board_that_is_wrong_is_named(self) -> None:
        with pytest.raises(Refused, match="Board 2: No score is 425 points"):
            vp.match_imps([30, (425, 420)])
