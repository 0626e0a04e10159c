"""A file finds its reader; whatever is wrong with it is a plain problem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from palmares.facts import check_facts, parse_cells
from palmares.formats import SUFFIXES, read_report
from tests.formats.reading import column
from tests.formats.sheets.test_workbook import workbook

EXAMPLES = Path(__file__).parents[2] / "examples"
REPORTS = sorted(
    path
    for folder in ("backgammon", "diplomacy", "formats", "usbgf")
    for path in (EXAMPLES / folder).iterdir()
    if path.suffix in SUFFIXES and ".example" not in path.suffixes
)
LINE = "name: X\nend_date: 2005-01-02\n\nOPEN (8): 1-A Foe (IL).\n"
PAGE = (
    "X\nDate June 1, 1996 Place Y\nNumber of players8 Number of rounds1\nCoeff 10.00\n1A BEE93.75\n"
)
SHEET = "name: X\nend_date: 2005-01-02\n\nRank,Name\n1,A Foe\n"
REPORT = '[tournament]\nname = "X"\nend_date = 2005-01-02\n'


def test_there_are_examples() -> None:
    assert len(REPORTS) >= 16


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_example_is_a_report_without_a_problem(path: Path) -> None:
    if path.name == "2022-merit-open-ladies.csv":  # the rows of a report beside it
        assert len(read_report(path).problems) == 1
        return
    facts = check_facts(parse_cells(read_report(path)))
    assert facts.tables["tournaments"].height == 1


@pytest.mark.parametrize("folder", ["backgammon", "diplomacy", "usbgf"])
def test_every_folder_of_examples_is_one_set_of_facts(folder: str) -> None:
    reports = [path for path in REPORTS if path.parent.name == folder]
    facts = check_facts(*(parse_cells(read_report(path)) for path in reports))
    assert facts.tables["tournaments"].height == len(reports)
    assert facts.notices == ()


def test_an_assumption_says_so() -> None:
    """Where a fee is not published, the line with it says 'assumed'."""
    published = {"entry_fee = 800"}
    for path in (EXAMPLES / "backgammon").glob("*.toml"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("entry_fee"):
                assert "# assumed" in line or line in published, path.name


@pytest.mark.parametrize(
    ("name", "text"),
    [("x.toml", REPORT), ("x.csv", SHEET), ("X.CSV", SHEET), ("x.txt", LINE), ("x.md", PAGE)],
)
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_a_file_finds_its_reader(tmp_path: Path, name: str, text: str, start: str) -> None:
    (tmp_path / name).write_bytes((start + text.replace("\n", "\r\n")).encode())
    raw = read_report(tmp_path / name)
    assert raw.problems == []
    assert column(raw, "tournaments", "name") == ["X"]


def test_a_workbook_finds_its_reader(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["name", "X"],
        ["end_date", "2005-01-02"],
        ["Rank", "Name"],
        [1, "A Foe"],
    ]
    for name in ("x.xlsx", "x.csv"):
        (tmp_path / name).write_bytes(workbook(rows))
        assert read_report(tmp_path / name).problems == []


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.toml", b"", "the file is empty"),
        ("x.csv", b"\r\n\r\n", "the file is empty"),
        ("x.txt", b"\xef\xbb\xbf", "the file is empty"),
        ("x.xlsx", b"", "cut off, damaged"),
        ("x.xlsx", b"Rank,Name", "cut off, damaged"),
        ("x.xls", b"\xd0\xcf\x11\xe0", "old .xls workbook"),
        ("x.csv", b"PK\x03\x04", "cut off, damaged"),
        ("x.toml", "name = 'Köln'".encode("cp1252"), "not UTF-8"),
        ("x.txt", "Köln".encode("cp1252"), "not UTF-8"),
        ("x.txt", b"Dear all, it was fun.", "no report we know"),
        ("x.bin", bytes(range(256)), "not UTF-8"),
    ],
)
def test_a_file_that_is_no_report(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    (problem,) = read_report(tmp_path / name).problems
    assert words in problem.what
    assert problem.where.startswith(str(tmp_path / name))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "cannot be read" in read_report(tmp_path / "none.toml").problems[0].what
    assert "cannot be read" in read_report(tmp_path).problems[0].what


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palmares.formats.MOST_BYTES", 10)
    (tmp_path / "x.toml").write_text(REPORT, encoding="utf-8")
    assert "MiB" in read_report(tmp_path / "x.toml").problems[0].what
