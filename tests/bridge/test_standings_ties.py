"""Ties on VPs, step by step, and the words in which each is told."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.bridge.standings import (
    TIE_BREAKS,
    Standings,
    TeamStanding,
    break_tie,
    shown_imps,
    vp_text,
)
from tests.bridge.team_events import listed, ranks, total

F = Fraction
OPPONENT = "VPs against the highest-ranked common opponent"


def told(made: Standings) -> list[str]:
    """Every step of every tie, in words."""
    return [str(step) for tie in made.ties for step in tie.steps]


def tie_break(made: Standings, team: str) -> str:
    """What is told of one team."""
    return next(one.tie_break for one in made.teams if one.team == team)


def teams(**lots: int) -> str:
    """A table for each team, with its lot."""
    return "".join(f"[[event.teams]]\nteam = '{one}'\nlot = {lot}\n" for one, lot in lots.items())


class TestVpsAmongTheTied:
    """
    'Teams level on VPs are parted by VPs among the tied ...'
    """

    LINES = """
        1: A 41-21 B (16)
        1: C 30-30 D (16)
        2: A 21-41 C (16)
        2: B 41-21 D (16)
    """  # A 15 + 5, B 5 + 15, C 10 + 15, D 10 + 5

    def test_two_teams(self) -> None:
        made = listed(self.LINES)
        assert total(made) == {"C": "25.00", "A": "20.00", "B": "20.00", "D": "15.00"}
        assert ranks(made) == {"C": 1, "A": 2, "B": 3, "D": 4}
        assert told(made) == ["A ahead on VPs between the tied teams: 15.00 to 5.00"]
        assert tie_break(made, "A") == "ahead on VPs between the tied teams: 15.00 to 5.00"
        assert tie_break(made, "B") == "behind on VPs between the tied teams: 5.00 to 15.00"
        assert tie_break(made, "C") == ""

    def test_three_teams(self) -> None:
        """All have 30: of their matches A 15 + 15, B 5 + 15, C 5 + 5, the rest carried forward."""
        made = listed(
            "1: A 41-21 B (16)\n2: A 41-21 C (16)\n3: B 41-21 C (16)",
            "[[event.teams]]\nteam = 'A'\n"
            "[[event.teams]]\nteam = 'B'\ncarried_vp = 10\n"
            "[[event.teams]]\nteam = 'C'\ncarried_vp = 20\n",
        )
        assert ranks(made) == {"A": 1, "B": 2, "C": 3}
        label = "VPs between the tied teams"
        assert told(made) == [f"A ahead on {label}: 30.00 to 20.00 and 10.00"]
        assert tie_break(made, "B") == f"in between on {label}: 20.00 to 30.00 and 10.00"
        assert tie_break(made, "C") == f"behind on {label}: 10.00 to 30.00 and 20.00"

    def test_it_is_passed_over_where_not_all_have_met(self) -> None:
        made = listed("1: A 41-21 B (16)\n2: C 41-21 D (16)", tie_breaks=["vps-among"])
        assert ranks(made) == {"A": 1, "C": 1, "B": 3, "D": 3}
        words = "VPs between the tied teams: passed over, they have not all met equally often"
        assert told(made) == [words, words]
        assert tie_break(made, "A") == f"{words}; shares the rank with C"

    def test_or_not_equally_often(self) -> None:
        """A and B have met twice, C has met each once."""
        made = listed(
            """
            1: A 30-30 B (16)
            2: A 30-30 B (16)
            3: A 30-30 C (16)
            4: B 30-30 C (16)
            5: C 30-30 D (16)
            """,
            tie_breaks=["vps-among", "imps-among"],
        )
        assert [str(one) for one in made.ties[0].steps] == [
            "VPs between the tied teams: passed over, they have not all met equally often",
            "IMPs between the tied teams: passed over, they have not all met equally often",
        ]

    def test_meetings_add_up(self) -> None:
        """A has 5 + 17.17 of two meetings: 22.17 to 17.83, and B makes it up against C."""
        made = listed(
            "1: A 21-41 B (16)\n2: A 43-10 B (16)\n3: B 31-30 C (16)\n3: A 30-30 D (16)",
            "[[event.teams]]\nteam = 'A'\n[[event.teams]]\nteam = 'B'\ncarried_vp = 4.03\n"
            "[[event.teams]]\nteam = 'C'\n[[event.teams]]\nteam = 'D'\n",
        )
        assert (total(made)["A"], total(made)["B"]) == ("32.17", "32.17")
        assert told(made)[0] == "A ahead on VPs between the tied teams: 22.17 to 17.83"

    def test_adjustments_are_no_part_of_it(self) -> None:
        """Reading S4: A beat B and was fined 10 VPs; it still is ahead between the two."""
        tables = (
            "[[event.team_match]]\nround = '1'\nhome = 'A'\naway = 'B'\nboards = 16\n"
            "home_imps = 41\naway_imps = 21\nhome_adjust_vp = -10\n"
        )
        assert ranks(listed("", tables)) == {"A": 1, "B": 2}


CIRCLE = """
    1: A 31-30 B (16)
    2: B 31-30 C (16)
    3: C 31-30 A (16)
