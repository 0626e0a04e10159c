"""An event for the eye: the rounds of each flight as columns of matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palmares.core.messages import msg
from palmares.tournaments.formats.matches import FINAL, MAIN, AnySetup, Match, Swiss


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
    """The name of a round; only the main of a bracket halves its players each time."""
    if isinstance(setup, Swiss) or flight.startswith("group-") or flight == FINAL:
        return msg("Round %(number)s", number=number)
    if number == rounds:
        return msg("Final")
    if flight != MAIN:
        return msg("Round %(number)s", number=number)
    names = {2: msg("Semi-finals"), 4: msg("Quarter-finals")}
    return names.get(matches) or msg("Round of %(players)s", players=2 * matches)
