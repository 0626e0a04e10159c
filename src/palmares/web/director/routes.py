"""
Routes of the director's desk.

    director            one's reports
    submission_draft    a new one: pasted, sent as a file, or an empty form
    submission          one of them, with all that it would do
    submission_save     other contents
    submission_names    who its names are, and what it replaces
    submission_move     handed in, taken back, withdrawn
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from litestar import Response, get, post
from litestar.datastructures import UploadFile
from litestar.params import FromPath
from litestar.status_codes import HTTP_409_CONFLICT, HTTP_422_UNPROCESSABLE_ENTITY

from palmares.errors import Refused
from palmares.facts.texts import shown as visible
from palmares.web import addresses, own_ways, readings, report_forms, submissions
from palmares.web.desks import caller
from palmares.web.desks.reports import NotReady, drafted, looked_at, move, own, saved
from palmares.web.encodings import as_utf8
from palmares.web.messages import said
from palmares.web.own_ways import Unclear
from palmares.web.pages.submission import director_page, stale_page
from palmares.web.replies import Visit, redirected, shown
from palmares.web.routes.forms import field, typist, version
from palmares.web.submissions import Matches, Stale, Submission

_LONGEST = 200
TOLD = ("tournament.name", "tournament.discipline", "tournament.end_date")
"""Fields beside a sheet that does not say them."""


@get("/director", name="director", include_in_schema=False)
async def director(request: Visit) -> Response[bytes]:
    """One's reports."""
    return await _desk(request)


async def _desk(
    request: Visit, status: int = 200, problem: str | None = None, text: str = ""
) -> Response[bytes]:
    found = await caller(request).asked(lambda it: submissions.own(it, request.user.id))
    return await shown(request, director_page(found, problem, text), status_code=status)


@post("/director/submissions", name="submission_draft", include_in_schema=False)
async def submission_draft(request: Visit) -> Response[bytes]:
    """A new one: pasted, sent as a file, or an empty form."""
    form = await request.form()
    text = _text(form)
    try:
        told = Matches(tournament=_tournament(request, form))
        number = await drafted(caller(request), *await _brought(form, text), told)
    except Unclear as unclear:
        return await _desk(request, HTTP_422_UNPROCESSABLE_ENTITY, str(unclear), text)
    except Refused as error:
        if error.__cause__ is not None:
            raise
        return await _desk(request, HTTP_422_UNPROCESSABLE_ENTITY, str(error), text)
    return redirected(addresses.submission(number))


