"""Sheets of placings with header rows in any common wording."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palmares
from palmares.cli.hints import HINTS
from palmares.core.errors import FactsRejected, Refused
from palmares.core.messages import reworded
from palmares.facts import Facts, check_facts, parse_cells
from palmares.facts.decoding import ReportTables, column_number, letters
from palmares.facts.schema import FILE, LINE
from palmares.formats.sheets import placings
from palmares.formats.sheets.headers import map_header, preamble
from tests.formats.reading import column, places, rows
from tests.formats.sheets.test_workbook import workbook

HEAD = "name: An Open\nend_date: 2020-01-02\n"


def read(text: str | bytes, file: str = "x.csv") -> ReportTables:
    content = text if isinstance(text, bytes) else (HEAD + text).encode()
    return placings.read(content, file)


class TestHeaders:
    """'A header row in any common wording, mapped with a preview.'"""

    @pytest.mark.parametrize(
        ("header", "taken"),
        [
            ("Rank,Name,Country,Points", {"rank": 0, "name": 1, "nation": 2}),
            ("Rk,Name,FED,Rtg", {"rank": 0, "name": 1, "nation": 2}),
            ("#,Player,Flag", {"rank": 0, "name": 1, "nation": 2}),
            ("Pos.,First name,Last name,Nat.", {"rank": 0, "first": 1, "last": 2, "nation": 3}),
            ("Platz,Vorname,Name,Land", {"rank": 0, "first": 1, "last": 2, "nation": 3}),
            ("Rang,Name,Nationalität", {"rank": 0, "name": 1, "nation": 2}),
            ("Classement,Nom,Prénom,Pays", {"rank": 0, "last": 1, "first": 2, "nation": 3}),
            ("Clt,Joueur", {"rank": 0, "name": 1}),
            ("Puesto,Nombre,Apellidos,País", {"rank": 0, "first": 1, "last": 2, "nation": 3}),
            ("Posición,Nombre", {"rank": 0, "name": 1}),
            ("Posizione,Cognome,Nome,Nazione", {"rank": 0, "last": 1, "first": 2, "nation": 3}),
            ("PLACE,USBGF ID,PLAYER NAME,DIVISION,FLIGHT",
             {"rank": 0, "id": 1, "name": 2, "event": 3, "flight": 4}),
        ],
    )  # fmt: skip
    def test_each_cell_is_taken_for_a_column(self, header: str, taken: dict[str, int]) -> None:
        mapping = map_header(header.split(","))
        assert mapping.unclear == ()
        assert mapping.taken == taken

    def test_what_each_cell_is_taken_for_is_said_in_full(self) -> None:
        raw = read("Pos,First name,Surname,Member ID\n1,Ada,Novak,n1\n")
        notices = [notice.what for notice in raw.notices]
        assert notices == [
            (
                "'Pos' is the rank, 'First name' is the first name, 'Surname' is the last name,"
                " 'Member ID' is the id of the player"
            )
        ]

    def test_what_is_ignored(self) -> None:
        assert map_header(["Rank", "Name", "Points", "", "Elo"]).ignored == ("Points", "Elo")

    @pytest.mark.parametrize(
        ("header", "words"),
        [
            ("No,Player", "'No' may be it, or a number of the player"),
            ("Player,Points", "none of 'Player', 'Points' is the rank"),
            ("Rank,Points", "none of 'Rank', 'Points' is the name"),
            ("Rank,Place,Player", "'Rank' and 'Place' both look like the rank"),
            ("Rank,Player,First name,Last name", "are more than one name"),
            ("Rank,First name", "is the name"),
        ],
    )
    def test_an_unclear_header_names_its_cells(self, header: str, words: str) -> None:
        assert words in " ".join(map_header(header.split(",")).unclear)


def test_rows_become_placings() -> None:
    raw = read("Place,Player,Country,Points\n1,Ada Novák,CZE,9\n3/4,Ben  Olsen,DEN,4\n")
    assert raw.problems == []
    first, third = rows(raw, "placings")
    assert first["player_id"] == "Ada Novák (CZE)"
    assert (third["player_id"], third["rank"], third["tied"]) == ("Ben Olsen (DNK)", "3", "2")
    assert [row[LINE] for row in raw.table("placings")] == [4, 5]
    assert "ignored: Points" in raw.notices[0].what


def test_two_letters_in_a_column_of_nations_are_iso() -> None:
    raw = read("Rank,Name,Country\n1,Ada,CZ\n2,Ben,CA\n")
    assert column(raw, "players", "nation") == ["CZE", "CAN"]


def test_first_and_last_name_in_the_order_of_speech() -> None:
    raw = read("Clt;Nom;Prénom\n1;de Thurah;Karina\n")
    assert column(raw, "players", "name") == ["Karina de Thurah"]


def test_an_id_joins_and_a_name_does_not() -> None:
    raw = read("Rank,Name,ID,Flight\n1,Ada,7,Main\n1,Ada,7,Consolation\n2,Ada,8,Main\n")
    assert column(raw, "placings", "player_id") == ["7", "7", "8"]
    assert column(raw, "placings", "flight") == ["main", "consolation", "main"]
    assert raw.problems == []


def test_a_column_of_events() -> None:
    raw = read("Division,Rank,Name\nOpen,1,Ada\nNovice,1,Ben\n")
    assert column(raw, "events", "event_id") == [
        "an-open-2020-01-02/open",
        "an-open-2020-01-02/novice",
    ]


def test_what_stands_above_may_describe_the_event() -> None:
    raw = read("entrants: 32\nentry_fee: 100\n\nRank,Name\n1,Ada\n")
    (event,) = rows(raw, "events")
    assert (event["entrants"], event["entry_fee"]) == ("32", "100")
    assert column(raw, "flights", "entrants") == ["32"]


@pytest.mark.parametrize(
    "line", ["end_date:,2019-11-15", "end_date: ;2019-11-15;", "end_date::\t2019-11-15"]
)
def test_a_key_may_have_its_value_in_the_next_cell(line: str) -> None:
    settings = preamble(["name: Open", line]).settings
    assert settings == [(0, "name", "Open"), (1, "end_date", "2019-11-15")]


def test_a_player_without_rank_is_not_placed() -> None:
    raw = read("Rank,Name\n1,Ada\nDNF,Ben\n,Carla\n")
    assert column(raw, "placings", "player_id") == ["Ada"]
    assert column(raw, "players", "name") == ["Ada", "Ben", "Carla"]
    assert raw.problems == []


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("Rank,Name\nfirst,Ada\n", "x.csv:4", "'first' is not a rank"),
        ("Rank,Name\n3=,Ada\n", "x.csv:4", "no other player has it"),
        ("Rank,Name\n1,Ada,Novak\n", "x.csv:4", "more cells than the header row"),
        ('Rank,Name\n1,"Ada\n', "x.csv:4", "this is not CSV"),
        ("Dear all\nit was fun\n", "x.csv:3", "no places and names begin here"),
        ("Rank,Name;Club,Ort;X\n", "x.csv:3", "split by comma and semicolon"),
        ("Rank,Name\n", "x.csv", "no row under a header row"),
        ("A,B;C,D;E\n1,2;3,4;5\n", "x.csv:3", "split by comma and semicolon"),
    ],
)
def test_a_sheet_that_cannot_be_read(text: str, where: str, words: str) -> None:
    (problem,) = read(text).problems
    assert problem.where == where
    assert words in problem.what


def test_a_sheet_that_tells_no_tournament() -> None:
    (problem,) = placings.read(b"Rank,Name\n1,Ada\n", "x.csv").problems
    assert "name and end_date" in problem.what


class TestEncodings:
    """'Take UTF-8, with or without BOM, else ask for --encoding and show the candidates.'"""

    TEXT = HEAD + "Rank,Name\r\n1,Jérôme\r\n"

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
    def test_utf_8_with_and_without_bom(self, encoding: str) -> None:
        assert column(read(self.TEXT.encode(encoding)), "players", "name") == ["Jérôme"]

    def test_another_encoding_is_asked_for(self) -> None:
        (problem,) = read(self.TEXT.encode("cp1252")).problems
        assert problem.where == "x.csv:4"
        remedy = reworded(problem.remedy, HINTS)
        assert "give --encoding: " in remedy
        assert "cp1252 or iso8859_15 or cp1250 reads '1,Jérôme'" in remedy

    def test_another_encoding_is_believed(self) -> None:
        raw = placings.read(self.TEXT.encode("cp1252"), "x", encoding="cp1252")
        assert column(raw, "players", "name") == ["Jérôme"]

    @pytest.mark.parametrize("encoding", ["no-such", "ascii", "utf-16"])
    def test_an_encoding_that_does_not_fit(self, encoding: str) -> None:
        raw = placings.read(self.TEXT.encode("cp1252"), "x", encoding=encoding)
        assert len(raw.problems) == 1


def test_a_preview_says_what_each_column_is() -> None:
    content = b"Platz;Name;Land;Punkte\n1;Ada;CZE;9\n"
    assert placings.preview(content, ReportTables("x.csv")) == [
        "  Platz  ->  rank",
        "  Land  ->  nation",
        "  Name  ->  name",
        "  ignored: Punkte",
        "rank  nation  name",
        "1     CZE     Ada",
    ]


@pytest.mark.parametrize(
    "content", [b"", b"x", b"Rank,Name\n", "Räng\n".encode("cp1252"), b"PK\x03\x04"]
)
def test_a_preview_of_nothing(content: bytes) -> None:
    findings = ReportTables("x")
    assert placings.preview(content, findings) or findings.problems


def test_no_preview_of_what_is_no_sheet() -> None:
    with pytest.raises(Refused, match="no CSV or Excel sheet"):
        placings.preview(b'[tournament]\nname = "An Open, of 2020"\n', ReportTables("open.toml"))


def test_a_workbook_with_lines_above() -> None:
    head = [["name", "An Open"], ["end_date:", "2020-01-02"], []]
    raw = read(workbook([*head, ["Rank", "Name", "Country"], [1, "Ada", "CZE"]]), "x.xlsx")
    assert raw.problems == []
    assert column(raw, "tournaments", "tournament_id") == ["an-open-2020-01-02"]
    assert [row[LINE] for row in raw.table("placings")] == [5]
    assert places(raw) == []


class TestBesideAReport:
    """'Placings as plain lines, or naming a CSV or XLSX beside it.'"""

    def report(self, folder: Path, file: str) -> ReportTables:
        from palmares.formats import read_report

        text = '[tournament]\nname="X"\nend_date=2020-01-02\n[[event]]\nname="E"\n[event.main]\n'
        (folder / "x.toml").write_text(text + f"placings_file = {file!r}\n", encoding="utf-8")
        return read_report(folder / "x.toml")

    def test_a_csv_and_a_workbook(self, tmp_path: Path) -> None:
        (tmp_path / "main.csv").write_text("Rank,Name\n1,Ada\n", encoding="utf-8")
        (tmp_path / "main.xlsx").write_bytes(workbook([["Rank", "Name"], [1, "Ada"]]))
        for file in ("main.csv", "main.xlsx"):
            raw = self.report(tmp_path, file)
            assert raw.problems == []
            assert column(raw, "placings", "player_id") == ["Ada"]
            assert [row[FILE] for row in raw.table("placings")] == [str(tmp_path / file)]
            assert [row[FILE] for row in raw.table("players")] == [str(tmp_path / file)]

    def test_lines_above_it_are_not_read_and_told(self, tmp_path: Path) -> None:
        (tmp_path / "main.csv").write_text("name: Y\nentrants: 64\nRank,Name\n1,Ada\n")
        raw = self.report(tmp_path, "main.csv")
        assert raw.notices[-1].where == f"{tmp_path / 'main.csv'}:1"
        assert raw.notices[-1].what == "the report says this, and not the sheet: name, entrants"

    @pytest.mark.parametrize("file", ["../main.csv", "/etc/hosts", "none.csv", ".", ""])
    def test_no_other_file(self, tmp_path: Path, file: str) -> None:
        (problem,) = self.report(tmp_path, file).problems
        assert problem.where == f"{tmp_path / 'x.toml'}:7"


@given(st.text() | st.text(alphabet='Rank,;\tName\n12"=-()[] é'))
def test_no_sheet_is_too_odd(text: str) -> None:
    raw = read(text)
    assert raw.problems or raw.table("players")
    placings.preview(text.encode(errors="replace"), ReportTables("x"))


def test_a_sheet_that_names_no_tournament_is_told_so_once(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("Rank,Name\n1,Ada\n2,Ben\n")
    with pytest.raises(FactsRejected) as raised:
        palmares.read(tmp_path / "x.csv")
    (problem,) = raised.value.problems
    assert problem.what == "the sheet does not give the tournament's name and end_date"


class TestCells:
    """A problem of a workbook names its cell."""

    HEAD: ClassVar[Sequence[list[object]]] = (
        [],
        [None, "name: Graz"],
        [None, "end_date", None, "2020-01-19"],
        [None, "entrants", 2],
        [None, "Place", "Country", "Name", "Flight"],
    )

    def sheet(self, *rows: list[object]) -> Facts:
        content = workbook([*map(list, self.HEAD), *([None, *row] for row in rows)])
        return check_facts(parse_cells(placings.read(content, "x.xlsx")))

    @pytest.mark.parametrize(
        ("row", "cell", "words"),
        [
            (["x", "CZE", "Ada"], "B6", "'x' is not a rank"),
            ([3, "CZE", "Ada"], "B6", "rank 3 in a field of 2"),
            (["2=", "CZE", "Ada"], "B6", "rank 2= is shared, but no other player has it"),
        ],
    )
    def test_of_a_row(self, row: list[object], cell: str, words: str) -> None:
        with pytest.raises(FactsRejected) as raised:
            self.sheet(row)
        found = {one.where: one.what for one in raised.value.problems}
        assert found[f"x.xlsx:{cell}"].startswith(words), found

    def test_of_somebody_placed_twice(self) -> None:
        with pytest.raises(FactsRejected) as raised:
            self.sheet([1, "CZE", "Ada"], [2, "CZE", "Ada"])
        (problem,) = raised.value.problems
        assert problem.where == "x.xlsx:D7"

    @pytest.mark.parametrize(("at", "cell"), [(2, "D3"), (3, "C4")])
    def test_of_what_stands_above(
        self, at: int, cell: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        wrong = [[*row[:-1], "much"] if n == at else row for n, row in enumerate(self.HEAD)]
        monkeypatch.setattr(TestCells, "HEAD", wrong)
        with pytest.raises(FactsRejected) as raised:
            self.sheet([1, "CZE", "Ada"])
        assert f"x.xlsx:{cell}" in {one.where for one in raised.value.problems}

    def test_of_remarks(self) -> None:
        facts = self.sheet([1, "QQQ", "Ada"], [2, "CZE", ""])
        found = {one.where: one.what.partition(";")[0] for one in facts.notices}
        assert found["x.xlsx:C6"] == "(QQQ) is not a known nation"
        assert found["x.xlsx:D7"] == "no name in this row: 2 | CZE"

    def test_they_come_in_the_order_of_rows(self, tmp_path: Path) -> None:
        rows = [[None, "x", "CZE", f"Ada {number}"] for number in range(6)]
        (tmp_path / "x.xlsx").write_bytes(workbook([*map(list, self.HEAD), *rows]))
        with pytest.raises(FactsRejected) as raised:
            palmares.read(tmp_path / "x.xlsx")
        places = [one.where.rpartition(":")[2] for one in raised.value.problems]
        assert places == ["B6", "B7", "B8", "B9", "B10", "B11"]

    def test_a_line_above_a_text(self) -> None:
        raw = placings.read(b"name: Graz\nend_date: soon\nRank,Name\n1,Ada\n", "x.csv")
        with pytest.raises(FactsRejected) as raised:
            check_facts(parse_cells(raw))
        assert [one.where for one in raised.value.problems] == ["x.csv:2"]


@pytest.mark.parametrize(("number", "name"), [(1, "A"), (26, "Z"), (27, "AA"), (702, "ZZ")])
def test_names_of_columns(number: int, name: str) -> None:
    assert letters(number) == name
    assert column_number(name) == number
