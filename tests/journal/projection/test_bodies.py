"""Reports as entries keep them: the same facts whatever the order of rows, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from palmares.core.canonical import canonical
from palmares.facts import Facts
from palmares.facts.schema import FILE, LINE, REPORT_TABLES
from palmares.formats.load import gathered
from palmares.journal.projection.bodies import (
    by_tournament,
    content_digest,
    frames,
    is_replaced,
    matching_rows,
    with_overrides,
)
from palmares.journal.store.entries import Override, Replacement
from tests.journal.reports import tabled
from tests.journal.statements import tables
from tests.packages import BACKGAMMON, write
from tests.season import season, shuffled, written


def bare(table: pl.DataFrame) -> list[tuple[Any, ...]]:
    """Rows without the place they come from."""
    return sorted(table.drop(FILE, LINE).iter_rows(), key=repr)


def test_what_an_entry_keeps(tmp_path: Path) -> None:
    found = tabled(gathered(write(tmp_path / "p", **BACKGAMMON)))
    assert found == {
        "tournaments": {
            "tournament_id": ["T"],
            "name": ["Prague Open"],
            "discipline": ["backgammon"],
            "end_date": ["2019-11-15"],
        },
        "events": {
            "event_id": ["E"],
            "tournament_id": ["T"],
            "name": ["Prague Main"],
            "kind": ["championship"],
            "entrants": [4],
            "entry_fee": ["100"],
            "national_championship": [True],
        },
        "placings": {
            "event_id": ["E", "E", "E", "E"],
            "player_id": ["a", "b", "c", "d"],
            "rank": [1, 2, 3, 3],
        },
    }


@pytest.mark.parametrize("number", range(5))
def test_into_json_and_back(tmp_path: Path, number: int) -> None:
    facts = gathered(written(season(number), tmp_path / "p"))
    found = by_tournament(facts)
    assert canonical(found)
    back = frames(enumerate(found.values(), 7))
    for name in REPORT_TABLES:
        assert back[name].schema == Facts()[name].schema
        assert bare(back[name]) == bare(facts[name].select(back[name].columns))
    assert back["placings"].select(FILE, LINE).row(1) == ("entry 7", 2)


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    one = gathered(written(season(3), tmp_path / "a"))
    other = gathered(written(shuffled(season(3), 4), tmp_path / "b"))
    assert canonical(by_tournament(one)) == canonical(by_tournament(other))


def test_a_decimal_has_one_spelling(tmp_path: Path) -> None:
    fees = ("100", "100.0", "100.000000000000")
    found = {
        content_digest(
            tabled(
                gathered(
                    write(
                        tmp_path / fee,
                        **BACKGAMMON | {"events": BACKGAMMON["events"].replace("100", fee)},
                    )
                )
            )
        )
        for fee in fees
    }
    assert len(found) == 1


class TestOverrides:
    def test_a_cell_that_was_there_and_one_that_was_not(self) -> None:
        row = {"event_id": "T/main", "flight": "main", "player_id": "P2"}
        override = setting("placings", row, rank=2, tied=1)
        found = with_overrides(tables("T", {"P1": 1, "P2": 1}), [override])["placings"]
        assert found["rank"] == [1, 2]
        assert found["tied"] == [None, 1]

    def test_a_row_that_is_not_there(self) -> None:
        override = setting("placings", {"player_id": "P9"}, rank=2)
        before = tables("T", {"P1": 1})
        assert matching_rows(before["placings"], override.row) == []
        assert frames([(1, with_overrides(before, [override]))])["placings"]["rank"].to_list() == [
            1
        ]

    def test_somebody_else(self) -> None:
        found = with_overrides(
            tables("T", {"P1": 1, "P2": 2}),
            [Override(player=Replacement("P1", "P3"), reason="another")],
        )
        assert found["placings"]["player_id"] == ["P3", "P2"]


def setting(table: str, row: dict[str, Any], **cells: Any) -> Override:
    """What an officer sets in a row."""
    return Override(table=table, row=row, cells=cells, reason="a slip")


MAIN = {"event_id": "T/main"}
FIRST = {**MAIN, "player_id": "P1"}


@pytest.mark.parametrize(
    ("overrides", "seen"),
    [
        ([setting("events", MAIN, entry_fee="200")], [True]),
        (
            [setting("events", MAIN, entry_fee="200"), setting("events", MAIN, entry_fee="300")],
            [False, True],
        ),
        (  # another cell of the row stays
            [
                setting("events", MAIN, entry_fee="200", entrants=9),
                setting("events", MAIN, entry_fee="300"),
            ],
            [True, True],
        ),
        (  # its cells by two others together
            [
                setting("events", MAIN, entry_fee="200", entrants=9),
                setting("events", MAIN, entry_fee="300"),
                setting("events", MAIN, entrants=10),
            ],
            [False, True, True],
        ),
        (  # another row
            [
                setting("placings", FIRST, rank=3),
                setting("placings", {**MAIN, "player_id": "P2"}, rank=1),
            ],
            [True, True],
        ),
        (  # another player in all of the report
            [
                Override(player=Replacement("P1", "P3"), reason="another"),
                Override(player=Replacement("P3", "P1"), reason="and back"),
            ],
            [True, True],
        ),
    ],
)
def test_overrides_that_are_still_seen(overrides: list[Override], seen: list[bool]) -> None:
    found = [not is_replaced(one, overrides[at + 1 :]) for at, one in enumerate(overrides)]
    assert found == seen
