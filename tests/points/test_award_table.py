"""Worked grants as a table: numbers as they are shown, and players as numbers."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import palmares
from palmares.core.rounding import exact_text
from palmares.facts.packages import read_package
from palmares.points import inputs
from palmares.points.award_table import in_points
from tests.season import season, written


@given(st.lists(st.none() | st.integers(-(10**15), 10**15)))
def test_points_show_their_nanopoints(nanopoints: list[int | None]) -> None:
    """41585714286 nanopoints are 41.585714286, not 41.585714286000005."""
    found = in_points(pl.Series(nanopoints, dtype=pl.Int64)).to_list()
    assert found == [None if one is None else float(exact_text(one)) for one in nanopoints]


@pytest.mark.filterwarnings("ignore::palmares.core.errors.PalmaresWarning")
def test_the_library_shows_nine_decimals_at_most(tmp_path: Path) -> None:
    facts = palmares.read(written(season(7), tmp_path / "season"))
    for name in ("wbgf", "usbgf", "dptr"):
        points = palmares.rank(name, facts, as_of=date(2020, 1, 1))["points"].to_list()
        assert max(len(f"{one!r}".partition(".")[2]) for one in points) <= 9


def test_players_are_numbered_in_the_order_of_their_ids(tmp_path: Path) -> None:
    facts = read_package(written(season(7), tmp_path / "season"))
    numbered, ids = inputs.coded(facts)
    assert ids.to_list() == sorted(ids)
    for table, column in (("placings", "player_id"), ("matches", "winner_id")):
        codes = numbered.tables[table][column].to_list()
        assert [ids[code] for code in codes] == facts.tables[table][column].to_list()
