"""``palmares compare``: what it prints and writes, and how it ends."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import openpyxl
import polars as pl
import pytest

from tests.packages import error, run
from tests.points.test_rankings import alone

DAY = ("--as-of", "2019-01-01")
KEYS = ["status", "player_id", "player", "nation", "line", "their_rank", "our_rank",
        "their_points", "our_points", "difference", "cause", "detail"]  # fmt: skip


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """a has 30 + 12.5 points, b 20, c 7.25 and d 3; 10.95 would lose 0.01 a day."""
    points = [("a", "30"), ("a", "12.5"), ("b", "20"), ("c", "7.25"), ("d", "3")]
    return alone(tmp_path / "p", [(one, "2019-01-01", value) for one, value in points], a="CZE")


def listed(package: Path, *lines: str, head: str = "Rank,Name,Points") -> Path:
    """A printed list beside the package."""
    path = package.parent / "theirs.csv"
    path.write_text("\n".join([head, *lines]), encoding="utf-8")
    return path


SAME = ("1,Player a,42.50", "2,Player b,20.00", "3,Player c,7.25", "4,Player d,3.00")
OTHER = ("1,Player a,30.00", "2,Player b,20.00", "4,Player c,7.25", "3,Somebody,8.88")


class TestTable:
    def test_a_list_that_is_ours(self, package: Path) -> None:
        result = run("compare", "wbgf", listed(package, *SAME), package, *DAY)
        assert result.exit_code == 0
        assert result.stdout == (
            "theirs.csv beside WBGF Backgammon World Ranking, as of 2019-01-01\n"
            "\n"
            "4 lines: rank, name, points.\n"
            "4 of 4 lines fit: points rounded to 2 decimals.\n"
            "\n"
            "Players: 4 the same.\n"
        )

    def test_a_list_that_is_not(self, package: Path) -> None:
        result = run("compare", "wbgf", listed(package, *OTHER), package, *DAY)
        assert result.exit_code == 1
        assert result.stdout == (
            "theirs.csv beside WBGF Backgammon World Ranking, as of 2019-01-01\n"
            "\n"
            "4 lines: rank, name, points.\n"
            "2 of 4 lines fit: points rounded to 2 decimals.\n"
            "\n"
            "Players: 1 the same, 1 with our points and another rank, 1 different, 1 only on"
            " theirs, 1 of\n"
            "  ours below the end of their list.\n"
            "\n"
            "status       player    nation  line  their rank  our rank  theirs   ours  difference"
            "  cause\n"
            "differs      Player a  CZE        2           1         1   30.00  42.50      -12.50"
            "  award missing\n"
            "only theirs  Somebody             5           3              8.88                   "
            "  unknown player\n"
            "\n"
            "Player a (line 2): without Event 1 of Cup 1 (main: 12.50).\n"
            "Somebody (line 5): we have no player with this name.\n"
        )

    def test_with_all_the_same_are_shown_too(self, package: Path) -> None:
        printed = run("compare", "wbgf", listed(package, *SAME), package, *DAY, "--all").stdout
        assert [line.split()[0] for line in printed.splitlines()[8:]] == ["same"] * 4

    def test_with_all_every_row_is_shown(self, package: Path) -> None:
        theirs = listed(package, *OTHER)
        printed = run("compare", "wbgf", theirs, package, *DAY, "--all", "--format", "json").stdout
        causes = [row["cause"] for row in json.loads(printed)]
        assert causes == ["award missing", "", "rank follows", "unknown player", "below their list"]

    def test_a_list_of_strangers(self, package: Path) -> None:
        printed = run("compare", "wbgf", listed(package, "1,Nobody,99.00"), package, *DAY).stdout
        assert "\nNot one line has our points.\n" in printed


class TestFiles:
    def test_json_has_all_keys_and_nanopoints_as_points(self, package: Path) -> None:
        result = run("compare", "wbgf", listed(package, *OTHER), package, *DAY, "--format", "json")
        first, *_ = found = json.loads(result.stdout)
        assert [list(row) for row in found] == [KEYS] * 2
        assert first["their_points"] == 30
        assert first["our_points"] == 42.5
        assert first["difference"] == -12.5
        assert "2 of 4 lines fit" in result.stderr

    def test_every_format_has_the_same_rows(self, package: Path, tmp_path: Path) -> None:
        theirs = listed(package, *OTHER)
        for suffix in ("csv", "xlsx", "parquet", "html", "md", "txt", "json"):
            result = run("compare", "wbgf", theirs, package, *DAY, "-o", tmp_path / f"o.{suffix}")
            assert (result.exit_code, result.stdout) == (1, "")
        with (tmp_path / "o.csv").open(encoding="utf-8", newline="") as file:
            assert [row["player"] for row in csv.DictReader(file)] == ["Player a", "Somebody"]
        sheet = openpyxl.load_workbook(tmp_path / "o.xlsx").active
        assert sheet is not None
        assert [cell.value for cell in sheet[1]] == KEYS
        assert pl.read_parquet(tmp_path / "o.parquet")["our_points"].to_list() == [42.5, None]
        assert "<td>award missing</td>" in (tmp_path / "o.html").read_text(encoding="utf-8")
        assert "| differs | Player a | CZE | 2 |" in (tmp_path / "o.md").read_text(encoding="utf-8")
        text = (tmp_path / "o.txt").read_text(encoding="utf-8")
        assert text.startswith("theirs.csv beside WBGF Backgammon World Ranking")
        assert text.endswith("with this name.\n")


class TestOptions:
    def test_a_list_of_one_nation(self, package: Path) -> None:
        theirs = listed(package, "1,Player a,42.50")
        assert run("compare", "wbgf", theirs, package, *DAY, "--nation", "CZE").exit_code == 0

    def test_decimals_that_nothing_shows(self, package: Path) -> None:
        theirs = listed(package, '1,Player a,"42,500"', '2,Player b,"20,000"')
        told = error("compare", "wbgf", theirs, package, *DAY)
        assert "theirs.csv:2: '42,500' may have decimals or thousands" in told
        assert run("compare", "wbgf", theirs, package, *DAY, "--decimal", "comma").exit_code == 0

    def test_another_encoding(self, package: Path) -> None:
        theirs = package.parent / "old.csv"
        theirs.write_bytes("Rang;Spieler;Punkte\n1;Müller;1,5\n".encode("cp1252"))
        assert "is not UTF-8" in error("compare", "wbgf", theirs, package, *DAY)
        result = run("compare", "wbgf", theirs, package, *DAY, "--encoding", "cp1252")
        assert "Müller" in result.stdout


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("wbgf", "none.csv"), "none.csv: the file cannot be read: No such file"),
        (("nothing", "theirs.csv"), "There is no regulation nothing"),
        (("wbf-vp", "theirs.csv"), "awards nothing to players"),
    ],
)
def test_what_cannot_be_compared(package: Path, args: tuple[str, str], told: str) -> None:
    listed(package, *SAME)
    regulation, file = args
    assert told in error("compare", regulation, package.parent / file, package, *DAY)
