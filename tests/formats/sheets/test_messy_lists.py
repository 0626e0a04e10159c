"""Lists as directors paste them from chats, web pages, PDF files and other programs."""

from __future__ import annotations

import re
from io import BytesIO

import openpyxl
import pytest

from palmares.facts.decoding import ReportTables
from palmares.formats.sheets import placings
from tests.formats.reading import column, rows
from tests.formats.sheets.test_workbook import ods, row, word, workbook

HEAD = "name: Graz Open\nend_date: 2020-01-19\n"


def read(text: str) -> ReportTables:
    return placings.read((HEAD + text).encode(), "x.txt")


def ranked(raw: ReportTables) -> list[tuple[str | None, ...]]:
    assert raw.problems == []
    return [(placing["rank"], placing["player_id"]) for placing in rows(raw, "placings")]


def wrong(raw: ReportTables) -> list[str]:
    return [problem.what for problem in raw.problems]


def notices(raw: ReportTables) -> list[str]:
    return [notice.what for notice in raw.notices]


ADA, BEN = ("1", "Ada Novak (CZE)"), ("2", "Ben Olsen (DNK)")


@pytest.mark.parametrize(
    "text",
    [
        "🥇 Ada Novak (CZE)\n🥈 Ben Olsen (DEN)\n",
        "1️⃣ Ada Novak (CZE)\n2️⃣ Ben Olsen (DEN)\n",
        "1. 🥇 Ada Novak (CZE)\n2. 🥈 Ben Olsen (DEN)\n",
        "1. Ada Novak 🏆 (CZE)\n2. Ben Olsen (DEN) 🎉\n",
        "1. 🇨🇿 Ada Novak\n2. Ben Olsen 🇩🇰\n",
        "1\u00a0Ada\u00a0Novak\u00a0(CZE)\n2\u202fBen Olsen (DEN)\n",
        "1 Ada Novak / CZE\n2 Ben Olsen / DEN\n",
        "1 Ada Novak - Czech Republic\n2 Ben Olsen – Denmark\n",
        "Rank;Name;Nat\n🥇;Ada Novak;CZE\n2;Ben Olsen 🥈;DEN\n",
        "1.º Ada Novak (CZE)\n2.ª Ben Olsen (DEN)\n",
        "1 Ada Novak (CZE)\r2 Ben Olsen (DEN)\r",
    ],
)
def test_the_same_two_players(text: str) -> None:
    assert ranked(read(text)) == [ADA, BEN]


def test_flags_of_the_home_nations() -> None:
    england = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    assert ranked(read(f"1 {england} Cy Fox\n")) == [("1", "Cy Fox (ENG)")]


def test_pictures_that_are_left_out_are_told_once() -> None:
    (notice,) = notices(read("1. 🥇 Ada Novak (CZE)\n2. 🥈 Ben Olsen (DEN)\n"))
    assert notice == "pictures and marks beside names are left out, as at 'Ada Novak'"


@pytest.mark.parametrize(
    "word",
    ["ex aequo", "ex-aequo", "ex æquo", "(tie)", "tied", "eq", "eq.", "ea", "e.a.", "joint",
     "equal"],
)  # fmt: skip
def test_a_word_for_a_shared_rank(word: str) -> None:
    assert ranked(read(f"1 Ada\n2 {word} Ben\n2 {word} Cy\n")) == [
        ("1", "Ada"), ("2", "Ben"), ("2", "Cy"),
    ]  # fmt: skip
    assert wrong(read(f"1 Ada\n2 {word} Ben\n")) == [
        "rank 2= is shared, but no other player has it"
    ]


@pytest.mark.parametrize("name", ["Tie Ning", "Eaton Li", "Eq Bo", "Ea Novak"])
def test_names_that_begin_like_such_a_word(name: str) -> None:
    assert ranked(read(f"1 {name}\n")) == [("1", name)]


