"""What is understood of a paste is shown line by line; what it does not say becomes a question."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.web.submissions import parse
from palmares.web.submissions import report_form as form
from palmares.web.submissions.parse import ParsedReport
from tests.formats.sheets.test_workbook import workbook

PASTE = b"Graz Open\n\n1. Tom Dugan (ENG)\n2 Ada Novak (CZE)\n3-4 Ben Olsen\n"
BESIDE = {"discipline": "backgammon", "end_date": "2020-01-19"}
NAMED = {**BESIDE, "name": "Graz Open"}
ANSWERS = {**BESIDE, "0.main.entrants": "16", "0.kind": "championship", "0.entry_fee": "100"}


def worksheets(**sheets: list[list[Any]]) -> bytes:
    """A workbook with worksheets by their names."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        page = book.create_sheet(name)
        for row in rows:
            page.append(row)
    content = BytesIO()
    book.save(content)
    return content.getvalue()


def asked(reading: ParsedReport) -> dict[str, str]:
    """The questions by their fields."""
    return {one.field: one.asks for one in reading.questions}


def test_each_line_has_its_place() -> None:
    rows = parse.read("csv", PASTE).rows
    assert [(one.line, one.text, one.rank, one.name, one.nation) for one in rows] == [
        (3, "1. Tom Dugan (ENG)", "1", "Tom Dugan", "ENG"),
        (4, "2 Ada Novak (CZE)", "2", "Ada Novak", "CZE"),
        (5, "3-4 Ben Olsen", "3–4", "Ben Olsen", None),
    ]


def test_lines_that_were_understood_are_shown_beside_those_that_were_not() -> None:
    found = parse.read("csv", PASTE + b"and thanks\n", BESIDE)
    assert len(found.rows) == 3
    assert [(one.line, one.text) for one in found.problems] == [(6, "and thanks")]


def test_questions_in_the_words_of_the_schema_and_of_the_regulations() -> None:
    found = parse.read("csv", PASTE)
    assert asked(found) == {
        "name": "What is the tournament called?",
        "discipline": "Which game was played?",
        "end_date": "What was its last day?",
        "0.main.entrants": "How many players entered the main event?",
    }
    assert found.questions[0].value == "Graz Open"  # the title, which may be corrected
    backgammon = parse.read("csv", PASTE, BESIDE)
    assert asked(backgammon) == {
        **asked(found),
        "currency": "In which currency were its fees?",
        "setting": "Was it played live or online?",
        "0.kind": "What kind of event was it?",
        "0.entry_fee": "What was the entry fee, without registration?",
        "0.event_type": "Which type of event was it?",
    }
    fee = next(one for one in backgammon.questions if one.field == "0.entry_fee")
    assert fee.asked_by == ("WBGF Backgammon World Ranking",)
    diplomacy = parse.read("csv", PASTE, {**BESIDE, "discipline": "diplomacy"})
    assert asked(diplomacy)["0.rounds"] == "How many rounds were played?"


def test_what_stands_above_in_other_words_is_assumed_until_it_is_confirmed() -> None:
    text = PASTE.replace(b"Open\n", b"Open, 17-19 January 2020\n64 players\n")
    found = parse.read("csv", text, {"discipline": "backgammon"})
    assumed = {each.field: each.value for each in found.questions if each.assumed}
    assert assumed == {
        "name": "Graz Open",
        "setting": "live",
        "end_date": "2020-01-19",
        "start_date": "2020-01-17",
        "currency": "EUR",
        "0.main.entrants": "64",
    }
    assert found.facts is None  # nothing follows from it before
    assert [problem.field for problem in found.problems] == ["end_date"]
    found = parse.read("csv", text, {**ANSWERS, **assumed, "currency": "USD"})
    assert found.facts is not None
    assert [each.field for each in found.questions if each.assumed] == []
    ((start, end, currency),) = (
        found.facts["tournaments"].select("start_date", "end_date", "currency").iter_rows()
    )
    assert (str(start), str(end), currency) == ("2020-01-17", "2020-01-19", "USD")
    assert found.facts["flights"]["entrants"].to_list() == [64]


def test_a_title_with_quotes_is_shown_as_it_is() -> None:
    name = 'The "Open" \\ Graz'
    text = form.written({"name": name, "0.entry_fee": "5"}).text.encode()
    assert parse.titled("toml", text) == name
    assert parse.titled("csv", b'name: "Graz" Open\n') == "Graz"


