"""WBGF World Ranking: performance points of Main, Consolation and Last Chance, by the text."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from msgspec.structs import replace

from palmares.core.rounding import ExchangeRate
from palmares.regulations import wbgf
from tests.regulations import oracle_wbgf as oracle
from tests.regulations.build_wbgf import (
    book,
    event,
    flight,
    flight_points,
    grants,
    term,
    tournament,
)

F = Fraction

PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "wbgf.json").read_text("utf-8"))
RULES = book().all[0]
C = RULES.constants


class TestEuro:
    """'Main entry fee (in €)': the mid-market rates on the last day of the tournament."""

    def test_money_times_its_rate(self) -> None:
        assert wbgf.euros(F(150), F("1.16"), "ECB") == 150 + 150 * F("0.16")

    def test_fee_and_added_money_are_both_converted(self) -> None:
        kroner = ExchangeRate(eur_per_unit=F("0.134"), source="ECB, 2023-06-15")
        main = event("championship", 1000, flight("main", 50), added_money=F(5000))
        held = tournament(main, currency="DKK", rate=kroner)
        assert term(held, "grade") == [(134 + F(670, 50)) / 100]


class TestGrade:
    """'G = (Main entry fee (in €) + (Main added money (€) / number of Main entrants)) / 100'."""

    @pytest.mark.parametrize(
        ("fee", "added", "entrants", "grade"),
        [
            (330, 0, 64, F("3.3")),
            (100, 6400, 64, F(100 + 100, 100)),
            (300, 1000, 40, F(300 + 25, 100)),
            (0, 300, 2, F(150, 100)),
            (0, 0, 32, F(0)),
        ],
    )
    def test_fee_and_a_share_of_the_added_money(
        self, fee: int, added: int, entrants: int, grade: F
    ) -> None:
        assert wbgf.grade(C, F(fee), F(added), entrants) == grade

    def test_only_added_money_for_the_main_event_counts(self) -> None:
        """'added money for intermediates, doubles, etc. is ignored'."""
        main = event("championship", 300, flight("main", 40), added_money=F(1000))
        doubles = event("other", 100, flight("main", 20), added_money=F(9999))
        assert term(tournament(main, doubles), "grade") == [F(300 + 25, 100)]

    def test_the_consolation_has_the_grade_of_the_main(self) -> None:
        """'G is the tournament grade': added money is shared among the Main's entrants."""
        flights = flight("main", 40), flight("consolation", 20)
        main = event("championship", 300, *flights, added_money=F(1000))
        assert term(tournament(main), "grade") == [F("3.25"), F("3.25")]


class TestGradeCap:
    """
    'The grade G is capped at 5 (achieved when the Main entry fee is €500, or less if there is
    added money).'
    """

    @pytest.mark.parametrize(
        ("fee", "added", "grade"),
        [
            ("499.99", 0, F("4.9999")),
            ("500", 0, F(5)),
            ("500.01", 0, F(5)),
            ("400", 6399, (400 + F(6399, 64)) / 100),
            ("400", 6400, F(5)),
            ("400", 6401, F(5)),
        ],
    )
    def test_both_sides(self, fee: str, added: int, grade: F) -> None:
        assert wbgf.grade(C, F(fee), F(added), 64) == grade

    @pytest.mark.parametrize("fee", PUBLISHED["fees"], ids=lambda fee: fee["event"])
    def test_published_fees(self, fee: dict[str, str]) -> None:
        assert wbgf.grade(C, F(fee["fee"]), F(0), 100) == F(fee["grade"])


class TestBonusGrade:
    """'Bonus grades are no longer awarded, but when they were, they were added … after capping.'"""

    @pytest.mark.parametrize(
        ("fee", "bonus", "grade"),
        [(300, "0.5", 3 + F("0.5")), (500, "0.5", 5 + F("0.5")), (600, "1", F(5 + 1))],
    )
    def test_comes_on_top_of_the_cap(self, fee: int, bonus: str, grade: F) -> None:
        main = event("championship", fee, flight("main", 32), bonus_grade=F(bonus))
        assert term(tournament(main), "grade") == [grade]


