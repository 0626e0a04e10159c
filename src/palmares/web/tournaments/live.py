"""
Live events, for anyone: all of them, one with its matches and placings, its bracket, its stream.

One look at the database every half second serves all who watch.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Annotated, Any

import sqlalchemy as sa
from anyio import to_thread
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter
from litestar.response import Stream

from palmares.core.errors import FactsRejected, PalmaresError, Refused
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
from palmares.journal.store.journal import EVENT_RECORDS, Journal, Reader
from palmares.render.event import SIZES, bracket_pages, count_pages
from palmares.tournaments.notice import Notice, recorded
from palmares.tournaments.prizes import Payout, Prize, event_payout, totals
from palmares.tournaments.running import ManualChange, Running, describe, fold, followers
from palmares.tournaments.systems.matches import AnySetup, Match, Placing, Standing
from palmares.web.http.i18n import wording
from palmares.web.http.replies import (
    VARY,
    is_api,
    language_of,
    private_answer,
    public_answer,
    with_etag,
)
from palmares.web.http.state import Request, SingleFlightCache, Snapshot
from palmares.web.shared.names import shown_players

PAGES = 12
"""Answers that are kept of an event as it is: its page in each language, and as JSON."""
FORMATS = {"knockout": msg("knockout"), "groups": msg("groups"), "swiss": msg("Swiss")}


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEventRow:
    """An event."""

    event: str
    name: str
    format: str  # knockout | groups | swiss; empty: unreadable
    format_name: str  # in words
    entrants: int | None
    played: int | None  # matches with a result
    state: str  # running | finished | reported | unreadable: a later palmares recorded it
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


def started_events(reader: Reader, snapshot: Snapshot) -> LiveEvents:
    """Every event that was started, the latest first."""

    def row(event: str) -> LiveEventRow:
        try:
            return row_of(load_event(reader, snapshot, event))
        except FactsRejected:  # one that a later palmares recorded hides no other
            return LiveEventRow(
                event=event, name=event, format="", format_name="", entrants=None, played=None,
                state="unreadable", started_at=event_records(reader, event)[0].recorded_at,
            )  # fmt: skip

    return LiveEvents(items=tuple(map(row, event_ids(reader))))


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


def event_page(loaded: LoadedEvent) -> LiveEvent:
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


STREAMS = r"/live/[^/]+/stream$"
"""Addresses of streams, which are not compressed: each line is sent at once."""
MOST = 2_000
"""Streams of one process."""
BETWEEN = 0.5
"""Seconds between two looks at the database."""
HEARTBEAT = 15.0
"""Seconds after which a stream says that it is alive."""
LONGEST = 1_800.0
"""Seconds after which a stream ends; browsers open another."""


class Watcher:
    """The last record of each event that is watched in this process."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._streams: defaultdict[str, set[asyncio.Queue[int]]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None

    @property
    def is_full(self) -> bool:
        """Whether no more streams are taken."""
        return sum(map(len, self._streams.values())) >= MOST

    async def stream(self, event: str, sequence: int) -> AsyncGenerator[bytes, None]:
        """Server-sent events: the number of the last record, each time that it changes.

        Args:
            event: which event.
            sequence: its last record now, which is sent first.
        """
        queue: asyncio.Queue[int] = asyncio.Queue()
        self._streams[event].add(queue)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())
        end = asyncio.get_running_loop().time() + LONGEST
        try:
            yield b"retry: 3000\ndata: %d\n\n" % sequence
            while asyncio.get_running_loop().time() < end:
                try:
                    number = await asyncio.wait_for(queue.get(), HEARTBEAT)
                except TimeoutError:
                    yield b": here\n\n"
                else:
                    if number != sequence:
                        sequence = number
                        yield b"data: %d\n\n" % number
        finally:
            self._streams[event].discard(queue)
            if not self._streams[event]:
                del self._streams[event]

    async def _look(self) -> None:
        """Send new sequence numbers to the streams of their events, until no stream is open."""
        last_seen: dict[str, int] = {}
        while self._streams:
            try:
                last_sequences = await to_thread.run_sync(self._last_sequences, list(self._streams))
            except PalmaresError:
                last_sequences = {}  # the database is away for a moment
            for event, sequence in last_sequences.items():
                if last_seen.get(event) != sequence:
                    for queue in self._streams.get(event, ()):
                        queue.put_nowait(sequence)
            last_seen |= last_sequences
            await asyncio.sleep(BETWEEN)

    def _last_sequences(self, events: list[str]) -> dict[str, int]:
        columns = EVENT_RECORDS.c
        query = (
            sa.select(columns.event, sa.func.max(columns.sequence))
            .where(columns.event.in_(events))
            .group_by(columns.event)
        )
        with self._journal.reading() as reader:
            return {row[0]: row[1] for row in reader.connection.execute(query)}


# ── routes ────────────────────────────────────────────────────────────────────────────────────────


EventId = Annotated[
    str, PathParameter(description="The id of the event.", examples=[Example(value="club-night")])
]


async def live_events(request: Request) -> Response[LiveEvents]:
    """Every event that was started, the latest first."""
    snapshot, pool = await request.app_state.now(), request.app_state.visitors
    events = await pool.page(request.app_state.read, started_events, snapshot)
    if request.user is not None:
        return await private_answer(request, events)
    return await pool.page(public_answer, request, events)


async def live_event(request: Request, event: EventId) -> Response[LiveEvent]:
    """An event: who plays next, every match, standings and placings."""
    snapshot, pool = await request.app_state.now(), request.app_state.visitors
    loaded = await pool.page(request.app_state.read, load_event, snapshot, event)
    if request.user is not None:
        return await private_answer(request, event_page(loaded))
    key = (is_api(request), language_of(request), request.app_state.federation)
    return await pool.page(
        loaded.pages.once, key, lambda: public_answer(request, event_page(loaded))
    )


async def live_bracket(
    request: Request, event: EventId, number: FromPath[int], paper: FromQuery[str] = "A4"
) -> Response[bytes]:
    """A page of the bracket of an event, to print on A4 or A3, as SVG.

    Raises:
        NotFoundException: the bracket has no such page, or there is no such paper.
    """
    snapshot, words = await request.app_state.now(), wording(language_of(request))

    def drawn() -> bytes:
        running = request.app_state.read(load_event, snapshot, event).running
        sizes = [size for size in SIZES if size == paper.upper()]
        pages = bracket_pages(running.setup, running.matches, sizes[0], words.text) if sizes else ()
        if not 1 <= number <= len(pages):
            raise NotFoundException(msg("The bracket has no such page."))
        return pages[number - 1].encode()

    content = await request.app_state.visitors.long(drawn)
    return with_etag(content, "image/svg+xml", VARY)


async def live_stream(request: Request, event: EventId) -> Response[Any]:
    """The number of the last record of an event, each time that it changes.

    Raises:
        NotFoundException: there is no such event.
    """
    watcher: Watcher = request.app.state.watcher
    if watcher.is_full:
        return Response(
            b"Too many people watch at once. Reload the page now and then.\n",
            media_type="text/plain",
            status_code=503,
            headers={"Retry-After": "30", "Cache-Control": "no-store"},
        )
    snapshot, pool = await request.app_state.now(), request.app_state.visitors
    loaded = await pool.page(request.app_state.read, load_event, snapshot, event)
    return Stream(
        watcher.stream(event, loaded.records[-1].sequence),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
