"""Result lines of the Chicago Point: rebuilt from the published lists, then read."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.facts.decoding import ReportTables
from palmares.facts.schema import LINE
from palmares.formats import chicago_point
from tests.formats.reading import column, rows

LISTS = json.loads(Path(__file__).with_name("result_lists.json").read_text(encoding="utf-8"))
SUFFIXES = {"main": "", "consolation": "C", "last_chance": "LC"}
TOURNAMENT = {"name": "An Open", "end_date": "2005-05-30"}


def line_of(division: dict[str, Any]) -> str:
    """A division as the Chicago Point prints it."""
    flights = []
    for flight, suffix in SUFFIXES.items():
        placed = []
        for rank, names in division.get(flight, {}).items():
            place, split, _ = rank.partition("-split")
            placed.append(f"{place}{suffix}-{'split-' * bool(split)}{' / '.join(names)}")
        flights += [", ".join(placed)] if placed else []
    count = division.get("players") or f"{division['teams']} teams"
    return f"{division['name']} ({count}): {'; '.join(flights)}."


def read(text: str) -> ReportTables:
    return chicago_point.read(text, "cp.txt", tournament=TOURNAMENT)


def notices(raw: ReportTables) -> str:
    return "\n".join(notice.what for notice in raw.notices)


DIVISIONS = [
    pytest.param(division, id=f"{one['event'][:12]} {division['name']}")
    for one in LISTS
    for division in one["divisions"]
    if division["name"] != "BLITZ" or division["players"] != 32
]


@pytest.mark.parametrize("division", DIVISIONS)
def test_every_name_rank_flight_and_number(division: dict[str, Any]) -> None:
    raw = read(line_of(division))
    expected = [
        (flight, rank.split("/")[0], name.replace("(Canada)", "(CAN)"))
        for flight in SUFFIXES
        for rank, names in division.get(flight, {}).items()
        for name in names
    ]
    read_back = [(r["flight"], r["rank"], r["player_id"]) for r in rows(raw, "placings")]
    (event,) = rows(raw, "events")
    assert read_back == expected
    assert event["name"] == division["name"]
    assert event["printed_entrants"].split()[0] == str(division.get("players") or division["teams"])
    assert "division_rank" not in event


@pytest.mark.parametrize("number", range(len(LISTS)))
def test_a_whole_list_broken_into_lines(number: int) -> None:
    """Lines break between words; nothing but the cut-off last entry is left unread."""
    divisions = LISTS[number]["divisions"]
    whole = " ".join(line_of(one) for one in divisions)
    text = "\n".join(textwrap.wrap(whole, 60, break_on_hyphens=False))
    raw = read(text)
    names = [
        name.replace("(Canada)", "(CAN)")
        for one in divisions
        for flight in SUFFIXES
        for names in one.get(flight, {}).values()
        for name in names
        if "..." not in name
    ]
    assert column(raw, "placings", "player_id") == names
    assert column(raw, "events", "name") == [one["name"] for one in divisions]


class TestOddities:
    """'Read what is certain, list what is not, with the text around it.'"""

    def test_a_bracket_that_is_not_closed(self) -> None:
        raw = read("SPEED (12): 1/3-split-A Foe (OH) / Dan Minardi (CO / C Hoo (NJ).")
        assert column(raw, "placings", "player_id") == [
            "A Foe (OH)",
            "Dan Minardi (CO)",
            "C Hoo (NJ)",
        ]
        assert column(raw, "placings", "tied") == ["3", "3", "3"]
        assert "a bracket is not closed" in notices(raw)

    def test_an_end_that_is_cut_off(self) -> None:
        raw = read("BLITZ (32): 1-John Struss (NC...")
        assert column(raw, "placings", "rank") == []
        assert "'John Struss (NC...' is cut off" in notices(raw)

    def test_a_number_without_its_unit(self) -> None:
        raw = read("DOUBLES (22): 1-Carlos Azcarate (FL) & Elayne Feinstein (FL).")
        (event,) = rows(raw, "events")
        assert "entrants" not in event
        assert (event["team"], event["printed_entrants"]) == ("true", "22")
        assert "22 pairs or 22 players?" in notices(raw)

    def test_a_number_of_teams(self) -> None:
        raw = read("DOUBLES (24 teams): 1-A Foe (NY) & B Goo (NJ), 2-C Hoo (VA) & D Joo (MD).")
        assert rows(raw, "events")[0]["entrants"] == "24"
        assert column(raw, "players", "name") == [
            "A Foe (NY) & B Goo (NJ)",
            "C Hoo (VA) & D Joo (MD)",
        ]

    @pytest.mark.parametrize(
        ("heading", "name"),
        [
            ("WORD " * 10 + "(8):", " ".join(["WORD"] * 10)),
            ("FIRST " + "WORD " * 10 + "(8):", " ".join(["WORD"] * 10)),  # ten words, no more
            ("A" * 41 + " (8):", "A" * 41),
            ("OPEN  A1/B2+C \n ( 8 ) :", "OPEN  A1/B2+C"),
            ("OPEN:", "OPEN"),
        ],
    )
    def test_what_a_division_is_called(self, heading: str, name: str) -> None:
        line = f"{heading} 1-A Foe (OH), 2-B Goo (NJ)."
        assert chicago_point.is_line(line)
        (event,) = rows(read(line), "events")
        assert event["name"].split() == name.split()

    @pytest.mark.parametrize("heading", ["A" * 42 + " (8):", "open (8):", "O P (8):", "OPEN (8)"])
    def test_what_is_no_division(self, heading: str) -> None:
        assert not chicago_point.is_line(f"{heading} 1-A Foe (OH), 2-B Goo (NJ).")

    @pytest.mark.parametrize(
        ("broken", "name"),
        [
            ("1-Gregg Cat-\ntanach (GA)", "Gregg Cattanach (GA)"),
            ("1-Christian Liebe-\nHarkort (GER)", "Christian Liebe-Harkort (DEU)"),
            ("1-\nPhil Simborg (IL)", "Phil Simborg (IL)"),
            ("1-Phil Sim\u00ad\nborg (IL)", "Phil Simborg (IL)"),
            ("1-Phil\nSimborg (IL)", "Phil Simborg (IL)"),
        ],
    )
    def test_hyphens_at_the_end_of_a_line(self, broken: str, name: str) -> None:
        assert column(read(f"OPEN (48): {broken}."), "placings", "player_id") == [name]

    def test_a_heading_broken_by_a_hyphen(self) -> None:
        assert column(read("MAS-\nTERS (32): 1-A Foe (IL)."), "events", "name") == ["MASTERS"]

    @pytest.mark.parametrize(
        ("entry", "why"),
        [
            ("3/4-A Foe (IL) / B Goo (IL) / C Hoo (IL)", "3 names share 2 places"),
            ("1-A Foe (IL) / B Goo (IL)", "2 names share 1 place"),
            ("4/3-A Foe (IL) / B Goo (IL)", "the ranks run backwards"),
            ("1XY-A Foe (IL)", "the flight XY is unknown"),
            ("1-A Foe IL)", "do not match"),
            ("1-A Foe (Chicago", "do not match"),
            ("1-", "no name follows"),
        ],
    )
    def test_what_is_not_certain_is_not_read(self, entry: str, why: str) -> None:
        raw = read(f"OPEN (48): {entry}.")
        assert column(raw, "placings", "rank") == []
        assert why in notices(raw)

    def test_a_name_that_is_missing_beside_another(self) -> None:
        raw = read("OPEN (48): 3/4-A Foe (IL).")
        assert column(raw, "placings", "tied") == ["2"]
        assert "2 share the rank and 1 are printed" in notices(raw)

    def test_text_that_belongs_to_nothing(self) -> None:
        raw = read("Report by Bill Davis. OPEN (48): directed well; 1-A Foe (IL).")
        assert "Report by Bill Davis." in notices(raw)
        assert "directed well" in notices(raw)

    def test_two_divisions_of_one_name(self) -> None:
        ids = column(
            read("BLITZ (8): 1-A Foe (IL). BLITZ (8): 1-B Goo (IL)."), "events", "event_id"
        )
        assert ids == ["an-open-2005-05-30/blitz", "an-open-2005-05-30/blitz-2"]


class TestTextInNames:
    """'Text left inside a name is a problem, never part of a name.'"""

    @pytest.mark.parametrize(
        ("entry", "wrong"),
        [
            ("1-Ada Foe (IL) Chicago", "(IL) Chicago"),
            ("1-Ada (IL) Foe", "(IL) Foe"),
            ("1-Ada Foe (IL)(TX)", "(IL)"),
            ("1-Ada Foe (IL). Directed by Bill Davis", "(IL). Directed by Bill Davis"),
            ("1-Ada Foe. Thanks to all", "Thanks to all"),
            ("1-Ada Foe Jr. of Chicago", "Jr. of Chicago"),
            ("1-Ada Foe: 500", ": 500"),
            ("1-Ada Foe $500", "$500"),
            ("1-Ada Foe 9", "9"),
            ("1-Ada Foe, Chicago", "Chicago"),
            ("1-Ada Foe (IL), Ben Goo (NJ)", "Ben Goo"),
            ("1-Ada Foe; Chicago", "; Chicago"),
            ("1-Ada Foe - Chicago", "- Chicago"),
            ("1-Ada Foe and Ben Goo", "and Ben Goo"),
            ("1-Ada Foe won easily", "won"),
            ("1-Ada Foe {IL}", "{IL}"),
            ("1-Ada Foe (2nd)", "(2nd)"),
            ("1-One Two Three Four Five Six Seven", "Seven"),
            ("1-Ada Foe (IL) x & Di Joo (NJ)", "(IL) x"),
            ("1-Ada Foe (IL) INTERMEDIATE", "(IL) INTERMEDIATE"),
            ("1-Ada Foe (IL). Limited (8):", "(IL). Limited (8):"),
            ("1-Ada Foe (IL) www.example.com", "(IL) www.example.com"),
        ],
    )  # fmt: skip
    def test_it_is_a_problem_with_its_line(self, entry: str, wrong: str) -> None:
        raw = read(f"OPEN (48):\n{entry}, 2-Eva Hoo (NJ).")
        (problem,) = raw.problems
        assert problem.where == "cp.txt:2"
        assert f"'{wrong}' is not understood" in problem.what
        assert column(raw, "placings", "player_id") == ["Eva Hoo (NJ)"]

    @pytest.mark.parametrize(
        "name",
        [
            "Dr. Ada Foe Jr. (IL)", "J. R. Foe (IL)", "J.R. Foe", "Ed O'Laughlin (FL)",
            "Ben van der Goo (NJ)", "de la Cruz (IL)", 'Ada "Ace" Foe (IL)', "Ada St. Foe",
            "Ada Foe III (IL)", "Ada Foe, Jr. (IL)", "Ada Foe-Smith (IL)", "ADA FOE (IL)",
            "ada foe", "Ada Foe (Chicago, IL)", "Ada Foe (CAN)", "Jos\u00e9 \u00c1lvarez y Paz",
            "M.\u00a0Lef\u00e8vre", "Ada Foe (IL) & Ben Goo (NJ)",
        ],
    )  # fmt: skip
    def test_names_that_are_names(self, name: str) -> None:
        raw = read(f"OPEN (48): 1-{name}, 2-Eva Hoo (NJ).")
        assert raw.problems == []
        written = [str(one).replace("\u00a0", " ") for one in (name, "Eva Hoo (NJ)")]
        assert column(raw, "placings", "player_id") == written

    @pytest.mark.parametrize(
        ("printed", "name"),
        [
            ("Ada Foe (Canada)", "Ada Foe (CAN)"),
            ("Ada Foe, IL", "Ada Foe (IL)"),
            ("Li Wei, CHN", "Li Wei (CHN)"),
            ("Martin, Jean-Luc", "Jean-Luc Martin"),
            ("Ada Foe (Canada) & Li Wei, CHN", "Ada Foe (CAN) & Li Wei (CHN)"),
        ],
    )
    def test_names_that_are_spelled_otherwise(self, printed: str, name: str) -> None:
        raw = read(f"OPEN (48): 1-{printed}, 2-Eva Hoo (NJ).")
        assert raw.problems == []
        assert column(raw, "placings", "player_id") == [name, "Eva Hoo (NJ)"]

    @pytest.mark.parametrize(
        ("name", "state"), [("Ada Foe IL", "IL"), ("Ada Foe & Ben Goo TX", "TX"), ("Jack MA", "")]
    )
    def test_a_state_without_brackets_is_pointed_out(self, name: str, state: str) -> None:
        """'Jack MA' may be nobody's state, so it is no problem."""
        raw = read(f"OPEN (48): 1-{name}, 2-Eva Hoo (NJ).")
        assert raw.problems == []
        told = [one.what for one in raw.notices if "without brackets" in one.what]
        assert [one.split("'")[1] for one in told] == ([state] if state else [])

    @pytest.mark.parametrize(
        "heading",
        ["Limited (8):", "Novice:", "INTERMEDIATE", "INTERMEDIATE (8)", "Consolation:", ""],
    )
    def test_a_second_heading_that_is_none(self, heading: str) -> None:
        raw = read(f"OPEN (8): 1-Ada Foe, 2-Ben Goo.\n{heading} 1-Cy Hoo, 2-Di Joo.")
        assert "rank 1 follows rank 2 in OPEN" in raw.problems[0].what
        assert "'NOVICE (8):'" in raw.problems[0].remedy

    def test_a_first_heading_that_is_none(self) -> None:
        raw = read("Open (8): 1-Ada Foe, 2-Ben Goo. NOVICE (4): 1-Cy Hoo.")
        (problem,) = raw.problems
        assert "no division begins before these placings" in problem.what

    def test_dashes_of_a_word_processor(self) -> None:
        raw = read("OPEN (8): 1\u2013Ada Foe (IL), 2 \u2014 Ben Goo (NJ).")
        assert raw.problems == []
        assert column(raw, "placings", "player_id") == ["Ada Foe (IL)", "Ben Goo (NJ)"]


