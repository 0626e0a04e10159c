"""Which files of a directory are read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from xlsxwriter import Workbook

from palmares.core.errors import FactsRejected, PalmaresWarning
from palmares.formats.load import gathered, read
from palmares.journal.store.journal import create_journal
from tests.packages import run

PLAYERS = "player_id,name\na,Ada Novak\n"
REPORT = '[tournament]\nname = "Open"\ndiscipline = "backgammon"\nend_date = 2020-01-05\n'
PLAYED = REPORT + '[[event]]\nname = "Main"\n[event.main]\nentrants = 1\nplacings = "1 Ada"\n'


def test_a_directory_of_reports_and_packages(tmp_path: Path) -> None:
    (tmp_path / "season").mkdir()
    (tmp_path / "season" / "players.csv").write_text(PLAYERS)
    (tmp_path / "open.toml").write_text(PLAYED)

    facts = read(tmp_path)

    assert facts["players"]["player_id"].to_list() == ["Ada", "a"]
    assert facts["tournaments"]["name"].to_list() == ["Open"]


def test_a_report_inside_a_package_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "players.csv").write_text(PLAYERS)
    (tmp_path / "open.toml").write_text(REPORT)

    with pytest.warns(PalmaresWarning, match=r"open\.toml: this is not read"):
        facts = read(tmp_path)

    assert facts["tournaments"].is_empty()


def test_a_directory_with_neither(tmp_path: Path) -> None:
    (tmp_path / "notes.doc").write_text("nothing")

    with pytest.raises(FactsRejected, match="neither a table of facts nor a report"):
        read(tmp_path)


def test_no_such_path(tmp_path: Path) -> None:
    with pytest.raises(FactsRejected, match="there is no such file or directory"):
        read(tmp_path / "nowhere")


def test_a_copy_is_read_once(tmp_path: Path) -> None:
    """Byte for byte the same, in the folder or in one inside it; two that differ both count."""
    (tmp_path / "old").mkdir()
    for name in ("open.toml", "open (copy).toml", "old/open.toml"):
        (tmp_path / name).write_text(PLAYED)
    with pytest.warns(PalmaresWarning, match="not read: it is a copy of") as warned:
        facts = read(tmp_path)
    assert facts["tournaments"]["name"].to_list() == ["Open"]
    assert [str(one.message).partition(":")[0] for one in warned] == [
        str(tmp_path / name) for name in ("open (copy).toml", "open.toml")
    ]
    (tmp_path / "open.toml").write_text(f"{PLAYED}# late\n")
    with pytest.raises(FactsRejected, match="is there twice"):
        read(tmp_path)


def test_a_copy_that_names_a_sheet_is_read_with_the_sheet_beside_it(tmp_path: Path) -> None:
    """The sheets differ, so the reports do."""
    for year in ("2019", "2020"):
        (tmp_path / year).mkdir()
        report = (
            f'{REPORT}[[event]]\nname = "A"\n[event.main]\nentrants = 1\nplacings_file = "a.csv"\n'
        )
        (tmp_path / year / "open.toml").write_text(report)
        (tmp_path / year / "a.csv").write_text(f"{SHEET}3,Cy Pell {year}\n")
    with pytest.raises(FactsRejected, match="is there twice"):
        gathered(tmp_path)


def test_a_link_back_into_its_own_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "season").mkdir()
    (tmp_path / "season" / "all").symlink_to(tmp_path)
    (tmp_path / "season" / "open.toml").write_text(PLAYED)
    with pytest.warns(PalmaresWarning, match="all: this link is not followed"):
        facts = read(tmp_path)
    assert facts["tournaments"].height == 1


SHEET = "Rank,Name\n1,Ada Novak\n2,Ben Ode\n"
HEADED = "name: {name}\ndiscipline: diplomacy\nend_date: 2019-05-05\nentrants: 2\n\n" + SHEET
LINE = "name: Line\nend_date: 2005-05-30\n\nOPEN (8): 1-Ada Foe (IL), 2-Ben Goo (NJ).\n"
PAGE = (
    "Page\nDate June 1, 2006 Place Y\nNumber of players8 Number of rounds1\n"
    "Coeff 13.14 Coeff 2- Coeff 3-\nRankFirstName LastNameLoc.Nat.Score\n1A BEE93.75\n"
)
"""8 / 7 + 2 = 3.142...; (8 + 0.5 - 1) / 8 x 100 = 93.75."""
NAMING = (
    REPORT
    + """
[[event]]
name = "Main"
entrants = 2