def test_what_is_wrong_alike_on_many_lines_is_one_problem() -> None:
    lines = "".join(f"{at}. 7-{at} Ada Novak\n" for at in range(1, 65) if at != 9).encode()
    (problem,) = parse.read("csv", lines, NAMED).problems
    assert (problem.line, problem.also) == (1, "2–63")
    few = parse.read("csv", b"1. 7-1 Ada\n2. 6-2 Ben\n", NAMED).problems
    assert [(one.line, one.also) for one in few] == [(1, ""), (2, "")]


def test_what_has_a_closed_set_of_answers_is_a_choice() -> None:
    asked = {
        each.field: each
        for game in ("backgammon", "bridge", "diplomacy")
        for each in parse.read("csv", PASTE, {**BESIDE, "discipline": game}).questions
    }
    typed = {field for field, each in asked.items() if not each.choices}
    assert typed == {
        "name", "end_date", "0.main.entrants", "0.entry_fee", "0.rounds",
    }  # fmt: skip
    assert {"ABT Main Event", "Circuit Monthly"} < set(asked["0.event_type"].choices)
    assert {"EUR", "USD", "DEM"} < set(asked["currency"].choices)
    assert asked["setting"].choices == ("live", "online")


def test_a_number_behind_the_name_of_a_flight_is_assumed() -> None:
    text = b"Main (32)\n1 Ada\nConsolation - 16 players\n1 Ben\nLast Chance\n1 Cy\n"
    found = parse.read("csv", text, NAMED)
    entrants = [each for each in found.questions if each.field.endswith("entrants")]
    assert [(each.field, each.value, each.assumed) for each in entrants] == [
        ("0.main.entrants", "32", True),
        ("0.consolation.entrants", "16", True),
        ("0.last_chance.entrants", "", False),
    ]
    assert [(row.flight, row.line) for row in found.rows] == [
        ("main", 2), ("consolation", 4), ("last_chance", 6),
    ]  # fmt: skip


def test_a_place_that_stands_plainly_in_a_title_is_assumed() -> None:
    text = PASTE.replace(b"Open\n", "Open, Graz (AUT), 17–19 January 2020\n".encode())
    found = parse.read("csv", text, {"discipline": "backgammon"})
    values = {each.field: each.value for each in found.questions if each.assumed}
    assert (values["name"], values["city"], values["country"]) == ("Graz Open", "Graz", "AUT")
    found = parse.read("csv", text, {**ANSWERS, **values})
    assert found.facts is not None
    row = found.facts["tournaments"].select("name", "city", "country").row(0)
    assert row == ("Graz Open", "Graz", "AUT")


def test_a_usual_game_is_assumed_with_what_its_regulations_ask() -> None:
    found = parse.read("csv", PASTE, {"usual_discipline": "diplomacy"})
    questions = {each.field: each for each in found.questions}
    assert (questions["discipline"].value, questions["discipline"].assumed) == ("diplomacy", True)
    assert "0.rounds" in questions
    assert found.facts is None  # nothing follows from it before it is confirmed
    said = parse.read("csv", b"discipline: bridge\n" + PASTE, {"usual_discipline": "diplomacy"})
    assert "discipline" not in asked(said)


@pytest.mark.parametrize(
    ("above", "day"),
    [
        (b"", "2020-01-26"),
        (b"Graz Open 2020\n\n", "2020-01-26"),
        (b"Graz, 17-19 January 2020\n\n", "2020-01-19"),
        (b"Graz Open 2019\n\n", ""),  # a number above may be part of another day
        (b"Graz, 25-26 Jan\n\n", ""),
        (b"Graz Open, 1/2/2020\n\n", ""),
    ],
)
def test_the_usual_day_is_assumed_unless_the_result_may_say_one(above: bytes, day: str) -> None:
    found = parse.read("csv", above + PASTE, {"usual_end_date": "2020-01-26"})
    (asked_day,) = (each for each in found.questions if each.field == "end_date")
    assert (asked_day.value, asked_day.assumed) == (day, bool(day))
    assert found.facts is None


def test_an_answer_that_the_result_contradicts_is_told() -> None:
    found = parse.read("csv", b"discipline: bridge\n" + PASTE, BESIDE)
    told = "the result says bridge itself; the answer backgammon is not used"
    assert told in [notice.what for notice in found.notices]


def test_answers_are_facts() -> None:
    facts = parse.read("csv", PASTE, ANSWERS).facts
    assert facts is not None
    (event,), (flight,) = facts["events"].to_dicts(), facts["flights"].to_dicts()
    assert (event["kind"], float(event["entry_fee"])) == ("championship", 100)
    assert (flight["flight"], flight["entrants"]) == ("main", 16)