class TestLinesAbove:
    """'A line `entry_fee: 300` above the result line is not an event's name.'"""

    LINE = "OPEN (8): 1-Ada Foe (IL), 2-Ben Goo (NJ)."
    HEAD = "name: X\nend_date: 2005-01-02\n"

    def test_they_tell_the_event(self) -> None:
        raw = read(f"{self.HEAD}entry_fee: 300\nkind: championship\n{self.LINE}")
        (event,) = rows(raw, "events")
        assert raw.problems == raw.notices == []
        assert (event["name"], event["entry_fee"], event["kind"]) == ("OPEN", "300", "championship")

    def test_they_tell_how_many_entered(self) -> None:
        raw = read(f"{self.HEAD}entrants: 8\nOPEN: 1-Ada Foe (IL), 2-Ben Goo (NJ).")
        assert raw.problems == []
        assert column(raw, "events", "name") == ["OPEN"]
        assert column(raw, "events", "entrants") == column(raw, "flights", "entrants") == ["8"]

    def test_of_several_divisions_they_tell_nothing(self) -> None:
        (problem,) = read(f"entry_fee: 300\n{self.LINE} NOVICE (4): 1-Cy Hoo.").problems
        assert problem.what == "entry_fee cannot apply to several divisions"

    @pytest.mark.parametrize("line", ["prize_fund: 3000", "event: Main", "fee = 300"])
    def test_a_key_that_nobody_knows(self, line: str) -> None:
        raw = read(f"{self.HEAD}{line}\n{self.LINE}")
        (problem,) = raw.problems
        assert (problem.where, f"'{line}'" in problem.what) == ("cp.txt:3", True)
        assert column(raw, "events", "name") == ["OPEN"]

    def test_a_number_after_a_colon_begins_no_heading(self) -> None:
        raw = read(f"Prizes: 3000\n{self.LINE}")
        assert column(raw, "events", "name") == ["OPEN"]
        assert "Prizes: 3000" in notices(raw)


