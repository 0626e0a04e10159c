"""Tournaments, and one of them: its events, flights, the points each gave, what was reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import polars as pl
from litestar.exceptions import NotFoundException

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints, written
from palmares.facts import Facts, codes
from palmares.journal.projection.bodies import lasting
from palmares.journal.projection.state import State
from palmares.journal.store.entries import Entry
from palmares.journal.store.journal import Reader
from palmares.journal.store.kinds import tables_of
from palmares.lists.live import query
from palmares.points import awards as awarding
from palmares.points.awards import Question
from palmares.regulations import regulations
from palmares.web.http.state import Snapshot
from palmares.web.shared.names import has_words, searched_words, shown_players
from palmares.web.shared.paging import Cut, PageNumber, Slice, extended
from palmares.web.shared.results import narrowed
from palmares.web.shared.tournaments import (
    TournamentRow,
    all_tournaments,
    tournament_rows,
)

LISTED, ROWS = 100, 500
"""So many tournaments, and rows of a flight, are on a page."""
ORDER: Mapping[str, int] = {"main": 0, "consolation": 1, "last_chance": 2}
"""Flights as an event has them; others follow."""


# ── all of them ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentsList(Slice):
    """Tournaments, the latest first."""

    search: str
    year: int | None
    discipline: str
    country: str
    tournaments: int  # found
    items: tuple[TournamentRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentsPage(TournamentsList):
    """A page of tournaments, with what they can be narrowed to."""

    years: tuple[int, ...]  # that have tournaments, the latest first
    disciplines: tuple[str, ...]
    countries: tuple[str, ...]  # that tournaments were held in, and the one asked for
    page: int  # from 1
    pages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which tournaments somebody asks for."""

    search: str = ""  # words of the name or the place
    year: int | None = None  # that they ended in
    discipline: str = ""
    country: str = ""  # that they were held in, by any of its codes


def tournaments(snapshot: Snapshot, wanted: Wanted, rows: Cut) -> TournamentsList:
    """The tournaments that are asked for, the latest first."""
    found, country = all_tournaments(snapshot), codes.nation(wanted.country) or wanted.country
    if wanted.search:
        words = searched_words(wanted.search)
        found = found.filter(has_words(words)) if words else found.clear()
    if wanted.year is not None:
        found = found.filter(pl.col("end_date").dt.year() == wanted.year)
    if wanted.discipline:
        found = found.filter(pl.col("discipline") == wanted.discipline)
    if country:
        found = found.filter(pl.col("country") == country)
    here, following = rows.cut(found, "tournament_id", snapshot.head.sequence)
    return TournamentsList(
        entry=snapshot.head.sequence,
        search=wanted.search,
        year=wanted.year,
        discipline=wanted.discipline,
        country=country,
        tournaments=len(found),
        items=tournament_rows(here),
        next=following,
    )


