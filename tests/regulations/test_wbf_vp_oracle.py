"""WBF VP scales against a second computation, and what must hold for every match."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.bridge import vp
from palmares.core.mathx import settled
from palmares.points.kernels.compiled import jitted
from palmares.regulations import wbf_vp
from tests.regulations import oracle_wbf_vp as oracle

BOARDS = st.integers(1, 400)
SCALE = st.sampled_from(vp.SCALES)
RULES = vp.edition()


def lasts(scale: vp.Scale) -> list[int]:
    return [one.last for one in scale.ranges() if one.last is not None]


def own_cells(scale: vp.Scale, margin: int) -> int:
    winner = wbf_vp.winner_cells(scale.table, margin)
    return winner if margin >= 0 else scale.full - winner


class TestAgainstTheOracle:
    """1 to 200 boards, every cell."""

    def test_continuous(self) -> None:
        for boards in range(1, 201):
            assert list(vp.continuous(boards).table) == oracle.continuous(boards)

    def test_discrete(self) -> None:
        for boards in range(1, 201):
            assert lasts(vp.discrete(boards)) == oracle.discrete(boards)

    def test_half_match(self) -> None:
        for boards in range(1, 51):
            halves = {"draw": 5, "halves": 2}
            fine = vp.scale_of(boards, "half-match")
            coarse = vp.scale_of(boards, "half-match-discrete")
            assert list(fine.table) == oracle.continuous(boards, **halves)
            assert lasts(coarse) == oracle.discrete(boards, **halves)

    def test_range_violations(self) -> None:
        for boards in range(1, 101):
            found = [one.score for one in vp.discrete(boards).range_violations]
            assert found == oracle.range_violations(boards)

    def test_in_fractions_throughout(self) -> None:
        """What floats settle is what 60 digits give."""
        for boards in (1, 16, 137):
            curve = wbf_vp.curve(RULES, boards)
            table = wbf_vp.rounded_table(RULES.constants, curve)
            exact = [int(100 * wbf_vp.vmap(i, *curve) + Fraction(1, 2)) for i in range(len(table))]
            assert [min(cell, 2000) for cell in exact] == list(table)


class TestThePrintedLoop:
    """'while TestViol = true … V(m-1) := V(m-1) + 0.01 … Recompute all ddV(i) as above'."""

    def test_makes_the_same_raises(self) -> None:
        for boards in range(1, 151):
            rounded = oracle.rounded(boards)
            trace = oracle.printed_loop(rounded)
            scale = vp.continuous(boards)
            assert scale.changes == len(trace)
            assert list(scale.table) == (trace[-1][1] if trace else rounded)
            assert {one.margin for one in scale.corrections} == {margin for margin, _ in trace}
            assert scale.violations == sum(
                second > 0 for second in oracle.differences(oracle.differences(rounded))
            )

    @given(st.lists(st.integers(0, 60), min_size=1, max_size=12))
    def test_on_any_table(self, cells: list[int]) -> None:
        trace = oracle.printed_loop(cells)
        assert list(wbf_vp.concave(cells)) == (trace[-1][1] if trace else cells)


class TestEveryMatch:
    """What holds for any number of boards."""

    @given(boards=BOARDS, scale=st.sampled_from(["continuous", "half-match"]))
    def test_each_imp_gains_no_more_than_the_one_before(self, boards: int, scale: str) -> None:
        steps = [after - cell for cell, after in pairwise(vp.scale_of(boards, scale).table)]
        assert steps == sorted(steps, reverse=True)

    @given(boards=BOARDS, scale=SCALE)
    def test_a_larger_margin_never_scores_less(self, boards: int, scale: str) -> None:
        held = vp.scale_of(boards, scale)
        assert list(held.table) == sorted(held.table)
        assert (held.table[0], held.table[-1]) == (held.full // 2, held.full)

    @given(boards=BOARDS, scale=SCALE, margin=st.integers(-500, 500))
    def test_both_sides_share_the_whole(self, boards: int, scale: str, margin: int) -> None:
        score, mirrored = vp.vps(boards, margin, scale), vp.vps(boards, -margin, scale)
        assert (score.winner + score.loser) * 100 == vp.scale_of(boards, scale).full
        assert (score.winner, score.loser) == (mirrored.winner, mirrored.loser)
        assert (score.margin, mirrored.margin) == (margin, -margin)

    @given(boards=BOARDS, scale=SCALE, points=st.decimals("0.01", 10, places=2))
    @settings(deadline=None)
    def test_margin_for_is_the_smallest(self, boards: int, scale: str, points: float) -> None:
        held = vp.scale_of(boards, scale)
        margin, wanted = held.margin_for(points), points * 100
        assert own_cells(held, margin) >= wanted
        assert own_cells(held, margin - 1) < wanted or wanted == own_cells(held, 0)

    @given(boards=BOARDS, scale=SCALE, margin=st.integers(0, 300))
    def test_margin_for_undoes_vps(self, boards: int, scale: str, margin: int) -> None:
        points = vp.vps(boards, margin, scale).winner
        found = vp.margin_for(boards, points, scale)
        assert found <= margin
        assert vp.vps(boards, found, scale).winner == points


class TestCompiled:
    """The same clauses as machine code."""

    def test_give_what_they_give_in_python(self) -> None:
        compiled = jitted(wbf_vp)
        cells = np.array(vp.continuous(16).table, dtype=np.int64)
        curve = tuple(map(float, wbf_vp.curve(RULES, 16)))
        for margin in (-61, -60, -7, 0, 7, 59, 60, 1000):
            winner = wbf_vp.winner_cells(cells.tolist(), margin)
            assert compiled["winner_cells"](cells, margin) == winner
            assert compiled["loser_cells"](2000, winner) == 2000 - winner
        for margin in (0, 7, 60):
            points = wbf_vp.vmap(margin, *curve)
            assert compiled["vmap"](margin, *curve) == pytest.approx(points, rel=1e-15)
            assert compiled["imap"](points, *curve) == pytest.approx(margin, abs=1e-12)


class TestSettled:
    """Which side of a whole number a value is on."""

    @staticmethod
    def same(value: Fraction) -> Fraction:
        return value

    def test_floats_serve_away_from_whole_numbers(self) -> None:
        assert settled(self.same, Fraction("1.5")) == 1.5
        assert isinstance(settled(self.same, Fraction("1.5")), float)

    @pytest.mark.parametrize(
        ("value", "settles_at"),
        [
            (1 - Fraction(1, 10**20), 1 - Fraction(1, 10**20)),  # a float would say 1
            (1 + Fraction(1, 10**20), 1 + Fraction(1, 10**20)),
            (1 - Fraction(1, 10**50), Fraction(1)),  # 60 digits of what is 1
            (Fraction(1), Fraction(1)),
        ],
    )
    def test_near_whole_numbers_60_digits_decide(
        self, value: Fraction, settles_at: Fraction
    ) -> None:
        assert settled(self.same, value) == settles_at
