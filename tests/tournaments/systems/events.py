"""Events to try formats with: setups, and results that chance decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Literal

from hypothesis import strategies as st

from palmares.tournaments.draw.announcement import Feed
from palmares.tournaments.draw.places import bracket_size, line_numbers
from palmares.tournaments.systems.event import matches
from palmares.tournaments.systems.matches import (
    AnySetup,
    Flight,
    Groups,
    Knockout,
    Match,
    Outcome,
    Progress,
    Swiss,
    is_final,
)

CHANCE = st.builds(Random, st.integers(0, 2**32))
MAIN = [Flight(name="main", lengths=[7])]


def players(many: int) -> list[str]:
    return [f"p{number}" for number in range(1, many + 1)]


def places(many: int) -> list[str | None]:
    """A bracket in which the highest numbers have byes."""
    entrants = players(many)
    return [
        entrants[number - 1] if number <= many else None
        for number in line_numbers(bracket_size(many))
    ]


def knockout(
    many: int,
    feeds: Sequence[tuple[str, str, list[int]]] = (),
    *,
    final_again: bool = False,
    flights: list[Flight] = MAIN,
) -> Knockout:
    return Knockout(
        event="open",
        name="Open",
        places=places(many),
        flights=flights,
        names={who: who.upper() for who in players(many)},
        feeds=[Feed(name=name, of=of, rounds=rounds) for name, of, rounds in feeds],
        final_again=final_again,
    )


def won(winner: str) -> Outcome:
    return Outcome(winner=winner)


def play_on(
    setup: AnySetup, rng: Random, progress: Progress | None = None, *, troubles: float = 0.0
) -> Progress:
    """Play an event to its end; some matches are walkovers, retired, or nobody came."""
    progress = progress or Progress()
    while True:
        played = matches(setup, progress)
        if not (ready := [match for match in played if match.state == "ready"]):
            return progress
        outcomes = dict(progress.outcomes)
        for match in ready:
            final = bool(troubles) and is_final(setup, played, match)
            outcomes[match.id] = result(match, rng, troubles, is_final=final)
        progress = replace(progress, outcomes=outcomes)


def result(match: Match, rng: Random, troubles: float, *, is_final: bool) -> Outcome:
    """How a match ends by chance."""
    winner = rng.choice([who for who in match.players if who])
    if rng.random() >= troubles:
        return won(winner)
    how = rng.randrange(2 if is_final else 3)
    if how == 0:
        return Outcome(winner=winner, how="walkover")
    if how == 1:
        return Outcome(winner=winner, how="retired")
    return Outcome(winner=None, how="double_no_show")


def groups(many: int, count: int, advance: int = 0) -> Groups:
    return Groups(
        event="open", name="Open", places=[*players(many)], flights=MAIN,
        names={who: who.upper() for who in players(many)}, groups=count, advance=advance,
    )  # fmt: skip


def swiss(many: int, rounds: int, first: Literal["places", "halves"] = "places") -> Swiss:
    return Swiss(
        event="open", name="Open", places=[*players(many)], flights=MAIN,
        names={who: who.upper() for who in players(many)}, rounds=rounds, first=first,
    )  # fmt: skip
