"""Players of several reports as one table (wbgf reading W17)."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from palmares.core.errors import PalmaresWarning
from palmares.formats.load import read

REPORT = """
[tournament]
name       = "Open {year}"
discipline = "backgammon"
end_date   = {year}-01-05

[[event]]
name      = "Main"
kind      = "championship"
entry_fee = 100

[event.main]
entrants = 32
placings = '''
1  Ada Novak ({nation}) [n1]
2  Ben Olsen (DEN)
'''
"""


@pytest.fixture
def season(tmp_path: Path) -> Path:
    for year, nation in ((2021, "GER"), (2019, "CZE")):
        text = REPORT.format(year=year, nation=nation)
        (tmp_path / f"{nation}.toml").write_text(text, encoding="utf-8")
    return tmp_path


class TestAChangeOfNationality:
    """'the nation held now, history kept'"""

    def test_the_latest_tournament_says_which_nation_is_held_now(self, season: Path) -> None:
        with pytest.warns(
            PalmaresWarning,
            match=(
                r"n1 is CZE and DEU in different reports; DEU, of the latest tournament,"
                r" \S*2021\S*, is"
            ),
        ):
            facts = read(season)

        now = dict(facts["players"].select("player_id", "nation").iter_rows())
        assert now == {"n1": "DEU", "Ben Olsen (DNK)": "DNK"}

    def test_each_placing_keeps_the_nation_held_then(self, season: Path) -> None:
        with pytest.warns(PalmaresWarning):
            facts = read(season)

        then = facts["placings"].filter(pl.col("player_id") == "n1").sort("event_id")["nation"]
        assert then.to_list() == ["CZE", "DEU"]
