"""WBF VP scales: the published tables, and what the report says of its own scales."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from palmares.bridge import vp
from palmares.regulations import wbf_vp
from palmares.regulations.tracing import traced

PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "wbf_vp.json").read_text("utf-8"))
RULES = vp.edition()
CONSTANTS = RULES.constants


def by_boards(entry: dict[str, Any]) -> str:
    return f"{entry['boards']} boards"


class TestPublishedTables:
    """Tables and results that others computed and printed."""

    @pytest.mark.parametrize("table", PUBLISHED["continuous"], ids=by_boards)
    def test_continuous(self, table: dict[str, Any]) -> None:
        assert list(vp.continuous(table["boards"]).table) == table["win_hundredths"]

    @pytest.mark.parametrize("table", PUBLISHED["discrete"], ids=by_boards)
    def test_discrete(self, table: dict[str, Any]) -> None:
        ranges = vp.discrete(table["boards"]).ranges()
        assert {str(one.winner): one.first for one in ranges} == table["first_margin_for_vp"]

    @pytest.mark.parametrize("table", PUBLISHED["half_match_discrete"], ids=by_boards)
    def test_half_match(self, table: dict[str, Any]) -> None:
        draw, *ranges = vp.scale_of(table["boards"], "half-match-discrete").ranges()
        assert (draw.first, draw.last, str(draw.winner)) == (0, 0, "5")
        assert {str(one.winner): one.first for one in ranges} == table["first_margin_for_vp"]

    @pytest.mark.parametrize("match", PUBLISHED["matches"], ids=by_boards)
    def test_match(self, match: dict[str, Any]) -> None:
        score = vp.vps(match["boards"], match["margin"])
        ours = score.winner if match["margin"] >= 0 else score.loser
        assert str(ours) == match["vp_reported"]


class TestLoser:
    """'If team A wins V Victory Points, then its opponent, team B, wins (20−V) Victory Points.'"""

    @pytest.mark.parametrize(
        ("winner", "loser"), [(1000, 2000 - 1000), (1203, 2000 - 1203), (2000, 0)]
    )
    def test_has_the_rest_of_twenty(self, winner: int, loser: int) -> None:
        assert wbf_vp.loser_cells(wbf_vp.full_cells(CONSTANTS, CONSTANTS.draw), winner) == loser


class TestCurve:
    """'V(0) = V0; V(X) = 2V0; V(⅓X) = 3/2 V0' (Eq. 7): the draw, the blitz and the median."""

    @pytest.mark.parametrize("boards", [1, 9, 16])
    def test_passes_its_three_points(self, boards: int) -> None:
        draw, blitz, ratio = wbf_vp.curve(RULES, boards)
        assert wbf_vp.vmap(0, draw, blitz, ratio) == 10
        assert abs(wbf_vp.vmap(blitz / 3, draw, blitz, ratio) - 15) < Fraction(1, 10**50)
        assert abs(wbf_vp.vmap(blitz, draw, blitz, ratio) - 20) < Fraction(1, 10**50)

    def test_prints_its_ratio_to_six_decimals(self) -> None:
        """'R = √5 − 2 = 0.236068' (Eq. 5)."""
        assert f"{float(wbf_vp.ratio(CONSTANTS)):.6f}" == "0.236068"

    @pytest.mark.parametrize(("boards", "blitz"), [(1, 15), (9, 15 * 3), (16, 15 * 4)])
    def test_blitz_is_15_roots_of_the_boards(self, boards: int, blitz: int) -> None:
        """'X = 15 √N' (Eq. 3)."""
        assert wbf_vp.blitz(CONSTANTS, Fraction(boards)) == blitz

    @pytest.mark.parametrize("score", [10, 11, 15, 20])
    def test_imap_undoes_vmap(self, score: int) -> None:
        """'given the winner's VP score V, the IMP mapping Imap that generates this VP value'."""
        curve = wbf_vp.curve(RULES, 20)
        margin = wbf_vp.imap(Fraction(score), *curve)
        assert abs(wbf_vp.vmap(margin, *curve) - score) < Fraction(1, 10**50)


