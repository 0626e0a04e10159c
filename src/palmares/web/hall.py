"""
What every request looks at: the journal as it is now, its awards, and pages made already.

    Hall    the journal, and what was made of it; one for all requests
    Known   the facts at one head, and what is computed from them once
    Kept    a finished page, as bytes

A page is made from one `Known` from beginning to end, so no reader ever sees half of a change.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from threading import Lock, RLock
from typing import Any, NamedTuple, TypeVar

from palmares import awards as awarding
from palmares import ledgers
from palmares.awards import Awards, Question
from palmares.facts import Facts
from palmares.journal import snapshots
from palmares.journal.entries import Head
from palmares.journal.projection import NOTHING, Projection, grown
from palmares.journal.store import Journal
from palmares.ledgers import Ledger
from palmares.rankings import Ranking, Selection
from palmares.web.settings import Settings

T = TypeVar("T")


class Kept(NamedTuple):
    """A finished page."""

    content: bytes
    media_type: str
    etag: str


@dataclass(slots=True, eq=False)
class Known:
    """The facts at one head, and what was computed from them."""

    projection: Projection
    made: dict[Any, Any] = field(default_factory=dict)
    lock: RLock = field(default_factory=RLock)

    @property
    def head(self) -> Head:
        """The last entry."""
        return self.projection.state.head

    @property
    def facts(self) -> Facts:
        """The facts."""
        return self.projection.facts

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """What is made the first time that it is asked for."""
        with self.lock:
            if key not in self.made:
                self.made[key] = make()
            found: T = self.made[key]
            return found

    def awards(self, regulation: str) -> Awards:
        """Every award of a regulation, with its terms."""
        question = Question(regulation=regulation)
        return self.once(("awards", regulation), lambda: awarding.award(question, self.facts))

    def ledger(self, regulation: str) -> Ledger:
        """The same by player."""
        return self.once(("ledger", regulation), lambda: ledgers.ledger(self.awards(regulation)))

    def ranking(self, regulation: str, selection: Selection) -> Ranking:
        """The ranked list of a day."""
        return self.once(
            ("ranking", regulation, selection),
            lambda: ledgers.ranking(self.ledger(regulation), selection),
        )


class Hall:
    """The journal, and what was made of it; one for all requests."""

    def __init__(self, journal: Journal, settings: Settings) -> None:
        self.journal = journal
        self.settings = settings
        self._lock = Lock()
        self._known = Known(NOTHING)
        self._looked = float("-inf")
        self._kept: OrderedDict[Any, Kept] = OrderedDict()

    def today(self) -> date:
        """The day it is."""
        return self.settings.day()

    def known(self, *, at_once: bool = False) -> Known:
        """What is known now; the head is looked at every half second, or at once."""
        if not at_once and time.monotonic() - self._looked < self.settings.fresh:
            return self._known
        with self._lock:
            if at_once or time.monotonic() - self._looked >= self.settings.fresh:
                self._look()
            return self._known

    def _look(self) -> None:
        before = self._known.projection
        with self.journal.reading() as reader:
            if reader.head() != before.state.head:
                after = snapshots.read(reader) if before is NOTHING else grown(before, reader).after
                self._known = Known(after)
                self._kept.clear()
        self._looked = time.monotonic()

    def kept(self, key: Any) -> Kept | None:
        """A page that was finished before."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def keep(self, key: Any, page: Kept) -> None:
        """Keep a finished page; the oldest goes."""
        self._kept[key] = page
        while len(self._kept) > self.settings.pages:
            self._kept.popitem(last=False)