def test_what_the_text_says_goes_before_an_answer_and_is_not_asked() -> None:
    found = parse.read("csv", b"name: Linz\nentrants: 8\n\n1 Ada\n", {**ANSWERS, "name": "Graz"})
    assert found.facts is not None
    assert found.facts["tournaments"]["name"].to_list() == ["Linz"]
    assert found.facts["flights"]["entrants"].to_list() == [8]
    assert "entrants" not in str(sorted(asked(parse.read("csv", b"entrants: 8\n\n1 Ada\n"))))


def test_a_wrong_answer_is_a_problem_at_its_field() -> None:
    found = parse.read("csv", PASTE, {**ANSWERS, "0.entry_fee": "much", "end_date": "soon"})
    assert [(one.field, one.line) for one in found.problems] == [
        ("end_date", None), ("0.entry_fee", None),
    ]  # fmt: skip


def test_every_event_of_a_text_has_its_own_questions() -> None:
    text = b"name: X\n" + b"OPEN: 1-Ada Novak (IL), 2-Ben Olsen (IL); 1C-Eva Kos (IL).\n"
    found = parse.read("txt", text + b"NOVICE (8): 1-Dag Lie (IL).\n", BESIDE)
    assert {field: one.event for field in asked(found) for one in found.questions
            if one.field == field and "." in field} == {
        "0.main.entrants": "OPEN", "0.consolation.entrants": "OPEN",
        "0.kind": "OPEN", "0.entry_fee": "OPEN", "0.event_type": "OPEN",
        "1.kind": "NOVICE", "1.entry_fee": "NOVICE", "1.event_type": "NOVICE",
    }  # fmt: skip
    said = {**BESIDE, "0.main.entrants": "16", "0.consolation.entrants": "8", "1.entry_fee": "50"}
    facts = parse.read("txt", text + b"NOVICE (8): 1-Dag Lie (IL).\n", said).facts
    assert facts is not None
    assert sorted(facts["flights"].select("flight", "entrants").rows()) == [
        ("consolation", 8), ("main", 8), ("main", 16),
    ]  # fmt: skip
    assert [fee and float(fee) for fee in facts["events"]["entry_fee"]] == [None, 50]


def test_a_worksheet_is_chosen() -> None:
    book = worksheets(Bar=[["Notes"], ["of the bar"]], Main=[["Rank", "Name"], [1, "Ada Novak"]])
    first = parse.read("xlsx", book, ANSWERS)
    assert (first.sheets, first.sheet) == (("Bar", "Main"), "Main")  # the first that has places
    bar = parse.read("xlsx", book, {**ANSWERS, "sheet": "Bar"})
    assert (bar.sheet, bar.rows) == ("Bar", ())
    second = parse.read("xlsx", book, {**ANSWERS, "name": "Graz", "sheet": "Main"})
    assert (second.sheet, second.problems) == ("Main", ())
    assert [(one.line, one.text, one.name) for one in second.rows] == [
        (2, "1 Ada Novak", "Ada Novak")
    ]


def test_a_sheet_that_is_not_there_names_those_that_are() -> None:
    (problem,) = parse.read("xlsx", workbook([[1, "Ada"]]), {"sheet": "Main"}).problems
    assert (problem.what, problem.remedy) == (
        "the workbook has no sheet 'Main'", "Its sheets are Placings.",
    )  # fmt: skip


# ── form and text ────────────────────────────────────────────────────────────────────────────────

LINE = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)
LINES = st.lists(LINE, min_size=1, max_size=4).map("\n".join)
FIELDS = [
    *form.KEYS["tournaments"][0], *form.KEYS["tournaments"][1],
    *(f"0.{key}" for key in form.KEYS["events"][0]),
    *(f"1.{key}" for key in form.KEYS["events"][1]), "0.main.entrants", "1.consolation.format",
]  # fmt: skip
TEXTS = ["players", "0.matches", "1.team_matches", "0.main.placings", "1.last_chance.placings"]


@given(
    st.dictionaries(st.sampled_from(FIELDS), LINE), st.dictionaries(st.sampled_from(TEXTS), LINES)
)
def test_from_a_form_to_text_and_back_nothing_is_lost(
    cells: dict[str, str], texts: dict[str, str]
) -> None:
    fields = {"0.name": "Main", "1.name": "Side", **cells, **texts}
    again = form.form_of_text(form.written(fields).text)
    assert again is not None
    assert again.values == fields


