"""Clauses: plain functions of numbers, that can be watched at work."""

from __future__ import annotations

from contextvars import copy_context
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from palmares.regulations.tracing import TraceStep, clause, traced


class Constants(NamedTuple):
    rate: Any
    cap: Any


C = Constants(Fraction(3, 2), 10)
TABLE = MappingProxyType({"low": 1, "high": 5})


@clause("cup capped")
def capped(constants: Constants, uncapped: Any) -> Any:
    """No more than the cap."""
    return min(uncapped, constants.cap)


@clause("cup value")
def value(constants: Constants, players: int, bonus: int = 0) -> Any:
    """Players at a rate, capped."""
    return capped(constants, players * constants.rate) + bonus


@clause("cup level", plain_only=True)
def level(table: Any, name: str) -> Any:
    """What the table says."""
    return table[name]


@clause("cup refused")
def refused(players: int) -> Any:
    """Never computes."""
    raise ZeroDivisionError


class TestClause:
    def test_computes_what_the_function_computes(self) -> None:
        assert value(C, 4) == value.__wrapped__(C, 4) == 6
        assert value(C, players=8, bonus=1) == 11

    def test_knows_its_reference(self) -> None:
        assert (value.clause, value.plain_only) == ("value", False)
        assert (level.clause, level.plain_only) == ("level", True)
        assert value.__name__ == "value"
        assert value.__doc__ == "Players at a rate, capped."


class TestTraced:
    def test_outside_nothing_is_kept(self) -> None:
        with traced() as steps:
            pass
        value(C, 4)
        assert list(steps) == []

    def test_a_step_for_each_clause_with_the_steps_that_led_to_it(self) -> None:
        with traced() as steps:
            value(C, 8, bonus=1)
        assert list(steps) == [
            TraceStep(
                clause="value",
                inputs=(("players", 8), ("bonus", 1), ("rate", Fraction(3, 2))),
                value=11,
                because=(
                    TraceStep(clause="capped", inputs=(("uncapped", 12), ("cap", 10)), value=10),
                ),
            )
        ]

    def test_of_a_table_the_rows_that_were_read(self) -> None:
        with traced() as steps:
            level(TABLE, "high")
        assert list(steps) == [
            TraceStep(clause="level", inputs=(("name", "high"), ("high", 5)), value=5)
        ]

    def test_the_result_is_the_same(self) -> None:
        with traced():
            assert value(C, 8, bonus=1) == 11

    def test_one_after_the_other(self) -> None:
        with traced() as steps:
            capped(C, 3)
            capped(C, 30)
        assert [step.value for step in steps] == [3, 10]

    def test_a_clause_that_fails_leaves_no_step_and_spoils_none(self) -> None:
        with traced() as steps:
            with pytest.raises(ZeroDivisionError):
                refused(1)
            capped(C, 3)
        assert [step.clause for step in steps] == ["capped"]

    def test_a_trace_within_a_trace_is_its_own(self) -> None:
        with traced() as outer:
            capped(C, 1)
            with traced() as inner:
                capped(C, 2)
            capped(C, 3)
        assert [step.value for step in outer] == [1, 3]
        assert [step.value for step in inner] == [2]

    def test_an_error_inside_ends_the_trace(self) -> None:
        with pytest.raises(ZeroDivisionError), traced() as steps:
            refused(1)
        capped(C, 3)
        assert list(steps) == []

    def test_what_runs_elsewhere_is_not_kept(self) -> None:
        elsewhere = copy_context()
        with traced() as steps:
            elsewhere.run(capped, C, 3)
        assert list(steps) == []
