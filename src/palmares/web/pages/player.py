"""
A player: on every list, and under one regulation with every result.

    person              an id  ->  Person, as he may be shown
    player_page         a player on every list
    player_list_page    a player under one regulation, as of a day
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

import polars as pl

from palmares.rankings import Selection
from palmares.regulations import regulation as held
from palmares.rounding import shared
from palmares.web.hall import Known
from palmares.web.pages import days
from palmares.web.pages.courses import (
    CourseRow,
    Fading,
    course,
    fading,
    merged_into,
    own_awards,
    own_facts,
)
from palmares.web.pages.list_heads import WaitingEvent, waiting_events
from palmares.web.pages.names import shown
from palmares.web.pages.publications import PublishedList

AHEAD = 12
"""So many months are looked ahead to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A player as he may be shown."""

    player_id: str
    player: str
    nation: str | None
    withheld: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OnList:
    """A regulation under which a player has results."""

    regulation: str
    title: str
    total: str  # sum | latest
    results: int
    nanopoints: int | None  # none: he is not on the list
    rank: int | None
    ranked: int  # how many are on the list


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipRow:
    """A time for which he was a member."""

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
    lists: tuple[OnList, ...]
    waiting: tuple[str, ...]  # regulations in whose lists events are missing, because they wait
    memberships: tuple[MembershipRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """What a player was awarded for one flight of an event."""

    tournament_id: str
    tournament: str
    event_id: str
    event: str
    flight: str
    kind: str
    effective: date
    several: bool  # other days of play in the same flight gave points of this kind, too
    rank: int | None  # his place; none: he was not placed
    nanopoints: int  # when it is new; a rating: after the event
    worth: int  # on the day
    counts: bool  # on the day
    ends: date | None  # the first day on which it counts no more; none: it always does
    halves: date | None  # the first day on which it is worth half of it or less


@dataclass(frozen=True, slots=True, kw_only=True)
class AheadRow:
    """A month to come, as if he played no more."""

    day: date  # its last
    nanopoints: int
    to_defend: int  # what is lost from the day up to it
    expired: tuple[str, ...]  # the tournaments whose results end in it


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerListPage:
    """A player under one regulation."""

    person: Person
    regulation: str
    title: str
    total: str  # sum | latest
    as_of: date
    known_at: str  # as on PlayerPage
    published: PublishedList | None  # by whose rules; none: those in force
    today: bool
    before: date
    after: date | None
    nanopoints: int | None  # none: he is not on the list
    rank: int | None
    ranked: int
    waiting: tuple[WaitingEvent, ...]  # events that are missing in the list
    fades: bool  # whether results of it ever count less
    results: tuple[ResultRow, ...]  # the latest first
    later: int  # results that begin to count after the day
    ahead: tuple[AheadRow, ...]
    course: tuple[CourseRow, ...]  # the latest first
    others: tuple[OnList, ...]  # under other regulations


# ── who ──────────────────────────────────────────────────────────────────────────────────────────


def person(known: Known, player_id: str) -> Person | None:
    """A player as he may be shown; none if there is none of that id."""
    rows = shown(known).filter(pl.col("player_id") == player_id)
    for one, name, nation, hidden in rows.select(
        "player_id", "player", "nation", "hidden"
    ).iter_rows():
        return Person(player_id=one, player=name, nation=nation, withheld=hidden)
    return None


def _memberships(known: Known, who: Person) -> tuple[MembershipRow, ...]:
    if who.withheld:
        return ()
    rows = known.facts["memberships"].filter(pl.col("player_id") == who.player_id)
    found = rows.sort("start", descending=True).select("federation", "level", "start", "end")
    return tuple(MembershipRow(**row) for row in found.iter_rows(named=True))


# ── on every list ────────────────────────────────────────────────────────────────────────────────


def player_page(known: Known, player_id: str, today: date, known_at: str = "") -> PlayerPage | None:
    """A player on every list; none if there is none of that id."""
    player_id = merged_into(known).get(player_id, player_id)
    who = person(known, player_id)
    if who is None:
        return None
    return PlayerPage(
        person=who,
        as_of=today,
        known_at=known_at,
        lists=lists_of(known, player_id, today),
        waiting=days.with_waiting(known, today),
        memberships=_memberships(known, who),
    )


def lists_of(known: Known, player_id: str, day: date) -> tuple[OnList, ...]:
    """Every regulation under which somebody has results up to a day, and where he stands."""
    found = []
    for one in days.making():
        awards = own_awards(known, one.name, player_id).frame
        results = len(awards.filter(pl.col("effective") <= day))
        if results:
            found.append(_on_list(known, one.name, player_id, day, results))
    return tuple(found)


def _on_list(known: Known, name: str, player_id: str, day: date, results: int) -> OnList:
    frame = known.ranking(name, Selection(as_of=day)).frame
    row = frame.row(by_predicate=pl.col("player_id") == player_id, named=True) if (
        player_id in frame["player_id"]
    ) else None  # fmt: skip
    regulation = held(name)
    return OnList(
        regulation=name,
        title=regulation.title,
        total=regulation.total,
        results=results,
        nanopoints=row["nanopoints"] if row else None,
        rank=row["rank"] if row else None,
        ranked=len(frame),
    )


# ── under one regulation ─────────────────────────────────────────────────────────────────────────


def player_list_page(
    known: Known,
    player_id: str,
    regulation: str,
    day: date,
    today: date,
    known_at: str = "",
    published: PublishedList | None = None,
) -> PlayerListPage | None:
    """A player under one regulation, by the rules of *known*; none if there is none of that id."""
    player_id = merged_into(known).get(player_id, player_id)
    who = person(known, player_id)
    if who is None:
        return None
    awards = own_awards(known, regulation, player_id).frame
    counting = awards.filter(pl.col("effective") <= day)
    here = _on_list(known, regulation, player_id, day, len(counting))
    fades = fading(known, regulation)
    latest = here.total == "latest"
    rows = _results(known, player_id, counting, fades, day, latest=latest)
    return PlayerListPage(
        person=who,
        regulation=regulation,
        title=here.title,
        total=here.total,
        as_of=day,
        known_at=known_at,
        published=published,
        today=day == today,
        before=days.before(known, regulation, day),
        after=days.after(known, regulation, day, today),
        nanopoints=here.nanopoints,
        rank=here.rank,
        ranked=here.ranked,
        waiting=waiting_events(known.ranking(regulation, Selection(as_of=day)).waiting),
        fades=not fades.lasts,
        results=rows,
        later=len(awards) - len(counting),
        ahead=() if fades.lasts else _ahead(counting, rows, fades, day),
        course=course(known, regulation, player_id, min(day, today))[::-1],
        others=tuple(
            one for one in lists_of(known, player_id, day) if one.regulation != regulation
        ),
    )


def _results(
    known: Known, player_id: str, awards: pl.DataFrame, fades: Fading, day: date, *, latest: bool
) -> tuple[ResultRow, ...]:
    """What he was awarded up to a day, the latest first."""
    facts = own_facts(known, player_id)
    names: Mapping[str, str] = dict(
        facts["tournaments"].select("tournament_id", "name").iter_rows()
    )
    mine = facts["placings"].filter(pl.col("player_id") == player_id)
    places = {
        (event, flight or "main"): rank
        for event, flight, rank in mine.select("event_id", "flight", "rank").iter_rows()
    }
    found = []
    several = pl.len().over("event_id", "flight", "kind") > 1
    rows = awards.sort("order").with_columns(several=several)
    for at, row in enumerate(rows.iter_rows(named=True), start=1):
        found.append(
            _result(
                row,
                fades,
                day,
                last=at == len(awards) if latest else None,
                names=names,
                places=places,
            )
        )
    return tuple(reversed(found))


def _result(
    row: Mapping[str, Any],
    fades: Fading,
    day: date,
    *,
    last: bool | None,
    names: Mapping[str, str],
    places: Mapping[tuple[str, str], int | None],
) -> ResultRow:
    """One result; *last* says whether it is the one that counts, where only one does."""
    effective, edition = row["effective"], row["edition"]
    left, parts = fades.left(effective, edition, day)
    counts = left > 0 if last is None else last
    return ResultRow(
        tournament_id=row["tournament_id"],
        tournament=names[row["tournament_id"]],
        event_id=row["event_id"],
        event=row["event"],
        flight=row["flight"],
        kind=row["kind"],
        effective=effective,
        several=row["several"],
        rank=places.get((row["event_id"], row["flight"])),
        nanopoints=row["nanopoints"],
        worth=shared(row["nanopoints"] * max(left, 0), parts) if counts else 0,
        counts=counts,
        ends=fades.ends(effective, edition),
        halves=fades.halves(effective, edition),
    )


def _ahead(
    awards: pl.DataFrame, rows: tuple[ResultRow, ...], fades: Fading, day: date
) -> tuple[AheadRow, ...]:
    """The months to come, until nothing is left."""
    terms = awards.select("effective", "edition", "nanopoints").rows()

    def total(on: date) -> Fraction:
        left = (fades.left(effective, edition, on) for effective, edition, _ in terms)
        return sum(
            (Fraction(points * max(now, 0), parts)
             for (now, parts), (_, _, points) in zip(left, terms, strict=True)),
            Fraction(0),
        )  # fmt: skip

    start, found, since = total(day), [], day
    for month in _months(day):
        if not start:
            break
        now = total(month)
        ended = {one.tournament: None for one in rows if one.ends and since < one.ends <= month}
        lost = start - now
        found.append(
            AheadRow(
                day=month,
                nanopoints=shared(now.numerator, now.denominator),
                to_defend=shared(lost.numerator, lost.denominator),
                expired=tuple(reversed(ended)),
            )
        )
        since = month
        if not now:
            break
    return tuple(found)


def _months(day: date) -> tuple[date, ...]:
    """The ends of the months to come."""
    found, at = [], day.year * 12 + day.month - 1
    for month in range(at, at + AHEAD + 1):
        year, index = divmod(month, 12)
        end = date(year, index + 1, monthrange(year, index + 1)[1])
        if end > day:
            found.append(end)
    return tuple(found[:AHEAD])
