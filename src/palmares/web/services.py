"""
The steps of directors, officers and administrators, whether by a form or by a program.

What is confirmed is what was seen: whoever confirms brings the digest of the statements that were
shown by a dry run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import Any, TypeVar

from litestar.exceptions import NotFoundException
from litestar.types import Scope

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.core.messages import msg, reworded
from palmares.journal.commands.decisions import checked_reason
from palmares.journal.commands.transaction import Action, ActionResult, Transaction, record_entries
from palmares.journal.store.entries import Actor, Entry
from palmares.web.accounts.store import AccountStore, accounts_of
from palmares.web.http import errors, logs
from palmares.web.http.errors import Conflict
from palmares.web.http.i18n import FOR_OFFICERS
from palmares.web.http.routing import Account
from palmares.web.http.state import AppState, Visit
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


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Who takes a step, by whatever request."""

    app_state: AppState
    account: Account
    accounts: AccountStore
    scope: Scope  # of the request, whose id stands beside what is written down

    @property
    def others(self) -> frozenset[str]:
        """States in which somebody sees the reports of others."""
        return HANDED_IN if self.account.role == "officer" else frozenset()

    @property
    def officer(self) -> Actor:
        """The author of what is recorded at an officer's desk."""
        return Actor(self.account.name, "officer")

    def owns(self, one: Submission) -> bool:
        """Whether a report is one's own; others should see when somebody decides of it."""
        return one.account == self.account.id

    def note(self, event: str, **what: Any) -> None:
        """Write down a step that was done, for whoever runs the site."""
        logs.event(self.scope, event, by=self.account.id, **what)

    async def long(self, work: Callable[..., T], *what: Any, **told: Any) -> T:
        """Something that takes long, such as a dry run, one after another."""
        return await self.app_state.signed_in.long(partial(work, *what, **told))


def caller(request: Visit) -> RequestContext:
    """Who takes a step by a request."""
    return RequestContext(request.app_state, request.user, accounts_of(request), request.scope)


# ── decisions: a dry run first, then the record ───────────────────────────────────────────────────


MOST_ENTRIES = 2000
"""Entries of one delivery that are compared with what was seen."""
OTHERWISE = msg(
    "The journal has changed since this was shown. Nothing was recorded; look at it again."
)
REPEATED = msg("There is nothing to record: so it is known already.")


class Repeated(Refused):
    """There is nothing to record; so nothing is wrong."""


class Otherwise(Conflict):
    """It would be recorded otherwise than it was shown."""


class Delivered(Exception):
    """A program sent it before, under the same key: these are its entries."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        super().__init__(REPEATED)
        self.entries = entries


def confirmed(
    app_state: AppState,
    by: Actor,
    action: Action,
    seen: str,
    *,
    key: str | None = None,
) -> ActionResult:
    """Record what was seen, and show it to everybody at once.

    Args:
        app_state: of the journal.
        by: who confirms.
        action: what is done.
        seen: the digest of the statements that were shown.
        key: a program's own for this delivery; sent again, it records nothing more.

    Raises:
        Otherwise: it would be recorded otherwise now.
        Repeated: there is nothing to record.
        Delivered: it was recorded under this key before.
        Refused: the action refuses, the key stands for something else, or the database refuses.
        FactsRejected: it would contradict what is recorded.
    """

    def act(transaction: Transaction) -> None:
        if key is not None:
            _refuse_delivered(transaction, key, seen)
            transaction.key = key
        before = len(transaction.drafts)
        action(transaction)
        if len(transaction.drafts) == before:
            raise Repeated(REPEATED)

    def as_seen(done: ActionResult) -> None:
        if digest(done.entries) != seen:
            raise Otherwise(OTHERWISE)

    start = app_state.snapshot(at_once=True).projection
    done = record_entries(app_state.journal, by, act, start=start, check=as_seen)
    app_state.snapshot(at_once=True)
    return done


async def decided(
    by: RequestContext, name: str, action: Action, seen: str, *, key: str | None = None
) -> tuple[Entry, ...]:
    """The entries of a decision, which is recorded as it was seen.

    Raises:
        Otherwise, Repeated, Delivered, Refused, FactsRejected: as of `confirmed`.
    """
    done = await by.app_state.signed_in.long(
        partial(confirmed, by.app_state, by.officer, action, seen, key=key)
    )
    by.note("recorded", decision=name, entry=done.entries[-1].sequence)
    return done.entries


def _refuse_delivered(transaction: Transaction, key: str, seen: str) -> None:
    """Tell what was recorded under a key; what was seen says how many entries it was."""
    first = transaction.writer.by_key(key)
    if first is None:
        return
    entries = tuple(islice(transaction.writer.entries(after=first.sequence - 1), MOST_ENTRIES))
    for many, one in enumerate(_digests(entries), 1):
        if one == seen:
            raise Delivered(entries[:many])
    raise Refused(
        msg(
            "The key %(key)s stands for something else: entry %(entry)s. Use a key of its own.",
            key=brief(key),
            entry=str(first.sequence),
        )
    )


# ── what was seen ────────────────────────────────────────────────────────────────────────────────


def digest(entries: Iterable[Entry]) -> str:
    """The hash of what entries state; the salted seals of names are left out."""
    found = sha256().hexdigest()
    for found in _digests(entries):  # noqa: B007  the last one is wanted
        pass
    return found


def _digests(entries: Iterable[Entry]) -> Iterator[str]:
    """The same of the first entry, of the first two, and so on."""
    found = sha256()
    for entry in entries:
        body: Mapping[str, Any] = entry.read()
        unsalted = {**body, "person": None} if "person" in body else body
        found.update(canonical([entry.kind, entry.subject, unsalted]).encode() + b"\n")
        yield found.hexdigest()


# ── reports: of their directors, and of the officers they wait for ────────────────────────────────


Told = TypeVar("Told", Problem, errors.Problem)

REHEARSED = frozenset({"draft", "returned", "submitted"})
HANDED_IN = frozenset({"submitted", "returned", "approved"})
"""States in which an officer sees a report; a draft is its director's own affair."""
NONE = msg("There is no such report in the queue. Its director may have taken it back.")