def test_from_a_paste_to_a_form_and_back() -> None:
    content = parse.as_form("csv", PASTE, ANSWERS)
    found = parse.read("toml", content)
    assert found.form is not None
    assert found.form["0.main.placings"].split("\n") == [
        "1     Tom Dugan (ENG)", "2     Ada Novak (CZE)", "3-4   Ben Olsen",
    ]  # fmt: skip
    pasted = parse.read("csv", PASTE, ANSWERS)
    assert found.facts is not None
    assert pasted.facts is not None
    for name in ("tournaments", "events", "flights", "placings", "players"):
        columns = [c for c in pasted.facts[name].columns if not c.startswith("_")]
        assert found.facts[name].select(columns).equals(pasted.facts[name].select(columns))


@pytest.mark.parametrize("title", ["26th Chicago Open", "2019 Chicago Open", "3. Chicago Open"])
@pytest.mark.parametrize("head", ["", "\n", "Rank;Name\n"])
def test_a_title_that_begins_with_a_number_is_no_player(title: str, head: str) -> None:
    separator = ";" if head.strip() else ". "
    rows = f"1{separator}Tom Dugan (ENG)\n2{separator}Ada Novak (CZE)\n"
    found = parse.read("csv", f"{title}\n{head}{rows}".encode(), BESIDE)
    assert [(one.rank, one.name) for one in found.rows] == [("1", "Tom Dugan"), ("2", "Ada Novak")]
    assert f"'{title}' is taken for the tournament's name" in [one.what for one in found.notices]


def test_a_title_of_two_lines_with_numbers_is_no_player() -> None:
    text = "26th Harbour Cup, Split 2026\n12-14 November 2026\n\n1. Tom Dugan (ENG)\n2. Ada Novak\n"
    found = parse.read("csv", text.encode(), BESIDE)
    assert [(one.rank, one.name) for one in found.rows] == [("1", "Tom Dugan"), ("2", "Ada Novak")]
    assert found.problems == ()
    assert ("name", "26th Harbour Cup, Split 2026") in [(q.field, q.value) for q in found.questions]


def test_a_title_with_days_and_a_count_below_it_is_no_player() -> None:
    text = b"26th Chicago Open\nChicago, 28-30 May 2011\n64 players\n\n1. Tom Dugan\n2. Ada Novak\n"
    found = parse.read("csv", text, BESIDE)
    assert [one.name for one in found.rows] == ["Tom Dugan", "Ada Novak"]
    answers = {q.field: q.value for q in found.questions}
    assert (answers["name"], answers["0.main.entrants"]) == ("26th Chicago Open", "64")


def test_places_may_begin_with_the_last() -> None:
    found = parse.read("csv", b"3 Tom Dugan\n2 Ada Novak\n1 Ben Olsen\n", NAMED)
    assert [one.name for one in found.rows] == ["Tom Dugan", "Ada Novak", "Ben Olsen"]
    found = parse.read("csv", b"2 Ada Novak\n1 Ben Olsen\n", NAMED)
    assert [one.name for one in found.rows] == ["Ada Novak", "Ben Olsen"]


def test_a_count_below_the_placings_is_no_player() -> None:
    found = parse.read("csv", PASTE + b"\n64 players\n", NAMED)
    assert [(one.line, one.what) for one in found.problems] == [
        (7, "'64 players' is the number of players, not a placing")
    ]


@pytest.mark.parametrize("line", ["2. 🇨🇿 Ada Novak", "2. Ada Novak 🇨🇿", "2. 🇨🇿 Ada Novak (CZE)"])
def test_a_flag_is_a_nation(line: str) -> None:
    found = parse.read("csv", f"1. Tom Dugan (ENG)\n{line}\n".encode(), NAMED)
    assert [(one.name, one.nation) for one in found.rows][1] == ("Ada Novak", "CZE")
    assert found.problems == ()


def test_a_flag_of_another_nation_is_a_problem() -> None:
    found = parse.read(
        "csv",
        "1. Tom Dugan (ENG)\n2. 🇩🇰 Ada Novak (CZE)\n".encode(),
        NAMED,
    )
    assert [one.line for one in found.problems] == [2]


@pytest.mark.parametrize("rank", ["3rd-4th", "3 to 4", "3.-4.", "3rd/4th"])
def test_shared_places_as_people_write_them(rank: str) -> None:
    lines = f"1st Tom Dugan\n2nd Ada Novak\n{rank} Ben Olsen\n{rank} Carla Rossi\n"
    found = parse.read("csv", lines.encode(), NAMED)
    assert [one.rank for one in found.rows] == ["1", "2", "3–4", "3–4"]
