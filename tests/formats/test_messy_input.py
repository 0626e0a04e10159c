"""Sheets and reports as a tired director writes them: read right, or refused in plain words."""

from __future__ import annotations

import pytest

from palmares.core.errors import FactsRejected
from palmares.facts import Facts, check_facts, parse_cells
from palmares.facts.decoding import ReportTables
from palmares.formats.sheets import placings
from palmares.formats.toml import read
from tests.formats.reading import column
from tests.formats.sheets.test_workbook import workbook

HEAD = "name: An Open\nend_date: 2020-01-02\nentrants: 64\n"
REPORT = '[tournament]\nname = "An Open"\nend_date = 2020-01-02\n[[event]]\nname = "Main"\n'


def sheet(*rows: str, header: str = "Rank,Name,Nat", head: str = HEAD) -> ReportTables:
    return placings.read((head + "\n".join([header, *rows])).encode(), "x.csv")


def placed(*lines: str, event: str = "") -> ReportTables:
    block = "\n".join(lines)
    return read.read(f'{REPORT}{event}[event.main]\nplacings = """\n{block}\n"""\n', "x.toml")


def what(raw: ReportTables) -> list[str]:
    """What stops the work, also what the checks find."""
    try:
        check_facts(parse_cells(raw))
    except FactsRejected as error:
        return [problem.what for problem in error.problems]
    return []


class TestLinesAboveASheet:
    @pytest.mark.parametrize("mark", [",", ";", "\t", ": ", " = "])
    def test_a_key_and_its_value(self, mark: str) -> None:
        raw = sheet("1,Ada Novak,CZE", head=HEAD + f"discipline{mark}backgammon\n")
        assert column(raw, "tournaments", "discipline") == ["backgammon"]
        assert what(raw) == []

    def test_a_key_with_two_values(self) -> None:
        raw = sheet("1,Ada Novak,CZE", head=HEAD + "\nend_date: 2021-01-02\nname: An Open\n")
        assert what(raw) == ["end_date is here twice: 2020-01-02 and 2021-01-02"]
        assert raw.problems[0].at.line == 5

    def test_a_column_with_cells_and_no_head(self) -> None:
        """Nothing is left out in silence: the signs may be what is shared, or who withdrew."""
        raw = sheet("1,Ada Novak,CZE,", "2,Ben Ode,DEN,=", header="Rank,Name,Nat,")
        assert raw.notices[0].what.endswith("; ignored: column 4")
        raw = placings.read(workbook([["Rank", "Name", None], [1, "Ada", "x"]]), "x.xlsx")
        assert raw.notices[0].what.endswith("; ignored: column C")

    @pytest.mark.parametrize("head", ["Rank,Name,,Nat", "Rank,First name,Nat,Last name,"])
    def test_words_beside_the_names_without_a_head(self, head: str) -> None:
        """As under a head that is merged over first and last names, which then would be lost."""
        rows = ("1,Ada,Novak,CZE,Bo", "2,Ben,Ode,DEN,Cy") if head[-1] == "," else (
            "1,Ada,Novak,CZE", "2,Ben,Ode,DEN")  # fmt: skip
        at = 5 if head[-1] == "," else 3
        assert what(sheet(*rows, header=head)) == [
            f"column {at} stands beside the names, and nothing above it says what it is"
        ]

    @pytest.mark.parametrize("line", ['"discipline","backgammon"', "'discipline,backgammon"])
    def test_a_key_in_quotes(self, line: str) -> None:
        raw = sheet("1,Ada Novak,CZE", head=HEAD + line + "\n")
        assert column(raw, "tournaments", "discipline") == ["backgammon"]

    @pytest.mark.parametrize("line", ["entry_fee,100,EUR", '"entry_fee";100;EUR'])
    def test_a_key_with_more_than_a_value_is_no_title(self, line: str) -> None:
        """A fee that is left out changes points."""
        (problem,) = what(sheet("1,Ada Novak,CZE", head=HEAD + line + "\n"))
        assert problem.startswith("this line above the placings is not understood: ")

    def test_a_value_in_quotes(self) -> None:
        raw = sheet("1,Ada Novak,CZE", head='name,"Graz, Open"\nend_date,2020-01-02,,\n')
        assert column(raw, "tournaments", "name") == ["Graz, Open"]

    @pytest.mark.parametrize("value", ["Open, Graz", 'The "Big" Open', "Open; Graz"])
    def test_a_value_with_signs_in_a_workbook(self, value: str) -> None:
        rows: list[list[object]] = [
            ["name", value], ["end_date", "2020-01-02"], ["Rank", "Name"], [1, "Ada"],
        ]  # fmt: skip
        raw = placings.read(workbook(rows), "x.xlsx")
        assert (what(raw), column(raw, "tournaments", "name")) == ([], [value])

    @pytest.mark.parametrize("first", ["Event", "City", "Division"])
    def test_a_header_row_that_begins_with_a_key(self, first: str) -> None:
        rows: list[list[object]] = [
            ["name", "G"], ["end_date", "2020-01-02"], [first, "Rank", "Name"], ["A", 1, "Ada"],
        ]  # fmt: skip
        raw = placings.read(workbook(rows), "x.xlsx")
        assert (what(raw), column(raw, "players", "name")) == ([], ["Ada"])

    def test_a_header_row_of_two_cells(self) -> None:
        raw = placings.read(workbook([["name", "G"], ["Name", "Rank"], ["Ada", 1]]), "x.xlsx")
        assert column(raw, "tournaments", "name") == ["G"]


