"""The journal as officers read it; what they record: only what they saw, after a dry run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import Annotated, Any, TypeVar

import msgspec
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter

from palmares.core.errors import FactsRejected, Problem, Refused, brief
from palmares.core.messages import msg, reworded
from palmares.journal import log
from palmares.journal.commands.decisions import FINAL
from palmares.journal.commands.transaction import (
    Action,
    ActionResult,
    Transaction,
    comparable,
    dry_run,
)
from palmares.journal.projection.project import State, state_before
from palmares.journal.store.entries import KINDS, Actor, Entry, Head, PublicationHead, body_of
from palmares.journal.store.journal import Reader
from palmares.lists import publication as publications
from palmares.lists.publication import KIND, manifests
from palmares.points.rankings import TOTAL
from palmares.render.entries import Names, describe_entry, names_around
from palmares.web.http.errors import Conflict, ShownProblem, as_shown
from palmares.web.http.i18n import FOR_OFFICERS
from palmares.web.http.routing import to
from palmares.web.http.state import AppState, Request, Snapshot
from palmares.web.shared.lists import (
    ListChanges,
    ListOfRecord,
    PublicationRow,
    fields_of,
    list_step,
    publication_rows,
)
from palmares.web.submissions import submissions
from palmares.web.submissions.preview import RegulationChanges, agreed, changes_of
from palmares.web.submissions.steps import (
    NOTHING_TO_RECORD,
    SUBMITTED_STATES,
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
    """The journal has all of it already; `entries` are those recorded under the same key."""

    def __init__(self, entries: tuple[Entry, ...] = ()) -> None:
        super().__init__(NOTHING_TO_RECORD)
        self.entries = entries


class PreviewChanged(Conflict):
    """The journal has changed: something else would be recorded than was shown."""


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
        NothingToRecord: there is nothing to record, or it was recorded under this key before.
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
            raise NothingToRecord

    def as_seen(done: ActionResult) -> None:
        if digest(done.comparable()) != seen:
            raise PreviewChanged(PREVIEW_CHANGED)

    return app_state.record(by, act, as_seen)


async def record_decision(
    request: Request, name: str, action: Action, seen: str, *, key: str | None = None
) -> tuple[Entry, ...]:
    """Record a decision as it was shown; its entries.

    Raises:
        PreviewChanged, NothingToRecord, Refused, FactsRejected: see
            `record_as_shown`.
    """
    done = await request.app_state.signed_in.long(
        partial(record_as_shown, request.app_state, as_officer(request), action, seen, key=key)
    )
    request.log_event("recorded", decision=name, entry=done.entries[-1].sequence)
    return done.entries


def _refuse_recorded(transaction: Transaction, key: str, seen: str) -> None:
    """Raise what was recorded under a key before; the digest shows how many entries it was."""
    first = transaction.writer.by_key(key)
    if first is None:
        return
    recorded = transaction.writer.entries(after=first.sequence - 1)
    entries = tuple(islice(recorded, MOST_ENTRIES))
    head = Head(first.sequence - 1, first.previous, "")
    before, _ = state_before(transaction.state, head)
    for count, state in enumerate(_digests(comparable(before, entries)), 1):
        if state == seen:
            raise NothingToRecord(entries[:count])
    raise Refused(
        msg(
            "The key %(key)s stands for something else: entry %(entry)s. Use a key of its own.",
            key=brief(key),
            entry=str(first.sequence),
        )
    )


def digest(statements: Iterable[str]) -> str:
    """The hash of what entries state and follow on (`comparable`)."""
    last = sha256().hexdigest()
    for last in _digests(statements):  # noqa: B007  the last one is wanted
        pass
    return last


def _digests(statements: Iterable[str]) -> Iterator[str]:
    """The hashes of the first statement, the first two, and so on."""
    total = sha256()
    for statement in statements:
        total.update(statement.encode() + b"\n")
        yield total.hexdigest()


# ── reports that wait ────────────────────────────────────────────────────────────────────────────


def for_officers(text: str) -> str:
    """A message with the hint for officers in place of the one for directors."""
    return reworded(text, FOR_OFFICERS)


def problem_for_officers(problem: AnyProblem) -> AnyProblem:
    """A problem with what an officer can do."""
    return replace(problem, what=for_officers(problem.what), remedy=for_officers(problem.remedy))


async def find_submitted(request: Request, number: int) -> Submission:
    """A report that was submitted.

    Raises:
        NotFoundException: there is none.
    """
    report = await request.app_state.ask(submissions.find, number)
    if report is None or report.state not in SUBMITTED_STATES:
        raise NotFoundException(NO_SUCH_REPORT)
    return report


def record_report(request: Request, report: Submission, version: int, seen: str) -> int:
    """Record a report that is approved; its last entry.

    Raises:
        Stale: the report has another version.
        PreviewChanged: something else would be recorded now.
        Refused: it does not wait, or cannot be recorded.
        FactsRejected: it would contradict what is recorded, or a name in it is not settled.
    """
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


_MOST = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLink:
    """A place that an entry is about."""

    label: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRow:
    """An entry in a line."""

    sequence: int
    recorded_at: str
    author: str
    role: str
    kind: str
    subject: str
    words: str
    links: tuple[LogLink, ...]  # what it is about


def log_row(entry: Entry, names: Names, undone: Mapping[int, Entry]) -> LogRow:
    """An entry in a line; an undo with the entry that it undoes."""
    return LogRow(
        sequence=entry.sequence,
        recorded_at=entry.recorded_at,
        author=entry.author,
        role=entry.role,
        kind=entry.kind,
        subject=entry.subject,
        words=describe_entry(entry, names, undone),
        links=links_of(entry),
    )


def links_of(entry: Entry) -> tuple[LogLink, ...]:
    """The places that an entry is about; none for what has no page of its own."""
    subject = entry.subject
    if entry.kind == "publication":
        return _of_publication(entry.sequence, body_of(entry))
    if entry.kind in ("report", "withdrawal", "override"):
        label, address = msg("the tournament"), to.tournament(subject)
    elif entry.kind in ("player", "membership", "merge"):
        label, address = msg("the player"), to.player(subject)
    elif entry.kind == "notice":
        label, address = msg("the notice"), to.notice(subject)
    elif entry.kind == "draw":
        label, address = msg("the draw"), to.draw(entry.sequence)
    elif entry.kind in ("support", "grant", "streamed", "transfer"):
        label, address = msg("the streaming fund"), to.fund()
    elif entry.kind == "undo":
        undone = body_of(entry).undoes
        label, address = msg("entry %(entry)s", entry=str(undone)), to.entry(undone)
    else:
        return ()
    return (LogLink(label=label, address=address),)


def _of_publication(sequence: int, body: PublicationHead) -> tuple[LogLink, ...]:
    """The list as it was published; the same as it is now, where it has a page."""
    links = [LogLink(label=msg("The list as published"), address=to.publication(sequence))]
    selection = body.selection
    if selection.by == "player" and selection.kind == TOTAL:
        address = to.ranking(body.regulation, selection.as_of)
        links.append(LogLink(label=msg("The list as it is now"), address=address))
    return tuple(links)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """Entries of the journal, the newest first, and the form that narrows them."""

    items: tuple[LogRow, ...]
    next: str | None  # the address of the next ones; none: these are the last
    query: log.LogQuery
    kinds: tuple[str, ...] = tuple(KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry(LogRow):
    """One entry of the journal, whole."""

    key: str | None  # of the program that sent it
    body: str  # canonical JSON (RFC 8785), as it went into the hash
    previous: str  # the hash of the entry before
    hash: str
    can_undo: bool


def log_rows(app_state: AppState, query: log.LogQuery) -> tuple[LogRow, ...]:
    """Entries of the journal, the newest first."""
    with app_state.journal.reading() as reader:
        entries = log.newest_entries(reader, query)
        undone = log.undone_entries(reader, entries)
        names = log.names_in_entries(reader, [*entries, *undone.values()])
    return tuple(log_row(entry, names, undone) for entry in entries)


JournalSequence = Annotated[
    int, PathParameter(description="The number of an entry.", ge=1, examples=[Example(value=1)])
]


def entry_page(app_state: AppState, sequence: JournalSequence) -> JournalEntry:
    """One entry of the journal, whole.

    Its hash is the sha256 of the canonical JSON of its other fields (`words`, `links` and
    `can_undo` are not among them), `body` as the value that it is.

    Raises:
        NotFoundException: there is none.
    """
    state = app_state.snapshot().projection.state
    with app_state.journal.reading() as reader:
        try:
            entry = reader.entry(sequence if sequence < _MOST else 0)
        except Refused:
            raise NotFoundException(
                msg("There is no entry %(sequence)s.", sequence=str(sequence))
            ) from None
        undone = log.undone_entries(reader, [entry])
        names = log.names_in_entries(reader, [entry, *undone.values()])
    return JournalEntry(
        **msgspec.structs.asdict(entry),
        words=describe_entry(entry, names, undone),
        links=links_of(entry),
        can_undo=entry.kind not in FINAL and not state.is_undone(entry.sequence),
    )


# ── what a decision did ──────────────────────────────────────────────────────────────────────────


FIRST = 10
"""Rows that are shown."""


def outcome(
    app_state: AppState, last: int | None, first: int | None = None
) -> tuple[JournalEntry, ...]:
    """What was recorded, in words; nothing where there is no entry to speak of.

    Args:
        app_state: of the journal.
        last: the last entry of a decision.
        first: its first one; none: there is one only. Of many, the last ones are shown.
    """
    if last is None or not 0 < last <= app_state.snapshot().head.sequence:
        return ()
    start = max(min(first or last, last), last - FIRST + 1)
    shown = tuple(entry_page(app_state, entry) for entry in range(start, last + 1))
    if len(shown) > 1 or shown[0].kind != "undo":
        return shown
    return (*shown, *_rest_of_decision(app_state, shown[0]))


def _rest_of_decision(app_state: AppState, undo: JournalEntry) -> Iterator[JournalEntry]:
    """Entries that still count, recorded beside an undone one for the same reason."""
    undone = json.loads(undo.body)["undoes"]
    decision = _decision_of(entry_page(app_state, undone))
    if decision is None:
        return
    for step in (-1, 1):
        for sequence in range(undone + step, undone + step * FIRST, step):
            entry = entry_page(app_state, sequence) if 0 < sequence < undo.sequence else None
            if entry is None or _decision_of(entry) != decision:
                break
            if entry.can_undo:
                yield entry


def _decision_of(entry: JournalEntry) -> tuple[str, ...] | None:
    """What the entries of one decision have in common; none: it gave no reason."""
    reason = json.loads(entry.body).get("reason")
    return (entry.kind, entry.author, reason) if reason else None


def main_entries(entries: Sequence[Entry], typed: str) -> dict[str, int]:
    """The first and the last entry that make a decision, for `outcome`.

    Args:
        entries: that were recorded.
        typed: the entry that is undone; empty: the decision is no undo of an entry. A player who
            is recorded to replace another, say, belongs to the entries that replace them.
    """
    undos = [entry for entry in entries if typed and entry.subject == typed]
    own = undos or [entry for entry in entries if entry.kind == entries[-1].kind]
    numbers = {"done": own[-1].sequence}
    return numbers if len(own) == 1 else {**numbers, "first": own[0].sequence}


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationPreview(ListOfRecord):
    """A list that would be published."""

    known_at: str  # when that was recorded
    total_rows: int
    rows: tuple[PublicationRow, ...]  # the first of them
    previous_ranks: tuple[int | None, ...]  # of these on the list before; none: not on it
    previous_entry: int | None  # of the last official list of the same kind, up to that day
    previous_as_of: date | None
    changes: ListChanges | None  # from that list to this one
    warnings: tuple[ShownProblem, ...]


def _publication_preview(
    reader: Reader, entry: Entry, snapshot: Snapshot, today: date
) -> PublicationPreview:
    """A list that an action would publish, compared with the last one of its kind."""
    given = manifests.manifest_of_entry(entry).publication
    state, frame = snapshot.projection.state, given.frame()
    first, names = frame.head(FIRST), partial(manifests.visible_names, state, reader)
    similar = [
        (statement.body.selection.as_of, statement.sequence)
        for _, statement in state.all_in_force("publications")
        if _kind_of_list(statement.body) == _kind_of_list(given)
        and statement.body.selection.as_of <= given.selection.as_of
    ]
    previous_as_of, previous = max(similar, default=(None, None))
    changes, ranks = None, dict[str | None, int]()
    key = "player_id" if given.selection.by == "player" else "nation"
    if previous is not None:
        before = manifests.manifest_of_entry(reader.entry(previous)).publication.frame()
        changes, ranks = list_step(before, frame), dict(before.select(key, "rank").iter_rows())
    return PublicationPreview(
        **fields_of(given),
        name=given.name,
        last_entry=snapshot.head.sequence,
        known_at=state.recorded_at,
        total_rows=len(frame),
        rows=publication_rows(snapshot, names, first),
        previous_ranks=tuple(ranks.get(each) for each in first[key]),
        previous_entry=previous,
        previous_as_of=previous_as_of,
        changes=changes,
        warnings=as_shown(publications.publish_warnings(given, today)),
    )


def _kind_of_list(body: Any) -> tuple[object, ...]:
    """What two lists of the same kind have in common."""
    selection = body.selection
    return (
        body.regulation,
        body.edition,
        body.readings.chosen,
        *(getattr(selection, name) for name in ("by", "setting", "kind", "nation", "divisions")),
        *(getattr(selection, name) is None for name in ("since", "until")),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What would be recorded, and what it moves."""

    entries: tuple[LogRow, ...]
    changes: tuple[RegulationChanges, ...]
    notices: tuple[ShownProblem, ...]
    digest: str  # the digest of the statements
    lists: tuple[PublicationPreview, ...] = ()  # that would be published


