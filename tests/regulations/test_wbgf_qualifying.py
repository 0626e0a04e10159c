"""WBGF World Ranking: which tournaments qualify, said as warnings (reading W19)."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from msgspec.structs import replace

from palmares.core.errors import Location
from palmares.core.rounding import ExchangeRate
from palmares.regulations import wbgf
from palmares.regulations.editions import Rulebook
from palmares.regulations.model import Event, Tournament
from tests.regulations.build_wbgf import book, event, flight, tournament

F = Fraction


def said(held: Tournament, number: type[float | F] = F) -> list[str]:
    return [one.problem.what for one in wbgf.advice(book(number), held)]


def cup(kind: str = "championship", fee: str = "100", field: int = 32, length: int = 9) -> Event:
    return event(kind, fee, flight("main", field, (), match_length=length))


class TestQualifyingTournaments:
    """The conditions of results.wbgf.info/about, each from both sides."""

    def test_one_that_meets_them_all(self) -> None:
        jackpots = [replace(cup("super_jackpot", "250", 8, 7), event_id=str(n)) for n in range(3)]
        assert said(tournament(cup(), cup("intermediate"), *jackpots)) == []

    def test_a_field_of_one(self) -> None:
        (notice,) = wbgf.advice(book(float), tournament(cup(field=1)))
        assert notice.problem.what.startswith("championship: 1 player; to qualify")

    def test_what_a_warning_says(self) -> None:
        (notice,) = wbgf.advice(book(float), tournament(cup(field=29)))
        assert notice.problem.where == "events.csv:2"
        assert notice.problem.what == (
            "championship: 29 players; to qualify: at least 30, unless a national championship"
        )
        assert notice.problem.clause == "wbgf qualifying, reading W19"
        assert "not_counted_in" in notice.problem.remedy

    def test_an_event_without_a_kind_is_pointed_out(self) -> None:
        placed = event("", "100", flight("main", 32))
        (notice,) = wbgf.advice(book(), tournament(cup(), placed))
        assert notice.problem.what.endswith(
            "earns nothing: the report does not say what kind of event it is"
        )
        assert "championship, intermediate, super_jackpot" in notice.problem.remedy
        assert said(tournament(event("", "100"))) == []  # of teams: it has no flights

    def test_live_events_only(self) -> None:
        (notice,) = wbgf.advice(book(), tournament(cup(), setting="online"))
        assert notice.problem.where == "tournaments.csv:2"
        assert notice.problem.what == "Open was played online; to qualify: live events only"

    @pytest.mark.parametrize("kind", ["championship", "intermediate"])
    def test_just_one_of_each_division(self, kind: str) -> None:
        second = replace(cup(kind), where=Location("events.csv", 9))
        (notice,) = wbgf.advice(book(), tournament(cup(kind), second))
        assert notice.problem.where == "events.csv:9"
        assert notice.problem.what == (
            f"Open has 2 {kind} events; to qualify: just one of each division per tournament"
        )

    @pytest.mark.parametrize("number", [float, F])
    @pytest.mark.parametrize(
        ("kind", "fee", "warning"),
        [
            ("championship", "50", []),
            (
                "championship",
                "49.99",
                ["championship: entry fee EUR 49.99; to qualify: at least 50"],
            ),
            ("intermediate", "50", []),
            (
                "intermediate",
                "49.99",
                ["intermediate: entry fee EUR 49.99; to qualify: at least 50"],
            ),
            ("super_jackpot", "250", []),
            (
                "super_jackpot",
                "249.99",
                ["super_jackpot: entry fee EUR 249.99; to qualify: at least 250"],
            ),
        ],
    )
    def test_least_fee(
        self, kind: str, fee: str, warning: list[str], number: type[float | F]
    ) -> None:
        assert said(tournament(cup(kind, fee)), number) == warning

    @pytest.mark.parametrize(
        ("rate", "warnings"),
        [("0.5", []), ("0.4999", ["championship: entry fee EUR 49.99; to qualify: at least 50"])],
    )
    def test_the_fee_counts_in_euro(self, rate: str, warnings: list[str]) -> None:
        of_rate = ExchangeRate(eur_per_unit=F(rate), source="by hand")
        assert said(tournament(cup(fee="100"), currency="USD", rate=of_rate)) == warnings

    @pytest.mark.parametrize(
        ("fee", "warnings"),
        [("1", []), ("0", ["championship: entry fee EUR 0.00; to qualify: at least 50"])],
    )
    def test_without_a_rate_only_no_fee_is_too_little(self, fee: str, warnings: list[str]) -> None:
        assert said(tournament(cup(fee=fee), currency="USD", rate=None)) == warnings

    def test_an_unknown_fee_is_no_small_fee(self) -> None:
        assert said(tournament(replace(cup(), entry_fee=None))) == []

    @pytest.mark.parametrize(
        ("kind", "field", "warned"),
        [
            ("championship", 30, False),
            ("championship", 29, True),
            ("intermediate", 30, False),
            ("intermediate", 29, True),
            ("super_jackpot", 2, False),
        ],
    )
    def test_least_field(self, kind: str, field: int, *, warned: bool) -> None:
        assert bool(said(tournament(cup(kind, "250", field)))) is warned

    def test_national_championships_regardless_of_entrants(self) -> None:
        assert said(tournament(replace(cup(field=8), national_championship=True))) == []

    def test_an_unknown_field_is_no_small_field(self) -> None:
        assert said(tournament(event("championship", 100))) == []

    @pytest.mark.parametrize(
        ("kind", "form", "enough"),
        [
            ("championship", "knockout", 9),
            ("championship", "double_knockout", 9),
            ("championship", "round_robin", 7),
            ("championship", "swiss", 7),
            ("intermediate", "knockout", 9),
            ("super_jackpot", "knockout", 7),
            ("super_jackpot", "round_robin", 7),
        ],
    )
    def test_least_length_of_matches(self, kind: str, form: str, enough: int) -> None:
        def of_length(length: int) -> Tournament:
            main = flight("main", 32, (), match_length=length, format=form)
            return tournament(event(kind, 250, main))

        assert said(of_length(enough)) == []
        assert said(of_length(enough - 1)) == [
            f"{kind}: {enough - 1}-point matches; to qualify: at least {enough}"
        ]

    def test_an_unknown_length_is_not_short(self) -> None:
        assert said(tournament(event("championship", 100, flight("main", 32)))) == []

    def test_other_events_are_of_no_concern(self) -> None:
        assert said(tournament(cup("other", "1", 2, 1))) == []


def test_nothing_is_said_where_no_edition_is_in_force() -> None:
    (held,) = book().all
    later = replace(held, edition=replace(held.edition, in_force=date(2099, 1, 1)))
    assert list(wbgf.advice(Rulebook("wbgf", (later,)), tournament(cup(field=2)))) == []
