"""
Routes by which officers decide: a form, what it would record and move, then the record itself.

    decision        a form, filled in with what the address says
    decision_send   what it would record; or, where that was seen and confirmed, the record of it

What is confirmed is what was seen: the form brings the digest of the statements that were shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.status_codes import HTTP_409_CONFLICT, HTTP_422_UNPROCESSABLE_ENTITY

from palmares.errors import FactsRejected, Refused
from palmares.journal.recording import Action
from palmares.web import addresses
from palmares.web.desks import Caller, caller
from palmares.web.desks.decisions import OTHERWISE, Otherwise, Repeated, decided, looked_at
from palmares.web.messages import said
from palmares.web.pages.officer import decision_page
from palmares.web.pages.officer_decisions import DECISIONS, Typed, action_of, plainly
from palmares.web.replies import Visit, redirected, shown
from palmares.web.routes.forms import field, typist

_LONGEST = 200_000


@get("/officer/decisions/{name:str}", name="decision", include_in_schema=False)
async def decision(request: Visit, name: FromPath[str]) -> Response[bytes]:
    """A form, filled in with what the address says."""
    _known(name)
    return await shown(request, decision_page(name, _typed(name, request.query_params)))


@post("/officer/decisions/{name:str}", name="decision_send", include_in_schema=False)
async def decision_send(request: Visit, name: FromPath[str]) -> Response[bytes]:
    """What it would record; or the record of it, where that was seen and confirmed."""
    _known(name)
    form = await request.form()
    typed, seen = _typed(name, form), field(form, "seen")
    by = caller(request)
    try:
        action = action_of(name, plainly(name, typed, typist(request)))
        if not seen:
            return await _rehearsed(request, name, typed, by, action)
        try:
            entries = await decided(by, name, action, seen)
        except Otherwise:
            more = {"problem": OTHERWISE, "shown": field(form, "shown")[:_LONGEST]}
            return await _rehearsed(request, name, typed, by, action, **more)
    except FactsRejected as rejected:
        told = decision_page(
            name, typed, problem=rejected.summary, problems=tuple(rejected.problems)
        )
        return await shown(request, told, status_code=HTTP_422_UNPROCESSABLE_ENTITY)
    except Repeated as nothing:
        return await shown(request, decision_page(name, typed, problem=str(nothing)))
    except Refused as error:
        if error.__cause__ is not None:  # the database, not the form
            raise
        told = decision_page(name, typed, problem=str(error))
        return await shown(request, told, status_code=HTTP_422_UNPROCESSABLE_ENTITY)
    last = entries[-1].sequence
    return redirected(addresses.published(last) if name == "publish" else addresses.entry(last))


async def _rehearsed(
    request: Visit, name: str, typed: Typed, by: Caller, action: Action, **more: Any
) -> Response[bytes]:
    """The form with what it would record; 409 where something else was seen before."""
    page = decision_page(name, typed, preview=await looked_at(by, action), **more)
    return await shown(request, page, status_code=HTTP_409_CONFLICT if more else 200)


def _known(name: str) -> None:
    if name not in DECISIONS:
        raise NotFoundException(said("There is no such decision."))


def _typed(name: str, sent: Mapping[str, Any]) -> Typed:
    """What was typed into the fields of a form."""
    found = {one.name: field(sent, one.name) for one in DECISIONS[name].fields}
    return {one: text.replace("\r\n", "\n") for one, text in found.items()}
