"""``make witness`` changes what it says, and takes nothing but an assertion for a witness."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from palmares.regulations import REGULATIONS
from palmares.testing import witness
from tests.witness import asked


@pytest.mark.parametrize(
    ("number", "unit", "up", "nudged"),
    [
        (1095, "days", True, 1096),
        (2001, "calendar year", False, 2000),
        (40, "percentile", True, Decimal("40.04")),
        (Decimal("0.75"), "1", True, Decimal("0.75075")),
        (Decimal("0.75"), "1", False, Decimal("0.74925")),
        (Decimal("0.0"), "1", True, Decimal("0.001")),
        ("1/3", "1", True, "1001/3000"),
    ],
)
def test_a_number_is_nudged(number: Any, unit: str, up: bool, nudged: Any) -> None:
    assert witness.nudged(number, unit, flags=False, up=up) == nudged


def test_a_flag_is_turned() -> None:
    assert witness.are_flags({"basic": 1, "none": 0})
    assert not witness.are_flags({"main": 1, "consolation": 2})
    assert not witness.are_flags(1)
    assert [witness.nudged(flag, "1", flags=True, up=True) for flag in (0, 1)] == [1, 0]


@pytest.mark.parametrize("held", REGULATIONS, ids=lambda held: held.name)
def test_a_changed_sheet_differs_in_that_one_number(held: Any, tmp_path: Path) -> None:
    for place, change in enumerate(witness.changes(held)):
        folder = tmp_path / str(place)
        folder.mkdir()
        assert change.after != change.before
        assert witness.write(change, folder) == ""


def test_a_change_that_changes_nothing_is_no_trial(tmp_path: Path) -> None:
    (change, *_) = witness.changes(REGULATIONS[0])
    gone = replace(change, place=("constants", "k", "unit"), after="2")
    assert witness.write(gone, tmp_path) == "undated.toml could not be rewritten"


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
    assert witness.asserted(error) is is_assertion


def test_files_that_read_the_sheets_are_not_asked() -> None:
    names = [Path(path).name for path in asked("usbgf")]
    assert "test_usbgf_clauses.py" in names
    assert "test_usbgf_sheets.py" not in names
