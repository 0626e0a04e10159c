"""A Swiss: pairs, byes, standings."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.errors import Refused
from palmares.tournaments.systems.event import is_finished, matches, placings, standings
from palmares.tournaments.systems.matches import Progress, Swiss
from palmares.tournaments.systems.swiss import first_pairs, pair_next
from tests.tournaments.systems.events import CHANCE, play_on, players, swiss, won


def paired(setup: Swiss, progress: Progress) -> Progress:
    number = max(match.round for match in matches(setup, progress)) + 1
    return replace(progress, pairings={**progress.pairings, number: pair_next(setup, progress)})


def played_to_the_end(setup: Swiss, rng: Random, troubles: float = 0.0) -> Progress:
    progress = play_on(setup, rng, troubles=troubles)
    while not is_finished(setup, matches(setup, progress)):
        progress = play_on(setup, rng, paired(setup, progress), troubles=troubles)
    return progress


def test_the_first_round() -> None:
    assert first_pairs(swiss(5, 2)) == [("p1", "p2"), ("p3", "p4"), ("p5", None)]
    assert first_pairs(swiss(5, 2, "halves")) == [("p1", "p3"), ("p2", "p4"), ("p5", None)]


def test_eight_players_by_hand() -> None:
    setup = swiss(8, 3)
    progress = Progress(
        outcomes={f"main:1:{number}": won(f"p{2 * number - 1}") for number in (1, 2, 3, 4)}
    )
    # winners p1 p3 p5 p7, losers p2 p4 p6 p8: each group is halved
    assert pair_next(setup, progress) == [
        ("p1", "p5"), ("p3", "p7"), ("p2", "p6"), ("p4", "p8")
    ]  # fmt: skip
    progress = paired(setup, progress)
    second = {"main:2:1": won("p1"), "main:2:2": won("p3"), "main:2:3": won("p2"),
              "main:2:4": won("p4")}  # fmt: skip
    progress = replace(progress, outcomes={**progress.outcomes, **second})
    # two wins: p1 p3; one: p5 p7 p2 p4; none: p6 p8. Opponents of p5: p6 (0) and p1 (2)
    table = {
        s.player: (s.rank, s.wins, s.tie_breaks) for s in standings(setup, matches(setup, progress))
    }
    assert table["p1"] == (1, 2, (2,))
    assert table["p5"] == (3, 1, (2,))
    assert table["p6"] == (7, 0, (2,))
    assert set(map(frozenset, pair_next(setup, progress))) == {
        frozenset(pair) for pair in (("p1", "p3"), ("p5", "p2"), ("p7", "p4"), ("p6", "p8"))
    }


def test_the_bye_goes_to_the_lowest_without_one() -> None:
    setup = swiss(5, 3)
    progress = Progress(outcomes={"main:1:1": won("p1"), "main:1:2": won("p3")})  # p5 had the bye
    assert pair_next(setup, progress)[-1] == ("p4", None)


@given(st.integers(8, 40), st.integers(1, 4), CHANCE)
def test_nobody_meets_twice_or_has_two_byes(many: int, rounds: int, rng: Random) -> None:
    setup = swiss(many, rounds)
    played = matches(setup, played_to_the_end(setup, rng, troubles=0.1))
    for number in range(1, rounds + 1):
        everybody = [who for m in played if m.round == number for who in m.players if who]
        assert sorted(everybody) == sorted(players(many))
    met = Counter(frozenset(match.players) for match in played)
    assert max(met.values()) == 1
    found = [each.rank for each in placings(setup, played)]
    assert len(found) == many
    assert all(rank == 1 + sum(other < rank for other in found) for rank in found)


def test_a_round_that_cannot_be_is_not_paired() -> None:
    progress = Progress(
        outcomes={f"main:{r}:{n}": won(f"p{w}") for r, n, w in
                  [(1, 1, 1), (1, 2, 3), (1, 3, 5), (2, 1, 1), (2, 2, 3), (2, 3, 5)]},
        pairings={2: [("p1", "p4"), ("p3", "p6"), ("p5", "p2")]},
    )  # fmt: skip
    progress = replace(
        progress,
        pairings={**progress.pairings, 3: [("p1", "p6"), ("p3", "p2"), ("p5", "p4")]},
        outcomes={
            **progress.outcomes,
            "main:3:1": won("p1"),
            "main:3:2": won("p3"),
            "main:3:3": won("p5"),
        },
    )
    with pytest.raises(Refused, match="nobody meets twice"):  # two triangles are left
        pair_next(swiss(6, 4), progress)


def test_a_round_that_is_not_over_is_not_followed() -> None:
    with pytest.raises(Refused, match="not over"):
        pair_next(swiss(4, 2), Progress(outcomes={"main:1:1": won("p1")}))
    progress = Progress(outcomes={"main:1:1": won("p1"), "main:1:2": won("p3")})
    with pytest.raises(Refused, match="last round"):
        pair_next(swiss(4, 1), progress)


def test_who_withdrew_is_not_paired() -> None:
    progress = Progress(
        outcomes={"main:1:1": won("p1"), "main:1:2": won("p3")}, withdrawn=frozenset({"p4"})
    )
    assert pair_next(swiss(4, 2), progress) == [("p1", "p3"), ("p2", None)]


def test_512_players_take_seconds_at_most() -> None:
    setup = swiss(512, 9)
    rng = Random(7)  # noqa: S311  made-up results
    progress = play_on(setup, rng)
    slowest = 0.0
    while not is_finished(setup, matches(setup, progress)):
        began = process_time()
        progress = paired(setup, progress)
        slowest = max(slowest, process_time() - began)
        progress = play_on(setup, rng, progress)
    assert slowest < 10
    by_wins = Counter(s.wins for s in standings(setup, matches(setup, progress)))
    assert by_wins[9] == 1
