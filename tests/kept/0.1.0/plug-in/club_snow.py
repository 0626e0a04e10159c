"""A club's snowmen: they melt in ten days."""

from pathlib import Path
from typing import Any, NamedTuple

from palmares.regulations import Decay, Grant, Regulation, Sum, clause


class Constants(NamedTuple):
    snow: Any
    days: Any


@clause("snow size")
def size(constants, entrants):
    return constants.snow * entrants


@clause("snow share")
def share(size, rank):
    return size / rank


@clause("snow melting")
def days_left(constants, age):
    return max(0, constants.days - age)


def fade(rules, effective, as_of):
    return int(days_left(rules.constants, (as_of - effective).days)), int(rules.constants.days)


def award(rulebook, tournament, memberships):
    for event in tournament.events:
        flight = event.flight("main")
        rules = rulebook.on(tournament.end_date)
        yield Grant(
            event=event,
            flight="main",
            kind="snow",
            effective=tournament.end_date,
            rules=rules,
            formula=share,
            terms={"size": size(rules.constants, flight.entrants)},
            players=flight.players,
            columns={"rank": flight.ranks},
        )


snow = Regulation(
    name="snow",
    title="A club's snowmen",
    discipline="backgammon",
    constants=Constants,
    award=award,
    aggregate=Sum(decay=Decay(left=fade)),
    kinds=("snow",),
    rules_directory=Path(__file__).parent / "sheets",
)
