"""What waits for an officer: the inbox, the queue of reports, and the review of one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import msgspec
from litestar.exceptions import NotFoundException

from palmares.core.messages import msg, plural
from palmares.journal.identity.duplicates import PossibleDuplicate, suggestions
from palmares.journal.identity.register import Register
from palmares.render.entries import all_names
from palmares.web.database import day_of
from palmares.web.http.errors import ShownProblem, as_shown
from palmares.web.http.routing import to
from palmares.web.http.state import AppState, Request, Snapshot, cached
from palmares.web.officer.decisions import proposals
from palmares.web.officer.entries import EntryEffect, Preview, outcome, preview_of
from palmares.web.officer.recording import (
    NO_SUCH_REPORT,
    as_officer,
    for_officers,
    problem_for_officers,
)
from palmares.web.shared.notes import Note, open_notes, report_messages
from palmares.web.shared.standings import ReportedStandings, reported_standings
from palmares.web.submissions import parse, submissions
from palmares.web.submissions.parse import ParsedReport, ReportProblem
from palmares.web.submissions.preview import ReportedName, ReportPreview
from palmares.web.submissions.steps import (
    NOTHING_TO_RECORD,
    SUBMITTED_STATES,
    kept_preview,
    owns,
    preview_key,
)
from palmares.web.submissions.submissions import ReportRow, Submission, report_row
from palmares.web.submissions.understood import PlacedRow

MOST_TRIED = 10
"""Reports that are tried for the inbox; the others are tried when they are opened."""
_NOTE = 80
"""Characters of a note that the inbox shows."""


# ── what a report would do ───────────────────────────────────────────────────────────────────────


Tried = tuple[ParsedReport, ReportPreview, Preview | None]
"""A report as it is read, what it would do, and the same to approve; none: it cannot be."""


def try_report(request: Request, report: Submission) -> Tried:
    """Try to record a report, without recording it; kept until the journal grows."""
    app_state, by = request.app_state, as_officer(request)
    snapshot = app_state.snapshot()

    def make() -> Tried:
        reading, found = kept_preview(request, report)
        preview = None
        if found.entries and found.ready:
            names = {**all_names(snapshot.projection), **found.names}
            own = [msgspec.structs.replace(entry, author=by.name, role=by.role)
                   for entry in found.entries]  # fmt: skip
            preview = preview_of(app_state, own, names, found.notices, found.points)
        elif found.entries is not None and not found.entries:
            found = replace(found, refusal=NOTHING_TO_RECORD)
        return reading, found, preview

    return snapshot.once(("tried report", *preview_key(request, report), by), make)


# ── the inbox ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxItem:
    """Something that waits for an officer."""

    group: str  # reports, players, publish
    title: str
    address: str
    sender: str  # empty: the site itself
    needs: tuple[str, ...]  # what there is to know or to do
    since: date | None
    many: int | None  # of what there are several behind it


def inbox(request: Request) -> tuple[InboxItem, ...]:
    """Everything that waits, by group, the newest first."""
    with request.app_state.database.reading() as connection:
        waiting = submissions.waiting_reports(connection)[::-1]
        notes = open_notes(connection)[::-1]
        proposed = proposals(connection)
    reports = [
        InboxItem(
            group="reports",
            title=row.title,
            address=to.queued_report(row.id),
            sender=row.author,
            needs=_needs(*try_report(request, report)) if at < MOST_TRIED else (),
            since=row.updated,
            many=None,
        )
        for at, report in enumerate(waiting)
        for row in (report_row(report),)
    ]
    mistakes = [
        InboxItem(
            group="players" if note.submission is None else "reports",
            title=msg("Mistake reported") if note.submission is None else msg("Message"),
            address=to.notes() if note.submission is None else to.queued_report(note.submission),
            sender=note.author or "",
            needs=(note.text[:_NOTE],),
            since=date.fromisoformat(note.at[:10]),
            many=None,
        )
        for note in notes
    ]
    own, others = msg("Waits for another officer"), msg("Needs your approval")
    lists = [
        InboxItem(
            group="publish",
            title=proposal.title,
            address=to.decision("publish", proposal=proposal.id),
            sender=proposal.author,
            needs=(own if proposal.account == request.user.id else others,),
            since=day_of(proposal.created),
            many=None,
        )
        for proposal in proposed
    ]
    return (*reports, *_duplicates(request.app_state), *mistakes, *lists)


def _needs(reading: ParsedReport, found: ReportPreview, preview: Preview | None) -> tuple[str, ...]:
    """What an officer has to do about a report, or what it would do."""
    if reading.facts is None:
        return (msg("cannot be read"),)
    if names := sum(person.unsettled for person in found.people):
        return (plural("%(many)s name to settle", "%(many)s names to settle", names),)
    if preview is None:
        return (msg("cannot be recorded yet"),)
    shown = {row.player_id for change in preview.changes for row in change.rows}
    players = len(shown) + sum(change.more for change in preview.changes)
    points = (
        plural("points for %(many)s player", "points for %(many)s players", players)
        if players
        else msg("no points")
    )
    waits = any(change.waiting for change in preview.changes)
    return (points, msg("an event will wait")) if waits else (points,)


def _duplicates(app_state: AppState) -> list[InboxItem]:
    pairs = possible_duplicates(app_state.snapshot(), app_state)
    return [
        InboxItem(
            group="players",
            title=msg("Possible duplicates"),
            address=to.duplicates(),
            sender="",
            needs=(msg("%(one)s, %(other)s", one=str(pair.form), other=str(pair.other_form)),),
            since=None,
            many=len(pairs),
        )
        for pair in pairs[:1]
    ]


@cached
def possible_duplicates(snapshot: Snapshot, app_state: AppState) -> list[PossibleDuplicate]:
    """Pairs that are neither merged nor kept apart; the likeliest first."""
    return app_state.read(lambda reader: suggestions(Register.of(snapshot.projection, reader)))


# ── the queue and the review ─────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingPage:
    """One report, with all that it would do."""

    report: ReportRow
    needs: tuple[str, ...]  # what it would do, or what there is to do; none: it does not wait
    version: int
    filename: str
    text: str | None  # none: a workbook, or thrown away
    erased: int | None  # the entry with whose erasure its text was thrown away
    reason: str | None  # why it was returned
    report_problems: tuple[ReportProblem, ...]  # what cannot be read
    preview: Preview | None = None
    problem: str | None = None
    problems: tuple[ShownProblem, ...] = ()
    standings: tuple[ReportedStandings, ...] = ()  # of bridge teams
    own_report: bool = False  # the officer who sees it submitted it
    messages: tuple[Note, ...] = ()  # between its director and the officers
    people: tuple[ReportedName, ...] = ()  # names to settle, and those that were settled
    rows: tuple[PlacedRow, ...] = ()  # lines that were understood
    inbox: tuple[InboxItem, ...] = ()
    outcome: EntryEffect | None = None  # of the decision before
    note: str = ""  # what was done before without an entry: returned
    typed_names: Mapping[str, str] = field(default_factory=dict)  # for a key: what is no player


def review_page(
    request: Request,
    report: Submission,
    *,
    done: int | None = None,
    with_inbox: bool = True,
    **more: Any,
) -> WaitingPage:
    """A report as an officer sees it, with all that it would do and *more* fields.

    Raises:
        NotFoundException: its director took it back meanwhile.
    """
    if report.state not in SUBMITTED_STATES:
        raise NotFoundException(NO_SUCH_REPORT)
    page = WaitingPage(
        report=report_row(report),
        needs=(),
        version=report.version,
        filename=report.filename,
        text=parse.readable(report.format, report.content),
        erased=parse.erased_by(report.format, report.content),
        report_problems=(),
        own_report=owns(request, report),
        messages=report_messages(request.app_state.database, report.id),
        inbox=inbox(request) if with_inbox else (),
        outcome=outcome(request.app_state, done),
        **{"reason": report.reason, **more},
    )
    return _with_preview(request, report, page) if report.state == "submitted" else page


def _with_preview(request: Request, report: Submission, page: WaitingPage) -> WaitingPage:
    """The page with what the report would do, or what is wrong with it."""
    reading, found, would_do = try_report(request, report)
    if reading.facts is None:
        return replace(page, report_problems=reading.problems[: parse.MOST])
    people = tuple(
        person for person in found.people if person.unsettled or person.key in report.matches.names
    )
    needs = _needs(reading, found, would_do)
    page = replace(page, needs=needs, rows=reading.rows, people=people)
    if would_do is None:
        problems = as_shown(map(problem_for_officers, found.problems[: parse.MOST]))
        refusal = page.problem or for_officers(found.refusal) or None
        return replace(page, problem=refusal, problems=problems)
    would_do = replace(would_do, notices=as_shown(map(problem_for_officers, found.notices)))
    return replace(page, preview=would_do, standings=reported_standings(reading.facts))
