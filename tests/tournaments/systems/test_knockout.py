"""Knockouts: brackets with byes, fed flights, a second bracket with the final again."""

from __future__ import annotations

from collections import Counter
from random import Random
from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from palmares.tournaments.systems.event import matches, placings
from palmares.tournaments.systems.matches import AnySetup, Flight, Match, Outcome, Progress
from tests.tournaments.systems.events import CHANCE, knockout, play_on, won

PROGRESSIVE = [("consolation", "main", [1, 2])]
SIZES = st.integers(2, 70)


def by_id(played: tuple[Match, ...]) -> dict[str, Match]:
    return {match.id: match for match in played}


def ranks(setup: AnySetup, progress: Progress, flight: str = "main") -> dict[str, int]:
    placed = placings(setup, matches(setup, progress))
    return {each.player: each.rank for each in placed if each.flight == flight}


def test_five_players_by_hand() -> None:
    setup = knockout(5)  # lines: 1 - 5 4 3 - - 2
    played = by_id(matches(setup, Progress()))
    assert setup.places == ["p1", None, "p5", "p4", "p3", None, None, "p2"]
    assert [m.state for m in played.values()] == [
        "bye", "ready", "bye", "bye", "waiting", "ready", "waiting"
    ]  # fmt: skip
    assert played["main:2:1"].players == ("p1", None)
    assert played["main:2:2"].players == ("p3", "p2")
    progress = Progress(
        outcomes={"main:1:2": won("p5"), "main:2:1": won("p5"), "main:2:2": won("p2"),
                  "main:3:1": won("p2")}
    )  # fmt: skip
    assert ranks(setup, progress) == {"p2": 1, "p5": 2, "p1": 3, "p3": 3, "p4": 5}
    behind = {p.player: p.rounds_behind for p in placings(setup, matches(setup, progress))}
    assert behind == {"p2": 0, "p5": 1, "p1": 2, "p3": 2, "p4": 3}


def test_who_meets_an_empty_slot_goes_on() -> None:
    setup = knockout(5, PROGRESSIVE)
    progress = Progress(
        outcomes={"main:1:2": won("p5"), "main:2:1": won("p5"), "main:2:2": won("p2")}
    )
    played = by_id(matches(setup, progress))
    assert played["consolation:1:1"].state == "bye"  # p4, the only loser of round 1
    assert played["consolation:1:2"].state == "empty"
    assert played["consolation:2:1"].players == ("p4", "p3")  # the loser from the other half
    assert played["consolation:2:2"].state == "bye"
    assert played["consolation:2:2"].winner == "p1"


def test_lengths_round_by_round() -> None:
    flights = [Flight(name="main", lengths=[5, 7]), Flight(name="consolation", lengths=[3])]
    played = by_id(matches(knockout(8, PROGRESSIVE, flights=flights), Progress()))
    assert [played[f"main:{number}:1"].length for number in (1, 2, 3)] == [5, 7, 7]
    assert played["consolation:2:1"].length == 3


def test_the_final_again() -> None:
    setup = knockout(4, [("second", "main", [1, 2])], final_again=True)
    outcomes = {
        "main:1:1": won("p1"), "main:1:2": won("p2"), "main:2:1": won("p1"),
        "second:1:1": won("p4"), "second:2:1": won("p4"), "final:1:1": won("p1"),
    }  # fmt: skip
    assert by_id(matches(setup, Progress(outcomes=outcomes)))["final:2:1"].state == "empty"
    assert ranks(setup, Progress(outcomes=outcomes)) == {"p1": 1, "p4": 2, "p2": 3, "p3": 4}
    outcomes["final:1:1"] = won("p4")
    again = by_id(matches(setup, Progress(outcomes=outcomes)))["final:2:1"]
    assert (again.state, {*again.players}) == ("ready", {"p1", "p4"})
    assert ranks(setup, Progress(outcomes=outcomes)) == {}
    outcomes["final:2:1"] = won("p4")
    assert ranks(setup, Progress(outcomes=outcomes)) == {"p4": 1, "p1": 2, "p2": 3, "p3": 4}


def test_a_double_no_show_leaves_both_out() -> None:
    setup = knockout(4, [("consolation", "main", [1])])
    progress = Progress(outcomes={"main:1:1": Outcome(winner=None, how="double_no_show")})
    played = by_id(matches(setup, progress))
    assert played["main:2:1"].state == "waiting"
    progress = Progress(outcomes={**progress.outcomes, "main:1:2": won("p2")})
    played = by_id(matches(setup, progress))
    assert (played["main:2:1"].state, played["main:2:1"].winner) == ("bye", "p2")
    assert played["consolation:1:1"].winner == "p3"
    assert ranks(setup, progress) == {"p2": 1, "p1": 2, "p4": 2, "p3": 2}


