"""``palmares vp``: rows, formats, and plain words where it cannot answer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from palmares.cli import cli


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["vp", *args])


def rows(*args: str) -> Any:
    result = run(*args, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


class TestOneRow:
    def test_a_margin(self) -> None:
        row = {
            "boards": 16,
            "scale": "continuous",
            "margin": 7,
            "winner": "12.03",
            "loser": "7.97",
        }
        assert rows("--boards", "16", "--margin", "7") == [row]

    def test_a_negative_margin_is_the_same_match_from_the_loser_s_side(self) -> None:
        (won,) = rows("--boards", "16", "--margin", "7")
        assert rows("--boards", "16", "--margin", "-7") == [won | {"margin": -7}]

    def test_no_margin_is_a_draw(self) -> None:
        (row,) = rows("--boards", "16", "--margin", "0")
        assert (row["winner"], row["loser"]) == ("10.00", "10.00")

    def test_discrete_vps_are_whole(self) -> None:
        (row,) = rows("--boards", "16", "--margin", "7", "--scale", "discrete")
        assert (row["winner"], row["loser"]) == ("12", "8")

    @pytest.mark.parametrize(
        ("points", "scale", "margin"),
        [
            ("15", "continuous", 20),
            ("14.80", "continuous", 19),
            ("14.805", "continuous", 20),
            ("20", "continuous", 60),
            ("10", "continuous", 0),
            ("9.99", "continuous", 0),
            ("9.69", "continuous", -1),
            ("20", "discrete", 54),
            ("11", "discrete", 2),
            ("10", "discrete", 0),
            ("9", "discrete", -4),
        ],
    )
    def test_points_give_the_smallest_margin(self, points: str, scale: str, margin: int) -> None:
        (row,) = rows("--boards", "16", "--points", points, "--scale", scale)
        assert row["margin"] == margin

    def test_a_half_match(self) -> None:
        (row,) = rows("--boards", "3", "--margin", "15", "--scale", "half-match-discrete")
        assert (row["winner"], row["loser"]) == ("10", "0")


class TestWholeTable:
    def test_continuous(self) -> None:
        table = rows("--boards", "8")
        assert [row["margin"] for row in table] == list(range(44))
        assert list(table[0]) == ["boards", "scale", "margin", "winner", "loser"]
        assert (table[-1]["winner"], table[-1]["loser"]) == ("20.00", "0.00")

    def test_discrete(self) -> None:
        table = rows("--boards", "8", "--scale", "discrete")
        assert table[0] == {"from": 0, "to": 0, "winner": "10", "loser": "10"}
        assert table[-1] == {"from": 39, "to": None, "winner": "20", "loser": "0"}

    def test_corrections(self) -> None:
        row = {
            "boards": 8,
            "scale": "continuous",
            "margin": 40,
            "before": "19.73",
            "after": "19.74",
        }
        assert rows("--boards", "8", "--corrections") == [row]

    def test_discrete_corrections(self) -> None:
        (row,) = rows("--boards", "8", "--scale", "discrete", "--corrections")
        assert (row["margin"], row["before"], row["after"]) == (1, "10", "11")


class TestForPeople:
    def test_the_table_says_what_was_corrected(self) -> None:
        result = run("--boards", "8")
        assert "WBF VP scale, continuous, 8 boards" in result.stdout
        assert "8 boards: 1 violation, 1 raise of 0.01 in 1 cell" in result.stdout

    def test_the_discrete_table_too(self) -> None:
        result = run("--boards", "8", "--scale", "discrete")
        assert "8 boards: 1 violation, 1 IMP moved to the next score" in result.stdout

    def test_range_violations_stand_below_the_table(self) -> None:
        result = run("--boards", "7", "--scale", "discrete")
        assert "11 VPs are 1 to 2 IMPs, and the curve reaches 11 VPs at 2.18" in result.stdout
        assert result.stderr == ""

    @pytest.mark.parametrize("format_", ["csv", "json"])
    def test_range_violations_are_warnings_beside_data(self, format_: str) -> None:
        result = run("--boards", "7", "--scale", "discrete", "--format", format_)
        assert "11 VPs are 1 to 2 IMPs" in result.stderr
        assert "curve" not in result.stdout
        assert result.exit_code == 0

    @pytest.mark.parametrize(("margin", "warned"), [("1", True), ("3", False)])
    def test_one_row_warns_of_its_own_score_only(self, margin: str, warned: bool) -> None:
        args = ("--boards", "7", "--scale", "discrete", "--margin", margin, "--format", "csv")
        assert bool(run(*args).stderr) is warned

    def test_a_file_takes_its_format_from_its_suffix(self, tmp_path: Path) -> None:
        result = run("--boards", "16", "--margin", "-7", "-o", str(tmp_path / "row.csv"))
        assert (result.exit_code, result.stdout) == (0, "")
        assert (tmp_path / "row.csv").read_text() == (
            "boards,scale,margin,winner,loser\n16,continuous,-7,12.03,7.97\n"
        )


class TestRefusals:
    @pytest.mark.parametrize(
        ("args", "says"),
        [
            (["--boards", "0"], "The number of boards is 1 to 1000000, not 0"),
            (["--boards", "-16"], "not -16"),
            (["--boards", "1000001"], "not 1000001"),
            (["--boards", "16", "--points", "25"], "gives 0 to 20.00 VPs to a side, not 25"),
            (["--boards", "16", "--points", "20.01"], "not 20.01"),
            (["--boards", "16", "--points", "-1"], "not -1"),
            (["--boards", "16", "--points", "0"], "Every margin reaches 0 VPs"),
            (["--boards", "3", "--scale", "half-match", "--points", "11"], "gives 0 to 10.00 VPs"),
            (["--boards", "16", "--margin", "1000000001"], "at most 1000000000 IMPs"),
        ],
    )
    def test_a_question_without_an_answer_is_one_line(self, args: list[str], says: str) -> None:
        result = run(*args)
        assert (result.exit_code, result.stdout) == (1, "")
        assert says in result.stderr
        assert result.stderr.count("\n") == 1

    @pytest.mark.parametrize(
        "args",
        [
            [],
            ["--boards", ""],
            ["--boards", "16.5"],
            ["--boards", "sixteen"],
            ["--boards", "1e999999999"],
            ["--boards", "9" * 5000],
            ["--boards", "16", "--margin", "7.5"],
            ["--boards", "16", "--margin", "1e999999999"],
            ["--boards", "16", "--margin", "nan"],
            ["--boards", "16", "--points", "1e999999999"],
            ["--boards", "16", "--points", "inf"],
            ["--boards", "16", "--points", "15,5"],
            ["--boards", "16", "--scale", "quadratic"],
            ["--boards", "16", "--margin", "7", "--points", "12"],
            ["--boards", "16", "--margin", "7", "--corrections"],
        ],
    )
    def test_a_malformed_option_is_a_usage_error(self, args: list[str]) -> None:
        result = run(*args)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "Error: " in result.stderr
        assert max(map(len, result.stderr.splitlines())) < 160


def test_one_row_loads_no_heavy_library() -> None:
    script = (
        "import sys; from palmares.cli import cli;"
        "cli(['vp', '--boards', '16', '--margin', '7'], standalone_mode=False);"
        "print(*{'polars', 'numpy', 'numba', 'rich', 'pycountry'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == ""
