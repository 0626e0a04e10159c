"""Dip Pouch Tournament Rating: its sentences, its examples, and the tables it published."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from palmares.core.errors import FactsRejected, Location
from palmares.core.rounding import half_up
from palmares.points.kernels.formulas import apply
from palmares.regulations import dptr
from palmares.regulations.editions import Example, Rulebook, rulebook
from palmares.regulations.model import Event, Flight, Grant, Tournament
from tests.regulations import oracle_dptr as oracle
from tests.regulations.usable import usable

F = Fraction
PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "dptr.json").read_text("utf-8"))


def book(number: type[float | Fraction] = F, **chosen: str) -> Rulebook:
    return rulebook("dptr", dptr.Constants, number=number, chosen=chosen)


RULES = book().all[0]
C = RULES.constants


def event(players: int | None, places: Mapping[str, int], **more: Any) -> Event:
    """An event in which those players came out on those places; of three rounds."""
    ranks = sorted(places.items(), key=lambda item: item[1])
    main = Flight(
        name="main",
        entrants=players or 0,
        players=tuple(player for player, _ in ranks),
        ranks=tuple(rank for _, rank in ranks),
        tied=tuple(list(places.values()).count(rank) for _, rank in ranks),
    )
    given: dict[str, Any] = {"event_id": "e", "name": "DipCon", "where": Location("events.csv", 2)}
    given |= {"entrants": players, "rounds": 3, "flights": (main,), **more}
    return Event(**given)


def tournament(*events: Event, end_date: date = date(2016, 3, 1), **more: Any) -> Tournament:
    return Tournament(
        tournament_id="t",
        name="DipCon",
        where=Location("tournaments.csv", 2),
        end_date=end_date,
        events=events,
        **more,
    )


def grants(held: Tournament, rules: Rulebook | None = None) -> list[Grant]:
    return [one for one in usable(dptr.award(rules or book(), held, {})) if isinstance(one, Grant)]


def value(held: Tournament, rules: Rulebook | None = None) -> Any:
    (one,) = grants(held, rules)
    return one.terms["value"]


def percentiles(held: Tournament, rules: Rulebook | None = None) -> Sequence[Any]:
    (one,) = grants(held, rules)
    return apply(one.derived["percentile"], one, dict(one.columns))


class TestInitialRating:
    """'Each player begins with an initial rating of 40 before their first tournament.'"""

    def test_is_what_a_fold_starts_from(self) -> None:
        assert dptr.opening(RULES) == 40


class TestPercentile:
    """
    '(([Number of Players in the event]+0.5-[Placement])/[Number of Players in the event])*100'
    """

    @pytest.mark.parametrize(
        ("players", "place", "score"),
        [
            (65, 8, F("57.5") / 65 * 100),
            (30, 7, F("23.5") / 30 * 100),
            (7, 1, F("6.5") / 7 * 100),
            (7, 7, F("0.5") / 7 * 100),
            (1, 1, F(50)),
        ],
    )
    def test_formula(self, players: int, place: int, score: F) -> None:
        assert dptr.percentile(C, players, place) == score

    @given(players=st.integers(1, 300))
    def test_mean_is_fifty(self, players: int) -> None:
        """An event gives out as many percentiles above the middle as below it."""
        scores = [dptr.percentile(C, players, place) for place in range(1, players + 1)]
        assert sum(scores) == 50 * players

    def test_players_who_share_a_placement_all_take_the_best(self) -> None:
        """Reading D2: published tables print 6, 6, 8."""
        held = tournament(event(88, {"Bergman": 6, "Stewart": 6, "Isaksson": 8}))
        sixth, eighth = F("82.5") / 88 * 100, F("80.5") / 88 * 100
        assert percentiles(held) == [sixth, sixth, eighth]

    def test_the_number_of_players_is_as_stated(self) -> None:
        """Reading D8: unranked players are counted if the event counts them, never by rows."""
        assert percentiles(tournament(event(56, {"Bartalone": 1}))) == [F("55.5") / 56 * 100]
        of_flight = structs.replace(event(56, {"Bartalone": 1}), entrants=None)
        assert percentiles(tournament(of_flight)) == [F("55.5") / 56 * 100]
        of_event = structs.replace(event(53, {"Bartalone": 1}), entrants=56)
        assert percentiles(tournament(of_event)) == [F("55.5") / 56 * 100]


# fmt: off
VALUES = [
    ("text: 65 players",               65,       2,    2016,   False,   F(15)),  # 20.57
    ("one round",                      21,       1,    2004,   False,   F(21) / 7 + 2),
    ("two rounds, same field",         21,       2,    2004,   False,   21 / F("3.5") + 2),
    ("three rounds count as two",      21,       3,    2004,   False,   21 / F("3.5") + 2),
    ("last field below the cap",       45,       2,    2004,   False,   45 / F("3.5") + 2),
    ("first field at the cap",         46,       2,    2004,   False,   F(15)),  # 15.14
    ("one round, at the cap",          91,       1,    2004,   False,   F(91) / 7 + 2),
    ("one round, above the cap",       92,       1,    2004,   False,   F(15)),  # 15.14
    ("one round, below the cap",       90,       1,    2004,   False,   F(90) / 7 + 2),
    ("last year that is ignored",      65,       2,    2000,   False,   F(0)),
    ("first year that counts",         65,       2,    2001,   False,   F(15)),
    ("Worlds of few players",           7,       1,    2010,   True,    F(20)),
    ("Worlds of many players",        200,       4,    2010,   True,    F(20)),
    ("Worlds before 2001",             88,       3,    1996,   True,    F(20)),
]
# fmt: on


class TestTournamentValue:
    """
    'If the event was the World Championship, the tournament value is 20. Otherwise, if the
    tournament has only one round, … the number of players in the event divided by 7, plus 2. If
    the event has more than one round, … divided by 3.5, plus two. However, the maximum tournament
    value for any non-world championship event is 15.' 'Events before 2001, with the exception of
    World Championships, have a tournament value of zero.'
    """

    @pytest.mark.parametrize(
        ("row", "players", "rounds", "year", "worlds", "value"),
        VALUES,
        ids=[row[0] for row in VALUES],
    )
    def test_value(
        self, row: str, players: int, rounds: int, year: int, worlds: bool, value: F
    ) -> None:
        assert dptr.tournament_value(C, players, rounds, year, worlds) == value

    @pytest.mark.parametrize(("rounds", "players"), [(2, 46), (1, 92)])
    def test_the_cap_bites_from(self, rounds: int, players: int) -> None:
        """Reading D4."""
        uncapped = [F(n) / (7 if rounds == 1 else F("3.5")) + 2 for n in (players - 1, players)]
        assert uncapped[0] <= 15 < uncapped[1]
        assert dptr.tournament_value(C, players - 1, rounds, 2004, False) == uncapped[0]
        assert dptr.tournament_value(C, players, rounds, 2004, False) == 15

    def test_a_world_championship_is_a_flag_and_no_name(self) -> None:
        """Reading D5: and it needs no rounds."""
        named = event(21, {"Ada": 1}, name="World DipCon")
        assert value(tournament(named)) == 21 / F("3.5") + 2
        flagged = event(21, {"Ada": 1}, world_championship=True, rounds=None)
        assert value(tournament(flagged)) == 20
        assert value(tournament(flagged, end_date=date(1996, 6, 1))) == 20

    @pytest.mark.parametrize(
        ("start", "end", "worth"),
        [
            (date(2000, 12, 30), date(2000, 12, 31), F(0)),
            (date(2000, 12, 30), date(2001, 1, 1), 21 / F("3.5") + 2),
            (None, date(2001, 12, 31), 21 / F("3.5") + 2),
        ],
    )
    def test_the_end_date_puts_an_event_before_2001(
        self, start: date | None, end: date, worth: F
    ) -> None:
        """Reading D6."""
        held = tournament(event(21, {"Ada": 1}), start_date=start, end_date=end)
        assert value(held) == worth

    def test_an_event_before_2001_is_shown_without_effect(self) -> None:
        """Reading D6: and nobody need know its rounds."""
        held = tournament(event(21, {"Ada": 1}, rounds=None), end_date=date(1999, 5, 1))
        (one,) = grants(held)
        assert one.players == ("Ada",)
        assert dptr.new_rating(F(40), one.terms["value"], F(97)) == 40


class TestNewRating:
    """'this player's rating will move 15% of the distance from 55 to 88.46'"""

    def test_the_example_of_the_text(self) -> None:
        """'(65 + 0.5 - 8)/65 * 100 = 88.46', '15% of 33.46 is 5.019', 'from 55 to 60.019'."""
        held = tournament(event(65, {"player": 8}, rounds=2))
        (score,) = percentiles(held)
        after = dptr.new_rating(F(55), value(held), score)
        assert float(half_up(score, 2)) == 88.46
        assert float(half_up(F(65) / F("3.5") + 2, 2)) == 20.57
        assert after == F(3121, 52)
        assert f"{float(after):.3f}" == "60.019"

    def test_the_example_of_the_pouch(self) -> None:
        """7th of 30 from 40: percentile 78.333, difference 38.333, value 30/3.5 + 2."""
        held = tournament(event(30, {"player": 7}, rounds=2))
        (score,) = percentiles(held)
        assert score == F(235, 3)
        assert dptr.new_rating(dptr.opening(RULES), value(held), score) == F(9251, 210)

    @pytest.mark.parametrize("example", RULES.edition.examples, ids=lambda one: one.clause)
    def test_the_sheet_keeps_what_the_text_prints(self, example: Example) -> None:
        given, prints = example.given, example.prints
        held = tournament(
            event(given["players"], {"p": given["placement"]}, rounds=given["rounds"])
        )
        (score,) = percentiles(held)
        before = F(given["rating"])
        after = dptr.new_rating(before, value(held), score)
        assert half_up(score, 2) == F(prints["percentile"])
        assert value(held) == F(prints["value"])
        assert half_up(after - before, 3) == F(prints["change"])
        assert half_up(after, 3) == F(prints["rating"])

    @given(before=st.fractions(0, 100), worth=st.fractions(0, 20), score=st.fractions(0, 100))
    def test_never_overshoots(self, before: F, worth: F, score: F) -> None:
        after = dptr.new_rating(before, worth, score)
        assert min(before, score) <= after <= max(before, score)


