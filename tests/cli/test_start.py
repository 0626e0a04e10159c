"""start: from an empty directory to a first published, verified list."""

from __future__ import annotations

import csv
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import Result

from palmares.journal.store.journal import open_journal
from palmares.web.accounts.store import find_by_name
from tests.cli.mixed_results import BROKEN, EXAMPLES, mixed_results
from tests.databases import Fresh
from tests.packages import rows, run
from tests.processes import INTERRUPT, at_the_end, free_port, on_terminal, plain

THEIRS = (
    "Rank;Player;Country;Points\n1;Tom Duggan;ENG;49,62\n2;Damjan Plesec;SLO;28,35\n"
    "3;Hakija Zolic;BIH;20,62\n4;Ismet Alagic;BIH;16,50\n5;Boro Bukvic;BIH;13,89\n"
)
"""The list of 2011-12-31 as README.md and docs/how-to/lists.md have it."""
ANSWERS = (
    "--name", "Lakes Federation", "--regulations", "wbgf,dptr", "--officer", "Otto Lind",
    "--results", "results", "--printed", "wbgf=printed.csv", "--as-of", "2011-12-31",
)  # fmt: skip
SCRIPTED = "--yes", "--no-serve"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A federation made of the twelve files in a process of its own, and what that printed."""
    place = tmp_path_factory.mktemp("start") / "federation"
    place.mkdir()
    mixed_results(place / "results")
    (place / "printed.csv").write_text(THEIRS)
    command = [sys.executable, "-m", "palmares", "start", *ANSWERS, *SCRIPTED]
    alone = {
        name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ
    }
    return place, subprocess.run(
        command, cwd=place, capture_output=True, text=True, check=False, env=alone
    )


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with nothing in it but one good result, a broken one, and a printed list."""
    for name in ("PALMARES_JOURNAL", "PALMARES_AUTHOR", "PALMARES_NAME"):
        monkeypatch.delenv(name, raising=False)
    place = tmp_path / "federation"
    (place / "results").mkdir(parents=True)
    shutil.copy(EXAMPLES / "backgammon/2011-dubrovnik-open.toml", place / "results")
    (place / "results/skipped.csv").write_text(BROKEN["skipped.csv"])
    (place / "printed.csv").write_text(THEIRS)
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def copied(made: tuple[Path, object], desk: Path) -> Path:
    """A copy of the federation that was made, to go on with."""
    shutil.rmtree(desk)
    shutil.copytree(made[0], desk)
    os.chdir(desk)
    return desk


def start(*given: str) -> Result:
    """What start does without a question; it must work."""
    result = run("start", *given, *SCRIPTED)
    assert result.exit_code == 0, result.output
    return result


def commands(printed: str) -> list[list[str]]:
    """The commands that it says it ran, and last the one that starts the site."""
    block = printed.partition("done, by these commands")[2].partition("\n")[2].partition("\n\n")[0]
    return [shlex.split(line)[1:] for line in block.splitlines()]


def manifest(name: str) -> Any:
    return json.loads(Path(f"{name}.manifest.json").read_text())["publication"]


def reports() -> int:
    """How many reports the journal has."""
    return len(rows("journal", "log", "--kind", "report", "--journal", "federation.db"))


def test_a_script_with_only_python_makes_a_published_and_verified_list(
    made: tuple[Path, subprocess.CompletedProcess[str]], copied: Path
) -> None:
    """Twelve files, two of them broken: one process, an empty directory, no question."""
    assert len(list((copied / "results").iterdir())) == 12
    done = made[1]
    assert done.returncode == 0, done.stderr
    assert "2 files left out." in done.stdout
    assert "Otto Lind, officer: http://127.0.0.1:8000/welcome/" in done.stdout
    assert "5 of 5 lines fit: points rounded to 2 decimals.\n\nPlayers: 5 the same." in done.stdout
    assert "wbgf 2011-12-31: published as entry " in done.stderr
    assert done.stdout.count("): identical.\n") == 2
    for name in ("wbgf-2011-12-31", "dptr-2011-12-31"):
        result = run("verify", f"{name}.manifest.json", "--journal", "federation.db")
        assert result.exit_code == 0
        assert "Tom" in Path(f"{name}.html").read_text()
    assert reports() == 9


