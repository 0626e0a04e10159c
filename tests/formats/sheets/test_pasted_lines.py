"""Placings as somebody pastes them: lines, columns without a header row, a title above."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.facts.decoding import ReportTables
from palmares.facts.schema import LINE
from palmares.formats import read_report
from palmares.formats.lines import flight_of
from palmares.formats.sheets import placings
from palmares.formats.sheets.grid import has_placings
from tests.formats.reading import column, places, rows
from tests.formats.sheets.test_workbook import workbook

HEAD = "name: Graz Open\nend_date: 2020-01-19\n"


def read(text: str) -> ReportTables:
    return placings.read((HEAD + text).encode(), "x.txt")


def placed(raw: ReportTables) -> list[tuple[str | None, ...]]:
    """Rank, how many share it and who, of each placing."""
    return [(one["rank"], one.get("tied"), one["player_id"]) for one in rows(raw, "placings")]


TOM, ADA = ("1", None, "Tom Dugan (ENG)"), ("2", None, "Ada Novak (CZE)")


@pytest.mark.parametrize(
    "text",
    [
        "1. Tom Dugan (England)\n2. Ada Novak (CZE)\n",
        "1 Tom Dugan (England)\n\n2 Ada Novak (CZE)\n",
        "1) Tom Dugan (England)\r\n2) Ada Novak (CZE)\r\n",
        "1.Tom Dugan (England)\n2.Ada Novak (CZE)\n",
        "1er Tom Dugan (England)\n2e Ada Novak (CZE)\n",
        "1º Tom Dugan (England)\n2° Ada Novak (CZE)\n",
        "1st Tom Dugan (England)\n2nd Ada Novak (CZE)\n",
        "1st place - Tom Dugan (England)\n2nd place - Ada Novak (CZE)\n",
        "1st Place: Tom Dugan (England)\n2nd Place: Ada Novak (CZE)\n",
        "1\tTom Dugan\tEngland\n2\tAda Novak\tCZE\n",
        "1\tTom Dugan\tEngland\t120\n2\tAda Novak\tCZE\t60\n",
        "1;Tom Dugan;England\n2;Ada Novak;CZE\n",
        "1,Tom Dugan,England\n2,Ada Novak,CZE\n",
        "1   Tom Dugan   England\n2   Ada Novak   CZE\n",
        "1.  Tom Dugan   England   120.5\n2.  Ada Novak   CZE   60\n",
        "1. Tom Dugan\tEngland\n2. Ada Novak\tCZE\n",
        "Place   Player      Country\n1       Tom Dugan   England\n2       Ada Novak   CZE\n",
        "Place Name\n1 Tom Dugan (England)\n2 Ada Novak (CZE)\n",
    ],
)
def test_the_same_two_players(text: str) -> None:
    raw = read(text)
    assert raw.problems == []
    assert placed(raw) == [TOM, ADA]


def test_ranks_that_are_shared() -> None:
    raw = read("1 Ada\n2= Ben\n2= Carla\nT4 Dag\nT4 Eva\n6-7 Finn\n6-7 Gro\n8/9 Hal\n")
    assert raw.problems == []
    assert [one[:2] for one in placed(raw)] == [
        ("1", None), ("2", None), ("2", None), ("4", None), ("4", None),
        ("6", "2"), ("6", "2"), ("8", "2"),
    ]  # fmt: skip


@pytest.mark.parametrize("rank", ["2=", "2=.", "2=)", "=2.", "T2", "T2.", "T-2.", "2T", "2T."])
def test_a_tie_at_the_head_of_a_line(rank: str) -> None:
    raw = read(f"1 Ada\n{rank} Ben\n{rank} Carla\n")
    assert raw.problems == []
    assert [one["rank"] for one in rows(raw, "placings")] == ["1", "2", "2"]
    (problem,) = read(f"1 Ada\n{rank} Ben\n").problems
    assert problem.what == "rank 2= is shared, but no other player has it"


def test_a_title_is_the_name_and_says_so() -> None:
    text = b"Graz Open 2020\nFinal standings\nend_date: 2020-01-19\n\n1 Ada Novak (CZE)\n"
    raw = placings.read(text, "x.txt")
    assert raw.problems == []
    assert column(raw, "tournaments", "name") == ["Graz Open 2020"]
    assert column(raw, "tournaments", "end_date") == ["2020-01-19"]
    assert [(one.at.line, one.what) for one in raw.notices] == [
        (1, "'Graz Open 2020' is taken for the tournament's name"),
        (2, "this line above the placings is not read: 'Final standings'"),
    ]


def test_what_is_said_beside_goes_before_a_title_and_behind_a_key() -> None:
    said = {"name": "Linz Open", "end_date": "2020-01-19"}
    for text, name in (("Graz\n1 Ada\n", "Linz Open"), ("name: Graz\n1 Ada\n", "Graz")):
        raw = placings.read(text.encode(), "x", tournament=said)
        assert column(raw, "tournaments", "name") == [name]


def test_each_line_that_is_no_placing_is_a_problem_at_its_line() -> None:
    raw = read("1 Ada Novak (CZE)\nthird Ben\n3 Carla Rossi 12.5\n\nThanks to all!\n")
    assert [(one.where, one.what) for one in raw.problems] == [
        ("x.txt:4", "no rank and name in 'third Ben'"),
        ("x.txt:5", "'12.5' behind the name is not understood"),
        ("x.txt:7", "no rank and name in 'Thanks to all!'"),
    ]


def test_a_code_behind_a_name_is_its_nation_and_says_so() -> None:
    raw = read("1 Ada Novak CZE\n2 Bo CZE\n3 ADA LEE CZE\n4 Sam LEE\n")
    assert [one[2] for one in placed(raw)] == [
        "Ada Novak (CZE)",
        "Bo CZE",
        "ADA LEE CZE",
        "Sam LEE",
    ]
    assert [one.what for one in raw.notices] == [
        "'CZE' beside a name is read as the nation",
        "the last word of 'ADA LEE CZE' is taken for a part of the name",
    ]


def test_of_two_columns_of_words_none_is_taken_for_the_name() -> None:
    (problem,) = read("1\tAda\tNovak\n2\tBen\tOlsen\n").problems
    assert problem.where == "x.txt:3"
    assert problem.what == "columns 2 and 3 all hold words; which is the name?"


def test_a_country_may_be_a_name() -> None:
    assert [one[2] for one in placed(read("1,Canada\n2,England\n"))] == ["Canada", "England"]


def test_too_few_cells_under_a_header_row_of_spaces() -> None:
    raw = read("Place   Player   Country\n1   Ada   CZE\n2   Ben\n")
    assert [(one.where, one.what) for one in raw.problems] == [("x.txt:5", "2 cells under 3 heads")]


def test_a_workbook_without_a_header_row_and_with_a_title() -> None:
    content = workbook([["Graz Open"], [], ["end_date", "2020-01-19"], [1, "Ada", "CZE", 9.5]])
    raw = placings.read(content, "x.xlsx")
    assert raw.problems == []
    assert column(raw, "tournaments", "name") == ["Graz Open"]
    assert placed(raw) == [("1", None, "Ada (CZE)")]


def test_rounds_behind_and_the_star() -> None:
    raw = read("1* Ada\n2 Ben, 2 rounds behind\n")
    assert [(one.get("designated"), one.get("rounds_behind")) for one in rows(raw, "placings")] == [
        ("true", None), (None, "2"),
    ]  # fmt: skip
    sheet = read("rank,name,rounds_behind\n1,Ada,\n2,Ben,2\n")
    assert column(sheet, "placings", "rounds_behind") == [None, "2"]


def test_a_text_file_of_lines_is_a_report(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(HEAD + "1. Ada Novak (CZE)\n", encoding="utf-8")
    raw = read_report(tmp_path / "x.txt")
    assert (raw.form, places(raw)) == ("lines of placings", [])
    (tmp_path / "y.txt").write_text("1. Ada Novak (CZE)\n", encoding="utf-8")
    assert "name and end_date" in read_report(tmp_path / "y.txt").problems[0].what
    assert read_report(tmp_path / "y.txt", among=True).problems == []


@given(st.text(alphabet="1234=-T.) \t;,\nAdaNovak(CZE)", max_size=80))
def test_no_line_vanishes(text: str) -> None:
    """Every line is a placing, a problem, a notice, or empty."""
    raw = placings.read((HEAD + "1 Ada Novak\n" + text).encode(), "x")
    lines = {at for at, line in enumerate((HEAD + "1 Ada Novak\n" + text).split("\n"), 1)
             if line.strip(" \t#,;")}  # fmt: skip
    seen = {row[LINE] for name in ("placings", "players") for row in raw.table(name)}
    seen |= {one.at.line for one in (*raw.problems, *raw.notices)}
    assert lines - {1, 2} <= seen or raw.problems
    assert has_placings("1 Ada Novak\n" + text)


class TestNamesWithoutRanks:
    """An order that nobody calls a ranking is not taken for one."""

    @pytest.mark.parametrize(
        "text",
        [
            "Ada Novak, CZE\nBen Olsen, DEN\n",
            "Ada Novak,CZE\nBen Olsen,Denmark\nCarla Rossi,ITA\n",
            "Ada Novak\tCZE\nBen Olsen\tDEN\n",
            "Ada Novak; CZE\nBen Olsen; DEN\n",
            "Ada Novak (CZE)\nBen Olsen (DEN)\n",
            "Novak, Ada (CZE)\nOlsen, Ben (DEN)\n",
            "Name,Nation\nAda Novak,CZE\nBen Olsen,DEN\n",
            "Name;Nat\nAda Novak;CZE\nBen Olsen;DEN\n",
        ],
    )
    def test_they_are_refused(self, text: str, tmp_path: Path) -> None:
        (tmp_path / "x.txt").write_text(HEAD + text)
        for raw in (read(text), read_report(tmp_path / "x.txt")):
            (problem, *_) = raw.problems
            assert not raw.table("placings")
            assert "rank" in f"{problem.what} {problem.remedy}" or "1 Ada" in problem.remedy

    def test_in_a_workbook(self) -> None:
        content = workbook([["Name", "Nation"], ["Ada Novak", "CZE"], ["Ben Olsen", "DEN"]])
        (problem,) = placings.read(content, "x.xlsx").problems
        assert problem.what == "none of 'Name', 'Nation' is the rank"

    def test_a_rank_behind_the_name_is_one(self) -> None:
        raw = read("Name,Nation,Rank\nAda Novak,CZE,1\nBen Olsen,DEN,2\n")
        assert raw.problems == []

    def test_a_letter_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "x.txt").write_text("Dear all,\n\nthe results follow (soon).\n")
        (problem,) = read_report(tmp_path / "x.txt").problems
        assert problem.what == "this is no report we know"


class TestNumbersOfPlayers:
    @pytest.mark.parametrize(
        "line",
        ["64 players", "Total: 64 players", "64 Players.", "64 Teilnehmer", "total 64 entrants"],
    )
    def test_below_a_list(self, line: str) -> None:
        raw = read(f"1 Ada Novak (CZE)\n2 Ben Olsen (DEN)\n\n{line}\n")
        (problem,) = raw.problems
        assert problem.where == "x.txt:6"
        assert problem.what == f"'{line}' is the number of players, not a placing"
        assert "above the placings, as entrants" in problem.remedy

    def test_in_a_sheet(self) -> None:
        raw = read("Rank,Name\n1,Ada Novak\n64 players\n")
        assert raw.problems == []
        assert raw.notices[-1].what == "no name in this row: 64 players"

    def test_above_a_list(self) -> None:
        raw = read("Graz\n64 players\n1 Ada Novak (CZE)\n")
        assert raw.problems == []
        assert raw.notices[-1].remedy.endswith("as a key and its value: entrants: 64.")

    def test_somebody_of_that_name(self) -> None:
        assert placed(read("1 Gary Players (USA)\n")) == [("1", None, "Gary Players (USA)")]


@pytest.mark.parametrize("words", ["1. Platz", "1st place", "1. puesto", "1) Posto"])
def test_a_word_of_the_rank_is_not_taken_for_a_name_in_silence(words: str) -> None:
    raw = read(f"{words} Ada Novak (CZE)\n2 Ben Olsen (DEN)\n")
    (notice,) = raw.notices
    assert notice.where == "x.txt:3"
    word = words.split()[1]
    assert notice.what == f"the first word in '{word} Ada Novak' is taken for a part of the name"


def test_a_placing_in_words_above_the_first_rank_is_not_lost() -> None:
    """Else the winner would be left out of the list, with a warning alone."""
    raw = read("Winner - Ada Novak (CZE)\n2 Ben Olsen (DEN)\n")
    assert [problem.where for problem in raw.problems] == ["x.txt:3"]
    assert "Winner - Ada Novak (CZE)" in raw.problems[0].what


def test_two_who_share_a_rank_on_one_line_are_told_from_a_pair() -> None:
    raw = read("1 Ada Novak\n2 Ben Olsen\n3-4 Li Wei (CHN) & Marta Ruiz (ESP)\n")
    assert [(notice.where, notice.what) for notice in raw.notices] == [
        (
            "x.txt:5",
            "'Li Wei (CHN) & Marta Ruiz (ESP)' is read as a pair, and others as single players",
        )
    ]


def flights(raw: ReportTables) -> list[tuple[str | None, ...]]:
    """Flight, rank and who, of each placing."""
    assert raw.problems == []
    return [(one["flight"], one["rank"], one["player_id"]) for one in rows(raw, "placings")]


TWO = [("main", "1", "Ada"), ("main", "2", "Ben"), ("consolation", "1", "Cy"),
       ("consolation", "2", "Ada")]  # fmt: skip


@pytest.mark.parametrize(
    "lines",
    [
        "1 Ada\n2 Ben\n\n%s\n1 Cy\n2 Ada\n",
        "Main\n1 Ada\n2 Ben\n%s\n1 Cy\n2 Ada\n",
        "rank;name\n1;Ada\n2;Ben\n%s;\n1;Cy\n2;Ada\n",
        "rank;name\n1;Ada\n2;Ben\n;%s\n1;Cy\n2;Ada\n",
        "MAIN\nrank;name\n1;Ada\n2;Ben\n%s\nrank;name\n1;Cy\n2;Ada\n",
        "Place   Name\n1       Ada\n2       Ben\n%s\nPlace   Name\n1       Cy\n2       Ada\n",
        "**Main**\n| # | Name |\n|-|-|\n|1 | Ada |\n|2 | Ben |\n%s\n|1 | Cy |\n|2 | Ada |\n",
        "%s\n1 Cy\n2 Ada\nMain\n1 Ada\n2 Ben\n",
    ],
)
@pytest.mark.parametrize("heading", ["Consolation", "CONSOLATION (16):", "--- Trostturnier ---"])
def test_a_flight_begins_with_its_name_on_a_line(lines: str, heading: str) -> None:
    assert sorted(flights(read(lines % heading))) == sorted(TWO)


def test_three_flights_and_their_names_in_other_words() -> None:
    text = "Graz Open\n{}\n1. Ada\n\n{}\n1. Ben\n\n{}\n1. Cy\n"
    for names in (
        ("Main", "Consolation", "Last Chance"),
        ("Hauptturnier:", "Trostrunde:", "Letzte Chance:"),
        ("## Main draw", "## Consolation bracket", "## Last-Chance"),
        ("* Principal *", "* Consolación *", "* Dernière chance *"),
    ):
        raw = placings.read(f"end_date: 2020-01-19\n{text.format(*names)}".encode(), "x.txt")
        assert [one[0] for one in flights(raw)] == ["main", "consolation", "last_chance"]
        assert column(raw, "tournaments", "name") == ["Graz Open"]


@pytest.mark.parametrize("between", ["", "Doubles\n"])
def test_a_second_list_without_the_name_of_a_flight(between: str) -> None:
    """Its places would be those of the main."""
    raw = read(f"1 Ada Novak\n2 Ben Olsen\n\n{between}1 Cy Young\n2 Dee Rix\n")
    problem = raw.problems[-1]
    assert problem.what == "the places begin again at 1"
    assert "Consolation or Last Chance on a line above" in problem.remedy
    assert len(raw.problems) == 1 + bool(between)
    assert [row["rank"] for row in raw.table("placings")] == ["1", "2"]


def test_first_places_that_are_shared_do_not_begin_a_list() -> None:
    for text in ("1 Ada\n1 Ben\n3 Cy\n", "1= Ada\n3 Ben\n1= Cy\n", "3 Ada\n2 Ben\n1 Cy\n"):
        assert read(text).problems == []


def test_the_file_of_a_flight_that_names_another(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("rank,name\n1,Ada\nConsolation,\n1,Ben\n", encoding="utf-8")
    report = 'name = "Graz"\nend_date = 2020-01-19\n[[event]]\nname = "A"\n'
    text = f'[tournament]\n{report}[event.main]\nplacings_file = "x.csv"\n'
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    (problem,) = read_report(tmp_path / "x.toml").problems
    assert problem.what == "'Consolation' begins another flight"
    assert problem.remedy == "Put its placings under [event.consolation]."


def test_no_long_line_is_looked_at_for_the_name_of_a_flight() -> None:
    """It would take minutes."""
    assert flight_of(f"Consolation{', ' * 5000}") is None
    assert flight_of(f"a{'- ' * 5000}a") is None
    assert flight_of(f"Consolation{' ' * 5000}") == "consolation"
