"""
The queue: reports that directors handed in, and one of them with all that it would do.

    queue_page      reports that wait, each with what it would award  ->  QueuePage
    waiting_page    one of them, as it was read and rehearsed  ->  WaitingPage
    awarded         a preview  ->  what each regulation would award
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from palmares.errors import Problem
from palmares.web import readings, report_forms
from palmares.web.messages import said
from palmares.web.pages.moments import day_of
from palmares.web.pages.officer import Preview
from palmares.web.pages.reported_standings import ReportedStandings
from palmares.web.readings import FORM, Spot
from palmares.web.submissions import Submission, called

UNTITLED = said("Report without a name")
MOST = 100
"""Problems that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a regulation would award; in nanopoints."""

    title: str
    players: int
    change: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """A report that waits."""

    id: int
    title: str
    author: str
    since: date
    state: str
    awards: tuple[Given, ...] | None  # none: not looked at yet, or it cannot be recorded
    waits: tuple[str, ...]  # regulations for which an event of it would wait


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePage:
    """Reports that wait for an officer, the oldest first."""

    waiting: tuple[QueueRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingPage:
    """One report, with all that it would do."""

    report: QueueRow
    version: int
    filename: str
    text: str | None  # none: a workbook, or thrown away
    erased: int | None  # the entry with whose erasure its text was thrown away
    reason: str | None  # why it was returned
    entry: int | None  # of the journal, once it is approved
    spots: tuple[Spot, ...]  # what cannot be read
    preview: Preview | None = None
    problem: str | None = None
    problems: tuple[Problem, ...] = ()
    shown: str | None = None  # what was shown before, where it would be otherwise now
    standings: tuple[ReportedStandings, ...] = ()  # of bridge teams
    own: bool = False  # handed in by the one who looks at it


def queue_page(rows: Sequence[tuple[Submission, Preview | None]]) -> QueuePage:
    """The reports that wait."""
    return QueuePage(waiting=tuple(_row(one, found) for one, found in rows))


def waiting_page(
    one: Submission,
    preview: Preview | None,
    spots: Sequence[Spot] = (),
    *,
    problem: str | None = None,
    problems: Sequence[Problem] = (),
    shown: str | None = None,
    standings: tuple[ReportedStandings, ...] = (),
    own: bool = False,
) -> WaitingPage:
    """One report as an officer sees it."""
    text = readings.as_text(one.format, one.content)
    if one.format == FORM:
        text = report_forms.written(report_forms.decoded(one.content)).text
    return WaitingPage(
        report=_row(one, preview),
        version=one.version,
        filename=one.filename,
        text=text,
        erased=readings.erased_by(one.format, one.content),
        reason=one.reason,
        entry=one.entry,
        spots=tuple(spots[:MOST]),
        preview=preview,
        problem=problem,
        problems=tuple(problems[:MOST]),
        shown=shown,
        standings=standings,
        own=own,
    )


def awarded(preview: Preview) -> tuple[Given, ...]:
    """What each regulation would award."""
    return tuple(
        Given(title=one.title, players=len(one.rows) + one.more, change=one.change)
        for one in preview.changes
        if one.rows
    )


def _row(one: Submission, preview: Preview | None) -> QueueRow:
    return QueueRow(
        id=one.id,
        title=called(one) or UNTITLED,
        author=one.author,
        since=day_of(one.updated),
        state=one.state,
        awards=None if preview is None else awarded(preview),
        waits=() if preview is None else tuple(one.title for one in preview.changes if one.waits),
    )
