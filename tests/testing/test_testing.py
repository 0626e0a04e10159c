"""Authors of packages test theirs with what ours are tested with."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from palmares.regulations import (
    Event,
    Flight,
    Location,
    Regulation,
    Tournament,
    get_regulation,
)
from palmares.regulations.editions import editions
from palmares.testing import house_rules, three_ways
from palmares.testing.witness import unseen
from tests.regulations import melting

FLIGHT = Flight(name="main", entrants=3, players=["a", "b"], ranks=[1, 3], tied=[1, 1])
CUP = Tournament(
    tournament_id="t",
    name="Cup",
    where=Location("tournaments.csv", 2),
    end_date=date(2020, 1, 28),
    events=(Event(event_id="e", name="Main", where=Location("events.csv", 2), flights=(FLIGHT,)),),
)


@pytest.fixture
def snow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Regulation:
    """A regulation of another package."""
    melting.install(tmp_path, monkeypatch)
    return get_regulation("snow")


def test_one_that_keeps_the_rules(snow: Regulation) -> None:
    assert house_rules(snow) == []
    assert three_ways(snow, [CUP]) == []


def test_a_clause_that_no_function_applies(snow: Regulation) -> None:
    sheet = snow.editions()[0].path.rpartition("/")[2]
    path = Path(str(snow.rules_directory)) / "snow" / sheet
    path.write_text(melting.SHEET + 'thaw = { label = "Rule 4", kind = "computes", says = "." }')
    editions.cache_clear()
    assert [one.partition(": ")[2] for one in house_rules(snow)] == [
        "no function is marked snow thaw"
    ]


def test_a_number_that_no_test_looks_at(snow: Regulation, tmp_path: Path) -> None:
    """Two numbers, of which the test looks at the heaps of snow."""
    test = tmp_path / "test_snow.py"
    test.write_text(
        "from palmares.regulations import get_regulation\n"
        "def test_snow():\n"
        "    assert get_regulation('snow').rulebook().all[0].constants.snow == 3\n"
    )
    told: list[str] = []
    (change,) = unseen(snow, [str(test)], told.append)
    assert change == "snow/2020 constants.days.is: 10 -> 11"
    assert len(told) == 2
