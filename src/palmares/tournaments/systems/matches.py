"""What every tournament system is about: an event, its matches, and how each ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from palmares.tournaments.draw.announcement import Feed, Id

MOST_IN_ALL, MOST_POINTS = 4_096, 1_000
Count = Annotated[int, Meta(ge=1, le=MOST_IN_ALL)]
Points = Annotated[int, Meta(ge=0, le=MOST_POINTS)]

MAIN = "main"
FINAL = "final"  # the flight of a double knockout's final and of its second match
GROUPS = "groups"  # the flight that says how long matches of groups are, where it is not the main


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of what is recorded of an event."""


class Flight(_Part, frozen=True, kw_only=True):
    """A flight: how long its matches are, and how many finishers the director ranks."""

    name: Id  # main, consolation, last_chance, or another word
    lengths: Annotated[list[Count], Meta(min_length=1)]
    """Points of a match, round by round; the last one holds for later rounds."""
    best_of: Count = 1  # a series of that many matches, of which more than half must be won
    designated: int | None = None  # how many finishers are ranked; none: the regulation's own rule


class Setup(_Part, frozen=True, kw_only=True, tag_field="format"):
    """An event as it starts: who plays, on which places, in which format."""

    event: Id
    name: str
    places: list[str | None]  # the draw's places; none: a bye
    flights: list[Flight]  # the main first
    names: dict[Id, str]  # entrants as they are shown
    draw: str | None = None  # hash of the announcement; none: places typed in by hand
    notice: str | None = None  # hash of the notice; none: there is none


class Knockout(Setup, frozen=True, kw_only=True, tag="knockout"):
    """A bracket, with flights fed by the losers of stated rounds."""

    feeds: list[Feed] = []
    final_again: bool = False  # a double knockout: the last feed's winner meets the main's


class Groups(Setup, frozen=True, kw_only=True, tag="groups"):
    """Everybody meets everybody of the group; the best of each may go on to a bracket."""

    groups: Count
    advance: int = 0  # how many of each group go on to the bracket "main"; none: groups only


class Swiss(Setup, frozen=True, kw_only=True, tag="swiss"):
    """Players of equal scores meet, and no pair twice."""

    rounds: Count
    first: Literal["places", "halves"] = "places"  # the first round, as the draw has it


AnySetup = Knockout | Groups | Swiss


class Outcome(_Part, frozen=True, kw_only=True):
    """How a match ended."""

    winner: Id | None  # none: neither appeared
    how: Literal["played", "walkover", "retired", "double_no_show"] = "played"
    score: tuple[Points, Points] | None = None  # the winner's first
    wins: tuple[Points, Points] | None = None  # matches of a series, the winner's first
    length: Count | None = None  # none: as the flight says
    table: str | None = None
    played_on: date | None = None


State = Literal["waiting", "ready", "bye", "empty", "done"]
Pairs = Sequence[tuple[str, str | None]]
"""Who meets whom in a round; none: a bye."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What has happened in an event so far."""

    outcomes: Mapping[str, Outcome] = field(default_factory=dict)  # by the id of the match
    pairings: Mapping[int, Pairs] = field(default_factory=dict)  # of a Swiss, by round from 1
    withdrawn: frozenset[str] = frozenset()  # who plays no more
    walkovers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Matches whose winner withdrew later: the winner, and who had withdrawn before."""
    lots: Sequence[Sequence[str]] = ()  # tied players of a group, in the order a lot gave them


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """A match of the event, played or not."""

    id: str  #: such as ``main:2:1``: flight, round and number, from 1
    flight: str
    round: int
    number: int
    sources: tuple[str, str]
    """Where each player comes from: ``P:5`` a place, ``W:main:1:1`` a winner, ``L:main:1:1`` a
    loser, ``G:3:1`` the first of group 3, ``-`` nobody."""
    players: tuple[str | None, str | None]  #: none: not known yet, or nobody
    state: State
    """``waiting`` for an earlier match, ``ready`` to be played, ``bye`` with one player, ``empty``
    with none, ``done``."""
    length: int
    winner: str | None = None
    loser: str | None = None
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """Where a player finished in a flight."""

    flight: str
    player: str
    rank: int  #: shared by equals; the next ranks are skipped
    rounds_behind: int | None  #: rounds behind the winner of the flight; none: no bracket
    designated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a player stands in a group or in a Swiss, also before it is over."""

    flight: str  #: ``group-1``, or the main
    player: str
    rank: int  #: shared by equals; the next ranks are skipped
    played: int  #: matches
    wins: int  #: of matches, walkovers and byes included
    tie_breaks: tuple[int, ...]  #: groups: wins among the tied, points won less lost; Swiss: wins
    #: of the opponents


# ── from fixtures to matches ──────────────────────────────────────────────────────────────────────


NOBODY = "-"
_UNKNOWN = ""  # a player who is not known yet; nobody has an empty id

Qualified = Mapping[str, str | None]
"""Players by their source, such as ``G:3:1``; none: nobody."""


class Fixture(NamedTuple):
    """A match by where its players come from."""

    flight: str
    round: int
    number: int
    sources: tuple[str, str]


def match_id(flight: str, round_number: int, number: int) -> str:
    """The id of a match: ``main:2:1``."""
    return f"{flight}:{round_number}:{number}"


