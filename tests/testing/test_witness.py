"""``make witness`` changes what it says, and takes nothing but an assertion for a witness."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from palmares.regulations import REGULATIONS, get_regulation
from palmares.regulations.editions import Edition, read_edition, rules
from palmares.testing import witness
from tests.witness import asked


@pytest.mark.parametrize(
    ("number", "unit", "up", "nudged"),
    [
        ("1095", "days", True, "1096"),
        ("2001", "calendar year", False, "2000"),
        ("40", "percentile", True, "40.04"),
        ("0.75", "1", True, "0.75075"),
        ("0.75", "1", False, "0.74925"),
        ("0", "1", True, "0.001"),
        ("1/3", "1", True, "1001/3000"),
    ],
)
def test_a_number_is_nudged(number: str, unit: str, up: bool, nudged: str) -> None:
    assert witness.changed_number(Fraction(number), unit, flags=False, up=up) == Fraction(nudged)


def test_a_flag_is_turned() -> None:
    zero, one, two = map(Fraction, range(3))
    assert witness.are_flags({"basic": one, "none": zero})
    assert not witness.are_flags({"main": one, "consolation": two})
    assert not witness.are_flags(one)
    assert [witness.changed_number(flag, "1", flags=True, up=True) for flag in (zero, one)] == [
        1,
        0,
    ]


@pytest.mark.parametrize("held", REGULATIONS, ids=lambda held: held.name)
def test_a_changed_edition_differs_in_that_one_number(held: Any) -> None:
    for change in witness.mutations(held):
        before, after = read_edition(change.file), change.read(change.file)
        rules(after, held.constants)
        assert change.after != change.before
        expected = numbers_of(before) | {change.place: change.after}
        assert numbers_of(after) == expected != numbers_of(before)


def test_other_files_stay_as_they_are() -> None:
    change = next(one for one in witness.mutations(get_regulation("usbgf")))
    (other, *_) = (
        one for one in witness.edition_files(get_regulation("usbgf")) if one != change.file
    )
    assert change.read(other) == read_edition(other)


def numbers_of(edition: Edition) -> dict[Any, Fraction]:
    """Every number of an edition by its place."""
    return {
        (part, name, *place): number
        for part in ("constants", "tables")
        for name, entry in getattr(edition, part).items()
        for place, number in witness.numbers(entry.value)
    }


@pytest.mark.parametrize(
    ("error", "is_assertion"),
    [
        (AssertionError(), True),
        (pytest.fail.Exception("DID NOT RAISE"), True),
        (ExceptionGroup("several", [AssertionError(), AssertionError()]), True),
        (ExceptionGroup("several", [AssertionError(), KeyError()]), False),
        (KeyError("Level 7"), False),
    ],
)
def test_only_an_assertion_is_a_witness(error: BaseException, is_assertion: bool) -> None:
    assert witness.is_assertion(error) is is_assertion


def test_files_that_read_edition_files_are_not_asked() -> None:
    names = [Path(path).name for path in asked("usbgf")]
    assert "test_usbgf_clauses.py" in names
    assert "test_usbgf_sheets.py" not in names
