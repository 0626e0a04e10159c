"""The TOML report: what a director writes, cell by cell, and every mistake with its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.errors import FactsRejected
from palmares.facts import check_facts, parse_cells
from palmares.facts.decoding import ReportTables
from palmares.facts.schema import LINE
from palmares.formats.toml import read as toml_report
from tests.formats.reading import column, places, rows

HEAD = '[tournament]\nname = "An Open"\nstart_date = 2019-01-05\nend_date = 2019-01-06\n'
EVENT = '[[event]]\nname = "Main"\n'


def read(text: str | bytes) -> ReportTables:
    return toml_report.read(text, "x.toml")


def placed(*lines: str, more: str = "") -> ReportTables:
    """A report with these lines of placings; the first stands on line 9."""
    block = "\n".join(lines)
    return read(f'{HEAD}{EVENT}[event.main]\nplacings = """\n{block}\n"""\n{more}')


def matched(*lines: str, more: str = "") -> ReportTables:
    """A report of Ada and Ben with these lines of matches."""
    block = "\n".join(lines)
    matches = f'match_length = 7\nmatches = """\n{block}\n"""\n{more}'
    return placed("1 Ada Novak (CZE)", "2 Ben Olsen (DEN)", "3 Ben Olsen (GER)", more=matches)


def test_a_heading_that_was_forgotten_is_one_problem() -> None:
    raw = read(HEAD.removeprefix("[tournament]\n") + EVENT)
    with pytest.raises(FactsRejected) as raised:
        check_facts(parse_cells(raw))
    assert [(problem.where, problem.what) for problem in raised.value.problems] == [
        ("x.toml:1", "there is no [tournament] above name, start_date and end_date")
    ]


@pytest.mark.parametrize("name", ["Ada Novak (CZE", "Ada Novak CZE)", "Ada [n1"])
def test_a_bracket_that_is_not_closed_is_told_once(name: str) -> None:
    (told,) = placed(f"1 {name}").notices
    assert told.where == "x.toml:9"
    assert f"a bracket is not closed: {name} is taken for a name" in told.what


class TestMisspelt:
    """One slip is one problem, at its line, and what follows is read as it was meant."""

    def test_a_heading(self) -> None:
        text = f'{HEAD}[[events]]\nname = "Main"\n[events.main]\nplacings = """\n1 Ada\n"""\n'
        raw = read(f'{text}[members]\nUSBGF = ["Ada"]\n')
        (problem,) = raw.problems
        assert (problem.at.line, problem.remedy) == (5, "Did you mean event?")
        assert column(raw, "placings", "player_id") == ["Ada"]

    def test_the_tournament(self) -> None:
        raw = read(f"{HEAD.replace('tournament', 'tournaments')}{EVENT}")
        assert [problem.what for problem in raw.problems] == ["a report has no tournaments"]
        assert column(raw, "tournaments", "name") == ["An Open"]

    def test_a_key(self) -> None:
        raw = read(f"{HEAD.replace('end_date', 'end_dat')}{EVENT}")
        assert [problem.remedy for problem in raw.problems] == ["Did you mean end_date?"]
        assert column(raw, "tournaments", "end_date") == ["2019-01-06"]

    def test_a_key_beside_the_right_one(self) -> None:
        raw = read(f"{HEAD}end_dat = 2019-02-06\n{EVENT}")
        assert column(raw, "tournaments", "end_date") == ["2019-01-06"]


def test_a_first_place_behind_the_winner() -> None:
    raw = placed("1 Ada, 3 rounds behind", "2 Ben")
    with pytest.raises(FactsRejected) as rejected:
        check_facts(parse_cells(raw))
    assert [(one.at.line, one.what) for one in rejected.value.problems] == [
        (9, "Ada has rank 1, and is 3 rounds behind the winner")
    ]


class TestTournamentAndEvents:
    def test_cells_as_written(self) -> None:
        raw = read(f"{HEAD}eur_per_unit = 0.80\n{EVENT}entry_fee = 1e999999999\nteam = true\n")
        (tournament,), (event,) = rows(raw, "tournaments"), rows(raw, "events")
        assert tournament["tournament_id"] == "an-open-2019-01-06"
        assert (tournament["end_date"], tournament["eur_per_unit"]) == ("2019-01-06", "0.80")
        assert event["event_id"] == "an-open-2019-01-06/main"
        assert (event["entry_fee"], event["team"]) == ("1e999999999", "true")

    def test_ids_of_one_s_own(self) -> None:
        raw = read(f'{HEAD}id = "t1"\n[[event]]\nid = "e1"\nname = "Main"\n')
        assert column(raw, "events", "event_id") == ["e1"]
        assert column(raw, "events", "tournament_id") == ["t1"]

    def test_a_table_in_place_of_a_list_has_its_own_lines(self) -> None:
        raw = read(f'{HEAD}{EVENT}[event.teams]\nteam = "Alpha"\nboards_per_match = 16\n')
        assert places(raw) == ["x.toml:9"]

    def test_two_events_of_one_name(self) -> None:
        assert places(read(HEAD + EVENT + EVENT)) == ["x.toml:7"]

    def test_flights_of_any_name_with_their_lines(self) -> None:
        raw = read(f"{HEAD}{EVENT}[event.main]\nentrants = 8\n[event.lucky_loser]\nentrants = 4\n")
        assert column(raw, "flights", "flight") == ["main", "lucky_loser"]
        assert [row[LINE] for row in raw.table("flights")] == [7, 9]

    def test_a_main_has_the_entrants_of_its_event(self) -> None:
        raw = read(f'{HEAD}{EVENT}entrants = 8\n[event.main]\nformat = "swiss"\n')
        assert column(raw, "flights", "entrants") == ["8"]

    def test_a_flight_that_says_nothing_is_no_row(self) -> None:
        assert len(placed("1 Ada").table("flights")) == 0


class TestPlacings:
    @pytest.mark.parametrize(
        ("line", "cells"),
        [
            ("1 Ada Novak (CZE)", {"player_id": "Ada Novak (CZE)", "rank": "1", "nation": "CZE"}),
            ("1. Ada Novak", {"player_id": "Ada Novak", "rank": "1"}),
            ("2* Ada [n17]", {"player_id": "n17", "rank": "2", "designated": "true"}),
            ("3-4 Ada", {"player_id": "Ada", "rank": "3", "tied": "2"}),
            ("5/8* Ada", {"player_id": "Ada", "rank": "5", "tied": "4", "designated": "true"}),
            ("7 Ada, 4 rounds behind", {"player_id": "Ada", "rank": "7", "rounds_behind": "4"}),
            ("8 X, Jr., 1 round behind",
             {"player_id": "X, Jr.", "rank": "8", "rounds_behind": "1"}),
            ("1 A Foe (IL) & B Goo (CA)", {"player_id": "A Foe (IL) & B Goo (CA)", "rank": "1"}),
        ],
    )  # fmt: skip
    def test_a_line(self, line: str, cells: dict[str, str]) -> None:
        raw = placed(line)
        assert raw.problems == []
        event = {"event_id": "an-open-2019-01-06/main", "flight": "main"}
        assert rows(raw, "placings") == [{**event, **cells}]
        assert [row[LINE] for row in raw.table("placings")] == [9]

    @pytest.mark.parametrize("line", ["Ada", "1", "1Ada", "x Ada", "4-3 Ada", "1 Ada / Ben"])
    def test_a_line_that_cannot_be_read(self, line: str) -> None:
        assert places(placed("1 Eva", "", line)) == ["x.toml:11"]

    def test_a_file_of_placings_has_a_key_of_its_own(self) -> None:
        raw = read(f'{HEAD}{EVENT}[event.main]\nplacings = "main.csv"\n')
        with pytest.raises(FactsRejected) as raised:
            check_facts(parse_cells(raw))
        assert "placings_file" in raised.value.problems[0].remedy

    def test_a_shared_rank_that_nobody_shares(self) -> None:
        assert places(placed("1 Ada", "2= Ben", "2= Eva", "4= Dag")) == ["x.toml:12"]

    @pytest.mark.parametrize(
        ("value", "line"),
        [('"1 Ada"', 8), ('"""1 Ada"""', 8), ("'''\n1 Ada'''", 9), ('"""\n\n1 Ada\n"""', 10)],
    )
    def test_the_line_of_a_placing_however_it_is_quoted(self, value: str, line: int) -> None:
        raw = read(f"{HEAD}{EVENT}[event.main]\nplacings = {value}\n")
        assert [row[LINE] for row in raw.table("placings")] == [line]


class TestPeople:
    """'Nobody is merged by guess.'"""

    def test_the_id_is_the_name_with_the_code_of_the_nation(self) -> None:
        raw = placed("1 Ada  Novak (CZE)", "2 Ada Novak (GER)", "3 Ada Novak")
        names = ["Ada Novak (CZE)", "Ada Novak (DEU)", "Ada Novak"]
        assert column(raw, "players", "player_id") == names
        assert column(raw, "players", "nation") == ["CZE", "DEU", None]

    def test_a_written_id_joins(self) -> None:
        raw = placed("1 Ada (CZE)", more="[event.consolation]\nplacings = '1 Ada (CZE) [n17]'\n")
        assert column(raw, "placings", "player_id") == ["n17", "n17"]
        assert column(raw, "players", "player_id") == ["n17"]

    def test_two_people_of_one_name_need_their_ids(self) -> None:
        raw = placed("1 Ada [n1]", "2 Ada [n2]", "3 Ada")
        assert places(raw) == ["x.toml:11"]
        assert "may be any of [n1], [n2]" in raw.problems[0].what

    def test_an_id_has_one_name(self) -> None:
        assert places(placed("1 Ada [n1]", "2 Eva [n1]")) == ["x.toml:10"]
        assert places(placed("1 Ada (CZE) [n1]", "2 Ada (DEN) [n1]")) == ["x.toml:10"]

    def test_an_id_of_nobody(self) -> None:
        assert places(placed("1 [n1]")) == ["x.toml:9"]

    def test_a_state_is_an_origin_and_a_stranger_gets_a_notice(self) -> None:
        raw = placed("1 Ada (IL)", "2 Ben (Zork)")
        assert column(raw, "players", "origin") == ["IL", "Zork"]
        assert [notice.where for notice in raw.notices] == ["x.toml:10", "x.toml:9"]

    def test_a_table_describes_a_player(self) -> None:
        more = '[[player]]\nid = "n1"\nname = "Ada Novak"\nnation = "DEN"\nwithheld = true\n'
        raw = placed("1 Ada Novak (CZE) [n1]", "2 (DEN) [n1]", "3 Ada Novak (DNK)", more=more)
        (player,) = rows(raw, "players")
        assert (player["nation"], player["withheld"]) == ("DNK", "true")
        assert column(raw, "placings", "player_id") == ["n1"] * 3
        assert column(raw, "placings", "nation")[:2] == ["CZE", "DNK"]

    def test_a_table_without_a_name(self) -> None:
        assert places(placed("1 Ada", more='[[player]]\nid = "n1"\n')) == ["x.toml:11"]

    def test_a_list_of_players(self) -> None:
        raw = read(f'{HEAD}players = """\nAda (CZE)\nBen [n2]\n"""\n')
        assert column(raw, "players", "player_id") == ["Ada (CZE)", "n2"]
        assert [row[LINE] for row in raw.table("players")] == [6, 7]


class TestMatches:
    @pytest.mark.parametrize(
        ("line", "cells"),
        [
            ("2019-01-05 9 Ada Novak > Ben Olsen (DEN)",
             {"length": "9", "played_on": "2019-01-05"}),
            ("Ada Novak (CZE) > Ben Olsen (DEN)", {"length": "7"}),
            ("9 Ada Novak > Ben Olsen (DEN), walkover", {"length": "9", "status": "walkover"}),
            ("9 Ada Novak > Ben Olsen (DEN), series 2",
             {"length": "9", "status": "series", "series_wins": "2"}),
            ("9 Ada Novak > Ben Olsen (DEN), id m 7", {"length": "9", "match_id": "m 7"}),
        ],
    )  # fmt: skip
    def test_a_line(self, line: str, cells: dict[str, str]) -> None:
        raw = matched(line)
        event = {"event_id": "an-open-2019-01-06/main", "flight": "main"}
        people = {"winner_id": "Ada Novak (CZE)", "loser_id": "Ben Olsen (DNK)"}
        assert raw.problems == []
        assert rows(raw, "matches") == [
            {"match_id": "an-open-2019-01-06/main/m1", **event, **people, **cells}
        ]

    def test_a_bye_has_no_loser(self) -> None:
        (row,) = rows(matched("9 Ada Novak, bye"), "matches")
        assert row["status"] == "bye"
        assert "loser_id" not in row

    def test_rounds(self) -> None:
        raw = matched("Ada Novak, bye", "Round 2:", "Ada Novak, bye", "Final:", "Ada Novak, bye")
        assert column(raw, "matches", "round") == [None, "2", "Final"]

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("9 Ada Novak > Ben Olsen", "may be any of"),
            ("9 Ada Novak > Eva Kos", "Eva Kos is in no placing"),
            ("9 Ada Novak", "no winner > loser"),
            ("9 Ada Novak > Ben > Eva", "no winner > loser"),
            ("9 Ada Novak > [n9]", "no player in this report has the id"),
        ],
    )
    def test_a_match_nobody_can_tell(self, line: str, words: str) -> None:
        (problem,) = matched("Round 1:", line).problems
        assert problem.where == "x.toml:16"
        assert words in problem.what

    def test_teams(self) -> None:
        text = f'{HEAD}{EVENT}team_matches = """\n1: Alpha 41-20 Beta (16)\n2: Alpha bye (16)\n'
        text += '2: A 1.5-0 B (8), void\nAlpha 3 Beta\n"""\n'
        raw = read(text + "[[event.team_match]]\nhome = 'A'\nhome_adjust_vp = -1.5\n")
        assert places(raw) == ["x.toml:11"]
        assert column(raw, "team_matches", "home_imps") == ["41", None, "1.5", None]
        assert column(raw, "team_matches", "status") == [None, "bye", "void", None]
        assert column(raw, "team_matches", "home_adjust_vp") == [None, None, None, "-1.5"]


