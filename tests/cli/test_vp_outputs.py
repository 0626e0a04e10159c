"""``palmares vp``: rulings, both scales, other parameters, a page to print, a picture."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result
from pypdf import PdfReader
from python_calamine import CalamineWorkbook

from palmares.bridge import vp
from palmares.cli import cli
from palmares.render import pdf
from palmares.render.bridge import scale_page

SVG = "{http://www.w3.org/2000/svg}"


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["vp", *args])


def rows(*args: str) -> Any:
    result = run(*args, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


class TestRuling:
    """Published for 16 boards: 19 IMPs are 14.80, 20 are 15.00, 3 are 10.91, 1 is 10.31."""

    def test_every_step_either_way(self) -> None:
        low, same, high = rows("--boards", "16", "--margin", "20", "--ruling", "1")
        assert low == {
            "boards": 16, "scale": "continuous", "ruling": -1, "margin": 19,
            "ours": "14.80", "theirs": "5.20", "change": "-0.20",
        }  # fmt: skip
        assert (same["ours"], same["change"]) == ("15.00", "0.00")
        assert (high["ruling"], high["margin"]) == (1, 21)

    def test_a_ruling_may_turn_the_match(self) -> None:
        found = rows("--boards", "16", "--margin", "1", "--ruling", "2")
        assert [row["margin"] for row in found] == [-1, 0, 1, 2, 3]
        assert (found[0]["ours"], found[0]["theirs"]) == ("9.69", "10.31")
        assert (found[-1]["ours"], found[-1]["change"]) == ("10.91", "0.60")  # 10.91 - 10.31

    def test_the_loser_s_side(self) -> None:
        """Published: lost by 30 is 3.27."""
        found = rows("--boards", "16", "--margin", "-30", "--ruling", "-1")
        assert (found[1]["ours"], found[1]["theirs"]) == ("3.27", "16.73")

    def test_a_discrete_one(self) -> None:
        """Published for 16 boards: 14 VPs from 13 IMPs, 15 from 18."""
        found = rows("--boards", "16", "--margin", "17", "--ruling", "1", "--scale", "discrete")
        assert [row["change"] for row in found] == ["0", "0", "1"]

    @pytest.mark.parametrize("ruling", ["0", "101", "-101"])
    def test_beyond_any_ruling(self, ruling: str) -> None:
        result = run("--boards", "16", "--margin", "7", "--ruling", ruling)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "A ruling is 1 to 100 IMPs either way" in result.stderr

    def test_the_largest_ruling(self) -> None:
        assert len(rows("--boards", "16", "--margin", "7", "--ruling", "100")) == 201

    def test_without_a_margin_it_is_a_usage_error(self) -> None:
        result = run("--boards", "16", "--ruling", "3")
        assert result.exit_code == 2
        assert "give --margin too" in result.stderr


class TestBoth:
    def test_side_by_side(self) -> None:
        table = rows("--boards", "16", "--scale", "both")
        assert table[20] == {
            "boards": 16, "margin": 20,
            "continuous_winner": "15.00", "continuous_loser": "5.00",
            "discrete_winner": "15", "discrete_loser": "5",
        }  # fmt: skip
        assert len(table) == 61

    def test_a_margin_has_a_row_for_each(self) -> None:
        found = rows("--boards", "16", "--margin", "20", "--scale", "both")
        assert [(row["scale"], row["winner"]) for row in found] == [
            ("continuous", "15.00"),
            ("discrete", "15"),
        ]

    def test_points_too(self) -> None:
        found = rows("--boards", "16", "--points", "15", "--scale", "both")
        assert [row["margin"] for row in found] == [20, 18]

    def test_half_matches(self) -> None:
        """Published for 3 boards a half: 10 VPs from 15 IMPs."""
        table = rows("--boards", "3", "--scale", "half-match-both")
        assert [row["discrete_winner"] for row in table][14:16] == ["9", "10"]

    def test_what_was_corrected_in_each(self) -> None:
        said = run("--boards", "8", "--scale", "both").stdout
        assert "8 boards, continuous: 1 violation, 1 raise of 0.01 in 1 cell" in said
        assert "8 boards, discrete: 1 violation, 1 IMP moved to the next score" in said
        assert {row["scale"] for row in rows("--boards", "8", "--corrections", "--scale", "both")}


class TestParameters:
    def test_a_third_of_the_blitz(self) -> None:
        """Eq. (4): 3/2 of V0."""
        args = ("--boards", "24", "--draw-vp", "12.5", "--blitz", "60")
        (row,) = rows(*args, "--margin", "20")
        assert (row["winner"], row["loser"]) == ("18.75", "6.25")
        assert "V0 = 12.5 VPs, X = 60 IMPs, 24 boards" in run(*args).stdout

    @pytest.mark.parametrize(
        ("args", "says"),
        [
            (["--draw-vp", "0"], "A draw is 1 to 500 VPs in steps of 0.5"),
            (["--draw-vp", "10.25"], "not 10.25"),
            (["--draw-vp", "2.5", "--scale", "discrete"], "2 to 500 VPs in steps of 1"),
            (["--blitz", "0"], "A maximum win is 1 to 15000 IMPs, not 0"),
            (["--blitz", "15000.1"], "not 15000.1"),
            (["--blitz", "5", "--scale", "discrete"], "too small for 11 whole scores"),
        ],
    )
    def test_what_no_scale_has(self, args: list[str], says: str) -> None:
        result = run("--boards", "16", *args)
        assert (result.exit_code, result.stdout) == (1, "")
        assert says in result.stderr

    @pytest.mark.parametrize("option", ["--draw-vp", "--blitz"])
    @pytest.mark.parametrize("value", ["x", "1e9", "nan", "1,5", "9" * 5000])
    def test_what_is_no_number(self, option: str, value: str) -> None:
        assert run("--boards", "16", option, value).exit_code == 2


def page(tmp_path: Path, *args: str) -> PdfReader:
    path = tmp_path / "table.pdf"
    result = run(*args, "-o", str(path))
    assert (result.exit_code, result.stdout) == (0, ""), result.stderr
    return PdfReader(BytesIO(path.read_bytes()))


class TestPage:
    def test_every_margin_is_on_it(self, tmp_path: Path) -> None:
        words = page(tmp_path, "--boards", "16").pages[0].extract_text().split()
        for score in vp.continuous(16).scores():
            margin = f"{score.margin}{'+' * (score.margin == 60)}"
            at = [i for i, word in enumerate(words) if word == margin]
            assert [str(score.winner), str(score.loser)] in [words[i + 1 : i + 3] for i in at]

    def test_title_scale_corrections_and_source(self, tmp_path: Path) -> None:
        found = page(tmp_path, "--boards", "8")
        text = " ".join(found.pages[0].extract_text().split())
        assert text.startswith("8 boards WBF victory points, continuous scale")
        assert "Corrected for concavity: 40 IMPs from 19.73 to 19.74." in text
        assert (
            f"Regulation wbf-vp/undated, edition file sha256 {vp.edition().edition.sha256}" in text
        )
        assert found.metadata is not None
        assert found.metadata.title == "8 boards, WBF victory points, continuous scale"

    def test_ranges(self, tmp_path: Path) -> None:
        args = ("--boards", "16", "--scale", "discrete")
        text = page(tmp_path, *args).pages[0].extract_text()
        words = text.replace("\N{EN DASH}", "-").split()
        assert [words[words.index("13-17") + i] for i in (1, 2)] == ["14", "6"]
        assert [words[words.index("54+") + i] for i in (1, 2)] == ["20", "0"]

    def test_both_scales_and_a_range_violation(self, tmp_path: Path) -> None:
        text = page(tmp_path, "--boards", "7", "--scale", "both").pages[0].extract_text()
        joined = " ".join(text.split())
        assert "continuous and discrete scale" in joined
        assert "Discrete scale: corrected" in joined
        assert "11 VPs are 1 to 2 IMPs, and the curve reaches them at 2.18" in joined

    @pytest.mark.parametrize("boards", [1, 4, 16, 41, 60, 100])
    @pytest.mark.parametrize("scale", ["continuous", "discrete", "both"])
    def test_one_page_a4(self, tmp_path: Path, boards: int, scale: str) -> None:
        found = page(tmp_path, "--boards", str(boards), "--scale", scale)
        width, height = found.pages[0].mediabox[2:]
        assert (len(found.pages), round(width), round(height)) == (1, 595, 842)

    def test_other_parameters_are_told(self, tmp_path: Path) -> None:
        args = ("--boards", "1", "--draw-vp", "12.5", "--blitz", "60")
        text = page(tmp_path, *args).pages[0].extract_text()
        assert "1 board\n" in text
        assert "V0 = 12.5 VPs, X = 60 IMPs" in text

    def test_the_same_bytes_at_every_run(self) -> None:
        content = scale_page([vp.continuous(16)])
        assert pdf.compile_pdf(content) == pdf.compile_pdf(content)

    @pytest.mark.parametrize("args", [["--margin", "7"], ["--points", "15"], ["--corrections"]])
    def test_only_a_whole_table(self, tmp_path: Path, args: list[str]) -> None:
        result = run("--boards", "16", *args, "-o", str(tmp_path / "x.pdf"))
        assert (result.exit_code, list(tmp_path.iterdir())) == (1, [])
        assert "A PDF holds the whole table" in result.stderr

    def test_a_table_too_long_for_a_page(self, tmp_path: Path) -> None:
        result = run("--boards", "10000", "-o", str(tmp_path / "x.pdf"))
        assert (result.exit_code, list(tmp_path.iterdir())) == (1, [])
        assert "1501 rows is too long for one page" in result.stderr


class TestPicture:
    def test_svg(self, tmp_path: Path) -> None:
        path = tmp_path / "scale.svg"
        assert run("--boards", "16", "--chart", str(path)).stdout == ""
        texts = {"".join(one.itertext()) for one in ET.parse(path).iter(f"{SVG}text")}  # noqa: S314
        assert {"WBF victory points, 16 boards", "margin, IMPs", "victory points"} <= texts
        assert {"continuous scale", "discrete scale", "winner", "loser", "20", "60"} <= texts

    def test_png(self, tmp_path: Path) -> None:
        path = tmp_path / "scale.PNG"
        run("--boards", "3", "--scale", "half-match", "--chart", str(path))
        content = path.read_bytes()
        width, height = struct.unpack(">II", content[16:24])
        assert content.startswith(b"\x89PNG")
        assert width > 1280
        assert height > 800

    @pytest.mark.parametrize("suffix", ["svg", "png"])
    def test_the_same_bytes_at_every_run(self, tmp_path: Path, suffix: str) -> None:
        one, other = (tmp_path / f"{name}.{suffix}" for name in ("one", "other"))
        for path in (one, other):
            run("--boards", "16", "--chart", str(path))
        assert one.read_bytes() == other.read_bytes()

    @pytest.mark.parametrize("name", ["scale.jpg", "scale", "scale.svg.gz"])
    def test_another_suffix_is_refused(self, tmp_path: Path, name: str) -> None:
        result = run("--boards", "16", "--chart", str(tmp_path / name))
        assert (result.exit_code, list(tmp_path.iterdir())) == (1, [])
        assert "A picture is .svg or .png" in result.stderr

    def test_a_table_and_a_picture_are_two_questions(self) -> None:
        assert run("--boards", "16", "--margin", "7", "--chart", "x.svg").exit_code == 2

    def test_drawing_says_what_was_written_alone(self, tmp_path: Path) -> None:
        """Not even where there is no directory for what a library keeps."""
        script = f"from palmares.cli import cli; cli({['vp', '--boards', '4', '--chart', 'a.svg']})"
        done = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env={"HOME": "/nonexistent", "PATH": ""},
        )
        assert (done.stdout, done.stderr) == ("", "a.svg: written.\n")


@pytest.mark.parametrize(
    ("typed", "column", "value"),
    [
        (("vp", "--boards", "16", "--margin", "7"), "winner", 12.03),
        (("vp", "--boards", "16", "--margin", "7", "--ruling", "1"), "change", -0.27),
        (("vp", "--matches", "examples/bridge"), "home_vp", None),
        (("standings", "examples/bridge"), "points", 64.87),
        (("standings", "examples/bridge", "--crosstable"), "points", 64.87),
    ],
    ids=lambda one: "-".join(one) if isinstance(one, tuple) else "",
)
def test_victory_points_in_a_workbook_can_be_added_up(
    typed: tuple[str, ...], column: str, value: float | None, tmp_path: Path
) -> None:
    file = tmp_path / "x.xlsx"
    assert CliRunner().invoke(cli, [*typed, "-o", str(file)]).exit_code == 0
    head, first, *_ = CalamineWorkbook.from_path(file).get_sheet_by_index(0).to_python()
    number = first[head.index(column)]
    assert isinstance(number, int | float)
    assert value is None or number == pytest.approx(value)