class TestPublishedInputs:
    """Reading D1: nothing is rounded, or percentile and value are, to 2 decimals."""

    PUBLISHED = book(D1="published-inputs")
    HELD = tournament(event(30, {"player": 7}, rounds=2))

    def test_exact_unless_asked(self) -> None:
        assert (value(self.HELD), percentiles(self.HELD)) == (30 / F("3.5") + 2, [F(235, 3)])

    def test_rounded_first_if_asked(self) -> None:
        """30/3.5 + 2 = 10.571…, 235/3 = 78.333…"""
        worth, scores = value(self.HELD, self.PUBLISHED), percentiles(self.HELD, self.PUBLISHED)
        assert (worth, scores) == (F("10.57"), [F("78.33")])
        assert dptr.new_rating(F(40), worth, scores[0]) == 40 + F("0.1057") * F("38.33")

    def test_rounded_half_up(self) -> None:
        """(80.5 - 4)/80 = 95.625 per cent exactly, as a fraction and as a float."""
        held = tournament(event(80, {"player": 4}, rounds=2))
        assert percentiles(held, self.PUBLISHED) == [F("95.63")]
        assert percentiles(held, book(float, D1="published-inputs")) == [95.63]


def by_name(table: dict[str, Any]) -> str:
    return str(table["name"])