@pytest.mark.parametrize(
    "name",
    ["Zo\ufffd M\ufffdller", "Zo? M?ller", "ZoÃ« MÃ¼ller", "Zo&euml; M&uuml;ller", "O&#39;Brien"],
)
def test_damaged_letters_are_refused(name: str) -> None:
    for raw in (read(f"1 {name} (GER)\n"), read(f"Rank,Name\n1,{name}\n")):
        assert wrong(raw)[0].endswith("were damaged on the way")


@pytest.mark.parametrize("name", ["JOÃO ÂNGELO", "Zoë Müller", "Škoda Đorđe", "Æsa Ødegård"])
def test_letters_that_are_right(name: str) -> None:
    assert ranked(read(f"1 {name}\n")) == [("1", name)]


@pytest.mark.parametrize(
    "name",
    [
        "Bye 1", "(bye)", "*BYE*", "BYE BYE", "Spielfrei", "Exempt 2", "TRUE", "false", "nan",
        "None", "null", "N.N.", "TBD", "Anonymous", "unknown",
    ],
)  # fmt: skip
def test_nobody(name: str) -> None:
    assert wrong(read(f"Rank,Name\n1,Ada\n2,{name}\n")) == [f"'{name.strip('*')}' is not a player"]


def test_a_cell_of_yes_and_no_is_no_player() -> None:
    raw = placings.read(workbook([["Rank", "Name"], [1, "Ada"], [2, True]]), "x.xlsx")
    assert "'true' is not a player" in wrong(raw)


@pytest.mark.parametrize("name", ["-", "--", "?", "...", "—"])
def test_a_name_without_letters_is_left_empty(name: str) -> None:
    raw = read(f"Rank,Name\n1,Ada\n2,{name}\n3,Cy\n")
    assert ranked(raw) == [("1", "Ada"), ("3", "Cy")]
    assert f"no name in this row: 2 | {name}" in notices(raw)


@pytest.mark.parametrize(
    "behind",
    ["(DNF)", "DNS", "- withdrew", "(withdrawn)", "DQ", "ex aequo", "<a@x.org>", "dnf", "(wd)",
     "(dropped)", "no show", "(tie)", "(7-0)", "(7)", "(7) (CZE)", "7-0 CZE", "(1st)",
     "(500 \u20ac)", "(12.5 pts)", "(1850)", "(bt Ada 7-5)", "https://x.org", "~~Cy Fox~~", "<br>",
     "....... CZE", "\u2026", "aka Ace"],
)  # fmt: skip
def test_a_word_that_says_more_than_a_name(behind: str) -> None:
    assert wrong(read(f"1 Ada\n2 Ben Olsen {behind}\n")) == [
        f"'Ben Olsen {behind}' says more than a name"
    ]


@pytest.mark.parametrize("rank", ["DNF.", "W/D", "withdrew", "retired"])
def test_a_player_who_was_not_placed(rank: str) -> None:
    assert ranked(read(f"Rank,Name\n1,Ada\n{rank},Ben\n")) == [("1", "Ada")]


@pytest.mark.parametrize(
    "line",
    ["Ada Novak 2 Ben Olsen", "Ada Novak; 2. Ben Olsen", "Ada Novak 2. Ben Olsen",
     "Ada Novak - 2. Ben Olsen", "Ada Novak \u2022 Ben Olsen", "Ada Novak d. Ben Olsen",
     "Ada Novak over Ben Olsen", "Ada Novak 2) Ben"],
)  # fmt: skip
def test_two_placings_on_a_line(line: str) -> None:
    assert wrong(read(f"1 {line}\n")) == [f"two names on one line: '{line}'"]


