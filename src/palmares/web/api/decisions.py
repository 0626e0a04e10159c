"""
What officers decide, for programs: seen first, then recorded.

    decisions   every decision with its fields
    rehearse    what one would record, and the points and ranks that it would move
    decide      it is recorded, if it is still what was seen
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import HeaderParameter, PathParameter, RawBody
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED
from msgspec import Meta

from palmares.errors import Refused, brief
from palmares.journal import logbook
from palmares.journal.entries import Entry
from palmares.journal.recording import Action
from palmares.web.api.entries import ENTRIES
from palmares.web.api.replies import own
from palmares.web.api.sent import ALSO, SENDS, Digest, Sent, Text, sent
from palmares.web.api.steps import problems
from palmares.web.desks import caller
from palmares.web.desks.decisions import Delivered, Repeated, decided, looked_at
from palmares.web.hall import Hall
from palmares.web.pages.officer import LogRow, Preview, digest, log_row
from palmares.web.pages.officer_decisions import DECISIONS, action_of
from palmares.web.pages.officer_fields import Field
from palmares.web.replies import Visit

TAGS = ["Journal"]

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


@get("/decisions", name="api_decisions", tags=TAGS)
async def decisions(request: Visit) -> Response[Decisions]:
    """Everything that an officer decides, with its fields."""
    found = tuple(
        DecisionForm(name=name, title=one.title, about=one.about, fields=one.fields)
        for name, one in DECISIONS.items()
    )
    return await own(request, Decisions(items=found))


@post(
    "/decisions/{name:str}/rehearsal", name="api_rehearse", tags=TAGS,
    status_code=HTTP_200_OK, opt={SENDS: Wanted},
)  # fmt: skip
async def rehearse(request: Visit, name: Name, body: RawBody) -> Response[Preview]:
    """What a decision would record, and the points and ranks that it would move.

    Nothing is recorded. `seen` is what the decision itself names; where `statements` are none, it
    is known already.
    """
    action = _action(name, sent(body, Wanted).fields)
    try:
        found = await looked_at(caller(request), action)
    except Repeated:
        found = Preview(statements=(), changes=(), rates=(), notices=(), seen=digest(()))
    return await own(request, found)


@post("/decisions/{name:str}", name="api_decide", tags=TAGS, opt={SENDS: Confirmed, ALSO: "200"})
async def decide(
    request: Visit, name: Name, body: RawBody, idempotency_key: Key = None
) -> Response[Decided]:
    """A decision is recorded, and counts.

    Only what was seen is recorded: where the journal has changed so that it would be otherwise,
    nothing is (409). Where it is known already, nothing is either (200).
    """
    hall: Hall = request.app.state.hall
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
    rows = await hall.signed_in.page(_rows, hall, entries)
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


def _rows(hall: Hall, entries: tuple[Entry, ...]) -> tuple[LogRow, ...]:
    with hall.journal.reading() as reader:
        names = logbook.names(reader, entries)
    return tuple(log_row(one, names) for one in entries)
