"""What is played next, what a correction changes, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.tournaments.draw.announcement import Feed
from palmares.tournaments.systems.checks import check_lot, check_outcome, check_setup
from palmares.tournaments.systems.event import (
    Consequences,
    changes,
    is_finished,
    matches,
    next_matches,
)
from palmares.tournaments.systems.matches import AnySetup, Flight, Outcome, Progress
from tests.tournaments.systems.events import CHANCE, groups, knockout, play_on, swiss, won

PROGRESSIVE = [("consolation", "main", [1, 2])]


def consequences(
    setup: AnySetup, progress: Progress, match: str, outcome: Outcome | None
) -> Consequences:
    """What follows when a match ended otherwise; none: it has not ended."""
    outcomes = {name: other for name, other in progress.outcomes.items() if name != match}
    outcomes |= {match: outcome} if outcome else {}
    return changes(setup, progress, replace(progress, outcomes=outcomes))


def next_ids(setup: AnySetup, progress: Progress) -> list[str]:
    return [match.id for match in next_matches(matches(setup, progress), progress)]


def test_who_waited_longest_plays_next() -> None:
    setup = knockout(8, PROGRESSIVE)
    outcomes: dict[str, Outcome] = {}
    for number in (1, 2, 4):
        played = matches(setup, Progress(outcomes=outcomes))
        match = next(m for m in played if m.id == f"main:1:{number}")
        outcomes[match.id] = won(match.players[0] or "")
    assert next_ids(setup, Progress(outcomes=outcomes)) == [
        "main:1:3",  # nobody in it has played yet
        "main:2:1", "consolation:1:1",  # since the second result
    ]  # fmt: skip


def test_nobody_is_called_to_two_matches() -> None:
    setup = groups(5, 1)
    called = next_matches(matches(setup, Progress()), Progress())
    assert [match.round for match in called] == [1, 1]
    outcomes = {called[0].id: won(called[0].players[0] or "")}
    again = next_matches(matches(setup, Progress(outcomes=outcomes)), Progress(outcomes=outcomes))
    assert len({who for match in again for who in match.players}) == 2 * len(again) == 4


def test_a_correction_shows_what_follows() -> None:
    setup = knockout(4, [("consolation", "main", [1])])
    outcomes = {"main:1:1": won("p1"), "main:1:2": won("p2"), "main:2:1": won("p2"),
                "consolation:1:1": won("p3")}  # fmt: skip
    progress = Progress(outcomes=outcomes)
    after = consequences(setup, progress, "main:1:1", won("p4"))
    assert [(c.id, c.players, c.dropped) for c in after.changed] == [
        ("main:2:1", ("p4", "p2"), won("p2")),
        ("consolation:1:1", ("p1", "p3"), won("p3")),
    ]
    assert after.progress.outcomes == {"main:1:1": won("p4"), "main:1:2": won("p2")}
    assert consequences(setup, progress, "main:2:1", won("p1")).changed == ()
    undone = consequences(setup, progress, "main:1:2", None)
    assert [(c.id, c.players) for c in undone.changed] == [
        ("main:2:1", ("p1", None)), ("consolation:1:1", ("p4", None))
    ]  # fmt: skip
    assert [*undone.progress.outcomes] == ["main:1:1"]


def test_a_withdrawal_shows_what_follows() -> None:
    setup = knockout(4, [("consolation", "main", [1])])
    before = Progress(outcomes={"main:1:1": won("p1"), "main:1:2": won("p2")})
    after = changes(setup, before, replace(before, withdrawn=frozenset({"p4"})))
    assert [(c.id, c.players) for c in after.changed] == [("consolation:1:1", (None, "p3"))]
    assert after.progress.outcomes == before.outcomes


def replayed(setup: AnySetup, order: list[str], outcomes: dict[str, Outcome],
             before: dict[str, tuple[str | None, str | None]]) -> dict[str, Outcome]:  # fmt: skip
    """Enter results one after the other; one of a match that others play now is not entered."""
    entered: dict[str, Outcome] = {}
    for key in order:
        match = next(m for m in matches(setup, Progress(outcomes=entered)) if m.id == key)
        if match.state == "ready" and {*match.players} == {*before[key]}:
            entered[key] = outcomes[key]
    return entered


@given(st.integers(3, 16), CHANCE, st.booleans())
def test_a_correction_is_the_same_as_entering_all_anew(
    many: int, rng: Random, undone: bool
) -> None:
    feeds = [("consolation", "main", list(range(1, (many - 1).bit_length() + 1)))]
    setup = knockout(many, feeds, final_again=True)
    progress = play_on(setup, rng)
    played = {match.id: match for match in matches(setup, progress)}
    key = rng.choice([*progress.outcomes])
    other = next(who for who in played[key].players if who and who != played[key].winner)
    after = consequences(setup, progress, key, None if undone else won(other))
    outcomes = dict(progress.outcomes)
    outcomes[key] = won(other)
    order = [each for each in outcomes if not undone or each != key]
    before = {match.id: match.players for match in played.values()}
    expected = replayed(setup, order, outcomes, before)
    assert after.progress.outcomes == expected
    dropped = {c.id: c.dropped for c in after.changed if c.dropped}
    gone = {each for each in progress.outcomes if each not in expected} - {key}
    assert {*dropped} == gone


def test_an_event_is_finished_when_nothing_is_left() -> None:
    setup = swiss(4, 2)
    first = Progress(outcomes={"main:1:1": won("p1"), "main:1:2": won("p3")})
    assert not is_finished(setup, matches(setup, Progress()))
    assert not is_finished(setup, matches(setup, first))
    both = replace(first, pairings={2: [("p1", "p3"), ("p2", "p4")]})
    assert not is_finished(setup, matches(setup, both))
    more = {"main:2:1": won("p1"), "main:2:2": won("p2")}
    assert is_finished(setup, matches(setup, replace(both, outcomes={**both.outcomes, **more})))


EIGHT = knockout(8, PROGRESSIVE)
WRONG_SETUPS = [
    ("entrants", EIGHT, {"places": ["p1", "p1", *EIGHT.places[2:]]}, "p1 has two places"),
    ("entrants", EIGHT, {"places": ["p1", None]}, "1 entrants"),
    ("entrants", EIGHT, {"places": EIGHT.places[:3], "feeds": []}, "2, 4, 8, ... places, not 3"),
    ("names", EIGHT, {"names": {**EIGHT.names, "p3": " "}}, "p3 has no name"),
    ("feeds", EIGHT, {"feeds": [Feed(name="c", of="main", rounds=[4])]}, "no such round"),
    ("feeds", EIGHT, {"feeds": [Feed(name="final", of="main", rounds=[1])]}, "name final"),
    ("feeds", EIGHT, {"final_again": True}, "fed by every round"),
    ("flights", EIGHT, {"flights": []}, "must be main"),
    ("flights", EIGHT, {"flights": [Flight(name="main", lengths=[7])] * 2}, "same name"),
    ("flights", EIGHT, {"flights": [Flight(name="main", lengths=[7]),
                                    Flight(name="x", lengths=[7])]}, "the flight x"),
    ("best_of", EIGHT, {"flights": [Flight(name="main", best_of=2, lengths=[7])]}, "even number"),
    ("groups", groups(8, 2), {"groups": 5}, "5 groups for 8 entrants"),
    ("groups", groups(8, 2), {"advance": 4}, "4 of a group go on"),
    ("groups", groups(8, 1), {"advance": 1}, "1 players go on"),
    ("entrants", groups(8, 2), {"places": [None, *groups(8, 2).places[1:]]}, "without a player"),
    ("rounds", swiss(6, 3), {"rounds": 4}, "4 rounds for 6 players"),
    ("entrants", swiss(600, 3), {}, "600 entrants"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "setup", "change", "words"), WRONG_SETUPS)
def test_a_setup_that_cannot_be(
    code: str, setup: AnySetup, change: dict[str, object], words: str
) -> None:
    problems = check_setup(msgspec.structs.replace(setup, **change))
    assert code in [problem.code for problem in problems]
    assert words in " ".join(problem.what for problem in problems)
    assert all(problem.remedy for problem in problems)


@pytest.mark.parametrize("setup", [EIGHT, knockout(2), groups(8, 2, 2), groups(5, 1), swiss(9, 4),
    knockout(5, [("second", "main", [1, 2, 3])], final_again=True)])  # fmt: skip
def test_a_setup_that_can_be(setup: AnySetup) -> None:
    assert check_setup(setup) == ()


SERIES = [Flight(name="main", lengths=[5], best_of=3)]
WRONG_OUTCOMES = [
    ("not_ready", "main:3:1", won("p1"), "not known yet"),
    ("winner", "main:1:1", won("p5"), "P5 does not play"),
    ("how", "main:1:1", Outcome(winner=None), "winner is missing"),
    ("how", "main:1:1", Outcome(winner="p1", how="double_no_show"), "no winner"),
    ("score", "main:1:1", Outcome(winner="p1", score=(6, 3)), "the winner has 6 of 7"),
    ("score", "main:1:1", Outcome(winner="p1", score=(7, 7)), "the loser has 7"),
    ("score", "main:1:1", Outcome(winner="p1", score=(7, 3), length=9), "the winner has 7 of 9"),
    ("score", "main:1:1", Outcome(winner="p1", how="walkover", score=(7, 0)), "no score"),
    ("score", "main:1:1", Outcome(winner="p1", how="retired", score=(7, 0)), "was played"),
    ("score", "main:1:1", Outcome(winner="p1", wins=(2, 0)), "no series"),
]


@pytest.mark.parametrize(("code", "key", "outcome", "words"), WRONG_OUTCOMES)
def test_an_outcome_that_cannot_be(code: str, key: str, outcome: Outcome, words: str) -> None:
    played = matches(EIGHT, Progress())
    match = next(one for one in played if one.id == key)
    (problem,) = check_outcome(EIGHT, played, match, outcome)
    assert (problem.code, problem.where) == (code, key)
    assert words in problem.what


def test_an_outcome_that_can_be() -> None:
    played = matches(EIGHT, Progress())
    for outcome in (
        won("p1"), Outcome(winner="p8", score=(7, 6)), Outcome(winner="p1", score=(9, 6)),
        Outcome(winner="p1", score=(5, 4), length=5), Outcome(winner="p1", how="walkover"),
        Outcome(winner="p1", how="retired", score=(3, 4)),
        Outcome(winner=None, how="double_no_show"),
    ):  # fmt: skip
        assert check_outcome(EIGHT, played, played[0], outcome) == ()


def test_a_bye_is_not_played() -> None:
    played = matches(knockout(3), Progress())
    (problem,) = check_outcome(knockout(3), played, played[0], won("p1"))
    assert problem.code == "no_match"


def test_a_final_needs_a_winner() -> None:
    setup = knockout(2)
    nobody = Outcome(winner=None, how="double_no_show")
    played = matches(setup, Progress())
    (problem,) = check_outcome(setup, played, played[0], nobody)
    assert problem.code == "final"
    last = swiss(4, 1)
    played = matches(last, Progress())
    assert check_outcome(last, played, played[0], nobody) == ()


def test_a_series() -> None:
    setup = knockout(4, flights=SERIES)
    played = matches(setup, Progress())
    assert check_outcome(setup, played, played[0], Outcome(winner="p1", wins=(2, 1))) == ()
    for outcome in (Outcome(winner="p1", wins=(1, 0)), Outcome(winner="p1", score=(5, 3))):
        (problem,) = check_outcome(setup, played, played[0], outcome)
        assert problem.code == "score"


def test_a_lot_orders_the_players_of_a_tie() -> None:
    setup = groups(3, 1, advance=2)
    circle = {"group-1:1:1": won("p2"), "group-1:2:1": won("p1"), "group-1:3:1": won("p3")}
    progress = Progress(outcomes=circle)
    played = matches(setup, progress)
    assert check_lot(setup, played, progress, ["p2", "p3", "p1"]) == ()
    assert [p.code for p in check_lot(setup, played, progress, ["p2", "p3"])] == ["lot"]
    assert [p.code for p in check_lot(EIGHT, matches(EIGHT, Progress()), Progress(), ["p2"])] == [
        "lot"
    ]