@get("/director/submissions/{number:int}", name="submission", include_in_schema=False)
async def submission(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """One of them, with all that it would do."""
    by = caller(request)
    return await shown(request, await looked_at(by, await own(by, number)))


@post("/director/submissions/{number:int}", name="submission_save", include_in_schema=False)
async def submission_save(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Other contents."""
    form = await request.form()
    by = caller(request)
    before = await own(by, number)
    name, kind, content = before.filename, before.format, before.content
    matches = None
    try:
        if any(key in form for key in TOLD):
            matches = replace(before.matches, tournament=_tournament(request, form))
    except Unclear as unclear:
        return await _unclear(request, before, form, str(unclear))
    file = form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        name, kind, content = await _brought(form, "")
    elif "text" in form:  # of a form, too, that goes on as text
        text = _text(form)
        content = text.encode()
        kind = kind if name else readings.kind_of(text)
    elif kind == readings.FORM or report_forms.taken(form):  # it may go on as text elsewhere
        kind = readings.FORM
        try:
            content = report_forms.encoded(_filled(request, form, before))
        except Unclear as unclear:
            return await _unclear(request, before, form, str(unclear))
    elif kind in readings.TEXTS and (encoding := field(form, "encoding")):
        content = as_utf8(content, encoding)
    try:
        await saved(
            by, number, version(form), content=content, filename=name, kind=kind, matches=matches
        )
    except Stale as stale:
        page = stale_page(stale.now, kind, content)
        return await shown(request, page, status_code=HTTP_409_CONFLICT)
    return redirected(addresses.submission(number))


@post("/director/submissions/{number:int}/names", name="submission_names", include_in_schema=False)
async def submission_names(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Who its names are, and what it replaces."""
    form = await request.form()
    by = caller(request)
    before = await own(by, number)
    matches = replace(before.matches, names=_names(form), replaces=_replaced(form))
    try:
        await saved(by, number, version(form), matches=matches)
    except Stale as stale:
        return await _meanwhile(request, stale.now)
    return redirected(addresses.submission(number))


@post("/director/submissions/{number:int}/move", name="submission_move", include_in_schema=False)
async def submission_move(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Handed in, taken back, withdrawn."""
    form = await request.form()
    by = caller(request)
    one, to = await own(by, number), field(form, "to")
    try:
        await move(by, one, version(form), to)
    except NotReady as not_yet:
        page = replace(not_yet.page, problem=str(not_yet))
        return await shown(request, page, status_code=HTTP_422_UNPROCESSABLE_ENTITY)
    except Stale as stale:
        if stale.now.state == to and stale.now.version == version(form) + 1:  # a second click
            return redirected(addresses.submission(number))
        return await _meanwhile(request, stale.now)
    return redirected(addresses.submission(number))


def _tournament(request: Visit, form: Mapping[str, Any]) -> dict[str, str]:
    """What a sheet does not say: the tournament's name, discipline and last day.

    Raises:
        Unclear: the day can mean two.
    """
    name, discipline, day = (field(form, key).strip()[:_LONGEST] for key in TOLD)
    told = {"name": name, "discipline": discipline}
    told |= {"end_date": own_ways.day(typist(request), day) if day else ""}
    return {key: value for key, value in told.items() if value}


def _filled(request: Visit, form: Mapping[str, Any], before: Submission) -> dict[str, str]:
    """The fields of a form, numbers and days as programs write them.

    Raises:
        Unclear: one of them can mean two things.
    """
    language = "" if "plain" in form else typist(request)  # the page of two versions has read them
    printed = report_forms.decoded(before.content) if before.format == readings.FORM else {}
    return report_forms.plainly(report_forms.taken(form), language, printed)


async def _unclear(
    request: Visit, before: Submission, form: Mapping[str, Any], problem: str
) -> Response[bytes]:
    """What was typed, with what can mean two things; nothing is saved."""
    typed = replace(before, version=version(form))
    if "text" in form:
        told = {key.partition(".")[2]: field(form, key)[:_LONGEST] for key in TOLD if form.get(key)}
        matches = replace(before.matches, tournament=told)
        typed = replace(typed, content=_text(form).encode(), matches=matches)
    elif fields := report_forms.taken(form):
        typed = replace(typed, format=readings.FORM, content=report_forms.encoded(fields))
    page = replace(await looked_at(caller(request), typed), problem=problem)
    return await shown(request, page, status_code=HTTP_422_UNPROCESSABLE_ENTITY)


# ── what was sent ────────────────────────────────────────────────────────────────────────────────


async def _brought(form: Mapping[str, Any], text: str) -> tuple[str, str, bytes]:
    """The name, kind and contents of what somebody brings.

    Raises:
        Refused: it is nothing, no file that is read, or not written as was said.
    """
    file = form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        name = visible(file.filename.replace("\\", "/").rpartition("/")[2])[:_LONGEST]
        kind, content = readings.kind_of_file(name), await file.read()
        if kind in readings.TEXTS and (encoding := field(form, "encoding")):
            content = as_utf8(content, encoding)
        return name, kind, content
    if "form" in form:
        return "", readings.FORM, report_forms.encoded({})
    if not text.strip():
        raise Refused(said("Choose a file, or paste a report."))
    return "", readings.kind_of(text), text.encode()


def _text(form: Mapping[str, Any]) -> str:
    """The text that was pasted; lines end as everywhere."""
    found = form.get("text", "")
    if not isinstance(found, str):
        return ""
    return found.replace("\r\n", "\n").encode("utf-8", "replace").decode()


def _names(form: Mapping[str, Any]) -> dict[str, str]:
    """Who somebody is: pairs of ``name.3`` and ``who.3``."""
    found = {}
    for key, value in form.items():
        before, _, number = key.partition(".")
        if before == "name" and isinstance(value, str):
            who = field(form, f"other.{number}").strip() or field(form, f"who.{number}")
            if value and who:
                found[value] = who
    return found


def _replaced(form: Mapping[str, Any]) -> tuple[int, ...]:
    """The entries that are to be replaced."""
    found = [
        int(key.partition(".")[2])
        for key in form
        if key.startswith("replaces.") and key[9:].isascii() and key[9:].isdigit()
    ]
    return tuple(sorted(one for one in found if one < 2**62))


# ── what is answered ─────────────────────────────────────────────────────────────────────────────


async def _meanwhile(request: Visit, now: Submission) -> Response[bytes]:
    """The report as it is now, where somebody saw another version."""
    words = said(
        "This report was changed elsewhere meanwhile; nothing was done. This is how it is now."
    )
    page = replace(await looked_at(caller(request), now), problem=words)
    return await shown(request, page, status_code=HTTP_409_CONFLICT)