NOTHING = Preview(entries=(), changes=(), notices=(), digest=digest(()))
"""Where there is nothing to record."""


def preview(app_state: AppState, by: Actor, action: Action) -> Preview:
    """The entries that an action would record, in words, and the points and ranks it would change.

    Raises:
        NothingToRecord: there is nothing to record.
        Refused: the action refuses.
        FactsRejected: it would contradict what is recorded.
    """
    snapshot = app_state.snapshot(at_once=True)
    done = dry_run(app_state.journal, by, action, start=snapshot.projection)
    if not done.entries:
        raise NothingToRecord
    names = {**names_around(done.delta), **done.names}
    changes = changes_of(done.delta, snapshot, app_state.today())
    return preview_of(
        app_state, done.entries, names, done.notices, changes, done.delta.before.state
    )


def preview_of(
    app_state: AppState,
    entries: Sequence[Entry],
    names: Names,
    notices: Iterable[Problem],
    changes: tuple[RegulationChanges, ...],
    before: State,
) -> Preview:
    """The entries of a dry run in words, with the points they would change.

    Args:
        app_state: of the journal.
        entries: that would be recorded.
        names: of players, tournaments and events, by id.
        notices: for the officer.
        changes: of points and ranks.
        before: the state of the journal that they would be added to.
    """
    snapshot, today = app_state.snapshot(), app_state.today()
    undone = app_state.read(log.undone_entries, entries)
    return Preview(
        entries=tuple(log_row(entry, names, undone) for entry in entries),
        changes=changes,
        notices=as_shown(notices),
        digest=digest(comparable(before, entries)),
        lists=tuple(
            app_state.read(_publication_preview, entry, snapshot, today)
            for entry in entries
            if entry.kind == KIND
        ),
    )
