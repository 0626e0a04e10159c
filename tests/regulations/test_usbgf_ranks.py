"""USBGF: who is ranked, and which ranks they split with whom."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

from palmares.points.kernels.formulas import apply
from palmares.regulations.model import Flight, Grant
from tests.regulations.usbgf_events import (
    book,
    earned,
    event,
    factors,
    flight,
    grants,
    told,
    tournament,
)

F = Fraction

MAIN_4 = "1* ada, 2* ben, 3* cid dan, 5 eve fay gus hal"
CONSOLATION_2 = "1* ida, 2* jon, 3 kay leo"
LAST_CHANCE_1 = "1* mia, 2 ned"

FIRST, SECOND = F(1), F("0.7")
SHARED_2_3 = (F("0.7") + F(1, 2)) / 2
SHARED_4_7 = (F(1, 3) + F(1, 4) + F(1, 5) + F(1, 6)) / 4


def three_flights(
    main: str = MAIN_4, consolation: str = CONSOLATION_2, last_chance: str = LAST_CHANCE_1
) -> list[Flight]:
    return [
        flight("main", main),
        flight("consolation", consolation),
        flight("last_chance", last_chance),
    ]


def with_distances(grant: Grant) -> dict[str, Any]:
    """A grant's ranks and the distances that its rounds and flights come to."""
    columns = dict(grant.columns)
    distances = apply(grant.derived["distance"], grant, columns)
    return {"rank": columns["rank"], "tied": columns["tied"], "distance": distances}


class TestDistanceFromFirstPlace:
    """'(1) Main winner (2,3 split) Main finalist; Consolation winner (4,5,6,7 split) …'"""

    HELD = tournament(event(flights=three_flights()))

    @pytest.mark.parametrize("edition", ["2015-05", "2019-01"])
    def test_the_example(self, edition: str) -> None:
        assert factors(self.HELD, book(edition)) == {
            "ada": F(1),
            "ben": F(3, 5),
            "ida": F(3, 5),
            "cid": F(19, 80),
            "dan": F(19, 80),
            "jon": F(19, 80),
            "mia": F(19, 80),
        }
        assert F(3, 5) == SHARED_2_3
        assert F(19, 80) == SHARED_4_7

    def test_everyone_is_awarded_in_the_flight_of_his_place(self) -> None:
        found = {one.flight: (one.players, with_distances(one)) for one in grants(self.HELD)}
        assert found == {
            "main": (
                ["ada", "ben", "cid", "dan"],
                {"rank": [1, 2, 4, 4], "tied": [1, 2, 4, 4], "distance": [0, 1, 2, 2]},
            ),
            "consolation": (
                ["ida", "jon"],
                {"rank": [2, 4], "tied": [2, 4], "distance": [1, 2]},
            ),
            "last_chance": (["mia"], {"rank": [4], "tied": [4], "distance": [2]}),
        }

    def test_a_stated_distance_wins_over_the_rank(self) -> None:
        """Column rounds_behind: the 3rd of a four-player final group is one round behind."""
        main = replace(flight("main", "1* ada, 2* ben, 3* cid"), rounds_behind=(0, 1, 1))
        held = event(flights=[main, flight("consolation", "1* ida")])
        assert factors(tournament(held)) == {
            "ada": FIRST,
            **dict.fromkeys(("ben", "cid", "ida"), (F("0.7") + F(1, 2) + F(1, 3)) / 3),
        }

    def test_the_next_flight_down_is_the_next_that_was_run(self) -> None:
        """Reading U23: without a Consolation the Last Chance is one flight down."""
        held = event(flights=[flight("main", "1* ada, 2* ben"), flight("last_chance", "1* mia")])
        assert factors(tournament(held)) == {"ada": FIRST, "ben": SHARED_2_3, "mia": SHARED_2_3}

    def test_a_flight_nobody_played_is_no_flight(self) -> None:
        held = event(
            flights=[
                flight("main", "1* ada, 2* ben"),
                flight("consolation", "", entrants=0),
                flight("last_chance", "1* mia", entrants=0),
            ]
        )
        assert factors(tournament(held))["mia"] == SHARED_2_3

    def test_a_flight_without_designated_places_is_a_flight_down(self) -> None:
        held = event(
            flights=[
                flight("main", "1* ada, 2* ben"),
                flight("consolation", "1 ida"),
                flight("last_chance", "1* mia"),
            ]
        )
        assert factors(tournament(held)) == {"ada": FIRST, "ben": SECOND, "mia": F(1, 2)}