@pytest.mark.parametrize(
    ("name", "notice"),
    [
        ("Dr. Ada Novak", "the title in 'Dr. Ada Novak' is taken for a part of the name"),
        ("Ada Li ANG", "the last word of 'Ada Li ANG' is taken for a part of the name"),
        ("Ada Li (ANG)", "(ANG) is not a known nation; kept as the origin of Ada Li"),
        ("Ada Li Germany", "the last word of 'Ada Li Germany' is taken for a part of the name"),
        ("ADA NOVAK CZE", "the last word of 'ADA NOVAK CZE' is taken for a part of the name"),
        ("Ada/Ben", "the signs in 'Ada/Ben' are taken for a part of the name"),
        ("Novak–Olsen", "the signs in 'Novak–Olsen' are taken for a part of the name"),
        ("Ada {CZE}", "the signs in 'Ada {CZE}' are taken for a part of the name"),
        (":cz: Ada", "the signs in ':cz: Ada' are taken for a part of the name"),
        ("GM Ada Novak", "the title in 'GM Ada Novak' is taken for a part of the name"),
        ("Ada Novak PhD", "the title in 'Ada Novak PhD' is taken for a part of the name"),
        ("Ada #Novak", "the signs in 'Ada #Novak' are taken for a part of the name"),
        ("Ada N0vak", "the number in 'Ada N0vak' is taken for a part of the name"),
        ("0la Novak", "the number in '0la Novak' is taken for a part of the name"),
        ("Ada Li cze", "the last word of 'Ada Li cze' is taken for a part of the name"),
        ("Ada Li well done", "the last word of 'Ada Li well done' is taken for a part of the name"),
        ("Ada Li-CZE", "the last word of 'Ada Li-CZE' is taken for a part of the name"),
        ("gleichauf Ada", "the first word in 'gleichauf Ada' is taken for a part of the name"),
        ("miejsce Ada", "the first word in 'miejsce Ada' is taken for a part of the name"),
        ("NOVAK Ada", "'NOVAK Ada' is kept as it is written, with the last name first"),
        (
            "VAN DER BERG Jan",
            "'VAN DER BERG Jan' is kept as it is written, with the last name first",
        ),
    ],
)  # fmt: skip
def test_what_may_be_no_name_is_told(name: str, notice: str) -> None:
    assert notices(read(f"1 {name}\n")) == [notice]


def test_a_code_of_two_nations_is_asked_for() -> None:
    (notice,) = read("1 Ada Novak (ANG)\n2 Ben Olsen (DEN)\n").notices
    assert notice.remedy == "ANG is England in French, and Angola to the IOC. Write ENG or AGO."


@pytest.mark.parametrize(
    "name",
    ["Drew Li", "Mag Novak", "Jean-Luc O'Neil", "Ada Holland", "Ada Li jr.", "de la Cruz Ada",
     "Mary-Ann ROY-LEE", "Im Dong Li", "JJ Novak", "Ada III", "ADA NOVAK"],
)  # fmt: skip
def test_names_that_are_names(name: str) -> None:
    expected = ["the title in 'Mag Novak' is taken for a part of the name"] * (name[:3] == "Mag")
    assert notices(read(f"1 {name}\n")) == expected


@pytest.mark.parametrize(
    "line",
    [
        "🥇 1. Ada Novak (CZE)",
        "1. Platz: Ada Novak (CZE)",
        "1er puesto: Ada Novak (CZE)",
        "1ère place : Ada Novak (CZE)",
        "1. *Ada Novak* (CZE)",
        "1 → Ada Novak (CZE)",
        "• 1. Ada Novak (CZE)",
        "- 1) Ada Novak (CZE)",
        "Platz 1: Ada Novak (CZE)",
        "Rank 1 - Ada Novak (CZE)",
        "1. [Ada Novak](https://x.org/p/1) (CZE)",
        "1. \uff21\uff44\uff41 Novak \uff08CZE\uff09",
        "1. \U0001f947 Ada Novak \U0001f947 (CZE)",
        "1. Ada Novak (CZE) **",
        "1. CZE Ada Novak",
    ],
)
def test_what_stands_around_a_name(line: str) -> None:
    assert ranked(read(f"{line}\n2ème Ben Olsen (DEN)\n")) == [ADA, BEN]