class TestFormatFactor:
    """'Let F be the Format Factor of the event, assigned as follows' (the table)."""

    @pytest.mark.parametrize(
        ("flights", "factors"),
        [
            (["main"], [1]),
            (["main", "consolation"], [F("0.75"), F("0.25")]),
            (["main", "last_chance"], [F("0.9"), F("0.1")]),
            (["main", "consolation", "last_chance"], [F("0.7"), F("0.2"), F("0.1")]),
        ],
    )
    def test_by_the_flights_there_are(self, flights: list[str], factors: list[F]) -> None:
        held = tournament(event("championship", 300, *(flight(name, 8) for name in flights)))
        assert term(held, "format_factor") == factors
        assert sum(factors) == 1

    def test_a_flight_with_no_entrants_does_not_exist(self) -> None:
        """Reading W13: also when the format factor is chosen."""
        flights = flight("main", 8), flight("consolation", 0), flight("last_chance", 4)
        held = tournament(event("championship", 300, *flights))
        assert [one.flight for one in grants(held)] == ["main", "last_chance"]
        assert term(held, "format_factor") == [F("0.9"), F("0.1")]


class TestSizeScaling:
    """'s(n) = n for n ≤ 128, 128 (H_n − H_128 + 1) for n > 128'."""

    @pytest.mark.parametrize("entrants", [1, 2, 32, 127, 128])
    def test_is_the_number_itself_up_to_the_bend(self, entrants: int) -> None:
        assert wbgf.size_scaling(C, entrants) == entrants

    @pytest.mark.parametrize(
        ("entrants", "size"),
        [
            (129, 128 + F(128, 129)),
            (130, 128 + F(128, 129) + F(128, 130)),
            (131, 128 + F(128, 129) + F(128, 130) + F(128, 131)),
        ],
    )
    def test_grows_by_128_nths_beyond(self, entrants: int, size: F) -> None:
        assert wbgf.size_scaling(C, entrants) == size

    @pytest.mark.parametrize(("entrants", "size"), [(129, "128.992248"), (338, "251.979908")])
    def test_to_six_decimals(self, entrants: int, size: str) -> None:
        assert f"{float(wbgf.size_scaling(C, entrants)):.6f}" == size

    @pytest.mark.parametrize("field", PUBLISHED["fields"], ids=lambda field: field["event"])
    def test_real_fields(self, field: dict[str, int]) -> None:
        assert wbgf.size_scaling(C, field["players"]) == oracle.size(field["players"])

    def test_all_flights_are_scaled_by_the_main(self) -> None:
        """'N_main the number of entrants in the Main event specifically'."""
        held = tournament(
            event("championship", 300, flight("main", 129), flight("consolation", 64))
        )
        assert term(held, "size_scaling") == [128 + F(128, 129)] * 2


class TestRankReward:
    """'R(N) = 1, R(r) = (1 + k/r) R(r + 1)', with 'k = 0.75'."""

    def test_written_out(self) -> None:
        third, second, first = F(1), 1 + F("0.75") / 2, (1 + F("0.75")) * (1 + F("0.75") / 2)
        assert wbgf.rank_rewards(C, 1) == (1,)
        assert wbgf.rank_rewards(C, 2) == (F("1.75"), 1)
        assert wbgf.rank_rewards(C, 3) == (first, second, third)

    @pytest.mark.parametrize("entrants", [1, 2, 3, 7, 32, 129])
    def test_has_the_printed_solution(self, entrants: int) -> None:
        """'R(r) = Γ(N + k) Γ(r) / (Γ(N) Γ(k + r))'."""
        closed = tuple(oracle.reward(entrants, rank) for rank in range(1, entrants + 1))
        assert wbgf.rank_rewards(C, entrants) == closed

    @pytest.mark.parametrize(
        ("entrants", "printed", "exact"),
        [(32, "14.6", "14.596"), (64, "24.6", "24.584"), (128, None, "41.376")],
    )
    def test_winner_to_last(self, entrants: int, printed: str | None, exact: str) -> None:
        """'The winner of a 32-player tournament gains 14.6 times as many'; 41.3 errs (W1)."""
        first, *_, last = wbgf.rank_rewards(C, entrants)
        assert f"{float(first / last):.3f}" == exact
        assert printed in {None, f"{float(first / last):.1f}"}

    def test_the_sheet_keeps_what_the_text_prints(self) -> None:
        for example in RULES.edition.examples:
            first, *_, last = wbgf.rank_rewards(C, example.given["entrants"])
            assert f"{float(first / last):.1f}" == example.prints["winner_to_last"]


class TestTotalReward:
    """'a sum that can be shown to be equal to 1/(k − 1) (Γ(N + k) / (Γ(N) Γ(k)) − N)'."""

    @pytest.mark.parametrize("entrants", [1, 2, 3, 7, 32, 129])
    def test_is_the_printed_sum(self, entrants: int) -> None:
        rewards = wbgf.rank_rewards(C, entrants)
        assert wbgf.total_reward(rewards) == sum(rewards) == oracle.total(entrants)

    def test_cumulated_from_none_to_all(self) -> None:
        assert wbgf.cumulative((F("1.75"), F(1))) == (0, F("1.75"), F("2.75"))


