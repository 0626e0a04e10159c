"""Prizes by the rule of a notice: exact to the cent, each explained."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.errors import Refused
from palmares.tournaments.notice import Division, Prizes, read
from palmares.tournaments.prizes import example, pool, prizes, rule_in_words
from palmares.tournaments.systems.matches import Placing
from tests.tournaments.test_notice import RIGA

OPEN = Division(name="Open", may_enter="anyone", entry_fee=200, added_money=1000)


def rule(**more: Any) -> Prizes:
    """A rule as a file says it: 50, 30, 10, 10 per cent."""
    return msgspec.convert({"shares": {"main": [50, 30, 10, 10]}} | more, Prizes)


def finish(*ranks: int, flight: str = "main") -> list[Placing]:
    """Placings of players a, b, c, … on ranks."""
    return [
        Placing(flight=flight, player=f"{flight[0]}{number}", rank=rank, rounds_behind=None,
                designated=False)
        for number, rank in enumerate(ranks, 1)
    ]  # fmt: skip


def amounts(*args: Any, **more: Any) -> list[int]:
    return [prize.cents for prize in prizes(*args, **more)]


def test_the_pool_is_fees_less_costs_plus_added_money() -> None:
    """29 x 200 = 5,800; costs 29 x 10 + 5 % of 5,800 + 100 = 290 + 290 + 100; 1,000 added."""
    costly = rule(costs_per_entrant=10, costs_percent=5, costs="100.00")
    field = pool(costly, OPEN, 29)
    assert field.total == 612_000
    assert field.why == (
        "29 entry fees of 200.00 make 5,800.00; less costs of 680.00, plus added money of"
        " 1,000.00: 6,120.00."
    )


def test_costs_above_the_fees_are_refused() -> None:
    with pytest.raises(Refused, match=r"costs of Open are 1,000\.00, and its 4 entry fees make"):
        pool(rule(costs=1000), OPEN, 4)


def test_tied_players_share_the_sum_of_their_places() -> None:
    """10 % + 10 % of 1,000.00 is 200.00, 100.00 each; all four tied for the first: 250.00 each."""
    four = {"main": 8}
    assert amounts(rule(), 100_000, finish(1, 2, 3, 3), four) == [50_000, 30_000, 10_000, 10_000]
    assert amounts(rule(), 100_000, finish(1, 1, 3, 4), four) == [40_000, 40_000, 10_000, 10_000]
    assert amounts(rule(), 100_000, finish(1, 1, 1, 1), four) == [25_000] * 4
    # 4th to 6th share one paid place: 100.00 / 3, and the cent that is left goes to the first
    assert amounts(rule(), 100_000, finish(1, 2, 3, 4, 4, 4), four) == [
        50_001, 30_000, 10_000, 3_333, 3_333, 3_333,
    ]  # fmt: skip


def test_what_rounding_leaves_goes_where_the_rule_says() -> None:
    """1,010.00 in tens: 505 -> 500, 303 -> 300, 101 -> 100 twice; 10.00 is left."""
    placed, field = finish(1, 2, 3, 3), {"main": 8}
    tens = rule(round_to=10)
    assert amounts(tens, 101_000, placed, field) == [51_000, 30_000, 10_000, 10_000]
    last = rule(round_to=10, remainder="last")
    assert amounts(last, 101_000, placed, field) == [50_000, 30_000, 10_500, 10_500]
    why = [prize.why for prize in prizes(last, 101_000, placed, field)]
    assert why[1] == "Place 2 of main: 30 % of 1,010.00 is 303.00, rounded down to 300.00."
    assert why[3] == (
        "Places 3 to 4 of main, shared by 2 players: their shares make 20 % of 1,010.00, each gets"
        " 101.00, rounded down to 100.00, and 5.00 that rounding left."
    )


def test_a_place_that_no_one_could_take_leaves_its_share_to_the_others() -> None:
    """Two entrants: places 3 and 4 cannot be won, so 50 : 30 of all."""
    assert amounts(rule(), 80_000, finish(1, 2), {"main": 2}) == [50_000, 30_000]
    flights = rule(shares={"main": [60, 20], "consolation": [20]})
    assert amounts(flights, 80_000, finish(1, 2), {"main": 8}) == [60_000, 20_000]
    why = prizes(flights, 80_000, finish(1, 2), {"main": 8})[0].why
    assert "(80 % of the shares could be won and take all)" in why


def test_a_paid_place_without_a_player_is_refused() -> None:
    with pytest.raises(Refused, match="No player stands on place 3 of main, which is paid"):
        prizes(rule(), 1000, finish(1, 2), {"main": 8})
    with pytest.raises(Refused, match="How many entered the main"):
        prizes(rule(), 1000, finish(1, 2), {})


def test_ranks_that_do_not_fit_a_tie_are_refused() -> None:
    """Two share rank 2 and take places 2 and 3: the next player is on rank 4."""
    with pytest.raises(Refused, match="no player stands on rank 3"):
        prizes(rule(), 100_00, finish(1, 2, 2, 3), {"main": 8})


def test_a_flight_with_placings_has_as_many_entrants() -> None:
    both = rule(shares={"main": [60, 30], "consolation": [10]})
    placed = [*finish(1, 2), *finish(1, flight="consolation")]
    with pytest.raises(Refused, match="How many entered the consolation"):
        prizes(both, 100_00, placed, {"main": 8})
    with pytest.raises(Refused, match="2 players are placed in the main, which 1 entered"):
        prizes(both, 100_00, placed, {"main": 1, "consolation": 4})


def test_an_agreed_split_is_recorded_as_such() -> None:
    placed, field = finish(1, 2, 3, 3), {"main": 8}
    paid = prizes(rule(), 100_000, placed, field, {"m1": 42_000, "m2": 38_000})
    assert [prize.cents for prize in paid] == [42_000, 38_000, 10_000, 10_000]
    assert paid[0].why.startswith("Agreed among the players: 420.00 in place of 500.00. Place 1")
    with pytest.raises(Refused, match=r"comes to 790\.00, and these players get 800\.00 together"):
        prizes(rule(), 100_000, placed, field, {"m1": 42_000, "m2": 37_000})
    with pytest.raises(Refused, match="m9 has no prize"):
        prizes(rule(), 100_000, placed, field, {"m9": 0})
    both = [*placed, Placing(flight="consolation", player="m1", rank=1, rounds_behind=None,
                             designated=False)]  # fmt: skip
    flights = rule(shares={"main": [50, 30], "consolation": [20]})
    fields = {"main": 8, "consolation": 4}
    paid = prizes(flights, 100, both, fields, {"m1": 60, "m2": 40})  # 50 + 20 and 30 by the rule
    assert [prize.cents for prize in paid] == [40, 40, 20]
    with pytest.raises(Refused, match="m1 would get less than their other prizes"):
        prizes(flights, 100, both, fields, {"m1": 10, "m2": 90})


def test_a_rule_is_said_in_words() -> None:
    sentences = rule_in_words(read(RIGA).notice)
    assert "Costs are 10.00 EUR an entrant." in sentences
    assert "Of the pool, places 1 to 4 of main get 40, 25, 12.5, 12.5 per cent." in sentences
    assert sentences[-1] == "The first place of main gets what rounding leaves."
    field, paid = example(read(RIGA).notice, 32)
    assert sum(prize.cents for prize in paid) == field.total == 708_000


@st.composite
def fields(draw: st.DrawFn) -> tuple[Prizes, int, list[Placing], dict[str, int]]:
    """A rule, a pool, and placings with any ties of one or two flights."""
    parts = draw(st.lists(st.integers(1, 999), min_size=1, max_size=7, unique=True))
    cuts = [0, *sorted(part * 10 for part in parts), 10_000]
    shares = [f"{(b - a) // 100}.{(b - a) % 100:02d}" for a, b in pairwise(cuts)]
    split = draw(st.integers(1, len(shares)))
    table = {"main": shares[:split]} | ({"consolation": shares[split:]} if shares[split:] else {})
    unit = draw(st.sampled_from(["0.01", "0.05", 1, "2.50", 10, 1000]))
    made = rule(shares=table, round_to=unit, remainder=draw(st.sampled_from(["first", "last"])))
    placings: list[Placing] = []
    entrants: dict[str, int] = {}
    for flight in draw(st.sampled_from([["main"], ["main", "consolation"]])):
        groups = draw(st.lists(st.integers(1, 4), min_size=1, max_size=10))
        ranks = [1 + sum(groups[:at]) for at, many in enumerate(groups) for _ in range(many)]
        placings += finish(*ranks, flight=flight)
        entrants[flight] = len(ranks)
    return made, draw(st.integers(0, 10_000_000)), placings, entrants


@given(fields())
def test_prizes_sum_exactly_to_the_pool(
    case: tuple[Prizes, int, list[Placing], dict[str, int]],
) -> None:
    made, total, placings, entrants = case
    paid = prizes(made, total, placings, entrants)
    assert sum(prize.cents for prize in paid) == total
    assert all(prize.cents >= 0 for prize in paid)
    by_rank: dict[tuple[str, int], list[int]] = {}
    for prize in paid:
        by_rank.setdefault((prize.flight, prize.rank), []).append(prize.cents)
    assert all(max(cents) - min(cents) <= 1 for cents in by_rank.values())  # the last cents
    # nobody gets less than one unit below the exact share
    shares = {flight: [Fraction(str(share)) for share in places][: entrants.get(flight, 0)]
              for flight, places in made.shares.items()}  # fmt: skip
    every = sum(sum(places) for places in shares.values())
    for prize in paid:
        tied = len(by_rank[prize.flight, prize.rank])
        places = shares[prize.flight][prize.rank - 1 : prize.rank - 1 + tied]
        exact = Fraction(total) * sum(places) / every / tied
        assert prize.cents > exact - 100 * Fraction(str(made.round_to))