class NotReady(FactsRejected):
    """A report cannot be handed in yet."""


def _wrong(read: Reading, preview: ReportPreview) -> list[Problem]:
    """Why a report cannot be handed in."""
    found = [*map(_problem, read.problems), *preview.problems[: parse.MOST]]
    found += [_undecided(person) for person in preview.people if person.undecided]
    if preview.refusal:
        found.append(_of_report(preview.refusal))
    return found or [_of_report(REPEATED)]


def _problem(spot: ReportProblem) -> Problem:
    """What is wrong at a place of the contents: "line 3, column 5"."""
    places = [spot.field, f"line {spot.line}" if spot.line and not spot.cell else ""]
    places.append(f"column {spot.column}" if spot.column and not spot.cell else spot.cell)
    where = ", ".join(place for place in places if place) or "report"
    return Problem(at=Location(where), what=spot.what, clause=spot.clause, remedy=spot.remedy)


def _undecided(one: ReportedName) -> Problem:
    """A new name that looks like a known player."""
    ids = ", ".join(candidate.player_id for candidate in one.candidates)
    return Problem(
        at=Location(brief(one.written)),
        what=f"this new name looks like {ids}, and nobody said who it is",
        clause="names",
        remedy="Send its `key` with the id of a player, or `new`.",
    )


def _of_report(what: str) -> Problem:
    return Problem(at=Location("report"), what=what, clause="report", remedy="")


async def seen(by: RequestContext, number: int, *, others: bool = False) -> Submission:
    """One's own report; to an officer also one that somebody else handed in.

    Args:
        by: who asks.
        number: of the report.
        others: whether those of others are seen, as far as the role allows it.

    Raises:
        NotFoundException: there is none that this account sees.
    """
    found = await by.accounts.ask(submissions.find, number)
    states = by.others if others else ()
    if found is None or not (by.owns(found) or found.state in states):
        raise NotFoundException(msg("There is no such report of yours."))
    return found


async def listed(by: RequestContext, before: int, most: int) -> list[Submission]:
    """Reports that somebody sees, the latest first: so many with lower numbers than one."""
    return await by.accounts.ask(submissions.own, by.account.id, most, before, by.others)


def previewed(by: RequestContext, one: Submission) -> tuple[Reading, ReportPreview]:
    """A report as it is read, and all that it would do; takes long."""
    read = parse.NOTHING if one.state == "withdrawn" else submissions.parsed(one)
    if read.facts is None or one.state not in REHEARSED:
        return read, NO_PREVIEW
    app_state, today = by.app_state, by.app_state.today()
    snapshot = app_state.snapshot(at_once=True)
    found = preview_report(app_state.journal, snapshot, by.account.name, read.facts, one, today)
    notices = (*to_come(read.facts, today), *found.notices)
    return read, replace(found, notices=notices)


async def drafted(
    by: RequestContext, name: str, kind: str, content: bytes, matches: Matches = NOTHING
) -> int:
    """The number of a new report, which is a draft.

    Raises:
        Refused: one has too many already, or it is too large.
    """
    parse.refuse_large(kind, content)
    number = await by.accounts.change(
        submissions.drafted, by.account.id, name, kind, content, by.accounts.now(), matches
    )
    by.note("report drafted", submission=number)
    return number