def test_lines_above_tell_the_tournament() -> None:
    raw = chicago_point.read("name: X\nend_date: 2005-01-02\n\nOPEN (8): 1-A Foe (IL).", "x")
    assert raw.problems == []
    assert column(raw, "tournaments", "tournament_id") == ["x-2005-01-02"]
    assert [row[LINE] for row in raw.table("placings")] == [4]


def test_a_line_alone_does_not_tell_its_tournament() -> None:
    (problem,) = chicago_point.read("OPEN (8): 1-A Foe (IL).", "x").problems
    assert "the tournament's name and end_date" in problem.what


NAME = "a name"
PIECES = ["OPEN (48):", "1-", "3/4-", "1C-", "2LC-", NAME, "(IL)", "(CO", "B-", "\n", " / ", ", ",
          ";", ". ", "MASTERS", " & ", "...", "split-", "(22)", ":"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES)))
def test_nothing_is_silently_lost(pieces: list[str]) -> None:
    """Every name is in a placing or in a notice, whatever stands around it."""
    names: list[str] = []
    for at, piece in enumerate(pieces):
        if piece == NAME:
            names.append(f"Ada Foe{chr(ord('a') + len(names) % 26) * (1 + len(names) // 26)}x")
            pieces[at] = names[-1]
    raw = read("".join(pieces))
    told = (
        notices(raw)
        + " ".join(one.what for one in raw.problems)
        + " ".join(str(one) for one in column(raw, "placings", "player_id"))
    )
    assert [name for name in names if name not in told] == []


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
def test_no_text_is_too_odd(text: str) -> None:
    chicago_point.is_line(text)
    read(text)
