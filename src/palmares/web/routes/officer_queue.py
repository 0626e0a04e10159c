"""
Routes of the queue of reports that directors handed in.

    queue           all that wait, the oldest first, each with what it would award
    waiting         one of them, with all that it would do
    approve         its report is recorded
    give_back       its director gets it back, with a reason
"""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.status_codes import HTTP_409_CONFLICT, HTTP_422_UNPROCESSABLE_ENTITY

from palmares.errors import FactsRejected, PalmaresError, Refused
from palmares.web import addresses
from palmares.web.desks import caller
from palmares.web.desks import queue as desk
from palmares.web.desks.decisions import OTHERWISE, Otherwise
from palmares.web.messages import said
from palmares.web.replies import Visit, redirected, shown
from palmares.web.routes.forms import field, version
from palmares.web.submissions import Stale, Submission

_LONGEST = 200_000


@get("/officer/submissions", name="queue", include_in_schema=False)
async def queue(request: Visit) -> Response[bytes]:
    """All that wait, the oldest first."""
    return await shown(request, await desk.queue(caller(request)))


@get("/officer/submissions/{number:int}", name="waiting", include_in_schema=False)
async def waiting(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """One of them, with all that it would do."""
    return await _page(request, await desk.found(caller(request), number))


@post("/officer/submissions/{number:int}/approval", name="approve", include_in_schema=False)
async def approve(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Its report is recorded, if it is still what was seen."""
    form = await request.form()
    one = await desk.found(caller(request), number)
    seen = field(form, "seen")
    before = field(form, "shown")[:_LONGEST]
    try:
        done = await desk.approved(caller(request), one, version(form), seen)
    except Stale as stale:
        words = said("The report was changed meanwhile. Nothing was recorded; look at it again.")
        if stale.now.state == "approved":
            words = await desk.settled(caller(request), stale.now)
        return await _page(request, stale.now, HTTP_409_CONFLICT, problem=words, shown=before)
    except Otherwise:
        return await _page(request, one, HTTP_409_CONFLICT, problem=OTHERWISE, shown=before)
    except PalmaresError as error:
        return await _refused(request, one, error)
    return redirected(addresses.entry(done))


@post("/officer/submissions/{number:int}/return", name="give_back", include_in_schema=False)
async def give_back(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Its director gets it back, with a reason."""
    form = await request.form()
    one = await desk.found(caller(request), number)
    reason = " ".join(field(form, "reason").splitlines())  # its field has several lines
    try:
        await desk.given_back(caller(request), one, version(form), reason)
    except Stale as stale:
        words = said("The report was changed meanwhile. It was not returned; look at it again.")
        return await _page(request, stale.now, HTTP_409_CONFLICT, problem=words)
    except Refused as error:
        return await _refused(request, one, error)
    return redirected(addresses.queue())


async def _refused(request: Visit, one: Submission, error: PalmaresError) -> Response[bytes]:
    """The report again, with what went wrong; a database that fails is another matter."""
    if error.__cause__ is not None:
        raise error
    words = error.summary if isinstance(error, FactsRejected) else str(error)
    return await _page(request, one, HTTP_422_UNPROCESSABLE_ENTITY, problem=words)


async def _page(request: Visit, one: Submission, status: int = 200, **told: Any) -> Response[bytes]:
    page = await desk.looked_at(caller(request), one, **told)
    return await shown(request, page, status_code=status)
