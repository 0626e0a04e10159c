"""The steps of a report on its way to the journal, whether by a form or by a program."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

from litestar.exceptions import NotFoundException

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.journal.store.entries import Actor
from palmares.journal.store.events import event_records, record_event
from palmares.tournaments.running import Running, fold, submitted
from palmares.web.http.state import AppState, Request
from palmares.web.shared.notes import add_message
from palmares.web.submissions import parse, submissions
from palmares.web.submissions.parse import ParsedReport
from palmares.web.submissions.preview import (
    NO_PREVIEW,
    ReportPreview,
    preview_report,
    to_come,
)
from palmares.web.submissions.submissions import NOTHING, OPEN, Matches, Submission

PREVIEWED_STATES = frozenset({"draft", "returned", "submitted"})
SUBMITTED_STATES = frozenset({"submitted", "returned", "rejected", "approved"})
"""States in which an officer sees a report; a draft is its director's own affair."""
LARGEST_CACHED = 128 * 1024
"""Bytes of a report whose reading is kept."""
NOT_READY = msg(
    "It cannot be submitted yet: see what is wrong with it, and whose names are not settled."
)
NOTHING_TO_RECORD = msg("There is nothing to record: so it is known already.")


def owns(request: Request, report: Submission) -> bool:
    """Whether a report is of the account that sends the request."""
    return bool(report.account == request.user.id)


def sees(request: Request, report: Submission) -> bool:
    """Whether the account sees a report: its own, or as an officer a submitted one."""
    is_officer = request.user.role == "officer"
    return owns(request, report) or (is_officer and report.state in SUBMITTED_STATES)


async def find_report(request: Request, number: int, *, others: bool = False) -> Submission:
    """A report of this account; for an officer also one that was submitted by another.

    Args:
        request: of the account.
        number: of the report.
        others: whether an officer finds those of others.

    Raises:
        NotFoundException: there is none that this account sees.
    """
    report = await request.app_state.ask(submissions.find, number)
    if report is None or not (sees if others else owns)(request, report):
        raise NotFoundException(msg("There is no such report of yours."))
    return report


def parse_report(app_state: AppState, report: Submission) -> ParsedReport:
    """A report as it is read, or its problems; cached by its contents."""
    if report.state == "withdrawn":
        return parse.NOTHING
    if len(report.content) > LARGEST_CACHED:
        return submissions.read_submission(report)
    key = report.format, report.content, tuple(sorted(report.matches.tournament.items()))
    return app_state.parsed_reports.once(key, lambda: submissions.read_submission(report))


def preview_key(request: Request, report: Submission) -> tuple[object, ...]:
    """The cache key of the preview of a report: all that it depends on but the journal.

    Neither who looks at it nor its version is part of it, so that an officer is shown what its
    director saw without making it again.
    """
    contents = sha256(report.content + repr((report.format, report.matches)).encode()).digest()
    return contents, report.state in PREVIEWED_STATES, request.app_state.today()


def cached_preview(request: Request, report: Submission) -> tuple[ParsedReport, ReportPreview]:
    """A report as it is read, saved or not, and its preview; cached until the journal grows.

    Takes long the first time.
    """
    key = ("previewed report", *preview_key(request, report))
    return request.app_state.snapshot().once(key, lambda: _read_and_preview(request, report))


def _read_and_preview(request: Request, report: Submission) -> tuple[ParsedReport, ReportPreview]:
    app_state, today = request.app_state, request.app_state.today()
    read = parse_report(app_state, report)
    if read.facts is None or report.state not in PREVIEWED_STATES:
        return read, NO_PREVIEW
    snapshot = app_state.snapshot(at_once=True)
    by = Actor(request.user.name, request.user.role)
    preview = preview_report(app_state.journal, snapshot, by, read.facts, report, today)
    notices = (*to_come(read.facts, today), *preview.notices)
    return read, replace(preview, notices=notices)


async def create_draft(
    request: Request, name: str, kind: str, content: bytes, matches: Matches = NOTHING
) -> int:
    """The number of a new report, which is a draft.

    Raises:
        Refused: one has too many already, or it is too large.
    """
    parse.refuse_large(kind, content)
    number = await request.app_state.change(
        submissions.create, request.user.id, name, kind, content, request.app_state.clock(), matches
    )
    request.log_event("report drafted", submission=number)
    return number


async def save_report(request: Request, changed: Submission, version: int) -> None:
    """Save a report of this account with other contents or matches.

    Raises:
        Refused: it is no draft any more, or it is too large.
        Stale: it has another version.
    """
    parse.refuse_large(changed.format, changed.content)
    await request.app_state.change(submissions.save, changed, version, request.app_state.clock())


async def move_report(request: Request, report: Submission, version: int, to: str) -> None:
    """Move a report of this account to another state.

    Raises:
        Refused: this state does not follow its own, or it cannot be submitted yet.
        Stale: it has another version.
    """
    if to not in ("submitted", "draft", "withdrawn"):
        raise Refused(msg("A report is submitted, taken back as a draft, or withdrawn."))
    if to == "submitted" and report.state in OPEN:
        _, preview = await request.run_long(cached_preview, request, report)
        if not preview.ready:
            raise Refused(NOT_READY)
        await request.run_long(refuse_outdated, request, report)
    await request.app_state.change(
        submissions.move, report.id, version, request.app_state.clock(), to
    )
    request.log_event(f"report {to}", submission=report.id)
    if to == "submitted":
        await request.run_long(_record_submitted, request, report)


def _drafted_event(request: Request, report: Submission) -> Running | None:
    """The event that was played here and whose report this is; none if it is of no such event."""
    with request.app_state.journal.reading() as reader:
        for draft in event_records(reader, kind="drafted"):
            if json.loads(draft.body)["submission"] == report.id:
                return fold(event_records(reader, draft.event))
    return None


def refuse_outdated(request: Request, report: Submission) -> None:
    """Refuse the report of an event whose results were corrected after it was made.

    Raises:
        Refused: they were, or a later report of the event was made.
    """
    event = _drafted_event(request, report)
    if event and (event.drafted is None or event.drafted.submission != report.id):
        raise Refused(
            msg(
                "This report is outdated: results of %(event)s were corrected, or another report"
                " was made, after it. Make the report again on the page of the event.",
                event=event.setup.name,
            )
        )


def _record_submitted(request: Request, report: Submission) -> None:
    """Record on the event that was played here, if the report is of one, that it is submitted."""
    event, content = _drafted_event(request, report), sha256(report.content).hexdigest()
    if event:
        record_event(
            request.app_state.journal,
            event.setup.event,
            request.user.name,
            lambda records: submitted(fold(records), report.id, content),
        )


async def send_message(request: Request, report: Submission, text: str) -> None:
    """A message about a report that was submitted: to the officers, or to its director.

    Raises:
        Refused: the report was not submitted, or this is no message.
    """
    if report.state not in SUBMITTED_STATES:
        raise Refused(msg("Submit the report first: officers do not see it yet."))
    await request.app_state.change(
        add_message, report.id, text, request.user.id, request.app_state.clock()
    )
    request.log_event("message sent", submission=report.id)