class TestRowsOfASheet:
    @pytest.mark.parametrize(
        ("first", "second", "events"),
        [("Doubles (A)", "Doubles A", 2), ("Open A+", "Open A", 2), ("Open", "open", 1)],
    )
    def test_events_are_one_if_only_capitals_differ(
        self, first: str, second: str, events: int
    ) -> None:
        raw = sheet(
            f"1,Ada,CZE,{first}", f"2,Ben,DEN,{second}", header="Rank,Name,Nat,Event",
            head="name: G\nend_date: 2020-01-02\n",
        )  # fmt: skip
        if events == 1:
            assert column(raw, "events", "name") == ["Open"]
        else:  # two events that would have one id
            assert [problem for problem in what(raw) if "is there twice" in problem]

    def test_a_last_name_like_a_nation_beside_the_nation(self) -> None:
        raw = sheet("1,Mei Ling MAC,TPE", "2,Ada Novak CZE,CZE")
        assert what(raw) == []
        assert column(raw, "players", "name") == ["Mei Ling MAC", "Ada Novak"]
        assert column(raw, "players", "nation") == ["TWN", "CZE"]

    @pytest.mark.parametrize(
        "ranks",
        [
            ("1", "2", "", "4"), ("1", "", "3"), ("", "2", "3"), ("1", "2-3", "", "4"),
            ("1", "2", "", "3"), ("3", "", "5", "1"),
        ],
    )  # fmt: skip
    def test_an_empty_rank_above_a_rank(self, ranks: tuple[str, ...]) -> None:
        """The player is third, shares second place, or was not placed: nobody knows."""
        raw = sheet(*(f"{rank},Player {name}," for rank, name in zip(ranks, "ABCD", strict=False)))
        empty, below = "ABCD"[ranks.index("")], ranks[ranks.index("") + 1]
        assert what(raw) == [f"the rank of Player {empty} is empty, above rank {below}"]
        assert raw.problems[0].at.line == 5 + ranks.index("")

    @pytest.mark.parametrize("ranks", [("1", "2", "-", "4"), ("1", "2", ""), ("1", "2", "", "")])
    def test_an_empty_rank_at_the_end_is_a_player_who_was_not_placed(
        self, ranks: tuple[str, ...]
    ) -> None:
        rows = (f"{rank},Player {name}," for rank, name in zip(ranks, "ABCDE", strict=False))
        assert what(sheet(*rows)) == []

    @pytest.mark.parametrize(
        "error",
        [
            "#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NV", "#N/D", "#NAME?", "#\u00a1VALOR!",
            "#\u00bfNOMBRE?", "#VALEUR !", "#BEZUG!", "Err:502", "Err :502", "Fehler:508",
        ],
    )  # fmt: skip
    def test_the_error_of_a_formula(self, error: str) -> None:
        for row in (f"{error},Ben,", f"2,{error},", f"2,Ben,{error}"):
            assert what(sheet("1,Ada,", row)) == [f"'{error}' is the error of a formula"]
        head = HEAD.replace("64", error)
        assert f"'{error}' is the error of a formula" in what(sheet("1,Ada,", head=head))

    def test_a_total_is_no_player(self) -> None:
        raw = sheet("1,Ada Novak,CZE", ",Total players: 64,")
        assert column(raw, "players", "name") == ["Ada Novak"]
        assert "no rank in this row: Total players: 64" in [one.what for one in raw.notices]

    @pytest.mark.parametrize("row", ["2;Ben Olsen;DEN", "Intermediate,,"])
    def test_a_row_that_names_nobody_and_has_no_rank(self, row: str) -> None:
        (problem,) = what(sheet("1,Ada Novak,CZE", row))
        assert problem.startswith("no name in this row")

    def test_a_withheld_player_has_a_rank_and_no_name(self) -> None:
        assert what(sheet("1,Ada Novak,CZE", "2,,", "3,Cy Fox,")) == []

    def test_a_heading_among_the_rows(self) -> None:
        raw = sheet("1,Ada Novak,CZE", ",Doubles,", "1,Ben Olsen,DEN")
        assert what(raw) == ["the rank of Doubles is empty, above rank 1"]
        assert "In place of a heading, name the flight" in raw.problems[0].remedy

    @pytest.mark.parametrize("empty", ["-", "\u2013", "?", "???", "n/a", "."])
    def test_a_cell_that_says_nothing(self, empty: str) -> None:
        raw = sheet(f"1,Ada Novak,{empty},{empty}", header="Rank,Name,Nat,ID")
        assert column(raw, "players", "player_id") == ["Ada Novak"]

    def test_one_event_in_capitals_and_without(self) -> None:
        raw = sheet("1,Ada,Open", "2,Ben,open ", header="Rank,Name,Event", head=HEAD[:-13])
        assert (what(raw), len(raw.tables["events"])) == ([], 1)

    @pytest.mark.parametrize("flight", ["Cons.", "CONSOL", "Conso"])
    def test_a_consolation(self, flight: str) -> None:
        raw = sheet(f"1,Ada,{flight}", header="Rank,Name,Flight")
        assert column(raw, "placings", "flight") == ["consolation"]

    def test_ranks_as_spreadsheets_export_them(self) -> None:
        assert column(sheet("1.0,Ada,", "2.0,Ben,"), "placings", "rank") == ["1", "2"]