class TestTiedReward:
    """
    'if m players are tied at rank r, the performance points awarded to each of those players is
    the arithmetic mean of the provisional performance points for ranks r through to r + m − 1'
    """

    def test_two_third_places(self) -> None:
        alone = flight_points(tournament(event("championship", 300, flight("main", 5))))
        tied = flight("main", 5, [1, 2, 3, 3, 5])
        assert flight_points(tournament(event("championship", 300, tied))) == [
            alone[0],
            alone[1],
            (alone[2] + alone[3]) / 2,
            (alone[2] + alone[3]) / 2,
            alone[4],
        ]

    def test_sixth_to_ninth(self) -> None:
        """9th Merit Open, 2022: '6-9' (reading W14: tie groups may have any size)."""
        alone = flight_points(tournament(event("championship", 500, flight("main", 16))))
        ranks = [1, 2, 3, 4, 5, 6, 6, 6, 6, 10, *[11] * 6]
        tied = flight_points(tournament(event("championship", 500, flight("main", 16, ranks))))
        assert tied[5:9] == [(alone[5] + alone[6] + alone[7] + alone[8]) / 4] * 4
        assert tied[9] == alone[9]
        assert tied[10:] == [sum(alone[10:]) / 6] * 6

    def test_all_tied_share_alike(self) -> None:
        """G F t s(N) / N each: with N = 3, 3 · 1 · 10 · 3 / 3."""
        every = flight_points(tournament(event("championship", 300, flight("main", 3, [1] * 3))))
        assert every == [3 * 10] * 3

    def test_an_unlisted_player_keeps_his_part(self) -> None:
        """A withheld semifinalist: the one listed shares ranks 3 and 4 with them all the same."""
        alone = flight_points(tournament(event("championship", 300, flight("main", 4))))
        listed = replace(flight("main", 4, [1, 2, 3]), tied=(1, 1, 2))
        held = tournament(event("championship", 300, listed))
        assert flight_points(held) == [alone[0], alone[1], (alone[2] + alone[3]) / 2]


class TestPoints:
    """
    'the product of G, F, t, s(N_main), and R(r) … normalised by dividing through by the sum of
    R(r)', with 't = 10'
    """

    @pytest.mark.parametrize("fee", [100, 330])
    def test_a_lone_entrant_takes_10_grades(self, fee: int) -> None:
        held = tournament(event("championship", fee, flight("main", 1)))
        assert flight_points(held) == [F(fee, 100) * 1 * 10 * 1]

    def test_two_players(self) -> None:
        """10 · 2 · 1.75 / 2.75 and 10 · 2 · 1 / 2.75."""
        held = tournament(event("championship", 100, flight("main", 2)))
        assert flight_points(held) == [F(140, 11), F(80, 11)]

    @pytest.mark.parametrize(
        ("name", "entrants", "total"),
        [
            ("main", 129, F("3.3") * F("0.7") * 10 * (128 + F(128, 129))),
            ("consolation", 60, F("3.3") * F("0.2") * 10 * (128 + F(128, 129))),
            ("last_chance", 31, F("3.3") * F("0.1") * 10 * (128 + F(128, 129))),
        ],
    )
    def test_a_flight_gives_out_g_f_10_s(self, name: str, entrants: int, total: F) -> None:
        flights = flight("main", 129), flight("consolation", 60), flight("last_chance", 31)
        gained = flight_points(tournament(event("championship", 330, *flights)), name)
        assert len(gained) == entrants
        assert sum(gained) == total

    def test_its_own_field_decides_the_shares_of_a_flight(self) -> None:
        """A Consolation of 2 beside a Main of 4: F = 0.25, s(4) = 4, N = 2."""
        flights = flight("main", 4), flight("consolation", 2)
        held = tournament(event("championship", 100, *flights))
        share = F("0.25") * 10 * 4
        assert flight_points(held, "consolation") == [
            share * F("1.75") / F("2.75"),
            share * 1 / F("2.75"),
        ]

    def test_counts_from_the_last_day_of_the_tournament(self) -> None:
        """Reading W2, though the event was over before."""
        main = event("championship", 300, flight("main", 4))
        held = tournament(main)
        assert [one.effective for one in grants(held)] == [held.end_date]
