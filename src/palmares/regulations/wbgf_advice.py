"""
WBGF: which tournaments qualify for the World Ranking.

The conditions are no part of the formula and the committee makes exceptions, so they are warnings
(reading W19): live only; 9-point cup or 7-point round robin; entry fee of EUR 50; 30 players,
unless a national championship; Super Jackpots of 250 and 7 points; one of each division.
The figures are in the table ``qualifying`` of the sheet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from palmares.core.errors import Location
from palmares.regulations.editions import Rulebook
from palmares.regulations.model import MAIN, Event, Notice, Tournament

KINDS = ("championship", "intermediate", "super_jackpot")


def advice(rulebook: Rulebook, tournament: Tournament) -> Iterator[Notice]:
    """Every condition of the federation that a tournament does not meet."""
    rules = rulebook.on(tournament.end_date)
    if rules is None:
        return
    limits = rules.tables["qualifying"]
    if tournament.setting != "live":
        yield condition(
            tournament.where,
            f"{tournament.name} was played online",
            "live events only",
            "tournaments that were played online",
        )
    of_kinds: dict[str, list[Event]] = {}
    for event in tournament.events:
        of_kinds.setdefault(event.kind, []).append(event)
        if not event.kind and event.flights:
            yield no_kind(event)
    for kind in KINDS:
        events = of_kinds.get(kind, ())
        if len(events) > 1 and kind != "super_jackpot":
            yield condition(
                events[1].where,
                f"{tournament.name} has {len(events)} {kind} events",
                "just one of each division per tournament",
                "tournaments with several events of a division",
            )
        for event in events:
            yield from event_not_qualifying(limits, tournament, event)


def no_kind(event: Event) -> Notice:
    """An event of which the report does not say whether it is one that awards points."""
    return Notice.of(
        event.where,
        f"{event.name} earns nothing: the report does not say what kind of event it is",
        "wbgf qualifying",
        f"Fill in kind: {', '.join(KINDS)}; or other, if it is none of these.",
        "events without a kind, which earn nothing",
    )


def event_not_qualifying(
    limits: Mapping[str, Any], tournament: Tournament, event: Event
) -> Iterator[Notice]:
    """The conditions on one event: its fee, its field and the length of its matches."""
    jackpot = event.kind == "super_jackpot"
    least = limits["super_jackpot_fee" if jackpot else "entry_fee_eur"]
    if event.entry_fee is not None and (tournament.rate or not event.entry_fee):
        fee = event.entry_fee * (tournament.rate.eur_per_unit if tournament.rate else 0)
        if fee < least:
            yield condition(
                event.where,
                f"{event.name}: entry fee EUR {float(fee):.2f}",
                f"at least {float(least):g}",
                f"events with an entry fee under EUR {float(least):g}",
            )
    main = event.flight(MAIN)
    if main is None:
        return
    if not jackpot and not event.national_championship and main.entrants < limits["entrants"]:
        yield condition(
            event.where,
            f"{event.name}: {main.entrants} players",
            f"at least {float(limits['entrants']):g}, unless a national championship",
            f"events under {float(limits['entrants']):g} players",
        )
    if jackpot:
        length = limits["super_jackpot_match_length"]
    elif main.format in ("knockout", "double_knockout"):
        length = limits["cup_match_length"]
    else:
        length = limits["round_robin_match_length"]
    if main.match_length is not None and main.match_length < length:
        yield condition(
            event.where,
            f"{event.name}: {main.match_length}-point matches",
            f"at least {float(length):g}",
            f"events with matches under {float(length):g} points",
        )


def condition(where: Location, what: str, rule: str, several: str) -> Notice:
    """One condition that is not met, and what several events that do not meet it are."""
    return Notice.of(
        where,
        f"{what}; to qualify: {rule}",
        "wbgf qualifying, reading W19",
        "The points are shown all the same. To leave it out, write wbgf into not_counted_in.",
        several,
    )
