"""The report of events that were played here: facts, as the report of any director gives them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.core.messages import msg
from palmares.facts.cells import check_facts, parse_cells
from palmares.facts.decoding import ReportTables, event_id_of, tournament_id_of
from palmares.facts.names import parse_name
from palmares.facts.schema import FLIGHTS, TABLES, Facts
from palmares.facts.text import printable
from palmares.regulations.model import rounds_behind
from palmares.tournaments.running import Running
from palmares.tournaments.systems.matches import (
    MAIN,
    AnySetup,
    Groups,
    Knockout,
    Match,
    Outcome,
    Swiss,
    flight_named,
)

Cells = Mapping[str, str]
"""Columns of a table of facts, as text."""
_FROM_PLAY = ("tournament_id", "entrants", "rounds")
"""Columns of events that follow from what was played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedEvent:
    """An event that is over."""

    running: Running
    cells: Cells = field(default_factory=dict)  # more of the event: kind, entry_fee, ...
    ids: Mapping[str, str] = field(default_factory=dict)
    """Players' ids by entrant; an entrant left out has the id of their name, as in any report."""


class _Player(NamedTuple):
    """An entrant as the report names them."""

    player_id: str
    name: str
    nation: str | None
    origin: str | None


def report(tournament: Cells, events: Sequence[PlayedEvent]) -> Facts:
    """The facts of a tournament from its events.

    Args:
        tournament: columns of the table of tournaments; without ``tournament_id`` the id is made
            of the name and the last day.
        events: all of them over.

    Raises:
        Refused: an event is not over, or something else is said of it than was played.
        FactsRejected: something is missing or wrong, such as the tournament's last day.
    """
    key = tournament.get("tournament_id") or tournament_id_of(
        tournament.get("name"), tournament.get("end_date")
    )
    raw = ReportTables()
    raw.add("tournaments", {**tournament, "tournament_id": key}, 1, key)
    for event in events:
        setup = event.running.setup
        if not event.running.is_over:
            raise Refused(
                msg("%(event)s is not over. Enter its last results first.", event=setup.name)
            )
        _check_cells(event)
        _check_winners(event)
        players = _players(event)
        event_id = event.cells.get("event_id") or event_id_of(key, setup.name)
        reported_ids = {player["player_id"] for player in raw.table("players")}
        for player in players.values():
            if player.player_id not in reported_ids:
                line = len(raw.table("players")) + 1
                raw.add("players", player._asdict(), line, setup.event)
        for name, row in _rows(event, event_id, players):
            more = {"tournament_id": key} if name == "events" else {}
            line = len(raw.table(name)) + 1
            raw.add(name, {**row, "event_id": event_id, **more}, line, setup.event)
    return check_facts(parse_cells(raw))


def _check_cells(event: PlayedEvent) -> None:
    """Refuse unknown columns, and those that follow from the matches."""
    for column in event.cells:
        if column in _FROM_PLAY or column not in TABLES["events"]:
            offered = ", ".join(name for name in TABLES["events"] if name not in _FROM_PLAY)
            raise Refused(
                msg(
                    "%(column)s cannot be set of an event that was played here. These can:"
                    " %(offered)s.",
                    column=printable(column),
                    offered=offered,
                )
            )


def _check_winners(event: PlayedEvent) -> None:
    """Refuse a bracket without a winner: its last players did not appear or withdrew."""
    setup = event.running.setup
    if isinstance(setup, Swiss) or (isinstance(setup, Groups) and not setup.advance):
        return
    firsts = Counter(placing.flight for placing in event.running.placings if placing.rank == 1)
    for flight, many in firsts.items():
        if many > 1:
            raise Refused(
                msg(
                    "Nobody won the %(flight)s of %(event)s, as the last players did not appear."
                    " Choose who is ranked first: correct the last match that two players had to"
                    " a walkover.",
                    flight=flight.replace("_", " "),
                    event=setup.name,
                )
            )


def _players(event: PlayedEvent) -> dict[str, _Player]:
    """The players by entrant.

    Raises:
        FactsRejected: two entrants are one player.
    """
    setup = event.running.setup
    players: dict[str, _Player] = {}
    for who in filter(None, setup.places):
        name = parse_name(setup.names.get(who, who))
        key = event.ids.get(who) or name.id or name.written
        players[who] = _Player(key, name.name, name.nation, name.origin)
    twice = [
        key for key, n in Counter(player.player_id for player in players.values()).items() if n > 1
    ]
    if twice:
        raise FactsRejected(
            [
                Problem(
                    at=Location(setup.event),
                    what=msg("two entrants are reported as one player: %(player)s", player=key),
                    clause="report players",
                    remedy=msg("Give each an id of their own in square brackets."),
                )
                for key in twice
            ]
        )
    return players


