"""Text into values, cell by cell."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pycountry
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.errors import Location, Problem
from palmares.facts import TABLES, Facts, ParsedFacts, ReportTables, cells, codes, parse_cells
from palmares.facts.codes import country
from palmares.facts.text import printable


def draft(table: str, column: str, text: str | None) -> ParsedFacts:
    """One table with one row: the cell, and whatever else is required."""
    row = dict.fromkeys((name for name, one in TABLES[table].items() if one.required), "1")
    for name, one in TABLES[table].items():
        if one.required and one.kind == "date":
            row[name] = "2019-11-15"
        if one.required and one.kind == "currency":
            row[name] = "USD"
    raw = ReportTables()
    raw.add(table, {**row, column: text}, 2, "cells.csv")
    return parse_cells(raw)


def value(table: str, column: str, text: str | None) -> Any:
    """What a cell means; it must be acceptable."""
    one = draft(table, column, text)
    assert one.problems == ()
    return one.facts[table][column][0]


def problem(table: str, column: str, text: str) -> Problem:
    """The one thing wrong with a cell, whose value is then null."""
    one = draft(table, column, text)
    assert one.facts[table][column].to_list() == [None]
    return one.problems[0]


@pytest.mark.parametrize(
    ("column", "text", "meant"),
    [
        ("placings.rank",            "12",               12),
        ("placings.rank",            " +12 ",            12),
        ("placings.rank",            "12.0",             12),               # a spreadsheet's
        ("placings.rank",            "1000000000",       10**9),
        ("events.entry_fee",         "12.50",            Decimal("12.5")),
        ("events.entry_fee",         "007",              Decimal(7)),
        ("events.entry_fee",         "999999999999999",  Decimal(10**15 - 1)),
        ("events.entry_fee",         "0.000000000001",   Decimal("1e-12")),
        ("events.entry_fee",         "",                 None),
        ("events.entry_fee",         "  ",               None),
        ("team_matches.home_adjust_vp", "-0.5",          Decimal("-0.5")),
        ("tournaments.end_date",     "2019-11-15",       date(2019, 11, 15)),
        ("tournaments.end_date",     "2019-11-15 00:00:00", date(2019, 11, 15)),
        ("tournaments.end_date",     "1900-01-01",       date(1900, 1, 1)),
        ("tournaments.end_date",     "2200-12-31",       date(2200, 12, 31)),
        ("placings.designated",      "x",                True),
        ("placings.designated",      "Yes",              True),
        ("placings.designated",      "TRUE",             True),
        ("placings.designated",      "0",                False),
        ("placings.designated",      "no",               False),
        ("placings.designated",      "",                 None),
        ("events.kind",              "Super Jackpot",    "super_jackpot"),
        ("events.kind",              "CHAMPIONSHIP",     "championship"),
        ("flights.flight",           "Last-Chance",      "last_chance"),
        ("flights.flight",           "Lucky Loser",      "Lucky Loser"),
        ("tournaments.currency",     "usd",              "USD"),
        ("tournaments.currency",     "DEM",              "DEM"),
        ("tournaments.country",      "Czechia",          "CZE"),
        ("tournaments.country",      "Scotland",         "SCO"),
        ("tournaments.country",      "de",               "DEU"),
        ("players.name",             "Ada  Nova\u0301k", "Ada  Nov\u00e1k"),   # NFC
        ("players.name",             "Ada\u00a0Novak",   "Ada Novak"),      # one kind of space
        ("players.name",             "van der Berg Jr.", "van der Berg Jr."),
        ("players.name",             "D’Arc",            "D’Arc"),
        ("players.name",             "Анна Ф.",          "Анна Ф."),
        ("players.name",             "علی",              "علی"),
        ("players.name",             "می\u200cخواهم",    "می\u200cخواهم"),  # a joiner in its place
        ("players.name",             "x" * 200,          "x" * 200),
    ],
)  # fmt: skip
def test_what_a_cell_means(column: str, text: str, meant: Any) -> None:
    table, _, column = column.partition(".")
    assert value(table, column, text) == meant


@pytest.mark.parametrize(
    ("column", "text", "what"),
    [
        ("placings.rank",            "first",          "is 'first', not a whole number"),
        ("placings.rank",            "1.5",            "is '1.5', not a whole number"),
        ("placings.rank",            "1e3",            "is '1e3', not a whole number"),
        ("placings.rank",            "१",              "is '१', not a whole number"),
        ("placings.rank",            "1000000001",
         "is 1000000001, not from 1 to 1,000,000,000"),
        ("flights.entrants",         "10000001",
         "is 10000001, not from 0 to 10000000"),
        ("placings.rank",            "9" * 40,         f"is '{'9' * 40}', not a whole number"),
        ("events.entry_fee",         "1e999999999",    "is '1e999999999', not a number"),
        ("events.entry_fee",         "NaN",            "is 'NaN', not a number"),
        ("events.entry_fee",         "-Infinity",      "is '-Infinity', not a number"),
        ("events.entry_fee",         "1,000.00",       "is '1,000.00', not a number"),
        ("events.entry_fee",         "€100",           "is '€100', not a number"),
        ("events.entry_fee",         "1" + "0" * 15,   f"is '1{'0' * 15}', not a number"),
        ("events.entry_fee",         "0." + "0" * 13,  f"is '0.{'0' * 13}', not a number"),
        ("events.entry_fee",         "-0.01",
         "is -0.01, not from 0 to 999,999,999,999,999"),
        ("tournaments.end_date",     "15.11.2019",     "is '15.11.2019', not a date"),
        ("tournaments.end_date",     "2019-02-29",
         "is '2019-02-29', which is not a day in the calendar"),
        ("tournaments.end_date",     "1899-12-31",
         "is 1899-12-31, not in the years 1900 to 2200"),
        ("tournaments.end_date",     "2201-01-01",
         "is 2201-01-01, not in the years 1900 to 2200"),
        ("placings.designated",      "maybe",          "is 'maybe', neither yes nor no"),
        ("events.kind",              "Main",           "is 'Main', which is not one of its words"),
        ("tournaments.currency",     "EURO",
         "is 'EURO', which is not a currency code of ISO 4217"),
        ("tournaments.currency",     "ABC",
         "is 'ABC', which is not a currency code of ISO 4217"),
        ("players.nation",           "XYZ",
         "is 'XYZ', which is not a known nation code"),
        ("players.name",             "A\nB",           "'A\\nB' contains a line break"),
        ("players.name",             "A\x07B",
         "'A\\x07B' contains the invisible character U+0007"),
        ("players.name",             "A\u202eB",
         "'A\\u202eB' contains the invisible character U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("players.name",             "A\u00adB",
         "'A\\xadB' contains the invisible character U+00AD SOFT HYPHEN"),
        ("players.name",             "x" * 201,
         f"'{'x' * 59}…' is 201 characters long; 200 is the limit"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_cell(column: str, text: str, what: str) -> None:
    table, _, name = column.partition(".")
    one = problem(table, name, text)
    assert one.where == "cells.csv:2"
    assert one.what == f"{name} {what}"
    assert one.clause == f"facts {column}"
    assert one.remedy.endswith(".")


BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize("control", BIDI)
@pytest.mark.parametrize("column", ["player_id", "name"])
def test_bidi_controls_are_refused_everywhere_in_text(column: str, control: str) -> None:
    assert f"U+{ord(control):04X}" in problem("players", column, f"Ada{control}Novak").what


def test_a_decimal_comma_is_explained() -> None:
    assert problem("events", "entry_fee", "12,50").remedy == (
        "Write 12.50 with a point, or leave the comma out."
    )


def test_no_decimal_point_is_advised_for_a_whole_number() -> None:
    assert problem("events", "rounds", "2,5").remedy == "Write digits only, such as 12."
    assert problem("events", "entrants", "1,000").remedy == "Write 1000 if it is in thousands."


def test_a_required_cell_that_is_empty() -> None:
    (one,) = draft("placings", "rank", " ").problems
    assert (one.where, one.what) == ("cells.csv:2", "rank is missing")
    assert one.remedy == (
        "Fill it in: competition rank: 1, 2, 3, 3, 5; leave out rows of players who are not named."
    )


def test_a_required_column_that_is_missing_is_told_once_a_file() -> None:
    raw = ReportTables()
    for file, line in (("a.csv", 2), ("a.csv", 3), ("b.csv", 2)):
        raw.add("placings", {"event_id": "e", "player": "p", "rank": "1"}, line, file)
    told = parse_cells(raw).problems
    assert [(one.where, one.what, one.remedy) for one in told] == [
        ("a.csv:1", "there is no column player_id", "Rename 'player' to player_id."),
        ("b.csv:1", "there is no column player_id", "Rename 'player' to player_id."),
    ]


def test_unknown_columns_are_kept_and_a_misspelt_one_is_noticed() -> None:
    one = draft("events", "added_mony", "10")
    assert one.facts["events"]["added_mony"].to_list() == ["10"]
    assert [notice.what for notice in one.facts.notices] == ["the column 'added_mony' is ignored"]


@pytest.mark.parametrize(
    ("name", "code"),
    [("Virgin Islands, U.S.", "VIR"), ("U.S.A.", "USA"), ("Deutschland", "DEU")],
)
def test_names_of_countries_with_points_are_known(name: str, code: str) -> None:
    assert country(name) == code


def test_an_unknown_country_is_kept_and_noticed() -> None:
    one = draft("tournaments", "country", "Bohemia")
    assert one.facts["tournaments"]["country"].to_list() == ["Bohemia"]
    assert [notice.where for notice in one.facts.notices] == ["cells.csv:2"]


def test_what_a_reader_found_wrong_is_passed_on() -> None:
    wrong = Problem(at=Location("a.toml", 1), what="w", clause="c", remedy="r")
    look = Problem(at=Location("a.toml", 2), what="l", clause="c", remedy="r")
    one = parse_cells(ReportTables(problems=[wrong], notices=[look]))
    assert (one.problems, one.facts.notices, one.incomplete) == (
        (wrong,),
        (look,),
        frozenset(TABLES),
    )


@given(st.text())
def test_any_text_is_a_name_or_a_plain_problem(text: str) -> None:
    """What is accepted stays itself when it is read again; what is not is told printably."""
    one = draft("players", "name", text)
    name = one.facts["players"]["name"][0]
    if one.problems:
        assert name is None
        assert all(problem.what.isprintable() for problem in one.problems)
    else:
        assert value("players", "name", name) == name


@given(st.decimals(allow_nan=True, allow_infinity=True))
def test_any_number_is_exact_or_a_problem(number: Decimal) -> None:
    one = draft("team_matches", "home_adjust_vp", str(number))
    found = one.facts["team_matches"]["home_adjust_vp"][0]
    assert found == number if not one.problems else found is None


def test_many_rows_are_typed_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long column is looked at as a dictionary: the same values, and every cell named."""
    events = ["E 1", " E 1 ", "Ana\u0301", "", None, "x\u202ey", "E 1", "x\u202ey"]
    raw = ReportTables()
    for line, event in enumerate(events, 2):
        row = {"player_id": f"p{line // 2}", "rank": "one" if line == 3 else f" {line}"}
        row |= {"flight": " Last Chance", "nation": "Atlantis" if line == 4 else "GER"}
        raw.add("placings", {**row, "event_id": event}, line, "placings.csv")
    few = parse_cells(raw)
    monkeypatch.setattr(cells, "DICTIONARY_FROM", 1)
    many = parse_cells(raw)
    assert many.facts["placings"].equals(few.facts["placings"])
    assert many.problems == few.problems
    assert [(one.at.key, one.at.line) for one in many.problems] == [
        ("event_id", 7),
        ("event_id", 9),
        ("event_id", 5),
        ("event_id", 6),
        ("rank", 3),
        ("nation", 4),
    ]
    ids = many.facts.encoded("placings", "player_id")
    assert ids is many.facts.derived["placings", "player_id"]
    assert ids.values.gather(ids.codes).to_list() == few.facts["placings"]["player_id"].to_list()


