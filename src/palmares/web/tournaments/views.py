"""
A tournament: its events and flights with placings, the points each gave, and what was reported.

    tournament_page     an id  ->  TournamentPage
    Turned              which flight is turned to which page
    whole_flight        a flight with all its rows
    was_withdrawn       whether there was a tournament of an id that counts no longer
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl

from palmares import awarded_events
from palmares import awards as awarding
from palmares.awarded import can_keep
from palmares.awards import Question
from palmares.errors import Refused
from palmares.facts import Facts
from palmares.journal.bodies import lasting
from palmares.journal.entries import Entry
from palmares.journal.projection import tables_of
from palmares.journal.state import State, Statement
from palmares.journal.store import Reader
from palmares.regulations import regulations
from palmares.rounding import written
from palmares.web.hall import Known
from palmares.web.messages import said
from palmares.web.pages import turning
from palmares.web.pages.courses import narrowed
from palmares.web.pages.names import shown

ROWS = 500
"""So many rows of a flight are on a page."""

ORDER: Mapping[str, int] = {"main": 0, "consolation": 1, "last_chance": 2}
"""Flights as an event has them; others follow."""


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

    rank: int | None  # none: he got points without a place, as for matches
    player_id: str
    player: str
    nation: str | None
    nanopoints: tuple[int | None, ...]  # one for each column; none: none


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
class Turned:
    """Which flight is turned to which page; all others show their first."""

    event_id: str = ""
    flight: str = ""
    page: int = 1


OPENED = Turned()
"""Nothing is turned."""


def tournament_page(
    known: Known,
    reader: Reader,
    tournament_id: str,
    today: date,
    *,
    authors: bool,
    known_at: str = "",
    turned: Turned = OPENED,
) -> TournamentPage | None:
    """A tournament; none if there is none of that id.

    Args:
        known: what is known.
        reader: the journal.
        tournament_id: which tournament.
        today: the day it is.
        authors: whether to say who recorded its entries.
        known_at: the day, moment or entry that it is known at, as somebody asked for it.
        turned: which flight is turned to which page.

    Raises:
        Refused: there is no such flight, or no such page of it.
    """
    row = _row(known, tournament_id)
    if row is None:
        return None
    events, waiting = _made(known, row)
    _refuse_unknown(events, turned)
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
        events=tuple(_shown(one, turned) for one in events),
        waiting=waiting,
        versions=_versions(known, reader, tournament_id, authors=authors),
    )


def whole_flight(
    known: Known, tournament_id: str, event_id: str, flight: str
) -> tuple[EventTable, FlightTable] | None:
    """A flight with all its rows, and its event; none if there is none."""
    row = _row(known, tournament_id)
    if row is None:
        return None
    found = (
        (event, one)
        for event in _made(known, row)[0]
        for one in event.flights
        if (event.event_id, one.flight) == (event_id, flight)
    )
    return next(found, None)


def _row(known: Known, tournament_id: str) -> Mapping[str, Any] | None:
    rows = known.facts["tournaments"].filter(pl.col("tournament_id") == tournament_id)
    return None if rows.is_empty() else rows.row(0, named=True)


def _made(known: Known, row: Mapping[str, Any]) -> tuple[tuple[EventTable, ...], tuple[str, ...]]:
    return known.once(("tournament", row["tournament_id"]), lambda: _tables(known, row))


def was_withdrawn(known: Known, tournament_id: str) -> bool:
    """Whether there was a tournament of that id that counts no longer."""
    return tournament_id in known.projection.state.group("tournaments")


# ── places and points ────────────────────────────────────────────────────────────────────────────


def _tables(
    known: Known, row: Mapping[str, Any]
) -> tuple[tuple[EventTable, ...], tuple[str, ...]]:  # fmt: skip
    """The events, those that gave points first, and which wait, and why."""
    facts = narrowed(known, {row["tournament_id"]})
    given, waiting = [], []
    for one in regulations().values():
        if not one.kinds or (row["discipline"] or one.discipline).lower() != one.discipline:
            continue
        mine = _awards(known, one.name, row["tournament_id"], facts)
        waiting += [
            f"{one.title}: {each.why}"
            for each in known.waiting(one.name)
            if each.tournament_id == row["tournament_id"]
        ]
        given.append(
            mine.select(
                "event_id", "flight", "player_id", "kind", "nanopoints",
                pl.lit(one.name).alias("regulation"),
            )
        )  # fmt: skip
    columns = ("event_id", "flight", "player_id", "kind", "nanopoints", "regulation")
    points = pl.concat(given) if given else pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    names = shown(known).select("player_id", "player", "nation")
    teams = set(facts["team_matches"]["event_id"])
    events = []
    for event in (
        facts["events"].sort("sequence", "event_id", nulls_last=True).iter_rows(named=True)
    ):
        mine = pl.col("event_id") == event["event_id"]
        flights = _flights(
            facts["flights"].filter(mine),
            facts["placings"].filter(mine).with_columns(pl.col("flight").fill_null("main")),
            points.filter(mine),
            names,
        )
        events.append(
            EventTable(
                event_id=event["event_id"],
                event=event["name"],
                entrants=event["entrants"],
                entry_fee=_money(event["entry_fee"]),
                teams=event["event_id"] in teams,
                flights=tuple(flights),
            )
        )
    events.sort(key=lambda one: not any(flight.columns for flight in one.flights))
    return tuple(events), tuple(waiting)


def _awards(known: Known, regulation: str, tournament_id: str, facts: Facts) -> pl.DataFrame:
    """What a regulation awards for a tournament, given the facts of it alone."""
    question = Question(regulation=regulation)
    if question.held().total != "latest":
        return awarding.award(question, facts, terms=False).frame
    if can_keep(question):  # a rating is made from those before, which are kept
        return awarded_events.of_tournament(known.awarded(regulation), tournament_id)
    return known.awards(regulation).frame.filter(pl.col("tournament_id") == tournament_id)


def _refuse_unknown(events: tuple[EventTable, ...], turned: Turned) -> None:
    """Refuse a flight that is not there: no other would be turned instead."""
    asked = (turned.event_id, turned.flight)
    there = {(one.event_id, flight.flight) for one in events for flight in one.flights}
    if any(asked) and asked not in there:
        raise Refused(said("There is no such flight of an event in this tournament."))


def _shown(event: EventTable, turned: Turned) -> EventTable:
    """An event with the pages of its flights that are asked for."""

    def page(one: FlightTable) -> FlightTable:
        asked = (event.event_id, one.flight) == (turned.event_id, turned.flight)
        number, _ = turning.turned(turned.page, one.pages, 1) if asked else (1, 1)
        return replace(one, page=number, rows=one.rows[(number - 1) * ROWS : number * ROWS])

    return replace(event, flights=tuple(page(one) for one in event.flights))


def _money(fee: Decimal | None) -> str:
    return "" if fee is None else written(float(fee))


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
            pages=max(1, -(-len(rows) // ROWS)),
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
    for *key, nanopoints in won.select(
        "player_id", "regulation", "kind", "nanopoints"
    ).iter_rows():  # fmt: skip
        player, regulation, kind = key
        before = found.get((player, regulation, kind), 0)
        adds = regulations()[regulation].total == "sum"
        found[player, regulation, kind] = before + nanopoints if adds else nanopoints
    return found


def _column(regulation: str, kind: str) -> PointsColumn:
    found = regulations()[regulation]
    return PointsColumn(regulation=regulation, title=found.title, kind=kind, total=found.total)


# ── what was reported ────────────────────────────────────────────────────────────────────────────


def _versions(
    known: Known, reader: Reader, tournament_id: str, *, authors: bool
) -> tuple[Version, ...]:
    """The entries about a tournament, the latest first."""
    state = known.projection.state
    told: list[Statement] = [
        *state.group("tournaments").get(tournament_id, ()),
        *state.group("overrides").get(tournament_id, ()),
    ]
    entries = list(reader.those([one.sequence for one in told]))
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
    standing = state.standing("tournaments", tournament_id)
    report = next((one for one in entries if standing and one.sequence == standing.sequence), None)
    if report is None:
        return set()
    overrides = state.counting("overrides", tournament_id)
    if not overrides:
        return {report.sequence}
    seen = lasting(tables_of(report), [one.body for one in overrides])
    kept = (one.sequence for one, is_seen in zip(overrides, seen, strict=True) if is_seen)
    return {report.sequence, *kept}
