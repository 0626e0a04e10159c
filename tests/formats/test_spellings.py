"""Nations are compared as resolved; what may mean several things is asked about, in each reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmares.core.errors import Refused
from palmares.facts import check_facts, parse_cells
from palmares.facts.decoding import ReportTables
from palmares.formats import diplomacy_database, printed_lists
from palmares.formats.sheets import placings
from palmares.formats.toml import read
from palmares.points.explain import player_id_of
from tests.formats.reading import column

HEAD = '[tournament]\nname = "An Open"\nend_date = 2019-01-06\n[[event]]\nname = "Main"\n'
SHEET = "name: An Open\nend_date: 2019-01-06\n\n"


def placed(*lines: str, more: str = "") -> ReportTables:
    """A TOML report with these placings."""
    block = "\n".join(lines)
    return read.read(f'{HEAD}[event.main]\nplacings = """\n{block}\n"""\n{more}', "x.toml")


def listed(*rows: str, header: str = "Rank,Name,Nation") -> ReportTables:
    """A sheet with these rows."""
    return placings.read("\n".join([SHEET + header, *rows]).encode(), "x.csv")


class TestReports:
    def test_one_player_however_the_nation_is_spelled(self) -> None:
        other = (
            '[event.consolation]\nplacings = """\n1 Ben Olsen (Denmark)\n2 Ben Olsen, DNK\n"""\n'
        )
        raw = placed("1 Ben Olsen (DEN)", "2 Ed Foe, Jr.", more=other)
        assert raw.problems == []
        assert column(raw, "players", "player_id") == ["Ben Olsen (DNK)", "Ed Foe, Jr."]

    @pytest.mark.parametrize("nation", ["DEN", "DNK", "DK", "Denmark"])
    def test_who_is_described_is_the_one_placed(self, nation: str) -> None:
        raw = placed(
            "1 Ben Olsen (DEN)", more=f'[[player]]\nname = "Ben Olsen"\nnation = "{nation}"\n'
        )
        assert column(raw, "players", "player_id") == ["Ben Olsen (DNK)"]

    def test_names_turned_round_are_told_once(self) -> None:
        raw = placed("1 Martin, Jean-Luc", "2 Novak, Ada", "3 Li Wei, CHN")
        assert raw.problems == []
        assert column(raw, "players", "player_id") == [
            "Jean-Luc Martin", "Ada Novak", "Li Wei (CHN)",
        ]  # fmt: skip
        (notice,) = raw.notices
        assert "'Martin, Jean-Luc' is read as Jean-Luc Martin" in notice.what

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("2 Ada Novak, Prague", "has a comma that may mean several things"),
            ("2 Ada Novak, Ben Olsen", "has a comma that may mean several things"),
            ("2 Ada (CZE) Novak", "(CZE) is in the middle of 'Ada (CZE) Novak'"),
            ("2 Ed (IL) Foe", "(IL) is in the middle"),
            ("2 Ada Novak (CZE) (Prague)", "(CZE) is in the middle"),
            ("2 Ada Novak [Germany]", "[Germany] is a nation or a state"),
            ("2 Ada Novak [GER]", "[GER] is a nation or a state"),
            ("2 Ed Foe [IL]", "[IL] is a nation or a state"),
        ],
    )
    def test_what_is_asked_about(self, line: str, words: str) -> None:
        (problem,) = placed("1 Ben Olsen", line).problems
        assert words in problem.what
        assert problem.where == "x.toml:9"

    def test_a_nickname_in_brackets_is_part_of_a_name(self) -> None:
        raw = placed("1 Robert (Bob) Foe (USA) [n17]")
        assert (raw.problems, column(raw, "players", "name")) == ([], ["Robert (Bob) Foe"])


class TestSheets:
    def test_a_column_of_nations(self) -> None:
        raw = listed("1,Ana Gil,E", "2,Cy Pell,D", "3,Ben Olsen,DEN", "4,Tom Owen,England")
        assert raw.problems == []
        assert column(raw, "players", "player_id") == [
            "Ana Gil (ESP)", "Cy Pell (DEU)", "Ben Olsen (DNK)", "Tom Owen (ENG)",
        ]  # fmt: skip

    def test_names_in_one_column(self) -> None:
        raw = listed('1,"Martin, Jean-Luc",F', '2,"Li Wei, CHN",', "3,Ada Novak (CZE),CZE")
        assert raw.problems == []
        assert column(raw, "players", "player_id") == [
            "Jean-Luc Martin (FRA)", "Li Wei (CHN)", "Ada Novak (CZE)",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("row", "words"),
        [
            ('1,"Ada Novak, Prague",CZE', "has a comma"),
            ("1,Ada Novak (CZE),GER", "Ada Novak is of GER in another column"),
            ("1,Ada (CZE) Novak,", "is in the middle"),
        ],
    )
    def test_what_is_asked_about(self, row: str, words: str) -> None:
        (problem,) = listed(row).problems
        assert (problem.where, words in problem.what) == ("x.csv:5", True)

    def test_a_nation_in_the_column_of_ids(self) -> None:
        raw = listed("1,Ada Novak,Germany", header="Rank,Name,Player ID")
        (problem,) = raw.problems
        assert "[Germany] is a nation or a state" in problem.what

    def test_a_state_beside_a_nation_is_no_nation(self) -> None:
        raw = listed("1,Ed Foe,USA,Georgia", header="Rank,Name,Nation,State")
        assert (raw.problems, raw.notices[1:]) == ([], [])
        assert column(raw, "players", "nation") == ["USA"]
        assert column(raw, "players", "origin") == ["Georgia"]


def test_a_page_and_a_report_name_the_same_player() -> None:
    page = (
        "Page\nDate June 1, 2006 Place Y\nNumber of players8 Number of rounds1\nCoeff 1-\n"
        "RankFirstName LastNameLoc.Nat.Score\n1\tA\tBEE\tALL\t93.75\n"
    )
    raw = diplomacy_database.read(page, "x")
    assert column(raw, "players", "player_id") == column(raw, "placings", "player_id")
    assert column(raw, "players", "player_id") == column(
        placed("1 A BEE (GER)"), "players", "player_id"
    )


def test_a_printed_list_too(tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text('rank,name,nation,points\n1,"Gil, Ana",E,3\n2,Cy Pell,D,2\n', encoding="utf-8")
    rows = printed_lists.read(file).rows
    assert [(one.name, one.nation) for one in rows] == [("Ana Gil", "ESP"), ("Cy Pell", "DEU")]


@pytest.mark.parametrize("asked", ["Ben Olsen (DEN)", "Ben Olsen (Denmark)", "Ben Olsen, DNK"])
def test_a_player_is_asked_for_in_any_spelling(asked: str) -> None:
    facts = check_facts(parse_cells(placed("1 Ben Olsen (DEN)", "2 Ben Olsen (SWE)")))
    assert player_id_of(facts, asked) == "Ben Olsen (DNK)"
    with pytest.raises(Refused, match="2 players are called Ben Olsen"):
        player_id_of(facts, "Ben Olsen")
