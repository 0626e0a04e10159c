"""
The journal for programs of officers: its log, one entry, whether its chain holds.

    entries         every entry, the newest first
    entry           one of them, whole
    verification    whether the chain holds
    lookalikes      players who may be one
    report_rows     the rows of a tournament's report, as they count now
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter

from palmares.errors import Refused
from palmares.journal import logbook
from palmares.journal.decisions import FINAL
from palmares.journal.entries import KINDS
from palmares.journal.words import said
from palmares.web.api.replies import own
from palmares.web.api.reports import LATEST, Before
from palmares.web.desks.journal import alike, cells, verified
from palmares.web.hall import Hall
from palmares.web.pages.officer import AlikePage, CellsPage, LogRow, VerifiedPage, log_row
from palmares.web.replies import Visit

TAGS = ["Journal"]
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


@get("/entries", name="api_entries", tags=TAGS)
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
    asked = logbook.Asked(
        kind=kind or None,
        subject=subject or None,
        author=author or None,
        since=since or None,
        until=until or None,
        before=before or LATEST,
        limit=limit + 1,
    )
    hall: Hall = request.app.state.hall
    rows = await hall.signed_in.page(_entries, hall, asked)
    more = None
    if len(rows) > limit:
        asked_for = [one for one in request.query_params.items() if one[0] != "before"]
        last = ("before", rows[limit - 1].sequence)
        more = f"{request.scope['path']}?{urlencode([*asked_for, last])}"
    return await own(request, Entries(items=rows[:limit], next=more))


def _entries(hall: Hall, asked: logbook.Asked) -> tuple[LogRow, ...]:
    with hall.journal.reading() as reader:
        found = logbook.newest(reader, asked)
        names = logbook.names(reader, found)
    return tuple(log_row(one, names) for one in found)


@get("/entries/{sequence:int}", name="api_entry", tags=TAGS)
async def entry(request: Visit, sequence: Sequence) -> Response[JournalEntry]:
    """One entry of the journal, whole.

    Its hash is the sha256 of the canonical JSON of its other fields (`words` and `can_undo` are
    not among them), `body` as the value that it is.
    """
    hall: Hall = request.app.state.hall
    return await own(request, await hall.signed_in.page(_entry, hall, sequence))


def _entry(hall: Hall, sequence: int) -> JournalEntry:
    state = hall.known(at_once=True).projection.state
    with hall.journal.reading() as reader:
        try:
            found = reader.entry(sequence)
        except Refused as error:
            if error.__cause__ is not None:  # the database
                raise
            raise NotFoundException(f"There is no entry {sequence}.") from None
        names = logbook.names(reader, [found])
    own_fields: dict[str, Any] = {name: getattr(found, name) for name in type(found).__slots__}
    return JournalEntry(
        **own_fields,
        words=said(found, names),
        can_undo=found.kind not in FINAL and not state.undone(found.sequence),
    )


@get("/verification", name="api_verification", tags=TAGS)
async def verification(request: Visit) -> Response[VerifiedPage]:
    """Whether the chain of the journal holds: every entry is hashed anew."""
    hall: Hall = request.app.state.hall
    return await own(request, await hall.signed_in.long(verified, hall))


@get("/lookalikes", name="api_lookalikes", tags=TAGS)
async def lookalikes(request: Visit) -> Response[AlikePage]:
    """Players who may be one, and whom nobody has merged or kept apart; best first."""
    hall: Hall = request.app.state.hall
    return await own(request, await hall.signed_in.long(alike, hall))


@get("/reports/{tournament:str}", name="api_report_rows", tags=TAGS)
async def report_rows(request: Visit, tournament: Tournament) -> Response[CellsPage]:
    """The rows of a tournament's report, as they count now.

    A row's `key` is how an `override` names it.
    """
    hall: Hall = request.app.state.hall
    return await own(request, await hall.signed_in.page(cells, hall, tournament))