@pytest.mark.parametrize("sign", [". ", "\t"])
def test_a_list_whose_numbers_are_all_one(sign: str) -> None:
    lines = "".join(f"1{sign}{name}\n" for name in ("Ada Novak", "Ben Olsen", "Cy Fox"))
    assert wrong(read(lines)) == ["all 3 players of the main have rank 1"]
    assert wrong(read(lines.replace(f"1{sign}", f"1-3{sign}"))) == []
    assert wrong(read("1. Ada Novak\n1. Ben Olsen\n")) == []  # both may have won


def test_a_head_that_names_the_last_name_first() -> None:
    found = notices(read("Platz;Name Vorname\n1;Novak Ada\n"))
    assert found[1:] == ["names under 'Name Vorname' are kept as they are written"]
    assert ranked(read("Rg.\tName Vorname\n1\tNovak, Ada\n")) == [("1", "Ada Novak")]


def test_a_rank_that_breaks_the_order() -> None:
    lines = [f"{rank}. Ada Novak{letter}" for rank, letter in zip("1234", "abcd", strict=True)]
    assert notices(read("\n".join([*lines[:2], "11. Ben", lines[3]]))) == [
        "rank 4 stands below rank 11"
    ]
    assert notices(read("\n".join(lines[::-1]))) == []  # in another order


def test_points_before_a_name() -> None:
    assert wrong(read("1. 7.5 Ada Novak\n2. $250 Ben Olsen\n")) == [
        "'7.5' before the name is not understood",
        "'$250' before the name is not understood",
    ]


@pytest.mark.parametrize("behind", ["−3", "½", "7½", "7:0", "7–0"])
def test_a_number_behind_a_name(behind: str) -> None:
    for unit in ("", " pts", " Punkte", " wins", " Siege", "W"):
        assert wrong(read(f"1 Ada Li {behind}{unit}\n")) == [
            f"'{behind}' behind the name is not understood"
        ]


@pytest.mark.parametrize(
    "line", ["7 rounds", "64 entries", "16 Teams", "3 matches were cancelled", "9 Runden gespielt"]
)
def test_a_line_below_that_counts_other_things(line: str) -> None:
    assert wrong(read(f"1 Ada\n2 Ben\n{line}\n")) == [f"no rank and name in '{line}'"]


def test_nobody_is_before_the_first() -> None:
    """The winner would be left out, and everyone else moved up."""
    assert wrong(read("0 Ada\n1 Ben\n2 Cy\n")) == ["no place is 0: '0 Ada'"]


def test_a_list_without_a_first_place_is_told() -> None:
    raw = read("Place,Name,Category\n1,Ada,W\n2,Ben,M\n3,Cy,M\n")
    assert "nobody has rank 1 in the main: the best is rank 2" in notices(raw)


def test_the_other_player_of_a_pair_is_not_lost() -> None:
    assert wrong(read("Rank;Name;Partner\n1;Ada;Ben\n")) == [
        "'Partner' holds the other player of a pair, who would be lost"
    ]


def test_a_fee_in_a_sentence_is_not_passed_over() -> None:
    assert wrong(read("Entry fee 100 EUR\n1 Ada\n")) == [
        "this line above the placings is not understood: 'Entry fee 100 EUR'"
    ]


def test_other_words_for_the_name() -> None:
    raw = placings.read(b"Tournament name: X Open\nEnd date: 2020-01-02\n1 Ada\n", "x.txt")
    assert column(raw, "tournaments", "name") == ["X Open"]


