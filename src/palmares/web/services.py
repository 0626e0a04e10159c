"""The steps of directors, officers and administrators, whether by a form or by a program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import Any, TypeVar

from litestar.exceptions import NotFoundException

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.core.messages import msg, reworded
from palmares.journal.commands.decisions import checked_reason
from palmares.journal.commands.transaction import Action, ActionResult, Transaction, record_entries
from palmares.journal.store.entries import Actor, Entry
from palmares.journal.store.events import event_records, record_event
from palmares.tournaments.running import Running, fold, submitted
from palmares.web.http import errors
from palmares.web.http.errors import Conflict
from palmares.web.http.i18n import FOR_OFFICERS
from palmares.web.http.state import AppState, Request
from palmares.web.shared.notes import add_message, close_messages
from palmares.web.submissions import parse, submissions
from palmares.web.submissions.parse import Reading, ReportProblem
from palmares.web.submissions.preview import (
    NO_PREVIEW,
    ReportedName,
    ReportPreview,
    agreed,
    preview_report,
    to_come,
)
from palmares.web.submissions.submissions import NOTHING, OPEN, Matches, Submission

T = TypeVar("T")


def owns(request: Request, report: Submission) -> bool:
    """Whether a report is of the account that sends the request."""
    return bool(report.account == request.user.id)


def visible_states(request: Request) -> frozenset[str]:
    """The states in which the account sees the reports of others."""
    return SUBMITTED_STATES if request.user.role == "officer" else frozenset()


def as_officer(request: Request) -> Actor:
    """The author of what an officer records."""
    return Actor(request.user.name, "officer")


# ── decisions: a dry run first, then the record ───────────────────────────────────────────────────


MOST_ENTRIES = 2000
"""Entries recorded under one key that are compared with what was seen."""
PREVIEW_CHANGED = msg(
    "The journal has changed since this was shown. Nothing was recorded; look at it again."
)
NOTHING_TO_RECORD = msg("There is nothing to record: so it is known already.")


class NothingToRecord(Refused):
    """The journal says all of it already."""


class PreviewChanged(Conflict):
    """The journal has changed: something else would be recorded than was shown."""


class AlreadyRecorded(Exception):
    """A program sent the same before under the same key; `entries` are what was recorded."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        super().__init__(NOTHING_TO_RECORD)
        self.entries = entries


def record_as_shown(
    app_state: AppState,
    by: Actor,
    action: Action,
    seen: str,
    *,
    key: str | None = None,
) -> ActionResult:
    """Record an action, if it would record what was shown.

    Args:
        app_state: of the journal.
        by: who confirms.
        action: what is done.
        seen: the digest of the statements that were shown.
        key: a program's own for this delivery; sent again, it records nothing more.

    Raises:
        PreviewChanged: something else would be recorded now.
        NothingToRecord: there is nothing to record.
        AlreadyRecorded: it was recorded under this key before.
        Refused: the action refuses, the key stands for something else, or the database refuses.
        FactsRejected: it would contradict what is recorded.
    """

    def act(transaction: Transaction) -> None:
        if key is not None:
            _refuse_recorded(transaction, key, seen)
            transaction.key = key
        before = len(transaction.drafts)
        action(transaction)
        if len(transaction.drafts) == before:
            raise NothingToRecord(NOTHING_TO_RECORD)

    def as_seen(done: ActionResult) -> None:
        if digest(done.entries) != seen:
            raise PreviewChanged(PREVIEW_CHANGED)

    start = app_state.snapshot(at_once=True).projection
    done = record_entries(app_state.journal, by, act, start=start, check=as_seen)
    app_state.snapshot(at_once=True)
    return done


async def record_decision(
    request: Request, name: str, action: Action, seen: str, *, key: str | None = None
) -> tuple[Entry, ...]:
    """Record a decision as it was shown; its entries.

    Raises:
        PreviewChanged, NothingToRecord, AlreadyRecorded, Refused, FactsRejected: see
            `record_as_shown`.
    """
    done = await request.app_state.signed_in.long(
        partial(record_as_shown, request.app_state, as_officer(request), action, seen, key=key)
    )
    request.log_event("recorded", decision=name, entry=done.entries[-1].sequence)
    return done.entries


def _refuse_recorded(transaction: Transaction, key: str, seen: str) -> None:
    """Tell what was recorded under a key; what was seen says how many entries it was."""
    first = transaction.writer.by_key(key)
    if first is None:
        return
    entries = tuple(islice(transaction.writer.entries(after=first.sequence - 1), MOST_ENTRIES))
    for count, state in enumerate(_digests(entries), 1):
        if state == seen:
            raise AlreadyRecorded(entries[:count])
    raise Refused(
        msg(
            "The key %(key)s stands for something else: entry %(entry)s. Use a key of its own.",
            key=brief(key),
            entry=str(first.sequence),
        )
    )


