"""What every format is about: an event as it was set up, its matches, how each ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from palmares.tournaments.draw.announcement import Feed, Id

Count = Annotated[int, Meta(ge=1, le=4_096)]
Points = Annotated[int, Meta(ge=0, le=1_000)]

MAIN = "main"
FINAL = "final"  # the flight of a double knockout's final and of its second match
GROUPS = "groups"  # the flight that says how long matches of groups are, where it is not the main


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of what is recorded of an event."""


class Flight(_Part, frozen=True, kw_only=True):
    """A flight: how long its matches are, and how many finishers the director ranks."""

    name: Id  # main, consolation, last_chance, or another word
    lengths: list[Count]  # points of a match, round by round; the last one holds for later rounds
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
    """Players of equal scores meet, and nobody twice."""

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
