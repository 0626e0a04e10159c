"""Routes of officers: the journal, decisions and the queue of reports, for people and programs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import (
    FromPath,
    FromQuery,
    HeaderParameter,
    PathParameter,
    QueryParameter,
    RawBody,
)
from litestar.status_codes import (
    HTTP_200_OK,
    HTTP_201_CREATED,
    HTTP_409_CONFLICT,
    HTTP_422_UNPROCESSABLE_ENTITY,
)
from msgspec import Meta

from palmares.core.errors import FactsRejected, Refused, brief
from palmares.core.messages import msg
from palmares.journal.commands.decisions import checked_reason
from palmares.journal.commands.transaction import Action
from palmares.journal.log import LogQuery
from palmares.journal.store.entries import KINDS
from palmares.web.accounts.store import LARGEST_ID
from palmares.web.accounts.throttle import (
    HERE,
    client_address,
    limits_of,
    record_failure,
    seconds_to_wait,
)
from palmares.web.http import logs
from palmares.web.http.errors import Conflict, as_shown
from palmares.web.http.parameters import field, inside, whole_number
from palmares.web.http.replies import is_api, private_answer, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import AppState, Request
from palmares.web.officer.decisions import (
    DECISIONS,
    Proposal,
    Typed,
    action_of,
    proposals,
    propose,
    remove_proposal,
)
from palmares.web.officer.recording import (
    NOTHING,
    Entries,
    LogRow,
    NothingToRecord,
    Preview,
    PreviewChanged,
    as_officer,
    find_submitted,
    log_rows,
    main_entries,
    preview,
    record_decision,
    record_report,
    settled_message,
)
from palmares.web.officer.views import (
    AboutNote,
    DecisionForm,
    Done,
    WaitingPage,
    decision_page,
    review_page,
)
from palmares.web.shared.names import extended
from palmares.web.shared.notes import (
    LONGEST_NOTE,
    Note,
    add_note,
    close_messages,
    close_note,
    is_note,
    note_text,
    open_notes,
)
from palmares.web.shared.parameters import (
    LATEST,
    Before,
    Digest,
    ReportNumber,
    RequestBody,
    Text,
    decode_body,
)
from palmares.web.submissions import submissions
from palmares.web.submissions.preview import names_of_form
from palmares.web.submissions.steps import owns
from palmares.web.submissions.submissions import Stale, Submission

ENTRIES = "/api/v1/entries"
USUAL, MOST = 100, 1000
_NAME = 200
PUBLISH = "publish"
_TWO_OFFICERS = msg(
    "Each list needs a second officer here. Propose it on the site; another officer publishes it."
)
_NO_PROPOSAL = msg("This list was published or withdrawn meanwhile.")
_CHANGED = msg("The report was changed meanwhile. Nothing was done; look at it again.")

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


async def entries(
    request: Request,
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
    query = LogQuery(
        kind=kind or None,
        subject=subject or None,
        author=author or None,
        since=since or None,
        until=until or None,
        before=before or LATEST,
        limit=limit + 1,
    )
    rows = await request.app_state.signed_in.page(log_rows, request.app_state, query)
    more = None
    if len(rows) > limit:
        parameters = {**request.query_params, "before": rows[limit - 1].sequence}
        more = f"{request.scope['path']}?{urlencode(parameters)}"
    page = Entries(items=rows[:limit], next=more, query=query)
    return await private_answer(request, page)


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
class Decisions:
    """Everything that an officer decides."""

    items: tuple[DecisionForm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEntries:
    """What was recorded."""

    entries: tuple[LogRow, ...]  # none: it was known already


class DecisionFields(RequestBody, frozen=True, kw_only=True):
    """The fields of a decision."""

    fields: Fields


class ConfirmedDecision(RequestBody, frozen=True, kw_only=True):
    """The fields of a decision, and what was seen of it."""

    fields: Fields
    digest: Digest


async def decisions(request: Request) -> Response[Decisions]:
    """Everything that an officer decides, with its fields."""
    forms = tuple(extended(DecisionForm, each, name=name) for name, each in DECISIONS.items())
    return await private_answer(request, Decisions(items=forms))


async def decision_preview(request: Request, name: Name, body: RawBody) -> Response[Preview]:
    """What a decision would record, and the points and ranks that it would move.

    Nothing is recorded. `digest` is what the decision itself names; where `entries` are none, it
    is known already.
    """
    action = _action(name, decode_body(body, DecisionFields).fields)
    try:
        return await private_answer(
            request, await request.run_long(preview, request.app_state, as_officer(request), action)
        )
    except NothingToRecord:
        return await private_answer(request, NOTHING)


async def decide(
    request: Request, name: Name, body: RawBody, idempotency_key: Key = None
) -> Response[RecordedEntries]:
    """A decision is recorded, and counts.

    Only what was seen is recorded: where the journal has changed so that it would be otherwise,
    nothing is (409). Where it is known already, nothing is either (200).
    """
    given = decode_body(body, ConfirmedDecision)
    action = _action(name, given.fields)
    if name == PUBLISH and await _two_officers(request.app_state):
        raise Refused(_TWO_OFFICERS)
    status = HTTP_201_CREATED
    try:
        recorded = await record_decision(request, name, action, given.digest, key=idempotency_key)
    except NothingToRecord as known:
        recorded, status = known.entries, HTTP_200_OK
    if not recorded:
        return await private_answer(request, RecordedEntries(entries=()), status_code=status)
    last = recorded[-1].sequence
    query = LogQuery(since=f"#{recorded[0].sequence}", until=f"#{last}")
    rows = await request.app_state.signed_in.page(log_rows, request.app_state, query)
    headers = {"Location": f"{ENTRIES}/{last}"}
    return await private_answer(
        request, RecordedEntries(entries=rows[::-1]), status_code=status, headers=headers
    )


def _action(name: str, fields: dict[str, str]) -> Action:
    """The action that a program asks for."""
    typed = _typed(name, fields)
    if unknown := [field for field in fields if field not in typed]:
        raise Refused(
            msg(
                "%(name)s is no field of it. There are: %(known)s.",
                name=brief(unknown[0]),
                known=", ".join(typed),
            )
        )
    return action_of(name, typed)


async def decision(request: Request, name: FromPath[str]) -> Response[bytes]:
    """The form of a decision, filled in from the address; or the preview of a proposed list."""
    typed = {**_typed(name, request.query_params)}
    if name == PUBLISH:  # the list of today is the one that officers publish
        typed["day"] = typed["day"] or request.app_state.today().isoformat()
    proposal = await _proposal(request, name, request.query_params)
    if proposal is None:
        return await private_answer(request, decision_page(request.app_state, name, typed))
    return await _decide(request, name, _typed(name, proposal.fields), "", proposal)


async def decision_send(request: Request, name: FromPath[str]) -> Response[bytes]:
    """Preview a decision; or record it, once the preview was confirmed."""
    form = await request.form()
    typed, proposal = _typed(name, form), await _proposal(request, name, form)
    if proposal is not None:
        typed = _typed(name, proposal.fields)
    return await _decide(request, name, typed, field(form, "digest"), proposal)


async def _decide(
    request: Request,
    name: str,
    typed: Typed,
    seen: str,
    proposal: Proposal | None = None,
) -> Response[bytes]:
    """Record a decision whose preview was seen, or show its preview.

    Args:
        request: of an officer.
        name: of the decision.
        typed: its fields.
        seen: the digest of what was seen; empty: nothing was.
        proposal: that is approved, where a second officer has to.
    """
    second = name == PUBLISH and await _two_officers(request.app_state)
    own_proposal = proposal is not None and proposal.account == request.user.id
    more: dict[str, Any] = {"second": second, "proposal": proposal, "own_proposal": own_proposal}
    status = HTTP_200_OK
    try:
        action = action_of(name, typed)
        if seen and second and (proposal is None or own_proposal):
            return await _propose(request, typed, action)
        if seen:
            try:
                recorded = await record_decision(request, name, action, seen)
            except PreviewChanged as error:
                more["problem"], status = error.detail, HTTP_409_CONFLICT
            else:
                if proposal is not None:
                    await request.app_state.change(remove_proposal, proposal.id)
                next_page = to.duplicates if name in ("merge", "apart") else to.officer
                return redirected(next_page(**main_entries(recorded, typed.get("entry", ""))))
        author = as_officer(request)
        more["preview"] = await request.run_long(preview, request.app_state, author, action)
    except (FactsRejected, Refused) as error:
        more |= _reasons(error)
        if not isinstance(error, NothingToRecord):
            status = HTTP_422_UNPROCESSABLE_ENTITY
    page = decision_page(request.app_state, name, typed, **more)
    return await private_answer(request, page, status_code=status)


async def _two_officers(app_state: AppState) -> bool:
    """Whether lists need a second officer, by the settings as they are in the database now."""
    await app_state.signed_in.page(lambda: app_state.snapshot(at_once=True))
    return app_state.federation.two_officers


async def _proposal(request: Request, name: str, fields: Mapping[str, Any]) -> Proposal | None:
    """The proposal of a list that an address or a form names; none where it names none.

    Raises:
        NotFoundException: it is gone.
    """
    number = field(fields, "proposal")
    if not number or name != PUBLISH:
        return None
    for proposal in await request.app_state.ask(proposals):
        if str(proposal.id) == number:
            return proposal
    raise NotFoundException(_NO_PROPOSAL)


async def _propose(request: Request, typed: Typed, action: Action) -> Response[bytes]:
    """Keep a list for a second officer, where it could be published."""
    seen = await request.run_long(preview, request.app_state, as_officer(request), action)
    title = ", ".join(f"{one.title}, {one.as_of}" for one in seen.lists)
    await request.app_state.change(
        propose, request.user.id, title, typed, request.app_state.clock()
    )
    request.log_event("list proposed", list=title)
    return redirected(to.officer(note="proposed"))


async def proposal_withdraw(request: Request, number: FromPath[int]) -> Response[bytes]:
    """A list that was proposed is not published."""
    if not await request.app_state.change(remove_proposal, number):
        raise NotFoundException(_NO_PROPOSAL)
    request.log_event("proposal withdrawn", proposal=number)
    return redirected(to.officer(note="withdrawn"))


def _reasons(error: FactsRejected | Refused) -> dict[str, Any]:
    """Why something was not recorded, for a page."""
    if isinstance(error, FactsRejected):
        return {"problem": error.summary, "problems": as_shown(error.problems)}
    return {"problem": str(error)}


def query(request: Request) -> Collection[str]:
    """The parameters of a form: its fields; an unknown decision is refused later."""
    decision = DECISIONS.get(str(request.scope["path_params"].get("name")))
    if decision is None:
        return [*request.query_params]
    return [*(field.name for field in decision.fields), "proposal"]


def _typed(name: str, sent: Mapping[str, Any]) -> Typed:
    """What was typed into the fields of a form.

    Raises:
        NotFoundException: there is no such decision.
    """
    if name not in DECISIONS:
        known = ", ".join(DECISIONS)
        raise NotFoundException(
            msg("There is no such decision. There are: %(known)s.", known=known)
        )
    return {each.name: field(sent, each.name) for each in DECISIONS[name].fields}


# ── the queue ────────────────────────────────────────────────────────────────────────────────────


async def review(
    request: Request, number: ReportNumber, done: Done = None, note: AboutNote = ""
) -> Response[WaitingPage]:
    """A report that was submitted, with all that it would do.

    `preview` has what would be recorded, and the points and ranks that it moves; its `digest` is
    what an approval names.
    """
    return await _review(request, await find_submitted(request, number), done=done, note=note)


async def _review(
    request: Request, report: Submission, status: int = 200, **more: Any
) -> Response[Any]:
    page = await request.run_long(
        review_page, request, report, with_inbox=not is_api(request), **more
    )
    return await private_answer(request, page, status_code=status)


async def _review_again(
    request: Request,
    report: Submission,
    error: Conflict | FactsRejected | Refused,
    **more: Any,
) -> Response[Any]:
    """The review of a report with why nothing was done."""
    if isinstance(error, Stale):
        report, words = error.now, _CHANGED
        if report.state == "approved":
            words = await request.app_state.signed_in.page(settled_message, request, report)
    elif isinstance(error, Conflict):
        words = error.detail
    else:
        words = _reasons(error)["problem"]
    status = HTTP_409_CONFLICT if isinstance(error, Conflict) else HTTP_422_UNPROCESSABLE_ENTITY
    return await _review(request, report, status, problem=words, **more)


async def _next_report(request: Request, report: Submission, **query: Any) -> str:
    """The address of the report to look at next: the newest that is older, else the newest."""
    waiting = await request.app_state.ask(submissions.waiting_reports)
    others = [each for each in waiting if each.id != report.id]
    older = [each for each in others if (each.updated, each.id) < (report.updated, report.id)]
    if not others:
        return to.officer(**query)
    return to.queued_report((older or others)[-1].id, **query)


async def approve(request: Request, number: FromPath[int]) -> Response[bytes]:
    """A report is approved: it is recorded, and counts.

    Only what was seen is recorded: where the report, the journal or what it would do has changed
    since, or other names were typed and not saved, nothing is.
    """
    form = await request.form()
    report = await find_submitted(request, number)
    names = await request.run_long(names_of_form, form, request.app_state.snapshot())
    said = {**names.chosen, **names.unclear}.items() - report.matches.names.items()
    if said:
        unsaved = Refused(msg("You changed names here. Save them first, and look at the points."))
        return await _review_again(request, report, unsaved, typed_names=dict(said))
    try:
        entry = await request.app_state.signed_in.long(
            record_report, request, report, whole_number(form), field(form, "digest")
        )
    except (Conflict, FactsRejected, Refused) as error:
        return await _review_again(request, report, error)
    await _close_messages(request, report)
    request.log_event("report approved", submission=number, own=owns(request, report))
    return redirected(await _next_report(request, report, done=entry))


async def _close_messages(request: Request, report: Submission) -> None:
    """The messages about a report wait for no officer once it is decided."""
    await request.app_state.change(
        close_messages, report.id, request.user.id, request.app_state.clock()
    )


async def return_to_director(request: Request, number: FromPath[int]) -> Response[bytes]:
    """A director gets a report back to change it, or it is rejected for good, with a reason."""
    form = await request.form()
    report, reason = await find_submitted(request, number), field(form, "reason")
    state = "rejected" if field(form, "to") == "rejected" else "returned"
    try:
        why = checked_reason(" ".join(reason.splitlines()))
        await request.app_state.change(
            submissions.move, number, whole_number(form), request.app_state.clock(), state, why
        )
    except (Conflict, Refused) as error:
        return await _review_again(request, report, error, reason=reason)
    await _close_messages(request, report)
    request.log_event(f"report {state}", submission=number)
    return redirected(await _next_report(request, report, note=state))


async def settle(request: Request, number: FromPath[int]) -> Response[bytes]:
    """Save the players that an officer chose for names of a waiting report."""
    report, form = await find_submitted(request, number), await request.form()
    names = await request.run_long(names_of_form, form, request.app_state.snapshot())
    try:
        await request.app_state.change(
            submissions.settle_names,
            report.id,
            whole_number(form),
            names.chosen,
            request.app_state.clock(),
        )
    except (Conflict, Refused) as error:
        return await _review_again(request, report, error)
    request.log_event("names settled", submission=report.id)
    if not names.problem:
        return redirected(to.queued_report(number))
    wrong = {"problem": names.problem, "typed_names": names.unclear}
    report = await find_submitted(request, number)
    return await _review(request, report, HTTP_422_UNPROCESSABLE_ENTITY, **wrong)


# ── notes of readers ─────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakePage:
    """The form of a note to the officers."""

    about: str  # the address of the page that it is about; empty: none
    text: str = ""
    problem: str | None = None  # what went wrong, where the form is shown again
    sent: bool = False  # whether it was sent just now


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """The notes that wait for an officer, the oldest first."""

    items: tuple[Note, ...]


async def mistake(request: Request, about: FromQuery[str] = "") -> Response[bytes]:
    """The form of a note; ``about`` is the address of the page that it is about."""
    return await private_answer(request, MistakePage(about=inside(about)))


async def mistake_send(request: Request) -> Response[bytes]:
    """A note to the officers."""
    form, app_state = await request.form(), request.app_state
    about, text = inside(field(form, "about")), note_text(field(form, "text"))
    page = MistakePage(about=about, text=text[:LONGEST_NOTE])
    if not is_note(text):
        problem = msg("Say what is wrong, in at most %(most)s characters.", most=LONGEST_NOTE)
        return await private_answer(request, replace(page, problem=problem))
    limits = limits_of(app_state.settings.secret, (f"note {client_address(request)}", HERE))
    if await app_state.ask(seconds_to_wait, limits, app_state.clock()):
        problem = msg("Too many notes came from your address. Try again in a quarter of an hour.")
        return await private_answer(request, replace(page, problem=problem), status_code=429)
    await app_state.change(record_failure, limits, app_state.clock())
    user = request.user
    if not await app_state.change(add_note, about, text, user and user.id, app_state.clock()):
        problem = msg("Too many notes wait already. Write to the officers in another way.")
        return await private_answer(request, replace(page, problem=problem), status_code=429)
    logs.event(request.scope, "note sent")
    return await private_answer(request, MistakePage(about=about, sent=True))


async def notes(request: Request) -> Response[Notes]:
    """The notes that wait for an officer, the oldest first."""
    return await private_answer(request, Notes(items=await request.app_state.ask(open_notes)))


async def note_done(request: Request, number: FromPath[int]) -> Response[bytes]:
    """A note is done with."""
    if number > LARGEST_ID or not await request.app_state.change(
        close_note, number, request.user.id, request.app_state.clock()
    ):
        raise NotFoundException(msg("There is no such note that waits."))
    return redirected(to.notes())
