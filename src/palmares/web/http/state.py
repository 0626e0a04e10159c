"""
The state of the site: the journal as it is now, and what was computed from it.

A page is made from one `Snapshot`, so no reader sees half of a change. When the journal grows,
awards are updated, and readers get the snapshot before until that is done.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, partial, wraps
from threading import Lock, RLock
from typing import Any, TypeVar, TypeVarTuple, cast

import litestar
import sqlalchemy as sa
from anyio import CapacityLimiter, to_thread

from palmares.core.errors import PalmaresError
from palmares.facts import Facts
from palmares.journal.commands.transaction import Action, ActionResult, record_entries
from palmares.journal.projection import snapshots
from palmares.journal.projection.project import EMPTY, Delta, Projection, apply_entries
from palmares.journal.projection.snapshots import FromSnapshot
from palmares.journal.store.databases import Database
from palmares.journal.store.entries import Actor, Head
from palmares.journal.store.journal import Journal
from palmares.lists import live
from palmares.lists.live import JournalAwards
from palmares.points.awards import Question
from palmares.points.rankings import Ranking, Selection
from palmares.web.database import SITE_SETTINGS
from palmares.web.http import logs
from palmares.web.settings import Settings

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
P = TypeVarTuple("P")

THINGS = 200
"""How many computed values are cached for one snapshot."""
REGULATIONS = 1000
"""More than there are: awards of none are made twice, as what is cached has the numbers in them."""
LISTS = 8
"""How many whole lists are cached, each of a few megabytes if there are many players."""
PAGES = 3
"""How many pages are made at the same time: more threads only take more memory."""
THEN = 2
"""How many earlier states of the journal are cached."""
PARSED_REPORTS = 32
"""Reports whose contents are kept as they were read."""
IMPACTS = 500
"""Corrections whose impact on a list is kept; later entries do not change it."""


class SingleFlightCache:
    """A cache whose values are made once, even if many ask at the same time; the oldest go."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._slots: OrderedDict[Any, tuple[RLock, list[Any]]] = OrderedDict()

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """The cached value; made at the first request."""
        with self._lock:
            lock, values = self._slots.setdefault(key, (RLock(), []))
            self._slots.move_to_end(key)
            while len(self._slots) > self._most:
                self._slots.popitem(last=False)
        with lock:
            if not values:
                values.append(make())
            return cast("T", values[0])

    def cached(self, key: Any) -> Any:
        """The cached value; none if it was not made yet."""
        with self._lock:
            _, values = self._slots.get(key, (None, []))
        return values[0] if values else None


@dataclass(slots=True, eq=False)
class Snapshot:
    """The facts at one head, and what was computed from them."""

    projection: Projection
    nearest: FromSnapshot | None = None  # how it was read: its awards may lie beside a snapshot
    chosen: Question | None = None  # with an edition or readings; none: the rules in force
    things: SingleFlightCache = field(default_factory=lambda: SingleFlightCache(THINGS))
    lists: SingleFlightCache = field(default_factory=lambda: SingleFlightCache(LISTS))
    awarded: SingleFlightCache = field(default_factory=lambda: SingleFlightCache(REGULATIONS))

    @property
    def head(self) -> Head:
        """The last entry."""
        return self.projection.state.head

    @property
    def facts(self) -> Facts:
        """The facts."""
        return self.projection.facts

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """The cached value; made at the first request."""
        return self.things.once(key, make)

    def awards(self, regulation: str) -> JournalAwards:
        """The awards as numbers, which grow with the journal: enough for any list."""
        question = self.chosen or Question(regulation=regulation)
        return self.awarded.once(regulation, lambda: self._make_awards(question))

    def _make_awards(self, question: Question) -> JournalAwards:
        if self.nearest is None:
            return live.award_all(question, self.projection)
        return replace(live.awards_at(question, self.nearest), projection=self.projection)

    def ranking(self, regulation: str, selection: Selection, by: str = "player") -> Ranking:
        """The ranked list of a day, of players or of nations."""
        return self.lists.once(
            ("ranking", regulation, selection, by),
            lambda: live.ranking(self.awards(regulation), selection, by=by),
        )

    def after(self, delta: Delta) -> Snapshot:
        """The snapshot after more entries; awards that were made are updated."""
        snapshot = Snapshot(delta.after)
        for name in awarding_regulations():
            before = self.awarded.cached(name)
            if before is not None:
                with suppress(PalmaresError):  # who asks for its list gets the error
                    more = live.apply_delta(before, delta)
                    snapshot.awarded.once(name, lambda more=more: more)  # type: ignore[misc]
        return snapshot


