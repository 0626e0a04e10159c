"""The policies that surround the scale, clause by clause."""

from __future__ import annotations

from fractions import Fraction

import pytest

from palmares.regulations import wbf_standings as ws
from palmares.regulations.editions import editions, rules

F = Fraction

C = rules(editions("wbf-standings")[-1], ws.Constants, F).constants


class TestMargin:
    """
    'A fraction is rounded to the nearest whole IMP, halves away from an average score, before the
    scale is entered.'
    """

    @pytest.mark.parametrize(
        ("won",     "lost",   "margin"),
        [
            (F(41),     F(21),     20),
            (F(21),     F(41),    -20),
            (F(12),     F(12),      0),
            (F("3.1"),  F(0),       3),   # to the nearest
            (F("3.49"), F(0),       3),
            (F("3.5"),  F(0),       4),   # a half away from 0: up for the winner
            (F(0),      F("3.5"),  -4),   # and down for the loser
            (F(0),      F("3.1"),  -3),
            (F(0),      F("3.9"),  -4),
            (F("2.5"),  F(0),       3),   # not to the even one
            (F("20.5"), F(20),      1),
            (F(20),     F("20.5"), -1),
            (F("20.49"), F(20),     0),   # less than half an IMP is a draw
            (F(20), F("20.49"),     0),
            (F("1.5"),  F("0.5"),   1),   # two halves make a whole IMP, nothing is rounded
            (F(1, 3),   F(0),       0),
            (F(2, 3),   F(0),       1),
            (F(0),      F(2, 3),   -1),
        ],
    )  # fmt: skip
    def test_margin(self, won: Fraction, lost: Fraction, margin: int) -> None:
        assert margin == ws.margin(won, lost)


class TestBye:
    """
    'A team without an opponent in a round has 12 of 20 VPs.'
    """

    @pytest.mark.parametrize(
        ("full",     "bye_vp",  "cells"),
        [
            (2000,       None,       1200),
            (1000,       None,        600),     # of a half match: 12 x 10 / 20
            (2_000_000,  None,  1_200_000),     # in proportion, however fine the scale
            (3000,       None,       1800),
            (1025,       None,        615),
            (2000,       F(10),      1000),     # as the director says
            (2000,       F("12.5"),  1250),
            (2000,       F(0),          0),     # nothing is something the director may say
        ],
    )  # fmt: skip
    def test_bye(self, full: int, bye_vp: Fraction | None, cells: int) -> None:
        assert cells == ws.bye_cells(C, full, bye_vp)


class TestWithdrawal:
    """
    'If a team withdraws before it has played half of its matches, they are all void.'
    """

    @pytest.mark.parametrize(
        ("played", "listed", "void"),
        [
            (0,        5,       True),
            (2,        5,       True),     # 2 < 5/2
            (3,        5,       False),
            (3,        7,       True),
            (2,        4,       False),    # just half
            (1,        4,       True),
            (500,      1000,    False),
            (499,      1000,    True),
        ],
    )  # fmt: skip
    def test_withdrawal(self, played: int, listed: int, *, void: bool) -> None:
        assert void is ws.void_after_withdrawal(C, played, listed)


class TestQuotient:
    """
    'The IMP quotient is the IMPs won divided by the IMPs lost.'
    """

    def test_it_is_a_division(self) -> None:
        assert ws.quotient(F(120), F(80)) == (0, F(3, 2))

    def test_a_team_that_lost_no_imp_is_above_every_other(self) -> None:
        assert ws.quotient(F(1), F(0)) > ws.quotient(F(10**9), F(1))

    def test_of_two_such_teams_the_one_that_won_more(self) -> None:
        assert ws.quotient(F(2), F(0)) > ws.quotient(F(1), F(0))

    def test_without_any_imps_it_is_1(self) -> None:
        assert ws.quotient(F(0), F(0)) == ws.quotient(F(7), F(7)) == (0, F(1))


def test_a_total_is_the_sum_of_its_columns() -> None:
    assert ws.total(3491, 1250, -50) == 3491 + 1250 - 50