# ── what was seen ────────────────────────────────────────────────────────────────────────────────


def digest(entries: Iterable[Entry]) -> str:
    """The hash of what entries state, without the salted seals of names."""
    last = sha256().hexdigest()
    for last in _digests(entries):  # noqa: B007  the last one is wanted
        pass
    return last


def _digests(entries: Iterable[Entry]) -> Iterator[str]:
    """The same of the first entry, of the first two, and so on."""
    total = sha256()
    for entry in entries:
        body: Mapping[str, Any] = entry.read()
        unsalted = {**body, "person": None} if "person" in body else body
        total.update(canonical([entry.kind, entry.subject, unsalted]).encode() + b"\n")
        yield total.hexdigest()


async def record_now(request: Request, what: str, action: Action) -> None:
    """Record what a director or an officer publishes without an approval.

    Raises:
        Refused: the action or the database refuses.
        FactsRejected: it would contradict what is recorded.
    """

    def record() -> ActionResult:
        state, author = request.app_state, Actor(request.user.name, request.user.role)
        start = state.snapshot(at_once=True).projection
        done = record_entries(state.journal, author, action, start=start)
        state.snapshot(at_once=True)
        return done

    done = await request.app_state.signed_in.long(record)
    request.log_event("recorded", what=what, entries=[entry.sequence for entry in done.entries])


# ── reports: of their directors, and of the officers they wait for ────────────────────────────────


AnyProblem = TypeVar("AnyProblem", Problem, errors.Problem)

PREVIEWED_STATES = frozenset({"draft", "returned", "submitted"})
SUBMITTED_STATES = frozenset({"submitted", "returned", "approved"})
"""States in which an officer sees a report; a draft is its director's own affair."""
NO_SUCH_REPORT = msg("There is no such report in the queue. Its director may have taken it back.")


class NotReady(FactsRejected):
    """A report cannot be handed in yet."""


def _wrong(read: Reading, preview: ReportPreview) -> list[Problem]:
    """Why a report cannot be handed in."""
    problems = [*map(_problem, read.problems), *preview.problems[: parse.MOST]]
    problems += [_undecided(person) for person in preview.people if person.undecided]
    if preview.refusal:
        problems.append(_of_report(preview.refusal))
    return problems or [_of_report(NOTHING_TO_RECORD)]


def _problem(spot: ReportProblem) -> Problem:
    """What is wrong at a place of the contents: "line 3, column 5"."""
    places = [spot.field, f"line {spot.line}" if spot.line and not spot.cell else ""]
    places.append(f"column {spot.column}" if spot.column and not spot.cell else spot.cell)
    where = ", ".join(place for place in places if place) or "report"
    return Problem(at=Location(where), what=spot.what, clause=spot.clause, remedy=spot.remedy)


def _undecided(name: ReportedName) -> Problem:
    """A new name that looks like a known player."""
    ids = ", ".join(candidate.player_id for candidate in name.candidates)
    return Problem(
        at=Location(brief(name.written)),
        what=f"this new name looks like {ids}, and nobody said who it is",
        clause="names",
        remedy="Send its `key` with the id of a player, or `new`.",
    )


def _of_report(what: str) -> Problem:
    return Problem(at=Location("report"), what=what, clause="report", remedy="")


async def find_report(request: Request, number: int, *, others: bool = False) -> Submission:
    """A report of this account; for an officer also one that was submitted by another.

    Args:
        request: of the account.
        number: of the report.
        others: whether those of others are seen, as far as the role allows it.

    Raises:
        NotFoundException: there is none that this account sees.
    """
    report = await request.app_state.ask(submissions.find, number)
    states = visible_states(request) if others else ()
    if report is None or not (owns(request, report) or report.state in states):
        raise NotFoundException(msg("There is no such report of yours."))
    return report


async def list_reports(request: Request, before: int, most: int) -> list[Submission]:
    """Reports that this account sees, the latest first, with numbers below one."""
    return await request.app_state.ask(
        submissions.reports_of, request.user.id, most, before, visible_states(request)
    )


def read_and_preview(request: Request, report: Submission) -> tuple[Reading, ReportPreview]:
    """A report as it is read, and all that it would do; takes long."""
    read = parse.NOTHING if report.state == "withdrawn" else submissions.read_submission(report)
    if read.facts is None or report.state not in PREVIEWED_STATES:
        return read, NO_PREVIEW
    app_state, today = request.app_state, request.app_state.today()
    snapshot = app_state.snapshot(at_once=True)
    preview = preview_report(
        app_state.journal, snapshot, request.user.name, read.facts, report, today
    )
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