class TestPublishedTables:
    """The tables of the World Diplomacy Database, ranking 3."""

    @pytest.mark.parametrize("number", [F, float])
    @pytest.mark.parametrize("table", PUBLISHED["events"], ids=by_name)
    def test_every_score_and_value(
        self, table: dict[str, Any], number: type[float | Fraction]
    ) -> None:
        places = {f"row {row}": rank for row, (rank, _) in enumerate(table["rows"])}
        one = event(
            table["players"],
            places,
            rounds=table["rounds"],
            world_championship=table["world_championship"],
        )
        held = tournament(one, end_date=date.fromisoformat(table["end_date"]))
        assert f"{float(half_up(value(held, book(number)), 2)):.2f}" == table["coeff1"]
        scores = [f"{float(half_up(one, 2)):.2f}" for one in percentiles(held, book(number))]
        assert scores == [score for _, score in table["rows"]]

    def test_are_seven_with_91_rows(self) -> None:
        """53 + 8 + 0 + 8 + 7 + 6 + 9."""
        assert [len(table["rows"]) for table in PUBLISHED["events"]] == [53, 8, 0, 8, 7, 6, 9]


class TestRefused:
    """Nothing is guessed: where, by which clause, and what to do."""

    def test_no_rounds(self) -> None:
        with pytest.raises(FactsRejected) as refused:
            grants(tournament(event(21, {"Ada": 1}, rounds=None)))
        (problem,) = refused.value.problems
        assert problem.where == "events.csv:2"
        assert problem.what == "DipCon does not say how many rounds it had"
        assert problem.clause == "dptr value"
        assert problem.remedy.startswith("Fill in rounds")

    def test_no_players(self) -> None:
        with pytest.raises(FactsRejected) as refused:
            grants(tournament(event(None, {"Ada": 1})))
        (problem,) = refused.value.problems
        assert problem.where == "events.csv:2"
        assert problem.what == "DipCon has no number of players above 0"
        assert problem.clause == "dptr percentile, reading D8"
        assert problem.remedy.startswith("Fill in the event's entrants")

    def test_all_problems_at_once(self) -> None:
        silent = event(21, {}, rounds=None), event(None, {}, where=Location("events.csv", 3))
        with pytest.raises(FactsRejected) as refused:
            grants(tournament(*silent))
        assert [one.where for one in refused.value.problems] == ["events.csv:2", "events.csv:3"]


def test_nothing_is_rated_where_no_edition_is_in_force() -> None:
    """Were the sheet dated, it would not reach back."""
    later = structs.replace(
        RULES, edition=structs.replace(RULES.edition, in_force=date(2019, 10, 9))
    )
    assert grants(tournament(event(21, {"Ada": 1})), Rulebook("dptr", (later,))) == []


def test_the_oracle_prints_half_up() -> None:
    assert oracle.printed(F("95.625")) == F("95.63")
