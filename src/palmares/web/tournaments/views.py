"""Tournaments: the list, and one with its flights, points, brackets and entries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Any, NamedTuple

import polars as pl
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import QueryParameter

from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints, number_text
from palmares.facts import Facts, codes
from palmares.facts.schema import FLIGHTS
from palmares.facts.text import LONGEST
from palmares.journal.projection.bodies import is_replaced
from palmares.journal.store.journal import Reader
from palmares.lists import live
from palmares.regulations import regulations
from palmares.regulations.model import MAIN
from palmares.web.http.state import AppState, Snapshot
from palmares.web.shared.lists import ranked_regulations
from palmares.web.shared.names import (
    ShownPlayer,
    TournamentRow,
    extended,
    matching_rows,
    searchable_tournaments,
    searched_words,
    shown_players,
    tournament_rows,
)
from palmares.web.shared.parameters import (
    KnownAt,
    PageOfList,
    Search,
    Slice,
    TournamentId,
)

PAGE_ROWS = 100
"""So many tournaments are on a page."""
KNOCKOUT = "knockout"
LAST_PLACE = 2**63
"""Behind every rank: where players without a place stand."""


# ── all of them ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentsList(Slice):
    """Tournaments, the latest first."""

    search: str
    year: int | None
    country: str
    letter: str
    years: tuple[int, ...]  # that have tournaments, the latest first
    countries: tuple[str, ...]  # that tournaments were held in, and the one asked for
    letters: tuple[str, ...]  # that names begin with
    tournaments: int  # found
    items: tuple[TournamentRow, ...]


def list_tournaments(
    snapshot: Snapshot,
    rows: PageOfList,
    search: Search = "",
    year: Year = None,
    country: Country = "",
    letter: Letter = "",
) -> TournamentsList:
    """Tournaments, the latest first.

    The words of a search stand in the name or the place.
    """
    all_rows, search, country = searchable_tournaments(snapshot), search.strip(), country.strip()
    country = codes.nation(country) or country
    matching = all_rows
    if search:
        matching = matching_rows(matching, search)
    initial = pl.col("plain").str.slice(0, 1).str.to_uppercase()
    letter = "".join(searched_words(letter))[:1].upper()
    if letter:
        matching = matching.filter(initial == letter)
    conditions = {"year": year, "country": country}
    matching = matching.filter(**{name: value for name, value in conditions.items() if value})
    here, part = rows.cut(matching, "tournament_id", snapshot.head.sequence, PAGE_ROWS)
    return TournamentsList(
        **part,
        search=search,
        year=year,
        country=country,
        letter=letter,
        years=tuple(all_rows["year"].drop_nulls().unique().sort(descending=True)),
        countries=tuple(
            sorted({*all_rows["country"].drop_nulls(), *([country] if country else [])})
        ),
        letters=tuple(all_rows.select(initial).to_series().unique().sort()),
        tournaments=len(matching),
        items=tournament_rows(here),
    )


# ── one of them ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsColumn:
    """Points of one kind under one regulation."""

    regulation: str
    title: str
    kind: str
    total: str  # sum | latest: these are ratings after the event


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacingRow(ShownPlayer):
    """A player's place in a flight, and what it gave."""

    rank: int | None  # none: they got points without a place, as for matches
    nanopoints: tuple[Nanopoints | None, ...]  # one for each column; none: none


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightTable:
    """A flight with its placings."""

    flight: str
    entrants: int | None
    columns: tuple[PointsColumn, ...]
    rows: tuple[PlacingRow, ...]  # with a place or points
    bracket: tuple[BracketRound, ...]  # the last rounds of a knockout whose matches were reported


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTable:
    """An event of a tournament."""

    event_id: str
    event: str
    entrants: int | None
    entry_fee: str  # as it was reported; empty: not known
    teams: bool  # bridge teams: it has a page of its own
    flights: tuple[FlightTable, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """An entry about the tournament."""

    entry: int
    kind: str  # report | withdrawal | override
    day: date  # it was recorded
    author: str | None  # none: who reads is not signed in
    counts: bool  # what is shown rests on it
    undone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPage(TournamentRow):
    """A tournament."""

    start_date: date | None
    currency: str | None
    as_of: date  # the day that explanations are asked for
    known_at: str  # the day, moment or entry up to which reports are counted; empty: all
    events: tuple[EventTable, ...]
    waiting: tuple[str, ...]  # events that wait under a regulation, and why
    versions: tuple[Version, ...]  # the latest first


def tournament_page(
    snapshot: Snapshot,
    app_state: AppState,
    today: date,
    tournament_id: TournamentId,
    known_at: KnownAt = "",
    *,
    signed_in: bool,
) -> TournamentPage:
    """A tournament: its events and flights, all places, and the points each gave.

    Who is signed in, or sends a token, sees who recorded its entries.

    Raises:
        NotFoundException: there is no such tournament.
    """
    row = _row(snapshot, tournament_id)
    events, waiting = _tables(snapshot, row)
    return TournamentPage(
        tournament_id=tournament_id,
        name=row["name"],
        discipline=row["discipline"],
        setting=row["setting"] or "live",
        start_date=row["start_date"],
        end_date=row["end_date"],
        city=row["city"],
        country=row["country"],
        currency=row["currency"],
        as_of=today,
        known_at=known_at,
        events=events,
        waiting=waiting,
        versions=app_state.read(
            lambda reader: _versions(snapshot, reader, tournament_id, authors=signed_in)
        ),
    )


def _row(snapshot: Snapshot, tournament_id: str) -> Mapping[str, Any]:
    rows = snapshot.facts["tournaments"].filter(pl.col("tournament_id") == tournament_id)
    if len(rows):
        return rows.row(0, named=True)
    withdrawn = tournament_id in snapshot.projection.state.group("tournaments")
    raise NotFoundException(
        msg("This tournament was withdrawn.") if withdrawn else msg("There is no such tournament.")
    )


# ── places and points ────────────────────────────────────────────────────────────────────────────


class _Reported(NamedTuple):
    """What was reported of the events of a tournament; rows by event id."""

    events: Sequence[Mapping[str, Any]]
    flights: Mapping[str, Sequence[tuple[Any, ...]]]  # name, entrants and format
    placings: Mapping[str, Sequence[tuple[Any, ...]]]  # flight, player and rank
    matches: Mapping[str, Sequence[Mapping[str, Any]]]
    teams: Collection[str]  # events with matches of teams
    players: Collection[str]  # whom placings and matches name


def _reported(facts: Facts, tournament_id: str) -> _Reported:
    events = facts["events"].filter(pl.col("tournament_id") == tournament_id)
    here = pl.col("event_id").is_in(events["event_id"].to_list())
    flights, placings, matches, teams = (
        facts[name].filter(here) for name in ("flights", "placings", "matches", "team_matches")
    )
    named = (placings["player_id"], matches["winner_id"], matches["loser_id"])
    return _Reported(
        events=events.sort("sequence", "event_id", nulls_last=True).rows(named=True),
        flights=flights[["event_id", "flight", "entrants", "format"]].rows_by_key("event_id"),
        placings=placings[["event_id", "flight", "player_id", "rank"]].rows_by_key("event_id"),
        matches=matches.rows_by_key("event_id", named=True),
        teams=set(teams["event_id"]),
        players=set().union(*named),
    )


def _tables(
    snapshot: Snapshot, row: Mapping[str, Any]
) -> tuple[tuple[EventTable, ...], tuple[str, ...]]:  # fmt: skip
    """The events with all their rows, those that gave points first; which wait, and why."""

    def make() -> tuple[tuple[EventTable, ...], tuple[str, ...]]:
        reported = _reported(snapshot.facts, row["tournament_id"])
        shown = shown_players(snapshot).filter(pl.col("player_id").is_in(list(reported.players)))
        names = {player: ShownPlayer(player_id=player, player=name, nation=nation)
                 for player, name, nation, _ in shown.iter_rows()}  # fmt: skip
        won, waiting = _points_and_waiting(snapshot, row)
        rows = [_event(reported, each, won[each["event_id"]], names) for each in reported.events]
        rows.sort(key=lambda event: not any(flight.columns for flight in event.flights))
        return tuple(rows), waiting

    return snapshot.once(("tournament", row["tournament_id"]), make)


def _points_and_waiting(
    snapshot: Snapshot, row: Mapping[str, Any]
) -> tuple[Mapping[str, Sequence[tuple[Any, ...]]], tuple[str, ...]]:
    """What every regulation of its discipline awards, by event, and what waits under them.

    An award is its flight, player, kind, nanopoints and regulation.
    """
    columns = ["event_id", "flight", "player_id", "kind", "nanopoints"]
    won, waiting = defaultdict[str, list[tuple[Any, ...]]](list), list[str]()
    for regulation in ranked_regulations():
        if (row["discipline"] or regulation.discipline).lower() != regulation.discipline:
            continue
        given = snapshot.awards(regulation.name)
        awards = live.of_tournament(given, row["tournament_id"])
        for event, *award in awards[columns].iter_rows():
            won[event].append((*award, regulation.name))
        waiting += [
            msg("%(regulation)s: %(why)s", regulation=regulation.title, why=each.why)
            for each in given.waiting
            if each.tournament_id == row["tournament_id"]
        ]
    return won, tuple(waiting)


def _event(
    reported: _Reported,
    row: Mapping[str, Any],
    won: Sequence[tuple[Any, ...]],
    names: Mapping[str, ShownPlayer],
) -> EventTable:
    """An event.

    Args:
        reported: of the tournament.
        row: of the event.
        won: flight, player, kind, nanopoints and regulation of each of its awards.
        names: of the players in the tournament.
    """
    event = row["event_id"]
    entrants = {flight: many for flight, many, _ in reported.flights.get(event, ())}
    knockouts = [flight for flight, _, form in reported.flights.get(event, ()) if form == KNOCKOUT]
    matches = defaultdict[str, list[Mapping[str, Any]]](list)
    for match in reported.matches.get(event, ()):
        matches[match["flight"] or MAIN].append(match)
    flights = [
        replace(table, bracket=bracket(matches[table.flight], names))
        if table.flight in knockouts
        else table
        for table in _flights(entrants, reported.placings.get(event, ()), won, names)
    ]
    fee = row["entry_fee"]
    return EventTable(
        event_id=event,
        event=row["name"],
        entrants=row["entrants"],
        entry_fee="" if fee is None else number_text(float(fee)),
        teams=event in reported.teams,
        flights=tuple(flights),
    )


def _flights(
    entrants: Mapping[str, int | None],
    placings: Sequence[tuple[Any, ...]],
    won: Sequence[tuple[Any, ...]],
    names: Mapping[str, ShownPlayer],
) -> Iterator[FlightTable]:
    """The flights of an event that were reported, or in which a player has a place or points."""
    flights = dict.fromkeys([*entrants, *(row[0] or MAIN for row in (*placings, *won))])
    for flight in sorted(flights, key=lambda name: [name != known for known in FLIGHTS]):
        awards = [award for of, *award in won if of == flight]
        places = {player: rank for of, player, rank in placings if (of or MAIN) == flight}
        kinds = sorted({(regulation, kind) for _, kind, _, regulation in awards})
        ranks = {**dict.fromkeys(player for player, *_ in awards), **places}
        points_of = _points(awards)
        rows = [
            extended(
                PlacingRow,
                names.get(player) or ShownPlayer(player_id=player, player=player, nation=None),
                rank=rank,
                nanopoints=tuple(points_of.get((player, *kind)) for kind in kinds),
            )
            for player, rank in ranks.items()
        ]
        yield FlightTable(
            flight=flight,
            entrants=entrants.get(flight),
            columns=tuple(
                PointsColumn(
                    regulation=name,
                    title=regulations()[name].title,
                    kind=kind,
                    total=regulations()[name].aggregate.word,
                )
                for name, kind in kinds
            ),
            rows=tuple(
                sorted(rows, key=lambda row: (row.rank or LAST_PLACE, row.player, row.player_id))
            ),
            bracket=(),
        )


def _points(awards: Iterable[Sequence[Any]]) -> Mapping[tuple[str, str, str], int]:
    """Nanopoints of a player, by regulation and kind; matches of several days are added up."""
    sums: dict[tuple[str, str, str], int] = {}
    for player, kind, nanopoints, regulation in awards:
        adds = not regulations()[regulation].aggregate.latest
        before = sums.get((player, regulation, kind), 0) if adds else 0
        sums[player, regulation, kind] = before + nanopoints
    return sums


# ── what was reported ────────────────────────────────────────────────────────────────────────────


def _versions(
    snapshot: Snapshot, reader: Reader, tournament_id: str, *, authors: bool
) -> tuple[Version, ...]:
    """The entries about a tournament, the latest first."""
    state = snapshot.projection.state
    groups = (state.group(name).get(tournament_id, ()) for name in ("tournaments", "overrides"))
    entries = list(reader.by_number([entry.sequence for group in groups for entry in group]))
    in_force = state.in_force("tournaments", tournament_id)
    overrides = state.not_undone("overrides", tournament_id)
    bodies = [override.body for override in overrides]
    seen = {
        override.sequence
        for number, override in enumerate(overrides)
        if not is_replaced(bodies[number], bodies[number + 1 :])
    } | {in_force and in_force.sequence}
    return tuple(
        Version(
            entry=entry.sequence,
            kind=entry.kind,
            day=date.fromisoformat(entry.recorded_at[:10]),
            author=entry.author if authors else None,
            counts=entry.sequence in seen,
            undone=state.is_undone(entry.sequence),
        )
        for entry in sorted(entries, key=lambda entry: -entry.sequence)
    )


# ── brackets of knockouts ────────────────────────────────────────────────────────────────────────

MOST_ROUNDS = 4
"""A bracket begins with the round of 16; all places stand in the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketMatch:
    """A match of a knockout."""

    length: int  # points that win it
    winner: ShownPlayer
    loser: ShownPlayer | None  # none: a bye


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketRound:
    """A round of a knockout, from the top of its bracket to the bottom."""

    round: str
    matches: tuple[BracketMatch | None, ...]  # two for each of the next round; none: not reported


def bracket(
    matches: Iterable[Mapping[str, Any]], players: Mapping[str, ShownPlayer]
) -> tuple[BracketRound, ...]:
    """The last rounds of a knockout; empty where its matches do not lead to one final.

    Rounds are known by their number of matches, since directors name them as they like; of two with
    as many matches, the one reported nearer the final is the later one.

    Args:
        matches: of one flight.
        players: the players of these matches, by ID.
    """
    by_round = defaultdict[str, dict[frozenset[str | None], Mapping[str, Any]]](dict)
    for match in matches:
        if match["round"] is not None:  # of a series the last match
            by_round[match["round"]][frozenset((match["winner_id"], match["loser_id"]))] = match
    names = list(by_round)
    final = next((at for at, name in enumerate(names) if len(by_round[name]) == 1), 0)
    rounds = sorted(
        by_round.items(), key=lambda item: (len(item[1]), abs(names.index(item[0]) - final))
    )
    slots: list[Mapping[str, Any] | None] = []
    columns: list[BracketRound] = []
    for name, played in rounds[:MOST_ROUNDS]:
        if not slots:
            slots = list(played.values())
        else:
            by_winner = {match["winner_id"]: match for match in played.values()}
            sides = [match and match[side] for match in slots for side in ("winner_id", "loser_id")]
            slots = [by_winner.pop(player, None) for player in sides]
            if by_winner:  # its winner did not play on
                return ()
        if len(slots) != 2 ** len(columns):
            return ()
        columns.append(
            BracketRound(
                round=name,
                matches=tuple(
                    None if match is None else _bracket_match(match, players) for match in slots
                ),
            )
        )
    return tuple(reversed(columns)) if len(columns) > 1 else ()


def _bracket_match(match: Mapping[str, Any], players: Mapping[str, ShownPlayer]) -> BracketMatch:
    return BracketMatch(
        length=match["length"],
        winner=players[match["winner_id"]],
        loser=players[match["loser_id"]] if match["loser_id"] else None,
    )


# ── routes ───────────────────────────────────────────────────────────────────────────────────────

Year = Annotated[
    int | None,
    QueryParameter(
        description="Only those that ended in this year.", ge=1, le=9999,
        examples=[Example(value=2019)],
    ),
]  # fmt: skip
Country = Annotated[
    str,
    QueryParameter(
        description="Only those that were held in this country.", max_length=LONGEST,
        examples=[Example(value="CZE")],
    ),
]  # fmt: skip
Letter = Annotated[
    str, QueryParameter(description="Only those whose name begins with this letter.", max_length=1)
]