class TestWorkbooks:
    def test_an_error_counts_where_it_is_read(self) -> None:
        cells: list[list[object]] = [
            ["Rank", "Name", "Rating"],
            [1, "Ada", "#N/A"],
            [2, "Ben", "=A2"],
        ]
        raw = placings.read(_named(cells), "x.xlsx")
        assert ranked(raw) == [("1", "Ada"), ("2", "Ben")]

    def test_an_error_in_a_column_that_is_read(self) -> None:
        raw = placings.read(_named([["Rank", "Name"], [1, "Ada"], ["#N/A", "Ben"]]), "x.xlsx")
        assert [(one.where, one.what) for one in raw.problems] == [
            ("x.xlsx:A5", "'#N/A' is the error of a formula")
        ]

    def test_a_formula_that_was_never_computed(self) -> None:
        raw = placings.read(_named([["Rank", "Name"], [1, "Ada"], ["=1+1", "Ben"]]), "x.xlsx")
        assert [(one.where, one.what) for one in raw.problems] == [
            ("x.xlsx:A5", "a formula has no result in the file")
        ]

    def test_an_error_of_an_ods_beside_what_is_read(self) -> None:
        error = (
            '<table:table-cell table:formula="of:=NA()" office:value-type="string"'
            ' calcext:value-type="error"><text:p>#N/A</text:p></table:table-cell>'
        )
        head = row(word("name"), word("G")) + row(word("end_date"), word("2020-01-02"))
        table = row(word("Rank"), word("Name"), word("Elo")) + row(word("1"), word("Ada"), error)
        assert ranked(placings.read(ods(head + table), "x.ods")) == [("1", "Ada")]
        table = (
            row(word("Rank"), word("Name")) + row(word("1"), word("Ada")) + row(error, word("B"))
        )
        assert wrong(placings.read(ods(head + table), "x.ods")) == [
            "'#N/A' is the error of a formula"
        ]

    def test_hidden_rows_are_told(self) -> None:
        book = openpyxl.load_workbook(BytesIO(_named([["Rank", "Name"], [1, "Ada"], [2, "Ben"]])))
        book.active.row_dimensions[5].hidden = True
        content = BytesIO()
        book.save(content)
        raw = placings.read(content.getvalue(), "x.xlsx")
        assert raw.notices[0].where == "x.xlsx:5"
        assert raw.notices[0].what == (
            "1 row is hidden in the sheet or has white text, and is read"
        )


def _named(cells: list[list[object]]) -> bytes:
    return workbook([["name", "Graz Open"], ["end_date", "2020-01-19"], *cells])


@pytest.mark.parametrize("sign", "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00b7\u2022")
def test_any_dash_may_stand_between_rank_and_name(sign: str) -> None:
    assert ranked(read(f"1 {sign} Ada Novak (CZE)\n2 {sign} Ben Olsen (DEN)\n")) == [ADA, BEN]


@pytest.mark.parametrize(
    "line",
    ["Alpha (Ada Novak, Ben Olsen)", "Alpha (Ada Novak / Ben Olsen)",
     "Alpha (Ada Novak and Ben Olsen, Cy Fox)"],
)  # fmt: skip
def test_the_players_of_a_team_are_not_lost(line: str) -> None:
    assert wrong(read(f"1 {line}\n")) == [f"two names on one line: '{line}'"]


@pytest.mark.parametrize("origin", ["Graz, Steiermark", "St. Louis, MO", "New York City, Queens"])
def test_a_town_and_its_land_are_no_players(origin: str) -> None:
    assert wrong(read(f"1 Ada Novak ({origin})\n")) == []


def test_nobody_is_no_player() -> None:
    assert wrong(read("1 Ada\n2 NN\n")) == ["'NN' is not a player"]


@pytest.mark.parametrize(
    "name", ["\u00a7 Ada Novak", "[3] Ada Novak", "Ada Novak\u00a7", "& Ada Novak"]
)
def test_a_sign_before_or_behind_a_name_is_told(name: str) -> None:
    assert f"the signs in '{name}' are taken for a part of the name" in notices(read(f"1 {name}\n"))


@pytest.mark.parametrize("name", ["Ada Waf\ufb01", "Ada M\u00a8uller", "Ada Franc\u00b8ois"])
def test_letters_that_a_pdf_file_took_apart_are_refused(name: str) -> None:
    assert wrong(read(f"1 {name}\n")) == [f"letters of '{name}' were damaged on the way"]


