"""
What a regulation sees of a tournament, and what it gives back.

A regulation is a function from a `Tournament` to grants, advice and unusable events. It sees no
table and no file. What there are thousands of are structs, which are made in a sixth of the time
that frozen dataclasses take.
"""

from __future__ import annotations

from calendar import isleap
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from functools import cache
from inspect import signature
from itertools import groupby
from typing import Any, NamedTuple

from msgspec import Struct

from palmares.core.errors import Location, Problem, rejected
from palmares.core.messages import msg
from palmares.core.rounding import ExchangeRate
from palmares.regulations.editions import Rules

MAIN, CONSOLATION, LAST_CHANCE = "main", "consolation", "last_chance"
FLIGHTS = (MAIN, CONSOLATION, LAST_CHANCE)


class Flight(Struct, frozen=True, kw_only=True):
    """One flight of an event; the sequences have one entry a placing, in rank order."""

    name: str  # main | consolation | last_chance
    entrants: int
    format: str = ""  # empty: the report does not say
    match_length: int | None = None
    players: Sequence[str] = ()
    ranks: Sequence[int] = ()
    tied: Sequence[int] = ()  # how many share the rank, unlisted players included
    designated: Sequence[bool] = ()
    rounds_behind: Sequence[int | None] = ()  # none: follows from the rank


class Match(Struct, frozen=True, kw_only=True):
    """One match, or one series of which only the winner is known."""

    match_id: str
    flight: str
    played_on: date | None
    length: int
    winner: str
    status: str  # played | bye | walkover | series
    series_wins: int | None


class Event(Struct, frozen=True, kw_only=True):
    """One event of a tournament. Money is in the tournament's currency."""

    event_id: str
    name: str
    where: Location
    kind: str = ""  # empty: the report does not say
    event_type: str | None = None
    division_ranks: tuple[int, ...] = ()  # several: divisions combined into one bracket
    entrants: int | None = None
    entry_fee: Fraction | None = None
    added_money: Fraction | None = None
    bonus_grade: Fraction | None = None
    rounds: int | None = None
    world_championship: bool = False
    national_championship: bool = False
    team: bool | None = None  # none: nobody says
    event_level: int | None = None
    date_of_record: date | None = None
    completed_on: date | None = None
    sequence: int | None = None
    flights: tuple[Flight, ...] = ()
    matches: tuple[Match, ...] = ()

    def flight(self, name: str) -> Flight | None:
        """The flight of that name, if it was played by anyone."""
        for flight in self.flights:
            if flight.name == name and flight.entrants:
                return flight
        return None

    def placed_flight(self, name: str) -> Flight | None:
        """The flight of that name, if any of its placings are listed."""
        return next(
            (flight for flight in self.flights if flight.name == name and flight.players), None
        )


class Tournament(Struct, frozen=True, kw_only=True):
    """One tournament as reported."""

    tournament_id: str
    name: str
    where: Location
    end_date: date
    start_date: date | None = None
    setting: str = "live"
    date_of_record: date | None = None
    currency: str = "EUR"
    rate: ExchangeRate | None = None  # none: not asked for, or none known
    bank_until: date | None = None  # the last day of the bank's data that were asked for the rate
    events: tuple[Event, ...] = ()
    left_out: tuple[tuple[str, Fraction | None], ...] = ()
    """Kind and entry fee of each event that the officers left out (``not_counted_in``)."""


class Membership(Struct, frozen=True):
    """A stretch of days, both included, on which a player belongs to a federation."""

    federation: str
    level: str
    start: date
    end: date | None


Memberships = Mapping[str, Sequence[Membership]]
"""Every membership of a player, by player id."""


class Advice(Struct, frozen=True):
    """Something a person should know; it stops nothing."""

    problem: Problem

    @classmethod
    def of(cls, at: Location, what: str, clause: str, remedy: str, several: str = "") -> Advice:
        """Advice from its parts; *several* heads many of its kind: "events under 30 players"."""
        return cls(Problem(at=at, what=what, clause=clause, remedy=remedy, several=several))


class Grant(Struct, frozen=True, kw_only=True):
    """The awards of one kind that one flight makes.

    The points of row i are what *formula* gives. Each formula takes, by the names of its
    parameters: ``constants`` (the edition's), whatever *terms* and *tables* name (one value for
    the whole grant), whatever *columns* name (one value a row) and whatever *derived* names
    (worked out row by row before it, in order). A formula with a parameter ``before`` folds over
    a player's grants in order: it receives their points after the grant before.
    """

    event: Event
    flight: str
    kind: str
    effective: date
    rules: Rules
    formula: Callable[..., Any]
    terms: Mapping[str, Any] = {}
    tables: Mapping[str, Sequence[Any]] = {}
    players: Sequence[str] = ()
    columns: Mapping[str, Sequence[Any]] = {}
    derived: Mapping[str, Callable[..., Any]] = {}


BEFORE = "before"
"""The parameter of a fold's formula that takes a player's points before."""
Opening = Callable[[Rules], Any] | None