class TestMembersAndRates:
    @pytest.mark.parametrize(
        ("said", "members"),
        [
            ('"all"', ["Ada (CZE)", "Ben (DNK)", "Eva"]),
            ('["Ada", "Eva"]', ["Ada (CZE)", "Eva"]),
            ('"""\nAda\nBen (DEN)\n"""', ["Ada (CZE)", "Ben (DNK)"]),
            ('{ except = ["Ben"] }', ["Ada (CZE)", "Eva"]),
            ('{ players = "all", except = ["Ben"] }', ["Ada (CZE)", "Eva"]),
        ],
    )
    def test_who(self, said: str, members: list[str]) -> None:
        raw = placed("1 Ada (CZE)", "2 Ben (DEN)", "3 Eva", more=f"[members]\nUSBGF = {said}\n")
        assert raw.problems == []
        assert column(raw, "memberships", "player_id") == members
        (row, *_) = rows(raw, "memberships")
        assert (row["level"], row["start"], row["end"]) == ("Basic", "2019-01-05", "2019-01-06")

    def test_days_of_one_s_own(self) -> None:
        more = "[[member]]\nplayer = 'Ada'\nfederation = 'USBGF'\nstart = 2018-01-01\n"
        (row,) = rows(placed("1 Ada", more=more), "memberships")
        assert row == {"player_id": "Ada", "federation": "USBGF", "start": "2018-01-01"}

    def test_somebody_who_is_not_there(self) -> None:
        assert places(placed("1 Ada", more="[members]\nUSBGF = ['Adda']\n")) == ["x.toml:12"]

    def test_rates(self) -> None:
        raw = read(f"{HEAD}[[rate]]\ncurrency = 'USD'\ndate = 2019-01-04\neur_per_unit = 0.8769\n")
        (row,) = rows(raw, "rates")
        assert row == {"currency": "USD", "date": "2019-01-04", "eur_per_unit": "0.8769"}