class TestNames:
    @pytest.mark.parametrize("line", ["1 - Ada Novak", "1: Ada Novak", "1 \u2013 Ada Novak"])
    def test_a_sign_between_rank_and_name(self, line: str) -> None:
        assert column(placed(line), "players", "name") == ["Ada Novak"]

    @pytest.mark.parametrize("line", ["1\tAda\tCZE", "1\tAda\tCzechia", "1.\tAda \tCZE\t"])
    def test_the_nation_in_a_column_of_its_own(self, line: str) -> None:
        assert column(placed(line), "players", "player_id") == ["Ada (CZE)"]

    @pytest.mark.parametrize("columns", ["Graz", "CZE\t12", "Novak\tCZE"])
    def test_other_columns_behind_a_name(self, columns: str) -> None:
        (problem,) = what(placed(f"1\tAda\t{columns}"))
        assert problem.startswith("no rank and name in '1 Ada ")

    @pytest.mark.parametrize("line", ["1 CZE Ada Novak", "1 Ada Novak - CZE"])
    def test_the_nation_without_brackets(self, line: str) -> None:
        raw = placed(line)
        assert column(raw, "players", "player_id") == ["Ada Novak (CZE)"]
        assert [one.what for one in raw.notices] == ["'CZE' beside a name is read as the nation"]

    @pytest.mark.parametrize("name", ["XU LEE BEN", "Ada CZE", "Ada Novak BEN (CZE)"])
    def test_what_may_be_a_name(self, name: str) -> None:
        assert column(placed(f"1 {name}"), "players", "player_id") == [name]

    @pytest.mark.parametrize("name", ["Ben Olsen 12.50", "Ben 120 pts", "4. Ben", "12345"])
    def test_a_number_in_a_name(self, name: str) -> None:
        for raw in (placed(f"1 {name}"), sheet(f"1,{name},")):
            found = [one.what for one in raw.notices]
            assert f"the number in '{name}' is taken for a part of the name" in found

    def test_a_nickname_may_have_digits(self) -> None:
        assert placed("1 Player42").notices == []

    def test_a_number_that_may_be_a_seed(self) -> None:
        assert [one.what for one in placed("1 Ada [3]", "2 Ben [1]", "3 Cy [n7]").notices] == [
            "[3] is taken for the id of Ada"
        ]

    @pytest.mark.parametrize("name", ["Bye", "BYE", "Freilos"])
    def test_a_bye_is_no_player(self, name: str) -> None:
        assert what(placed("1 Ada", f"2 {name}")) == [f"'{name}' is not a player"]

    def test_two_names_in_one_row(self) -> None:
        for sign in ("/", "and", "und", "et", "+"):
            (problem,) = what(sheet(f"1,Ada Novak {sign} Ben Olsen,"))
            assert problem == f"two names on one line: 'Ada Novak {sign} Ben Olsen'"
        assert what(placed("1 Ada Novak; Ben Olsen"))

    def test_a_dash_in_a_name(self) -> None:
        assert "with its dash" in placed("1 Ada Novak - Ben Olsen").notices[0].what
        assert placed("1 Ada Novak-Olsen").notices == []

    @pytest.mark.parametrize(
        ("name", "letter"),
        [
            ("\u0410da Novak", "U+0410 CYRILLIC CAPITAL LETTER A"),
            ("Ben \u039flsen", "U+039F GREEK CAPITAL LETTER OMICRON"),
            ("\u0410. Berg", "U+0410 CYRILLIC CAPITAL LETTER A"),
            ("\u041do\u0432\u0430\u043a", "U+006F LATIN SMALL LETTER O"),
        ],
    )
    def test_a_letter_of_another_script(self, name: str, letter: str) -> None:
        """It looks the same, and is another player."""
        notices = check_facts(parse_cells(sheet(f"1,{name},"))).notices
        assert f"'{name}' has a letter of another script: {letter}" in [
            notice.what for notice in notices
        ]

    @pytest.mark.parametrize(
        "name", ["Jos\u00e9 \u0160imon", "\u0410\u0434\u0430", "\u0418\u0432\u0430\u043d Petrov"]
    )
    def test_words_of_one_script(self, name: str) -> None:
        notices = check_facts(parse_cells(sheet(f"1,{name},"))).notices
        assert not [notice for notice in notices if "script" in notice.what]

    def test_a_discipline_that_is_nearly_one(self) -> None:
        raw = sheet("1,Ada,", head=HEAD + "discipline: Backgamon\n")
        notices = check_facts(parse_cells(raw)).notices
        assert "no list of backgammon has a tournament of 'Backgamon'" in [
            notice.what for notice in notices
        ]

    @pytest.mark.parametrize(
        ("written", "code"),
        [("Deutschland", "DEU"), ("Österreich", "AUT"), ("Suisse", "CHE"), ("España", "ESP"),
         ("Inghilterra", "ENG"), ("Großbritannien", "GBR"), ("U.S.A.", "USA"), ("Türkei", "TUR")],
    )  # fmt: skip
    def test_nations_in_other_languages(self, written: str, code: str) -> None:
        for raw in (placed(f"1 Ada Novak ({written})"), sheet(f"1,Ada Novak,{written}")):
            assert column(raw, "placings", "nation") == [code]
            assert not [one for one in raw.notices if "no nation" in one.what]

    def test_the_country_of_a_tournament(self) -> None:
        raw = sheet("1,Ada,", head=HEAD + "country: Deutschland\n")
        facts: Facts = check_facts(parse_cells(raw))
        assert facts["tournaments"]["country"].to_list() == ["DEU"]