"""  # each beats the next by 1: all have 20 VPs, nothing between them


class TestLaterSteps:
    """
    '... IMPs among the tied, IMP quotient, VPs against the highest-ranked common opponent, ...'
    """

    def test_imps_among_on_the_discrete_scale(self) -> None:
        """1 IMP is 10-10 on it (EBU table for 16 boards: 11 from 2 IMPs on)."""
        made = listed("1: A 31-30 B (16)", scale="discrete")
        assert told(made) == [
            "VPs between the tied teams: level at 10.00",
            "A ahead on IMPs between the tied teams: +1 to -1",
        ]
        assert tie_break(made, "B") == (
            "VPs between the tied teams: level at 10.00; "
            "behind on IMPs between the tied teams: -1 to +1"
        )

    def test_quotient(self) -> None:
        """A 41/21 and B 30/10, both by 20 IMPs."""
        made = listed("1: A 41-21 X (16)\n1: B 30-10 Y (16)", tie_breaks=["quotient"])
        assert ranks(made) == {"B": 1, "A": 2, "X": 3, "Y": 4}
        assert told(made) == [
            "B ahead on IMP quotient: 30/10 = 3.0000 to 41/21 = 1.9524",
            "X ahead on IMP quotient: 21/41 = 0.5122 to 10/30 = 0.3333",
        ]

    def test_a_quotient_without_imps_lost(self) -> None:
        made = listed("1: A 41-21 X (16)\n1: B 20-0 Y (16)", tie_breaks=["quotient"])
        assert told(made)[0] == "B ahead on IMP quotient: 20/0 to 41/21 = 1.9524"

    def test_common_opponent(self) -> None:
        """A and B have 25 each; Z has 25.31 and met both, as Y did, who has less."""
        made = listed(
            """
            1: A 41-21 Z (16)
            2: A 30-30 Y (16)
            1: B 30-30 Z (16)
            2: B 41-21 Y (16)
            3: Z 31-30 X (16)
            """,
            tie_breaks=["vps-among", "common-opponent"],
        )
        assert ranks(made) == {"Z": 1, "A": 2, "B": 3, "Y": 4, "X": 5}
        assert told(made)[1] == (
            "A ahead on VPs against Z, the highest common opponent: 15.00 to 10.00"
        )

    def test_no_common_opponent(self) -> None:
        made = listed("1: A 41-21 X (16)\n1: B 41-21 Y (16)", tie_breaks=["common-opponent"])
        words = f"{OPPONENT}: passed over, no other team has met all of them equally often"
        assert told(made)[0] == words

    def test_a_withdrawn_team_is_no_common_opponent(self) -> None:
        made = listed(
            "1: A 41-21 Z (16)\n2: B 41-21 Z (16)",
            "[[event.teams]]\nteam = 'Z'\nwithdrawn = true\n"
            "[[event.teams]]\nteam = 'A'\n[[event.teams]]\nteam = 'B'\n",
            tie_breaks=["common-opponent"],
            chosen={"S6": "results-stand"},
        )
        assert "passed over" in told(made)[0]

    def test_wins(self) -> None:
        """A has 10.31 + 9.69, B has 10 + 10; a bye is no win."""
        made = listed(
            "1: A 31-30 X (16)\n2: A 30-31 Y (16)\n1: B 30-30 X (16)\n2: B 30-30 Y (16)",
            tie_breaks=["wins"],
        )
        assert told(made)[0] == "A ahead on matches won: 1 to 0"

    def test_lot(self) -> None:
        """'... and a drawn lot'; 1 is best."""
        made = listed(CIRCLE, teams(A=3, B=1, C=2))
        assert ranks(made) == {"B": 1, "C": 2, "A": 3}
        assert told(made)[-1] == "B ahead on the drawn lot: 1 to 2 and 3"

    def test_a_lot_needs_all_of_them(self) -> None:
        tables = teams(A=3) + "[[event.teams]]\nteam = 'B'\n[[event.teams]]\nteam = 'C'\n"
        made = listed(CIRCLE, tables)
        assert told(made)[-1] == "the drawn lot: passed over, no lot was entered for B and C"
        assert ranks(made) == {"A": 1, "B": 1, "C": 1}
        assert tie_break(made, "B").endswith("shares the rank with A and C")

    def test_every_step_is_told_in_order(self) -> None:
        made = listed(CIRCLE)
        assert [step.rule for step in made.ties[0].steps] == list(TIE_BREAKS)
        assert told(made) == [
            "VPs between the tied teams: level at 20.00",
            "IMPs between the tied teams: level at +0",
            "IMP quotient: level at 61/61 = 1.0000",
            f"{OPPONENT}: passed over, no other team has met all of them equally often",
            "matches won: level at 1",
            "the drawn lot: passed over, no lot was entered for A, B and C",
        ]

    def test_without_any_step_they_share_the_rank(self) -> None:
        made = listed(CIRCLE, tie_breaks=[])
        assert ranks(made) == {"A": 1, "B": 1, "C": 1}
        assert tie_break(made, "A") == "shares the rank with B and C"


class TestNames:
    """A report may call teams by short names or numbers; whoever reads has their names."""

    NAMES = "".join(
        f"[[event.teams]]\nteam = '{team}'\nname = '{name}'\n"
        for team, name in {"1": "Alpha", "2": "Bravo", "9": "Zulu"}.items()
    )

    def test_those_who_are_level(self) -> None:
        made = listed("1: 1 30-30 2 (16)\n1: 9 bye", self.NAMES)
        assert (
            told(made)[-1] == "the drawn lot: passed over, no lot was entered for Alpha and Bravo"
        )
        assert tie_break(made, "1").endswith("; shares the rank with Bravo")
        assert tie_break(made, "2").endswith("; shares the rank with Alpha")

    def test_those_who_are_parted(self) -> None:
        """Both have 15: Alpha beat Zulu, and Bravo had 10 against it and carried 5 forward."""
        names = self.NAMES.replace("'Bravo'", "'Bravo'\ncarried_vp = 5")
        lines = "1: 1 41-21 9 (16)\n2: 2 30-30 9 (16)\n3: 9 bye"
        made = listed(lines, names, tie_breaks=["common-opponent"])
        label = "VPs against Zulu, the highest common opponent"
        assert told(made) == [f"Alpha ahead on {label}: 15.00 to 10.00"]
        assert tie_break(made, "2") == f"behind on {label}: 10.00 to 15.00"


class TestStartingAgain:
    """
    Reading S7: 'those still level start again with the first step, among themselves'
    """

    @staticmethod
    def group(**lots: int) -> list[TeamStanding]:
        """Three level teams that met once: A beat B, both lost alike to C, by hand."""
        teams = {team.team: team for team in listed("""
            1: A 33-30 B (16)
            2: A 10-30 C (16)
            3: B 10-30 C (16)
        """).teams}  # fmt: skip
        return [replace(teams[team], points=2000, lot=lot) for team, lot in lots.items()]

    def test_the_rest_starts_again(self) -> None:
        """By wins C is ahead of A; A and B are level only if the lot says so."""
        group = self.group(A=1, B=1, C=2)
        tie = break_tie(group, group, ["lot", "vps-among"])
        assert tie.groups == (("A",), ("B",), ("C",))
        assert [step.rule for step in tie.steps] == ["lot", "lot", "vps-among"]
        assert str(tie.steps[0]) == "A and B ahead on the drawn lot: 1 to 2"
        assert str(tie.steps[2]) == "A ahead on VPs between the tied teams: 10.91 to 9.09"

    def test_or_goes_on(self) -> None:
        group = self.group(A=1, B=1, C=2)
        tie = break_tie(group, group, ["lot", "vps-among"], "continue")
        assert [step.rule for step in tie.steps] == ["lot", "vps-among"]
        assert tie.groups == (("A",), ("B",), ("C",))

    def test_the_two_can_differ(self) -> None:
        """C first on VPs among the three; then A, who beat B, or B by the lot."""
        group = self.group(A=2, B=1, C=3)
        unmet = ["B", "A", ""]
        matches = [[match for match in team.results if match.opponent != other]
                   for team, other in zip(group, unmet, strict=True)]  # fmt: skip
        level = [
            replace(team, results=tuple(rest), won=sum(match.margin > 0 for match in rest))
            for team, rest in zip(group, matches, strict=True)
        ]
        assert break_tie(group, group, ["vps-among", "lot"]).groups == (("C",), ("A",), ("B",))
        assert break_tie(level, level, ["wins", "vps-among", "lot"]).groups == (
            ("C",),
            ("B",),
            ("A",),
        )

    def test_the_option_reaches_the_list(self) -> None:
        lines = "1: A 31-30 B (16)\n2: B 31-30 A (16)\n1: C 31-30 D (16)\n2: D 31-30 C (16)"
        lots = teams(A=1, B=2, C=1, D=2)
        again = listed(lines, lots, tie_breaks=["lot", "vps-among"])
        on = listed(lines, lots, tie_breaks=["lot", "vps-among"], chosen={"S7": "continue"})
        assert ranks(again) == ranks(on) == {"A": 1, "C": 1, "B": 3, "D": 3}
        assert len(told(again)) > len(told(on))


@given(st.permutations("ABC"))
def test_the_order_in_which_teams_come_changes_nothing(order: list[str]) -> None:
    group = {one.team: one for one in TestStartingAgain.group(A=1, B=1, C=2)}
    given_group = [group[team] for team in order]
    expected = break_tie(list(group.values()), list(group.values()), ["lot", "vps-among"])
    assert break_tie(given_group, given_group, ["lot", "vps-among"]) == expected


@pytest.mark.parametrize(
    ("cells", "text"),
    [(2731, "27.31"), (0, "0.00"), (5, "0.05"), (-50, "-0.50"), (-1234, "-12.34"), (2000, "20.00")],
)  # fmt: skip
def test_vps_as_text(cells: int, text: str) -> None:
    assert text == vp_text(cells)


@pytest.mark.parametrize(
    ("imps", "text", "signed"),
    [
        (F(20),     "20",    "+20"),
        (F(-3),     "-3",    "-3"),
        (F(0),      "0",     "+0"),
        (F(41, 2),  "20.5",  "+20.5"),
        (F(-1, 10), "-0.1",  "-0.1"),
    ],
)  # fmt: skip
def test_imps_as_text(imps: Fraction, text: str, signed: str) -> None:
    assert (text, signed) == (shown_imps(imps), shown_imps(imps, sign="+"))