@cache
def parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a formula's parameters."""
    return tuple(signature(function).parameters)


def row_values(grant: Grant, row: int, opening: Opening, last: Any = None) -> dict[str, Any]:
    """The values of one row of a grant by name; its points have the name ``""``.

    Args:
        grant: the grant.
        row: which of its players.
        opening: what a fold starts from.
        last: the player's points before; none: it is their first event.
    """
    values: dict[str, Any] = {
        "constants": grant.rules.constants,
        **grant.terms,
        **grant.tables,
        **{name: column[row] for name, column in grant.columns.items()},
    }
    if BEFORE in parameters(grant.formula):
        values[BEFORE] = opening(grant.rules) if opening and last is None else last
    for name, function in (*grant.derived.items(), ("", grant.formula)):
        values[name] = function(**{key: values[key] for key in parameters(function)})
    return values


class Unusable(Struct, frozen=True, kw_only=True):
    """An event whose points a regulation cannot work out; whatever it granted before is void."""

    event: Event
    first: date  # from which anything of it would count
    last: date  # the same of the last of it
    problems: Sequence[Problem]


def leap_days(after: date, until: date) -> int:
    """How many 29 Februaries come after one day and not after another."""
    return sum(
        after < date(year, 2, 29) <= until
        for year in range(after.year, until.year + 1)
        if isleap(year)
    )


def rounds_behind(rank: int) -> int:
    """Rounds behind the winner in a bracket: 0 for rank 1, 1 for 2, 2 for 3-4, 3 for 5-8."""
    return (rank - 1).bit_length()


class Place(Struct, frozen=True, kw_only=True):
    """One rank of a flight and everyone on it."""

    flight: str
    rank: int
    tied: int  # how many share it, unlisted players included
    rounds_behind: int  # behind the flight's winner
    players: tuple[str, ...] = ()  # those listed, by id


def places(flight: Flight, chosen: Sequence[bool]) -> list[Place]:
    """The chosen placings of a flight by rank, and the ranks above the last of them nobody has.

    A rank that is missing in the list is a withheld player's; the bracket says how far behind they
    was. A player who is listed and not chosen has no part in a place.
    """
    rows_by_rank: dict[int, list[tuple[str, int, int, bool]]] = {}
    behind = flight.rounds_behind or [None] * len(flight.players)
    rows = zip(flight.ranks, flight.players, flight.tied, behind, chosen, strict=True)
    for rank, player, tied, rounds, taken in rows:
        far = rounds_behind(rank) if rounds is None else rounds
        rows_by_rank.setdefault(rank, []).append((player, tied, far, taken))
    last = max(
        (rank for rank, group in rows_by_rank.items() if any(row[-1] for row in group)), default=0
    )
    covered = {rank + more for rank, group in rows_by_rank.items() for more in range(group[0][1])}
    chosen_places = [
        Place(
            flight=flight.name,
            rank=rank,
            tied=group[0][1] - sum(not taken for *_, taken in group),
            rounds_behind=min(far for _, _, far, _ in group),
            players=tuple(sorted(player for player, *_, taken in group if taken)),
        )
        for rank, group in rows_by_rank.items()
        if any(taken for *_, taken in group)
    ]
    for far, ranks in groupby((r for r in range(1, last) if r not in covered), rounds_behind):
        missing = list(ranks)
        chosen_places.append(
            Place(flight=flight.name, rank=missing[0], tied=len(missing), rounds_behind=far)
        )
    return sorted(chosen_places, key=lambda place: place.rank)


def designated_places(event: Event) -> dict[str, list[Place]]:
    """The designated places of each flight that anyone played, from the highest flight down."""
    played = (
        flight
        for flight in event.flights
        if flight.name in FLIGHTS and (flight.entrants or flight.players)
    )
    return {
        each_flight.name: places(
            each_flight, each_flight.designated or [False] * len(each_flight.players)
        )
        for each_flight in played
    }


class Ranked(NamedTuple):
    """A player and the ranks that they split with others."""

    player: str
    flight: str
    rank: int  # the first of them
    tied: int  # how many there are
    apart: tuple[int, int] | None = None  # rounds behind, flights down; none: one flight is ranked


def chosen_finishers(flight: Flight, chosen: Sequence[bool]) -> list[Ranked]:
    """The chosen players of the only flight that is ranked, on the ranks they have in it."""
    rows = zip(flight.players, flight.ranks, flight.tied, chosen, strict=True)
    return [Ranked(player, flight.name, rank, tied) for player, rank, tied, taken in rows if taken]


