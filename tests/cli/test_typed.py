"""What is typed: text that is none is refused at the door, and -1 is a number."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from palmares.core.errors import FactsRejected
from palmares.formats.load import gathered
from palmares.journal.store.journal import open_journal
from tests.lists.published import started
from tests.packages import run

LONE = "caf\udce9"
"""As Python hands on the bytes of a name in another encoding."""


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A journal of four players and their tournament: entries 1 to 5."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PALMARES_JOURNAL", str(tmp_path / "x.db"))
    started(str(tmp_path / "x.db")).close()
    return str(tmp_path / "x.db")


def entries(url: str) -> int:
    """So many entries."""
    journal = open_journal(url)
    try:
        return journal.head().sequence
    finally:
        journal.close()


TYPED = (
    ("journal", "override", LONE, "events", "--row", "name=Main", "--set", "rounds=3",
     "--reason", "a slip", "--yes"),
    ("journal", "override", "T", "events", "--row", f"name={LONE}", "--set", "rounds=3",
     "--reason", "a slip", "--yes"),
    ("journal", "withdraw", "T", "--reason", LONE, "--yes"),
    ("journal", "rate", "XAF", "2019-05-30", "1", "--source", LONE, "--yes"),
    ("journal", "log", "--subject", LONE),
    ("member", "add", "P1", LONE, "--from", "2019-01-01", "--yes"),
    ("player", "add", LONE, "--yes"),
    ("add", "report.toml", "--key", LONE, "--yes"),
    ("rank", "wbgf", f"{LONE}.toml"),
    ("rank", LONE),
    (LONE,),
)  # fmt: skip


@pytest.mark.parametrize("typed", TYPED, ids=lambda typed: "-".join(typed[:2]))
def test_bytes_that_are_no_text(url: str, typed: tuple[str, ...]) -> None:
    result = run(*typed)
    assert result.exit_code == 2
    assert "caf\\udce9" in result.stderr
    assert "is no text: it must be UTF-8." in result.stderr
    assert entries(url) == 5


@pytest.mark.parametrize("typed", TYPED[:4], ids=lambda typed: "-".join(typed[:2]))
def test_nul(url: str, typed: tuple[str, ...]) -> None:
    result = run(*(one.replace(LONE, "caf\0") for one in typed))
    assert result.exit_code == 2
    assert "is no text: it must be UTF-8." in result.stderr
    assert entries(url) == 5


def test_a_variable_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it holds is not said: it may be an address with a password."""
    monkeypatch.setenv("PALMARES_JOURNAL", LONE)
    result = run("journal", "log")
    assert result.exit_code == 2
    assert "The variable PALMARES_JOURNAL is no text" in result.stderr
    assert "caf" not in result.stderr


