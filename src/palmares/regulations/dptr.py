"""
Dip Pouch Tournament Rating (DPTR).

A rating is the percentile at which a player is expected to finish. After each event it moves part
of the way from the old rating towards the percentile the player scored.

    ¶1  initial-rating, percentile
    ¶2  value, value-cap
    ¶3  before-2001
    ¶4  new-rating: the rating moves *value* per cent of the distance (a worked example)

Units: ratings and scores are percentiles, 0 to 100; tournament values are per cent.
Numbers the text fixes are in ``rules/dptr/<edition>.toml``, with the readings D1 to D11.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from palmares.core.errors import FactsRejected, rejected
from palmares.core.messages import msg
from palmares.core.rounding import half_up
from palmares.regulations.editions import Rulebook, Rules
from palmares.regulations.model import MAIN, Event, Flight, Grant, Memberships, Tournament, Unusable
from palmares.regulations.protocol import Calculator, Latest, Regulation
from palmares.regulations.tracing import clause

RATING = "rating"
PER_CENT = 100
PUBLISHED_DECIMALS = 2


class Constants(NamedTuple):
    """The numbers of an edition: its file has an entry for each field, and no other."""

    initial_rating: Any
    half_a_place: Any
    world_championship_value: Any
    players_per_point_one_round: Any
    players_per_point: Any
    value_of_any_event: Any
    greatest_value: Any
    first_counting_year: Any


@clause("dptr initial-rating")
def initial_rating(constants: Constants) -> Any:
    """The rating a player has before the first event."""
    return constants.initial_rating


@clause("dptr percentile")
def percentile(constants: Constants, players: int, rank: int) -> Any:
    """The share of the field finishing behind a placement, counted from its middle."""
    return (players + constants.half_a_place - rank) / players * PER_CENT


@clause("dptr percentile", plain_only=True)
def published_percentile(constants: Constants, players: int, rank: int) -> Any:
    """The percentile as printed, to 2 decimals (reading D1, published-inputs)."""
    return half_up(percentile(constants, players, rank), PUBLISHED_DECIMALS)


@clause("dptr value")
def tournament_value(
    constants: Constants, players: int, rounds: int, year: int, world_championship: bool
) -> Any:
    """Per cent of the distance a rating moves: fixed for the Worlds, else by field size, capped."""
    if not counts(constants, year, world_championship):
        return 0 * constants.greatest_value
    if world_championship:
        return constants.world_championship_value
    per_point = (
        constants.players_per_point_one_round if rounds == 1 else constants.players_per_point
    )
    return capped_value(constants, players / per_point + constants.value_of_any_event)


@clause("dptr value-cap")
def capped_value(constants: Constants, uncapped: Any) -> Any:
    """No event but a World Championship moves a rating by more than the greatest value."""
    return min(uncapped, constants.greatest_value)


@clause("dptr before-2001")
def counts(constants: Constants, year: int, world_championship: bool) -> bool:
    """Whether an event has any effect: World Championships always, others from a given year on."""
    return world_championship or year >= constants.first_counting_year


@clause("dptr new-rating")
def new_rating(before: Any, value: Any, percentile: Any) -> Any:
    """Move *value* per cent of the distance from the rating before to the percentile scored."""
    return before + value / PER_CENT * (percentile - before)


# ── From a tournament to its awards ──────────────────────────────────────────────────────────────


def opening(rules: Rules) -> Any:
    """What a player's ratings start from."""
    return initial_rating(rules.constants)


def award(
    rulebook: Rulebook, tournament: Tournament, memberships: Memberships
) -> Iterator[Grant | Unusable]:
    """The ratings after each event of a tournament.

    An event is unusable if the number of players or of rounds is missing.
    """
    rules = rulebook.on(tournament.end_date)
    if rules is None:
        return
    for event in tournament.events:
        try:
            yield rated(rules, tournament, event)
        except FactsRejected as refused:
            day = tournament.end_date
            yield Unusable(event=event, first=day, last=day, problems=refused.problems)


def rated(rules: Rules, tournament: Tournament, event: Event) -> Grant:
    """The ratings after one event, in the order of its ranks."""
    flight = ranked(event)
    players = event.entrants or flight.entrants
    year = tournament.end_date.year
    rounds = event.rounds
    if rounds is None:
        if counts(rules.constants, year, event.world_championship) and not event.world_championship:
            raise rejected(
                event.where,
                msg("%(event)s does not say how many rounds it had", event=event.name),
                "dptr value",
                msg("Fill in rounds: 1, or how many; the tournament value depends on it."),
            )
        rounds = 0
    value = tournament_value(rules.constants, players, rounds, year, event.world_championship)
    score = percentile
    if rules.reads("D1", "published-inputs"):
        value = half_up(value, PUBLISHED_DECIMALS)
        score = published_percentile
    return Grant(
        event=event,
        flight=MAIN,
        kind=RATING,
        effective=tournament.end_date,
        rules=rules,
        formula=new_rating,
        terms={"value": value, "players": players},
        players=flight.players,
        columns={"rank": flight.ranks},
        derived={"percentile": score},
    )


def ranked(event: Event) -> Flight:
    """The flight with the final placements; refused where the number of players is not stated."""
    flight = event.flight(MAIN)
    if flight is None:
        raise rejected(
            event.where,
            msg("%(event)s has no number of players above 0", event=event.name),
            "dptr percentile, reading D8",
            msg("Fill in the event's entrants: all players who took part, listed or not."),
        )
    return flight


# ── The regulation ─────────────────────────────────────────────────────────────────────────────

REGULATION = Regulation(
    name="dptr",
    title="Dip Pouch Tournament Rating",
    discipline="diplomacy",
    constants=Constants,
    award=award,
    aggregate=Latest(opening=opening, step=new_rating, order_clause="dptr new-rating, reading D7"),
    kinds=(RATING,),
    asks=("rounds",),
    calculator=Calculator(
        name="percentile",
        figures=("percentile", "value"),
        fields={"dptr percentile, reading D8": "entrants", "dptr value": "rounds"},
    ),
)
