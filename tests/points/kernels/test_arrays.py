"""Columns: operations of values, and what happens where one answer is not enough."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from palmares.points.kernels.arrays import EncodedColumn, SingleValueNeeded, TwoAnswers, Unknown


def column(*values: Any) -> Any:
    """Each value of its own number, the last ones first."""
    return EncodedColumn(values[::-1], np.arange(len(values))[::-1])


def listed(found: EncodedColumn) -> list[Any]:
    return [found.values[code] for code in found.codes]


class TestColumns:
    def test_operations_are_those_of_the_values(self) -> None:
        fees = column(Fraction(1, 3), Fraction(100), Fraction(1, 3))
        assert listed(fees * Fraction(3)) == [1, 300, 1]
        assert listed(1 - fees) == [Fraction(2, 3), -99, Fraction(2, 3)]
        assert listed(fees / column(2, 3, 4)) == [Fraction(1, 6), Fraction(100, 3), Fraction(1, 12)]
        assert listed(column(0.1, 0.2) + column(0.2, 0.1)) == [0.1 + 0.2, 0.2 + 0.1]

    def test_an_operation_is_done_once_for_equal_pairs(self) -> None:
        of: Any = np.array([0, 1] * 500)
        fees: Any = EncodedColumn([Fraction(50), Fraction(100)], of)
        assert len((fees * EncodedColumn([2, 3, 4], of)).values) == 2

    def test_a_value_that_nobody_has_is_not_asked(self) -> None:
        some = EncodedColumn([0, 1, 2], np.array([0, 1, 2])).of(np.array([1, 2, 2]))
        assert listed(some.each(lambda one: 6 // one)) == [6, 3, 3]
        assert some

    def test_two_answers_split(self) -> None:
        with pytest.raises(TwoAnswers) as split:
            min(column(3, 7, 5), 5)
        assert split.value.holds.tolist() == [False, True, False]
        assert listed(min(column(3, 5), 5)) == [3, 5]

    def test_a_look_up_splits_by_value(self) -> None:
        names = column("main", "other", "main")
        with pytest.raises(TwoAnswers) as split:
            _ = {"main": 1}[names]
        assert split.value.holds.tolist() in ([True, False, True], [False, True, False])
        assert {"main": 1}[names.of(np.array([0, 2]))] == 1

    def test_tuples_come_apart(self) -> None:
        first, second = column((1, "a"), (2, "b"))
        assert (listed(first), listed(second)) == ([1, 2], ["a", "b"])

    @pytest.mark.parametrize("value", [column(1, 2), Unknown()], ids=["column", "unknown"])
    @pytest.mark.parametrize("ask", [str, float, len, "{:.2f}".format, list, repr])
    def test_all_else_is_for_one_at_a_time(self, value: Any, ask: Any) -> None:
        with pytest.raises(SingleValueNeeded):
            ask(value)