def test_in_a_process_of_its_own() -> None:
    """Bytes as a shell gives them."""
    command = [os.fsencode(sys.executable), b"-m", b"palmares", b"journal", b"log", b"--author"]
    done = subprocess.run([*command, b"caf\xe9"], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"'caf\\udce9' is no text: it must be UTF-8." in done.stderr


def test_a_file_of_such_a_name_in_a_folder(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.toml")).write_text("")
    with pytest.raises(FactsRejected, match="the name is no text: it must be UTF-8"):
        gathered(tmp_path)


# ── numbers below zero ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("number", ["-1", "-0.5", "-1,5"])
def test_a_number_below_zero_is_refused(url: str, number: str) -> None:
    """No argument of ours may be one; the value of an option may."""
    result = run("journal", "rate", "XAF", "2019-05-30", number, "--yes")
    assert result.exit_code == 2
    assert f"{number} is a negative number. Write a number above 0." in result.stderr
    assert entries(url) == 5
    assert run("vp", "--boards", "16", "--margin", "-3").exit_code == 0


def test_nor_is_an_entry(url: str) -> None:
    result = run("journal", "show", "-5")
    assert result.exit_code == 2
    assert "-5 is a negative number." in result.stderr


@pytest.mark.parametrize("number", ["0", "abc", "1e30"])
def test_what_is_no_rate_is_told_without_a_table(url: str, number: str) -> None:
    result = run("journal", "rate", "XAF", "2019-05-30", number, "--yes")
    assert f"exchange rate: eur_per_unit is {number}" in result.stderr.replace("'", "")
    assert "rates:1" not in result.stderr
    assert "units_per_eur" not in result.stderr


CONTRADICTIONS = (
    (("regulations", "--edition", "undated"), "--edition is of one regulation: name it, too."),
    (("rank", "wbgf", "r.toml", "--format", "json", "-o", "x.csv"), "-o x.csv writes csv."),
    (("standings", "l.toml", "--crosstable", "--explain", "A"), "--crosstable or --explain"),
    (("vp", "--boards", "4", "--chart", "x.svg", "-o", "x.csv"), "leave out -o"),
    (("event", "start", "pyproject.toml", "--lengths", "main=9", "--journal", "j.db"),
     "--lengths and --rounds go with --draw"),
    (("event", "bracket", "night", "-o", "b.pdf", "--journal", "j.db"), "such as b.svg"),
    (("event", "show", "night"), "or set the variable PALMARES_JOURNAL."),
)  # fmt: skip


@pytest.mark.parametrize(("typed", "told"), CONTRADICTIONS, ids=lambda one: "-".join(one)[:20])
def test_options_that_contradict_each_other(
    typed: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PALMARES_JOURNAL", raising=False)
    monkeypatch.chdir(Path(__file__).parents[2])
    result = run(*typed)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


def test_a_folder_that_is_not_there_is_named_first(tmp_path: Path) -> None:
    result = run("rank", "wbgf", "none.toml", "-o", tmp_path / "none" / "x.csv")
    assert result.exit_code == 1
    assert f"there is no folder {tmp_path / 'none'}. Make it first" in result.stderr


@pytest.mark.parametrize("name", ["season.docx", "x.zip", "x.csv"])
def test_a_folder_is_not_named_like_a_file(tmp_path: Path, name: str) -> None:
    report = Path(__file__).parents[2] / "examples/backgammon/2011-dubrovnik-open.toml"
    result = run("convert", report, tmp_path / name)
    assert result.exit_code == 2
    assert "OUT is a report (.toml), a USEBIO file (.xml) or a folder" in result.stderr
    assert run("convert", report, tmp_path / "season.2019").exit_code == 0


def test_a_journal_in_the_place_of_a_report(url: str) -> None:
    for asked in (("rank", "wbgf"), ("award", "wbgf"), ("explain", "wbgf", "--player", "a")):
        refused = run(*asked, url)
        assert refused.exit_code == 2
        assert f"{url} is a journal. Write --journal {url}." in refused.stderr


def test_no_file_that_is_read_is_written_over(url: str, tmp_path: Path) -> None:
    """It may be the only copy: a director's report, a federation's journal."""
    sheet, report = tmp_path / "placings.csv", tmp_path / "report.toml"
    linked = tmp_path / "link.csv"
    linked.symlink_to(sheet)
    sheet.write_text("rank,name\n1,Ada Novak\n", encoding="utf-8")
    report.write_bytes(Path("examples/backgammon/2008-nordic-open.toml").read_bytes())
    before = {path: path.read_bytes() for path in (sheet, report, Path(url))}
    for asked in (
        ("rank", "wbgf", sheet, "-o", sheet),
        ("award", "wbgf", report, sheet, "-o", linked),
        ("convert", report, report),
        ("convert", "--journal", url, url),
        ("journal", "export", url, "--journal", url),
        ("journal", "export", url, "--journal", f"sqlite:///{url}"),
        ("publish", "wbgf", report, "--as-of", "2009-01-01", "--manifest", report),
    ):
        refused = run(*asked)
        assert refused.exit_code == 2, asked
        assert "is read, and would be written over. Name another file." in refused.stderr
    assert {path: path.read_bytes() for path in before} == before
