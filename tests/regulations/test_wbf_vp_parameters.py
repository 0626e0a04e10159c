"""§2 Remark 1: 'The two parameters (V0, X) allow for possible variations …'"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.bridge import vp
from palmares.core.errors import Refused


class TestContinuous:
    def test_a_third_of_the_blitz_is_one_and_a_half_times_a_draw(self) -> None:
        """Eq. (4): 'V(⅓X) = 3/2 V0'."""
        scale = vp.scale_of(24, "continuous", draw=12.5, blitz=60)
        assert scale.score(0).winner == Decimal("12.50")
        assert scale.score(20).winner == Decimal("18.75")
        assert scale.score(60).winner == 2 * Decimal("12.50")
        assert scale.score(20).loser == 25 - Decimal("18.75")

    def test_the_boards_no_longer_matter_where_the_blitz_is_given(self) -> None:
        one, other = (vp.scale_of(boards, "continuous", blitz=60) for boards in (16, 24))
        assert one.table == other.table == vp.continuous(16).table  # X = 15 sqrt(16) = 60

    def test_a_draw_alone_keeps_the_blitz(self) -> None:
        scale = vp.scale_of(16, "continuous", draw=15)
        assert (scale.table[-1], len(scale.table) - 1) == (3000, 60)

    @pytest.mark.parametrize("blitz", [60, 60.0, Decimal(60), Fraction(60)])
    def test_numbers_of_any_kind_will_do(self, blitz: Any) -> None:
        assert vp.scale_of(9, "continuous", blitz=blitz).score(20).winner == 15


class TestDiscrete:
    def test_half_match_by_its_parameters(self) -> None:
        """V0 = 5, X = 15 sqrt(3/2) = 18.3711730708738...; published for 3 boards a half."""
        scale = vp.scale_of(3, "discrete", draw=5, blitz=Decimal("18.371173070873836"))
        firsts = {int(one.winner): one.first for one in scale.ranges()}
        assert firsts == {5: 0, 6: 1, 7: 4, 8: 7, 9: 10, 10: 15}

    def test_scores_run_from_the_draw_to_twice_of_it(self) -> None:
        scale = vp.scale_of(16, "discrete", draw=15)
        assert [int(one.winner) for one in scale.ranges()] == list(range(15, 31))


class TestRefused:
    @pytest.mark.parametrize(
        ("scale", "given"),
        [
            ("continuous", {"draw": 0}),
            ("continuous", {"draw": 0.5}),
            ("continuous", {"draw": 500.5}),
            ("continuous", {"draw": 12.25}),
            ("continuous", {"draw": -10}),
            ("continuous", {"draw": float("nan")}),
            ("discrete", {"draw": 12.5}),
            ("discrete", {"draw": 1}),
            ("half-match-discrete", {"draw": 2.5}),
            ("continuous", {"blitz": 0}),
            ("continuous", {"blitz": Decimal("0.99")}),
            ("continuous", {"blitz": 15_001}),
            ("continuous", {"blitz": float("inf")}),
            ("continuous", {"blitz": "sixty"}),
        ],
    )
    def test_parameters_no_scale_has(self, scale: str, given: Any) -> None:
        with pytest.raises(Refused, match="wbf-vp parameters"):
            vp.scale_of(16, scale, **given)

    @pytest.mark.parametrize(
        ("scale", "given"),
        [
            ("continuous", {"draw": 1}),
            ("continuous", {"draw": 500}),
            ("discrete", {"draw": 2}),
            ("discrete", {"draw": 500, "blitz": 15_000}),
            ("continuous", {"blitz": 1}),
        ],
    )
    def test_the_last_that_a_scale_may_have(self, scale: str, given: Any) -> None:
        assert vp.scale_of(16, scale, **given).score(0).winner == given.get("draw", 10)

    def test_a_blitz_too_small_for_the_scores(self) -> None:
        """1 board, X = 15, has room for 11 scores; X = 9 has 10 margins and one of them draws."""
        assert vp.scale_of(1, "discrete", blitz=15).table == vp.discrete(1).table
        with pytest.raises(Refused, match="A maximum win of 9 IMPs is too small for 11 whole"):
            vp.scale_of(1, "discrete", blitz=9)


@given(
    draw=st.integers(2, 20),
    blitz=st.decimals(40, 300, places=2),
    name=st.sampled_from(["continuous", "discrete"]),
)
def test_whatever_they_are_the_scale_rises_to_twice_the_draw(
    draw: int, blitz: Decimal, name: str
) -> None:
    scale = vp.scale_of(16, name, draw=draw, blitz=blitz)
    assert (scale.table[0], scale.table[-1]) == (100 * draw, 200 * draw)
    assert all(before <= after for before, after in pairwise(scale.table))
    if name == "continuous":
        steps = [after - before for before, after in pairwise(scale.table)]
        assert steps == sorted(steps, reverse=True)
