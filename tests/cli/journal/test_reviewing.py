"""Possible duplicates go into a spreadsheet, are decided there, and come back in one step."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest
import xlsxwriter
from python_calamine import CalamineWorkbook

from palmares.journal.store.journal import create_journal, open_journal
from tests.journal.naming import handed_in
from tests.packages import error, rows, run

ADA, SHORT, CYRILLIC = ("Ada Novak", "CZE"), ("A. Novak", "CZE"), ("Ада Новак", None)
BEN, BENN = ("Ben Olsen", "DNK"), ("Benn Olsen", "DNK")


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """P1 Ada Novak and P2 Ben Olsen in T; P3 A. Novak and P4 Benn Olsen in U; P5 Ада Новак in V."""
    file = tmp_path / "federation.db"
    found = create_journal(str(file))
    handed_in(found, ("T", "2019-11-15", [ADA, BEN]))
    handed_in(found, ("U", "2019-12-15", [SHORT, BENN]))
    handed_in(found, ("V", "2020-01-15", [CYRILLIC]))
    found.close()
    monkeypatch.setenv("PALMARES_JOURNAL", str(file))
    monkeypatch.setenv("PALMARES_AUTHOR", "Otto Officer")
    return file


def head() -> int:
    return int(rows("journal", "log", "--limit", "1")[0]["sequence"])


def written(file: Path) -> list[dict[str, str]]:
    """The pairs as they stand in a file."""
    if file.suffix == ".csv":
        return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    names, *below = CalamineWorkbook.from_path(file).get_sheet_by_index(0).to_python()
    return [dict(zip(map(str, names), map(str, row), strict=True)) for row in below]


def fill(file: Path, decisions: Mapping[tuple[str, str], str]) -> None:
    """Fill in the column that an officer fills in, by the ids of each pair."""
    filled = [
        {**row, "decision": decisions.get((row["player_id"], row["other_id"]), "")}
        for row in written(file)
    ]
    if file.suffix == ".csv":
        with file.open("w", newline="", encoding="utf-8") as text:
            writer = csv.DictWriter(text, list(filled[0]))
            writer.writeheader()
            writer.writerows(filled)
        return
    with xlsxwriter.Workbook(str(file)) as book:
        sheet = book.add_worksheet()
        for line, cells in enumerate([list(filled[0]), *(row.values() for row in filled)]):
            sheet.write_row(line, 0, cells)


def pairs() -> list[tuple[str, str]]:
    """Who is to be decided on."""
    return [(row["player_id"], row["other_id"]) for row in rows("player", "suggestions")]


@pytest.fixture(params=["pairs.xlsx", "pairs.csv"])
def file(request: pytest.FixtureRequest, journal: Path) -> Path:
    """The pairs in a file, nothing decided: P1 and P5, P1 and P3, P2 and P4, P3 and P5."""
    found = journal.with_name(str(request.param))
    assert run("player", "suggestions", "-o", found).exit_code == 0
    return found


def test_a_file_has_the_evidence_and_a_column_to_fill_in(file: Path) -> None:
    first, *rest = written(file)
    assert first == {
        "decision": "",
        "score": first["score"],
        "player_id": "P1",
        "player": "Ada Novak (CZE)",
        "last": "2019-11-15",
        "tournaments": "T Open, 2019-11-15",
        "other_id": "P5",
        "other": "Ада Новак",
        "other_last": "2020-01-15",
        "other_tournaments": "V Open, 2020-01-15",
        "why": "the same words, a nation is not known",
    }
    assert float(first["score"]) == 97
    assert {(row["player_id"], row["other_id"]) for row in rest} == {
        ("P2", "P4"), ("P1", "P3"), ("P3", "P5"),
    }  # fmt: skip


@pytest.mark.usefixtures("journal")
def test_a_file_has_all_pairs_a_terminal_the_first(tmp_path: Path) -> None:
    run("player", "suggestions", "--limit", "1", "-o", tmp_path / "one.csv")
    run("player", "suggestions", "-o", tmp_path / "all.csv")
    assert (len(written(tmp_path / "one.csv")), len(written(tmp_path / "all.csv"))) == (1, 4)


def test_what_was_decided_is_recorded_in_one_step(file: Path) -> None:
    """Two merges and a decision for two; the newer record goes, also where it has gone before."""
    before = head()
    fill(
        file,
        {("P1", "P5"): "Same", ("P3", "P5"): "same", ("P2", "P4"): "different"},
    )
    result = run("player", "review", file, "--yes")
    assert result.exit_code == 0, result.output
    assert "Recorded: 2 merges, 1 apart." in result.output
    log = rows("journal", "log", "--limit", str(head() - before))
    assert [(row["kind"], row["subject"]) for row in reversed(log)] == [
        ("merge", "P5"), ("merge", "P3"), ("apart", "P2"),
    ]  # fmt: skip
    assert pairs() == []


def test_nothing_is_recorded_unless_somebody_agrees(file: Path) -> None:
    before = head()
    fill(file, {("P1", "P3"): "same"})
    result = run("player", "review", file)
    assert (result.exit_code, head()) == (1, before)
    assert "To be recorded: 1 merge." in result.output
    assert "Add --yes to go on." in result.output


def test_what_was_recorded_already_is_recognised(file: Path) -> None:
    fill(file, {("P1", "P3"): "same", ("P1", "P5"): "different", ("P2", "P4"): "different"})
    assert run("player", "review", file, "--yes").exit_code == 0
    after = head()
    result = run("player", "review", file, "--yes")
    assert result.exit_code == 0, result.output
    assert "Nothing to record." in result.output
    assert result.output.count("is here already; nothing was added for it") == 3
    assert head() == after


def test_nothing_is_decided_yet(file: Path) -> None:
    fill(file, {("P1", "P3"): "later"})
    assert "Nothing to record." in run("player", "review", file).output


def test_a_stale_row_is_named_with_what_has_changed(file: Path) -> None:
    """All of them at once, and nothing is recorded, not even what is still right."""
    decided = dict.fromkeys((("P1", "P3"), ("P1", "P5"), ("P2", "P4"), ("P3", "P5")), "same")
    fill(file, {**decided, ("P2", "P4"): "different"})
    line = {(row["player_id"], row["other_id"]): at for at, row in enumerate(written(file), 2)}
    run("player", "edit", "P5", "--name", "Ada Novaková", "--yes")
    run("player", "merge", "P4", "P2", "--reason", "asked him", "--yes")
    before = head()
    told = error("player", "review", file, "--yes")
    assert "3 problems, nothing was recorded." in told
    name = "P5 is Ada Novaková now, and Ада Новак in this row"
    assert f"{file}:{line['P1', 'P5']}: {name}" in told
    assert f"{file}:{line['P3', 'P5']}: {name}" in told
    assert f"{file}:{line['P2', 'P4']}: P4 is part of P2 now" in told
    assert "Write the file of pairs again, or set this row to later." in told
    assert head() == before


def test_who_was_kept_apart_meanwhile_is_not_merged(file: Path) -> None:
    fill(file, {("P2", "P4"): "same"})
    run("player", "apart", "P2", "P4", "--reason", "cousins", "--yes")
    told = error("player", "review", file, "--yes")
    assert f"entry {head()} says that P2 and P4 are two players" in told


def test_who_met_meanwhile_is_not_merged(file: Path, journal: Path) -> None:
    fill(file, {("P2", "P4"): "same"})
    found = open_journal(str(journal))
    handed_in(found, ("W", "2020-02-15", [BEN, BENN]))
    found.close()
    told = error("player", "review", file, "--yes")
    assert "P2 and P4 both played in W/main" in told
    assert "They are two players: write different." in told


def test_rows_that_contradict_each_other_are_named(file: Path) -> None:
    fill(file, {("P1", "P3"): "same", ("P1", "P5"): "same", ("P3", "P5"): "different"})
    told = error("player", "review", file, "--yes")
    assert "P3 and P5 are one player by other rows" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "decision,player_id\nsame,P1\n",
            "such as: decision,player_id,player,other_id,other",
        ),
        (
            "decision,player_id,player,other_id,other\nperhaps,P1,Ada,P2,Ben\n",
            "pairs.csv:2: 'perhaps' is no decision",
        ),
        (
            "decision;player_id;player;other_id;other\nsame;P7;Ada;P1;Ada Novak (CZE)\n",
            "pairs.csv:2: there is no player P7",
        ),
        (
            "decision,Decision,player_id,player,other_id,other\nsame,different,P1,A,P3,B\n",
            "pairs.csv:1: 'decision' and 'Decision' both look like the decision",
        ),
        ("", "the file is empty"),
    ],
)
@pytest.mark.usefixtures("journal")
def test_a_file_that_is_none_is_told_plainly(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "pairs.csv").write_text(text, encoding="utf-8")
    assert told in error("player", "review", tmp_path / "pairs.csv", "--yes")


@pytest.mark.usefixtures("journal")
def test_an_empty_workbook_is_told_plainly(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(str(tmp_path / "pairs.xlsx")) as book:
        book.add_worksheet()
    told = error("player", "review", tmp_path / "pairs.xlsx", "--yes")
    assert "such as: decision,player_id,player,other_id,other" in told


def test_adding_many_reports_says_how_many_possible_duplicates_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many as are to be decided on afterwards, and how to see them."""
    journal = tmp_path / "season.db"
    create_journal(str(journal)).close()
    monkeypatch.setenv("PALMARES_JOURNAL", str(journal))
    season = tmp_path / "season"
    season.mkdir()
    for number, name in enumerate(("Ada Novak", "A. Novak", "Ada Nowak", "Zoe Quist")):
        (season / f"{number}.toml").write_text(REPORT.format(day=number + 1, name=name))
    result = run("add", season, "--yes")
    assert result.exit_code == 0, result.output
    assert len(pairs()) == 2  # A. Novak and Ada Nowak, each with Ada Novak
    assert result.output.splitlines()[-2] == (
        "2 possible duplicates. To decide on them: palmares player suggestions -o pairs.xlsx"
    )


REPORT = """
[tournament]
name = "Open {day}"
discipline = "backgammon"
end_date = 2019-06-{day:02}

[[event]]
name = "Main"
kind = "championship"
entry_fee = 100

[event.main]
entrants = 4
placings = '''
1 {name} (CZE)
'''
"""