@pytest.mark.parametrize("name", ["Ada Novak CZ", "Ed Foe IL"])
def test_two_letters_behind_a_name_may_be_a_nation(name: str) -> None:
    assert notices(read(f"1 {name}\n2 Ben Olsen II\n3 Cy Fox JR\n")) == [
        f"the last word of '{name}' is taken for a part of the name"
    ]


@pytest.mark.parametrize("between", ["def.", "vs", "vs.", "beat", "gegen"])
def test_a_match_is_no_placing(between: str) -> None:
    name = f"Ada Novak {between} Ben Olsen"
    assert wrong(read(f"1 {name}\n")) == [f"two names on one line: '{name}'"]


def test_a_column_of_divisions_is_one_of_events() -> None:
    """Else the winners of two divisions would share the first place of one event."""
    raw = read("Pos,Name,Div\n1,Ada,Open\n1,Ben,Senior\n")
    assert [event["name"] for event in rows(raw, "events")] == ["Open", "Senior"]


def test_the_mark_of_a_footnote_is_told() -> None:
    what = "the number in 'Ada Novak1' is taken for a part of the name"
    assert notices(read("1 Ada Novak1\n2 Ben Olsen\n")) == [what]


def test_two_lines_in_the_cell_of_a_name_may_be_two_players() -> None:
    raw = read('Rank,Name\n1,"Ada Novak\nBen Olsen"\n')
    assert wrong(raw) == ["the name in this row has several lines: Ada Novak Ben Olsen"]


@pytest.mark.parametrize(
    "winner", ["l. Tom Dugan", "I Tom Dugan", "\U0001f3c6 Tom Dugan", "Tom Dugan", "| Tom Dugan"]
)
def test_a_winner_whose_rank_was_lost_is_no_title(winner: str) -> None:
    """As after OCR; the tournament would be called by the winner's name, and they be left out."""
    raw = placings.read(f"{winner}\n2. Ada Novak\n3. Ben Olsen\n".encode(), "x.txt")
    assert raw.problems[0].what == (
        f"the placings begin with rank 2, and this is above them: '{winner}'"
    )


def test_two_spaces_inside_a_name_are_told_at_their_line() -> None:
    raw = read("1. Ada Novak\n2. Ben  Olsen\n3. Cy Fox\n")
    assert [(problem.where, problem.what) for problem in raw.problems] == [
        ("x.txt:4", "'Olsen' stands apart from 'Ben'")
    ]


def test_a_title_that_a_spreadsheet_exported() -> None:
    for line in ("Graz Open 2020;;;", '"Graz Open 2020";;', "Graz Open 2020,,,"):
        sign = line[-1]
        text = f"{line}\nend_date: 2020-01-19\nRank{sign}Name{sign}Nat\n1{sign}Ada{sign}CZE\n"
        raw = placings.read(text.encode(), "x.csv")
        assert column(raw, "tournaments", "name") == ["Graz Open 2020"]


@pytest.mark.parametrize("day", ["28.11.2026;;;", "28.11.2026", "28 November 2026;;"])
def test_a_day_in_a_row_of_its_own(day: str) -> None:
    """A spreadsheet writes the empty cells behind it."""
    text = f"Graz Open;;;\n{day}\n\nPlatz;Name;;\n1;Ada Novak;;\n"
    raw = placings.read(text.encode(), "x.csv")
    assert column(raw, "tournaments", "end_date") == ["2026-11-28"]
    assert not any("is not read" in each.what for each in raw.notices)


