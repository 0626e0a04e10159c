"""Players: on every list, under one regulation, and why they have their points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from litestar.exceptions import NotFoundException

from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints
from palmares.journal.store.journal import Journal
from palmares.lists.figures.players import PlayerResults
from palmares.points.explain import Entry, explain
from palmares.points.rankings import Selection, entering
from palmares.regulations import get_regulation
from palmares.web.http.state import Snapshot
from palmares.web.players.figures import PlayerFigures, player_figures
from palmares.web.shared.history import HistoryPoint, rank_history, totals_on
from palmares.web.shared.lists import (
    PublishedList,
    WaitingEvent,
    day_after,
    day_before,
    days_ahead,
    ranked_regulations,
    regulations_waiting,
    waiting_events,
)
from palmares.web.shared.names import (
    ListAsOf,
    ShownPlayer,
    extended,
    rows_with,
    shown_players,
)
from palmares.web.shared.paging import PageOfList, Slice
from palmares.web.shared.results import (
    AwardOfDay,
    LevelReached,
    ResultRow,
    level_of,
    merged_into,
    narrowed,
    own_facts,
    player_results,
    result_rows,
)
from palmares.web.shared.working import WorkedAward, worked

# ── one of them ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Person(ShownPlayer):
    """A player as they may be shown."""

    withheld: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerOnList:
    """A regulation under which a player has results."""

    regulation: str
    title: str
    total: str  # sum | latest
    results: int
    nanopoints: Nanopoints | None  # none: not on the list
    rank: int | None
    ranked: int  # how many are on the list


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipRow:
    """A time of membership."""

    federation: str
    level: str | None
    start: date
    end: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerOverview:
    """A player on every list."""

    person: Person
    as_of: date
    known_at: str  # the day, moment or entry up to which reports are counted; empty: all
    lists: tuple[PlayerOnList, ...]
    waiting: tuple[str, ...]  # regulations in whose lists events are missing, because they wait
    memberships: tuple[MembershipRow, ...]


def person(snapshot: Snapshot, player_id: str) -> Person:
    """A player as they may be shown.

    Raises:
        NotFoundException: there is none of that id.
    """
    rows = rows_with(shown_players(snapshot), "player_id", player_id)
    for _, player, nation, withheld in rows.iter_rows():
        return Person(player_id=player_id, player=player, nation=nation, withheld=withheld)
    raise nobody()


def nobody() -> NotFoundException:
    """What is said of a player or a result that there is none of."""
    return NotFoundException(msg("There is no such player, or no such result of theirs."))


def player_page(
    snapshot: Snapshot, player_id: str, today: date, known_at: str = ""
) -> PlayerOverview:
    """A player on every list.

    Raises:
        NotFoundException: there is none of that id.
    """
    player_id = merged_into(snapshot).get(player_id, player_id)
    who = person(snapshot, player_id)
    return PlayerOverview(
        person=who,
        as_of=today,
        known_at=known_at,
        lists=_lists_of(snapshot, player_id, today),
        waiting=regulations_waiting(snapshot, today),
        memberships=_memberships(snapshot, who),
    )


def _memberships(snapshot: Snapshot, who: Person) -> tuple[MembershipRow, ...]:
    """The memberships of a player who is not withheld, the latest first."""
    rows = rows_with(snapshot.facts["memberships"], "player_id", who.player_id)
    columns = rows.sort("start", descending=True).select("federation", "level", "start", "end")
    return () if who.withheld else tuple(MembershipRow(**row) for row in columns.to_dicts())


def _lists_of(snapshot: Snapshot, player_id: str, day: date) -> tuple[PlayerOnList, ...]:
    """Every regulation under which a player has results up to a day, and where they stand."""
    every = (
        _on_list(snapshot, regulation.name, player_id, day) for regulation in ranked_regulations()
    )
    return tuple(place for place in every if place.results)


def _on_list(snapshot: Snapshot, name: str, player_id: str, day: date) -> PlayerOnList:
    regulation, player = get_regulation(name), player_results(snapshot, name, player_id)
    own = sum(result.effective <= day for result in player.results)
    now = totals_on(snapshot, name, day) if own else None
    return PlayerOnList(
        regulation=name,
        title=regulation.title,
        total=regulation.aggregate.word,
        results=own,
        nanopoints=now.nanopoints(player.number) if now else None,
        rank=now.rank(player.number) if now else None,
        ranked=int(now.on_list.sum()) if now else 0,
    )


# ── under one regulation ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class UnderRegulation(ListAsOf):
    """Something of a player under one regulation."""

    person: Person
    known_at: str  # what was asked for; empty: now


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiryRow:
    """A month to come, as if nothing more were played."""

    day: date  # its last
    nanopoints: Nanopoints
    to_defend: Nanopoints  # what is lost from the day up to it
    expired: tuple[str, ...]  # the tournaments whose results end in it


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerListPage(UnderRegulation):
    """A player under one regulation."""

    total: str  # sum | latest
    published: PublishedList | None  # by whose rules; none: those in force
    today: bool
    before: date
    after: date | None
    nanopoints: Nanopoints | None  # none: not on the list
    rank: int | None
    ranked: int
    level: LevelReached | None  # of recognition, up to the day; none: none
    waiting: tuple[WaitingEvent, ...]  # events that are missing in the list
    fades: bool  # whether results of it ever count less
    results: tuple[ResultRow, ...]  # the latest first
    later_results: int  # results that begin to count after the day
    expiries: tuple[ExpiryRow, ...]
    history: tuple[HistoryPoint, ...]  # the latest first
    other_regulations: tuple[PlayerOnList, ...]  # under other regulations
    memberships: tuple[MembershipRow, ...]
    figures: PlayerFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardsList(UnderRegulation, Slice):
    """What a player was awarded under one regulation, the latest first."""

    results: int  # up to the day
    later_results: int  # results that begin to count after the day
    items: tuple[ResultRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryList(UnderRegulation, Slice):
    """A player's points and rank at the end of every month, the latest first."""

    months: int
    items: tuple[HistoryPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiries(UnderRegulation):
    """A player's points at the end of the months to come, as if nothing more were played."""

    fades: bool  # whether results of this regulation ever count less
    items: tuple[ExpiryRow, ...]


def player_list_page(
    journal: Journal,
    snapshot: Snapshot,
    player_id: str,
    regulation: str,
    day: date,
    today: date,
    known_at: str = "",
    published: PublishedList | None = None,
) -> PlayerListPage:
    """A player under one regulation.

    Args:
        journal: where published lists are read.
        snapshot: what is known.
        player_id: who; a merged record is the one it is part of.
        regulation: under which.
        day: of the list.
        today: the day it is.
        known_at: the day, moment or entry that is asked for.
        published: by whose rules; none: those in force.

    Raises:
        NotFoundException: there is none of that id.
    """
    player_id = merged_into(snapshot).get(player_id, player_id)
    who, player = person(snapshot, player_id), player_results(snapshot, regulation, player_id)
    waiting = entering(
        snapshot.question(regulation), Selection(as_of=day), snapshot.awards(regulation).waiting
    )
    lists = _lists_of(snapshot, player_id, day)
    history = rank_history(snapshot, regulation, player_id, min(day, today))
    return extended(
        PlayerListPage,
        _on_list(snapshot, regulation, player_id, day),
        person=who,
        as_of=day,
        known_at=known_at,
        published=published,
        today=day == today,
        before=day_before(snapshot, regulation, day, today),
        after=day_after(snapshot, regulation, day, today),
        level=level_of(snapshot, regulation, player_id, day),
        waiting=waiting_events(waiting),
        fades=not player.fades.lasts,
        results=result_rows(snapshot, regulation, player_id, day),
        later_results=sum(result.effective > day for result in player.results),
        expiries=_expiries(player, day),
        history=history[::-1],
        figures=player_figures(journal, snapshot, regulation, player_id, day, history),
        other_regulations=tuple(place for place in lists if place.regulation != regulation),
        memberships=_memberships(snapshot, who),
    )


def awards_list(snapshot: Snapshot, page: PlayerListPage, rows: PageOfList) -> AwardsList:
    """Some results of a player."""
    here, part = rows.cut(page.results, "event_id", snapshot.head.sequence)
    return extended(AwardsList, page, **part, results=len(page.results), items=here)


def history_list(snapshot: Snapshot, page: PlayerListPage, rows: PageOfList) -> HistoryList:
    """Some months of a player's history."""
    here, part = rows.cut(page.history, "day", snapshot.head.sequence)
    return extended(HistoryList, page, **part, months=len(page.history), items=here)


def expiries(page: PlayerListPage) -> Expiries:
    """The months to come."""
    return extended(Expiries, page, items=page.expiries)


def _expiries(player: PlayerResults, day: date) -> tuple[ExpiryRow, ...]:
    """The months to come, until nothing is left."""
    counting = player.counting(day)
    rows, since, start = [], day, player.nanopoints(day)
    left = start
    for month in days_ahead(day) if not player.fades.lasts else ():
        if not left:
            break
        left = player.nanopoints(month)
        ended = {
            result.tournament: None
            for result in counting
            if (end := player.ends(result)) and since < end <= month
        }
        rows.append(
            ExpiryRow(day=month, nanopoints=left, to_defend=start - left, expired=tuple(ended))
        )
        since = month
    return tuple(rows)


# ── why ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class DayAward:
    """Another day of play that gave points of the same kind in the same flight."""

    effective: date
    nanopoints: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardPage(UnderRegulation, AwardOfDay, WorkedAward):
    """One result of a player, and how its points came about."""

    total: str  # sum | latest
    published: PublishedList | None  # by whose rules; none: those in force
    days_left: int  # days of it that are left on the day
    days_in_all: int  # days in all; 1: it does not fade
    other_days: tuple[DayAward, ...]


def award_page(
    snapshot: Snapshot,
    player_id: str,
    regulation: str,
    day: date,
    award: tuple[str, str, str],
    effective: date | None = None,
    known_at: str = "",
    published: PublishedList | None = None,
) -> AwardPage:
    """One result and how its points came about.

    Args:
        snapshot: what is known.
        player_id: whose result.
        regulation: under which it was awarded.
        day: on which it is valued.
        award: its event, flight and kind of points.
        effective: which one, where there are several days of play; none: the first.
        known_at: the day, moment or entry that it is known at, as somebody asked for it.
        published: by whose rules; none: those in force.

    Raises:
        NotFoundException: there is none.
    """
    player_id = merged_into(snapshot).get(player_id, player_id)
    who, rules = person(snapshot, player_id), get_regulation(regulation)
    tournament_id = _tournament_of(snapshot, player_id, regulation, award)
    entries = [
        each
        for each in _explained(snapshot, player_id, regulation, day, tournament_id)
        if (each.event_id, each.flight, each.kind) == award
    ]
    entry = next((each for each in entries if effective in {None, each.effective}), None)
    if entry is None:
        raise nobody()
    seen: set[str] = set()
    return extended(
        AwardPage,
        entry,
        person=who,
        title=rules.title,
        total=rules.aggregate.word,
        regulation=regulation,
        as_of=day,
        known_at=known_at,
        published=published,
        tournament_id=tournament_id,
        summary=entry.summary.sentence,
        formula=entry.summary.formula,
        lines=worked(entry.lines, seen),
        days_left=entry.weight // entry.nanopoints if entry.nanopoints else 0,
        days_in_all=entry.parts,
        fading=worked(entry.fading, seen) if entry.parts > 1 else (),
        other_days=tuple(extended(DayAward, other) for other in entries if other is not entry),
    )


def _tournament_of(
    snapshot: Snapshot, player_id: str, regulation: str, award: tuple[str, str, str]
) -> str:
    """The tournament of a player's award; NotFoundException: they have no such award."""
    for result in player_results(snapshot, regulation, player_id).results:
        if (result.event_id, result.flight, result.kind) == award:
            return result.tournament_id
    raise nobody()


def _explained(
    snapshot: Snapshot, player_id: str, regulation: str, day: date, tournament_id: str
) -> Sequence[Entry]:
    """The results of one tournament explained, in order; of all where a rating goes on."""
    question = snapshot.question(regulation)
    latest = question.aggregate.latest
    facts = own_facts(snapshot, player_id) if latest else narrowed(snapshot, {tournament_id})
    why = explain(question, facts, player_id, Selection(as_of=day))
    return sorted(why.entries, key=lambda entry: entry.effective)