async def save_report(request: Request, number: int, version: int, **what: Any) -> None:
    """Other contents of one's own report, or who its names are: as `submissions.save` takes it.

    Raises:
        Refused: it is no draft any more, or it is too large.
        Stale: it has another version.
    """
    if what.get("content") is not None and "kind" in what:
        parse.refuse_large(what["kind"], what["content"])
    await request.app_state.change(
        partial(submissions.save, **what), number, version, request.app_state.clock()
    )


async def move_report(request: Request, report: Submission, version: int, to: str) -> None:
    """Another state of one's own report.

    Raises:
        Refused: this state does not follow its own.
        NotReady: it cannot be handed in yet.
        Stale: it has another version.
    """
    if to not in ("submitted", "draft", "withdrawn"):
        raise Refused(msg("A report is submitted, taken back as a draft, or withdrawn."))
    if to == "submitted" and report.state in OPEN:
        read, preview = await request.run_long(read_and_preview, request, report)
        if not preview.ready:
            raise NotReady(_wrong(read, preview), so="it cannot be handed in yet")
        await request.run_long(_refuse_outdated, request, report)
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
            if draft.values()["body"]["submission"] == report.id:
                return fold(event_records(reader, draft.event))
    return None


def _refuse_outdated(request: Request, report: Submission) -> None:
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


# ── of officers ────────────────────────────────────────────────────────────────────────────────


def for_officers(text: str) -> str:
    """A message with what an officer can do, where it says what a director does under Names."""
    return reworded(text, FOR_OFFICERS)


def problem_for_officers(problem: AnyProblem) -> AnyProblem:
    """A problem with what an officer can do."""
    return replace(problem, what=for_officers(problem.what), remedy=for_officers(problem.remedy))


async def find_submitted(request: Request, number: int) -> Submission:
    """A report that was handed in.

    Raises:
        NotFoundException: there is none.
    """
    report = await request.app_state.ask(submissions.find, number)
    if report is None or report.state not in SUBMITTED_STATES:
        raise NotFoundException(NO_SUCH_REPORT)
    return report


async def approve_report(request: Request, report: Submission, version: int, seen: str) -> int:
    """The last entry of a report that is approved: it is recorded.

    Raises:
        Stale: the report has another version.
        PreviewChanged: something else would be recorded now.
        Refused: it does not wait, or cannot be recorded.
        FactsRejected: it would contradict what is recorded, or a name in it is not settled.
    """
    last = await request.app_state.signed_in.long(_record_report, request, report, version, seen)
    await request.app_state.change(
        close_messages, report.id, request.user.id, request.app_state.clock()
    )
    request.log_event("report approved", submission=report.id, own=owns(request, report))
    return last


def _record_report(request: Request, report: Submission, version: int, seen: str) -> int:
    if report.state != "submitted":
        raise Refused(settled_message(request, report))
    _refuse_outdated(request, report)
    read = submissions.read_submission(report)
    if read.facts is None:
        raise Refused(msg("This report cannot be read. Return it, and say why."))
    clock = request.app_state.settings.clock()
    action = submissions.approving(agreed(read.facts, report), report.id, version, clock)
    try:
        return record_as_shown(request.app_state, as_officer(request), action, seen).last.sequence
    except FactsRejected as rejected:
        raise FactsRejected(map(problem_for_officers, rejected.problems), so=rejected.so) from None
    except Refused as refused:
        refused.args = (for_officers(str(refused)),)
        raise


def settled_message(request: Request, report: Submission) -> str:
    """Who decided on a report that no longer waits, and how."""
    if report.state != "approved" or report.entry is None:
        return msg(
            "This report is %(state)s and does not wait for an officer.", state=(report.state,)
        )  # fmt: skip
    with request.app_state.journal.reading() as reader:
        author = reader.entry(report.entry).author
    return msg(
        "%(author)s has approved it as entry %(entry)s; nothing more was recorded.",
        author=author,
        entry=str(report.entry),
    )


async def settle_names(
    request: Request, report: Submission, version: int, names: Mapping[str, str]
) -> None:
    """Say who names of a report are that waits; what its director said of others stays.

    Raises:
        Stale: the report has another version.
        Refused: it does not wait.
    """
    await request.app_state.change(
        submissions.settle_names, report.id, version, names, request.app_state.clock()
    )
    request.log_event("names settled", submission=report.id)


async def return_report(request: Request, report: Submission, version: int, reason: str) -> None:
    """Its director gets a report back, with a reason.

    Raises:
        Stale: it has another version.
        Refused: it does not wait, or no reason is given.
    """
    why = checked_reason(reason)
    await request.app_state.change(
        submissions.move, report.id, version, request.app_state.clock(), "returned", why
    )
    await request.app_state.change(
        close_messages, report.id, request.user.id, request.app_state.clock()
    )
    request.log_event("report returned", submission=report.id)
