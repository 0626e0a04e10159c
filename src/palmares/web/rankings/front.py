"""The front page: the last official list beside the list of today, the week, a pinned player."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl
from litestar.params import FromQuery

from palmares.core.rounding import Nanopoints
from palmares.journal.store.journal import Journal
from palmares.lists.figures.movement import (
    Earlier,
    EarlierList,
    Movement,
    climbers,
    place_on,
    winners,
)
from palmares.lists.figures.players import losses, next_above, next_expiry, results_of_players
from palmares.points.history import days
from palmares.web.http.state import AppState, Snapshot, cached
from palmares.web.rankings.views import TOP, FrontList, front_lists
from palmares.web.shared.history import (
    CorrectedPlayer,
    corrected_players,
    earlier,
    official_list,
    totals_on,
)
from palmares.web.shared.lists import (
    A_YEAR,
    PublishedList,
    awarding,
    moved_since,
    published_days,
    published_lists,
    regulations_waiting,
)
from palmares.web.shared.names import (
    EventName,
    RankedPlayer,
    ShownPlayer,
    TournamentRow,
    all_tournaments,
    extended,
    merged_into,
    shown_player,
    shown_row,
    tournament_rows,
    with_name,
)
from palmares.web.shared.results import fading, player_results

WEEK, LATEST, PUBLISHED, MOVED = 4, 8, 3, 3
"""Rows: of a card of the week, of the latest tournaments, of official lists, of a correction."""
RECENT, AHEAD = timedelta(days=365), timedelta(days=30)
"""How old a winner may be; how far a pinned player looks ahead."""
PODIUM, MONTHS = 3, 12
"""Who stands in front of the others, and the points of the curve beside each of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopRow(RankedPlayer):
    """One of the first players of an official list."""

    moved: int | None  # ranks up since the list before; none: was not on it
    trend: tuple[Nanopoints, ...]  # of the year before, the oldest first; of the first three only


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficialTop:
    """The top of the last official list, as it was published."""

    entry: int
    as_of: date
    before: date  # the list that movement is measured from
    before_entry: int | None  # that published it; none: it is that list as it is known now
    players: int
    changes: int  # players of whom it would say other points today
    items: tuple[TopRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekWinner(ShownPlayer, EventName):
    """Who won an event lately."""

    day: date
    entrants: int | None
    nanopoints: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class Climber(ShownPlayer):
    """Who moved up, and what gave them most points."""

    up: int
    rank: int
    cause: str  # new result | correction | decay: nothing gave any, others lost more
    tournament_id: str | None
    tournament: str | None
    nanopoints: Nanopoints  # that the cause gave


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
class WeekCorrection:
    """What was corrected in a tournament since the official list, and whom it moved most."""

    tournament_id: str | None  # none: a result was withdrawn, or something beside reports changed
    tournament: str | None
    what: tuple[str, ...]  # in words; empty: nothing that an entry says
    players: int  # whose points it changed
    items: tuple[CorrectedPlayer, ...]  # the most moved of them


@dataclass(frozen=True, kw_only=True)
class Week:
    """The last official list of a regulation, and what happened lately under it."""

    official: OfficialTop | None
    winners: tuple[WeekWinner, ...] = ()
    climbers: tuple[Climber, ...] = ()
    since: date | None  # the list that climbers climbed from
    since_entry: int | None = None  # that published it; none: it is that list as it is known now
    corrections: tuple[WeekCorrection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPage(Week):
    """The lists of today, the last published one of a regulation beside its own, and its week."""

    as_of: date
    entries: int  # of the journal
    regulation: str  # whose list is shown; empty: there is none
    lists: tuple[FrontList, ...]
    pinned: PinnedCard | None
    waiting: tuple[str, ...]  # regulations in whose lists events are missing, because they wait
    tournaments: tuple[TournamentRow, ...]
    published: tuple[PublishedList, ...]

    @property
    def shown(self) -> FrontList | None:
        """The list of today that is shown."""
        return next((each for each in self.lists if each.regulation == self.regulation), None)


def front_page(
    app_state: AppState,
    snapshot: Snapshot,
    today: date,
    regulation: FromQuery[str] = "",
    pinned: str = "",
) -> FrontPage:
    """The front page: of one regulation, with the player whom the visitor has pinned.

    Args:
        app_state: of the site.
        snapshot: what is known.
        today: the day it is.
        regulation: whose list is asked for; the first, where nobody is on it.
        pinned: the id of a player; anything else: nobody is pinned.

    Raises:
        NotFoundException: there is no such regulation.
    """
    if regulation:
        awarding(regulation)
    journal = app_state.journal
    lists = snapshot.once(
        ("front lists", today), lambda: tuple(front_lists(app_state, snapshot, today))
    )
    chosen = next((each for each in lists if each.regulation == regulation), None)
    current = chosen or next(iter(lists), None)
    ended = all_tournaments(snapshot).filter(pl.col("end_date") <= today)
    return extended(
        FrontPage,
        _week(snapshot, journal, current.regulation, current.as_of)
        if current
        else Week(official=None, since=None),
        as_of=today,
        entries=snapshot.head.sequence,
        regulation=current.regulation if current else "",
        lists=lists,
        pinned=_pinned_card(journal, snapshot, current, pinned) if current else None,
        waiting=regulations_waiting(snapshot, today),
        tournaments=tournament_rows(ended.head(LATEST)),
        published=published_lists(snapshot)[:PUBLISHED],
    )


@cached
def _week(snapshot: Snapshot, journal: Journal, regulation: str, day: date) -> Week:
    """What happened lately under the regulation of a list of a day."""
    given, since = snapshot.awards(regulation), earlier(journal, snapshot, regulation, day, day)
    now = totals_on(snapshot, regulation, day)
    entries = published_days(snapshot, regulation)
    last = max((each for each in entries if each <= day), default=None)
    official, corrected = None, tuple[CorrectedPlayer, ...]()
    if last is not None:
        published = official_list(snapshot, journal, regulation, last)
        corrected = corrected_players(journal, snapshot, regulation, published)
        before, before_entry = moved_since(snapshot, regulation, last, last)
        official = OfficialTop(
            entry=entries[last],
            as_of=last,
            before=before,
            before_entry=before_entry,
            players=len(published.places),
            changes=len(corrected),
            items=tuple(_top_rows(journal, snapshot, regulation, published)),
        )
    return Week(
        official=official,
        winners=tuple(
            with_name(WeekWinner, snapshot, winner)
            for winner in winners(given, day - RECENT, day, WEEK)
        ),
        climbers=tuple(_climber(snapshot, each) for each in climbers(given, since, now, WEEK)),
        since=since.day,
        since_entry=moved_since(snapshot, regulation, day, day)[1],
        corrections=_week_corrections(corrected),
    )


def _week_corrections(corrected: Iterable[CorrectedPlayer]) -> tuple[WeekCorrection, ...]:
    """The corrections that moved somebody, that of the largest change first."""
    by_cause: dict[tuple[str | None, tuple[str, ...]], list[CorrectedPlayer]] = {}
    for each in corrected:
        by_cause.setdefault((each.tournament_id, each.what), []).append(each)
    return tuple(
        extended(WeekCorrection, moved[0], players=len(moved), items=tuple(moved[:MOVED]))
        for moved in [*by_cause.values()][:WEEK]
    )


def _top_rows(
    journal: Journal, snapshot: Snapshot, regulation: str, published: EarlierList
) -> Iterator[TopRow]:
    """The first players of an official list."""
    merged, before = (
        merged_into(snapshot),
        earlier(journal, snapshot, regulation, published.day, published.day),
    )
    first = sorted(published.places.items(), key=lambda player: player[1][0])[:TOP]
    year = tuple(days(published.day - A_YEAR, published.day, "month"))[-MONTHS:]
    now = [merged.get(player, player) for player, _ in first]
    theirs = results_of_players(snapshot.awards(regulation), now, fading(snapshot, regulation))
    for player, (rank, nanopoints) in first:
        results = theirs[merged.get(player, player)]
        yield extended(
            TopRow,
            shown_player(snapshot, player),
            rank=rank,
            nanopoints=nanopoints,
            moved=_moved(before, player, results.number, rank, published.places),
            trend=tuple(map(results.nanopoints, year)) if rank <= PODIUM else (),
        )


def _climber(snapshot: Snapshot, movement: Movement) -> Climber:
    cause = next((each for each in movement.causes if each.nanopoints > 0), None)
    return with_name(
        Climber,
        snapshot,
        movement,
        up=movement.up or 0,
        rank=movement.rank or 0,
        cause=cause.cause if cause else "decay",
        tournament_id=cause.tournament_id if cause else None,
        tournament=cause.tournament if cause else None,
        nanopoints=cause.nanopoints if cause else 0,
    )


def _pinned_card(
    journal: Journal, snapshot: Snapshot, current: FrontList, player: str
) -> PinnedCard | None:
    """The card of a player; none: there is nobody of that id whose name may be shown."""
    regulation, day = current.regulation, current.as_of
    player = merged_into(snapshot).get(player, player)
    if not (row := shown_row(snapshot, player)) or row[-1]:
        return None
    results = player_results(snapshot, regulation, player)
    now, then = (totals_on(snapshot, regulation, each) for each in (day, day + AHEAD))
    rank, above = now.rank(results.number), next_above(results, now)
    before = earlier(journal, snapshot, regulation, day, day)
    expiry = next_expiry(results, day)
    return extended(
        PinnedCard,
        shown_player(snapshot, player),
        rank=rank,
        moved=_moved(before, player, results.number, rank),
        nanopoints=now.nanopoints(results.number),
        above=shown_player(snapshot, above.player_id).player if above else None,
        gap=above.gap if above else None,
        loss=losses(results, now, [then])[0].lost,
        expires_on=expiry.day if expiry else None,
        expires=expiry.tournament if expiry else None,
    )


def _moved(
    before: Earlier,
    player: str,
    number: int | None,
    rank: int | None,
    together: Collection[str] = (),
) -> int | None:
    """How many ranks up a player moved; none: they were not on the list before, or are not now."""
    place = place_on(before, player, number, together)
    return place[0] - rank if place and rank else None
