"""An event of any system: matches, placings, what is played next, what a correction changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palmares.core.messages import msg
from palmares.tournaments.systems import groups, knockout, swiss
from palmares.tournaments.systems.matches import (
    FINAL,
    MAIN,
    AnySetup,
    Groups,
    Knockout,
    Match,
    Outcome,
    Placing,
    Progress,
    Standing,
    Swiss,
)

SYSTEMS: Mapping[type, Any] = {Knockout: knockout, Groups: groups, Swiss: swiss}


def matches(setup: AnySetup, progress: Progress) -> tuple[Match, ...]:
    """All matches of an event as far as they are known, each after those it depends on."""
    every: tuple[Match, ...] = SYSTEMS[type(setup)].matches(setup, progress)
    return every


def placings(setup: AnySetup, played: Sequence[Match]) -> tuple[Placing, ...]:
    """Who finished where in each flight that is over.

    Args:
        setup: the event.
        played: its matches, as `matches` gives them.
    """
    finishers: tuple[Placing, ...] = SYSTEMS[type(setup)].placings(setup, played)
    return finishers


def standings(setup: AnySetup, played: Sequence[Match]) -> tuple[Standing, ...]:
    """Where players of groups and of a Swiss stand now; empty for a knockout."""
    if isinstance(setup, Swiss):
        return swiss.standings(setup, played)
    return groups.standings(played) if isinstance(setup, Groups) else ()


def is_finished(setup: AnySetup, played: Sequence[Match]) -> bool:
    """Whether nothing of the event is left to play, or to pair."""
    if any(match.state in ("waiting", "ready") for match in played):
        return False
    return not isinstance(setup, Swiss) or played[-1].round == setup.rounds


# ── what is played next ──────────────────────────────────────────────────────────────────────────


def next_matches(played: Sequence[Match], progress: Progress) -> tuple[Match, ...]:
    """The matches that can start now, first the one whose players have waited longest.

    They wait since the later of their last matches ended, in the order in which results were
    recorded; those who wait equally long play in the order of the event. Nobody is in two.
    """
    ended = {key: at for at, key in enumerate(progress.outcomes, 1)}
    since: dict[str, int] = {}
    for match in played:
        for who in filter(None, match.players):
            since[who] = max(since.get(who, 0), ended.get(match.id, 0))
    ready = [match for match in played if match.state == "ready"]
    ready.sort(key=lambda match: max(since[who] for who in match.players if who))
    busy: set[str | None] = set()
    chosen: list[Match] = []
    for match in ready:
        if busy.isdisjoint(match.players):
            busy.update(match.players)
            chosen.append(match)
    return tuple(chosen)


# ── corrections ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A match that is no longer what it was."""

    id: str
    players: tuple[str | None, str | None]
    dropped: Outcome | None = None  #: the result that falls away, since others meet now


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequences:
    """What follows from a correction."""

    progress: Progress  #: with the correction, without the results that fall away
    changed: tuple[Changed, ...]  #: later matches, in the order of the event


def changes(setup: AnySetup, before: Progress, after: Progress) -> Consequences:
    """What follows from a change of what has happened, such as a correction or a withdrawal."""
    old = {match.id: match for match in matches(setup, before)}
    dropped: dict[str, Outcome] = {}
    while True:
        new = matches(setup, after)
        wrong = [
            match.id
            for match in new
            if match.id in before.outcomes
            and match.id in after.outcomes
            and match.id in old
            and {*match.players} != {*old[match.id].players}
        ]
        if not wrong:
            break
        outcomes = dict(after.outcomes)
        dropped |= {key: outcomes.pop(key) for key in wrong}
        after = replace(after, outcomes=outcomes)
    changed = tuple(
        Changed(
            id=match.id,
            players=match.players,
            dropped=dropped.get(match.id),
        )
        for match in new
        if match.id in old and match.players != old[match.id].players
    )
    return Consequences(progress=after, changed=changed)


# ── rounds as columns ─────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundColumn:
    """A round of a flight, its matches from the top to the bottom."""

    title: str
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightColumns:
    """A flight, its rounds from the first to the last."""

    flight: str
    title: str
    is_bracket: bool  #: winners go on to the next column
    rounds: tuple[RoundColumn, ...]


def columns(setup: AnySetup, played: Sequence[Match]) -> tuple[FlightColumns, ...]:
    """The flights of an event, in the order of its matches."""
    rounds: dict[str, dict[int, list[Match]]] = {}
    for match in played:
        if match.flight == FINAL and match.state == "empty":
            continue  # the unbeaten player won
        rounds.setdefault(match.flight, {}).setdefault(match.round, []).append(match)
    return tuple(
        FlightColumns(
            flight=name,
            title=flight_title(name),
            is_bracket=not isinstance(setup, Swiss) and not name.startswith("group-"),
            rounds=tuple(
                RoundColumn(
                    title=_round_title(setup, name, number, len(by_number), len(matches)),
                    matches=tuple(matches),
                )
                for number, matches in by_number.items()
            ),
        )
        for name, by_number in rounds.items()
    )


def flight_title(name: str) -> str:
    """What a flight is called on paper and on pages."""
    titles = {
        MAIN: msg("Main"),
        "consolation": msg("Consolation"),
        "last_chance": msg("Last Chance"),
        FINAL: msg("Final"),
    }
    if name.startswith("group-"):
        return msg("Group %(number)s", number=int(name.removeprefix("group-")))
    return titles.get(name, name.replace("-", " ").replace("_", " ").capitalize())


def _round_title(setup: AnySetup, flight: str, number: int, rounds: int, matches: int) -> str:
    """The name of a round; only rounds of the main are called semi-finals and so on."""
    if isinstance(setup, Swiss) or flight.startswith("group-") or flight == FINAL:
        return msg("Round %(number)s", number=number)
    if number == rounds:
        return msg("Final")
    if flight != MAIN:
        return msg("Round %(number)s", number=number)
    names = {2: msg("Semi-finals"), 4: msg("Quarter-finals")}
    return names.get(matches) or msg("Round of %(players)s", players=2 * matches)
