"""Awards by player, sums and order: NumPy and plain Python give the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core import rounding
from palmares.points.kernels import sums
from palmares.points.kernels.sums import ABSENT, AwardRows

INT64 = st.integers(-(2**61), 2**61)


class TestOrderOfRows:
    @given(st.lists(st.integers(0, 5) | st.integers(0, 2**63 - 1), max_size=40))
    def test_equal_keys_keep_their_order(self, keys: list[int]) -> None:
        """Also where the numbers of rows do not fit beside their keys."""
        order = sums.sort_order(np.array(keys, np.int64)).tolist()
        assert order == sorted(range(len(keys)), key=keys.__getitem__)

    @given(st.lists(st.lists(INT64, max_size=4), max_size=5))
    def test_no_player_has_more_than_the_reach(self, points: list[list[int]]) -> None:
        ends = np.cumsum([len(theirs) for theirs in points], dtype=np.int64)
        begin = ends - [len(theirs) for theirs in points]
        all_points = np.array([one for theirs in points for one in theirs], np.int64)
        found = sums.reach(AwardRows(begin, ends, np.zeros(len(all_points), int), all_points))
        most = max((sum(map(abs, theirs)) for theirs in points), default=0)
        assert most <= found <= most * 1.00001 + 2


class TestTotals:
    ROWS = AwardRows(
        np.array([0, 2, 2]),
        np.array([2, 2, 5]),
        np.array([0, 2, 1, 2, 0], np.uint16),
        np.array([7, 11, -3, 0, 5]),
    )

    @pytest.mark.parametrize(
        ("weights", "latest", "expected"),
        [
            ([1, 10, 100], False, [7 + 1100, ABSENT, -30 + 0 + 5]),
            ([0, 0, 1], False, [11, ABSENT, 0]),  # an award of nothing counts
            ([0, 0, 0], False, [ABSENT] * 3),
            ([1, 1, 1], True, [11, ABSENT, 5]),
            ([0, 1, 1], True, [11, ABSENT, 0]),
            ([1, 0, 0], True, [7, ABSENT, 5]),
            ([0, 1, 0], True, [ABSENT, ABSENT, -3]),
        ],
    )
    def test_by_hand(self, weights: list[int], latest: bool, expected: list[int]) -> None:
        found = sums.totals(self.ROWS, np.array(weights), latest=latest, reach=20)
        assert found.tolist() == expected

    @pytest.mark.parametrize("latest", [False, True])
    @pytest.mark.parametrize("together", [1, 2, 3])
    def test_pieces_of_the_rows(
        self, monkeypatch: pytest.MonkeyPatch, together: int, latest: bool
    ) -> None:
        """Rows are valued some at a time; whose they are decides where they are cut."""
        whole = sums.totals(self.ROWS, np.array([0, 1, 1]), latest=latest, reach=20)
        monkeypatch.setattr(sums, "TOGETHER", together)
        pieces = sums.totals(self.ROWS, np.array([0, 1, 1]), latest=latest, reach=20)
        assert pieces.tolist() == whole.tolist()

    def test_sums_of_all_may_go_round_64_bits(self) -> None:
        """Twelve players of 2**60 each: together more than 64 bits hold, each of them less."""
        places = np.arange(13)
        rows = AwardRows(places[:-1], places[1:], np.zeros(12, np.uint16), np.full(12, 2**60))
        found = sums.totals(rows, np.array([3]), latest=False, reach=2**60)
        assert found.tolist() == [3 * 2**60] * 12
        assert found.dtype == np.int64

    def test_what_64_bits_do_not_hold(self) -> None:
        rows = self.ROWS._replace(nanopoints=np.array([2**62, 2**62, -(2**62), 0, 1]))
        found = sums.totals(rows, np.array([5, 5, 5]), latest=False, reach=2**63)
        assert found.tolist() == [10 * 2**62, sums.absent(found), 5 - 5 * 2**62]


class TestOrder:
    @given(st.lists(INT64 | st.integers(-2, 5_000), max_size=40), st.integers(1, 9))
    def test_ranks_and_points(self, totals: list[int], parts: int) -> None:
        places, ranks, nanopoints = sums.ordered(np.array(totals, np.int64), parts)
        listed = sorted(enumerate(totals), key=lambda pair: -pair[1])
        assert places.tolist() == [place for place, _ in listed]
        assert ranks.tolist() == [
            1 + sum(rounding.outranks(other, total, parts) for other in totals)
            for _, total in listed
        ]
        assert nanopoints.tolist() == [
            rounding.divided_half_up(total, parts) for _, total in listed
        ]

    def test_just_a_millionth_apart_is_equal(self) -> None:
        found = 3 * (1 + rounding.TIE * np.array([2, 1, 0]))
        assert sums.ordered(found, 3)[1].tolist() == [1, 1, 2]

    def test_half_a_nanopoint_is_rounded_up(self) -> None:
        """5 / 2 = 2.5 and 3 / 2 = 1.5."""
        assert sums.ordered(np.array([5, 3]), 2)[2].tolist() == [3, 2]

    @pytest.mark.parametrize("whole", [np.int64, object])
    def test_parts_of_which_a_millionth_is_more_than_64_bits(self, whole: Any) -> None:
        """2**60 in parts of 2**60 are one nanopoint: nobody has a millionth of a point more."""
        found = np.array([2**60, 1, 2**61], whole)
        assert sums.ordered(found, 2**60)[1].tolist() == [1, 1, 1]
