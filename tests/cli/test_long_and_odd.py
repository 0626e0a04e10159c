"""What is too long, the wrong way round, or looks like a number and is none, is told plainly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journal.reports import prague
from tests.packages import BACKGAMMON, error, run, write

LONG, LONGEST_LINE = "y" * 20_000, 400


@pytest.mark.parametrize(
    "given",
    [
        ("rank", "wbgf", "--journal"),
        ("journal", "log", "--journal"),
        ("journal", "init"),
        ("player", "find", "Ada", "--journal"),
    ],
)
@pytest.mark.parametrize("url", ["x" * 300, "sqlite:///" + "x" * 300])
def test_a_journal_whose_name_is_too_long(given: tuple[str, ...], url: str) -> None:
    told = error(*given, url)
    assert "File name too long" in told
    assert len(told) < LONGEST_LINE


REPORT = """
[tournament]
name = "Graz Open"
discipline = "backgammon"
end_date = 2020-01-19
setting = "LONG"
currency = "LONG"
country = "LONG"
LONG = 3

[[event]]
name = "Main"
kind = "LONG"
entry_fee = "LONG"
event_type = "LONG"
rounds = "LONG"

[event.main]
entrants = "LONG"
placings = '''
1 Ada Novak (CZE)
LONG
3 Eva LONG (SLO)
4 Zoe (LONG)
5 Zoe [LONG]
'''
matches = '''
LONG
9 LONG > Ada Novak
'''
"""


@pytest.mark.parametrize("text", [LONG, "a, " * 7_000, "x = y \\u202e" * 2_000])
def test_what_was_sent_is_cut_in_every_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "report.toml"
    file.write_text(REPORT.replace("LONG", text), encoding="utf-8")
    told = run("check", file).output.splitlines()
    assert max(map(len, told)) < LONGEST_LINE + len(str(file))


def test_cells_of_tables_are_cut_in_every_line(tmp_path: Path) -> None:
    tables = {
        name: text.replace("CZE", LONG).replace("Main", LONG).replace("a,1", f"{LONG},1")
        for name, text in BACKGAMMON.items()
    }
    package = write(tmp_path / "package", **tables)
    told = run("check", package).output.splitlines()
    assert len(told) > 3
    assert max(map(len, told)) < LONGEST_LINE + len(str(package))


def test_since_after_until_is_refused(tmp_path: Path) -> None:
    package = write(tmp_path / "package", **BACKGAMMON)
    days = ("--since", "2019-12-01", "--until", "2019-11-01")
    words = "Since 2019-12-01 is after until 2019-11-01: no day is between them."
    for command in ("rank", "totals"):
        assert words in error(command, "wbgf", package, "--as-of", "2019-12-31", *days)
    same = ("--since", "2019-11-15", "--until", "2019-11-15")
    result = run("rank", "wbgf", package, "--as-of", "2019-12-31", *same)
    assert "Ada Novak" in result.output


@pytest.mark.parametrize("digit", ["\u0662", "\u0968", "\uff12", "\U0001d7d0"])
def test_digits_of_other_scripts_are_no_ranks(tmp_path: Path, digit: str) -> None:
    """Arabic, Devanagari, wide and mathematical: whoever reads the list reads 2."""
    told = run("check", prague(tmp_path, **{"2    Ben": f"{digit}    Ben"}))
    assert told.exit_code == 1
    assert "no rank and name in" in told.output
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(
        f"name: Graz\nend_date: 2019-11-15\nrank,name\n1,Ada Novak\n{digit},Ben Ode\n",
        encoding="utf-8",
    )
    told = run("check", sheet)
    assert told.exit_code == 1
    assert f"'{digit}' is not a rank" in told.output
    package = {**BACKGAMMON, "placings": BACKGAMMON["placings"].replace("b,2", f"b,{digit}")}
    assert run("check", write(tmp_path / "package", **package)).exit_code == 1


@pytest.mark.parametrize(("fee", "warned"), [("1000000", False), ("1000000.01", True)])
def test_a_fee_above_a_million_is_warned_of(tmp_path: Path, fee: str, warned: bool) -> None:
    file = prague(tmp_path, **{"entry_fee = 100": f"entry_fee = {fee}"})
    result = run("rank", "wbgf", file, "--as-of", "2019-12-31")
    assert result.exit_code == 0
    assert ("is 1,000,000.01; more than 1,000,000 is unusual" in result.stderr) == warned