class TestConsecutiveRanks:
    """'Ranks are numbered from 1..R' (reading U8)."""

    def test_a_distance_nobody_has_is_skipped(self) -> None:
        """The winner (0) and the Last Chance winner (2) are first and second."""
        held = event(flights=three_flights("1* ada, 2 ben", "1 ida", "1* mia"))
        assert factors(tournament(held)) == {"ada": FIRST, "mia": SECOND}

    def test_only_the_designated_share(self) -> None:
        """One of two semifinalists is designated: three players have distance 2, not four."""
        held = event(flights=three_flights("1* ada, 2* ben, 3=2* cid, 3=2 dan", "1* ida, 2* jon"))
        assert factors(tournament(held))["cid"] == (F(1, 3) + F(1, 4) + F(1, 5)) / 3

    def test_a_player_who_shares_without_being_listed_uses_up_his_place(self) -> None:
        held = event(flights=three_flights("1* ada, 2* ben, 3=2* cid"))
        assert factors(tournament(held))["cid"] == SHARED_4_7

    def test_a_missing_rank_is_a_withheld_player_s(self) -> None:
        """Reading U24: the finalist is not listed; the Consolation winner shares with them."""
        held = event(flights=three_flights("1* ada, 3* cid dan"))
        assert factors(tournament(held)) == {
            "ada": FIRST,
            "ida": SHARED_2_3,
            **dict.fromkeys(("cid", "dan", "jon", "mia"), SHARED_4_7),
        }

    def test_missing_ranks_at_two_distances(self) -> None:
        """Places 2, 3 and 4 are withheld: one at distance 1, two at distance 2."""
        held = event(flights=three_flights("1* ada, 5=4* eve", "1* ida", "1* mia"))
        assert factors(tournament(held)) == {
            "ada": FIRST,
            "ida": SHARED_2_3,
            "mia": (F(1, 3) + F(1, 4) + F(1, 5)) / 3,
            "eve": (F(1, 6) + F(1, 7) + F(1, 8) + F(1, 9)) / 4,
        }


class TestOneRankedFlight:
    """'If players are exclusively assigned a final rank, they will receive the points for that.'"""

    @pytest.mark.parametrize(
        ("why", "line", "expected"),
        [
            (
                "3rd and 4th were played for",
                "1* ada, 2* ben, 3* cid, 4* dan",
                {"ada": FIRST, "ben": SECOND, "cid": F(1, 2), "dan": F(1, 3)},
            ),
            (
                "3rd and 4th are tied",
                "1* ada, 2* ben, 3* cid dan",
                {"ada": FIRST, "ben": SECOND, **dict.fromkeys(("cid", "dan"), F(5, 12))},
            ),
            (
                "a split of the first three places is a tie over them (U12)",
                "1* ada ben cid",
                dict.fromkeys(("ada", "ben", "cid"), (1 + F("0.7") + F(1, 2)) / 3),
            ),
            (
                "the ranks stand where some between them are not designated",
                "1* ada, 2 ben, 3* cid dan",
                {"ada": FIRST, **dict.fromkeys(("cid", "dan"), F(5, 12))},
            ),
            ("one of two is not listed", "1* ada, 3=2* cid", {"ada": FIRST, "cid": F(5, 12)}),
            (
                "one of two is not designated: they split the ranks all the same (U28)",
                "1* ada, 3=2* cid, 3=2 dan",
                {"ada": FIRST, "cid": F(5, 12)},
            ),
        ],
    )
    def test_the_ranks_stand(self, why: str, line: str, expected: dict[str, F]) -> None:
        held = event(flights=[flight("main", line), flight("consolation", "1 ida")])
        assert factors(tournament(held)) == expected, why
        assert "distance" not in grants(tournament(held))[0].columns

    def test_it_may_be_another_than_the_main(self) -> None:
        held = event(flights=[flight("main", "1 ada"), flight("consolation", "1* ida, 2* jon")])
        assert factors(tournament(held)) == {"ida": FIRST, "jon": SECOND}


class TestExclusiveThirdPlace:
    """Reading U9: 'equal distance shares', or the exclusive player goes first."""

    HELD = tournament(event(flights=three_flights("1* ada, 2* ben, 3* cid, 4* dan")))

    def test_equal_distance_shares(self) -> None:
        found = factors(self.HELD)
        assert [found[one] for one in ("cid", "dan", "jon", "mia")] == [SHARED_4_7] * 4

    def test_exclusive(self) -> None:
        """3rd and 4th take ranks 4 and 5; Consolation finalist and Last Chance winner 6 and 7."""
        found = factors(self.HELD, book(chosen={"U9": "exclusive"}))
        assert found == {
            "ada": FIRST,
            "ben": SHARED_2_3,
            "ida": SHARED_2_3,
            "cid": F(1, 4 - 1),
            "dan": F(1, 5 - 1),
            "jon": (F(1, 5) + F(1, 6)) / 2,
            "mia": (F(1, 5) + F(1, 6)) / 2,
        }

    def test_exclusive_changes_nothing_where_the_bracket_shares(self) -> None:
        held = tournament(event(flights=three_flights()))
        assert factors(held, book(chosen={"U9": "exclusive"})) == factors(held)


