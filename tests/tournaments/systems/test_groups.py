"""Groups: Berger tables, ties, and who goes on to the bracket."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.tournaments.draw.places import group_sizes, group_starts
from palmares.tournaments.systems.event import matches, placings, standings
from palmares.tournaments.systems.groups import _seeded, berger, ties
from palmares.tournaments.systems.matches import Match, Outcome, Progress
from tests.tournaments.systems.events import CHANCE, groups, play_on, players, won

FIDE = {  # Handbook C.05, Annex 1
    4: "1-4 2-3 | 4-3 1-2 | 2-4 3-1",
    6: "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1",
    8: "1-8 2-7 3-6 4-5 | 8-5 6-4 7-3 1-2 | 2-8 3-1 4-7 5-6 | 8-6 7-5 1-4 2-3"
    " | 3-8 4-2 5-1 6-7 | 8-7 1-6 2-5 3-4 | 4-8 5-3 6-2 7-1",
}


@pytest.mark.parametrize("many", FIDE)
def test_the_tables_of_fide(many: int) -> None:
    expected = [{*round_.split()} for round_ in FIDE[many].split("|")]
    assert [{f"{a}-{b}" for a, b in pairs} for pairs in berger(many)] == expected
    without_last = [{p for p in pairs if str(many) not in p} for pairs in expected]
    assert [{f"{a}-{b}" for a, b in pairs} for pairs in berger(many - 1)] == without_last


@given(st.integers(2, 40))
def test_all_meet_once_and_nobody_twice_in_a_round(many: int) -> None:
    rounds = berger(many)
    met = [frozenset(pair) for pairs in rounds for pair in pairs]
    assert sorted(map(sorted, met)) == sorted(map(list, combinations(range(1, many + 1), 2)))
    for pairs in rounds:
        assert len({who for pair in pairs for who in pair}) == 2 * len(pairs)


def ended(winners: dict[str, str], scores: dict[str, tuple[int, int]] | None = None) -> Progress:
    """Results of group 1 by the numbers of its pairs: {"1-2": "1"}."""
    setup = groups(4, 1)
    outcomes = {}
    for match in matches(setup, Progress()):
        pair = "-".join(sorted(who[1:] for who in match.players if who))
        if pair in winners:
            score = (scores or {}).get(pair)
            outcomes[match.id] = Outcome(winner=f"p{winners[pair]}", score=score)
    return Progress(outcomes=outcomes)


BY_WINS = {"1-2": "1", "1-3": "1", "1-4": "1", "2-3": "2", "2-4": "2", "3-4": "3"}
CIRCLE = {"1-2": "1", "2-3": "2", "1-3": "3", "1-4": "1", "2-4": "2", "3-4": "3"}


def ranks(progress: Progress) -> dict[str, int]:
    setup = groups(4, 1)
    return {each.player: each.rank for each in placings(setup, matches(setup, progress))}


def test_wins_decide() -> None:
    assert ranks(ended(BY_WINS)) == {"p1": 1, "p2": 2, "p3": 3, "p4": 4}


def test_then_the_matches_between_the_tied() -> None:
    winners = BY_WINS | {"1-4": "4", "1-2": "2"}  # wins: 1, 3, 1, 1; p1 lost to p4, beat p3
    progress = ended(winners | {"3-4": "4", "1-3": "1"})
    # wins: p1 1, p2 3, p3 0, p4 2
    assert ranks(progress) == {"p2": 1, "p4": 2, "p1": 3, "p3": 4}
    tied = ended({"1-2": "2", "1-3": "1", "1-4": "1", "2-3": "3", "2-4": "2", "3-4": "3"})
    # two wins each for p1, p2 and p3: p2 beat p1, p3 beat p2, p1 beat p3
    assert ranks(tied) == {"p1": 1, "p2": 1, "p3": 1, "p4": 4}
    two = ended({"1-2": "2", "1-3": "1", "1-4": "1", "2-3": "2", "2-4": "4", "3-4": "3"})
    # two wins for p1 and p2, one for p3 and p4; p2 beat p1, p3 beat p4
    assert ranks(two) == {"p2": 1, "p1": 2, "p3": 3, "p4": 4}


def test_then_the_difference_of_points() -> None:
    scores = {"1-4": (7, 0), "2-4": (7, 6), "3-4": (7, 3)}
    assert ranks(ended(CIRCLE, scores)) == {"p1": 1, "p3": 2, "p2": 3, "p4": 4}
    setup = groups(4, 1)
    table = standings(setup, matches(setup, ended(CIRCLE, scores)))
    assert next((s.player, s.played, s.wins, s.tie_breaks) for s in table) == ("p1", 3, 2, (1, 7))


def test_equals_share_the_rank() -> None:
    assert ranks(ended(CIRCLE)) == {"p1": 1, "p2": 1, "p3": 1, "p4": 4}


def test_a_lot_decides_only_who_goes_on() -> None:
    setup = groups(4, 1, advance=2)
    progress = ended(CIRCLE)
    played = matches(setup, progress)
    assert ties(setup, played, progress) == (("p1", "p2", "p3"),)
    assert (played[-1].id, played[-1].state) == ("main:1:1", "waiting")
    drawn = replace(progress, lots=[["p3", "p1", "p2"]])
    played = matches(setup, drawn)
    assert ties(setup, played, drawn) == ()
    assert (played[-1].players, played[-1].state) == (("p3", "p1"), "ready")
    everybody_but_last = groups(4, 1, advance=3)
    played = matches(everybody_but_last, progress)
    assert ties(everybody_but_last, played, progress) == ()
    assert played[-3].players == ("p1", None)


def test_four_groups_cross() -> None:
    assert _seeded(4, 2) == (
        "G:1:1", "G:3:2", "G:2:2", "G:4:1", "G:3:1", "G:1:2", "G:4:2", "G:2:1"
    )  # fmt: skip


@given(st.integers(2, 128))
def test_two_of_a_group_are_in_different_halves(count: int) -> None:
    lines = _seeded(count, 2)
    half = len(lines) // 2
    for part in (lines[:half], lines[half:]):
        assert Counter(s.split(":")[1] for s in part if s != "-").most_common(1)[0][1] == 1
    byes = [at ^ 1 for at, source in enumerate(lines) if source == "-"]
    assert sorted(lines[at].split(":")[2] for at in byes) == ["1"] * min(len(byes), count) + [
        "2"
    ] * (len(byes) - count)


@given(st.integers(4, 40), st.integers(1, 5), st.integers(0, 2), CHANCE)
def test_everybody_is_placed_once(many: int, count: int, advance: int, rng: Random) -> None:
    count = min(count, many // 3) or 1
    if count * advance == 1:
        advance = 2
    setup = groups(many, count, advance)
    progress = play_on(setup, rng, troubles=0.1)
    while open_ties := ties(setup, matches(setup, progress), progress):
        progress = replace(progress, lots=[*progress.lots, *open_ties])
        progress = play_on(setup, rng, progress)
    played = matches(setup, progress)
    placed = placings(setup, played)
    assert sorted(each.player for each in placed) == sorted(players(many))
    found = [each.rank for each in placed]
    assert all(rank == 1 + sum(other < rank for other in found) for rank in found)
    for start, size in zip(group_starts(many, count), group_sizes(many, count), strict=True):
        members = {*players(many)[start : start + size]}
        inside = [m for m in played if m.flight != "main" and members & {*m.players}]
        assert len(inside) == size * (size - 1) // 2
    if advance:
        assert [each.rank for each in placed].count(1) == 1


def test_who_withdraws_gives_walkovers() -> None:
    setup = groups(4, 1)
    progress = Progress(outcomes=ended({"1-2": "1"}).outcomes, withdrawn=frozenset({"p1"}))
    done: list[Match] = [m for m in matches(setup, progress) if m.state == "done"]
    assert [(m.winner, m.outcome and m.outcome.how) for m in done if m.loser == "p1"] == [
        ("p4", "walkover"), ("p3", "walkover")
    ]  # fmt: skip
    assert won("p1") in [m.outcome for m in done]