async def saved(by: RequestContext, number: int, version: int, **what: Any) -> None:
    """Other contents of one's own report, or who its names are: as `submissions.saved` takes it.

    Raises:
        Refused: it is no draft any more, or it is too large.
        Stale: it has another version.
    """
    if what.get("content") is not None and "kind" in what:
        parse.refuse_large(what["kind"], what["content"])
    await by.accounts.change(partial(submissions.saved, **what), number, version, by.accounts.now())


async def move(by: RequestContext, one: Submission, version: int, to: str) -> None:
    """Another state of one's own report.

    Raises:
        Refused: this state does not follow its own.
        NotReady: it cannot be handed in yet.
        Stale: it has another version.
    """
    if to not in ("submitted", "draft", "withdrawn"):
        raise Refused(msg("A report is submitted, taken back as a draft, or withdrawn."))
    if to == "submitted" and one.state in OPEN:
        read, preview = await by.long(previewed, by, one)
        if not preview.ready:
            raise NotReady(_wrong(read, preview), so="it cannot be handed in yet")
    await by.accounts.change(submissions.moved, one.id, version, by.accounts.now(), to)
    by.note(f"report {to}", submission=one.id)


# ── of officers ────────────────────────────────────────────────────────────────────────────────


def for_officers(text: str) -> str:
    """A message with what an officer can do, where it says what a director does under Names."""
    return reworded(text, FOR_OFFICERS)


def problem_for_officers(problem: Told) -> Told:
    """A problem with what an officer can do."""
    return replace(problem, what=for_officers(problem.what), remedy=for_officers(problem.remedy))


async def handed_in(by: RequestContext, number: int) -> Submission:
    """A report that was handed in.

    Raises:
        NotFoundException: there is none.
    """
    one = await by.accounts.ask(submissions.find, number)
    if one is None or one.state not in HANDED_IN:
        raise NotFoundException(NONE)
    return one


async def approved(by: RequestContext, one: Submission, version: int, seen: str) -> int:
    """The last entry of a report that is approved: it is recorded.

    Raises:
        Stale: the report has another version.
        Otherwise: it would be recorded otherwise now.
        Refused: it does not wait, or cannot be recorded.
        FactsRejected: it would contradict what is recorded, or somebody in it looks like a known
            player and nobody said who they are.
    """
    last = await by.app_state.signed_in.long(_approved, by, one, version, seen)
    by.note("report approved", submission=one.id, own=by.owns(one))
    return last


def _approved(by: RequestContext, one: Submission, version: int, seen: str) -> int:
    if one.state != "submitted":
        raise Refused(settled(by, one))
    read = submissions.parsed(one)
    if read.facts is None:
        raise Refused(msg("This report cannot be read. Return it, and say why."))
    clock = by.app_state.settings.clock()
    action = submissions.settling(agreed(read.facts, one), one.id, version, clock)
    try:
        return confirmed(by.app_state, by.officer, action, seen).last.sequence
    except FactsRejected as rejected:
        raise FactsRejected(map(problem_for_officers, rejected.problems), so=rejected.so) from None
    except Refused as refused:
        refused.args = (for_officers(str(refused)),)
        raise


def settled(by: RequestContext, one: Submission) -> str:
    """What became of a report that does not wait any more, and by whom."""
    if one.state != "approved" or one.entry is None:
        return msg(
            "This report is %(state)s and does not wait for an officer.", state=(one.state,)
        )  # fmt: skip
    with by.app_state.journal.reading() as reader:
        author = reader.entry(one.entry).author
    return msg(
        "%(author)s has approved it as entry %(entry)s; nothing more was recorded.",
        author=author,
        entry=str(one.entry),
    )


async def settle_names(
    by: RequestContext, one: Submission, version: int, names: Mapping[str, str]
) -> None:
    """Say who names of a report are that waits; what its director said of others stays.

    Raises:
        Stale: the report has another version.
        Refused: it does not wait.
    """
    await by.accounts.change(submissions.settle_names, one.id, version, names, by.accounts.now())
    by.note("names settled", submission=one.id)


async def given_back(by: RequestContext, one: Submission, version: int, reason: str) -> None:
    """Its director gets a report back, with a reason.

    Raises:
        Stale: it has another version.
        Refused: it does not wait, or no reason is given.
    """
    why = checked_reason(reason)
    await by.accounts.change(submissions.moved, one.id, version, by.accounts.now(), "returned", why)
    by.note("report returned", submission=one.id)
