"""Standings by hand: every total is the sum a director would write."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.bridge.results import natural
from palmares.bridge.standings import by_round, crosstable, running, standings, vp_text
from palmares.core.errors import Refused
from palmares.facts import Facts
from tests.amounts import amount
from tests.bridge.team_events import league, listed, ranks, total

F = Fraction

MATCHES = json.loads((Path(__file__).parents[1] / "data/wbf_vp.json").read_text())["matches"]
PUBLISHED = [match for match in MATCHES if "imps" in match]


def plus(*vps: str) -> str:
    """A sum of VPs, as text."""
    return vp_text(sum(int(F(one) * 100) for one in vps))


ROUND_ROBIN = """
    1: Alpha 41-21 Beta (16)
    1: Gamma 30-30 Delta (16)
    2: Alpha 10-40 Gamma (16)
    2: Beta 50-11 Delta (16)
    3: Alpha 33-30 Delta (16)
    3: Beta 21-20 Gamma (16)
"""


class TestRoundRobin:
    def test_totals_are_sums_of_matches(self) -> None:
        assert total(listed(ROUND_ROBIN)) == {
            "Gamma": plus("10.00", "16.73", "9.69"),
            "Beta": plus("5.00", "17.97", "10.31"),
            "Alpha": plus("15.00", "3.27", "10.91"),
            "Delta": plus("10.00", "2.03", "9.09"),
        }

    def test_played_won_drawn_lost_and_imps(self) -> None:
        (gamma, *_) = listed(ROUND_ROBIN).teams
        assert (gamma.played, gamma.won, gamma.drawn, gamma.lost) == (3, 1, 1, 1)
        assert gamma.imps_for == 30 + 40 + 20
        assert gamma.imps_against == 30 + 10 + 21

    def test_the_crosstable_has_each_against_each(self) -> None:
        table = crosstable(listed(ROUND_ROBIN))
        assert [one.vp for one in table["Alpha"]["Beta"]] == [1500]
        assert [one.vp for one in table["Beta"]["Alpha"]] == [500]
        assert table["Alpha"]["Alpha"] == ()

    def test_running_totals_grow_round_by_round(self) -> None:
        assert running(listed(ROUND_ROBIN))["Beta"] == [0, 500, 500 + 1797, 500 + 1797 + 1031]

    def test_a_double_round_robin_joins_both_meetings(self) -> None:
        made = listed("1: A 41-21 B (16)\n2: B 33-30 A (16)")
        assert total(made) == {"A": plus("15", "9.09"), "B": plus("5", "10.91")}
        assert [one.vp for one in crosstable(made)["A"]["B"]] == [1500, 909]

    def test_until_a_round(self) -> None:
        made = listed(ROUND_ROBIN, until_round="1")
        assert total(made) == {"Alpha": "15.00", "Delta": "10.00", "Gamma": "10.00", "Beta": "5.00"}
        assert ranks(made) == {"Alpha": 1, "Delta": 2, "Gamma": 2, "Beta": 4}
        assert made.unfinished
        assert not listed(ROUND_ROBIN, until_round="3").unfinished


@pytest.mark.parametrize("match", PUBLISHED, ids=lambda match: str(match["imps"]))
def test_published_matches(match: dict[str, Any]) -> None:
    """52nd European Team Championships, Opatija 2014, Seniors: each as an event of its own."""
    own, other = match["imps"]
    made = listed(f"1: Us {own}-{other} Them ({match['boards']})")
    assert total(made)["Us"] == match["vp_reported"]


class TestMatchLengthsAndScales:
    def test_each_match_is_scored_by_its_own_boards(self) -> None:
        """20 boards, 2 IMPs: 10.55; 14 boards, 20 IMPs: 15.26 (IBPA Bulletin, May 2013)."""
        made = listed("1: A 12-10 B (20)\n2: A 30-10 B (14)\n3: A 30-10 B (16)")
        assert total(made)["A"] == plus("10.55", "15.26", "15.00")

    def test_the_discrete_scale(self) -> None:
        """EBU table for 16 boards: 15 from 18 IMPs on; 20 IMPs is 15-5, 3 IMPs 11-9."""
        made = listed("1: A 30-10 B (16)\n2: A 13-10 B (16)", scale="discrete")
        assert total(made) == {"A": plus("15", "11"), "B": plus("5", "9")}

    def test_halves_of_a_triangle(self) -> None:
        """EBU table for halves of 3 boards: 10-0 from 15 IMPs on; a bye is 12 x 10 / 20."""
        made = listed("1: A 25-10 B (3)\n1: A 9-9 C (3)\n2: B bye", scale="half-match-discrete")
        assert total(made) == {"A": plus("10", "5"), "B": plus("0", "6"), "C": "5.00"}


class TestByes:
    def test_twelve_vps_and_no_match(self) -> None:
        made = listed("1: A 41-21 B (16)\n1: C bye (16)\n2: C 30-30 A (16)")
        assert total(made) == {"A": plus("15", "10"), "C": plus("12", "10"), "B": "5.00"}
        assert next(one.played for one in made.teams if one.team == "C") == 1

    def test_the_director_may_say_what_it_is_worth(self) -> None:
        made = listed("1: A 41-21 B (16)\n1: C bye", bye_vp=F("12.5"))
        assert total(made)["C"] == "12.50"

    def test_a_word_in_the_place_of_the_opponent_is_no_team(self) -> None:
        tables = "[[event.team_match]]\nhome = 'C'\naway = 'bye'\nstatus = 'bye'\n"
        made = listed("1: A 41-21 B (16)", tables)
        assert total(made) == {"A": "15.00", "C": "12.00", "B": "5.00"}

    @pytest.mark.parametrize("bye_vp", [F(21), F(-1)])
    def test_it_lies_within_the_scale(self, bye_vp: Fraction) -> None:
        with pytest.raises(Refused, match="A bye is worth 0 to 20 VPs on the continuous scale"):
            listed("1: A bye", bye_vp=bye_vp)


class TestVoid:
    def test_nothing_for_anybody_but_adjustments_stand(self) -> None:
        tables = (
            "[[event.team_match]]\nround = '2'\nhome = 'A'\naway = 'B'\nboards = 16\n"
            "home_imps = 50\naway_imps = 0\nstatus = 'void'\naway_adjust_vp = -1\n"
        )
        made = listed("1: A 41-21 B (16)", tables)
        assert total(made) == {"A": "15.00", "B": plus("5", "-1")}
        assert [(one.played, int(one.imps_for)) for one in made.teams] == [(1, 41), (1, 21)]
        assert len(crosstable(made)["A"]["B"]) == 1


class TestColumns:
    TABLES = """
        [[event.teams]]
        team = "A"
        name = "A Team"
        carried_vp = 12.34
        [[event.teams]]
        team = "B"
        [[event.team_match]]
        round = "1"
        home = "A"
        away = "B"
        boards = 16
        home_imps = 41
        away_imps = 21
        home_adjust_vp = -0.5
        away_adjust_vp = 3
    """

    def test_matches_carried_and_adjusted_stand_apart(self) -> None:
        first, second = listed("", self.TABLES).teams
        assert vp_text(first.points) == plus("15", "12.34", "-0.5")
        assert (first.match_points, first.carried, first.adjustments) == (1500, 1234, -50)
        assert (second.match_points, second.carried, second.adjustments) == (500, 0, 300)
        assert (first.name, second.name) == ("A Team", "B")

    def test_a_total_may_be_below_0(self) -> None:
        made = listed("", self.TABLES.replace("= 3", "= -30").replace("12.34", "0"))
        assert total(made)["B"] == "-25.00"

    def test_a_round_holds_its_adjustments_and_the_start_what_was_carried(self) -> None:
        made = listed("", self.TABLES)
        assert by_round(made)["A"] == {"1": 1500 - 50}
        assert running(made)["A"] == [1234, 1234 + 1450]


def one_match(**cells: object) -> str:
    """A match of A and B over 16 boards as a table."""
    given_cells = {"home": "'A'", "away": "'B'", "boards": 16} | cells
    return "[[event.team_match]]\n" + "".join(f"{k} = {v}\n" for k, v in given_cells.items())


class TestCarriedImpsAndSplitScores:
    def test_carried_imps_enter_the_scale_and_halves_are_rounded_away_from_0(self) -> None:
        """40 + 0.5 - 21 = 19.5, so 20 IMPs."""
        made = listed("", one_match(home_imps=40, away_imps=21, home_carry_imps=0.5))
        assert total(made) == {"A": "15.00", "B": "5.00"}
        assert made.teams[0].imps_for == F(81, 2)

    def test_less_than_half_an_imp_is_a_draw(self) -> None:
        """20 - 20.4 = -0.4, so 0 IMPs; 24.1 - 21 = 3.1, so 3 IMPs as without the tenth."""
        made = listed("", one_match(home_imps=20, away_imps=20, away_carry_imps=0.4))
        assert total(made) == {"A": "10.00", "B": "10.00"}
        assert [one.drawn for one in made.teams] == [1, 1]
        three = listed("", one_match(home_imps=24, away_imps=21))
        assert total(listed("", one_match(home_imps=24, away_imps=21, home_carry_imps=0.1))) == (
            total(three)
        )

    def test_they_can_decide_a_match(self) -> None:
        made = listed("", one_match(home_imps=20, away_imps=20, away_carry_imps=0.5))
        assert total(made) == {"B": "10.31", "A": "9.69"}
        assert [one.won for one in made.teams] == [1, 0]

    def test_each_side_of_a_split_score_has_its_own(self) -> None:
        """A has 20 IMPs of it, B has lost by 1 only: together less than, or more than, 20 VPs."""
        split = one_match(home_imps=41, away_imps=21, split_home_imps=20.5, split_away_imps=20)
        made = listed("", split)
        assert total(made) == {"A": "15.00", "B": "9.69"}
        assert [one.imps_for for one in made.teams] == [41, 20]
        assert [one.imps_against for one in made.teams] == [21, F(41, 2)]


WITHDRAWN = "[[event.teams]]\nteam = 'D'\nwithdrawn = true\n" + "".join(
    f"[[event.teams]]\nteam = '{one}'\n" for one in "ABCEF"
)
FIVE_ROUNDS = """
    1: A 41-21 D (16)
    2: D 33-30 B (16)
    1: B 41-21 C (16)
    2: A 30-30 C (16)
    3: A 30-30 B (16)
    4: A 30-30 E (16)
    5: A 30-30 F (16)