class TestNumbers:
    @pytest.mark.parametrize(
        ("cells", "found"),
        [
            ("entrants = '1.000'", "entrants is '1.000', not a whole number"),
            ("entry_fee = 1.000", "entry_fee is '1.000', not a number"),
            ("entry_fee = '2.500'", "entry_fee is '2.500', not a number"),
            ("added_money = '1,000'", "added_money is '1,000', not a number"),
        ],
    )
    def test_what_may_be_thousands(self, cells: str, found: str) -> None:
        assert found in what(placed("1 Ada", event=cells + "\n"))

    @pytest.mark.parametrize("fee", ["12.50", "1000", "12.5", "1000.0000", "0.250"])
    def test_what_cannot_be(self, fee: str) -> None:
        assert what(placed("1 Ada", event=f"entry_fee = {fee}\n")) == []

    def test_curly_quotes(self) -> None:
        raw = read.read("[tournament]\nname = “Graz”\n", "x.toml")
        (problem,) = raw.problems
        assert problem.what == "name is “Graz”, in curly quotes"
        assert problem.remedy == 'Write straight quotes: name = "Graz".'


def test_a_number_of_players_in_a_report() -> None:
    assert what(placed("1 Ada Novak (CZE)", "64 players")) == [
        "'64 players' is the number of players, not a placing"
    ]


