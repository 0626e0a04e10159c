"""
Reports that wait for an officer, for programs: the steps of the desk.

    queue           all that wait, the oldest first, each with what it would award
    waiting         one of them, with all that it would do
    approve         its report is recorded
    give_back       its director gets it back, with a reason
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from litestar import Response, get, post
from litestar.params import RawBody
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED
from msgspec import Meta

from palmares.web.api.entries import ENTRIES
from palmares.web.api.replies import own
from palmares.web.api.reports import Number, SeenVersion
from palmares.web.api.sent import SENDS, Digest, Sent, Text, sent
from palmares.web.api.steps import problems
from palmares.web.desks import caller
from palmares.web.desks import queue as desk
from palmares.web.pages.officer_queue import QueueRow, WaitingPage
from palmares.web.replies import Visit

TAGS = ["Reports"]


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


@get("/queue", name="api_queue", tags=TAGS)
async def queue(request: Visit) -> Response[Queue]:
    """Reports that wait for an officer, the oldest first.

    The first of them say what they would award.
    """
    found = await desk.queue(caller(request))
    return await own(request, Queue(items=found.waiting))


@get("/queue/{number:int}", name="api_waiting", tags=TAGS)
async def waiting(request: Visit, number: Number) -> Response[WaitingPage]:
    """A report that was handed in, with all that it would do.

    `preview` has what would be recorded, and the points and ranks that it moves; its `seen` is
    what an approval names.
    """
    by = caller(request)
    one = await desk.found(by, number)
    return await own(request, await desk.looked_at(by, one))


@post("/queue/{number:int}/approval", name="api_approve", tags=TAGS, opt={SENDS: Approval})
async def approve(request: Visit, number: Number, body: RawBody) -> Response[Approved]:
    """A report is approved: it is recorded, and counts.

    Only what was seen is recorded: where the report, the journal or what it would do has changed
    since, nothing is (409).
    """
    by = caller(request)
    given = sent(body, Approval)
    one = await desk.found(by, number)
    with problems():
        entry = await desk.approved(by, one, given.version, given.seen)
    location = {"Location": f"{ENTRIES}/{entry}"}
    done = Approved(entry=entry)
    return await own(request, done, status_code=HTTP_201_CREATED, headers=location)


@post(
    "/queue/{number:int}/return", name="api_give_back", tags=TAGS,
    status_code=HTTP_200_OK, opt={SENDS: Return},
)  # fmt: skip
async def give_back(request: Visit, number: Number, body: RawBody) -> Response[WaitingPage]:
    """A director gets a report back, with a reason."""
    by = caller(request)
    given = sent(body, Return)
    one = await desk.found(by, number)
    with problems():
        await desk.given_back(by, one, given.version, given.reason)
    after = await desk.found(by, number)
    return await own(request, await desk.looked_at(by, after))