"""


class TestWithdrawal:
    def test_before_half_of_its_matches_they_are_void(self) -> None:
        """2 of 5: A has the most rows, five."""
        made = listed(FIVE_ROUNDS, WITHDRAWN)
        assert total(made)["A"] == plus("10", "10", "10", "10")
        assert total(made)["D"] == "0.00"
        assert ranks(made) | {"D": None} == ranks(made)
        assert made.teams[-1].team == "D"
        assert made.notes == ("D withdrew: its matches are void [wbf-standings withdrawal, S6].",)

    def test_after_half_of_them_they_stand(self) -> None:
        made = listed(FIVE_ROUNDS + "3: D 30-30 C (16)", WITHDRAWN)
        assert total(made)["A"] == plus("15", "10", "10", "10", "10")
        assert "stand" in made.notes[0]
        assert made.teams[-1].rank is None

    @pytest.mark.parametrize(
        ("option", "vps"),
        [("results-stand", plus("15", "10", "10", "10", "10")), ("all-void", "40.00")],
    )
    def test_the_options(self, option: str, vps: str) -> None:
        assert total(listed(FIVE_ROUNDS, WITHDRAWN, chosen={"S6": option}))["A"] == vps

    def test_all_void_after_half_too(self) -> None:
        lines = FIVE_ROUNDS + "3: D 30-30 C (16)"
        assert total(listed(lines, WITHDRAWN, chosen={"S6": "all-void"}))["A"] == "40.00"

    def test_its_byes_are_no_matches(self) -> None:
        made = listed(FIVE_ROUNDS + "3: D bye\n4: D bye\n5: D bye", WITHDRAWN)
        assert "are void" in made.notes[0]


class TestWhichEvent:
    TWO = """
        [[event]]
        name = "Second"
        team_matches = "1: A 41-21 B (16)"
    """

    def test_one_with_matches_is_the_one(self) -> None:
        made = standings(league("1: A 41-21 B (16)", '[[event]]\nname = "Pairs"\n'))
        assert made.event == "Teams"

    def test_several_are_told(self) -> None:
        with pytest.raises(Refused, match=r"2 events have matches of teams. Choose one by its id:"):
            listed("1: A 41-21 B (16)", self.TWO)

    @pytest.mark.parametrize("wanted", ["Second", "league-2024-03-05/second"])
    def test_by_name_or_id(self, wanted: str) -> None:
        assert listed("1: A 41-21 B (16)", self.TWO, event=wanted).event == "Second"

    def test_an_unknown_one(self) -> None:
        with pytest.raises(Refused, match="No event with matches of teams is called Third"):
            listed("1: A 41-21 B (16)", self.TWO, event="Third")

    def test_two_of_a_name(self) -> None:
        tables = self.TWO.replace('"Second"', '"Teams"\nid = "x"')
        with pytest.raises(Refused, match="Several events are called Teams"):
            listed("1: A 41-21 B (16)", tables, event="Teams")

    def test_none(self) -> None:
        with pytest.raises(Refused, match="There are no matches of teams here"):
            standings(Facts())

    def test_none_to_choose_from(self) -> None:
        with pytest.raises(Refused, match="by its id: there is none"):
            standings(Facts(), "Teams")


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"until_round": "4"}, "Teams has no round 4. There are: 1, 2, 3."),
            ({"tie_breaks": ["coin"]}, "There is no tie-break coin. There are: vps-among"),
            ({"tie_breaks": ["lot", "lot"]}, "no use in a tie-break twice"),
            ({"scale": "quadratic"}, "There is no scale quadratic"),
            ({"chosen": {"S7": "again"}}, "wbf-standings has no reading S7=again"),
        ],
    )
    def test_a_plain_word(self, options: dict[str, Any], says: str) -> None:
        with pytest.raises(Refused, match=says):
            listed(ROUND_ROBIN, **options)

    def test_no_rounds_at_all(self) -> None:
        with pytest.raises(Refused, match="There are: no rounds"):
            listed("A 41-21 B (16)", until_round="1")


def test_rounds_come_in_natural_order() -> None:
    given_rounds = ["Final", "10", None, "2", "R10", "R2", "1", "2.1", "semi"]
    expected = ["1", "2", "2.1", "10", "Final", "R2", "R10", "semi", None]
    assert sorted(given_rounds, key=natural) == expected


def test_a_team_is_found_by_either_name() -> None:
    made = listed("", TestColumns.TABLES)
    assert made.team(" a team ") is made.team("A") is not None
    assert made.team("Z") is None


# ── properties ───────────────────────────────────────────────────────────────────────────────────

IMPS = st.integers(0, 90)
ROWS = st.lists(
    st.tuples(
        st.integers(1, 4), st.sampled_from("ABCDE"), st.sampled_from("ABCDE"), IMPS, IMPS,
        st.sampled_from([8, 16, 20]), st.sampled_from(["", ", void", "bye"]),
    ),
    min_size=1, max_size=14,
)  # fmt: skip


def some_event(rows: list[tuple[Any, ...]]) -> Facts | None:
    """An event of these rows without what cannot be: a pair twice in a round."""
    lines, seen = [], set()
    for round_, home, away, won, lost, boards, status in rows:
        pair = (round_, frozenset((home, "" if status == "bye" else away)))
        if pair in seen or (home == away and status != "bye"):
            continue
        seen.add(pair)
        line = f"{round_}: {home} {won}-{lost} {away} ({boards}){status}"
        lines.append(f"{round_}: {home} bye" if status == "bye" else line)
    return league("\n".join(lines)) if lines else None


@settings(max_examples=amount(2_000), deadline=None)
@given(ROWS, st.sampled_from(["continuous", "discrete"]), st.randoms(use_true_random=False))
def test_whatever_was_played(
    rows: list[tuple[Any, ...]], scale: str, chance: random.Random
) -> None:
    facts = some_event(rows)
    if facts is None:
        return
    made = standings(facts, scale=scale)
    played = [one for team in made.teams for one in team.results if one.is_played]
    byes = [one for team in made.teams for one in team.results if one.status == "bye"]

    assert sum(one.vp for one in played) == 2000 * len(played) // 2, "20.00 a match"
    assert sum(team.points for team in made.teams) == 1000 * len(played) + 1200 * len(byes)
    assert sum(team.won for team in made.teams) == sum(team.lost for team in made.teams)
    assert sum(team.imps_for for team in made.teams) == sum(
        team.imps_against for team in made.teams
    )
    points = [team.points for team in made.teams]
    assert points == sorted(points, reverse=True)
    places = [team.rank for team in made.teams]
    assert places[0] == 1
    for at, rank in enumerate(places[1:], start=1):
        assert rank in (at + 1, places[at - 1]), "competition ranks: 1, 2, 2, 4"
        assert rank == at + 1 or points[at] == points[at - 1], "only level teams share a rank"

    table = facts["team_matches"]
    order = list(range(table.height))
    chance.shuffle(order)
    shuffled = Facts({**facts.tables, "team_matches": table[order]})
    assert standings(shuffled, scale=scale) == made
    assert isinstance(table, pl.DataFrame)