def test_the_commands_it_prints_do_the_same_again(
    made: tuple[Path, subprocess.CompletedProcess[str]], copied: Path
) -> None:
    *again, serving = commands(made[1].stdout)
    assert serving == [
        "serve", "--journal", "federation.db", "--name", "Lakes Federation",
        "--regulations", "wbgf,dptr",
    ]  # fmt: skip
    first = manifest("wbgf-2011-12-31"), manifest("dptr-2011-12-31")
    for file in copied.iterdir():
        if file.suffix != ".csv" and file.is_file():
            file.unlink()
    assert [run(*line).exit_code for line in again] == [
        1 if line[0] == "add" else 0 for line in again  # two files are broken
    ]  # fmt: skip
    second = manifest("wbgf-2011-12-31"), manifest("dptr-2011-12-31")
    for one, other in zip(first, second, strict=True):
        assert one["list"] == other["list"]
        assert one["facts_sha256"] == other["facts_sha256"]


def test_no_warning_is_shown_twice(
    made: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """Recording, list, comparison and publication all have the same to remark."""
    warnings = [line for line in made[1].stderr.splitlines() if line.startswith("Warning: ")]
    assert any("events without a kind, which earn nothing" in line for line in warnings)
    assert len(set(warnings)) == len(warnings)


def test_once_more_it_changes_nothing(copied: Path) -> None:
    before = {file.name: file.read_bytes() for file in copied.glob("*.manifest.json")}
    entries = rows("journal", "log", "--journal", "federation.db")
    again = start(*ANSWERS)
    assert "Otto Lind has an account." in again.stdout
    assert "Nothing to record.\n" in again.stdout
    assert again.stdout.count("The list of this day was published before: ") == 2
    assert rows("journal", "log", "--journal", "federation.db") == entries
    assert {file.name: file.read_bytes() for file in copied.glob("*.manifest.json")} == before


def test_a_manifest_of_another_journal_is_not_taken_for_this_one(copied: Path) -> None:
    """The journal was removed, its manifests were not: nothing of the new one is published."""
    for file in copied.glob("federation.db*"):
        file.unlink()
    result = run("start", *ANSWERS, *SCRIPTED)
    assert result.exit_code == 1
    assert "wbgf-2011-12-31.manifest.json is not of this journal" in result.stderr


def test_duplicates_come_back_decided_and_mended_files_follow(desk: Path) -> None:
    """Tom Dugan of the club evening is Tom Duggan; the cup had a rank too few."""
    club = "name: Club\ndiscipline: backgammon\nend_date: 2010-03-05\n\nRank,Name,Nation\n"
    Path("results/club.csv").write_text(club + "1,Tom Dugan,ENG\n2,Bob Brown,ENG\n")
    assert "1 possible duplicate in duplicates.csv." in start(*ANSWERS).stdout
    (pair,) = csv.DictReader(Path("duplicates.csv").read_text().splitlines())
    assert {pair["player"], pair["other"]} == {"Tom Duggan (ENG)", "Tom Dugan (ENG)"}
    with Path("duplicates.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(pair))
        writer.writeheader()
        writer.writerow(pair | {"decision": "same"})
    Path("results/skipped.csv").write_text(BROKEN["skipped.csv"].replace("3,Dee", "4,Dee"))
    again = start(*ANSWERS)
    assert "possible duplicate in duplicates.csv" not in again.stdout
    assert "Files were left out." not in again.stdout
    players = rows("rank", "wbgf", "--journal", "federation.db", "--as-of", "2011-12-31")
    assert players[0]["player"] == THEIRS.splitlines()[1].split(";")[1]
    merges = rows("journal", "log", "--kind", "merge", "--journal", "federation.db")
    assert [merge["author"] for merge in merges] == ["Otto Lind"]
    assert reports() == 3


def test_the_default_day_is_the_end_of_the_last_month_that_counts(desk: Path) -> None:
    """Dubrovnik ended on 15 May 2011; of the ladies of 2022 nobody earned anything."""
    for kind in ("toml", "csv"):
        shutil.copy(EXAMPLES / f"formats/2022-merit-open-ladies.{kind}", "results")
    start("--regulations", "wbgf", "--officer", "Otto Lind")
    assert Path("wbgf-2011-05-31.manifest.json").exists()


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (("--regulations", "usbgf"), "No player has points: there"),
        (("--regulations", "wbgf", "--as-of", "2011-05-14"), "No player has points on 2011-05-14:"),
    ],
)
def test_a_list_of_nobody_is_not_published(desk: Path, answers: tuple[str, ...], told: str) -> None:
    """Nobody is a member; the only tournament ended on 15 May 2011."""
    assert told in start(*answers, "--officer", "Otto Lind").stdout
    assert list(desk.glob("*.manifest.json")) == []