class TestMistakes:
    """'All problems at once: file, line, clause broken, remedy.'"""

    def test_every_unknown_key_with_a_suggestion(self) -> None:
        raw = read(f"{HEAD}citi = 'X'\n{EVENT}entrnts = 8\n[event.consolaton]\nentrants = 4\n[x]\n")
        assert places(raw) == ["x.toml:11", "x.toml:5", "x.toml:8", "x.toml:9"]
        assert [problem.remedy for problem in raw.problems[1:]] == [
            "Did you mean city?",
            "Did you mean entrants?",
            "Did you mean consolation?",
        ]

    @pytest.mark.parametrize(
        ("text", "where"),
        [
            ("[tournament\n", "x.toml:1"),
            ('[tournament]\nname = "X\n', "x.toml:2"),
            (EVENT, "x.toml:1"),
            ("tournament = 3\n", "x.toml:1"),
            (f"{HEAD}city = ['X']\n", "x.toml:5"),
            (f"event = 3\n{HEAD}", "x.toml:1"),
            (f"{HEAD}{EVENT}main = 3\n", "x.toml:7"),
            (f"{HEAD}{EVENT}[event.main]\nplacings = 3\n", "x.toml:8"),
            (f"{HEAD}{EVENT}[event.main]\nplacings_file = 'x.csv'\n", "x.toml:8"),
            (f"{HEAD}[members]\nUSBGF = 3\n", "x.toml:6"),
            (f"{HEAD}x = {'[' * 5000}{']' * 5000}\n", "x.toml"),
            (f"{HEAD}city = {'9' * 5000}\n", "x.toml"),
        ],
    )
    def test_a_mistake_and_its_line(self, text: str, where: str) -> None:
        assert places(read(text)) == [where]

    @pytest.mark.parametrize(
        ("content", "what"),
        [
            (b"", "the file is empty"),
            (b"\xef\xbb\xbf", "the file is empty"),
            (HEAD.encode("utf-16"), "this is not UTF-8 text"),
            ((HEAD + "city = 'Köln'").encode("cp1252"), "this is not UTF-8 text"),
        ],
    )
    def test_bytes_that_are_no_text(self, content: bytes, what: str) -> None:
        assert [problem.what for problem in read(content).problems] == [what]

    @pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
    def test_bom_and_crlf_change_nothing(self, start: bytes) -> None:
        text = f'{HEAD}{EVENT}[event.main]\nplacings = """\n1 Ada\n2 Ben\n"""\n'
        raw = read(start + text.replace("\n", "\r\n").encode())
        assert raw.problems == []
        assert [row[LINE] for row in raw.table("placings")] == [9, 10]


