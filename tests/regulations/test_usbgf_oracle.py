"""USBGF: random events, worked out on fractions, on floats, compiled, and by the oracle."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.points.awards import work
from palmares.points.kernels import apply
from palmares.regulations.model import Flight, Tournament
from tests.amounts import amount
from tests.points.kernels.listed import listed
from tests.regulations import oracle_usbgf as oracle
from tests.regulations.usbgf_events import (
    ALWAYS,
    book,
    event,
    exact_points,
    flight,
    grants,
    told,
    tournament,
    won,
)

TYPES = {
    "USBGF National Championship": Fraction(6, 5),
    "USBGF Blitz": Fraction(3, 5),
    "ABT Main Event": Fraction(1),
}
DATES = {"2015-05": date(2017, 3, 5), "2019-01": date(2019, 3, 3)}


@st.composite
def placings(draw: st.DrawFn, name: str) -> list[oracle.Placing]:
    """A flight with ties, players who are not named, and designated places or none."""
    found: list[oracle.Placing] = []
    rank = 1
    chosen = draw(st.integers(0, 5))
    for place, size in enumerate(draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))):
        tied = min(size, 2 ** oracle.rounds_behind(rank) - rank + 1)
        named = draw(st.integers(0 if place else 1, tied))
        found += [
            oracle.Placing(f"{name}-{rank}-{one}", rank, tied, place < chosen)
            for one in range(named)
        ]
        rank += tied
    return found


@st.composite
def cases(draw: st.DrawFn) -> tuple[oracle.Case, str]:
    """An event and the name of its type."""
    kind = draw(st.sampled_from(sorted(TYPES)))
    flights = draw(st.sampled_from([1, 2, 3]))
    placed = {name: draw(placings(name)) for name in oracle.FLIGHTS[:flights]}
    people = sorted({one.player for each in placed.values() for one in each})
    wins = [
        oracle.Win(draw(st.sampled_from(people)), length, draw(st.sampled_from([1, 1, 1, 2, 3])))
        for length in draw(st.lists(st.integers(1, 25), max_size=12))
    ]
    case = oracle.Case(
        edition=draw(st.sampled_from(sorted(DATES))),
        event_weight=TYPES[kind],
        division=draw(st.integers(1, 6)),
        players=draw(st.integers(16, 400)),
        bracket=draw(st.booleans()),
        flights=placed,
        wins=wins,
        members=draw(st.sets(st.sampled_from(people))),
    )
    return case, kind


def report(case: oracle.Case, kind: str, order: Random | None = None) -> Tournament:
    """The same event as a report, its rows in any order."""
    flights = []
    for name, found in case.flights.items():
        rows = list(found)
        if order:
            order.shuffle(rows)
        flights.append(
            Flight(
                name=name,
                entrants=case.players,
                format="knockout" if case.bracket else "swiss",
                players=tuple(one.player for one in rows),
                ranks=tuple(one.rank for one in rows),
                tied=tuple(one.tied for one in rows),
                designated=tuple(one.designated for one in rows),
                rounds_behind=(None,) * len(rows),
            )
        )
    matches = [
        won(one.player, one.length, match_id=f"m{number:02}", wins=one.wins, status="series")
        if one.wins > 1
        else won(one.player, one.length, match_id=f"m{number:02}")
        for number, one in enumerate(case.wins)
    ]
    if order:
        order.shuffle(matches)
    held = event(
        event_type=kind,
        division_ranks=(case.division,),
        entrants=case.players,
        flights=flights,
        matches=matches,
    )
    return tournament(held, end_date=DATES[case.edition])


def points(
    case: oracle.Case, kind: str, number: Any, order: Random | None = None
) -> dict[Any, Any]:
    """Our points by player and kind."""
    members = dict.fromkeys(case.members, ALWAYS)
    given_by = grants(report(case, kind, order), book(number=number), members)
    return {key[:2]: value for key, value in exact_points(given_by).items()}


@given(drawn=cases())
@settings(max_examples=amount(5_000), deadline=None)
def test_fractions_and_floats_agree_with_the_oracle(drawn: tuple[oracle.Case, str]) -> None:
    case, kind = drawn
    exact, quick = (points(case, kind, number) for number in (Fraction, float))
    known = {(player, "match"): value for player, value in oracle.match_points(case).items()}
    known |= {
        (player, "placement"): value for player, value in oracle.placement_points(case).items()
    }
    assert set(exact) == set(quick) == set(known)
    for key, value in known.items():
        assert abs(exact[key] - Fraction(value)) < Fraction(1, 10**50)
        assert abs(Decimal(quick[key]) - value) < Decimal("1e-9")


@given(drawn=cases(), seed=st.integers(0, 99))
@settings(max_examples=amount(2_000), deadline=None)
def test_the_order_of_rows_changes_nothing(drawn: tuple[oracle.Case, str], seed: int) -> None:
    case, kind = drawn
    assert points(case, kind, float) == points(case, kind, float, Random(seed))  # noqa: S311


DAYS = st.one_of(
    st.dates(date(2018, 12, 26), date(2019, 1, 5)), st.dates(date(2015, 4, 28), date(2015, 5, 4))
)


@st.composite
def online_events(draw: st.DrawFn) -> oracle.OnlineEvent:
    """Days on both sides of an edition's first, some of them not known."""
    matches = draw(st.lists(st.none() | DAYS, min_size=1, max_size=5))
    last = max((day for day in matches if day), default=date(2015, 4, 28))
    completed = draw(st.none() | st.dates(last, date(2019, 1, 7)))
    return oracle.OnlineEvent(matches, completed, draw(st.dates(last, date(2019, 1, 31))))