def _rows(
    event: PlayedEvent, event_id: str, players: Mapping[str, _Player]
) -> Iterator[tuple[str, dict[str, str | None]]]:
    setup = event.running.setup
    rounds = str(setup.rounds) if isinstance(setup, Swiss) else None
    entrants = str(len(players))
    yield "events", {"name": setup.name, "entrants": entrants, "rounds": rounds, **event.cells}
    for flight, entered in flight_entrants(setup, event.running.matches).items():
        yield (
            "flights",
            {
                "flight": flight,
                "entrants": str(entered),
                "format": _format(setup),
                "match_length": str(min(flight_named(setup, flight).lengths)),
            },
        )
    for placing in event.running.placings:
        player = players[placing.player]
        behind = placing.rounds_behind
        yield (
            "placings",
            {
                "flight": placing.flight,
                "player_id": player.player_id,
                "rank": str(placing.rank),
                "designated": "yes" if placing.designated else None,
                "rounds_behind": None
                if behind in (None, rounds_behind(placing.rank))
                else str(behind),
                "nation": player.nation,
            },
        )
    for number, row in enumerate(_matches(event, players), 1):
        yield "matches", {**row, "match_id": f"{event_id}/m{number}"}


def flight_entrants(setup: AnySetup, matches: Sequence[Match]) -> dict[str, int]:
    """How many played in each flight that is reported."""
    players: dict[str, set[str]] = {}
    for match in matches:
        flight = match.flight if _has_flights(setup) else MAIN
        players.setdefault(flight, set()).update(filter(None, match.players))
    return {flight: len(entered) for flight, entered in players.items() if entered}


def _has_flights(setup: AnySetup) -> bool:
    """Whether its parts are reported as flights, and not all as the main."""
    return isinstance(setup, Knockout) and not setup.final_again


def _format(setup: AnySetup) -> str:
    if isinstance(setup, Swiss):
        return "swiss"
    if isinstance(setup, Groups):
        return "knockout" if setup.advance else "round_robin"
    return "double_knockout" if setup.final_again else "knockout"


def _matches(event: PlayedEvent, players: Mapping[str, _Player]) -> list[dict[str, str | None]]:
    """The matches in the order of a report, without those that neither player appeared for."""
    rows: list[dict[str, str | None]] = []
    several = _has_flights(event.running.setup)
    for match in event.running.matches:
        if match.winner is None:
            continue
        best_of = flight_named(event.running.setup, match.flight).best_of
        outcome = match.outcome
        played_on = outcome and outcome.played_on
        row = {
            "flight": match.flight if several else MAIN,
            "round": _round(match, several=several),
            "played_on": played_on.isoformat() if played_on else None,
            "length": str(match.length),
            "winner_id": players[match.winner].player_id,
            "loser_id": players[match.loser].player_id if match.loser else None,
            "status": None,
        }
        if outcome is None:
            rows.append(row | {"status": "bye"})
        elif outcome.how == "walkover":
            rows.append(row | {"status": "walkover"})
        elif best_of > 1:
            rows += _series(row, outcome, best_of)
        else:
            rows.append(row)
    order = {name: at for at, name in enumerate(FLIGHTS)}
    rows.sort(
        key=lambda row: (order.get(row["flight"] or "", len(order)), row["flight"], row["round"])
    )
    return rows


def _series(
    row: dict[str, str | None], outcome: Outcome, best_of: int
) -> list[dict[str, str | None]]:
    """The matches of a series, the last ones the winner's; one row where nobody says who won which.

    A match that began counts as played, and so does the one in which the loser retired.
    """
    if outcome.wins is None:
        return [row | {"status": "series", "series_wins": str(best_of // 2 + 1)}]
    won, lost = outcome.wins
    of_loser = row | {"winner_id": row["loser_id"], "loser_id": row["winner_id"]}
    return [of_loser] * lost + [row] * (won + (outcome.how == "retired"))


def _round(match: Match, *, several: bool) -> str:
    """The round of a match: its number, after the group or bracket if it needs one."""
    if several or match.flight == MAIN:
        return str(match.round)
    return f"{match.flight.replace('-', ' ')}, round {match.round}"