def cached(make: F) -> F:
    """A function of a snapshot that is computed once for the snapshot and its other arguments."""

    @wraps(make)
    def once(snapshot: Snapshot, *given: Any, **keywords: Any) -> Any:
        key = (make, given, *sorted(keywords.items()))
        return snapshot.once(key, lambda: make(snapshot, *given, **keywords))

    return cast("F", once)


@cache
def awarding_regulations() -> tuple[str, ...]:
    """The regulations whose lists the site has."""
    from palmares.regulations import listed_regulations

    return listed_regulations()


class ThreadPools:
    """Threads for one group of people: some for pages, one for long work."""

    def __init__(self) -> None:
        self._pages = CapacityLimiter(PAGES)
        self._long = CapacityLimiter(1)

    async def page(self, work: Callable[[*P], T], *what: *P) -> T:
        """Run short work, such as a page, when a thread is free."""
        return await to_thread.run_sync(work, *what, limiter=self._pages)

    async def long(self, work: Callable[[*P], T], *what: *P) -> T:
        """Run long work, one job at a time; pages are made meanwhile."""
        return await to_thread.run_sync(work, *what, limiter=self._long)


class AppState:
    """The journal, its current snapshot and the work queues; one for all requests."""

    def __init__(self, journal: Journal, settings: Settings) -> None:
        self.journal = journal
        self.settings = settings
        self.visitors, self.signed_in, self.entering = ThreadPools(), ThreadPools(), ThreadPools()
        self._lock = Lock()
        self.latest = Snapshot(EMPTY)
        self.federation = Federation(name=settings.name, accent=settings.accent)
        self._looked = float("-inf")
        self._then = SingleFlightCache(THEN)
        self.parsed_reports = SingleFlightCache(PARSED_REPORTS)
        self.impacts = SingleFlightCache(IMPACTS)

    @property
    def database(self) -> Database:
        """The database of the journal, with the site's own tables."""
        return self.journal.database

    def today(self) -> date:
        """Today's date, in UTC."""
        return self.settings.day()

    def clock(self) -> int:
        """The time now, in whole seconds since 1970."""
        return self.settings.clock()

    async def ask(self, query: Callable[..., T], *given: Any) -> T:
        """Run a query of the site's tables in a thread."""
        return await to_thread.run_sync(_within, self.database.reading, query, *given)

    def read(self, query: Callable[..., T], *given: Any) -> T:
        """Run a query of the journal; it takes the reader first."""
        return _within(self.journal.reading, query, *given)

    async def change(self, write: Callable[..., T], *given: Any) -> T:
        """Change the site's tables, in a thread and one transaction."""
        return await to_thread.run_sync(_within, self.database.writing, write, *given)

    def version(self, snapshot: Snapshot) -> tuple[Any, ...]:
        """What all pages for visitors depend on: when it changes, they do."""
        return snapshot.projection.state.hash, self.today(), self.federation

    def fresh(self) -> bool:
        """Whether the journal was checked for new entries a moment ago."""
        return time.monotonic() - self._looked < self.settings.fresh

    def snapshot(self, *, at_once: bool = False) -> Snapshot:
        """The current snapshot; the journal is checked every half second, or at once.

        While another request checks, it is the snapshot before.
        """
        if not at_once and self.fresh():
            return self.latest
        first = self._looked == float("-inf")
        if self._lock.acquire(blocking=at_once or first):
            try:
                if at_once or not self.fresh():
                    self._look()
            finally:
                self._lock.release()
        return self.latest

    async def now(self) -> Snapshot:
        """The latest snapshot, for a handler: the journal is checked in a thread."""
        return self.latest if self.fresh() else await to_thread.run_sync(self.snapshot)

    def _look(self) -> None:
        before = self.latest
        with self.journal.reading() as reader:
            self.federation = read_federation(reader.connection, self.settings)
            if reader.head() != before.head:
                if before.projection is EMPTY:
                    nearest = snapshots.from_snapshot(reader).loaded()
                    self.latest = Snapshot(nearest.delta.after, nearest)
                else:
                    self.latest = before.after(apply_entries(before.projection, reader))
                self._then = SingleFlightCache(THEN)  # names that were erased meanwhile are in none
        self._looked = time.monotonic()

    def record(
        self,
        author: Actor,
        action: Action,
        check: Callable[[ActionResult], None] | None = None,
    ) -> ActionResult:
        """Record what an action states; it is in the snapshot from then on.

        Raises:
            Refused: the action, the check or the database refuses.
            FactsRejected: it would contradict what is recorded.
        """
        start = self.snapshot(at_once=True).projection
        done = record_entries(self.journal, author, action, start=start, check=check)
        self.snapshot(at_once=True)
        return done

    def at(self, now: Snapshot, known_at: str) -> Snapshot:
        """The snapshot at the end of a day, at a moment, at an entry such as "#41"; or now.

        Raises:
            Refused: it is no day, moment or entry.
        """
        if not known_at:
            return now
        state = self.snapshot().projection.state
        with self.journal.reading() as reader:
            last = snapshots.last_known_entry(reader, known_at)

            def read() -> Snapshot:  # names that are withheld now are not in it
                nearest = snapshots.from_snapshot(reader, last, since=state).loaded()
                return Snapshot(nearest.delta.after, nearest)

            return self._then.once((state.hash, last), read)