def test_facts_with_another_table_keep_the_dictionaries_of_those_that_stay() -> None:
    facts = Facts({"placings": pl.DataFrame({"player_id": ["a", "b", "a"]})})
    ids, ours = facts.encoded("placings", "player_id"), facts.encoded("players", "player_id")
    changed = facts.changed({"players": pl.DataFrame({"player_id": ["a"]})}, may_wait=True)
    assert changed.may_wait
    assert changed["placings"] is facts["placings"]
    assert changed.encoded("placings", "player_id") is ids
    assert ours.values.to_list() == []
    assert changed.encoded("players", "player_id").values.to_list() == ["a"]
    assert facts["players"].is_empty()


def test_messages_are_short_and_printable() -> None:
    assert printable("a\u202eb\n") == "a\\u202eb\\n"
    assert printable("x" * 61) == "x" * 59 + "…"


@pytest.mark.parametrize(
    ("code", "nation"),
    [
        ("CZE", "CZE"), ("cze", "CZE"), ("GER", "DEU"), ("DEU", "DEU"), ("DEN", "DNK"),
        ("NED", "NLD"), ("SUI", "CHE"), ("CRO", "HRV"), ("SLO", "SVN"), ("GRE", "GRC"),
        ("POR", "PRT"), ("BUL", "BGR"), ("ENG", "ENG"), ("SCO", "SCO"), ("WAL", "WAL"),
        ("NIR", "NIR"), ("GBR", "GBR"), ("YUG", "YUG"), ("BRN", "BRN"), ("BRU", "BRN"),
        ("KOS", "XKX"), ("CZ", None), ("Czechia", None), ("ÖST", None), ("QQQ", None),
    ],
)  # fmt: skip
def test_nations(code: str, nation: str | None) -> None:
    assert codes.nation(code) == nation


