"""What waits for an officer: the inbox, the queue of reports, and the review of one of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from litestar.exceptions import NotFoundException

from palmares.core.errors import FactsRejected, Problem, Refused
from palmares.core.messages import msg, plural
from palmares.core.rounding import Nanopoints
from palmares.journal.commands.reports import POSSIBLE_DUPLICATES
from palmares.journal.identity.duplicates import PossibleDuplicate, suggestions
from palmares.journal.identity.register import Register
from palmares.web.database import day_of
from palmares.web.http.errors import ShownProblem, as_shown
from palmares.web.http.routing import to
from palmares.web.http.state import AppState, Request
from palmares.web.officer.decisions import proposals
from palmares.web.officer.entries import Outcome, Preview, outcome, preview
from palmares.web.officer.recording import (
    NO_SUCH_REPORT,
    as_officer,
    for_officers,
    problem_for_officers,
)
from palmares.web.shared.notes import ReportMessage, open_notes, report_messages
from palmares.web.shared.standings import ReportedStandings, reported_standings
from palmares.web.submissions import parse, submissions
from palmares.web.submissions.parse import Reading, ReportProblem
from palmares.web.submissions.preview import ReportedName, agreed, to_come
from palmares.web.submissions.steps import SUBMITTED_STATES, owns, read_and_preview
from palmares.web.submissions.submissions import ReportRow, Submission, row_fields
from palmares.web.submissions.understood import PlacedRow

MOST_TRIED = 10
"""Reports that are tried for the inbox; the others are tried when they are opened."""
_NOTE = 80
"""Characters of a note that the inbox shows."""


# ── what a report would do ───────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedReport:
    """What a report would do, or what keeps it from being recorded."""

    reading: Reading
    preview: Preview | None = None
    refusal: str = ""
    problems: tuple[Problem, ...] = ()


def try_report(request: Request, report: Submission) -> TriedReport:
    """Try to record a report, without recording it; kept until the journal grows."""
    today = request.app_state.today()

    def make() -> TriedReport:
        reading = submissions.read_submission(report)
        if reading.facts is None:
            return TriedReport(reading=reading)
        try:
            would_do = preview(
                request.app_state, as_officer(request), agreed(reading.facts, report)
            )
        except FactsRejected as error:
            problems = tuple(error.problems)
            return TriedReport(reading=reading, refusal=error.summary, problems=problems)
        except Refused as error:
            return TriedReport(reading=reading, refusal=str(error))
        return TriedReport(reading=reading, preview=would_do)

    snapshot = request.app_state.snapshot(at_once=True)
    return snapshot.once(
        ("tried report", report.id, report.version, as_officer(request), today), make
    )


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
            title=row_fields(report)["title"],
            address=to.queued_report(report.id),
            sender=report.author,
            needs=_needs(try_report(request, report)) if at < MOST_TRIED else (),
            since=day_of(report.updated),
            many=None,
        )
        for at, report in enumerate(waiting)
    ]
    mistakes = [
        InboxItem(
            group="players" if note.submission is None else "reports",
            title=msg("Mistake reported") if note.submission is None else msg("Message"),
            address=to.notes() if note.submission is None else to.queued_report(note.submission),
            sender=note.author or "",
            needs=(note.text[:_NOTE],),
            since=day_of(note.created),
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


def _needs(tried: TriedReport) -> tuple[str, ...]:
    """What an officer has to do about a report, or what it would do."""
    if tried.reading.facts is None:
        return (msg("cannot be read"),)
    if names := sum(problem.clause == POSSIBLE_DUPLICATES for problem in tried.problems):
        return (plural("%(many)s name to settle", "%(many)s names to settle", names),)
    if tried.preview is None:
        return (msg("cannot be recorded yet"),)
    waits = any(change.waiting for change in tried.preview.changes)
    players = {row.player_id for change in tried.preview.changes for row in change.rows}
    points = (
        plural("points for %(many)s player", "points for %(many)s players", len(players))
        if players
        else msg("no points")
    )
    return (points, msg("an event will wait")) if waits else (points,)


def _duplicates(app_state: AppState) -> list[InboxItem]:
    pairs = possible_duplicates(app_state)
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


def possible_duplicates(app_state: AppState) -> list[PossibleDuplicate]:
    """Pairs that are neither merged nor kept apart; the likeliest first."""
    snapshot = app_state.snapshot(at_once=True)

    def make() -> list[PossibleDuplicate]:
        with app_state.journal.reading() as reader:
            return suggestions(Register.of(snapshot.projection, reader))

    return snapshot.once("possible duplicates", make)


# ── the queue and the review ─────────────────────────────────────────────────────────────────────


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
    awards: tuple[AwardedPoints, ...] | None  # none: not tried yet, or it cannot be recorded
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
    problems: tuple[ShownProblem, ...] = ()
    standings: tuple[ReportedStandings, ...] = ()  # of bridge teams
    own_report: bool = False  # the officer who sees it submitted it
    messages: tuple[ReportMessage, ...] = ()  # between its director and the officers
    people: tuple[ReportedName, ...] = ()  # names to settle, and those that were settled
    rows: tuple[PlacedRow, ...] = ()  # lines that were understood
    inbox: tuple[InboxItem, ...] = ()
    outcome: Outcome | None = None  # of the decision before
    note: str = ""  # what was done before without an entry: returned


def queue_page(request: Request) -> Queue:
    """Everything that waits, the oldest first; the first reports with what they would award."""
    with request.app_state.database.reading() as connection:
        waiting = submissions.waiting_reports(connection)
    return Queue(
        items=tuple(
            _row(report, try_report(request, report).preview if at < MOST_TRIED else None)
            for at, report in enumerate(waiting)
        )
    )


def review_page(
    request: Request,
    report: Submission,
    problem: str | None = None,
    *,
    done: int | None = None,
    note: str = "",
    with_inbox: bool = True,
) -> WaitingPage:
    """A report as an officer sees it, with all that it would do.

    Raises:
        NotFoundException: its director took it back meanwhile.
    """
    if report.state not in SUBMITTED_STATES:
        raise NotFoundException(NO_SUCH_REPORT)
    page = WaitingPage(
        report=_row(report, None),
        version=report.version,
        filename=report.filename,
        text=parse.readable(report.format, report.content),
        erased=parse.erased_by(report.format, report.content),
        reason=report.reason,
        entry=report.entry,
        report_problems=(),
        problem=problem,
        own_report=owns(request, report),
        messages=report_messages(request.app_state.database, report.id),
        inbox=inbox(request) if with_inbox else (),
        outcome=outcome(request.app_state, done),
        note=note,
    )
    return _with_preview(request, report, page) if report.state == "submitted" else page


def _with_preview(request: Request, report: Submission, page: WaitingPage) -> WaitingPage:
    """The page with what the report would do, or what is wrong with it."""
    tried = try_report(request, report)
    reading, would_do = tried.reading, tried.preview
    if reading.facts is None:
        return replace(page, report_problems=reading.problems[: parse.MOST])
    people: tuple[ReportedName, ...] = ()
    if tried.problems or report.matches.names:
        people = tuple(
            person
            for person in read_and_preview(request, report)[1].people
            if person.undecided or person.state == "unclear" or person.key in report.matches.names
        )
    page = replace(page, rows=reading.rows, people=people)
    if would_do is None:
        problems = [
            each for each in tried.problems if not (people and each.clause == POSSIBLE_DUPLICATES)
        ]
        shown = as_shown(map(problem_for_officers, problems[: parse.MOST]))
        only_names = bool(tried.problems) and not problems
        refusal = None if only_names else for_officers(tried.refusal)
        return replace(page, problem=page.problem or refusal, problems=shown)
    ahead = as_shown(to_come(reading.facts, request.app_state.today()))
    notices = (*ahead, *map(problem_for_officers, would_do.notices))
    would_do = replace(would_do, notices=notices)
    standings = reported_standings(reading.facts)
    return replace(page, report=_row(report, would_do), preview=would_do, standings=standings)


def _row(report: Submission, would_do: Preview | None) -> QueueRow:
    """A report that waits, with what it would award."""
    changes = would_do.changes if would_do else ()
    awards = tuple(
        AwardedPoints(
            title=change.title, players=len(change.rows) + change.more, change=change.change
        )
        for change in changes
        if change.rows
    )
    return QueueRow(
        **row_fields(report),
        since=day_of(report.updated),
        awards=awards if would_do else None,
        waiting=tuple(change.title for change in changes if change.waiting),
    )
