"""``palmares history``: what it prints and writes, and plain words where it cannot."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pytest

import palmares
from palmares.core.errors import Refused
from tests.packages import error, rows, run
from tests.points.test_rankings import alone

KEYS = ["player_id", "player", "day", "points", "rank", "results", "expired", "projected"]
EXPIRY_KEYS = ["player_id", "player", "day", "tournament", "event", "points", "rank"]
EXAMPLES = Path(__file__).parents[3] / "examples" / "diplomacy"
AHEAD = ("--until", "2019-01-31", "--ahead", "2022-01-31")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Ada has 10.95 points, which lose 0.01 a day; Ben comes in with 20 on the third day."""
    return alone(tmp_path / "p", [("a", "2019-01-01", "10.95"), ("b", "2019-01-03", "21.9")])


def test_nothing_is_said_beside_it(package: Path) -> None:
    """A process of its own: within the tests a library's warning does not come through."""
    asked = ["history", "wbgf", str(package), "--player", "a", "--until", "2019-02-28"]
    found = subprocess.run(
        [sys.executable, "-m", "palmares", *asked], capture_output=True, text=True, check=True
    )
    assert found.stdout.startswith("Player a: ")
    assert "UserWarning" not in found.stderr


class TestTable:
    def test_of_one_is_without_what_is_the_same_in_every_row(self, package: Path) -> None:
        printed = run("history", "wbgf", package, "--player", "a", "--until", "2019-02-28").stdout
        assert printed == (
            "Player a: WBGF Backgammon World Ranking by month\n\n"
            "day         points  rank  results  expired\n"
            "2019-01-31   10.65     2  Cup 0\n"
            "2019-02-28   10.37     2\n"
        )

    def test_of_a_rating_shows_its_changes(self) -> None:
        wanted = ("dptr", EXAMPLES, "--player", "Andy BARTALONE", "--until", "2019-12-31")
        assert run("history", *wanted).stdout.splitlines() == [
            "Andy BARTALONE: Dip Pouch Tournament Rating by result",
            "",
            "day         change  points  rank  results",
            "2002-10-13    8.42   48.42    10  Tempest in a teapot IV 2002",
            "2004-08-15    7.60   56.02     2  Tempest in a teapot VI 2004",
            "2018-05-27    5.53   61.55     2  Dixie 32 2018",
        ]

    def test_of_a_rating_goes_by_month_where_it_is_asked_to_and_for_scripts(self) -> None:
        wanted = ("dptr", EXAMPLES, "--player", "Andy BARTALONE", "--until", "2002-12-31")
        printed = run("history", *wanted, "--every", "month").stdout.splitlines()
        assert [line.split()[0] for line in printed[3:]] == [
            "2002-10-31",
            "2002-11-30",
            "2002-12-31",
        ]
        found = rows("history", *wanted)
        assert list(found[0]) == KEYS
        assert [row["day"] for row in found] == ["2002-10-31", "2002-11-30", "2002-12-31"]

    def test_by_result_says_what_faded_so_that_rows_add_up(self, tmp_path: Path) -> None:
        """10.95 points lose 0.01 a day: 0.10 in the ten days before the next 10.95"""
        days = [("a", "2019-01-01", "10.95"), ("a", "2019-01-12", "10.95")]
        package = alone(tmp_path / "p", days)
        asked = ("history", "wbgf", package, "--player", "a", "--until", "2019-02-28")
        assert run(*asked, "--every", "result").stdout.splitlines()[2:] == [
            "day         faded before  change that day  points  rank  results  expired",
            "2019-01-01                          10.95   10.95     1  Cup 0",
            "2019-01-12         -0.10            10.94   21.79     1  Cup 1",
        ]
        first, second = rows(*asked, "--every", "result")
        assert first["faded"] is None
        assert second["faded"] == -0.1
        assert round(first["points"] + second["faded"] + second["change"], 9) == second["points"]

    def test_of_several_names_them(self, package: Path) -> None:
        printed = run(
            "history", "wbgf", package, "--player", "b", "--player", "a", "--until", "2019-01-31"
        ).stdout
        title, _, head, *lines = printed.splitlines()
        assert title == "Player b, Player a: WBGF Backgammon World Ranking by month"
        assert head.split() == ["player", "day", "points", "rank", "results", "expired"]
        assert [line[:8] for line in lines] == ["Player b", "Player a"]

    def test_of_many_counts_them(self, tmp_path: Path) -> None:
        package = alone(tmp_path / "p", [(one, "2019-01-01", "1") for one in "abcd"])
        players = [word for one in "abcd" for word in ("--player", one)]
        printed = run("history", "wbgf", package, *players, "--until", "2019-01-31").stdout
        assert printed.startswith("4 players: WBGF Backgammon World Ranking by month\n")

    def test_a_look_ahead_says_which_rows_are(self, package: Path) -> None:
        printed = run("history", "wbgf", package, "--player", "a", *AHEAD).stdout.splitlines()
        assert printed[2].split()[-1] == "projected"
        assert [line.split()[-1] for line in printed[3:]] == ["no", *["yes"] * 36]

    def test_what_expires(self, package: Path) -> None:
        printed = run(
            "history", "wbgf", package, "--player", "a", "--until", "2019-01-31", "--expiries"
        )
        assert printed.stdout == (
            "Player a: WBGF Backgammon World Ranking, what expires after 2019-01-31"
            " if nobody plays\n\n"
            "day         tournament  event    points  rank\n"
            "2021-12-31  Cup 0       Event 0   10.65\n"
        )
        assert "Note:" not in printed.stderr

    def test_steps_do_not_go_with_what_expires(self, package: Path) -> None:
        asked = ("history", "wbgf", package, "--player", "a", "--expiries", "--every", "day")
        refused = run(*asked)
        assert refused.exit_code == 2
        assert "--every is for steps" in refused.stderr

    def test_a_rating_has_no_column_for_what_expires(self, diplomacy: Path) -> None:
        printed = run("history", "dptr", diplomacy, "--player", "a", "--until", "2019-07-31")
        assert printed.stdout.splitlines()[2].split() == [
            "day",
            "change",
            "points",
            "rank",
            "results",
        ]