PIECES = ["[tournament]", "[[event]]", "[event.main]", "[members]", "[[player]]", "\n", " = ",
          "name", "placings", "matches", "players", "id", '"', '"""', "'", "1 Ada", "2= Ben (IL)",
          "[n1]", "3", "{", "}", "[", "]", ",", "USBGF", "all", "except", "#", "\\", "true",
          "2019-01-05", "1e99", "é", "\u202e", "match", "team_matches", "."]  # fmt: skip


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
def test_no_text_is_too_odd(text: str) -> None:
    read(text)


KEYS = ["tournament", "event", "player", "members", "member", "rate", "name", "id", "main",
        "placings", "matches", "entrants", "placings_file", "match_length", "players", "USBGF",
        "except", "team_match", "team_matches", "match", "end_date"]  # fmt: skip
VALUES = st.recursive(
    st.sampled_from(["3", "true", "2019-01-05", "0.5", "''", "'1 Ada'", "'Ada > Ben'", "'[n]'"]),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda many: f"[{', '.join(many)}]")
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4).map(
            lambda table: "{" + ", ".join(f"{key} = {value}" for key, value in table.items()) + "}"
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(KEYS[:6]), VALUES))
def test_no_shape_is_too_odd(document: dict[str, str]) -> None:
    """Any value may stand where another is wanted: a problem, never a traceback."""
    read("".join(f"{key} = {value}\n" for key, value in document.items()))


