"""Reports on their way to the journal, for programs of directors: the steps of the desk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import QueryParameter, RawBody
from litestar.status_codes import HTTP_201_CREATED
from msgspec import Meta

from palmares.core.errors import FactsRejected, Location, Problem, brief
from palmares.facts import Facts
from palmares.web.api.replies import own
from palmares.web.api.reports import (
    LATEST,
    Before,
    Number,
    SeenVersion,
    problems,
)
from palmares.web.api.sent import FileName, Sent, Text, brought, sent
from palmares.web.director.views import SubmissionPage, SubmissionRow, row_of, submission_page
from palmares.web.http.state import Visit
from palmares.web.services import RequestContext, caller, drafts
from palmares.web.submissions import parse
from palmares.web.submissions.submissions import OPEN, Matches, Stale, Submission

MOST = 100
"""Reports on a page: each brings its contents, whose title is looked for."""

Limit = Annotated[
    int, QueryParameter(description=f"So many rows at most, {MOST} at once.", ge=1, le=MOST)
]
Version = Annotated[
    int,
    QueryParameter(
        description="The version that was seen; where it is another now, nothing is done (409).",
        ge=1,
        examples=[Example(value=1)],
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """One's own reports, the latest first."""

    items: tuple[SubmissionRow, ...]
    next: str | None  # the address of the next rows; none: these are the last


class Step(Sent, frozen=True, kw_only=True):
    """The version of a report that was seen; where it is another now, nothing is done (409)."""

    version: SeenVersion


class Names(Sent, frozen=True, kw_only=True):
    """Who the names of a report are, and the entries that it replaces."""

    version: SeenVersion
    names: Annotated[
        dict[Text, Text],
        Meta(description="The `key` of a name  ->  the id of a player, or `new`."),
    ] = msgspec.field(default_factory=dict)
    replaces: Annotated[
        list[Annotated[int, Meta(ge=1, le=LATEST)]],
        Meta(description="Entries in force whose reports this one replaces.", max_length=1000),
    ] = msgspec.field(default_factory=list)
    tournament: Annotated[
        dict[Literal["name", "discipline", "end_date"], Text],
        Meta(
            description="What a sheet does not say: the tournament's name, discipline and last day."
        ),
    ] = msgspec.field(default_factory=dict)


async def reports(
    request: Visit, before: Before = LATEST, limit: Limit = MOST
) -> Response[Reports]:
    """One's own reports, the latest first.

    To an officer also those that others handed in.
    """
    found = await drafts.listed(caller(request), before or LATEST, limit + 1)
    more = None
    if len(found) > limit:
        more = f"{request.scope['path']}?before={found[limit - 1].id}&limit={limit}"
    return await own(request, Reports(items=tuple(row_of(one) for one in found[:limit]), next=more))


async def report_draft(
    request: Visit, body: RawBody, filename: FileName = ""
) -> Response[SubmissionPage]:
    """A new report, as a draft.

    Its contents are what is sent, of the type that `Content-Type` says: a report as TOML, a sheet
    as CSV or a workbook, an event as USEBIO's XML, or text as it was pasted. Text is UTF-8, or what
    `charset` says there: `text/csv; charset=windows-1252`. Nothing is recorded:
    the answer says what is wrong with it and where, who its names may be, and the points and ranks
    that it would change.
    """
    by = caller(request)
    number = await drafts.drafted(by, *brought(request, body, filename))
    page = await by.long(submission_page, by, await drafts.own(by, number))
    location = {"Location": f"{request.scope['path']}/{number}"}
    return await own(request, page, status_code=HTTP_201_CREATED, headers=location)


async def report(request: Visit, number: Number) -> Response[SubmissionPage]:
    """A report with all that it would do.

    Problems stand with their lines and columns; names with the players they are or may be; points
    and ranks with what they were and would be.
    """
    by = caller(request)
    return await _page(request, by, await drafts.seen(by, number))


async def report_save(
    request: Visit, number: Number, version: Version, body: RawBody, filename: FileName = ""
) -> Response[SubmissionPage]:
    """Other contents of a report that is a draft or was returned."""
    by = caller(request)
    one = await drafts.own(by, number)
    name, kind, content = brought(request, body, filename or one.filename)
    with problems():
        await drafts.saved(by, number, version, content=content, filename=name, kind=kind)
    return await _told(request, by, number)


