"""Routes of officers: the journal, decisions and the queue of reports, for people and programs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, HeaderParameter, PathParameter, QueryParameter, RawBody
from litestar.status_codes import (
    HTTP_200_OK,
    HTTP_201_CREATED,
    HTTP_409_CONFLICT,
    HTTP_422_UNPROCESSABLE_ENTITY,
)
from msgspec import Meta

from palmares.core.errors import FactsRejected, Refused, brief
from palmares.core.messages import msg
from palmares.journal.commands.catalogue import Field
from palmares.journal.commands.transaction import Action
from palmares.journal.log import LogQuery
from palmares.journal.store.entries import KINDS
from palmares.web.api.parameters import TournamentId
from palmares.web.api.replies import own
from palmares.web.api.reports import LATEST, Before, Number, SeenVersion
from palmares.web.api.sent import Digest, Sent, Text, sent
from palmares.web.http.errors import as_shown
from palmares.web.http.parameters import field, version
from palmares.web.http.replies import is_api, redirected, shown
from palmares.web.http.routing import to
from palmares.web.http.state import Visit
from palmares.web.officer.decisions import DECISIONS, Typed, action_of
from palmares.web.officer.preview import NOTHING, LogRow, Preview, preview
from palmares.web.officer.views import (
    CellsPage,
    Choice,
    DuplicatesPage,
    Entries,
    JournalEntry,
    JournalVerification,
    LogPage,
    Queue,
    WaitingPage,
    alike_page,
    cells_page,
    decision_page,
    entry_page,
    log_rows,
    officer_page,
    queue_page,
    verified_page,
    waiting_page,
)
from palmares.web.services import (
    Delivered,
    Otherwise,
    Repeated,
    RequestContext,
    approved,
    caller,
    decided,
    given_back,
    handed_in,
    settled,
)
from palmares.web.submissions.submissions import Stale, Submission

ENTRIES = "/api/v1/entries"
USUAL, MOST = 100, 1000
_NAME = 200
_LONGEST = 200_000
"""Letters of what was shown before that are shown again."""
_CHANGED = msg("The report was changed meanwhile. Nothing was recorded; look at it again.")
_NOT_RETURNED = msg("The report was changed meanwhile. It was not returned; look at it again.")

Sequence = Annotated[
    int, PathParameter(description="The number of an entry.", ge=1, examples=[Example(value=1)])
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


# ── the journal ──────────────────────────────────────────────────────────────────────────────────


async def officer(request: Visit) -> Response[bytes]:
    """The desk."""
    return await shown(
        request, await request.app_state.signed_in.page(officer_page, request.app_state)
    )


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
    asked = LogQuery(
        kind=kind or None,
        subject=subject or None,
        author=author or None,
        since=since or None,
        until=until or None,
        before=before or LATEST,
        limit=limit + 1,
    )
    rows = await request.app_state.signed_in.page(log_rows, request.app_state, asked)
    more = None
    if len(rows) > limit:
        parameters = {**request.query_params, "before": rows[limit - 1].sequence}
        more = f"{request.scope['path']}?{urlencode(parameters)}"
    found = Entries(items=rows[:limit], next=more)
    return await own(
        request, found if is_api(request) else LogPage(items=found.items, next=more, query=asked)
    )


async def entry(request: Visit, sequence: Sequence) -> Response[JournalEntry]:
    """One entry of the journal, whole.

    Its hash is the sha256 of the canonical JSON of its other fields (`words`, `links` and
    `can_undo` are not among them), `body` as the value that it is.
    """
    return await own(
        request, await request.app_state.signed_in.page(entry_page, request.app_state, sequence)
    )


async def verification(request: Visit) -> Response[JournalVerification]:
    """Whether the chain of the journal holds: every entry is hashed anew."""
    return await own(
        request, await request.app_state.signed_in.long(verified_page, request.app_state)
    )


async def duplicates(request: Visit) -> Response[DuplicatesPage]:
    """Players who may be one, and whom nobody has merged or kept apart; best first."""
    return await own(request, await request.app_state.signed_in.long(alike_page, request.app_state))


async def report_rows(request: Visit, tournament: TournamentId) -> Response[CellsPage]:
    """The rows of a tournament's report, as they count now.

    A row's `key` is how an `override` names it.
    """
    return await own(
        request, await request.app_state.signed_in.page(cells_page, request.app_state, tournament)
    )


# ── decisions ────────────────────────────────────────────────────────────────────────────────────


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
class DecisionForm(Choice):
    """Something that an officer decides, and its fields."""

    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Everything that an officer decides."""

    items: tuple[DecisionForm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEntries:
    """What was recorded."""

    entries: tuple[LogRow, ...]  # none: it was known already


class DecisionFields(Sent, frozen=True, kw_only=True):
    """The fields of a decision."""

    fields: Fields


class ConfirmedDecision(Sent, frozen=True, kw_only=True):
    """The fields of a decision, and what was seen of it."""

    fields: Fields
    digest: Digest


async def decisions(request: Visit) -> Response[Decisions]:
    """Everything that an officer decides, with its fields."""
    found = tuple(
        DecisionForm(name=name, title=one.title, about=one.about, fields=one.fields)
        for name, one in DECISIONS.items()
    )
    return await own(request, Decisions(items=found))


async def decision_preview(request: Visit, name: Name, body: RawBody) -> Response[Preview]:
    """What a decision would record, and the points and ranks that it would move.

    Nothing is recorded. `digest` is what the decision itself names; where `entries` are none, it
    is known already.
    """
    by, action = caller(request), _action(name, sent(body, DecisionFields).fields)
    try:
        return await own(request, await by.long(preview, by.app_state, by.officer, action))
    except Repeated:
        return await own(request, NOTHING)


async def decide(
    request: Visit, name: Name, body: RawBody, idempotency_key: Key = None
) -> Response[RecordedEntries]:
    """A decision is recorded, and counts.

    Only what was seen is recorded: where the journal has changed so that it would be otherwise,
    nothing is (409). Where it is known already, nothing is either (200).
    """
    given = sent(body, ConfirmedDecision)
    action = _action(name, given.fields)
    status = HTTP_201_CREATED
    try:
        recorded = await decided(caller(request), name, action, given.digest, key=idempotency_key)
    except Delivered as before:
        recorded, status = before.entries, HTTP_200_OK
    except Repeated:
        recorded, status = (), HTTP_200_OK
    if not recorded:
        return await own(request, RecordedEntries(entries=()), status_code=status)
    last = recorded[-1].sequence
    asked = LogQuery(since=f"#{recorded[0].sequence}", until=f"#{last}")
    rows = await request.app_state.signed_in.page(log_rows, request.app_state, asked)
    headers = {"Location": f"{ENTRIES}/{last}"}
    return await own(
        request, RecordedEntries(entries=rows[::-1]), status_code=status, headers=headers
    )


def _action(name: str, fields: dict[str, str]) -> Action:
    """The action that a program asks for."""
    _refuse_unknown(name)
    there_are = [one.name for one in DECISIONS[name].fields]
    unknown = [one for one in fields if one not in there_are]
    if unknown:
        raise Refused(
            msg(
                "%(name)s is no field of it. There are: %(known)s.",
                name=brief(unknown[0]),
                known=", ".join(there_are),
            )
        )
    return action_of(name, {one: text.replace("\r\n", "\n") for one, text in fields.items()})


async def decision(request: Visit, name: FromPath[str]) -> Response[bytes]:
    """A form, filled in with what the address says."""
    _refuse_unknown(name)
    page = decision_page(request.app_state, name, _typed(name, request.query_params))
    return await shown(request, page)


async def decision_send(request: Visit, name: FromPath[str]) -> Response[bytes]:
    """What it would record; or the record of it, where that was seen and confirmed."""
    _refuse_unknown(name)
    form = await request.form()
    typed, seen = _typed(name, form), field(form, "digest")
    by = caller(request)
    try:
        action = action_of(name, typed)
        if not seen:
            return await _rehearsed(request, name, typed, by, action)
        try:
            recorded = await decided(by, name, action, seen)
        except Otherwise as error:
            more = {"problem": error.detail, "shown_before": field(form, "shown")[:_LONGEST]}
            return await _rehearsed(request, name, typed, by, action, **more)
    except (FactsRejected, Refused) as error:
        page = decision_page(by.app_state, name, typed, **_reasons(error))
        repeated = isinstance(error, Repeated)
        return await shown(
            request, page, status_code=HTTP_200_OK if repeated else HTTP_422_UNPROCESSABLE_ENTITY
        )
    last = recorded[-1].sequence
    return redirected(to.publication(last) if name == "publish" else to.entry(last))


def _reasons(error: FactsRejected | Refused) -> dict[str, Any]:
    """Why something was not recorded, for a page."""
    if isinstance(error, FactsRejected):
        return {"problem": error.summary, "problems": as_shown(error.problems)}
    return {"problem": str(error)}


async def _rehearsed(
    request: Visit, name: str, typed: Typed, by: RequestContext, action: Action, **more: Any
) -> Response[bytes]:
    """The form with what it would record; 409 where something else was seen before."""
    seen = await by.long(preview, by.app_state, by.officer, action)
    page = decision_page(by.app_state, name, typed, preview=seen, **more)
    return await shown(request, page, status_code=HTTP_409_CONFLICT if more else HTTP_200_OK)


def query(request: Visit) -> Collection[str]:
    """The parameters of a form: its fields; where there is none, that is said later."""
    found = DECISIONS.get(str(request.scope["path_params"].get("name")))
    return [one.name for one in found.fields] if found else [*request.query_params]


def _refuse_unknown(name: str) -> None:
    if name not in DECISIONS:
        known = ", ".join(DECISIONS)
        raise NotFoundException(
            msg("There is no such decision. There are: %(known)s.", known=known)
        )


def _typed(name: str, sent: Mapping[str, Any]) -> Typed:
    """What was typed into the fields of a form."""
    found = {one.name: field(sent, one.name) for one in DECISIONS[name].fields}
    return {one: text.replace("\r\n", "\n") for one, text in found.items()}


# ── the queue ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedReport:
    """A report that was approved."""

    entry: int  # the last of the journal that records it


class Approval(Sent, frozen=True, kw_only=True):
    """The version of a report that was seen, and what it would record."""

    version: SeenVersion
    digest: Digest


class ReturnedReport(Sent, frozen=True, kw_only=True):
    """The version of a report that was seen, and why its director gets it back."""

    version: SeenVersion
    reason: Annotated[Text, Meta(description="Why: its director reads it.")]


async def queue(request: Visit) -> Response[Queue]:
    """Reports that wait for an officer, the oldest first.

    The first of them say what they would award.
    """
    by = caller(request)
    return await own(request, await by.long(queue_page, by))


async def waiting(request: Visit, number: Number) -> Response[WaitingPage]:
    """A report that was handed in, with all that it would do.

    `preview` has what would be recorded, and the points and ranks that it moves; its `digest` is
    what an approval names.
    """
    by = caller(request)
    return await _report(request, by, await handed_in(by, number))


async def _report(
    request: Visit, by: RequestContext, one: Submission, status: int = 200, **told: Any
) -> Response[WaitingPage]:
    return await own(request, await by.long(waiting_page, by, one, **told), status_code=status)


async def approve(request: Visit, number: Number, body: RawBody) -> Response[ApprovedReport]:
    """A report is approved: it is recorded, and counts.

    Only what was seen is recorded: where the report, the journal or what it would do has changed
    since, nothing is (409).
    """
    by, given = caller(request), sent(body, Approval)
    one = await handed_in(by, number)
    done = await approved(by, one, given.version, given.digest)
    location = {"Location": f"{ENTRIES}/{done}"}
    return await own(
        request, ApprovedReport(entry=done), status_code=HTTP_201_CREATED, headers=location
    )


async def approve_send(request: Visit, number: FromPath[int]) -> Response[Any]:
    """Its report is recorded, if it is still what was seen."""
    form, by = await request.form(), caller(request)
    one = await handed_in(by, number)
    before = field(form, "shown")[:_LONGEST]
    try:
        done = await approved(by, one, version(form), field(form, "digest"))
    except Stale as stale:
        one, words = stale.now, _CHANGED
        if one.state == "approved":
            words = await by.app_state.signed_in.page(settled, by, one)
    except Otherwise as error:
        words = error.detail
    except (FactsRejected, Refused) as error:
        return await _report(
            request, by, one, HTTP_422_UNPROCESSABLE_ENTITY, problem=_reasons(error)["problem"]
        )
    else:
        return redirected(to.entry(done))
    return await _report(request, by, one, HTTP_409_CONFLICT, problem=words, shown=before)


async def give_back(request: Visit, number: Number, body: RawBody) -> Response[WaitingPage]:
    """A director gets a report back, with a reason."""
    by, given = caller(request), sent(body, ReturnedReport)
    one = await handed_in(by, number)
    await given_back(by, one, given.version, given.reason)
    return await _report(request, by, await handed_in(by, number))


async def give_back_send(request: Visit, number: FromPath[int]) -> Response[Any]:
    """Its director gets it back, with a reason."""
    form, by = await request.form(), caller(request)
    one = await handed_in(by, number)
    reason = " ".join(field(form, "reason").splitlines())  # its field has several lines
    try:
        await given_back(by, one, version(form), reason)
    except Stale as stale:
        return await _report(request, by, stale.now, HTTP_409_CONFLICT, problem=_NOT_RETURNED)
    except Refused as error:
        return await _report(request, by, one, HTTP_422_UNPROCESSABLE_ENTITY, problem=str(error))
    return redirected(to.queue())