@pytest.mark.parametrize("sign", [", ", " - ", " \u2013 ", ": ", " | "])
def test_a_flight_in_a_title(sign: str) -> None:
    """Its places would earn points of the Main."""
    raw = placings.read(f"Graz Open{sign}Consolation\n1. Ada\n2. Ben\n".encode(), "x.txt")
    assert "'Consolation' is a flight, and the placings have no column that names it" in wrong(raw)
    raw = placings.read(f"Graz Open{sign}Main\n1. Ada\n2. Ben\n".encode(), "x.txt")
    assert not [what for what in wrong(raw) if "is a flight" in what]


def test_a_number_of_players_in_more_words() -> None:
    assert wrong(read("1 Ada\n2 Ben\n5 players in total\n")) == [
        "'5 players in total' is the number of players, not a placing"
    ]


def test_medals_of_several_players_on_a_line() -> None:
    text = "\U0001f947 Ada Novak \U0001f948 Ben Olsen \U0001f949 Cy Fox"
    assert wrong(read(f"{text}\n")) == ["no places and names begin here"]


def test_towns_without_any_bracket() -> None:
    """One of three words may be a name; a last word that comes again is hardly one."""
    raw = read("1 Tom Dugan Graz\n2 Ada Novak\n3 Ben Olsen Graz\n")
    assert "the last word of 'Tom Dugan Graz' is taken for a part of the name" in notices(raw)
    assert not any("last word" in each for each in notices(read("1 Tom Dugan Graz\n2 Ada Novak\n")))


def test_words_below_a_list_that_begin_with_the_next_rank() -> None:
    raw = read("1 Ada Novak\n2 Ben Olsen\n3 hours played\n")
    assert "'hours played' is in small letters, and is taken for a player" in notices(raw)
    assert not any("small" in each for each in notices(read("1 ada novak\n2 ben olsen\n")))


def test_a_town_that_others_have_in_brackets() -> None:
    what = "the last word of 'Tom Dugan Graz' is taken for a part of the name"
    assert what in notices(read("1. Tom Dugan Graz\n2. Ada Novak (Graz)\n3. Ben Olsen\n"))
    assert what in notices(read("city: Graz\n1. Tom Dugan Graz\n2. Ben Olsen\n"))
    assert notices(read("1. Tom Dugan Graz\n2. Ben Graz\n")) == []


@pytest.mark.parametrize(
    ("place", "nation", "origin"),
    [
        ("Graz, AUT", "AUT", "Graz"),
        ("Paris, France", "FRA", "Paris"),
        ("Atlanta, Georgia", None, "Atlanta, Georgia"),  # a state or a country
        ("Chicago, IL", None, "Chicago, IL"),
        ("Graz, Linz", None, "Graz, Linz"),
        ("CZE, AUT", None, "CZE, AUT"),  # which of them?
    ],
)
def test_a_town_and_a_nation_in_brackets(place: str, nation: str | None, origin: str) -> None:
    raw = read(f"1. Tom Dugan ({place})\n")
    (player,) = rows(raw, "players")
    assert (player["name"], player.get("nation"), player["origin"]) == ("Tom Dugan", nation, origin)


def test_letters_of_a_state_and_of_a_country() -> None:
    what = (
        "(DE) is taken for a state of the United States, and Ada Novak has no nation",
        "(CA) is taken for a state of the United States, and Ben Olsen has no nation",
    )
    names = "1. Ada Novak (DE)\n2. Ben Olsen (CA)\n3. Tom Dugan (DE)\n"
    told = notices(read(f"name: Graz Open\n{names}"))
    assert [each for each in told if "a state" in each] == [*what]
    for said in (f"{names}4. Ida Lind (TX)\n", f"country: USA\n{names}"):  # an American list
        assert not any("a state" in each for each in notices(read(said)))


def test_a_head_of_both_names_with_a_comma() -> None:
    assert ranked(read("Rang;Name, Vorname\n1;Novak, Ada\n")) == [("1", "Ada Novak")]


