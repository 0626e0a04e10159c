"""``palmares vp -o table.pdf``: a page to print and post."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pypdf import PdfReader

from palmares.bridge import vp
from palmares.cli import cli
from palmares.render import pdf, vp_sheet


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["vp", *args])


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

    def test_a_range_violation(self, tmp_path: Path) -> None:
        text = page(tmp_path, "--boards", "7", "--scale", "discrete").pages[0].extract_text()
        joined = " ".join(text.split())
        assert "Corrected for concavity" in joined
        assert "11 VPs are 1 to 2 IMPs, and the curve reaches them at 2.18" in joined

    @pytest.mark.parametrize("boards", [1, 4, 16, 41, 60, 100])
    @pytest.mark.parametrize("scale", ["continuous", "discrete", "half-match"])
    def test_one_page_a4(self, tmp_path: Path, boards: int, scale: str) -> None:
        found = page(tmp_path, "--boards", str(boards), "--scale", scale)
        width, height = found.pages[0].mediabox[2:]
        assert (len(found.pages), round(width), round(height)) == (1, 595, 842)

    def test_the_same_bytes_at_every_run(self) -> None:
        content = vp_sheet.page(vp.continuous(16))
        assert pdf.compiled(content) == pdf.compiled(content)

    @pytest.mark.parametrize("args", [["--margin", "7"], ["--points", "15"]])
    def test_only_a_whole_table(self, tmp_path: Path, args: list[str]) -> None:
        result = run("--boards", "16", *args, "-o", str(tmp_path / "x.pdf"))
        assert (result.exit_code, list(tmp_path.iterdir())) == (1, [])
        assert "A PDF holds the table of all margins" in result.stderr

    def test_a_table_too_long_for_a_page(self, tmp_path: Path) -> None:
        result = run("--boards", "10000", "-o", str(tmp_path / "x.pdf"))
        assert (result.exit_code, list(tmp_path.iterdir())) == (1, [])
        assert "1501 rows is too long for one page" in result.stderr
