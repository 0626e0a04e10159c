"""A folder of mixed files: what each is, which are recorded, and that nothing is lost."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from palmares.formats.load import files_read, in_good_order
from palmares.journal.store.journal import create_journal
from tests.cli.mixed_results import BROKEN, mixed_results
from tests.journal.reports import prague
from tests.packages import BACKGAMMON, rows, run, write


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty journal that every command uses, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PALMARES_JOURNAL", "federation.db")
    monkeypatch.setenv("PALMARES_AUTHOR", "Otto Officer")
    create_journal("federation.db").close()
    return tmp_path / "federation.db"


def outcomes(printed: str) -> dict[str, tuple[str, ...]]:
    """The rows of the table of files: what each was read as, its counts, its outcome."""
    table = printed.partition("\n\n")[0].splitlines()[1:]
    cells = (re.split(r"  +", line.strip()) for line in table)
    return {file: tuple(rest) for file, *rest in cells}


def tournaments() -> set[str]:
    """What the journal has."""
    return {row["subject"] for row in rows("journal", "log", "--kind", "report")}


def test_each_file_has_a_row_and_all_good_ones_are_recorded(journal: Path) -> None:
    mixed_results(Path("results"))
    result = run("add", "results", "--skip-broken", "--yes")
    assert result.exit_code == 1
    assert outcomes(result.stdout) == {
        "results/1996-world-dipcon-vi.toml": ("report", "1", "8", "0", "in order"),
        "results/2004-tempest-in-a-teapot.txt": ("database page", "1", "53", "0", "in order"),
        "results/2005-carolina-invitational.toml": ("report", "5", "20", "0", "in order"),
        "results/2005-chicago-open.txt": ("result lines", "7", "21", "0", "in order"),
        "results/2008-nordic-open.toml": ("report", "1", "2", "0", "in order"),
        "results/2011-dubrovnik-open.toml": ("report", "2", "8", "0", "in order"),
        "results/2022-merit-open-ladies.toml": ("report", "1", "4", "0", "in order"),
        "results/2022-merit-open-ladies.csv": ("part of 2022-merit-open-ladies.toml",),
        "results/broken.toml": ("report", "0", "0", "0", "1 problem"),
        "results/club.xlsx": ("Excel sheet", "1", "2", "0", "in order"),
        "results/league": ("tables", "1", "0", "1", "in order"),
        "results/skipped.csv": ("CSV sheet", "1", "4", "0", "1 problem"),
    }
    assert "results/broken.toml:2: " in result.stdout
    assert "results/skipped.csv:9: rank 3 follows 2 players at rank 2" in result.stdout
    assert "2 files left out." in result.stdout
    assert len(tournaments()) == 9
    assert "autumn-cup-2011-09-04" not in tournaments()


def test_mended_files_follow_and_nothing_is_recorded_twice(journal: Path) -> None:
    mixed_results(Path("results"))
    run("add", "results", "--skip-broken", "--yes")
    before = tournaments()
    Path("results/broken.toml").unlink()
    Path("results/skipped.csv").write_text(BROKEN["skipped.csv"].replace("3,Dee", "4,Dee"))
    result = run("add", "results", "--skip-broken", "--yes")
    assert result.exit_code == 0, result.output
    found = outcomes(result.stdout)
    assert found.pop("results/skipped.csv")[-1] == "in order"
    assert {row[-1] for row in found.values()} == {
        "here already", "part of 2022-merit-open-ladies.toml",
    }  # fmt: skip
    assert tournaments() - before == {"autumn-cup-2011-09-04"}


def test_two_files_of_one_tournament_are_both_left_out(journal: Path) -> None:
    """Which of them is right, only people know."""
    Path("results").mkdir()
    prague(Path("results"))
    prague(Path("results"), "again.toml", Ada="Ida")
    prague(Path("results"), "brno.toml", Prague="Brno")
    result = run("add", "results", "--skip-broken", "--yes")
    assert [row[-1] for row in outcomes(result.stdout).values()] == [
        "1 problem", "in order", "1 problem",
    ]  # fmt: skip
    assert "prague-open-2019-11-15 is also in results/prague.toml" in result.stdout
    assert tournaments() == {"brno-open-2019-11-15"}


def test_what_only_the_journal_knows_stands_in_the_table_too(journal: Path) -> None:
    """A report without a discipline, and one that is otherwise than what was recorded."""
    Path("results").mkdir()
    prague(Path("results"))
    assert run("add", "results", "--yes").exit_code == 0
    prague(Path("results"), Ben="Bert")
    prague(Path("results"), "brno.toml", Prague="Brno")
    silent = prague(Path("results"), "silent.toml", Prague="Silent")
    text = silent.read_text().replace('discipline = "backgammon"', "")
    silent.write_text(re.sub(r"(?m)^discipline.*\n", "", text))
    result = run("add", "results", "--skip-broken", "--yes")
    assert result.exit_code == 1
    assert {file: row[-1] for file, row in outcomes(result.stdout).items()} == {
        "results/brno.toml": "in order",
        "results/prague.toml": "1 problem",
        "results/silent.toml": "1 problem",
    }
    assert "is reported otherwise in entry 5" in result.stdout
    assert "palmares add results/prague.toml. If yours is right, add --replaces 5" in result.stdout
    assert "has no discipline" in result.stdout
    assert tournaments() == {"prague-open-2019-11-15", "brno-open-2019-11-15"}


def test_tables_that_are_otherwise_than_recorded_are_left_out(journal: Path) -> None:
    write(Path("results/prague"), **BACKGAMMON)
    prague(Path("results"), "brno.toml", Prague="Brno")
    assert run("add", "results/prague", "--yes").exit_code == 0
    fourth = BACKGAMMON["placings"].replace("E,d,3", "E,d,4")
    write(Path("results/prague"), **(BACKGAMMON | {"placings": fourth}))
    result = run("add", "results", "--skip-broken", "--yes")
    assert {file: row[-1] for file, row in outcomes(result.stdout).items()} == {
        "results/brno.toml": "in order",
        "results/prague": "1 problem",
    }
    assert "results/prague/tournaments.csv:2: T is reported otherwise in entry" in result.stdout


def test_a_file_that_is_no_report_is_said_so(journal: Path) -> None:
    Path("results").mkdir()
    prague(Path("results"))
    Path("results/logo.png").write_bytes(b"\x89PNG")
    Path("results/bare.csv").write_text("Rank,Name\n1,Ada Novak\n")
    result = run("add", "results", "--skip-broken", "--yes")
    assert result.exit_code == 0
    found = outcomes(result.stdout)
    assert found["results/logo.png"] == found["results/bare.csv"] == ("not read",)
    assert "no line above its header row names its tournament" in result.stdout


def test_nothing_in_order_records_nothing(journal: Path) -> None:
    Path("results").mkdir()
    Path("results/broken.toml").write_text(BROKEN["broken.toml"])
    result = run("add", "results", "--skip-broken", "--yes")
    assert result.exit_code == 1
    assert result.stdout.endswith("Nothing to record.\n")
    assert tournaments() == set()


def test_for_a_program_standard_output_has_the_points_alone(journal: Path) -> None:
    Path("results").mkdir()
    prague(Path("results"))
    Path("results/broken.toml").write_text(BROKEN["broken.toml"])
    result = run("add", "results", "--skip-broken", "--yes", "--format", "json")
    assert {row["tournament"] for row in json.loads(result.stdout)} == {"Prague Open"}
    assert "results/broken.toml:2: " in result.stderr


def test_files_that_need_a_broken_one_are_left_out_after_it(tmp_path: Path) -> None:
    """A package of events alone is in order only beside the tournament that it names."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "c").mkdir()
    (tmp_path / "a/tournaments.csv").write_text(
        "tournament_id,name,discipline,end_date\nT,Open,backgammon,2020-13-01\n"
    )
    (tmp_path / "b/events.csv").write_text("event_id,tournament_id,name\nE,T,Main\n")
    (tmp_path / "c/players.csv").write_text("player_id,name\na,Ada Novak\n")
    good, facts, problems = in_good_order(files_read([tmp_path]))
    assert {Path(path).name for path in problems} == {"a", "b"}
    assert [Path(file.path).name for file in good] == ["c"]
    assert facts["players"]["name"].to_list() == ["Ada Novak"]


def test_a_link_to_nothing_is_a_problem_and_the_rest_is_recorded(journal: Path) -> None:
    Path("results").mkdir()
    prague(Path("results"), "prague.toml")
    Path("results/gone.toml").symlink_to("/nowhere/gone.toml")
    result = run("add", "results", "--skip-broken", "--yes")
    assert result.exit_code == 1
    assert outcomes(result.stdout)["results/gone.toml"][-1] == "1 problem"
    assert "results/gone.toml: the file cannot be read: No such file" in result.stdout
    assert "1 file left out." in result.stdout
    assert len(tournaments()) == 1
