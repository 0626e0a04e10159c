"""Players: found by name, on every list, under one regulation, and why they have their points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice

import polars as pl
from litestar.exceptions import NotFoundException

from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints, shared
from palmares.journal.store.journal import Journal
from palmares.lists.figures.totals import number_of, results
from palmares.points.explain import Entry, explain
from palmares.points.history import Fading, days
from palmares.points.rankings import Selection, entering
from palmares.regulations import get_regulation
from palmares.web.http.state import Snapshot
from palmares.web.players.figures import PlayerFigures, player_figures
from palmares.web.shared.figures import totals_on
from palmares.web.shared.history import HistoryPoint, rank_history
from palmares.web.shared.lists import (
    WaitingEvent,
    current_day,
    day_after,
    day_before,
    ranked_regulations,
    regulations_waiting,
    waiting_events,
)
from palmares.web.shared.names import (
    EventName,
    ListAsOf,
    ShownPlayer,
    matching_players,
    shown_players,
)
from palmares.web.shared.paging import Cut, Slice, extended
from palmares.web.shared.publications import PublishedList
from palmares.web.shared.results import (
    fading,
    merged_into,
    narrowed,
    own_awards,
    own_facts,
    own_results,
    points_on,
)
from palmares.web.shared.working import WorkedAward, worked

ROWS = 50
AHEAD = 12
"""So many months are looked ahead to."""
A_YEAR = timedelta(days=400)
"""So many days have at least that many ends of months."""


# ── by name ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing(ListAsOf):
    """Where a player stands on a list: today's, or the last one with anybody on it."""

    rank: int
    nanopoints: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRow(ShownPlayer):
    """A player who was found."""

    standings: tuple[Standing, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersList(Slice):
    """Players by name, and where they stand on every list."""

    as_of: date
    search: str
    total_players: int  # players that there are
    players: int  # found
    items: tuple[PlayerRow, ...]


def players(
    snapshot: Snapshot, search: str, today: date, rows: Cut, *, every: bool = True
) -> PlayersList:
    """The players whose names have every word that was typed.

    Args:
        snapshot: what is known.
        search: what was typed.
        today: the day it is.
        rows: which of them.
        every: without a search all players, those whose names are withheld among them; else none.
    """
    found = shown_players(snapshot) if every and not search else matching_players(snapshot, search)
    here, part = rows.cut(found, "player_id", snapshot.head.sequence)
    of = _standings(snapshot, here["player_id"].to_list(), today)
    return PlayersList(
        **part,
        as_of=today,
        search=search,
        total_players=len(shown_players(snapshot)),
        players=len(found),
        items=tuple(
            PlayerRow(player_id=one, player=name, nation=nation, standings=tuple(of[one]))
            for one, name, nation in here.select("player_id", "player", "nation").iter_rows()
        ),
    )


def _standings(snapshot: Snapshot, players: list[str], day: date) -> dict[str, list[Standing]]:
    """Where some players stand on every list of a day."""
    found: dict[str, list[Standing]] = {player: [] for player in players}
    for regulation in ranked_regulations() if players else ():
        as_of = current_day(snapshot, regulation.name, day)
        frame = snapshot.ranking(regulation.name, Selection(as_of=as_of)).frame
        rows = frame.filter(frame["player_id"].is_in(players))
        for one, rank, nanopoints in rows.select("player_id", "rank", "nanopoints").iter_rows():
            found[one].append(
                Standing(
                    regulation=regulation.name,
                    title=regulation.title,
                    as_of=as_of,
                    rank=rank,
                    nanopoints=nanopoints,
                )
            )
    return found


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
class PlayerPage:
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
    rows = shown_players(snapshot).filter(pl.col("player_id") == player_id)
    for row in rows.rename({"hidden": "withheld"}).iter_rows(named=True):
        return Person(**row)
    raise nobody()


def nobody() -> NotFoundException:
    """What is said of a player or a result that there is none of."""
    return NotFoundException(msg("There is no such player, or no such result of theirs."))


def player_page(snapshot: Snapshot, player_id: str, today: date, known_at: str = "") -> PlayerPage:
    """A player on every list.

    Raises:
        NotFoundException: there is none of that id.
    """
    player_id = merged_into(snapshot).get(player_id, player_id)
    who = person(snapshot, player_id)
    rows = snapshot.facts["memberships"].filter(pl.col("player_id") == player_id)
    found = rows.sort("start", descending=True).select("federation", "level", "start", "end")
    return PlayerPage(
        person=who,
        as_of=today,
        known_at=known_at,
        lists=_lists_of(snapshot, player_id, today),
        waiting=regulations_waiting(snapshot, today),
        memberships=()
        if who.withheld
        else tuple(MembershipRow(**row) for row in found.iter_rows(named=True)),
    )


def _lists_of(snapshot: Snapshot, player_id: str, day: date) -> tuple[PlayerOnList, ...]:
    """Every regulation under which a player has results up to a day, and where they stand."""
    every = (
        _on_list(snapshot, regulation.name, player_id, day) for regulation in ranked_regulations()
    )
    return tuple(one for one in every if one.results)


def _on_list(snapshot: Snapshot, name: str, player_id: str, day: date) -> PlayerOnList:
    regulation, given = get_regulation(name), snapshot.awarded(name)
    number = number_of(given, player_id)
    own = sum(one.effective <= day for one in results(given, number))
    now = totals_on(snapshot, name, day) if own else None
    return PlayerOnList(
        regulation=name,
        title=regulation.title,
        total=regulation.aggregate.word,
        results=own,
        nanopoints=now.nanopoints(number) if now else None,
        rank=now.rank(number) if now else None,
        ranked=int(now.listed.sum()) if now else 0,
    )


# ── under one regulation ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class UnderRegulation(ListAsOf):
    """Something of a player under one regulation."""

    person: Person
    known_at: str  # what was asked for; empty: now


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardOfDay(EventName):
    """What a player was awarded for one flight of an event, and what it is worth on a day."""

    flight: str
    kind: str
    effective: date
    nanopoints: Nanopoints  # when it is new; a rating: after the event
    worth: Nanopoints  # on the day
    counts: bool  # on the day


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow(AwardOfDay):
    """What a player was awarded for one flight of an event."""

    has_other_days: bool  # other days of play in the same flight gave points of this kind, too
    rank: int | None  # their place; none: they were not placed
    entrants: int | None  # in the flight; none: nobody says
    country: str | None  # of the tournament
    percent_left: int  # of the points, on the day
    expires_on: date | None  # the first day on which it counts no more; none: it always does
    halves_on: date | None  # the first day on which it is worth half of it or less


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
    waiting: tuple[WaitingEvent, ...]  # events that are missing in the list
    fades: bool  # whether results of it ever count less
    results: tuple[ResultRow, ...]  # the latest first
    later_results: int  # results that begin to count after the day
    expiries: tuple[ExpiryRow, ...]
    history: tuple[HistoryPoint, ...]  # the latest first
    other_regulations: tuple[PlayerOnList, ...]  # under other regulations
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
    who = person(snapshot, player_id)
    awards = own_results(snapshot, regulation, player_id)
    counting = awards.filter(pl.col("effective") <= day)
    given, every = snapshot.question(regulation), snapshot.waiting(regulation)
    waiting = entering(given, Selection(as_of=day), every)
    fades = fading(snapshot, regulation)
    here = _on_list(snapshot, regulation, player_id, day)
    rows = _results(snapshot, player_id, counting, fades, day, latest=here.total == "latest")
    others = _lists_of(snapshot, player_id, day)
    history = rank_history(snapshot, regulation, player_id, min(day, today))
    return extended(
        PlayerListPage,
        here,
        person=who,
        as_of=day,
        known_at=known_at,
        published=published,
        today=day == today,
        before=day_before(snapshot, regulation, day),
        after=day_after(snapshot, regulation, day, today),
        waiting=waiting_events(waiting),
        fades=not fades.lasts,
        results=rows,
        later_results=len(awards) - len(counting),
        expiries=() if fades.lasts else _expiries(counting, rows, fades, day),
        history=history[::-1],
        figures=player_figures(journal, snapshot, regulation, player_id, day, history),
        other_regulations=tuple(one for one in others if one.regulation != regulation),
    )


def awards_list(snapshot: Snapshot, page: PlayerListPage, rows: Cut) -> AwardsList:
    """Some results of a player."""
    here, part = rows.cut(page.results, "event_id", snapshot.head.sequence)
    return extended(AwardsList, page, **part, results=len(page.results), items=here)


def history_list(snapshot: Snapshot, page: PlayerListPage, rows: Cut) -> HistoryList:
    """Some months of a player's history."""
    here, part = rows.cut(page.history, "day", snapshot.head.sequence)
    return extended(HistoryList, page, **part, months=len(page.history), items=here)


def expiries(page: PlayerListPage) -> Expiries:
    """The months to come."""
    return extended(Expiries, page, items=page.expiries)


def _results(
    snapshot: Snapshot,
    player_id: str,
    awards: pl.DataFrame,
    fades: Fading,
    day: date,
    *,
    latest: bool,
) -> tuple[ResultRow, ...]:
    """What a player was awarded up to a day, the latest first."""
    tables = snapshot.facts.tables
    own = pl.col("event_id").is_in(awards["event_id"].implode())
    held = pl.col("tournament_id").is_in(awards["tournament_id"].implode())
    named = tables["tournaments"].filter(held).select("tournament_id", "name", "country")
    tournaments = {one: more for one, *more in named.iter_rows()}
    fields = _fields(tables["events"].filter(own), tables["flights"].filter(own))
    mine = tables["placings"].filter(pl.col("player_id") == player_id)
    places = {
        (event, flight or "main"): rank
        for event, flight, rank in mine.select("event_id", "flight", "rank").iter_rows()
    }
    several = pl.len().over("event_id", "flight", "kind") > 1
    rows = awards.with_columns(several=several).reverse()
    found = []
    for at, row in enumerate(rows.iter_rows(named=True)):
        effective, edition = row["effective"], row["edition"]
        left, parts = fades.left(effective, edition, day)
        counts = at == 0 if latest else left > 0  # of ratings the last one does
        found.append(
            ResultRow(
                tournament_id=row["tournament_id"],
                tournament=tournaments[row["tournament_id"]][0],
                country=tournaments[row["tournament_id"]][1],
                event_id=row["event_id"],
                event=row["event"],
                flight=row["flight"],
                kind=row["kind"],
                effective=effective,
                has_other_days=row["several"],
                rank=places.get((row["event_id"], row["flight"])),
                entrants=fields.get((row["event_id"], row["flight"])),
                percent_left=shared(100 * max(left, 0), parts),
                nanopoints=row["nanopoints"],
                worth=shared(row["nanopoints"] * max(left, 0), parts) if counts else 0,
                counts=counts,
                expires_on=fades.ends(effective, edition),
                halves_on=fades.halves(effective, edition),
            )
        )
    return tuple(found)


def _fields(given: pl.DataFrame, more: pl.DataFrame) -> dict[tuple[str, str], int]:
    """How many played in each flight; of a Main, as the event says where the flight does not."""
    events = given.select("event_id", pl.lit("main"), "entrants").iter_rows()
    flights = more.select("event_id", "flight", "entrants").iter_rows()
    return {(event, flight): many for event, flight, many in (*events, *flights) if many}


def _expiries(
    awards: pl.DataFrame, rows: tuple[ResultRow, ...], fades: Fading, day: date
) -> tuple[ExpiryRow, ...]:
    """The months to come, until nothing is left."""
    terms = awards.select("effective", "edition", "nanopoints").rows()
    start, found, since = points_on(terms, fades, day), [], day
    now = start
    for month in islice(days(day + timedelta(days=1), day + A_YEAR, "month"), AHEAD):
        if not now:
            break
        now = points_on(terms, fades, month)
        lost = start - now
        ended = {
            row.tournament: None
            for row in rows
            if row.expires_on and since < row.expires_on <= month
        }
        found.append(
            ExpiryRow(
                day=month,
                nanopoints=shared(now.numerator, now.denominator),
                to_defend=shared(lost.numerator, lost.denominator),
                expired=tuple(reversed(ended)),
            )
        )
        since = month
    return tuple(found)


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
    awards = own_awards(snapshot, regulation, player_id).frame
    these = awards.filter(event_id=award[0], flight=award[1], kind=award[2])
    if these.is_empty():
        raise nobody()
    tournament_id = these["tournament_id"][0]
    entries = [
        one
        for one in _explained(snapshot, player_id, regulation, day, tournament_id)
        if (one.event_id, one.flight, one.kind) == award
    ]
    entry = next((one for one in entries if effective in {None, one.effective}), None)
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
        other_days=tuple(extended(DayAward, one) for one in entries if one is not entry),
    )


def _explained(
    snapshot: Snapshot, player_id: str, regulation: str, day: date, tournament_id: str
) -> Sequence[Entry]:
    """The results of one tournament explained, in order; of all where a rating goes on."""
    question = snapshot.question(regulation)
    latest = question.aggregate.latest
    facts = own_facts(snapshot, player_id) if latest else narrowed(snapshot, {tournament_id})
    why = explain(question, facts, player_id, Selection(as_of=day))
    return sorted(why.entries, key=lambda one: one.effective)
