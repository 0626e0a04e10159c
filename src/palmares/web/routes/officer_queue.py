"""
Routes of the queue of reports that directors handed in.

    queue           all that wait, the oldest first, each with what it would award
    waiting         one of them, with all that it would do
    approve         its report is recorded
    give_back       its director gets it back, with a reason
"""

from __future__ import annotations

from typing import Any

from anyio import to_thread
from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.status_codes import HTTP_409_CONFLICT, HTTP_422_UNPROCESSABLE_ENTITY

from palmares.errors import FactsRejected, PalmaresError, Refused
from palmares.journal.decisions import reasoned
from palmares.journal.entries import Actor
from palmares.web import addresses, logs, readings, submissions
from palmares.web.hall import Hall, Known
from palmares.web.messages import said
from palmares.web.pages.officer import Preview
from palmares.web.pages.officer_queue import QueuePage, WaitingPage, queue_page, waiting_page
from palmares.web.rehearsals import arrival
from palmares.web.replies import Visit, shown
from palmares.web.routes.forms import field, redirected
from palmares.web.routes.officer_decisions import OTHERWISE, Otherwise, confirmed, rehearsal_of
from palmares.web.submissions import Stale, Submission

LOOKED_AT = 10
"""So many of the queue are rehearsed for its page; the others when they are opened."""
SEEN = frozenset({"submitted", "returned", "approved"})
"""States in which an officer sees a report; a draft is its director's own affair."""
_LONGEST = 200_000


@get("/officer/submissions", name="queue", include_in_schema=False)
async def queue(request: Visit) -> Response[bytes]:
    """All that wait, the oldest first."""
    hall: Hall = request.app.state.hall
    async with hall.heavy:
        page = await to_thread.run_sync(_queue, hall, Actor(request.user.name, "officer"))
    return await shown(request, page)


def _queue(hall: Hall, by: Actor) -> QueuePage:
    with hall.journal.database.reading() as connection:
        found = submissions.waiting(connection)
    known = hall.known(at_once=True)
    looked = [(one, _glance(hall, known, by, one)) for one in found[:LOOKED_AT]]
    return queue_page([*looked, *((one, None) for one in found[LOOKED_AT:])])


def _glance(hall: Hall, known: Known, by: Actor, one: Submission) -> Preview | None:
    """What a report would do; nothing where it cannot be recorded. Kept until the journal grows."""

    def look() -> Preview | None:
        facts = readings.read(one.format, one.content).facts
        try:
            return None if facts is None else rehearsal_of(hall, by, arrival(facts, one))
        except (FactsRejected, Refused) as error:
            if error.__cause__ is not None:
                raise
            return None

    return known.once(("what a report would do", one.id, one.version), look)


@get("/officer/submissions/{number:int}", name="waiting", include_in_schema=False)
async def waiting(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """One of them, with all that it would do."""
    return await _page(request, await _found(request, number))


@post("/officer/submissions/{number:int}/approval", name="approve", include_in_schema=False)
async def approve(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Its report is recorded, if it is still what was seen."""
    form = await request.form()
    one = await _found(request, number)
    hall: Hall = request.app.state.hall
    version, by = _version(field(form, "version")), Actor(request.user.name, "officer")
    before = field(form, "shown")[:_LONGEST]
    try:
        async with hall.heavy:
            done = await to_thread.run_sync(
                _approved, hall, by, one, version, field(form, "seen")
            )  # fmt: skip
    except Stale as stale:
        words = said("The report was changed meanwhile. Nothing was recorded; look at it again.")
        return await _page(request, stale.now, HTTP_409_CONFLICT, problem=words, shown=before)
    except Otherwise:
        return await _page(request, one, HTTP_409_CONFLICT, problem=OTHERWISE, shown=before)
    except PalmaresError as error:
        return await _refused(request, one, error)
    logs.event(request.scope, "report approved", by=request.user.id, submission=number)
    return redirected(addresses.entry(done))


def _approved(hall: Hall, by: Actor, one: Submission, version: int, seen: str) -> int:
    """The last entry of a report that is approved."""
    if one.state != "submitted":
        raise Refused(
            said("This report is %(state)s and does not wait for an officer.", state=(one.state,))
        )
    reading = readings.read(one.format, one.content)
    if reading.facts is None:
        raise Refused(said("This report cannot be read. Return it, and say why."))
    action = arrival(reading.facts, one)
    now = hall.settings.clock()
    done = confirmed(hall, by, submissions.settling(action, one.id, version, now), seen)
    return done.entries[-1].sequence


@post("/officer/submissions/{number:int}/return", name="give_back", include_in_schema=False)
async def give_back(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Its director gets it back, with a reason."""
    form = await request.form()
    one = await _found(request, number)
    hall: Hall = request.app.state.hall

    def write() -> None:
        why = reasoned(field(form, "reason"))
        with hall.journal.database.writing() as connection:
            submissions.moved(
                connection, number, _version(field(form, "version")), hall.settings.clock(),
                "returned", reason=why,
            )  # fmt: skip

    try:
        await to_thread.run_sync(write)
    except Stale as stale:
        words = said("The report was changed meanwhile. It was not returned; look at it again.")
        return await _page(request, stale.now, HTTP_409_CONFLICT, problem=words)
    except Refused as error:
        return await _refused(request, one, error)
    logs.event(request.scope, "report returned", by=request.user.id, submission=number)
    return redirected(addresses.queue())


async def _refused(request: Visit, one: Submission, error: PalmaresError) -> Response[bytes]:
    """The report again, with what went wrong; a database that fails is another matter."""
    if error.__cause__ is not None:
        raise error
    words = str(error).splitlines()[0]
    return await _page(request, one, HTTP_422_UNPROCESSABLE_ENTITY, problem=words)


async def _found(request: Visit, number: int) -> Submission:
    hall: Hall = request.app.state.hall

    def read() -> Submission | None:
        with hall.journal.database.reading() as connection:
            return submissions.found(connection, number)

    one = await to_thread.run_sync(read)
    if one is None or one.state not in SEEN:
        raise NotFoundException(said("There is no such report in the queue."))
    return one


async def _page(request: Visit, one: Submission, status: int = 200, **told: Any) -> Response[bytes]:
    """A report, read and rehearsed one at a time."""
    hall: Hall = request.app.state.hall
    if one.state not in SEEN:  # its director took it back meanwhile
        raise NotFoundException(said("There is no such report in the queue."))
    async with hall.heavy:
        page = await to_thread.run_sync(_made, hall, Actor(request.user.name, "officer"), one, told)
    return await shown(request, page, status_code=status)


def _made(hall: Hall, by: Actor, one: Submission, told: dict[str, Any]) -> WaitingPage:
    if one.state != "submitted":
        return waiting_page(one, None, **told)
    reading = readings.read(one.format, one.content)
    if reading.facts is None:
        return waiting_page(one, None, reading.problems, **told)
    try:
        found = rehearsal_of(hall, by, arrival(reading.facts, one))
    except FactsRejected as rejected:
        words = str(rejected).splitlines()[0]
        return waiting_page(
            one, None, **{"problem": words, **told}, problems=list(rejected.problems)
        )  # fmt: skip
    except Refused as error:
        if error.__cause__ is not None:
            raise
        return waiting_page(one, None, **{"problem": str(error), **told})
    return waiting_page(one, found, **told)


def _version(text: str) -> int:
    """The version that somebody saw."""
    most = len("9" * 18)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= most else 0
