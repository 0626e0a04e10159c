"""WBGF World Ranking: Super Jackpots, Intermediates, and what cannot be computed."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from msgspec.structs import replace

from palmares.core.errors import FactsRejected, Problem
from palmares.core.rounding import ExchangeRate
from palmares.regulations.editions import Rulebook
from palmares.regulations.model import Event, Tournament
from tests.regulations.build_wbgf import (
    awarded,
    book,
    event,
    flight,
    flight_points,
    grants,
    notices,
    term,
    tournament,
)

F = Fraction

DOLLAR = ExchangeRate(eur_per_unit=F("0.9"), source="ECB, 2023-06-15")


def problems(held: Tournament, rules: Rulebook | None = None) -> tuple[Problem, ...]:
    with pytest.raises(FactsRejected) as refused:
        awarded(held, rules)
    return tuple(refused.value.problems)


class TestSuperJackpot:
    """
    'G is calculated using the same formula but with reference to the entry fee, number of
    players, and added money for the Super Jackpot event, rather than the Main. Note that F = ⅓
    always … replacing both N and N_main with the number of entrants in the Super Jackpot.'
    """

    def test_stands_alone(self) -> None:
        """G = (250 + 400/16)/100, F = ⅓, s(16) = 16; the Main of 129 plays no part."""
        main = event("championship", 100, flight("main", 129), flight("consolation", 64))
        jackpot = event("super_jackpot", 250, flight("main", 16), added_money=F(400))
        gained = grants(tournament(main, jackpot))[-1]
        assert gained.terms["grade"] == F("2.75")
        assert gained.terms["format_factor"] == F(1, 3)
        assert gained.terms["size_scaling"] == 16
        total = sum(flight_points(tournament(jackpot)))
        assert total == F("2.75") / 3 * 10 * 16

    def test_needs_no_championship(self) -> None:
        held = tournament(event("super_jackpot", 300, flight("main", 2)))
        assert flight_points(held) == [F(140, 11), F(80, 11)]  # 3 · ⅓ = 1 · 1

    @pytest.mark.parametrize(("fee", "grade"), [(499, F("4.99")), (500, F(5)), (1000, F(5))])
    def test_is_capped_too(self, fee: int, grade: F) -> None:
        """Reading W5."""
        held = tournament(event("super_jackpot", fee, flight("main", 32)))
        assert term(held, "grade") == [grade]

    def test_its_bonus_grade_comes_after_the_cap(self) -> None:
        held = tournament(event("super_jackpot", 1000, flight("main", 32), bonus_grade=F(1)))
        assert term(held, "grade") == [5 + 1]

    def test_a_large_field_is_scaled_by_itself(self) -> None:
        held = tournament(event("super_jackpot", 300, flight("main", 129)))
        assert sum(flight_points(held)) == 3 * F(1, 3) * 10 * (128 + F(128, 129))

    def test_only_its_main_earns(self) -> None:
        flights = flight("main", 16), flight("consolation", 8)
        held = tournament(event("super_jackpot", 300, *flights))
        assert [one.flight for one in grants(held)] == ["main"]
        assert [one.problem.what for one in notices(held)] == [
            "the flight consolation of super_jackpot earns nothing"
        ]


class TestIntermediate:
    """
    'Only an Intermediate event's Main event (not consolation, etc.) qualifies for WR points. G is
    calculated … with reference to the entry fee of the Main, and with any added money
    disregarded. F = 0.3 always … replacing both N and N_main with the number of entrants in the
    Intermediate event.'
    """

    MAIN = event("championship", 330, flight("main", 64), added_money=F(6400))
    SMALL = event("intermediate", 120, flight("main", 20), added_money=F(2000))

    def test_has_the_fee_of_the_main_without_added_money(self) -> None:
        """Reading W6: G = 330/100, F = 0.3, s(20) = 20."""
        gained = grants(tournament(self.MAIN, self.SMALL))[-1]
        assert gained.terms["grade"] == F("3.3")
        assert gained.terms["format_factor"] == F("0.3")
        assert gained.terms["size_scaling"] == 20
        assert gained.terms["entrants"] == 20

    def test_own_fee_if_asked_for(self) -> None:
        """Reading W6, own-fee: G = 120/100, no championship needed."""
        own = book(W6="own-fee")
        assert term(tournament(self.MAIN, self.SMALL), "grade", own)[-1] == F("1.2")
        assert term(tournament(self.SMALL), "grade", own) == [F("1.2")]
        assert sum(flight_points(tournament(self.SMALL), rules=own)) == F("1.2") * F("0.3") * 200

    @pytest.mark.parametrize(("fee", "grade"), [(499, F("4.99")), (500, F(5)), (700, F(5))])
    def test_is_capped_too(self, fee: int, grade: F) -> None:
        """Reading W5."""
        main = event("championship", fee, flight("main", 64))
        assert term(tournament(main, self.SMALL), "grade")[-1] == grade

    def test_its_bonus_grade_comes_after_the_cap(self) -> None:
        main = event("championship", 700, flight("main", 64))
        small = replace(self.SMALL, bonus_grade=F("0.5"))
        assert term(tournament(main, small), "grade")[-1] == F("5.5")

    def test_the_fee_is_taken_in_euro(self) -> None:
        held = tournament(self.MAIN, self.SMALL, currency="USD", rate=DOLLAR)
        assert term(held, "grade")[-1] == 330 * F("0.9") / 100

    def test_a_large_field_is_scaled_by_itself(self) -> None:
        large = event("intermediate", 120, flight("main", 181))
        beyond = sum(F(128, n) for n in range(129, 182))
        assert term(tournament(self.MAIN, large), "size_scaling")[-1] == 128 + beyond

    def test_only_its_main_earns(self) -> None:
        flights = flight("main", 16), flight("last_chance", 8)
        held = tournament(self.MAIN, event("intermediate", 120, *flights))
        assert [(one.event.kind, one.flight) for one in grants(held)] == [
            ("championship", "main"),
            ("intermediate", "main"),
        ]
        assert [one.problem.what for one in notices(held)] == [
            "the flight last chance of intermediate earns nothing"
        ]

    def test_two_championships_with_one_fee_will_do(self) -> None:
        twin = replace(self.MAIN, event_id="twin")
        assert term(tournament(self.MAIN, twin, self.SMALL), "grade")[-1] == F("3.3")

    @pytest.mark.parametrize(
        ("mains", "count"),
        [
            ((), "0 championship events"),
            ((MAIN, replace(MAIN, entry_fee=F(200))), "2 championship events"),
            ((MAIN, replace(MAIN, entry_fee=None)), "2 championship events"),
        ],
    )
    def test_is_refused_without_the_one_fee(self, mains: tuple[Event, ...], count: str) -> None:
        problem = problems(tournament(*mains, self.SMALL))[-1]
        assert problem.where == "events.csv:3"
        assert problem.what.endswith(f"Open has {count}")
        assert problem.clause == "wbgf intermediate"
        assert "reading W6=own-fee" in problem.remedy

    def test_is_refused_if_the_one_main_has_no_fee(self) -> None:
        found = problems(tournament(replace(self.MAIN, entry_fee=None), self.SMALL))
        assert {(one.where, one.what) for one in found} == {
            ("events.csv:2", "championship has no entry fee")
        }


class TestOtherEventsAndFlights:
    """Reading W12: only the printed shapes; other flights earn nothing, with a warning."""

    def test_another_kind_of_event_earns_nothing(self) -> None:
        assert awarded(tournament(event("other", 100, flight("main", 16)))) == []

    def test_a_lucky_loser_flight_earns_nothing_and_changes_nothing(self) -> None:
        """Backgammon London Players Championship 2024 had two."""
        known = [flight("main", 64), flight("consolation", 32), flight("last_chance", 16)]
        lucky = flight("lucky_loser", 8)
        held = tournament(event("championship", 70, *known, lucky))
        assert term(held, "format_factor") == [F("0.7"), F("0.2"), F("0.1")]
        (notice,) = notices(held)
        assert notice.problem.where == "events.csv:2"
        assert notice.problem.what == "the flight lucky loser of championship earns nothing"
        assert notice.problem.clause == "wbgf format-factor, reading W12"
        assert "Only Main, Consolation and Last Chance" in notice.problem.remedy


class TestRefused:
    """Nothing is guessed: where, by which clause, and what to do."""

    @pytest.mark.parametrize("kind", ["championship", "super_jackpot"])
    def test_no_fee(self, kind: str) -> None:
        (problem,) = problems(tournament(event(kind, None, flight("main", 32))))
        assert problem.where.startswith("events.csv:")
        assert (problem.what, problem.clause) == (f"{kind} has no entry fee", "wbgf grade")
        assert problem.remedy.startswith("Fill in entry_fee")

    @pytest.mark.parametrize("flights", [(), (flight("main", 0),), (flight("consolation", 8),)])
    @pytest.mark.parametrize("kind", ["championship", "super_jackpot", "intermediate"])
    def test_no_field(self, kind: str, flights: tuple[object, ...]) -> None:
        (problem,) = problems(tournament(event(kind, 100, *flights)))  # type: ignore[arg-type]
        assert problem.what == f"{kind} has no number of Main entrants above 0"
        assert problem.clause == "wbgf size-scaling"
        assert problem.remedy.startswith("Give the flight 'main' (or the event) its entrants")

    @pytest.mark.parametrize(
        "events",
        [
            (event("championship", 100, flight("main", 32)),),
            (event("championship", 0, flight("main", 32), added_money=F(100)),),
            (event("super_jackpot", 100, flight("main", 32)),),
        ],
    )
    def test_no_exchange_rate(self, events: tuple[Event, ...]) -> None:
        (problem,) = problems(tournament(*events, currency="RUB", rate=None))
        assert problem.where == "tournaments.csv:2"
        assert problem.what == (
            "no exchange rate from RUB to EUR on 2023-06-15 or the 7 days before"
        )
        assert problem.clause == "wbgf euro, reading W10"
        assert "eur_per_unit" in problem.remedy

    def test_an_intermediate_needs_the_rate_too(self) -> None:
        small = event("intermediate", 100, flight("main", 32))
        (problem,) = problems(tournament(small, rate=None), book(W6="own-fee"))
        assert problem.clause == "wbgf euro, reading W10"

    @pytest.mark.parametrize("kind", ["championship", "super_jackpot", "intermediate"])
    def test_a_free_event_needs_no_rate(self, kind: str) -> None:
        free = event(kind, 0, flight("main", 32))
        held = tournament(free, currency="RUB", rate=None)
        assert flight_points(held, rules=book(W6="own-fee")) == [0] * 32

    def test_all_problems_at_once(self) -> None:
        main = event("championship", None, flight("main", 32))
        jackpot = event("super_jackpot", 300)
        assert [one.where for one in problems(tournament(main, jackpot))] == [
            "events.csv:2",
            "events.csv:4",
        ]


def test_nothing_is_awarded_where_no_edition_is_in_force() -> None:
    """Were the text dated, nothing before its date would earn anything."""
    (held,) = book().all
    later = replace(held, edition=replace(held.edition, in_force=date(2023, 6, 16)))
    one = tournament(event("championship", 300, flight("main", 8)))
    assert awarded(one, Rulebook("wbgf", (later,))) == []
    assert len(awarded(replace(one, end_date=date(2023, 6, 16)), Rulebook("wbgf", (later,)))) == 1
