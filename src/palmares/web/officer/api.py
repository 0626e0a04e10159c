"""What officers do and see, for programs: the journal, decisions and the queue of reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import HeaderParameter, PathParameter, QueryParameter, RawBody
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED
from msgspec import Meta

from palmares.core.errors import Refused, brief
from palmares.journal import log
from palmares.journal.commands.catalogue import Field
from palmares.journal.commands.transaction import Action
from palmares.journal.store.entries import KINDS, Entry
from palmares.journal.wording import said
from palmares.web.api.replies import own
from palmares.web.api.reports import LATEST, Before, Number, SeenVersion, problems
from palmares.web.api.sent import Digest, Sent, Text, sent
from palmares.web.http.state import AppState, Visit
from palmares.web.officer.decisions import DECISIONS, action_of
from palmares.web.officer.preview import NOTHING, LogRow, Preview, log_row, preview
from palmares.web.officer.views import (
    AlikePage,
    CellsPage,
    QueueRow,
    VerifiedPage,
    WaitingPage,
    alike_page,
    cells_page,
    entry_of,
    queue_page,
    verified_page,
    waiting_page,
)
from palmares.web.services import approvals, caller
from palmares.web.services.decisions import Delivered, Repeated, decided

ENTRIES = "/api/v1/entries"
USUAL, MOST = 100, 1000
_NAME = 200

Sequence = Annotated[
    int, PathParameter(description="The number of an entry.", ge=1, examples=[Example(value=1)])
]
Tournament = Annotated[
    str,
    PathParameter(
        description="The id of a tournament; a slash in it is sent as `%2F`.",
        examples=[Example(value="T1")],
    ),
]
Kind = Annotated[
    str | None,
    QueryParameter(
        description=f"Only entries of this kind: {', '.join(KINDS)}.",
        max_length=_NAME,
        examples=[Example(value="report")],
    ),
]
Subject = Annotated[
    str | None,
    QueryParameter(
        description="Only entries about this: the id of a tournament or player, a currency.",
        max_length=_NAME,
    ),
]
Author = Annotated[
    str | None,
    QueryParameter(description="Only entries that this account recorded.", max_length=_NAME),
]
Since = Annotated[
    str | None,
    QueryParameter(
        description="Only entries from a day (UTC), a moment, or an entry such as `#41` on.",
        max_length=_NAME,
        examples=[Example(value="2019-12-31")],
    ),
]
Until = Annotated[
    str | None,
    QueryParameter(
        description="Only entries up to a day (to its end, UTC), a moment, or an entry.",
        max_length=_NAME,
        examples=[Example(value="#41")],
    ),
]
Limit = Annotated[
    int,
    QueryParameter(description=f"So many entries at most, {MOST} at once.", ge=1, le=MOST),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """Entries of the journal, the newest first."""

    items: tuple[LogRow, ...]
    next: str | None  # the address of the next ones; none: these are the last


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One entry of the journal, whole."""

    sequence: int
    recorded_at: str  # UTC
    author: str
    role: str
    kind: str
    subject: str  # what it is about
    key: str | None  # of the program that sent it
    body: str  # canonical JSON (RFC 8785), as it went into the hash
    previous: str  # the hash of the entry before
    hash: str
    words: str  # the same for people
    can_undo: bool


async def entries(
    request: Visit,
    kind: Kind = None,
    subject: Subject = None,
    author: Author = None,
    since: Since = None,
    until: Until = None,
    before: Before = None,
    limit: Limit = USUAL,
) -> Response[Entries]:
    """Entries of the journal, the newest first.

    Entries are only ever added: what is recorded meanwhile moves none from one page to another.
    """
    asked = log.Asked(
        kind=kind or None,
        subject=subject or None,
        author=author or None,
        since=since or None,
        until=until or None,
        before=before or LATEST,
        limit=limit + 1,
    )
    rows = await request.app_state.signed_in.page(_entries, request.app_state, asked)
    more = None
    if len(rows) > limit:
        asked_for = [one for one in request.query_params.items() if one[0] != "before"]
        last = ("before", rows[limit - 1].sequence)
        more = f"{request.scope['path']}?{urlencode([*asked_for, last])}"
    return await own(request, Entries(items=rows[:limit], next=more))


