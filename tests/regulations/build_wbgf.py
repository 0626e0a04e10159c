"""Tournaments for the tests of wbgf, and the exact points that the regulation gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from palmares.core.errors import Location
from palmares.core.rounding import ExchangeRate
from palmares.points.kernels.formulas import apply
from palmares.regulations import wbgf
from palmares.regulations.editions import Rulebook, rulebook
from palmares.regulations.model import Advice, Event, Flight, Grant, Tournament
from tests.regulations.usable import usable

EURO = ExchangeRate(eur_per_unit=Fraction(1), source="euro")
LAST_DAY = date(2023, 6, 15)
Key = tuple[str, str, str]  # event, flight, player


def book(number: type[float | Fraction] = Fraction, **chosen: str) -> Rulebook:
    """The rulebook under the readings chosen: ``W6="own-fee"``."""
    return rulebook("wbgf", wbgf.Constants, number=number, chosen=chosen)


def flight(name: str, entrants: int, ranks: Sequence[int] | None = None, **more: Any) -> Flight:
    """A flight whose players are named after it; without ranks, all of 1 to *entrants*."""
    ranks = range(1, entrants + 1) if ranks is None else ranks
    return Flight(
        name=name,
        entrants=entrants,
        players=tuple(f"{name} {place}" for place in range(1, len(ranks) + 1)),
        ranks=tuple(ranks),
        tied=tuple(list(ranks).count(rank) for rank in ranks),
        **more,
    )


def event(kind: str, fee: Fraction | int | str | None, *flights: Flight, **more: Any) -> Event:
    """An event named after its kind, on a line of its own in events.csv."""
    line = ("championship", "intermediate", "super_jackpot", "other", "").index(kind) + 2
    given = {"event_id": kind, "name": kind, "where": Location("events.csv", line), **more}
    return Event(
        kind=kind, entry_fee=None if fee is None else Fraction(fee), flights=flights, **given
    )


def tournament(*events: Event, **more: Any) -> Tournament:
    """A tournament in euro, whose last day is in no leap year."""
    given: dict[str, Any] = {"end_date": LAST_DAY, "rate": EURO, **more}
    return Tournament(
        tournament_id="t", name="Open", where=Location("tournaments.csv", 2), events=events, **given
    )


def awarded(held: Tournament, rules: Rulebook | None = None) -> list[Grant | Advice]:
    """Everything the regulation yields."""
    return usable(wbgf.award(rules or book(), held, {}))


def grants(held: Tournament, rules: Rulebook | None = None) -> list[Grant]:
    """What the regulation grants."""
    return [one for one in awarded(held, rules) if isinstance(one, Grant)]


def notices(held: Tournament, rules: Rulebook | None = None) -> list[Advice]:
    """What the regulation says beside."""
    return [one for one in awarded(held, rules) if isinstance(one, Advice)]


def term(held: Tournament, name: str, rules: Rulebook | None = None) -> list[Any]:
    """One term of every grant, in order."""
    return [one.terms[name] for one in grants(held, rules)]


def points(held: Tournament, rules: Rulebook | None = None) -> Mapping[Key, Any]:
    """Every player's points, before they are counted."""
    found: dict[Key, Any] = {}
    for one in grants(held, rules):
        columns: dict[str, Sequence[Any]] = dict(one.columns)
        for name, function in one.derived.items():
            columns[name] = apply(function, one, columns)
        keys = [(one.event.event_id, one.flight, player) for player in one.players]
        found |= zip(keys, apply(one.formula, one, columns), strict=True)
    return found


def flight_points(held: Tournament, name: str = "main", rules: Rulebook | None = None) -> list[Any]:
    """The points of one flight in the order of its placings."""
    return [gained for (_, flown, _), gained in points(held, rules).items() if flown == name]