def _within(transaction: Callable[[], Any], work: Callable[..., T], *given: Any) -> T:
    with transaction() as connection:
        return work(connection, *given)


class Request(litestar.Request[Any, Any, Any]):
    """A request to the site; ``user`` is its account, none for a visitor."""

    @property
    def app_state(self) -> AppState:
        """The state of the site."""
        app_state: AppState = self.app.state.app_state
        return app_state

    def log_event(self, event: str, **what: Any) -> None:
        """Log a step of the account that sends this request."""
        logs.event(self.scope, event, by=self.user.id, **what)

    async def record(self, what: str, action: Action) -> None:
        """Record what a director or an officer publishes without an approval.

        Raises:
            Refused: the action or the database refuses.
            FactsRejected: it would contradict what is recorded.
        """
        author = Actor(self.user.name, self.user.role)
        done = await self.run_long(self.app_state.record, author, action)
        self.log_event("recorded", what=what, entries=[entry.sequence for entry in done.entries])

    async def run_long(self, work: Callable[..., T], *given: Any, **more: Any) -> T:
        """Run long work in a thread, such as a dry run; one job at a time, visitors' apart."""
        pools = self.app_state.visitors if self.user is None else self.app_state.signed_in
        return await pools.long(partial(work, *given, **more))


# ── settings stored in the database ──────────────────────────────────────────────────────────────

LOGO = "logo"
"""The setting that is a picture; it is read only when a browser asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Federation:
    """What pages show of the federation."""

    name: str  # heads every page
    accent: str  # "#" and six digits; every colour of the site follows from it
    logo: str = ""  # a digest for `to.logo(v=…)`, where the picture is; empty: there is none
    words: str = ""  # of the front page, as plain text; empty: none
    two_officers: bool = False  # whether a second officer approves each list that is published


def read_federation(connection: sa.Connection, settings: Settings) -> Federation:
    """The stored settings; where there are none, those the server was started with."""
    rows = connection.execute(sa.select(SITE_SETTINGS).where(SITE_SETTINGS.c.name != LOGO))
    stored = {row.name: row.value.decode() for row in rows}
    return Federation(
        name=stored.get("name", settings.name),
        accent=stored.get("accent", settings.accent),
        logo=stored.get("logo_digest", ""),
        words=stored.get("words", ""),
        two_officers="two_officers" in stored,
    )


def write_site_settings(connection: sa.Connection, values: Mapping[str, bytes | None]) -> None:
    """Replace settings, or remove those without a value."""
    connection.execute(sa.delete(SITE_SETTINGS).where(SITE_SETTINGS.c.name.in_(values)))
    for name, value in values.items():
        if value is not None:
            connection.execute(sa.insert(SITE_SETTINGS).values(name=name, value=value))


def read_logo(connection: sa.Connection) -> bytes | None:
    """The logo's bytes; none where there is no logo."""
    query = sa.select(SITE_SETTINGS.c.value).where(SITE_SETTINGS.c.name == LOGO)
    return connection.execute(query).scalar_one_or_none()