@given(held=online_events())
@settings(max_examples=amount(5_000), deadline=None)
def test_online_days_and_editions_agree_with_the_oracle(held: oracle.OnlineEvent) -> None:
    matches = [won("ada", 9, on=day, match_id=f"m{n}") for n, day in enumerate(held.matches)]
    report = tournament(
        event(
            event_type="Circuit Monthly",
            completed_on=held.completed,
            flights=[flight("main", "1* ada")],
            matches=matches,
        ),
        setting="online",
        end_date=held.end,
    )
    found = exact_points(grants(report))
    assert {(kind, day): points for (_, kind, _, day), points in found.items()} == (
        oracle.online_points(held)
    )
    warned = any("day of the last match" in one for one in told(report))
    in_force = oracle.edition_of(held.end) is not None
    assert warned == (held.completed is None and not any(held.matches) and in_force)


@given(drawn=cases())
@settings(max_examples=amount(3_000), deadline=None)
def test_a_better_place_never_earns_less(drawn: tuple[oracle.Case, str]) -> None:
    case, kind = drawn
    everybody = {one.player for each in case.flights.values() for one in each}
    found = points(replace(case, members=everybody), kind, Fraction)
    for each in case.flights.values():
        ranked = sorted(
            (one for one in each if (one.player, "placement") in found), key=lambda one: one.rank
        )
        for better, worse in pairwise(ranked):
            assert found[better.player, "placement"] >= found[worse.player, "placement"]


@given(drawn=cases())
@settings(max_examples=amount(3_000), deadline=None)
def test_strangers_change_nobody_s_points(drawn: tuple[oracle.Case, str]) -> None:
    case, kind = drawn
    everybody = {one.player for each in case.flights.values() for one in each}
    all_of_them = points(replace(case, members=everybody), kind, Fraction)
    assert points(case, kind, Fraction) == {
        key: value for key, value in all_of_them.items() if key[0] in case.members
    }


@given(drawn=cases())
@settings(max_examples=amount(3_000), deadline=None)
def test_the_points_of_an_event_are_those_of_its_ranks(drawn: tuple[oracle.Case, str]) -> None:
    """With every place named and designated, splitting ranks loses nothing and makes nothing."""
    case, kind = drawn
    everyone = {
        name: [
            oracle.Placing(f"{name}-{rank}-{place}", rank, tied, designated=True)
            for rank, tied in places_of(found).items()
            for place in range(tied)
        ]
        for name, found in case.flights.items()
    }
    everybody = {one.player for each in everyone.values() for one in each}
    found = points(replace(case, flights=everyone, members=everybody, wins=[]), kind, Fraction)
    weight = case.event_weight * oracle.division_weight(case.division)
    weight *= oracle.WEIGHT_OF_RANK_POINTS[case.edition]
    factors = sum(oracle.rank_factor(rank) for rank in range(1, len(everybody) + 1))
    assert abs(2 ** float(sum(found.values()) / (weight * factors)) - case.players) < 1e-6


def places_of(found: list[oracle.Placing]) -> dict[int, int]:
    """How many share each rank of a flight; ranks nobody has are one player's each."""
    tied = {one.rank: one.tied for one in found}
    taken = {rank + more for rank, many in tied.items() for more in range(many)}
    return tied | {rank: 1 for rank in range(1, max(tied)) if rank not in taken}


def test_compiled_counts_the_same() -> None:
    """Many events at once through the machine code of the same clauses."""
    drawn = Random(7)  # noqa: S311
    given_by = []
    for number in range(40):
        size = drawn.randint(16, 300)
        ranks = [1, 2, 3, 3, 5, 5, 5, 5]
        main = Flight(
            name="main",
            entrants=size,
            players=tuple(f"p{number}-{place}" for place in range(8)),
            ranks=tuple(ranks),
            tied=tuple(ranks.count(rank) for rank in ranks),
            designated=(True,) * 8,
            rounds_behind=(None,) * 8,
        )
        matches = [won(f"p{number}-{one % 8}", drawn.randint(1, 25)) for one in range(20)]
        held = event(
            entrants=size, division_ranks=(number % 6 + 1,), flights=[main], matches=matches
        )
        on = drawn.choice(sorted(DATES.values()))
        given_by += grants(tournament(held, end_date=on), book(number=float))
    plain, compiled = work(given_by), listed(apply.work(given_by, None))
    assert [one.nanopoints for one in plain] == [one.nanopoints for one in compiled]


@pytest.mark.parametrize("players", [110, 96, 12])
def test_the_oracle_knows_the_example(players: int) -> None:
    assert oracle.remaining(players) == {110: 16, 96: 16, 12: 2}[players]