def test_without_results_there_is_a_federation_all_the_same(desk: Path) -> None:
    shutil.rmtree("results")
    start("--regulations", "wbgf", "--officer", "Otto Lind")
    assert rows("journal", "log", "--journal", "federation.db") == []


def test_in_postgresql(fresh_url: Fresh, desk: Path) -> None:
    journal_url = fresh_url("postgresql")
    result = start(*ANSWERS, "--database", journal_url)
    journal = open_journal(journal_url)
    with journal.database.reading() as connection:
        person = find_by_name(connection, "otto lind")
    journal.close()
    assert person is not None
    assert person.role == "officer"
    assert commands(result.stdout)[-1] == [
        "serve", "--journal", journal_url, "--name", "Lakes Federation",
        "--regulations", "wbgf,dptr", "--secret-file", "federation-secret",
    ]  # fmt: skip


def test_a_journal_of_the_environment_stands_in_no_command(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALMARES_JOURNAL", "elsewhere.db")
    assert not any("--journal" in line for line in commands(start(*ANSWERS).stdout))
    assert Path("elsewhere.db").exists()


# ── what is refused ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (("--regulations", "fide"), "'--regulations': There is no regulation fide."),
        (("--regulations", "fide"), "There are: wbgf, usbgf, dptr."),
        (("--results", "nowhere"), "'--results': There is no nowhere."),
        (("--results", "."), "'--results': That folder is this one, or above it"),
        (("--printed", "wbgf"), "'--printed': 'wbgf' is no list; write it like wbgf=list.csv."),
        (("--printed", "dptr=printed.csv,dptr=x"), "'--printed': Two lists of dptr; give one,"),
        (("--printed", "usbgf=printed.csv"), "--printed: usbgf is none of the lists it publishes."),
        (("--as-of", "soon"), "'--as-of': 'soon' is not a date; write it like 2019-12-31."),
        (("--name", " "), "'--name': A name has 1 to 100 visible characters."),
        (
            ("--database", "postgresql://o:secret@db/f"),
            "'--database': the password would appear in",
        ),
    ],
)
def test_an_answer_that_is_none_is_refused_before_anything_is_made(
    desk: Path, wrong: tuple[str, str], told: str
) -> None:
    result = run("start", *ANSWERS, *SCRIPTED, *wrong)
    assert result.exit_code == 2
    assert told in result.stderr
    assert "secret" not in result.output
    assert list(desk.glob("federation.*")) == []


def test_what_was_recorded_before_a_step_that_is_refused_stays(desk: Path) -> None:
    """A review sheet whose decision is none; what was recorded before it is there."""
    Path("duplicates.csv").write_text(
        "decision,player_id,player,other_id,other\nperhaps,P1,Tom Duggan (ENG),P2,Damjan\n"
    )
    result = run("start", *ANSWERS, *SCRIPTED)
    assert result.exit_code == 1
    assert "perhaps" in result.stderr
    assert reports() == 1


def test_nobody_to_ask(desk: Path) -> None:
    result = run("start", *ANSWERS)
    assert result.exit_code == 2
    assert "There is no terminal to ask on." in result.stderr
    assert list(desk.glob("federation.*")) == []


# ── asked, and stopped ───────────────────────────────────────────────────────────────────────────


def test_the_interview_on_a_terminal(desk: Path) -> None:
    """A wrong answer is asked again; then everything is agreed to, but for the site."""
    shutil.rmtree("results")
    mixed = desk / "cup"
    mixed.mkdir()
    (mixed / "cup.csv").write_text(BROKEN["skipped.csv"].replace("3,Dee", "4,Dee"))
    typed = ("Lakes Federation", "fide", "wbgf", "", "Otto Lind", "cup", "", "", "y", "n", "")
    shown = on_terminal(
        ["-m", "palmares", "start"], press="\n".join(typed), after="Name of the federation"
    )
    told = plain(shown.text)
    assert shown.status == 0, told + shown.printed
    assert "Error: There is no regulation fide." in told
    assert "Record it? [y/N]" in told
    assert "Start the site now? [Y/n]" in told
    assert reports() == 1


