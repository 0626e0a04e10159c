"""Routes of the officers' pages: the journal, decisions and the queue of reports."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.status_codes import HTTP_409_CONFLICT, HTTP_422_UNPROCESSABLE_ENTITY

from palmares.core.errors import FactsRejected, Refused
from palmares.core.messages import msg
from palmares.journal.commands.transaction import Action
from palmares.web.http.errors import as_shown
from palmares.web.http.parameters import FILTERS, field, version
from palmares.web.http.replies import redirected, shown
from palmares.web.http.routing import to
from palmares.web.http.state import Visit
from palmares.web.officer.decisions import DECISIONS, Typed, action_of
from palmares.web.officer.preview import preview
from palmares.web.officer.views import (
    alike_page,
    cells_page,
    decision_page,
    entry_page,
    log_page,
    officer_page,
    queue_page,
    verified_page,
    waiting_page,
)
from palmares.web.services import RequestContext, approvals, caller
from palmares.web.services.decisions import OTHERWISE, Otherwise, Repeated, decided
from palmares.web.submissions.submissions import Stale, Submission


async def officer(request: Visit) -> Response[bytes]:
    """The desk."""
    return await _told(request, officer_page)


async def log(request: Visit) -> Response[bytes]:
    """Every entry, the newest first."""
    asked = {one: request.query_params.get(one, "").strip() for one in FILTERS}
    return await _told(request, log_page, asked, request.query_params.get("before", ""))


async def entry(request: Visit, sequence: FromPath[int]) -> Response[bytes]:
    """One entry, whole."""
    return await _told(request, entry_page, sequence)


async def verification(request: Visit) -> Response[bytes]:
    """Whether the chain holds."""
    return await shown(
        request, await request.app_state.signed_in.long(verified_page, request.app_state)
    )


async def alike(request: Visit) -> Response[bytes]:
    """Players who may be one."""
    return await shown(
        request, await request.app_state.signed_in.long(alike_page, request.app_state)
    )


async def report_cells(request: Visit, tournament: FromPath[str]) -> Response[bytes]:
    """The rows of a tournament's report, to be corrected."""
    return await _told(request, cells_page, tournament)


async def _told(request: Visit, build: Any, *what: Any) -> Response[bytes]:
    """A page that is made in a thread, for this officer alone."""
    return await shown(
        request, await request.app_state.signed_in.page(build, request.app_state, *what)
    )


_LONGEST = 200_000


async def decision(request: Visit, name: FromPath[str]) -> Response[bytes]:
    """A form, filled in with what the address says."""
    _known(name)
    return await shown(request, decision_page(name, _typed(name, request.query_params)))


async def decision_send(request: Visit, name: FromPath[str]) -> Response[bytes]:
    """What it would record; or the record of it, where that was seen and confirmed."""
    _known(name)
    form = await request.form()
    typed, seen = _typed(name, form), field(form, "seen")
    by = caller(request)
    try:
        action = action_of(name, typed)
        if not seen:
            return await _rehearsed(request, name, typed, by, action)
        try:
            entries = await decided(by, name, action, seen)
        except Otherwise:
            more = {"problem": OTHERWISE, "shown": field(form, "shown")[:_LONGEST]}
            return await _rehearsed(request, name, typed, by, action, **more)
    except FactsRejected as rejected:
        told = decision_page(
            name, typed, problem=rejected.summary, problems=as_shown(rejected.problems)
        )
        return await shown(request, told, status_code=HTTP_422_UNPROCESSABLE_ENTITY)
    except Repeated as nothing:
        return await shown(request, decision_page(name, typed, problem=str(nothing)))
    except Refused as error:
        told = decision_page(name, typed, problem=str(error))
        return await shown(request, told, status_code=HTTP_422_UNPROCESSABLE_ENTITY)
    last = entries[-1].sequence
    return redirected(to.publication(last) if name == "publish" else to.entry(last))


async def _rehearsed(
    request: Visit, name: str, typed: Typed, by: RequestContext, action: Action, **more: Any
) -> Response[bytes]:
    """The form with what it would record; 409 where something else was seen before."""
    seen = await by.long(preview, by.app_state, by.officer, action)
    page = decision_page(name, typed, preview=seen, **more)
    return await shown(request, page, status_code=HTTP_409_CONFLICT if more else 200)


def query(request: Visit) -> Collection[str]:
    """The parameters of a form: its fields; where there is none, that is said later."""
    found = DECISIONS.get(str(request.scope["path_params"].get("name")))
    return [one.name for one in found.fields] if found else [*request.query_params]


def _known(name: str) -> None:
    if name not in DECISIONS:
        raise NotFoundException(msg("There is no such decision."))


def _typed(name: str, sent: Mapping[str, Any]) -> Typed:
    """What was typed into the fields of a form."""
    found = {one.name: field(sent, one.name) for one in DECISIONS[name].fields}
    return {one: text.replace("\r\n", "\n") for one, text in found.items()}


async def queue(request: Visit) -> Response[bytes]:
    """All that wait, the oldest first."""
    by = caller(request)
    return await shown(request, await by.long(queue_page, by))


async def waiting(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """One of them, with all that it would do."""
    return await _page(request, await approvals.found(caller(request), number))


async def approve(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Its report is recorded, if it is still what was seen."""
    form, by = await request.form(), caller(request)
    one = await approvals.found(by, number)
    before = field(form, "shown")[:_LONGEST]
    try:
        done = await approvals.approved(by, one, version(form), field(form, "seen"))
    except Stale as stale:
        words = msg("The report was changed meanwhile. Nothing was recorded; look at it again.")
        if stale.now.state == "approved":
            words = await by.app_state.signed_in.page(approvals.settled, by, stale.now)
        return await _page(request, stale.now, HTTP_409_CONFLICT, problem=words, shown=before)
    except Otherwise:
        return await _page(request, one, HTTP_409_CONFLICT, problem=OTHERWISE, shown=before)
    except (FactsRejected, Refused) as error:
        return await _refused(request, one, error)
    return redirected(to.entry(done))


async def give_back(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Its director gets it back, with a reason."""
    form = await request.form()
    one = await approvals.found(caller(request), number)
    reason = " ".join(field(form, "reason").splitlines())  # its field has several lines
    try:
        await approvals.given_back(caller(request), one, version(form), reason)
    except Stale as stale:
        words = msg("The report was changed meanwhile. It was not returned; look at it again.")
        return await _page(request, stale.now, HTTP_409_CONFLICT, problem=words)
    except Refused as error:
        return await _refused(request, one, error)
    return redirected(to.queue())


async def _refused(
    request: Visit, one: Submission, error: FactsRejected | Refused
) -> Response[bytes]:
    """The report again, with what went wrong."""
    words = error.summary if isinstance(error, FactsRejected) else str(error)
    return await _page(request, one, HTTP_422_UNPROCESSABLE_ENTITY, problem=words)


async def _page(request: Visit, one: Submission, status: int = 200, **told: Any) -> Response[bytes]:
    by = caller(request)
    page = await by.long(waiting_page, by, one, **told)
    return await shown(request, page, status_code=status)