class TestContinuousTable:
    """'For IMP margin i = 0 to ceil(X) in steps of 1–IMP compute the VP table'."""

    @pytest.mark.parametrize(
        ("boards", "last"),
        [
            (8, 43),  # X = 15 √8 = 42.43
            (9, 45),  # X = 15 · 3, X itself (reading V4)
            (10, 48),  # X = 15 √10 = 47.43
            (16, 60),
            (100, 150),
            (1_000_000, 15_000),
        ],
    )
    def test_ends_at_the_ceiling_of_the_blitz(self, boards: int, last: int) -> None:
        curve = wbf_vp.curve(RULES, boards)
        table = wbf_vp.rounded_table(CONSTANTS, curve)
        assert len(table) == last + 1
        assert (table[0], table[-1]) == (1000, 2000)

    def test_a_value_ending_in_exactly_point_five_is_rounded_up(self) -> None:
        """With R = 1/4, half-way to the blitz: V0 + V0 (1 − 1/2) / (1 − 1/4) = 5/3 V0."""
        for_half = wbf_vp.ExponentialCurve(Fraction("3.003"), Fraction(2), Fraction(1, 4))
        assert wbf_vp.rounded_cells(CONSTANTS, 1, *for_half) == 501  # 5.005 VPs
        for_less = for_half._replace(draw=Fraction("3.00299999999999"))
        assert wbf_vp.rounded_cells(CONSTANTS, 1, *for_less) == 500

    def test_20_vps_can_be_reached_one_imp_early(self) -> None:
        early = [n for n in range(1, 101) if vp.continuous(n).table.count(2000) > 1]
        assert early == [41, 50, 62, 63, 74, 86, 91]

    def test_beyond_the_table_the_last_entry_holds(self) -> None:
        assert [str(vp.vps(8, margin).winner) for margin in (42, 43, 44, 200)] == [
            "19.95",
            "20.00",
            "20.00",
            "20.00",
        ]

    def test_six_digits_of_the_ratio_give_a_wrong_cell_for_137_boards(self) -> None:
        """Reading V3: R in full precision."""
        curve = wbf_vp.curve(RULES, 137)
        right = wbf_vp.rounded_table(CONSTANTS, curve)
        wrong = wbf_vp.rounded_table(CONSTANTS, curve._replace(ratio=Fraction("0.236068")))
        assert sum(a != b for a, b in zip(right, wrong, strict=True)) == 1


class TestContinuousCorrection:
    """'for the case of 8 boards, only one correction is required. However for a 60 board match 24
    correction are required.'
    """

    @pytest.mark.parametrize(
        ("boards", "violations", "raises", "cells", "most"),
        [
            (8, 1, 1, 1, "0.01"),
            (60, 24, 64, 54, "0.03"),  # reading V2
        ],
    )
    def test_counts(self, boards: int, violations: int, raises: int, cells: int, most: str) -> None:
        scale = vp.continuous(boards)
        raised = [one.after - one.before for one in scale.corrections]
        assert (scale.violations, scale.changes, len(scale.corrections)) == (
            violations,
            raises,
            cells,
        )
        assert sum(raised) * 100 == raises
        assert str(max(raised)) == most

    def test_raises_the_middle_of_the_three(self) -> None:
        """Reading V1, on the one correction for 8 boards: 19.62, 19.73, 19.85 has steps 11, 12."""
        (only,) = vp.continuous(8).corrections
        assert (only.margin, str(only.before), str(only.after)) == (40, "19.73", "19.74")

    def test_looks_again_at_the_cell_before(self) -> None:
        """0 1 2 4: the last step is too large; raising 2 makes the second too large, and so on."""
        assert wbf_vp.violations((0, 1, 2, 4)) == (2,)
        assert wbf_vp.concave((0, 1, 2, 4)) == (0, 2, 3, 4)

    def test_the_whole_table_is_corrected_before_it_is_cut(self) -> None:
        """For 8 boards the cell at 40 is raised because of the one at 41."""
        whole = wbf_vp.rounded_table(CONSTANTS, wbf_vp.curve(RULES, 8))
        assert wbf_vp.concave(whole[:41])[40] == 1973
        assert wbf_vp.concave(whole)[40] == 1974

    def test_short_tables_have_nothing_to_correct(self) -> None:
        assert wbf_vp.concave((1000, 2000)) == (1000, 2000)


