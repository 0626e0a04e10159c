"""
Victory points of many matches at once: as each match has them in its standings.

Over 16 boards 1 IMP is 10.31, 3 is 10.91, 20 is 15.00, 62 is 20 (tests/data,
tests/bridge/team_events.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from palmares.bridge.results import SCHEMA, load_team_event, match_vps
from palmares.bridge.vp import SCALES, vps
from palmares.core.errors import Refused
from palmares.facts import Facts
from palmares.formats.load import read
from tests.packages import run, write

LEAGUE = Path("examples/bridge/water-birds-league.toml")
MATCHES = """\
    match_id,event_id,home,away,boards,home_imps,away_imps,status,home_carry_imps,away_carry_imps,split_home_imps,split_away_imps
    A,E,Heron,Coot,16,40,20,,,,,
    B,E,Heron,Coot,16,20,40,played,,,,
    C,E,Heron,Coot,16,20,20,,0.5,,,
    D,E,Heron,Coot,16,30,10,,,,20,19
    F,E,Heron,,,,,bye,,,,
    G,E,Coot,Heron,0,,,void,,,,
    H,E,Coot,Heron,16,200,0,,,,,
    I,E,Heron,Coot,16,20,20,,0.49,,,
    J,E,Heron,Coot,16,41,21,,0.1,0.55,,
    """
EVENTS = {
    "tournaments": "tournament_id,name,discipline,end_date\nT,League,bridge,2024-03-05\n",
    "events": "event_id,tournament_id,name\nE,T,Teams\n",
}


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return read(write(tmp_path / "p", team_matches=MATCHES, **EVENTS))


def found(facts: Facts, scale: str = "continuous") -> dict[str, tuple[Any, Any, Any]]:
    frame = match_vps(facts, scale)
    assert frame.schema == SCHEMA
    rows = frame.select("match_id", "margin", "home_vp", "away_vp").iter_rows()
    return {match: (margin, home, away) for match, margin, home, away in rows}


def test_by_hand(facts: Facts) -> None:
    assert found(facts) == {
        "A": (20, "15.00", "5.00"),
        "B": (-20, "5.00", "15.00"),
        "C": (1, "10.31", "9.69"),  # half an IMP carried in is a whole one (S3)
        "D": (20, "15.00", "9.69"),  # split: 20 to 19 in the score that counts for Coot
        "F": (None, None, None),
        "G": (None, None, None),
        "H": (200, "20.00", "0.00"),
        "I": (0, "10.00", "10.00"),  # less than half an IMP is a draw
        "J": (20, "15.00", "5.00"),  # 41.1 - 21.55 = 19.55
    }


def test_the_discrete_scale_has_whole_vps(facts: Facts) -> None:
    assert found(facts, "discrete")["A"] == (20, "15", "5")


def test_board_by_board(tmp_path: Path) -> None:
    """A swing of 420 points is 9 IMPs, one of 50 is 2: 9 to 2, a margin of 7."""
    tables = EVENTS | {
        "team_matches": "match_id,event_id,home,away,boards\nA,E,Heron,Coot,2\n",
        "boards": "match_id,board,home_points,away_points\nA,1,420,\nA,2,-50,\n",
    }
    score = vps(2, 7)
    made = found(read(write(tmp_path / "p", **tables)))
    assert made == {"A": (7, str(score.winner), str(score.loser))}


@pytest.mark.parametrize("scale", SCALES)
def test_as_the_standings_have_them(scale: str) -> None:
    facts = read(LEAGUE)
    event = load_team_event(facts, scale=scale)
    results = {
        (result.match_id, team): result
        for team in event.teams
        for result in event.standing(team, event.rounds).results
    }
    for row in match_vps(facts, scale).iter_rows(named=True):
        if row["status"] == "played":
            for side in ("home", "away"):
                theirs = results[row["match_id"], row[side]]
                assert round(100 * float(row[f"{side}_vp"])) == theirs.vp
            assert row["margin"] == results[row["match_id"], row["home"]].margin


def test_no_matches() -> None:
    assert match_vps(Facts()).schema == SCHEMA


def test_no_such_scale(facts: Facts) -> None:
    with pytest.raises(Refused, match="no scale"):
        match_vps(facts, "metric")


class TestCommand:
    def test_a_table_for_people(self) -> None:
        lines = run("vp", "--matches", LEAGUE).stdout.splitlines()
        assert lines[0] == "Victory points, continuous scale"
        round_, home, away, boards, margin, *both = lines[3].split()
        assert (round_, home, away, boards) == ("1", "Heron", "Plover", "16")
        score = vps(16, int(margin))
        assert both == [str(score.winner), str(score.loser)]

    def test_a_file_of_any_kind(self, tmp_path: Path) -> None:
        assert run("vp", "--matches", LEAGUE, "-o", tmp_path / "vps.parquet").exit_code == 0
        assert (tmp_path / "vps.parquet").is_file()

    @pytest.mark.parametrize(
        "wrong",
        [
            (),
            ("--boards", 16, "--matches", LEAGUE),
            ("--matches", LEAGUE, "--margin", 3),
            ("--matches", LEAGUE, "--scale", "both"),
            ("--boards", 16, "--engine", "duckdb"),
        ],
    )
    def test_what_does_not_go_together(self, wrong: tuple[object, ...]) -> None:
        assert run("vp", *wrong).exit_code == 2
