"""
A list before it is published: how long it is, who leads it, and what is new on it.

    coming          what an action put down  ->  Coming, for each list that it publishes
    Coming          a list that would be published
    ComingRow       one of its first rows
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from palmares import publication as publications
from palmares.errors import Problem
from palmares.journal.recording import Recorded
from palmares.journal.state import State
from palmares.journal.store import Reader
from palmares.publication import Publication
from palmares.publication import lists as publication_lists
from palmares.publication import manifest as manifests
from palmares.regulations import regulation as held
from palmares.web.hall import Known
from palmares.web.pages.list_steps import ListStep, step
from palmares.web.pages.publications import PublicationRow, rows

FIRST = 10
"""Rows that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComingRow:
    """A row of a list that would be published."""

    row: PublicationRow
    was: int | None  # the rank on the list before; none: not on it, or there is none


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """A list that would be published."""

    name: str  # "usbgf 2019-12-31 live"
    title: str
    regulation: str
    as_of: date
    by: str  # player | nation
    of: str | None  # a nation, if it is of its players only
    setting: str | None
    kind: str
    since: date | None
    until: date | None
    edition: str | None  # it is made under; none: each day has its own
    chosen: Mapping[str, str]  # readings and what is chosen instead
    known: int  # the last entry that counts
    known_at: str  # when that was recorded
    waiting_events: int  # that are not in it: something is missing in each
    rows_in_all: int
    rows: tuple[ComingRow, ...]  # the first of them
    last: int | None  # the entry of the last published list of the same kind, up to that day
    last_as_of: date | None
    step: ListStep | None  # from that list to this one
    doubts: tuple[Problem, ...]


def coming(done: Recorded, known: Known, reader: Reader, today: date) -> tuple[Coming, ...]:
    """Every list that an action would publish.

    Args:
        done: what it put down.
        known: the facts that it was made of.
        reader: the same state of the journal.
        today: the day it is.
    """
    return tuple(
        _coming(manifests.of_entry(one).publication, known, reader, today)
        for one in done.entries
        if one.kind == publications.KIND
    )


def _coming(given: Publication, known: Known, reader: Reader, today: date) -> Coming:
    state, asked, frame = known.projection.state, given.selection, given.frame()
    last = _last(state, given)
    moved, was = None, dict[str, int]()
    key = "player_id" if asked.by == "player" else "nation"
    if last is not None:
        before = publication_lists.manifest(reader, last).publication.frame()
        moved, was = step(before, frame), dict(before.select(key, "rank").iter_rows())
    first = rows(known, reader, frame.head(FIRST))
    return Coming(
        name=given.name,
        title=held(given.regulation).title,
        regulation=given.regulation,
        as_of=asked.as_of,
        by=asked.by,
        of=asked.nation,
        setting=asked.setting,
        kind=asked.kind,
        since=asked.since,
        until=asked.until,
        edition=given.edition,
        chosen=given.readings.chosen,
        known=known.head.sequence,
        known_at=state.recorded_at,
        waiting_events=given.waiting_events,
        rows_in_all=len(frame),
        rows=tuple(ComingRow(row=one, was=was.get(getattr(one, key) or "")) for one in first),
        last=last,
        last_as_of=None if last is None else _day(state, last),
        step=moved,
        doubts=publications.doubts(given, today),
    )


def _last(state: State, given: Publication) -> int | None:
    """The entry of the last published list of the same kind, up to the day of this one."""
    like = _like(given.body())
    found = [
        (one.body["selection"]["as_of"], one.sequence)
        for _, one in state.all_standing("publications")
        if _like(one.body) == like and one.body["selection"]["as_of"] <= str(given.selection.as_of)
    ]
    return max(found)[1] if found else None


def _like(body: Any) -> tuple[object, ...]:
    """What two lists of the same kind have in common."""
    asked = body["selection"]
    return (
        body["regulation"],
        body["edition"],
        body["readings"]["chosen"],
        *(asked[name] for name in ("by", "setting", "kind", "nation")),
        *(asked[name] is None for name in ("since", "until")),
    )


def _day(state: State, entry: int) -> date:
    """The day of a published list."""
    body = next(
        one.body for _, one in state.all_standing("publications") if one.sequence == entry
    )  # fmt: skip
    return date.fromisoformat(body["selection"]["as_of"])