def _entries(app_state: AppState, asked: log.Asked) -> tuple[LogRow, ...]:
    with app_state.journal.reading() as reader:
        found = log.newest(reader, asked)
        names = log.names(reader, found)
    return tuple(log_row(one, names) for one in found)


async def entry(request: Visit, sequence: Sequence) -> Response[JournalEntry]:
    """One entry of the journal, whole.

    Its hash is the sha256 of the canonical JSON of its other fields (`words` and `can_undo` are
    not among them), `body` as the value that it is.
    """
    return await own(
        request, await request.app_state.signed_in.page(_entry, request.app_state, sequence)
    )


def _entry(app_state: AppState, sequence: int) -> JournalEntry:
    found, names, can_undo = entry_of(app_state, sequence)
    own_fields: dict[str, Any] = {name: getattr(found, name) for name in type(found).__slots__}
    return JournalEntry(**own_fields, words=said(found, names), can_undo=can_undo)


async def verification(request: Visit) -> Response[VerifiedPage]:
    """Whether the chain of the journal holds: every entry is hashed anew."""
    return await own(
        request, await request.app_state.signed_in.long(verified_page, request.app_state)
    )


async def lookalikes(request: Visit) -> Response[AlikePage]:
    """Players who may be one, and whom nobody has merged or kept apart; best first."""
    return await own(request, await request.app_state.signed_in.long(alike_page, request.app_state))


async def report_rows(request: Visit, tournament: Tournament) -> Response[CellsPage]:
    """The rows of a tournament's report, as they count now.

    A row's `key` is how an `override` names it.
    """
    return await own(
        request, await request.app_state.signed_in.page(cells_page, request.app_state, tournament)
    )


