"""WBGF World Ranking: made-up tournaments against the printed closed formula."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from palmares.points.kernels.formulas import plain
from palmares.regulations.model import Flight, Tournament
from tests.amounts import amount
from tests.regulations import oracle_wbgf as oracle
from tests.regulations.build_wbgf import (
    book,
    event,
    flight,
    flight_points,
    grants,
    points,
    tournament,
)

F = Fraction

EXACT, FLOAT = book(F), book(float)
money = st.decimals(0, 2000, places=2).map(F)


@st.composite
def ranks(draw: st.DrawFn, entrants: int) -> list[int]:
    """Competition ranks of a whole field, with ties of any size."""
    found: list[int] = []
    while len(found) < entrants:
        size = draw(st.integers(1, min(9, entrants - len(found))))
        found += [len(found) + 1] * size
    return found


@st.composite
def championships(draw: st.DrawFn) -> Tournament:
    """A championship of any printed shape."""
    others = draw(st.sampled_from(list(oracle.FORMAT_FACTORS)))[1:]
    flights: list[Flight] = []
    for name in ("main", *others):
        entrants = draw(st.integers(1, 160 if name == "main" else 40))
        flights.append(flight(name, entrants, draw(ranks(entrants))))
    main = event("championship", draw(money), *flights)
    main = replace(main, added_money=draw(money), bonus_grade=draw(st.none() | st.just(F("0.5"))))
    return tournament(main)


def expected(held: Tournament) -> list[F]:
    """Every placing's points by the printed formula."""
    (event,) = held.events
    main, *_ = event.flights
    assert event.entry_fee is not None
    assert event.added_money is not None
    grade = oracle.grade(
        event.entry_fee, event.added_money, main.entrants, event.bonus_grade or F(0)
    )
    factors = oracle.FORMAT_FACTORS[tuple(one.name for one in event.flights)]
    return [
        oracle.points(grade, factors[one.name], main.entrants, one.entrants, rank, tied)
        for one in event.flights
        for rank, tied in zip(one.ranks, one.tied, strict=True)
    ]


@given(held=championships())
@settings(max_examples=amount(1_000), deadline=None)
def test_fractions_are_the_printed_formula(held: Tournament) -> None:
    assert list(points(held, EXACT).values()) == expected(held)


@given(held=championships())
@settings(max_examples=amount(2_000), deadline=None)
def test_floats_are_within_a_billionth_of_it(held: Tournament) -> None:
    assert list(points(held, FLOAT).values()) == pytest.approx(expected(held), rel=1e-12, abs=1e-9)


@given(held=championships())
@settings(max_examples=amount(1_000), deadline=None)
def test_counted_points_are_within_a_nanopoint_of_it(held: Tournament) -> None:
    nano = [one for work in plain(grants(held, FLOAT), None) for one in work.nanopoints]
    for ours, exact in zip(nano, expected(held), strict=True):
        assert abs(ours - exact * 10**9) <= 1


@pytest.mark.parametrize("entrants", [1, 2, 3, 9, 31, 129, 338])
@pytest.mark.parametrize("name", ["main", "last_chance"])
def test_a_flight_gives_out_exactly_g_f_10_s(entrants: int, name: str) -> None:
    """'the sum of all performance points of a flight is exactly G F 10 s(N_main)'."""
    flights = flight("main", entrants), flight("last_chance", entrants)
    held = tournament(event("championship", 200, *flights))
    factor = {"main": F("0.9"), "last_chance": F("0.1")}[name]
    assert sum(flight_points(held, name)) == 2 * factor * 10 * oracle.size(entrants)


@given(held=championships())
@example(tournament(event("championship", 0, flight("main", 3), added_money=F(1))))
@settings(max_examples=amount(1_000), deadline=None)
def test_a_better_rank_never_earns_less(held: Tournament) -> None:
    """Nor, in one flight, do equal ranks earn differently; all the same after counting."""
    for work in plain(grants(held, FLOAT), None):
        rows = sorted(zip(work.grant.columns["rank"], work.nanopoints, strict=True))
        for (rank, gained), (behind, less) in pairwise(rows):
            assert gained >= less
            assert rank != behind or gained == less


@given(held=championships(), data=st.data())
@settings(max_examples=amount(1_000), deadline=None)
def test_the_order_of_rows_and_events_changes_nothing(
    held: Tournament, data: st.DataObject
) -> None:
    (one,) = held.events
    other = event("super_jackpot", 300, flight("main", 5))
    shuffled = []
    for flown in data.draw(st.permutations(one.flights)):
        order = data.draw(st.permutations(range(len(flown.players))))
        columns: dict[str, Any] = {
            name: tuple(getattr(flown, name)[place] for place in order)
            for name in ("players", "ranks", "tied")
        }
        shuffled.append(replace(flown, **columns))
    again = replace(held, events=(other, replace(one, flights=tuple(shuffled))))
    assert points(again, FLOAT) == points(replace(held, events=(one, other)), FLOAT)


@given(entrants=st.integers(1, 200), fee=money)
@settings(max_examples=amount(1_000), deadline=None)
def test_a_better_grade_never_earns_less(entrants: int, fee: F) -> None:
    at_fee, at_more = (
        flight_points(tournament(event("championship", paid, flight("main", entrants))))
        for paid in (fee, fee + 1)
    )
    assert all(more >= less for more, less in zip(at_more, at_fee, strict=True))