def flight_named(setup: AnySetup, name: str) -> Flight:
    """The flight of that name; what the setup says of the main holds for flights it leaves out."""
    name = GROUPS if name.startswith("group-") else name
    return next((flight for flight in setup.flights if flight.name == name), setup.flights[0])


def _length(setup: AnySetup, name: str, round_number: int) -> int:
    flight = flight_named(setup, name)
    if name == FINAL != flight.name:
        return flight.lengths[-1]
    return flight.lengths[min(round_number, len(flight.lengths)) - 1]


def play(
    setup: AnySetup,
    progress: Progress,
    fixtures: Iterable[Fixture],
    earlier: Mapping[str, Match] | None = None,
    qualified: Qualified | None = None,
) -> dict[str, Match]:
    """The matches of fixtures, by id.

    Args:
        setup: the event.
        progress: what has happened.
        fixtures: each after those that its players come from.
        earlier: matches that players come from too.
        qualified: players by other sources, such as places of groups.
    """
    matches = dict(earlier or {})
    lengths: dict[tuple[str, int], int] = {}
    for fixture in fixtures:
        key = match_id(fixture.flight, fixture.round, fixture.number)
        first, second = (
            _player(setup, progress, source, key, matches, qualified or {})
            for source in fixture.sources
        )
        in_round = fixture[:2]
        if in_round not in lengths:
            lengths[in_round] = _length(setup, *in_round)
        matches[key] = _match(fixture, key, (first, second), lengths[in_round], progress)
    return matches


def _player(
    setup: AnySetup,
    progress: Progress,
    source: str,
    key: str,
    matches: Mapping[str, Match],
    qualified: Qualified,
) -> str | None:
    """The player that a source gives to the match with the id *key*."""
    kind, _, where = source.partition(":")
    if kind == NOBODY:
        return None
    if kind == "P":
        return setup.places[int(where) - 1]
    match = matches.get(where)
    if match is None:
        return qualified.get(source, _UNKNOWN)
    if match.state in ("waiting", "ready"):
        return _UNKNOWN
    if kind == "L" and match.loser in progress.withdrawn and key not in progress.outcomes:
        return None  # who plays no more enters no further flight
    return match.winner if kind == "W" else match.loser


def _match(
    fixture: Fixture,
    key: str,
    players: tuple[str | None, str | None],
    length: int,
    progress: Progress,
) -> Match:
    """A match with its state and its result, as far as its players are known."""
    first, second = players
    state: State
    winner = loser = outcome = None
    if _UNKNOWN in players:
        state = "waiting"
    elif first is None or second is None:
        winner = first or second
        state = "bye" if winner else "empty"
    else:
        outcome = progress.outcomes.get(key) or _without(key, first, second, progress)
        if outcome and outcome.winner not in (None, first, second):
            outcome = None
        state = "done" if outcome else "ready"
        if outcome and outcome.winner:
            winner, loser = (first, second) if outcome.winner == first else (second, first)
        if outcome and outcome.length:
            length = outcome.length
    return Match(
        id=key, flight=fixture.flight, round=fixture.round, number=fixture.number,
        sources=fixture.sources, players=(first or None, second or None), state=state,
        length=length, winner=winner, loser=loser, outcome=outcome,
    )  # fmt: skip


def _without(key: str, first: str, second: str, progress: Progress) -> Outcome | None:
    """The outcome of a match if a player has withdrawn; none if both play."""
    missing = progress.withdrawn & {first, second}
    won_before = progress.walkovers.get(key)
    if won_before in ((first, second), (second, first)):
        missing = frozenset(won_before[1:])
    if not missing:
        return None
    if len(missing) > 1:
        return Outcome(winner=None, how="double_no_show")
    return Outcome(winner=second if first in missing else first, how="walkover")


def is_final(setup: AnySetup, played: Iterable[Match], match: Match) -> bool:
    """Whether a match decides who wins a bracket."""
    if match.flight == FINAL:
        return True
    if isinstance(setup, Swiss) or match.flight.startswith("group-"):
        return False
    return not any(f"W:{match.id}" in later.sources for later in played)


def with_ranks(keys: Mapping[str, Any]) -> dict[str, int]:
    """Competition ranks of players by their keys, the highest first: equal keys share a rank."""
    ranks: dict[str, int] = {}
    before: str | None = None
    for at, who in enumerate(sorted(keys, key=keys.__getitem__, reverse=True), 1):
        ranks[who] = ranks[before] if before and keys[before] == keys[who] else at
        before = who
    return ranks


def finishers(
    setup: AnySetup,
    flight: str,
    ranks: Mapping[str, int],
    behind: Mapping[str, int] | None = None,
) -> tuple[Placing, ...]:
    """The placings of a flight.

    Args:
        setup: the event.
        flight: its name.
        ranks: by player, in order.
        behind: rounds behind the winner, by player; none: no bracket.
    """
    of_setup = flight_named(setup, flight)
    designated = (of_setup.designated or 0) if of_setup.name == flight else 0
    return tuple(
        Placing(
            flight=flight,
            player=who,
            rank=rank,
            rounds_behind=behind[who] if behind else None,
            designated=rank <= designated,
        )
        for who, rank in ranks.items()
    )


def is_over(matches: Iterable[Match], flight: str = MAIN) -> bool:
    """Whether nothing of a flight is left to play."""
    return all(
        match.state not in ("waiting", "ready") for match in matches if match.flight == flight
    )
