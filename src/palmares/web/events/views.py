"""Live events: all of them, and one with its matches, standings and placings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from litestar.exceptions import NotFoundException

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.journal.commands.announcements import notice_of
from palmares.journal.identity.register import Register
from palmares.journal.store.events import (
    EventRecord,
    event_head,
    event_ids,
    event_names,
    event_records,
)
from palmares.journal.store.journal import Reader
from palmares.render.event import count_pages
from palmares.tournaments.notice import Notice, recorded
from palmares.tournaments.prizes import Payout, Prize, event_payout, totals
from palmares.tournaments.running import (
    ManualChange,
    Running,
    describe,
    fold,
    followers,
)
from palmares.tournaments.systems.matches import AnySetup, Match, Placing, Standing
from palmares.web.http.state import SingleFlightCache, Snapshot
from palmares.web.shared.names import shown_players

PAGES = 12
"""Answers that are kept of an event as it is: its page in each language, and as JSON."""
FORMATS = {"knockout": msg("knockout"), "groups": msg("groups"), "swiss": msg("Swiss")}


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEventRow:
    """An event."""

    event: str
    name: str
    format: str  # knockout | groups | swiss
    format_name: str  # in words
    entrants: int
    played: int  # matches with a result
    state: str  # running | finished | reported
    started_at: str  # in UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEvents:
    """Every event that was started, the latest first."""

    items: tuple[LiveEventRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveFlight:
    """A bracket, a group, or all rounds of a Swiss."""

    flight: str
    rounds: tuple[tuple[Match, ...], ...]
    placings: tuple[Placing, ...]  # final; empty: not over
    standings: tuple[Standing, ...]  # now, of groups and of a Swiss


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePrizes:
    """The prizes of an event that is over, by the rule of its notice; amounts are in cents."""

    notice: str  # the event whose notice it is; empty: it is not published
    currency: str
    pool: str  # how it comes about, in a sentence
    items: tuple[Prize, ...]
    totals: Mapping[str, int]  # what each entrant gets in all
    problem: str  # why there are none, and what to do; empty: they follow from the notice


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEvent:
    """An event as its records have it."""

    row: LiveEventRow
    sequence: int  # of the last record; the stream of the event sends it when it changes
    hash: str  # of the last record
    names: Mapping[str, str]  # of the entrants, by their ids in the event
    next: tuple[Match, ...]  # can start now, who waits longest first
    flights: tuple[LiveFlight, ...]
    prizes: LivePrizes | None  # none: not over, or its notice states none
    bracket_pages: int  # of its bracket on paper; 0: it has none


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedEvent:
    """An event with its records."""

    records: Sequence[EventRecord]
    running: Running
    typed: Mapping[str, str]  # names that were typed in, by entrant
    notice: Notice | None  # in force; none: it has none
    notice_problem: str  # why the notice that the event names is not known; empty: it is
    pages: SingleFlightCache = field(default_factory=lambda: SingleFlightCache(PAGES))


def load_event(reader: Reader, snapshot: Snapshot, event: str) -> LoadedEvent:
    """An event as it is now; made once for each record and change of a name.

    Raises:
        NotFoundException: there is none.
    """
    head = event_head(reader, event)
    if head is None:
        raise NotFoundException(msg("There is no such event."))
    typed = event_names(reader, event)

    def load() -> LoadedEvent:
        records = event_records(reader, event)
        shown = shown_players(snapshot).select("player_id", "player")
        players = snapshot.once("names of entrants", lambda: dict(shown.iter_rows()))
        withheld = snapshot.once(
            "withheld players", lambda: Register.of(snapshot.projection, reader).withheld()
        )
        running = fold(records, {**players, **typed, **withheld.entrants(typed, players)})
        notice, problem = _notice_of(snapshot, running.setup)
        return LoadedEvent(
            records=records, running=running, typed=typed, notice=notice, notice_problem=problem
        )

    return snapshot.once(("event", head.hash, *sorted(typed.items())), load)


def _notice_of(snapshot: Snapshot, setup: AnySetup) -> tuple[Notice | None, str]:
    """The notice in force of an event, and why it is not known."""
    try:
        text = notice_of(snapshot.projection.state, setup.event, setup.notice)
    except Refused as refused:
        return None, str(refused)
    return (None if text is None else recorded(text)), ""


def live_events(reader: Reader, snapshot: Snapshot) -> LiveEvents:
    """Every event that was started, the latest first."""
    return LiveEvents(
        items=tuple(row_of(load_event(reader, snapshot, event)) for event in event_ids(reader))
    )


def row_of(loaded: LoadedEvent) -> LiveEventRow:
    """An event in a list."""
    running = loaded.running
    kind = type(running.setup).__name__.lower()
    return LiveEventRow(
        event=running.setup.event,
        name=running.setup.name,
        format=kind,
        format_name=FORMATS[kind],
        entrants=len(running.setup.names),
        played=len(running.progress.outcomes),
        state=running.state,
        started_at=loaded.records[0].recorded_at,
    )


def live_event(loaded: LoadedEvent) -> LiveEvent:
    """The page of an event."""
    running, last = loaded.running, loaded.records[-1]
    flights = {
        flight: tuple(matches)
        for flight, matches in groupby(running.matches, lambda match: match.flight)
    }
    return LiveEvent(
        row=row_of(loaded),
        sequence=last.sequence,
        hash=last.hash,
        names=running.setup.names,
        next=running.next,
        flights=tuple(_flight(running, name, matches) for name, matches in flights.items()),
        prizes=live_prizes(loaded),
        bracket_pages=count_pages(running.setup, running.matches),
    )


def payout_of(loaded: LoadedEvent) -> Payout | None:
    """The prizes of an event; none if it is not over, or its notice states none.

    Raises:
        Refused: they do not follow from the notice.
    """
    running, notice = loaded.running, loaded.notice
    if notice is None or notice.prizes is None or not running.is_over:
        return None
    return event_payout(running, notice)


def live_prizes(loaded: LoadedEvent) -> LivePrizes | None:
    """The prizes of an event as they are shown."""
    payout, problem, notice = None, loaded.notice_problem, loaded.notice
    try:
        payout = payout_of(loaded)
    except Refused as refused:
        problem = str(refused)
    if payout is None and not problem:
        return None
    return LivePrizes(
        notice=notice.event if notice else "",
        currency=notice.currency if notice else "",
        pool=payout.pool.why if payout else "",
        items=tuple(payout.prizes) if payout else (),
        totals=totals(payout.prizes) if payout else {},
        problem=problem,
    )


def _flight(running: Running, name: str, matches: Sequence[Match]) -> LiveFlight:
    rounds = groupby(matches, lambda match: match.round)
    return LiveFlight(
        flight=name,
        rounds=tuple(tuple(of_round) for _, of_round in rounds),
        placings=tuple(placing for placing in running.placings if placing.flight == name),
        standings=tuple(row for row in running.standings if row.flight == name),
    )


# ── what follows from a change ───────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """A match that a change by hand changes."""

    match: Match  # as it is then
    before: Match
    dropped: str  # the result that is removed, in words; empty: none


def following(running: Running, body: ManualChange) -> tuple[Following, ...]:
    """What follows from a change by hand."""
    then, dropped = followers(running, body)
    return tuple(
        Following(
            match=then.match(match_id),
            before=running.match(match_id),
            dropped=describe(running, outcome) if outcome else "",
        )
        for match_id, outcome in dropped.items()
    )