AN_OFFICER = """
import click
from pathlib import Path
from palmares.cli import main
def decide(*given, **more):
    sheet = Path("duplicates.csv")
    header, row = sheet.read_text().splitlines()
    sheet.write_text(f"{header}\\nsame{row}\\n")
    return ""
click.prompt = decide
main()
"""
"""The command line, with an officer who fills in the sheet when they are asked to."""


def test_start_waits_for_the_review_sheet(desk: Path) -> None:
    club = "name: Club\ndiscipline: backgammon\nend_date: 2010-03-05\n\nRank,Name,Nation\n"
    Path("results/club.csv").write_text(club + "1,Tom Dugan,ENG\n2,Bob Brown,ENG\n")
    start(*ANSWERS)
    Path("duplicates.csv").unlink()
    shown = on_terminal(
        ["-c", AN_OFFICER, "start", *ANSWERS, "--database", "federation.db", "--no-serve"],
        press="y\ny\n",
        after="Record it?",
    )
    assert shown.status == 0, plain(shown.text) + shown.printed
    assert "1 possible duplicate in duplicates.csv." in shown.printed
    merges = rows("journal", "log", "--kind", "merge", "--journal", "federation.db")
    assert [merge["author"] for merge in merges] == ["Otto Lind"]


WITHOUT_SITE = """
import sys
sys.modules["litestar"] = None  # palmares[site] is not installed
from palmares.cli import main
main()
"""


def test_without_the_site_there_is_a_list_all_the_same(desk: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_SITE, "start", *ANSWERS, "--yes"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "The site is not installed: pip install 'palmares[site]'. Then:" in done.stdout
    assert "palmares invite 'Otto Lind' --role officer --journal federation.db" in done.stdout
    assert Path("wbgf-2011-12-31.manifest.json").exists()


def test_the_site_is_started_in_the_end(desk: Path) -> None:
    """And Ctrl-C ends it, as it ends serve."""
    port = str(free_port())
    command = [sys.executable, "-m", "palmares", "start", *ANSWERS, "--yes", "--port", port]
    with at_the_end(
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    ) as running:
        assert running.stdout is not None
        root = f"http://127.0.0.1:{port}"
        printed: list[str] = []
        for line in running.stdout:
            printed.append(line)
            if line == f"{root} (Ctrl-C ends it)\n":
                break
        assert any(f"Otto Lind, officer: {root}/welcome/" in line for line in printed)
        page = httpx.get(root, headers={"Accept": "text/html"}, timeout=60).text
        lists = httpx.get(f"{root}/api/v1/rankings", timeout=60).json()["items"]
        running.send_signal(signal.SIGINT)
        running.wait(60)
    assert "Lakes Federation</a>" in page
    assert "Tom Duggan" in page
    assert [one["regulation"] for one in lists] == ["wbgf", "dptr"]


def test_the_site_has_no_list_of_what_is_no_regulation(desk: Path) -> None:
    run("journal", "init", "federation.db")
    result = run("serve", "--journal", "federation.db", "--regulations", "wbgf,fide")
    assert result.exit_code == 1
    assert "There is no regulation fide." in result.stderr


def test_stopped_at_a_question(desk: Path) -> None:
    shown = on_terminal(
        ["-m", "palmares", "start", "--name", "Lakes Federation", "--regulations", "wbgf"],
        press=INTERRUPT,
        after="Database",
    )
    assert shown.status == 130
    assert plain(shown.text).endswith("Interrupted. What is recorded stays.\n")
    assert list(desk.glob("federation.*")) == []


AT_RECORDING = """
import os, signal
import palmares.journal.commands.reports as reports
from palmares.cli import main
plain = reports.over
def over(things, what):
    for one in plain(things, what):
        yield one
        if what == "entries to record":
            os.kill(os.getpid(), signal.SIGINT)
reports.over = over
main()
"""
"""The command line, interrupted when entries are added and not yet committed."""


def test_stopped_while_it_records_nothing_is_half_there(desk: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", AT_RECORDING, "start", *ANSWERS, *SCRIPTED],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 128 + signal.SIGINT
    assert done.stderr.endswith("Interrupted. What is recorded stays.\n")
    assert rows("journal", "log", "--journal", "federation.db") == []
    start(*ANSWERS)
    assert reports() == 1
    assert run("journal", "verify", "--journal", "federation.db").exit_code == 0