Name = Annotated[
    str,
    PathParameter(
        description=f"What is decided: {', '.join(DECISIONS)}.",
        examples=[Example(value="withdraw")],
    ),
]
Key = Annotated[
    str | None,
    HeaderParameter(
        name="Idempotency-Key",
        description="A program's own for this decision. Sent again with the same, it records"
        " nothing more, and is answered with the entries that there are (200). It stays with the"
        " first entry.",
        min_length=1,
        max_length=200,
        pattern=r"^[!-~]([ -~]*[!-~])?$",
    ),
]
Fields = Annotated[
    dict[str, Text], Meta(description="What `GET /decisions` says: a name of a field  ->  a text.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionForm:
    """Something that an officer decides, and its fields."""

    name: str
    title: str
    about: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Everything that an officer decides."""

    items: tuple[DecisionForm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What was recorded."""

    entries: tuple[LogRow, ...]  # none: it was known already


class Wanted(Sent, frozen=True, kw_only=True):
    """The fields of a decision."""

    fields: Fields


class Confirmed(Sent, frozen=True, kw_only=True):
    """The fields of a decision, and what was seen of it."""

    fields: Fields
    seen: Digest


async def decisions(request: Visit) -> Response[Decisions]:
    """Everything that an officer decides, with its fields."""
    found = tuple(
        DecisionForm(name=name, title=one.title, about=one.about, fields=one.fields)
        for name, one in DECISIONS.items()
    )
    return await own(request, Decisions(items=found))


async def rehearse(request: Visit, name: Name, body: RawBody) -> Response[Preview]:
    """What a decision would record, and the points and ranks that it would move.

    Nothing is recorded. `seen` is what the decision itself names; where `statements` are none, it
    is known already.
    """
    by, action = caller(request), _action(name, sent(body, Wanted).fields)
    try:
        found = await by.long(preview, by.app_state, by.officer, action)
    except Repeated:
        found = NOTHING
    return await own(request, found)


async def decide(
    request: Visit, name: Name, body: RawBody, idempotency_key: Key = None
) -> Response[Decided]:
    """A decision is recorded, and counts.

    Only what was seen is recorded: where the journal has changed so that it would be otherwise,
    nothing is (409). Where it is known already, nothing is either (200).
    """
    given = sent(body, Confirmed)
    action = _action(name, given.fields)
    status = HTTP_201_CREATED
    with problems():
        try:
            entries = await decided(caller(request), name, action, given.seen, key=idempotency_key)
        except Delivered as before:
            entries, status = before.entries, HTTP_200_OK
        except Repeated:
            entries, status = (), HTTP_200_OK
    rows = await request.app_state.signed_in.page(_rows, request.app_state, entries)
    headers = {"Location": f"{ENTRIES}/{rows[-1].sequence}"} if rows else {}
    return await own(request, Decided(entries=rows), status_code=status, headers=headers)


def _action(name: str, fields: dict[str, str]) -> Action:
    """The action that a program asks for."""
    if name not in DECISIONS:
        raise NotFoundException(f"There is no such decision. There are: {', '.join(DECISIONS)}.")
    there_are = [one.name for one in DECISIONS[name].fields]
    unknown = [one for one in fields if one not in there_are]
    if unknown:
        raise Refused(f"{brief(unknown[0])} is no field of it. There are: {', '.join(there_are)}.")
    return action_of(name, {one: text.replace("\r\n", "\n") for one, text in fields.items()})


def _rows(app_state: AppState, entries: tuple[Entry, ...]) -> tuple[LogRow, ...]:
    with app_state.journal.reading() as reader:
        names = log.names(reader, entries)
    return tuple(log_row(one, names) for one in entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Reports that wait for an officer, the oldest first."""

    items: tuple[QueueRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved:
    """A report that was approved."""

    entry: int  # the last of the journal that records it


class Approval(Sent, frozen=True, kw_only=True):
    """The version of a report that was seen, and what it would record."""

    version: SeenVersion
    seen: Digest


class Return(Sent, frozen=True, kw_only=True):
    """The version of a report that was seen, and why its director gets it back."""

    version: SeenVersion
    reason: Annotated[Text, Meta(description="Why: its director reads it.")]


async def queue(request: Visit) -> Response[Queue]:
    """Reports that wait for an officer, the oldest first.

    The first of them say what they would award.
    """
    by = caller(request)
    found = await by.long(queue_page, by)
    return await own(request, Queue(items=found.waiting))


async def waiting(request: Visit, number: Number) -> Response[WaitingPage]:
    """A report that was handed in, with all that it would do.

    `preview` has what would be recorded, and the points and ranks that it moves; its `seen` is
    what an approval names.
    """
    by = caller(request)
    one = await approvals.found(by, number)
    return await own(request, await by.long(waiting_page, by, one))


async def approve(request: Visit, number: Number, body: RawBody) -> Response[Approved]:
    """A report is approved: it is recorded, and counts.

    Only what was seen is recorded: where the report, the journal or what it would do has changed
    since, nothing is (409).
    """
    by = caller(request)
    given = sent(body, Approval)
    one = await approvals.found(by, number)
    with problems():
        entry = await approvals.approved(by, one, given.version, given.seen)
    location = {"Location": f"{ENTRIES}/{entry}"}
    done = Approved(entry=entry)
    return await own(request, done, status_code=HTTP_201_CREATED, headers=location)


async def give_back(request: Visit, number: Number, body: RawBody) -> Response[WaitingPage]:
    """A director gets a report back, with a reason."""
    by = caller(request)
    given = sent(body, Return)
    one = await approvals.found(by, number)
    with problems():
        await approvals.given_back(by, one, given.version, given.reason)
    after = await approvals.found(by, number)
    return await own(request, await by.long(waiting_page, by, after))