async def report_names(request: Visit, number: Number, body: RawBody) -> Response[SubmissionPage]:
    """Who the names of a report are, and what it replaces.

    What was said before is forgotten: send all of it. A key that is none of the report's names, and
    a name or last day of the tournament that the report says itself, are refused (422).
    """
    by = caller(request)
    given = sent(body, Names)
    one = await drafts.own(by, number)
    matches = Matches(
        names=given.names,
        replaces=tuple(sorted(given.replaces)),
        tournament={f"{key}": text for key, text in given.tournament.items()},
    )
    with problems():
        await _heard(by, one, given.version, matches)
        await drafts.saved(by, number, given.version, matches=matches)
    return await _told(request, by, number)


async def _heard(by: RequestContext, one: Submission, version: int, matches: Matches) -> None:
    """Refuse what would be said in vain of the report as it was seen.

    Raises:
        Stale: it has another version.
        FactsRejected: it does not have a name, or says something of the tournament itself.
    """
    if one.version != version:
        raise Stale(one)
    if one.state in OPEN and (matches.names or matches.tournament):
        lost = await by.app_state.signed_in.long(_in_vain, one, matches)
        if lost:
            raise FactsRejected(lost, so="nothing was saved")


_OF_ANY = {"discipline": "any"}
"""So that contents are read, which may not say it."""


def _in_vain(one: Submission, matches: Matches) -> list[Problem]:
    """What is said of no name, as far as the contents can be read, and what they say themselves."""
    told = matches.tournament
    facts = parse.read(one.format, one.content, {**_OF_ANY, **told}).facts
    found = [_superfluous(key) for key in told if _says_itself(one, told, key, facts)]
    if facts is not None:
        keys = set(facts["players"]["player_id"])
        found += [_of_nobody(key) for key in matches.names if key not in keys]
    return found[: parse.MOST]


def _says_itself(one: Submission, told: Mapping[str, str], key: str, facts: Facts | None) -> bool:
    """Whether contents have a column of the tournament without its being told beside them."""
    if one.format not in parse.BESIDE:
        return True
    if facts is None:
        return False
    rest = {name: text for name, text in {**_OF_ANY, **told}.items() if name != key}
    without = parse.read(one.format, one.content, rest).facts
    if without is None:
        return False
    return without["tournaments"][key].equals(facts["tournaments"][key])


def _superfluous(key: str) -> Problem:
    return Problem(
        at=Location(f"tournament.{key}"),
        what="the report says this itself",
        clause="tournament",
        remedy="Leave it out; where the report is wrong, send other contents.",
    )


def _of_nobody(key: str) -> Problem:
    return Problem(
        at=Location(brief(key)),
        what="no name of the report has this key",
        clause="names",
        remedy="Take the `key` that stands beside the name in `people`.",
    )


async def report_hand_in(request: Visit, number: Number, body: RawBody) -> Response[SubmissionPage]:
    """A report is handed in: it waits for an officer.

    Where it is not ready, nothing is done, and every problem is named (422).
    """
    return await _moved(request, number, body, "submitted")


async def report_take_back(
    request: Visit, number: Number, body: RawBody
) -> Response[SubmissionPage]:
    """A report that waits is taken back: it is a draft again."""
    return await _moved(request, number, body, "draft")


async def report_withdraw(
    request: Visit, number: Number, body: RawBody
) -> Response[SubmissionPage]:
    """A report is withdrawn for good; nothing of it is in the journal."""
    return await _moved(request, number, body, "withdrawn")


async def _moved(request: Visit, number: int, body: RawBody, to: str) -> Response[SubmissionPage]:
    by = caller(request)
    given = sent(body, Step)
    one = await drafts.own(by, number)
    with problems():
        await drafts.move(by, one, given.version, to)
    return await _told(request, by, number)


async def _told(request: Visit, by: RequestContext, number: int) -> Response[SubmissionPage]:
    """A report as it is after a step."""
    return await _page(request, by, await drafts.own(by, number))


async def _page(request: Visit, by: RequestContext, one: Submission) -> Response[SubmissionPage]:
    return await own(request, await by.long(submission_page, by, one))