class TestFiles:
    @pytest.mark.parametrize(("more", "keys"), [((), KEYS), (("--expiries",), EXPIRY_KEYS)])
    def test_every_format_has_the_same_rows(
        self, package: Path, tmp_path: Path, more: tuple[str, ...], keys: list[str]
    ) -> None:
        asked = ("history", "wbgf", package, "--player", "a", "--player", "b", *AHEAD, *more)
        files = {one: tmp_path / f"out.{one}" for one in ("csv", "json", "xlsx", "parquet", "md")}
        for file in files.values():
            assert run(*asked, "-o", file).exit_code == 0
        expected = rows(*asked)
        assert len(expected) == (2 if more else 74)
        assert [list(row) for row in expected] == [keys] * len(expected)
        assert json.loads(files["json"].read_bytes()) == expected
        frame = pl.read_parquet(files["parquet"])
        assert frame.with_columns(pl.col("day").cast(pl.String)).to_dicts() == expected
        with files["csv"].open(encoding="utf-8", newline="") as table:
            assert [row["day"] for row in csv.DictReader(table)] == [row["day"] for row in expected]
        sheet = openpyxl.load_workbook(files["xlsx"]).active
        assert sheet is not None
        assert [cell.value for cell in next(sheet.iter_rows())] == keys
        assert sheet.max_row == len(expected) + 1
        assert files["md"].read_text(encoding="utf-8").count("| Player b |") == len(expected) // 2

    def test_an_empty_list_of_expiries_keeps_its_columns(
        self, diplomacy: Path, tmp_path: Path
    ) -> None:
        file = tmp_path / "none.parquet"
        until = ("--player", "a", "--until", "2019-07-31", "--expiries")
        assert run("history", "dptr", diplomacy, *until, "-o", file).exit_code == 0
        assert pl.read_parquet(file).columns == EXPIRY_KEYS

    def test_a_chart_may_be_drawn_beside_the_list_of_expiries(
        self, package: Path, tmp_path: Path
    ) -> None:
        chart = tmp_path / "a.svg"
        asked = ("history", "wbgf", package, "--player", "a", *AHEAD, "--expiries")
        assert [list(row) for row in rows(*asked, "--chart", chart)] == [EXPIRY_KEYS]
        assert chart.read_text(encoding="utf-8").count("<svg") == 1

    def test_nothing_is_written_where_it_refuses(self, package: Path, tmp_path: Path) -> None:
        chart, out = tmp_path / "a.svg", tmp_path / "a.csv"
        error("history", "wbgf", package, "--player", "z", "--chart", chart, "-o", out)
        assert not chart.exists()
        assert not out.exists()

    def test_two_of_one_name_are_asked_for_by_id(self, tmp_path: Path) -> None:
        package = alone(tmp_path / "p", [("a", "2019-01-01", "1"), ("b", "2019-01-01", "2")])
        text = (package / "players.csv").read_text(encoding="utf-8")
        (package / "players.csv").write_text(text.replace("Player b", "Player a"), encoding="utf-8")
        said = error("history", "wbgf", package, "--player", "Player a", "--player", "z")
        assert "2 players are called Player a. Say the id:" in said
        assert "No player has the id or the name z." in said


@pytest.mark.filterwarnings("ignore::palmares.core.errors.PalmaresWarning")
class TestLibrary:
    UNTIL, LAST = date(2019, 1, 31), date(2022, 1, 31)

    def test_several_players_and_a_look_ahead(self, package: Path) -> None:
        facts, players = palmares.read(package), ["a", "b"]
        found = palmares.history("wbgf", facts, player=players, until=self.UNTIL, ahead=self.LAST)
        asked = ("history", "wbgf", package, "--player", "a", "--player", "b", *AHEAD)
        assert found.with_columns(pl.col("day").cast(pl.String)).to_dicts() == rows(*asked)

        found = palmares.expiries("wbgf", facts, player=players, until=self.UNTIL, ahead=self.LAST)
        expected = rows(*asked, "--expiries")
        assert found.with_columns(pl.col("day").cast(pl.String)).to_dicts() == expected

    @pytest.mark.parametrize(
        ("player", "words"),
        [([], "A history is of a player"), ([5], "A player is an id or a name, not 5")],
    )
    def test_no_player_is_refused(self, package: Path, player: Any, words: str) -> None:
        with pytest.raises(Refused, match=words):
            palmares.history("wbgf", palmares.read(package), player=player)