@pytest.mark.parametrize(
    "behind",
    [
        "1850",
        "12.5",
        "7-2",
        "€1,200",
        "$250",
        "12 pts",
        "- 9",
        "1850 12",
        ": 7½ Punkte",
        "– € 600,-",
    ],
)
def test_numbers_behind_every_name_are_told_and_not_read(behind: str) -> None:
    """Points, ratings and prizes: nobody takes them away from sixty-four names."""
    raw = read(f"1. Ada Novak (CZE) {behind}\nConsolation\n1. Ben Olsen (DEN) {behind}\n")
    assert [row["player_id"] for row in rows(raw, "placings")] == [ADA[1], BEN[1]]
    assert (wrong(raw), notices(raw)) == ([], ["numbers beside the names are not read"])
    assert wrong(read(f"1. Ada {behind}\n2. Ben\n"))


@pytest.mark.parametrize(
    "message",
    [
        "[22/11/2026, 23:14] Hans Meier: %s",
        "[22.11.26, 23:14:05] ~ Hans: %s",
        "11/22/26, 11:14 PM - Hans Meier: %s",
        "22.11.2026, 23:14 - +43 660 1234567: %s",
    ],
)
def test_the_time_and_sender_of_a_message_are_left_out(message: str) -> None:
    lines = "\n".join(message % line for line in ("1. Ada Novak (CZE)", "2. Ben Olsen (DEN)"))
    assert ranked(read(lines)) == [ADA, BEN]
    titled = placings.read(f"{message % 'Graz Open'}\n{lines}".encode(), "x.txt")
    assert column(titled, "tournaments", "name") == ["Graz Open"]


@pytest.mark.parametrize("head", ["Place   Pair   MPs   %", "Rank;Team;VP;IMP", "Pos\tWho\tA\tB"])
def test_a_header_row_that_begins_with_the_rank_is_no_title(head: str) -> None:
    lines = re.sub("Place|Rank|Pos", "1", re.sub("Pair|Team|Who", "Ada Novak", head))
    raw = placings.read(f"{head}\n{lines}\n".encode(), "x.txt")
    assert [what for what in wrong(raw) if what.endswith("is the name")]
    assert not column(raw, "tournaments", "name")


def test_names_in_the_plural_head_pairs() -> None:
    for head in ("Names", "Players", "Pairs"):
        raw = read(f"Place;{head};MPs\n1;Ada Novak & Ben Olsen;60\n2;Cy Fox & Di Li;55\n")
        assert column(raw, "placings", "player_id") == ["Ada Novak & Ben Olsen", "Cy Fox & Di Li"]


def test_a_seed_before_the_nation_is_told() -> None:
    told = notices(read("1 Ada Novak [3] (CZE)\n2 Ben Olsen [1] (DEN)\n"))
    assert told == ["the signs in 'Ada Novak [3]' are taken for a part of the name"]


def test_powers_of_diplomacy_may_be_taken_for_nations() -> None:
    lines = "1. Ada Novak (Austria)\n2. Ben Olsen (England)\n3. Cy Fox (France)\n"
    told = "each nation is also a power of Diplomacy, and is taken for the player's nation"
    assert told in notices(read(f"discipline: diplomacy\n{lines}"))
    assert told not in notices(read(f"discipline: diplomacy\n{lines}4. Di Li (USA)\n"))
    assert told not in notices(read(f"discipline: backgammon\n{lines}"))


def test_the_number_of_a_page_is_no_row_of_columns() -> None:
    raw = read("Rank  Name\n1     Ada\nPage 1 of 2\n2     Ben\n")
    assert wrong(raw) == ["no rank and name in 'Page 1 of 2'"]


def test_a_place_in_other_languages() -> None:
    assert ranked(read("1e plaats: Ada Novak (CZE)\n2. místo - Ben Olsen (DEN)\n")) == [ADA, BEN]


@pytest.mark.parametrize("note", ["(ret.)", "ret.", "- forfeit", "forfeited"])
def test_who_did_not_finish_is_refused(note: str) -> None:
    assert f"'Ada Novak {note}' says more than a name" in wrong(read(f"1 Ada Novak {note}\n"))