[event.main]
placings_file = "{name}"
"""
)


def notices(*paths: Path) -> dict[str, str]:
    """What is said of files that are not read, by their names."""
    return {
        Path(one.where).name: one.what for one in gathered(*paths).notices if "not read" in one.what
    }


def names(*paths: Path) -> list[str]:
    return sorted(gathered(*paths)["tournaments"]["name"].to_list())


def put(place: Path, **files: str) -> Path:
    """A directory with files; two underscores in a name stand for its point."""
    place.mkdir(exist_ok=True)
    for name, text in files.items():
        (place / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return place


class TestAFolder:
    """'A folder reads every file that can be read, of every kind, and names each it does not.'"""

    def test_every_kind_is_read(self, tmp_path: Path) -> None:
        put(tmp_path, open__toml=REPORT, sheet__csv=HEADED.format(name="Sheet"),
            tabs__tsv=HEADED.format(name="Tabs").replace(",", "\t"), line__txt=LINE,
            page__md=PAGE)  # fmt: skip
        put(
            tmp_path / "package",
            tournaments__csv="tournament_id,name,end_date\nT,Pack,2019-01-01\n",
        )
        put(tmp_path / "deeper", late__txt=LINE.replace("Line", "Late"))
        with Workbook(tmp_path / "book.xlsx") as book:
            page = book.add_worksheet()
            for row, line in enumerate(HEADED.format(name="Book").splitlines()):
                for at, cell in enumerate(line.split(",")):
                    page.write(row, at, cell)

        assert names(tmp_path) == ["Book", "Late", "Line", "Open", "Pack", "Page", "Sheet", "Tabs"]
        assert notices(tmp_path) == {}

    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        put(tmp_path, open__toml=REPORT)
        os.mkfifo(tmp_path / "pipe.toml")
        assert names(tmp_path) == ["Open"]
        assert list(notices(tmp_path)) == ["pipe.toml"]

    def test_sheets_of_a_toml_report_are_read_once(self, tmp_path: Path) -> None:
        put(tmp_path, open__toml=NAMING.format(name="a.csv"), a__csv=SHEET)
        for paths in ([tmp_path], sorted(tmp_path.iterdir())):
            facts = gathered(*paths)
            assert facts["tournaments"]["name"].to_list() == ["Open"]
            assert facts["placings"]["rank"].to_list() == [1, 2]
            assert notices(*paths) == {}

    def test_a_sheet_with_its_own_lines_may_be_part_of_a_report(self, tmp_path: Path) -> None:
        put(tmp_path, open__toml=NAMING.format(name="a.csv"), a__csv=HEADED.format(name="Own"))
        assert names(tmp_path) == ["Open"]

    def test_what_is_not_read_is_named(self, tmp_path: Path) -> None:
        put(tmp_path, open__toml=REPORT, other__csv=SHEET, rows__csv="a,b\n1,2\n",
            README__md="# Results\n", notes__txt="Call Ada.\n", picture__png="...",
            old__toml__bak=REPORT)  # fmt: skip
        put(tmp_path / "deeper", list__pdf="...")

        found = notices(tmp_path)

        assert names(tmp_path) == ["Open"]
        assert set(found) == {
            "other.csv", "rows.csv", "README.md", "notes.txt", "picture.png", "old.toml.bak",
            "list.pdf",
        }  # fmt: skip
        assert "names its tournament" in found["other.csv"]
        assert "no report we know" in found["notes.txt"]

    def test_what_systems_leave_behind_is_not(self, tmp_path: Path) -> None:
        put(tmp_path, open__toml=REPORT, desktop__ini="x")
        for name in (".DS_Store", "Thumbs.db", "~$list.xlsx", "._open.toml"):
            (tmp_path / name).write_text("x", encoding="utf-8")
        put(tmp_path / ".git", config="x")
        put(tmp_path / "__MACOSX", open__toml="x")
        assert notices(tmp_path) == {}

    def test_a_report_with_a_fault_is_an_error_and_no_warning(self, tmp_path: Path) -> None:
        bad = HEADED.format(name="Sheet").replace("1,Ada", "first,Ada")
        put(tmp_path, open__toml=REPORT, bad__csv=bad)
        with pytest.raises(FactsRejected, match=r"bad\.csv:7: 'first' is not a rank"):
            gathered(tmp_path)

    def test_tables_and_reports_in_one_folder(self, tmp_path: Path) -> None:
        put(tmp_path, players__csv=PLAYERS, open__toml=REPORT, sheet__csv=HEADED.format(name="S"),
            README__md="x")  # fmt: skip
        put(tmp_path / "deeper", late__txt=LINE)
        found = notices(tmp_path)
        assert set(found) == {"open.toml", "sheet.csv", "README.md", "deeper"}
        assert set(found.values()) == {"this is not read: its directory is a package of tables"}

    def test_a_folder_of_nothing_but_notes(self, tmp_path: Path) -> None:
        put(tmp_path, README__md="# Results\n", rows__csv="a,b\n1,2\n")
        with pytest.raises(FactsRejected, match="neither a table of facts nor a report"):
            gathered(tmp_path)

    def test_the_commands_warn_and_go_on(self, tmp_path: Path) -> None:
        put(tmp_path, sheet__csv=HEADED.format(name="Sheet"), picture__png="...")
        (tmp_path / "sheet.csv").write_text(
            HEADED.format(name="Sheet").replace("entrants: 2", "entrants: 2\nrounds: 2"),
            encoding="utf-8",
        )
        ranked = run("rank", "dptr", tmp_path)
        assert ranked.exit_code == 0
        assert "picture.png: this file is not read" in ranked.stderr
        create_journal(str(tmp_path.parent / "journal.db")).close()
        added = run("add", tmp_path, "--journal", tmp_path.parent / "journal.db", "--yes",
                    "--author", "Otto")  # fmt: skip
        assert added.exit_code == 0, added.stderr
        assert "picture.png: this file is not read" in added.stderr + added.stdout