def tournaments_page(snapshot: Snapshot, wanted: Wanted, page: int = 1) -> TournamentsPage:
    """The page of the tournaments that are asked for."""
    rows, every = PageNumber(page, LISTED), all_tournaments(snapshot)
    view = tournaments(snapshot, wanted, rows)
    asked = [view.country] if view.country else []
    return extended(
        TournamentsPage,
        view,
        years=tuple(every["end_date"].dt.year().drop_nulls().unique().sort(descending=True)),
        disciplines=tuple(every["discipline"].drop_nulls().unique().sort()),
        countries=tuple(sorted({*every["country"].drop_nulls(), *asked})),
        page=page,
        pages=rows.pages(view.tournaments),
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
class PlacingRow:
    """A player's place in a flight, and what it gave."""

    rank: int | None  # none: they got points without a place, as for matches
    player_id: str
    player: str
    nation: str | None
    nanopoints: tuple[Nanopoints | None, ...]  # one for each column; none: none


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightTable:
    """A flight with its placings."""

    flight: str
    entrants: int | None
    columns: tuple[PointsColumn, ...]
    players: int  # with a place or points
    page: int  # from 1
    pages: int
    rows: tuple[PlacingRow, ...]  # of the page


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
class TournamentPage:
    """A tournament."""

    tournament_id: str
    name: str
    discipline: str | None
    setting: str  # live | online
    start_date: date | None
    end_date: date
    city: str | None
    country: str | None
    currency: str | None
    as_of: date  # the day that explanations are asked for
    known_at: str  # the day, moment or entry up to which reports are counted; empty: all
    events: tuple[EventTable, ...]
    waiting: tuple[str, ...]  # events that wait under a regulation, and why
    versions: tuple[Version, ...]  # the latest first


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacingsList(Slice):
    """The places of a flight, and what each gave."""

    tournament_id: str
    event_id: str
    event: str
    flight: str
    known_at: str  # what was asked for; empty: now
    entrants: int | None
    columns: tuple[PointsColumn, ...]  # of points, in the order of the numbers in a row
    players: int  # with a place or points
    items: tuple[PlacingRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightSelection:
    """Which page of which flight is asked for; all other flights show their first."""

    event_id: str = ""
    flight: str = ""
    page: int = 1


def tournament_page(
    snapshot: Snapshot,
    reader: Reader,
    tournament_id: str,
    today: date,
    *,
    authors: bool,
    known_at: str = "",
    asked: FlightSelection | None = None,
) -> TournamentPage:
    """A tournament.

    Args:
        snapshot: what is known.
        reader: the journal.
        tournament_id: which tournament.
        today: the day it is.
        authors: whether to say who recorded its entries.
        known_at: the day, moment or entry that it is known at, as somebody asked for it.
        asked: the page of a flight; none: the first of all.

    Raises:
        NotFoundException: there is no such tournament.
        Refused: there is no such flight, or no such page of it.
    """
    row = _row(snapshot, tournament_id)
    if row is None:
        withdrawn = tournament_id in snapshot.projection.state.group("tournaments")
        raise NotFoundException(
            msg("This tournament was withdrawn.")
            if withdrawn
            else msg("There is no such tournament.")
        )
    asked = asked or FlightSelection()
    events, waiting = _tables(snapshot, row)
    there = {(one.event_id, flight.flight) for one in events for flight in one.flights}
    flight = (asked.event_id, asked.flight)
    if any(flight) and flight not in there:  # no other would be shown instead
        raise Refused(msg("There is no such flight of an event in this tournament."))
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
        events=tuple(_paged(one, asked) for one in events),
        waiting=waiting,
        versions=_versions(snapshot, reader, tournament_id, authors=authors),
    )


def _paged(event: EventTable, asked: FlightSelection) -> EventTable:
    """An event with the pages of its flights that are asked for."""

    def page(one: FlightTable) -> FlightTable:
        is_asked = (event.event_id, one.flight) == (asked.event_id, asked.flight)
        number = asked.page if is_asked else 1
        rows, _ = PageNumber(number, ROWS).cut(one.rows)
        return replace(one, page=number, rows=rows)

    return replace(event, flights=tuple(page(one) for one in event.flights))


def placings(
    snapshot: Snapshot,
    tournament_id: str,
    event_id: str,
    flight: str,
    rows: Cut,
    known_at: str = "",
) -> PlacingsList:
    """The places of a flight.

    Raises:
        NotFoundException: there is no such flight.
    """
    row = _row(snapshot, tournament_id)
    for event in _tables(snapshot, row)[0] if row else ():
        for one in event.flights:
            if (event.event_id, one.flight) == (event_id, flight):
                here, following = rows.cut(one.rows, "player_id", snapshot.head.sequence)
                return PlacingsList(
                    tournament_id=tournament_id,
                    event_id=event_id,
                    event=event.event,
                    flight=flight,
                    known_at=known_at,
                    entry=snapshot.head.sequence,
                    entrants=one.entrants,
                    columns=one.columns,
                    players=one.players,
                    items=here,
                    next=following,
                )
    raise NotFoundException(msg("There is no such flight."))


def _row(snapshot: Snapshot, tournament_id: str) -> Mapping[str, Any] | None:
    rows = snapshot.facts["tournaments"].filter(pl.col("tournament_id") == tournament_id)
    return None if rows.is_empty() else rows.row(0, named=True)


# ── places and points ────────────────────────────────────────────────────────────────────────────


def _tables(
    snapshot: Snapshot, row: Mapping[str, Any]
) -> tuple[tuple[EventTable, ...], tuple[str, ...]]:  # fmt: skip
    """The events with all their rows, those that gave points first; which wait, and why."""

    def make() -> tuple[tuple[EventTable, ...], tuple[str, ...]]:
        facts = narrowed(snapshot, {row["tournament_id"]})
        points, waiting = _points_and_waiting(snapshot, row, facts)
        events = facts["events"].sort("sequence", "event_id", nulls_last=True)
        tables = [_event(snapshot, facts, one, points) for one in events.iter_rows(named=True)]
        tables.sort(key=lambda one: not any(flight.columns for flight in one.flights))
        return tuple(tables), waiting

    return snapshot.once(("tournament", row["tournament_id"]), make)


def _points_and_waiting(
    snapshot: Snapshot, row: Mapping[str, Any], facts: Facts
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """What every regulation of its discipline awards, and what waits under them."""
    columns = ("event_id", "flight", "player_id", "kind", "nanopoints", "regulation")
    given, waiting = [pl.DataFrame(schema=dict.fromkeys(columns, pl.String))], []
    for one in regulations().values():
        if not one.kinds or (row["discipline"] or one.discipline).lower() != one.discipline:
            continue
        awards = _awards(snapshot, one.name, row["tournament_id"], facts)
        given.append(awards.with_columns(regulation=pl.lit(one.name)).select(columns))
        waiting += [
            f"{one.title}: {each.why}"
            for each in snapshot.waiting(one.name)
            if each.tournament_id == row["tournament_id"]
        ]
    return pl.concat(given[1:] or given), tuple(waiting)


def _awards(snapshot: Snapshot, regulation: str, tournament_id: str, facts: Facts) -> pl.DataFrame:
    """What a regulation awards for a tournament, given the facts of it alone."""
    question = Question(regulation=regulation)
    if not question.aggregate.latest:
        return awarding.award(question, facts, terms=False).frame
    return query.of_tournament(snapshot.awarded(regulation), tournament_id)


def _event(
    snapshot: Snapshot, facts: Facts, row: Mapping[str, Any], points: pl.DataFrame
) -> EventTable:
    mine = pl.col("event_id") == row["event_id"]
    flights = _flights(
        facts["flights"].filter(mine),
        facts["placings"].filter(mine).with_columns(pl.col("flight").fill_null("main")),
        points.filter(mine),
        shown_players(snapshot).select("player_id", "player", "nation"),
    )
    fee = row["entry_fee"]
    return EventTable(
        event_id=row["event_id"],
        event=row["name"],
        entrants=row["entrants"],
        entry_fee="" if fee is None else written(float(fee)),
        teams=row["event_id"] in facts["team_matches"]["event_id"],
        flights=tuple(flights),
    )


def _flights(
    flights: pl.DataFrame, placings: pl.DataFrame, points: pl.DataFrame, names: pl.DataFrame
) -> Iterator[FlightTable]:
    """The flights of an event that were reported, or in which somebody has a place or points."""
    entrants = dict(flights.select("flight", "entrants").iter_rows())
    named = [*entrants, *placings["flight"], *points["flight"]]
    for flight in sorted(dict.fromkeys(named), key=lambda one: ORDER.get(one, len(ORDER))):
        won = points.filter(pl.col("flight") == flight)
        kinds = won.select("regulation", "kind").unique().sort("regulation", "kind").rows()
        rows = placings.filter(pl.col("flight") == flight).select("player_id", "rank")
        more = won.select("player_id").unique().join(rows, on="player_id", how="anti")
        rows = pl.concat([rows, more.with_columns(rank=pl.lit(None, pl.Int64))])
        rows = rows.join(names, on="player_id", how="left").sort(
            "rank", "player", "player_id", nulls_last=True
        )
        of = _points(won)
        yield FlightTable(
            flight=flight,
            entrants=entrants.get(flight),
            columns=tuple(_column(*one) for one in kinds),
            players=len(rows),
            page=1,
            pages=PageNumber(1, ROWS).pages(len(rows)),
            rows=tuple(
                PlacingRow(
                    rank=rank,
                    player_id=one,
                    player=player or one,
                    nation=nation,
                    nanopoints=tuple(of.get((one, *kind)) for kind in kinds),
                )
                for one, rank, player, nation in rows.iter_rows()
            ),
        )


def _points(won: pl.DataFrame) -> Mapping[tuple[str, str, str], int]:
    """Nanopoints of a player, by regulation and kind; matches of several days are added up."""
    found: dict[tuple[str, str, str], int] = {}
    columns = won.select("player_id", "regulation", "kind", "nanopoints")
    for player, regulation, kind, nanopoints in columns.iter_rows():
        adds = not regulations()[regulation].aggregate.latest
        before = found.get((player, regulation, kind), 0) if adds else 0
        found[player, regulation, kind] = before + nanopoints
    return found


def _column(regulation: str, kind: str) -> PointsColumn:
    found = regulations()[regulation]
    return PointsColumn(
        regulation=regulation, title=found.title, kind=kind, total=found.aggregate.word
    )


# ── what was reported ────────────────────────────────────────────────────────────────────────────


def _versions(
    snapshot: Snapshot, reader: Reader, tournament_id: str, *, authors: bool
) -> tuple[Version, ...]:
    """The entries about a tournament, the latest first."""
    state = snapshot.projection.state
    groups = (state.group(name).get(tournament_id, ()) for name in ("tournaments", "overrides"))
    entries = list(reader.those([one.sequence for group in groups for one in group]))
    seen = _seen(state, entries, tournament_id)
    return tuple(
        Version(
            entry=entry.sequence,
            kind=entry.kind,
            day=date.fromisoformat(entry.recorded_at[:10]),
            author=entry.author if authors else None,
            counts=entry.sequence in seen,
            undone=state.undone(entry.sequence),
        )
        for entry in sorted(entries, key=lambda one: -one.sequence)
    )


def _seen(state: State, entries: list[Entry], tournament_id: str) -> set[int]:
    """The entries that what is shown rests on: the last report, and overrides still seen in it."""
    standing = state.in_force("tournaments", tournament_id)
    report = next((one for one in entries if standing and one.sequence == standing.sequence), None)
    if report is None:
        return set()
    overrides = state.counting("overrides", tournament_id)
    if not overrides:
        return {report.sequence}
    seen = lasting(tables_of(report), [one.body for one in overrides])
    kept = (one.sequence for one, is_seen in zip(overrides, seen, strict=True) if is_seen)
    return {report.sequence, *kept}
