"""What is wrong with matches of teams, each with its line and what to do."""

from __future__ import annotations

import pytest

from palmares.facts import check_facts, parse_cells
from palmares.formats.toml import read
from tests.bridge.team_events import league, problems, text

TABLE = "[[event.team_match]]\nround = '1'\nhome = 'A'\n"
TEAMS = "[[event.teams]]\nteam = 'A'\n[[event.teams]]\nteam = 'B'\n"


@pytest.mark.parametrize(
    ("lines",                                  "told"),
    [
        ("1: A 41-21 B (0)",                    ["7: a match that was played has 0 boards"]),
        ("1: A 41-21 B (1000001)",              ["7: boards is 1000001, not from 0 to 1000000"]),
        ("1: A 20.5-3 B (16)",                  ["7: home_imps is 20.5, not a whole number"]),
        ("1: A 20-3.25 B (16)",                 ["7: away_imps is 3.25, not a whole number"]),
        ("1: A -1-3 B (16)",        ["7: home_imps is -1, not from 0 to 999,999,999,999,999"]),
        ("1: A 41-21 A (16)",                   ["7: A plays against itself"]),
        ("1: A 41-21 A (16), void",             ["7: A plays against itself"]),
        ("1: A 41-21 B (16)\n1: B 3-4 A (16)",  ["8: B and A meet a second time in round 1"]),
        ("1: A bye\n1: A bye",                  ["8: A has a second bye in round 1"]),
        ("1: A 41-21 B",                        ["7: no match of two teams in '1: A 41-21 B'"]),
    ],
)  # fmt: skip
def test_lines(lines: str, told: list[str]) -> None:
    assert told == problems(lines)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ("away = 'B'\nhome_imps = 1\naway_imps = 2",  "boards is empty in a match that was played"),
        ("away = 'B'\nboards = 16\nhome_imps = 1", "away_imps is empty in a match that was played"),
        ("away = 'B'\nboards = 16.5\nstatus = 'void'",  "boards is '16.5', not a whole number"),
        ("away = 'B'\nboards = 'x'\nhome_imps = 1\naway_imps = 2",
         "boards is 'x', not a whole number"),
        ("boards = 16\nhome_imps = 1\naway_imps = 2",   "A has no opponent"),
        ("status = 'void'",                             "A has no opponent"),
        ("away = 'B'\nstatus = 'bye'\n[[event.team_match]]\nhome = 'B'\nstatus = 'bye'",
         "A has a bye against the team B"),
        ("status = 'bye'\naway_adjust_vp = 1",
         "away_adjust_vp is given in a bye, which has no away team"),
        ("status = 'bye'\nhome_adjust_vp = 0.125",      "home_adjust_vp is 0.125 VPs"),
        ("status = 'bye'\nhome_carry_imps = -1",
         "home_carry_imps is -1, not from 0 to 999,999,999,999,999"),
        ("away = 'B'\nboards = 16\nhome_imps = 1\naway_imps = 2\nsplit_home_imps = 3",
         "a split score has only one of split_home_imps and split_away_imps"),
    ],
)  # fmt: skip
def test_tables(cells: str, told: str) -> None:
    assert [told] == [one.partition(": ")[2] for one in problems("", TABLE + cells)]


def test_a_team_twice_in_one_round_is_told_once_a_round() -> None:
    """It may be a match of three teams; else one of the names is wrong."""
    facts = league("1: A 41-20 B (16)\n1: A 3-4 C (16)\n1: D bye\n2: A 1-2 B (16)\n2: C bye\n", "")
    assert [one.what[:32] for one in facts.notices if "several" in one.what] == [
        "several matches in round 1 of Te"
    ]


def test_a_bye_and_a_void_match_need_neither_boards_nor_imps() -> None:
    facts = league("1: A bye\n1: B bye (0)", f"{TABLE}away = 'B'\nstatus = 'void'\n")
    assert facts["team_matches"].height == 3


def test_the_same_pair_may_meet_again_after_a_void_match_or_in_another_round() -> None:
    lines = "1: A 41-21 B (16), void\n1: A 3-4 B (16)\n2: A 3-4 B (16)\nA 3-4 B (16)\nA 3-4 B (16)"
    assert league(lines)["team_matches"].height == 5


class TestTeams:
    def test_unknown_ones_are_told_once(self) -> None:
        lines = "1: A 41-21 Bee (16)\n2: A 41-21 Bee (16)\n3: C bye"
        assert sorted(problems(lines, TEAMS)) == [
            "7: the team 'Bee' is not among the teams of Teams (League) (2 matches)",
            "9: the team 'C' is not among the teams of Teams (League) (1 match)",
        ]

    def test_where_none_are_listed_all_are_known(self) -> None:
        other = f"[[event]]\nname = 'Other'\n{TEAMS}"
        assert league("1: C 41-21 D (16)", other)["team_matches"].height == 1

    def test_listed_twice(self) -> None:
        (told,) = problems("1: A 41-21 B (16)", TEAMS + "[[event.teams]]\nteam = 'A'\n")
        assert "the team A is listed twice in Teams (League), lines 9 and 13" in told

    def test_carried_vps_have_two_decimals(self) -> None:
        assert problems("", "[[event.teams]]\nteam = 'A'\ncarried_vp = 1.005\n") == [
            "11: carried_vp is 1.005 VPs"
        ]

    def test_a_misspelt_key(self) -> None:
        (told,) = problems("", "[[event.teams]]\nteam = 'A'\ncarried = 1\n")
        assert told == "11: [event.teams] has no carried"

    def test_names_that_look_alike_are_noticed(self) -> None:
        facts = league("1: Alpha 41-21 Beta (16)\n2: alpha 41-21 Gamma (16)")
        (notice,) = facts.notices
        assert notice.what == "'Alpha' and 'alpha' in Teams (League): possibly one team"


def test_every_problem_says_what_to_do() -> None:
    draft = parse_cells(read.read(text("1: A 20.5-3 A (16)"), "league.toml"))
    with pytest.raises(Exception, match="nothing was computed") as rejected:
        check_facts(draft)
    message = str(rejected.value)
    assert "league.toml:7: home_imps is 20.5" in message
    assert "[facts team_matches.home_imps, wbf-standings S3]" in message
    assert "Fractions are allowed in home_carry_imps" in message
    assert "Correct one of the two teams." in message
