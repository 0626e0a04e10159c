"""What officers record: only what they were shown, after a dry run; reports that they decide on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import Any, TypeVar

from litestar.exceptions import NotFoundException

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected, Problem, Refused, brief
from palmares.core.messages import msg, reworded
from palmares.journal.commands.decisions import checked_reason
from palmares.journal.commands.transaction import Action, ActionResult, Transaction
from palmares.journal.store.entries import Actor, Entry
from palmares.web.http.errors import Conflict, ShownProblem
from palmares.web.http.i18n import FOR_OFFICERS
from palmares.web.http.state import AppState, Request
from palmares.web.shared.notes import close_messages
from palmares.web.submissions import submissions
from palmares.web.submissions.preview import agreed
from palmares.web.submissions.steps import (
    NOTHING_TO_RECORD,
    SUBMITTED_STATES,
    owns,
    parse_report,
    refuse_outdated,
)
from palmares.web.submissions.submissions import Submission

AnyProblem = TypeVar("AnyProblem", Problem, ShownProblem)

NO_SUCH_REPORT = msg("There is no such report in the queue. Its director may have taken it back.")
MOST_ENTRIES = 2000
"""Entries recorded under one key that are compared with what was seen."""
PREVIEW_CHANGED = msg(
    "The journal has changed since this was shown. Nothing was recorded; look at it again."
)


def as_officer(request: Request) -> Actor:
    """The author of what an officer records."""
    return Actor(request.user.name, "officer")


class NothingToRecord(Refused):
    """The journal has all of it already."""


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

    return app_state.record(by, act, as_seen)


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


def digest(entries: Iterable[Entry]) -> str:
    """The hash of what entries state, without the salted seals of names."""
    last = sha256().hexdigest()
    for last in _digests(entries):  # noqa: B007  the last one is wanted
        pass
    return last


def _digests(entries: Iterable[Entry]) -> Iterator[str]:
    """The hashes of what the first entry states, the first two, and so on."""
    total = sha256()
    for entry in entries:
        body: Mapping[str, Any] = entry.read()
        unsalted = {**body, "person": None} if "person" in body else body
        total.update(canonical([entry.kind, entry.subject, unsalted]).encode() + b"\n")
        yield total.hexdigest()


# ── reports that wait ────────────────────────────────────────────────────────────────────────────


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
    refuse_outdated(request, report)
    read = parse_report(request.app_state, report)
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
