"""
Why a player has the points of one result, clause by clause.

    award_page      one result  ->  AwardPage
    AskedOfAward    which one
    OtherDay        other days of play in the same flight
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

import polars as pl

from palmares.explanations import Entry, explain
from palmares.rankings import Selection
from palmares.regulations import regulation as held
from palmares.web.hall import Known
from palmares.web.pages.courses import merged_into, narrowed, own_awards, own_facts
from palmares.web.pages.player import Person, person
from palmares.web.pages.publications import PublishedList
from palmares.web.pages.working import WorkedLine, worked


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOfAward:
    """Which result, and as of which day."""

    player_id: str
    regulation: str
    day: date
    event_id: str
    flight: str
    kind: str
    effective: date | None = None  # where there are several days of play; none: the first
    known_at: str = ""  # the day, moment or entry up to which reports are counted; empty: all
    published: PublishedList | None = None  # by whose rules; none: those in force


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherDay:
    """Another day of play that gave points of the same kind in the same flight."""

    effective: date
    nanopoints: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardPage:
    """One result of a player, and how its points came about."""

    person: Person
    regulation: str
    title: str
    total: str  # sum | latest
    as_of: date
    known_at: str
    published: PublishedList | None  # by whose rules; none: those in force
    tournament_id: str
    tournament: str
    event_id: str
    event: str
    flight: str
    kind: str
    effective: date
    edition: str
    sha256: str  # of the edition's sheet
    nanopoints: int
    summary: str  # "Place 2 of 48: 1.5 × 0.75 × … ≈ 54.76; 746 of 1,095 days are left: 37.31"
    formula: str  # "grade × format factor × …", the terms of that sum; empty: no arithmetic
    lines: tuple[WorkedLine, ...]
    counts: bool  # on the day
    left: int  # days of it that are left on the day
    parts: int  # days in all; 1: it does not fade
    worth: int  # nanopoints on the day
    fading: tuple[WorkedLine, ...]
    others: tuple[OtherDay, ...]


def award_page(known: Known, asked: AskedOfAward) -> AwardPage | None:
    """One result and how its points came about; none if there is none."""
    into = merged_into(known).get(asked.player_id)
    if into is not None:
        return award_page(known, replace(asked, player_id=into))
    who = person(known, asked.player_id)
    if who is None:
        return None
    wanted = own_awards(known, asked.regulation, asked.player_id).frame.filter(
        pl.col("event_id") == asked.event_id,
        pl.col("flight") == asked.flight,
        pl.col("kind") == asked.kind,
    )
    if wanted.is_empty():
        return None
    tournament = wanted["tournament_id"][0]
    entries = _entries(known, asked, tournament)
    entry = next((one for one in entries if asked.effective in {None, one.effective}), None)
    if entry is None:
        return None
    told: set[str] = set()
    fades = entry.parts > 1
    return AwardPage(
        person=who,
        regulation=asked.regulation,
        title=held(asked.regulation).title,
        total=held(asked.regulation).total,
        as_of=asked.day,
        known_at=asked.known_at,
        published=asked.published,
        tournament_id=tournament,
        tournament=entry.tournament,
        event_id=entry.event_id,
        event=entry.event,
        flight=entry.flight,
        kind=entry.kind,
        effective=entry.effective,
        edition=entry.edition,
        sha256=entry.sha256,
        nanopoints=entry.nanopoints,
        summary=entry.summary.sentence,
        formula=entry.summary.formula,
        lines=worked(entry.lines, told),
        counts=entry.counts,
        left=entry.weight // entry.nanopoints if entry.nanopoints else 0,
        parts=entry.parts,
        worth=entry.worth,
        fading=worked(entry.fading, told) if fades else (),
        others=tuple(
            OtherDay(effective=one.effective, nanopoints=one.nanopoints)
            for one in entries
            if one is not entry
        ),
    )


def _entries(known: Known, asked: AskedOfAward, tournament: str) -> list[Entry]:
    """The result in an explanation: of its tournament alone, or of all where a rating goes on.

    Matches played on several days are a result each.
    """
    latest = held(asked.regulation).total == "latest"
    facts = own_facts(known, asked.player_id) if latest else narrowed(known, {tournament})
    why = explain(
        known.question(asked.regulation), facts, asked.player_id, Selection(as_of=asked.day)
    )
    key = (asked.event_id, asked.flight, asked.kind)
    found = [one for one in why.entries if (one.event_id, one.flight, one.kind) == key]
    return sorted(found, key=lambda one: one.effective)
