"""
Routes of the officer's desk that show the journal.

    officer         the desk
    log             every entry, the newest first
    entry           one of them, whole
    verification    whether the chain holds
    alike           players who may be one
    report_cells    the rows of a tournament's report, to be corrected
"""

from __future__ import annotations

from typing import Any

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from palmares.errors import Refused
from palmares.journal import logbook
from palmares.journal.decisions import FINAL
from palmares.web import submissions
from palmares.web.desks.journal import alike as alike_found
from palmares.web.desks.journal import cells, verified
from palmares.web.hall import Hall
from palmares.web.messages import said
from palmares.web.pages.officer import (
    ENTRIES,
    EntryPage,
    LogPage,
    OfficerPage,
    entry_page,
    log_page,
    officer_page,
)
from palmares.web.parameters import FILTERS
from palmares.web.replies import Visit, shown
from palmares.web.routes.paths import parts

LATEST = 5
_MOST = 2**62


@get("/officer", name="officer", include_in_schema=False)
async def officer(request: Visit) -> Response[bytes]:
    """The desk."""
    return await _told(request, _desk)


def _desk(hall: Hall) -> OfficerPage:
    with hall.journal.reading() as reader:
        found = logbook.newest(reader, logbook.Asked(limit=LATEST))
        waiting = len(submissions.waiting(reader.connection))
        return officer_page(waiting, found, logbook.names(reader, found))


@get("/officer/log", name="log", include_in_schema=False)
async def log(request: Visit) -> Response[bytes]:
    """Every entry, the newest first."""
    asked = {one: request.query_params.get(one, "").strip() for one in FILTERS}
    return await _told(request, _log, asked, request.query_params.get("before", ""))


def _log(hall: Hall, asked: dict[str, str], before: str) -> LogPage:
    wanted: dict[str, Any] = {name: value for name, value in asked.items() if value}
    if before:
        wanted["until"] = f"#{before}"  # it is no later than what was asked for
    with hall.journal.reading() as reader:
        found = logbook.newest(reader, logbook.Asked(**wanted, limit=ENTRIES + 1))
        return log_page(found, logbook.names(reader, found), asked)


@get("/officer/log/{sequence:int}", name="entry", include_in_schema=False)
async def entry(request: Visit, sequence: FromPath[int]) -> Response[bytes]:
    """One entry, whole."""
    return await _told(request, _entry, sequence)


def _entry(hall: Hall, sequence: int) -> EntryPage:
    state = hall.known(at_once=True).projection.state
    with hall.journal.reading() as reader:
        try:
            found = reader.entry(sequence if 0 < sequence < _MOST else 0)
        except Refused as error:
            if error.__cause__ is not None:
                raise
            raise NotFoundException(
                said("There is no entry %(sequence)s.", sequence=str(sequence))
            ) from None
        names = logbook.names(reader, [found])
    can_undo = found.kind not in FINAL and not state.undone(found.sequence)
    return entry_page(found, names, can_undo=can_undo)


@get("/officer/verification", name="verification", include_in_schema=False)
async def verification(request: Visit) -> Response[bytes]:
    """Whether the chain holds."""
    hall: Hall = request.app.state.hall
    return await shown(request, await hall.signed_in.long(verified, hall))


@get("/officer/players", name="alike", include_in_schema=False)
async def alike(request: Visit) -> Response[bytes]:
    """Players who may be one."""
    hall: Hall = request.app.state.hall
    return await shown(request, await hall.signed_in.long(alike_found, hall))


@get("/officer/reports/{rest:path}", name="report_cells", include_in_schema=False)
async def report_cells(request: Visit, rest: FromPath[str]) -> Response[bytes]:
    """The rows of a tournament's report, to be corrected."""
    del rest  # ids may hold slashes: the address is read as it was sent
    return await _told(request, cells, "/".join(parts(request, "/officer/reports/")))


async def _told(request: Visit, build: Any, *what: Any) -> Response[bytes]:
    """A page that is made in a thread, for this officer alone."""
    hall: Hall = request.app.state.hall
    return await shown(request, await hall.signed_in.page(build, hall, *what))