class TestRowsThatAreNoPlacings:
    @pytest.mark.parametrize(
        "row", ["Total,,15", ",Total:,15", ",Sum,15", "Average,,7.5", ",Summe,"]
    )
    def test_totals(self, row: str) -> None:
        """Nobody is called Total: it would be a player of the journal."""
        raw = sheet("1,Ada Novak,CZE", "2,Ben Ode,DEN", row)
        assert what(raw) == []
        assert raw.notices[-1].what.startswith("no placing in this row: ")
        assert len(raw.table("players")) == 2

    def test_nothing_but_totals(self) -> None:
        assert what(sheet("Total,,15"))[0] == "no row has a rank and a name"

    def test_a_second_header_row(self) -> None:
        """First and last name would be lost, or one of them taken for the whole."""
        raw = sheet("First,,Last,", "1,CZE,Ada,", header="Rank,Nat,Player,")
        assert what(raw) == ["there is another header row: First | Last"]
        raw = sheet(",First,Last,", "1,Ada,Novak,CZE", header="Rank,Player,,Nat")
        assert what(raw) == [
            "column 3 stands beside the names, and nothing above it says what it is"
        ]

    def test_a_header_row_of_another_event(self) -> None:
        raw = sheet("1,Ada Novak,CZE", "Rank,Name,Nat", "1,Ben Ode,DEN")
        assert what(raw) == ["there is another header row: Rank | Name | Nat"]

    def test_words_of_heads_in_a_row(self) -> None:
        raw = sheet("1,Ada Land,CZE,city,club", header="Rank,Name,Nat,a,b")
        assert what(raw) == []

    @pytest.mark.parametrize("rank", ["n/a", "NP", "nc", "--"])
    def test_not_placed(self, rank: str) -> None:
        raw = sheet("1,Ada Novak,CZE", f"{rank},Ben Ode,DEN")
        assert what(raw) == []
        assert raw.notices[-1].what == "Ben Ode has no rank"


class TestSeparators:
    @pytest.mark.parametrize(
        "lines",
        [
            "1 | Ada Novak | CZE\n2 | Ben Ode | DEN\n",
            "Rank | Name | Nat\n1 | Ada Novak | CZE\n2 | Ben Ode | DEN\n",
            "| Rank | Name | Nat |\n|--|:-|-:|\n| 1 | Ada Novak | CZE |\n| 2 | Ben Ode | DEN |\n",
            "#1 Ada Novak (CZE)\n#2 Ben Ode (DEN)\n",
            "sep=;\nRank;Name;Nat\n1;Ada Novak;CZE\n2;Ben Ode;DEN\n",
        ],
    )
    def test_bars_and_signs(self, lines: str) -> None:
        raw = placings.read((HEAD + lines).encode(), "x.txt")
        assert what(raw) == []
        assert column(raw, "placings", "player_id") == ["Ada Novak (CZE)", "Ben Ode (DNK)"]

    def test_excels_own_line_is_no_title(self) -> None:
        raw = placings.read(b"sep=;\nRank;Name\n1;Ada\n", "x.csv")
        assert raw.problems[0].what == "the sheet does not give the tournament's name and end_date"

    def test_a_share_behind_the_name(self) -> None:
        raw = placings.read((HEAD + "1 Ada Novak (CZE) 62.5%\n").encode(), "x.txt")
        assert what(raw) == ["'62.5%' behind the name is not understood"]

    def test_a_header_of_points(self) -> None:
        raw = placings.read((HEAD + "Name,Points\nAda Novak,12\n").encode(), "x.csv")
        assert what(raw) == ["none of 'Name', 'Points' is the rank"]


