"""
USBGF: which events award nothing, and why.

Events that award Master Points are those whose type the Event Weight Table of the day lists. What
officers should look at: a day before the first edition and a day that nobody says (reading U16), an
event type that is not listed (U19), an event of level 0, an officer's level beside a listed one,
an event type of teams of which nobody says whether it was one (U31), and flights that the text does
not know (U27).
"""

from __future__ import annotations

from collections.abc import Iterator

from palmares.regulations.editions import Rulebook, Rules, table_key
from palmares.regulations.model import (
    END_OF_TOURNAMENT,
    FLIGHTS,
    Dated,
    Event,
    Notice,
    Tournament,
    day_of_completion,
    day_of_effect,
    day_of_match,
    played_matches,
)


def advice(rulebook: Rulebook, tournament: Tournament) -> Iterator[Notice]:
    """Everything that keeps an event with matches or placings from awarding points."""
    for event in tournament.events:
        completed = day_of_completion(tournament, event)
        played = [day_of_match(match, completed) for match in played_matches(event)]
        if any(flight.players for flight in event.flights):
            played.append(completed)
        effects = {day_of_effect(tournament, event, day) for day in played}
        days = {effect.day for effect in effects}
        editions = {rules.edition.id: rules for rules in map(rulebook.on, days) if rules}
        if any(rulebook.on(day) is None for day in days):
            yield before_the_first_edition(rulebook, event)
        for _, rules in sorted(editions.items()):
            yield from not_eligible(rules, tournament, event)
            yield from no_day_known(rules, tournament, event, effects)
            yield from perhaps_of_teams(rules, event)
        if editions and not event.team:
            yield from unknown_flights(event)


def not_eligible(rules: Rules, tournament: Tournament, event: Event) -> Iterator[Notice]:
    """Why an edition gives an event no points, or not those of its officer's level."""
    levels = rules.tables["event_levels"][tournament.setting]
    name, stated = table_key(levels, event.event_type), event.event_level
    level = level_of(rules, tournament, event)
    if name is not None and stated not in (None, level):
        yield Notice.of(
            event.where,
            f"{event.name}: event_level {stated} is left aside, {name} has level {level}",
            "usbgf event-level, reading U19",
            f"Appendix A of {rules.edition.id} governs. Leave event_level empty.",
            "events whose event_level is left aside",
        )
    if level is None:
        appendix = f"Appendix A of {rules.edition.id} for {tournament.setting} events"
        kind = event.event_type
        why = f"its type {kind} is not in {appendix}" if kind else "it has no event_type"
        yield Notice.of(
            event.where,
            f"{event.name} earns no Master Points: {why}",
            "usbgf eligible-events, reading U19",
            f"If it is one of these, fill in event_type: {', '.join(levels)}. For a type that the "
            "federation has added since, fill in event_level.",
            "events of no type in Appendix A, which earn no Master Points",
        )
    if level == 0:
        yield Notice.of(
            event.where,
            f"{event.name} earns no Master Points: it is of level 0",
            "usbgf event-weight",
            "Correct event_type or event_level if it is of another level.",
            "events of level 0",
        )


def before_the_first_edition(rulebook: Rulebook, event: Event) -> Notice:
    """Nothing can be awarded for a day on which no edition was in force."""
    first = rulebook.all[0].edition
    return Notice.of(
        event.where,
        f"{event.name} earns no Master Points for days before {first.in_force}",
        "usbgf effective-live, reading U16",
        f"The first edition, {first.id}, is in force from then on. Correct a wrong date.",
        f"events before {first.in_force}, which earn no Master Points",
    )


def level_of(rules: Rules, tournament: Tournament, event: Event) -> int | None:
    """The level of an event: of its type in Appendix A, else an officer's; none if nobody's."""
    levels = rules.tables["event_levels"][tournament.setting]
    name = table_key(levels, event.event_type)
    return event.event_level if name is None else int(levels[name])


def no_day_known(
    rules: Rules, tournament: Tournament, event: Event, effects: set[Dated]
) -> Iterator[Notice]:
    """Online, the last day of the tournament stands for a day that nothing says."""
    guessed = Dated(tournament.end_date, END_OF_TOURNAMENT) in effects
    if tournament.setting == "online" and guessed and level_of(rules, tournament, event):
        yield Notice.of(
            event.where,
            f"the day of the last match of {event.name} is not known; its points count from "
            f"{tournament.end_date}, the last day of its tournament",
            "usbgf effective-online, reading U16",
            "Fill in completed_on of the event, or played_on of its matches.",
            "online events without the day of their last match",
        )


def perhaps_of_teams(rules: Rules, event: Event) -> Iterator[Notice]:
    """An event type of teams, of which nobody says whether a whole team advances."""
    of_teams = rules.tables["team_event_types"]
    name = table_key(of_teams, event.event_type)
    if name is not None and of_teams[name] and event.team is None:
        yield Notice.of(
            event.where,
            f"{event.name} is of the type {name}, and nobody says whether teams advanced as units",
            "usbgf team-ranks, reading U31",
            "Fill in team: yes if they did, so that there are no rank points; no if each player "
            "advanced alone.",
            "events of teams that may have advanced as units",
        )


def unknown_flights(event: Event) -> Iterator[Notice]:
    """Designated places that nothing puts at a distance from first place."""
    for flight in event.flights:
        if flight.name not in FLIGHTS and any(flight.designated):
            yield Notice.of(
                event.where,
                f"the flight {flight.name} of {event.name} earns no rank points",
                "usbgf distance, reading U27",
                f"Only these flights have a distance from first place: {', '.join(FLIGHTS)}.",
                "flights that earn no rank points",
            )