class TestReportsThatAskForTooMuch:
    """'100 kB of `a.a.a.… = 1` in TOML take 7 GB: the bounds belong in the readers'"""

    HEAD = '[tournament]\nname = "Open"\nend_date = 2019-01-01\n'

    @pytest.mark.parametrize(
        ("line", "told"),
        [
            ("a." * 49_000 + "a = 1", "49,000 points; at most 100,000 and 200 are read"),
            ("[" + "a." * 49_000 + "a]", "49,000 points; at most 100,000 and 200 are read"),
            ("a." * 201 + "a = 1", "4: this line has 407 characters and 201 points; at most"),
            (
                "name2 = '" + "x" * 99_991 + "'",
                "4: this line has 100,001 characters and 0 points; at most 100,000 and",
            ),
            ("\n" * 8 * 2**20, ": the report has 8,388,657 characters, and 8,388,608 are read"),
            ("x = " + "[" * 50_000, "brackets within brackets without end"),
            ("x = " + "{a=" * 20_000, "brackets within brackets without end"),
            ("x = " + "9" * 5_000, "this is not TOML: Exceeds the limit"),
        ],
    )
    def test_the_bound_is_named(self, line: str, told: str) -> None:
        raw = toml_report.read(self.HEAD + line, "open.toml")
        assert any(told in str(one) for one in raw.problems), raw.problems
        assert len(raw.problems) == 1

    def test_what_is_just_within_them_is_read(self) -> None:
        raw = toml_report.read(self.HEAD + "# " + "." * 200 + "\n# " + "x" * 99_998, "open.toml")
        assert raw.problems == []

    def test_ten_thousand_events(self) -> None:
        events = "".join(f'[[event]]\nname = "Event {n}"\n' for n in range(10_000))
        assert len(toml_report.read(self.HEAD + events, "open.toml").table("events")) == 10_000
