"""The queue of reports, and the review of one of them with all that it would do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from litestar.exceptions import NotFoundException

from palmares.core.errors import FactsRejected, Refused
from palmares.core.rounding import Nanopoints
from palmares.journal.commands.reports import POSSIBLE_DUPLICATES
from palmares.web.http.errors import Problem, as_shown
from palmares.web.officer.inbox import LOOKED_AT, InboxItem, glance, inbox
from palmares.web.officer.outcome import Outcome, outcome
from palmares.web.officer.preview import Preview, preview
from palmares.web.services import (
    NO_SUCH_REPORT,
    SUBMITTED_STATES,
    RequestContext,
    for_officers,
    problem_for_officers,
    read_and_preview,
)
from palmares.web.shared.notes import ReportMessage, report_messages
from palmares.web.shared.standings import ReportedStandings, reported_standings
from palmares.web.submissions import parse, report_form, submissions
from palmares.web.submissions.parse import FORM, ReportProblem
from palmares.web.submissions.preview import ReportedName, agreed, to_come
from palmares.web.submissions.submissions import ReportRow, Submission, row_fields
from palmares.web.submissions.understood import PlacedRow
from palmares.web.tables import day_of


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardedPoints:
    """What a regulation would award; in nanopoints."""

    title: str
    players: int
    change: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow(ReportRow):
    """A report that waits."""

    since: date
    awards: tuple[AwardedPoints, ...] | None  # none: not looked at yet, or it cannot be recorded
    waiting: tuple[str, ...]  # regulations for which an event of it would wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Reports that wait for an officer, the oldest first."""

    items: tuple[QueueRow, ...]


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
    report_problems: tuple[ReportProblem, ...]  # what cannot be read
    preview: Preview | None = None
    problem: str | None = None
    problems: tuple[Problem, ...] = ()
    standings: tuple[ReportedStandings, ...] = ()  # of bridge teams
    own_report: bool = False  # handed in by the one who looks at it
    messages: tuple[ReportMessage, ...] = ()  # between its director and the officers
    people: tuple[ReportedName, ...] = ()  # names to settle, and those that were settled
    rows: tuple[PlacedRow, ...] = ()  # lines that were understood
    inbox: tuple[InboxItem, ...] = ()
    outcome: Outcome | None = None  # of the decision before


def queue_page(by: RequestContext) -> Queue:
    """All that wait, the oldest first; the first of them with what they would award."""
    with by.app_state.journal.database.reading() as connection:
        waiting = submissions.waiting_reports(connection)
    looked = [(one, glance(by, one).preview) for one in waiting[:LOOKED_AT]]
    rows = [*looked, *((one, None) for one in waiting[LOOKED_AT:])]
    return Queue(items=tuple(_row(one, found) for one, found in rows))


def review_page(
    by: RequestContext,
    one: Submission,
    problem: str | None = None,
    *,
    done: int | None = None,
    with_inbox: bool = True,
) -> WaitingPage:
    """A report as an officer sees it, with all that it would do.

    Raises:
        NotFoundException: its director took it back meanwhile.
    """
    if one.state not in SUBMITTED_STATES:
        raise NotFoundException(NO_SUCH_REPORT)
    text = parse.as_text(one.format, one.content)
    if one.format == FORM:
        text = report_form.written(report_form.decoded(one.content)).text
    page = WaitingPage(
        report=_row(one, None),
        version=one.version,
        filename=one.filename,
        text=text,
        erased=parse.erased_by(one.format, one.content),
        reason=one.reason,
        entry=one.entry,
        report_problems=(),
        problem=problem,
        own_report=by.owns(one),
        messages=report_messages(by.app_state.journal.database, one.id),
        inbox=inbox(by) if with_inbox else (),
        outcome=outcome(by.app_state, done),
    )
    return _tried(by, one, page) if one.state == "submitted" else page


def _tried(by: RequestContext, one: Submission, page: WaitingPage) -> WaitingPage:
    """The page with what the report would do, or what is wrong with it."""
    read = submissions.read_submission(one)
    if read.facts is None:
        return replace(page, report_problems=read.problems[: parse.MOST])
    page = replace(page, rows=read.rows)
    try:
        found = preview(by.app_state, by.officer, agreed(read.facts, one))
    except FactsRejected as rejected:
        people = _people(by, one)
        others = [
            each
            for each in rejected.problems
            if not (people and each.clause == POSSIBLE_DUPLICATES)
        ]
        problems = as_shown(map(problem_for_officers, others[: parse.MOST]))
        summary = rejected.summary if others else None
        return replace(page, problem=page.problem or summary, problems=problems, people=people)
    except Refused as error:
        return replace(page, problem=page.problem or for_officers(str(error)))
    ahead = to_come(read.facts, by.app_state.today())
    notices = (*as_shown(ahead), *map(problem_for_officers, found.notices))
    found = replace(found, notices=notices)
    return replace(
        page,
        report=_row(one, found),
        preview=found,
        standings=reported_standings(read.facts),
        people=_people(by, one) if one.matches.names else (),
    )


def _people(by: RequestContext, one: Submission) -> tuple[ReportedName, ...]:
    """The names of a report that are to be settled, or were settled."""
    _, found = read_and_preview(by, one)
    return tuple(
        each
        for each in found.people
        if each.undecided or each.state == "unclear" or each.key in one.matches.names
    )


def awarded(preview: Preview) -> tuple[AwardedPoints, ...]:
    """What each regulation would award."""
    return tuple(
        AwardedPoints(
            title=change.title, players=len(change.rows) + change.more, change=change.change
        )
        for change in preview.changes
        if change.rows
    )


def _row(one: Submission, preview: Preview | None) -> QueueRow:
    return QueueRow(
        **row_fields(one),
        since=day_of(one.updated),
        awards=None if preview is None else awarded(preview),
        waiting=()
        if preview is None
        else tuple(change.title for change in preview.changes if change.waiting),
    )