def sharing(
    flights: Mapping[str, Sequence[Place]],
    distance: Callable[[int, int], int],
    *,
    exclusive: bool,
) -> list[Ranked]:
    """The players of several flights on consecutive ranks; equal distance shares the next ones.

    Args:
        flights: the places of each flight, from the highest flight down.
        distance: from first place, given rounds behind and flights down.
        exclusive: a player alone on a rank that a bracket would share takes the first rank left
            at their own distance.
    """

    def alone(place: Place) -> bool:
        return exclusive and place.tied == 1 and place.rounds_behind > 1

    groups: dict[int, list[tuple[Place, int]]] = {}
    for down, flight_places in enumerate(flights.values()):
        for place in flight_places:
            groups.setdefault(distance(place.rounds_behind, down), []).append((place, down))
    ranked, rank = [], 1
    for _, group in sorted(groups.items()):
        own = sorted((pair for pair in group if alone(pair[0])), key=lambda pair: pair[0].rank)
        rest = [pair for pair in group if not alone(pair[0])]
        for together in (*([pair] for pair in own), rest):
            tied = sum(place.tied for place, _ in together)
            ranked += [
                Ranked(player, place.flight, rank, tied, (place.rounds_behind, down))
                for place, down in together
                for player in place.players
            ]
            rank += tied
    return ranked


def once(finishers: Sequence[Ranked]) -> list[Ranked]:
    """Every player in the best of their places; of equal ones, in the first named."""
    best: dict[str, Ranked] = {}
    for each in sorted(finishers, key=lambda each: each.rank):
        best.setdefault(each.player, each)
    return list(best.values())


def steps_apart(finishers: Sequence[Ranked]) -> dict[str, list[int]]:
    """Rounds behind and flights down of each, as columns; none where one flight is ranked."""
    steps = [finisher.apart for finisher in finishers if finisher.apart]
    if not steps:
        return {}
    return {
        "rounds_behind": [rounds for rounds, _ in steps],
        "flights_down": [flights for _, flights in steps],
    }


def levels_held(
    memberships: Memberships, player: str, federation: str, day: date
) -> tuple[str, ...]:
    """The levels of a player's memberships of a federation on a day."""
    return tuple(
        membership.level or "unnamed"
        for membership in memberships.get(player, ())
        if membership.federation.casefold() == federation
        and membership.start <= day
        and (membership.end is None or day <= membership.end)
    )


def series_wins(event: Event, match: Match, clause: str) -> int:
    """How many matches the winner of a series won; one, if it was a match.

    Raises:
        FactsRejected: it was a series and nobody says; *clause* needs to know.
    """
    if match.status != "series":
        return 1
    if match.series_wins is not None:
        return match.series_wins
    raise rejected(
        event.where,
        msg(
            "the series %(match)s of %(event)s has no series_wins",
            match=match.match_id,
            event=event.name,
        ),
        clause,
        msg("Fill in series_wins: how many matches its winner won."),
    )


def number_of_players(event: Event, clause: str) -> int:
    """The unique players of an event: as stated for it, or else for its Main.

    Raises:
        FactsRejected: nobody knows how many; *clause* needs to.
    """
    main = event.flight(MAIN)
    if event.entrants or main:
        return event.entrants or (main.entrants if main else 0)
    raise rejected(
        event.where,
        msg("%(event)s has no number of players above 0", event=event.name),
        clause,
        msg("Fill in the event's entrants: all players who took part, listed or not."),
    )


class Dated(NamedTuple):
    """A day, and what of the facts says it."""

    day: date
    taken_from: str


END_OF_TOURNAMENT = "end_date of the tournament"


def day_of_completion(tournament: Tournament, event: Event) -> Dated:
    """The day of an event's last match; where nothing says it, its tournament's last day."""
    if event.completed_on:
        return Dated(event.completed_on, "completed_on of the event")
    if played := [match.played_on for match in event.matches if match.played_on]:
        return Dated(max(played), "played_on of its last match")
    return Dated(tournament.end_date, END_OF_TOURNAMENT)


def day_of_match(match: Match, completed: Dated) -> Dated:
    """The day of a match; where nothing says it, the day on which its event was completed."""
    return Dated(match.played_on, "played_on of the match") if match.played_on else completed


def day_of_record(tournament: Tournament, event: Event) -> Dated:
    """An event's date of record; without one, the last day of its tournament."""
    if event.date_of_record:
        return Dated(event.date_of_record, "date_of_record of the event")
    if tournament.date_of_record:
        return Dated(tournament.date_of_record, "date_of_record of the tournament")
    return Dated(tournament.end_date, END_OF_TOURNAMENT)


def day_of_effect(tournament: Tournament, event: Event, played: Dated) -> Dated:
    """The day from which a result counts: online the day of play, live the day of record."""
    return played if tournament.setting == "online" else day_of_record(tournament, event)


def days_of_effect(tournament: Tournament, event: Event) -> list[date]:
    """The days from which anything of an event counts, the earliest first."""
    completed = day_of_completion(tournament, event)
    played = [completed, *(day_of_match(match, completed) for match in played_matches(event))]
    return sorted({day_of_effect(tournament, event, day).day for day in played})


def played_matches(event: Event) -> list[Match]:
    """The matches and series of an event that were played, by id."""
    played = (match for match in event.matches if match.status in ("played", "series"))
    return sorted(played, key=lambda match: match.match_id)
