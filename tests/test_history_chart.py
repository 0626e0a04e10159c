"""A history as a picture, through the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from defusedxml.ElementTree import parse

from tests.packages import BACKGAMMON, run, write


@pytest.fixture
def package(tmp_path: Path) -> Path:
    write(tmp_path / "season", **BACKGAMMON)
    return tmp_path / "season"


def drawn(package: Path, name: str) -> Path:
    file = package.parent / name
    asked = ("--player", "a", "--until", "2022-12-31", "--chart", str(file))
    done = run("history", "wbgf", str(package), *asked)
    assert done.exit_code == 0, done.output
    return file


def test_the_svg_names_player_regulation_and_tournament(package: Path) -> None:
    words = "".join(parse(drawn(package, "a.svg")).getroot().itertext())

    assert "Ada Novak" in words
    assert "WBGF Backgammon World Ranking" in words
    assert "Prague Open" in words
    assert "points" in words
    assert "rank" in words


def test_the_png_is_one(package: Path) -> None:
    assert drawn(package, "a.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_the_page_holds_the_picture_and_no_script(package: Path) -> None:
    page = drawn(package, "a.html").read_text(encoding="utf-8")

    assert page.startswith("<!doctype html>")
    assert "<svg" in page
    assert "<script" not in page


def test_the_same_bytes_at_every_run(package: Path) -> None:
    assert drawn(package, "a.svg").read_bytes() == drawn(package, "b.svg").read_bytes()


def test_another_suffix_is_refused_and_nothing_written(package: Path) -> None:
    file = package.parent / "a.bmp"
    done = run("history", "wbgf", str(package), "--player", "a", "--chart", str(file))

    assert done.exit_code == 1
    assert not file.exists()
