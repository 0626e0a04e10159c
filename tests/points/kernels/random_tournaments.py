"""Random tournaments: fields with ties and withheld players, flights, fees, matches, dates."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from hypothesis import strategies as st

from palmares.core.errors import Location
from palmares.core.rounding import ExchangeRate
from palmares.regulations.model import Event, Flight, Match, Membership, Memberships, Tournament

PEOPLE = [f"p{number:02}" for number in range(40)]
MEMBERS: Memberships = {
    player: (Membership("usbgf", "Basic", date(2010, 1, 1), None),) for player in PEOPLE[::2]
}

money = st.decimals(0, 5_000, places=2).map(Fraction)
days = st.dates(date(1995, 1, 1), date(2026, 1, 1))


@st.composite
def flights(draw: st.DrawFn, name: str = "main", *, bracket: bool = False) -> Flight:
    """A flight of up to 40 players in competition ranks, some of them not listed."""
    everyone = draw(st.permutations(PEOPLE))[: draw(st.integers(1, len(PEOPLE)))]
    ranks = [1]
    for place in range(2, len(everyone) + 1):
        ranks.append(ranks[-1] if draw(st.booleans()) else place)
    listed = [place for place in range(len(everyone)) if draw(st.integers(0, 5))]
    return Flight(
        name=name,
        entrants=len(everyone) + draw(st.integers(0, 3)),
        format=draw(st.sampled_from(["knockout", "swiss"])),
        players=[everyone[place] for place in listed],
        ranks=[ranks[place] for place in listed],
        tied=[ranks.count(ranks[place]) for place in listed],
        designated=[bracket and draw(st.booleans()) for _ in listed],
        rounds_behind=[draw(st.integers(0, 4)) if bracket else None for _ in listed],
    )


@st.composite
def matches(draw: st.DrawFn, number: int) -> Match:
    """A match won, or a series."""
    status = draw(st.sampled_from(["played", "series", "bye"]))
    return Match(
        match_id=f"m{number}",
        flight="main",
        played_on=draw(st.none() | days),
        length=draw(st.integers(1, 25)),
        winner=draw(st.sampled_from(PEOPLE)),
        status=status,
        series_wins=draw(st.integers(1, 4)) if status == "series" else None,
    )


@st.composite
def events(draw: st.DrawFn, number: int, kind: str) -> Event:
    """An event that all regulations can take."""
    bracket = draw(st.booleans())
    names = ["main", *sorted(draw(st.sets(st.sampled_from(["consolation", "last_chance"]))))]
    field = [draw(flights(name, bracket=bracket)) for name in names]
    return Event(
        event_id=f"e{number}",
        name=f"Event {number}",
        where=Location("events.csv", number + 2),
        kind=kind,
        event_level=draw(st.sampled_from([1, 2, 3, 4])),
        division_ranks=tuple(draw(st.lists(st.integers(1, 5), max_size=2))),
        entrants=field[0].entrants,
        entry_fee=draw(money),
        added_money=draw(st.none() | money),
        bonus_grade=draw(st.none() | st.decimals(0, 3, places=1).map(Fraction)),
        rounds=draw(st.integers(1, 12)),
        world_championship=draw(st.booleans()),
        flights=tuple(field),
        matches=tuple(draw(matches(one)) for one in range(draw(st.integers(0, 6)))),
    )


@st.composite
def tournaments(draw: st.DrawFn, number: int) -> Tournament:
    """A tournament of a Championship, an Intermediate and a Super Jackpot."""
    kinds = [
        "championship",
        *sorted(draw(st.sets(st.sampled_from(["intermediate", "super_jackpot"])))),
    ]
    return Tournament(
        tournament_id=f"t{number}",
        name=f"Tournament {number}",
        where=Location("tournaments.csv", number + 2),
        end_date=draw(days),
        setting=draw(st.sampled_from(["live", "online"])),
        currency="USD",
        rate=ExchangeRate(
            eur_per_unit=Fraction(draw(st.integers(5_000, 15_000)), 10_000), source="test"
        ),
        events=tuple(draw(events(3 * number + i, kind)) for i, kind in enumerate(kinds)),
    )


seasons = st.integers(1, 3).flatmap(
    lambda size: st.tuples(*(tournaments(number) for number in range(size)))
)
