"""The front page: the last published list beside the list of today, the week, a pinned player."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

import polars as pl

from palmares.core.rounding import Nanopoints
from palmares.journal.store.journal import Journal
from palmares.lists.figures.movement import (
    EarlierList,
    Movement,
    climbers,
    winners,
)
from palmares.lists.figures.players import losses, next_above, next_expiry
from palmares.points.history import days
from palmares.web.http.state import Snapshot
from palmares.web.rankings.views import TOP, FrontList, front_lists
from palmares.web.shared.history import (
    CorrectedPlayer,
    corrected_players,
    earlier,
    totals_on,
)
from palmares.web.shared.lists import (
    A_YEAR,
    PublishedList,
    published_days,
    published_lists,
    regulations_waiting,
)
from palmares.web.shared.names import (
    ShownPlayer,
    TournamentRow,
    all_tournaments,
    extended,
    rows_with,
    shown_player,
    shown_players,
    tournament_rows,
    with_name,
)
from palmares.web.shared.results import merged_into, player_results

T = TypeVar("T")

WEEK, LATEST, PUBLISHED = 4, 8, 3
"""Rows of a card of the week, of the latest tournaments and of the published lists."""
RECENT, AHEAD = timedelta(days=365), timedelta(days=30)
"""How old a winner may be; how far a pinned player looks ahead."""
PODIUM, MONTHS = 3, 12
"""Who stands in front of the others, and the points of the curve beside each of them."""
_ONE = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopRow(ShownPlayer):
    """One of the first players of a published list."""

    rank: int
    nanopoints: Nanopoints
    moved: int | None  # ranks up since the list before; none: was not on it
    trend: tuple[Nanopoints, ...]  # of the year before, the oldest first; of the first three only


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficialTop:
    """The top of the last published list, as it was published."""

    entry: int
    as_of: date
    before: date  # the list that movement is measured from
    players: int
    changes: int  # players of whom it would say other points today
    items: tuple[TopRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekWinner(ShownPlayer):
    """Who won an event lately."""

    tournament_id: str
    tournament: str
    event: str
    day: date
    entrants: int | None
    nanopoints: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class Climber(ShownPlayer):
    """Who moved up, and what moved them most."""

    up: int
    rank: int
    cause: str  # new result | expired | decay | correction
    tournament_id: str | None
    tournament: str | None
    nanopoints: Nanopoints  # that the cause gave or took


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedCard(ShownPlayer):
    """The player whom a visitor has pinned, on the list that is shown."""

    rank: int | None  # none: not on the list
    moved: int | None
    nanopoints: Nanopoints | None
    above: str | None  # the name of the next above
    gap: Nanopoints | None
    loss: Nanopoints  # in 30 days, if nobody plays
    expires_on: date | None  # the next result that counts no more
    expires: str | None  # its tournament


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPage:
    """The lists of today, the last published one of a regulation beside its own, and its week."""

    as_of: date
    entries: int  # of the journal
    regulation: str  # whose list is shown; empty: there is none
    lists: tuple[FrontList, ...]
    official: OfficialTop | None
    winners: tuple[WeekWinner, ...]
    climbers: tuple[Climber, ...]
    since: date | None  # the list that climbers climbed from
    corrections: tuple[CorrectedPlayer, ...]
    pinned: PinnedCard | None
    waiting: tuple[str, ...]  # regulations in whose lists events are missing, because they wait
    tournaments: tuple[TournamentRow, ...]
    published: tuple[PublishedList, ...]

    @property
    def shown(self) -> FrontList | None:
        """The list of today that is shown."""
        return next((one for one in self.lists if one.regulation == self.regulation), None)


def front_page(
    journal: Journal, snapshot: Snapshot, today: date, regulation: str = "", pinned: str = ""
) -> FrontPage:
    """The front page of a day.

    Args:
        journal: where published lists are read.
        snapshot: what is known.
        today: the day it is.
        regulation: whose list is asked for; the first, where there is none of that name.
        pinned: the id of a player; anything else: nobody is pinned.
    """
    lists = snapshot.once(("front lists", today), lambda: tuple(front_lists(snapshot, today)))
    chosen = next((one for one in lists if one.regulation == regulation), None)
    shown = chosen or next(iter(lists), None)
    ended = all_tournaments(snapshot).filter(pl.col("end_date") <= today)
    week = _Week(journal, snapshot, shown.regulation, shown.as_of) if shown else None
    return FrontPage(
        as_of=today,
        entries=snapshot.head.sequence,
        regulation=shown.regulation if shown else "",
        lists=lists,
        official=week.kept("official", week.official) if week else None,
        winners=week.kept("winners", week.winners) if week else (),
        climbers=week.kept("climbers", week.climbers) if week else (),
        since=week.earlier.day if week else None,
        corrections=week.kept("corrections", week.corrections)[:WEEK] if week else (),
        pinned=week.pinned(pinned) if week else None,
        waiting=regulations_waiting(snapshot, today),
        tournaments=tournament_rows(ended.head(LATEST)),
        published=published_lists(snapshot)[:PUBLISHED],
    )


@dataclass(frozen=True, slots=True)
class _Week:
    """What happened lately under a regulation."""

    journal: Journal
    snapshot: Snapshot
    regulation: str
    day: date

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """What was made of the same journal before."""
        return self.snapshot.once(("front", name, self.regulation, self.day), make)

    @property
    def earlier(self) -> EarlierList:
        """The list that movement is measured from."""
        return earlier(self.journal, self.snapshot, self.regulation, self.day)

    def _published(self) -> tuple[int, EarlierList] | None:
        """The last published list up to the day: its entry and its places."""
        entries = published_days(self.snapshot, self.regulation)
        last = max((day for day in entries if day <= self.day), default=None)
        if last is None:
            return None
        return entries[last], earlier(self.journal, self.snapshot, self.regulation, last + _ONE)

    def official(self) -> OfficialTop | None:
        """The top of the last published list."""
        last = self._published()
        if last is None:
            return None
        entry, published = last
        before = earlier(self.journal, self.snapshot, self.regulation, published.day)
        first = sorted(published.places.items(), key=lambda player: player[1][0])[:TOP]
        return OfficialTop(
            entry=entry,
            as_of=published.day,
            before=before.day,
            players=len(published.places),
            changes=len(self.kept("corrections", self.corrections)),
            items=tuple(self._row(player, place, before, published.day) for player, place in first),
        )

    def _row(self, player: str, place: tuple[int, int], before: EarlierList, day: date) -> TopRow:
        rank, nanopoints = place
        results = player_results(self.snapshot, self.regulation, player)
        year = tuple(days(day - A_YEAR, day, "month"))[-MONTHS:] if rank <= PODIUM else ()
        return extended(
            TopRow,
            shown_player(self.snapshot, player),
            rank=rank,
            nanopoints=nanopoints,
            moved=_moved(before, player, rank),
            trend=tuple(map(results.nanopoints, year)),
        )

    def winners(self) -> tuple[WeekWinner, ...]:
        """Who won the latest events."""
        given = self.snapshot.awards(self.regulation)
        latest = winners(given, self.day - RECENT, self.day, WEEK)
        return tuple(with_name(WeekWinner, self.snapshot, winner) for winner in latest)

    def climbers(self) -> tuple[Climber, ...]:
        """Who moved up most."""
        given = self.snapshot.awards(self.regulation)
        now = totals_on(self.snapshot, self.regulation, self.day)
        return tuple(map(self._climber, climbers(given, self.earlier, now, WEEK)))

    def _climber(self, movement: Movement) -> Climber:
        cause = movement.causes[0] if movement.causes else None
        return with_name(
            Climber,
            self.snapshot,
            movement,
            up=movement.up or 0,
            rank=movement.rank or 0,
            cause=cause.cause if cause else "",
            tournament_id=cause.tournament_id if cause else None,
            tournament=cause.tournament if cause else None,
            nanopoints=cause.nanopoints if cause else 0,
        )

    def corrections(self) -> tuple[CorrectedPlayer, ...]:
        """Whose points on the last published list would be others today."""
        last = self._published()
        return corrected_players(self.snapshot, self.regulation, last[1]) if last else ()

    def pinned(self, player: str) -> PinnedCard | None:
        """The card of a player; none: there is nobody of that id whose name may be shown."""
        player = merged_into(self.snapshot).get(player, player)
        if not rows_with(shown_players(self.snapshot), "player_id", player)["hidden"].not_().any():
            return None
        results = player_results(self.snapshot, self.regulation, player)
        now, then = (
            totals_on(self.snapshot, self.regulation, day) for day in (self.day, self.day + AHEAD)
        )
        rank, above = now.rank(results.number), next_above(results, now)
        expiry = next_expiry(results, self.day)
        return extended(
            PinnedCard,
            shown_player(self.snapshot, player),
            rank=rank,
            moved=_moved(self.earlier, player, rank),
            nanopoints=now.nanopoints(results.number),
            above=shown_player(self.snapshot, above.player_id).player if above else None,
            gap=above.gap if above else None,
            loss=losses(results, now, [then])[0].lost,
            expires_on=expiry.day if expiry else None,
            expires=expiry.tournament if expiry else None,
        )


def _moved(before: EarlierList, player: str, rank: int | None) -> int | None:
    """How many ranks up a player moved; none: they were not on the list before, or are not now."""
    place = before.places.get(player)
    return place[0] - rank if place and rank else None