class TestWordsAbove:
    @pytest.mark.parametrize("line", ["Players: 64", "Entrants: 64 players", "Teilnehmer;64"])
    def test_how_many_entered(self, line: str) -> None:
        raw = sheet("1,Ada Novak,CZE", head="name: X\nend_date: 2020-01-02\n" + line + "\n")
        assert what(raw) == []
        assert column(raw, "events", "entrants") == ["64"]

    def test_the_name(self) -> None:
        raw = sheet("1,Ada Novak,CZE", head="Turnier: Graz Open\nDatum: 13.1.2020\n")
        assert column(raw, "tournaments", "name") == ["Graz Open"]

    def test_a_date_as_spreadsheets_count(self) -> None:
        raw = sheet("1,Ada Novak,CZE", head="name: X\nend_date: 43832\n")
        with pytest.raises(FactsRejected, match="Write 2020-01-02, if it is that day"):
            check_facts(parse_cells(raw))


@pytest.mark.parametrize("name", ["~Ada Novak~", "\u201cAda Novak\u201d", "=Ada", "| Ada"])
def test_signs_around_a_name(name: str) -> None:
    raw = placed(f"1 {name}")
    assert [notice.what for notice in raw.notices] == [
        f"the signs in '{name}' are taken for a part of the name"
    ]


def test_a_flight_that_is_nearly_the_main() -> None:
    raw = read.read(f'{REPORT}[event.mian]\nplacings = """\n1 Ada\n"""\n', "x.toml")
    (problem,) = raw.problems
    assert (problem.what, problem.remedy) == ("[event] has no mian", "Did you mean main?")


class TestNamesThatCannotBe:
    """One problem each, in the words of the file, however many ids are made of the name."""

    @pytest.mark.parametrize(
        ("name", "wrong"),
        [
            ("Ada\u200b Novak", "contains the invisible character U+200B ZERO WIDTH SPACE"),
            ("A" * 300, "is 300 characters long; 200 is the limit"),
        ],
    )
    def test_of_a_player(self, name: str, wrong: str) -> None:
        for raw in (sheet(f"1,{name},CZE"), placed(f"1 {name} (CZE)"))["\u200b" in name :]:
            (problem,) = what(raw)
            assert problem.startswith("name '")
            assert problem.endswith(wrong)

    @pytest.mark.parametrize("sign", ["\u200b", "\u200e", "\u2068", "\xad", "\ufeff", "> "])
    def test_invisible_padding_of_a_paste_is_left_out_with_one_notice(self, sign: str) -> None:
        """As pages, telephones and quoted e-mails have it: one notice, however many lines."""
        lines = "\n".join(f"{sign}{at}. Ada Novak{chr(96 + at)} (CZE)" for at in range(1, 9))
        raw = placings.read(f"Graz Open\n{lines}\n".encode(), "x.txt")
        assert [row["name"] for row in raw.table("players")][:2] == ["Ada Novaka", "Ada Novakb"]
        (told,) = [notice.what for notice in raw.notices if "left out" in notice.what]
        assert told.startswith("8 lines have invisible characters, or begin with '>' or the time")

    def test_of_a_tournament(self) -> None:
        (problem,) = what(sheet("1,Ada,CZE", head=HEAD.replace("An Open", "O" * 300)))
        assert problem.endswith("is 300 characters long; 200 is the limit")

    def test_long_names_are_names(self) -> None:
        """Of 150 letters twice, and of a player of 198: their ids are cut, and remain different."""
        event = "O" * 150
        raw = sheet("1,Ada,CZE", head=HEAD.replace("An Open", event))
        assert what(raw) == []
        players = ("A" * 197 + "b", "A" * 197 + "c")
        raw = placed(*(f"{rank} {name} (CZE)" for rank, name in enumerate(players, 1)))
        assert what(raw) == []
        assert len(set(column(raw, "placings", "player_id"))) == len(players)

    def test_a_number_above_a_sheet_is_told_once(self) -> None:
        raw = sheet("1,Ada,CZE", head=HEAD.replace("64", "-64"))
        assert what(raw) == ["entrants is -64, not from 0 to 10000000"]

    def test_an_event_is_named(self) -> None:
        raw = sheet("1,Ada,CZE", "2,Bob,CZE", head=HEAD.replace("64", "1"))
        assert "2 players are placed in a field of 1, the main of An Open" in what(raw)