@pytest.mark.parametrize("code", codes.AMBIGUOUS)
def test_codes_of_two_nations_are_none_of_them(code: str) -> None:
    """ANG is Angleterre to a French director, Angola to the IOC."""
    assert codes.nation(code) is codes.nation_in_column(code.lower()) is None
    both = codes.remedy(code).rpartition("Write ")[2].rstrip(".").split(" or ")
    assert [codes.nation(one) for one in both] == both


def test_every_sport_code_becomes_a_code_of_iso_or_our_own() -> None:
    for code, meant in codes.IOC.items():
        assert codes.nation(code) == codes.nation(meant) == meant
        assert pycountry.countries.get(alpha_3=code) is None, f"{code} is another nation to ISO"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("DEN", "DNK"), ("GER", "DEU"), ("Spain", "ESP"), ("E", "ESP"), ("F", "FRA"),
        ("D", "DEU"), ("d", "DEU"), ("cz", "CZE"), ("UK", "GBR"), ("Russia", "RUS"),
        ("Czechia", "CZE"), ("GRE", "GRC"), ("ENG", "ENG"), ("england", "ENG"), ("BRN", "BRN"),
    ],
)  # fmt: skip
def test_a_column_of_nations(text: str, code: str) -> None:
    """'In a nation's column `GER`, `F`, `D`, `E` too'; GRE is no Grenada and ENG no China."""
    assert draft("players", "nation", text).facts["players"]["nation"].to_list() == [code]


@pytest.mark.parametrize("text", ["G", "T", "C", "X", "Korea", "Germanya", "Grece"])
def test_what_may_be_several_nations_is_none(text: str) -> None:
    assert draft("players", "nation", text).facts["players"]["nation"].to_list() == [None]


def test_the_remedy_for_a_nation() -> None:
    assert problem("players", "nation", "QQQ").remedy.startswith("Write the three letters")