class TestTwoDesignatedPlaces:
    """Reading U10: the best one, once; the other uses up its rank."""

    HELD = tournament(event(flights=three_flights("1* ada, 2* ben", "1* ida, 2* ben", "1* mia")))

    def test_the_best_one_once(self) -> None:
        assert factors(self.HELD) == {
            "ada": FIRST,
            "ben": SHARED_2_3,
            "ida": SHARED_2_3,
            "mia": (F(1, 3) + F(1, 4)) / 2,
        }

    def test_sum(self) -> None:
        """Both places: 5 x 0.6 x (3/5 + 7/24)."""
        found = earned(self.HELD, "placement", book(chosen={"U10": "sum"}))
        assert found["ben"] == 5 * F("0.6") * (SHARED_2_3 + (F(1, 3) + F(1, 4)) / 2)
        assert found["mia"] == 5 * F("0.6") * (F(1, 3) + F(1, 4)) / 2

    def test_twice_at_the_same_distance(self) -> None:
        """The finalist who also won the Consolation is awarded once, in the Main."""
        held = tournament(event(flights=three_flights("1* ada, 2* ben", "1* ben", "1 mia")))
        assert {one.flight: one.players for one in grants(held)} == {"main": ["ada", "ben"]}
        assert factors(held)["ben"] == SHARED_2_3


BRACKET = "1 ada, 2 ben, 3 cid dan, 5 eve fay gus hal, 9 ian jim kit lea max nia oli pam"


class TestNobodyDesignated:
    """'… all players advancing to whatever round … closest to 1/8 of the total number …'"""

    @pytest.mark.parametrize(
        ("why", "players", "line", "ranked"),
        [
            ("110 / 8 = 13.75: the round of 16", 110, BRACKET, 16),
            ("32 / 8 = 4: the semifinals", 32, BRACKET, 4),
            ("48 / 8 = 6, between 4 and 8 (U6)", 48, BRACKET, 8),
            ("16 / 8 = 2: the final", 16, BRACKET, 2),
            ("7 / 8: the winner", 7, "1 ada, 2 ben", 1),
            ("all who tie at the cut", 16, "1 ada ben cid, 4 dan", 3),
        ],
    )
    def test_in_a_bracket(self, why: str, players: int, line: str, ranked: int) -> None:
        held = event(entrants=players, flights=[flight("main", line, entrants=players)])
        assert len(factors(tournament(held))) == ranked, why

    def test_the_smaller_of_two(self) -> None:
        held = event(entrants=48, flights=[flight("main", BRACKET, entrants=48)])
        assert len(factors(tournament(held), book(chosen={"U6": "smaller"}))) == 4

    def test_the_ranks_they_split(self) -> None:
        held = event(flights=[flight("main", BRACKET)])
        assert factors(tournament(held)) == {
            "ada": FIRST,
            "ben": SECOND,
            "cid": F(5, 12),
            "dan": F(5, 12),
        }

    @pytest.mark.parametrize("shape", ["swiss", "round_robin", "double_knockout"])
    @pytest.mark.parametrize(
        ("why", "players", "line", "ranked"),
        [
            ("19 / 8 = 2.375", 19, "1 ada, 2 ben, 3 cid", 2),
            ("20 / 8 = 2.5, half up", 20, "1 ada, 2 ben, 3 cid, 4 dan", 3),
            ("3 / 8: at least one", 3, "1 ada, 2 ben, 3 cid", 1),
            ("all who tie at the cut", 19, "1 ada, 2 ben cid dan, 5 eve", 4),
        ],
    )
    def test_without_a_bracket(
        self,
        shape: str,
        why: str,
        players: int,
        line: str,
        ranked: int,
    ) -> None:
        """Readings U7 and U21."""
        main = flight("main", line, entrants=players, format=shape)
        held = event(entrants=players, flights=[main])
        assert len(factors(tournament(held))) == ranked, why

    def test_only_the_main_is_looked_at(self) -> None:
        """Reading U22."""
        held = event(
            entrants=16,
            flights=[flight("main", "1 ada, 2 ben"), flight("consolation", "1 ida, 2 jon")],
        )
        assert factors(tournament(held)) == {"ada": FIRST, "ben": SECOND}

    def test_a_main_without_placings_ranks_nobody(self) -> None:
        held = event(flights=[flight("main", ""), flight("consolation", "1 ida")])
        assert grants(tournament(held)) == []

    def test_a_format_that_nobody_reports(self) -> None:
        """Reading U34: of 40 players a bracket ranks 4 (40/8 = 5), another format 5."""
        line = "1 ada, 2 ben, 3 cid dan, 5 eve"
        silent, said = (
            tournament(event(entrants=40, flights=[flight("main", line, 40, format=shape)]))
            for shape in ("", "knockout")
        )
        assert factors(silent) == factors(said)
        assert len(factors(said)) == 4
        assert told(said) == []
        (what,) = told(silent)
        assert what == (
            "nobody says how Open was played; of its 40 players 4 are ranked as in a knockout, in"
            " another format 5 would be"
        )

    @pytest.mark.parametrize(
        ("line", "players"), [("1* ada, 2 ben", 40), ("1 ada, 2 ben, 3 cid dan", 32)]
    )
    def test_a_format_that_changes_nothing_is_not_asked_for(self, line: str, players: int) -> None:
        main = flight("main", line, players, format="")
        assert told(tournament(event(entrants=players, flights=[main]))) == []