def test_who_withdraws_loses_and_enters_no_other_flight() -> None:
    setup = knockout(4, [("consolation", "main", [1])])
    played = by_id(matches(setup, Progress(withdrawn=frozenset({"p1"}))))
    first = played["main:1:1"]
    assert first.outcome == Outcome(winner="p4", how="walkover")
    assert (first.state, first.loser) == ("done", "p1")
    progress = Progress(outcomes={"main:1:2": won("p2")}, withdrawn=frozenset({"p1"}))
    assert by_id(matches(setup, progress))["consolation:1:1"].winner == "p3"


def test_who_withdraws_after_a_consolation_match_keeps_it() -> None:
    setup = knockout(4, [("consolation", "main", [1])])
    outcomes = {"main:1:1": won("p1"), "main:1:2": won("p2"), "consolation:1:1": won("p3")}
    progress = Progress(outcomes=outcomes, withdrawn=frozenset({"p4"}))
    assert ranks(setup, progress, "consolation") == {"p3": 1, "p4": 2}


def is_complete(places: list[int]) -> bool:
    """Whether ranks are competition ranks: one more than those who finished better."""
    return all(rank == 1 + sum(other < rank for other in places) for rank in places)


@given(SIZES, CHANCE)
def test_one_loses_nothing_and_all_others_once(many: int, rng: Random) -> None:
    setup = knockout(many)
    progress = play_on(setup, rng)
    played = matches(setup, progress)
    losers = Counter(match.loser for match in played if match.state == "done")
    assert len(losers) == many - 1
    assert set(losers.values()) == {1}
    found = ranks(setup, progress)
    assert len(found) == many
    assert is_complete([*found.values()])
    assert list(found.values()).count(1) == 1


@given(SIZES.filter(lambda many: many > 3), CHANCE)
def test_a_double_knockout_takes_two_losses(many: int, rng: Random) -> None:
    rounds = list(range(1, (many - 1).bit_length() + 1))
    setup = knockout(many, [("second", "main", rounds)], final_again=True)
    progress = play_on(setup, rng)
    played = matches(setup, progress)
    losses = Counter(match.loser for match in played if match.state == "done")
    found = ranks(setup, progress)
    winner = next(who for who, rank in found.items() if rank == 1)
    assert losses[winner] <= 1
    assert all(losses[who] == 2 for who in found if who != winner)
    assert len(found) == many
    assert is_complete([*found.values()])


@given(SIZES.filter(lambda many: many > 4), CHANCE)
def test_flights_with_troubles_rank_each_player_once(many: int, rng: Random) -> None:
    last = (many - 1).bit_length()
    feeds = [("consolation", "main", list(range(1, last))), ("last-chance", "consolation", [1, 2])]
    setup = knockout(many, feeds)
    progress = play_on(setup, rng, troubles=0.2)
    played = matches(setup, progress)
    placed = placings(setup, played)
    for flight in ("main", "consolation", "last-chance"):
        in_flight = {who for m in played if m.flight == flight for who in m.players if who}
        found = [(each.player, each.rank) for each in placed if each.flight == flight]
        assert {who for who, _ in found} == in_flight
        assert len(found) == len(in_flight)
        assert is_complete([rank for _, rank in found])


@given(st.integers(3, 5), CHANCE)
def test_nobody_soon_meets_again_in_the_consolation(rounds: int, rng: Random) -> None:
    many = 2**rounds
    setup = knockout(many, [("consolation", "main", [1, 2])])
    progress = play_on(setup, rng)
    played = matches(setup, progress)
    last = max(match.round for match in played if match.flight == "consolation")
    met = {frozenset(m.players) for m in played if m.flight == "main"}
    early = [m for m in played if m.flight == "consolation" and m.round < last]
    assert not any(frozenset(match.players) in met for match in early)


def test_4096_entrants_take_no_time() -> None:
    rounds = list(range(1, 12))
    setup = knockout(4096, [("consolation", "main", rounds), ("last", "consolation", [1, 2])])
    progress = play_on(setup, Random(1))  # noqa: S311  made-up results
    times = []
    for _ in range(3):
        began = process_time()
        played = matches(setup, progress)
        times.append(process_time() - began)
    assert len(played) == 4095 + 4095 + 2045
    assert min(times) < 0.2  # 0.05 s