class TestDiscreteScale:
    """'Several integer IMP scores will lead to the same integer VP score.'"""

    def test_mid_scores(self) -> None:
        """'Vm = [10.5, 11.5, 12.5, . . . , 19.5]' (Eq. 12)."""
        printed = [Fraction(f"{whole}.5") for whole in range(10, 20)]
        assert list(wbf_vp.mid_scores(CONSTANTS, CONSTANTS.draw)) == printed

    def test_a_draw_is_never_wider_than_what_follows(self) -> None:
        """'I2 − I1 ≥ 2 I1 + 1' (Eq. 13), one row on each side."""
        assert wbf_vp.second_range_is_as_wide(1, 1 + 3)
        assert not wbf_vp.second_range_is_as_wide(1, 1 + 2)

    def test_ranges_never_narrow(self) -> None:
        """'(Ik − Ik−1) ≥ (Ik−1 − Ik−2)' (Eq. 14), one row on each side."""
        assert wbf_vp.range_is_as_wide(1, 4, 7)
        assert not wbf_vp.range_is_as_wide(1, 4, 6)

    def test_the_draw_gives_an_imp_away_on_both_sides(self) -> None:
        """8 boards: -1..1 are three IMPs and 2..3 two; I1 falls to 0 and J(1) with it."""
        curve = wbf_vp.curve(RULES, 8)
        first = wbf_vp.cusps(CONSTANTS, curve)
        assert wbf_vp.too_wide(first) == (0,)
        assert first[:3] == (1, 3, 6)
        assert wbf_vp.widening(first)[:3] == (0, 3, 6)
        (only,) = vp.discrete(8).corrections
        assert (only.margin, str(only.before), str(only.after)) == (1, "10", "11")

    def test_a_later_range_gives_an_imp_away(self) -> None:
        """Up to 0, 2, 5, 7 are ranges of 1, 2, 3, 2 IMPs: the third gives one to the last."""
        assert wbf_vp.too_wide((0, 2, 5, 7)) == (2,)
        assert wbf_vp.widening((0, 2, 5, 7)) == (0, 2, 4, 7)

    def test_is_not_the_continuous_scale_rounded(self) -> None:
        scores = [(vp.vps(16, m).winner, vp.vps(16, m, "discrete").winner) for m in range(61)]
        assert any(round(fine) != whole for fine, whole in scores)

    def test_for_20_boards(self) -> None:
        """0-1 = 10, 2-5 = 11, 6-9 = 12."""
        ranges = [(one.first, one.last, str(one.winner)) for one in vp.discrete(20).ranges()]
        assert ranges[:3] == [(0, 1, "10"), (2, 5, "11"), (6, 9, "12")]
        assert ranges[-1] == (61, None, "20")

    def test_no_concavity_violation_is_left_from_4_to_100_boards(self) -> None:
        """'no concavity violations were detected after the correction recursion was employed'."""
        for boards in range(4, 101):
            lasts = [one.last for one in vp.discrete(boards).ranges() if one.last is not None]
            widths = [2 * lasts[0] + 1, *(b - a for a, b in pairwise(lasts))]
            assert widths == sorted(widths)


class TestRangeViolations:
    """'These occurred for board numbers: N = (5, 6, 7)' (§4.1, reading V5)."""

    def test_occur_for_5_6_and_7_boards_only(self) -> None:
        found = [n for n in range(4, 101) if vp.discrete(n).range_violations]
        assert found == [5, 6, 7]

    def test_say_by_how_much(self) -> None:
        """7 boards, 11 VPs: X = 15 √7 = 39.69, X log(1 − 0.764/10) / log 0.236 = 2.18."""
        (only,) = vp.discrete(7).range_violations
        assert (only.score, only.first, only.last) == (11, 1, 2)
        assert round(only.imps, 2) == 2.18


class TestHalfMatch:
    """'The two parameters (V0, X) allow for possible variations' (§2, remark 1)."""

    def test_continuous_goes_from_5_to_10(self) -> None:
        scale = vp.scale_of(3, "half-match")
        assert (scale.table[0], scale.table[-1], scale.full) == (500, 1000, 1000)
        assert len(scale.table) == 19 + 1  # X = 15 √1.5 = 18.37

    def test_a_cusp_that_is_exactly_whole_belongs_to_the_lower_range(self) -> None:
        """2 boards: X = 15 √(2/2), and 7.5 VPs are three quarters of 10: X/3 = 5 IMPs exactly."""
        curve = wbf_vp.curve(RULES, 2, "half-match")
        assert curve[:2] == (5, 15)
        assert wbf_vp.cusp(Fraction("7.5"), *curve) == 5
        assert wbf_vp.cusp(Fraction("7.5"), *wbf_vp.curve(RULES, 18, "half-match")) == 15

    def test_the_sheet_and_the_library_name_the_same_variants(self) -> None:
        assert [*RULES.tables["variants"]] == ["half-match"]
        assert {"half-match", "half-match-discrete"} < set(vp.SCALES)


class TestTraced:
    """A person can follow the computation clause by clause."""

    def test_a_cell_of_the_continuous_table(self) -> None:
        with traced() as steps:
            curve = wbf_vp.curve(RULES, 16)
            wbf_vp.rounded_cells(CONSTANTS, 7, *curve)
        assert [(step.clause, *(inner.clause for inner in step.because)) for step in steps] == [
            ("eq3",),
            ("eq2",),
            ("eq9", "eq1"),
        ]
        assert (steps[0].value, steps[2].value) == (60, 1203)

    def test_the_discrete_scale(self) -> None:
        with traced() as steps:
            curve = wbf_vp.curve(RULES, 8)
            wbf_vp.widening(wbf_vp.cusps(CONSTANTS, curve))
        clauses = [step.clause for step in steps]
        assert clauses == ["eq3", "eq2", "eq12", *["first-pass"] * 10, "discrete-correction"]
        assert {inner.clause for inner in steps[-1].because} == {"eq13", "eq14"}
