"""Routes of the director's desk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from litestar import Response
from litestar.datastructures import UploadFile
from litestar.params import FromPath
from litestar.status_codes import HTTP_409_CONFLICT, HTTP_422_UNPROCESSABLE_ENTITY

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.facts.text import shown as visible
from palmares.web.director.views import director_page, stale_page, submission_page
from palmares.web.http.parameters import field, version
from palmares.web.http.replies import redirected, shown
from palmares.web.http.routing import to
from palmares.web.http.state import Visit
from palmares.web.services import caller
from palmares.web.services.drafts import NotReady, drafted, move, own, saved
from palmares.web.submissions import parse, report_form, submissions
from palmares.web.submissions.parse import as_utf8
from palmares.web.submissions.submissions import Matches, Stale, Submission

_LONGEST = 200
TOLD = ("tournament.name", "tournament.discipline", "tournament.end_date")
"""Fields beside a sheet that does not say them."""


async def director(request: Visit) -> Response[bytes]:
    """One's reports."""
    return await _desk(request)


async def _desk(
    request: Visit, status: int = 200, problem: str | None = None, text: str = ""
) -> Response[bytes]:
    found = await caller(request).asked(lambda it: submissions.own(it, request.user.id))
    return await shown(request, director_page(found, problem, text), status_code=status)


async def submission_draft(request: Visit) -> Response[bytes]:
    """A new one: pasted, sent as a file, or an empty form."""
    form = await request.form()
    text = _text(form)
    told = Matches(tournament=_tournament(form))
    try:
        number = await drafted(caller(request), *await _brought(form, text), told)
    except Refused as error:
        return await _desk(request, HTTP_422_UNPROCESSABLE_ENTITY, str(error), text)
    return redirected(to.submission(number))


async def submission(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """One of them, with all that it would do."""
    by = caller(request)
    return await _page(request, await own(by, number))


async def submission_save(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Other contents."""
    form = await request.form()
    by = caller(request)
    before = await own(by, number)
    name, kind, content = before.filename, before.format, before.content
    matches = None
    if any(key in form for key in TOLD):
        matches = replace(before.matches, tournament=_tournament(form))
    file = form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        name, kind, content = await _brought(form, "")
    elif "text" in form:  # of a form, too, that goes on as text
        text = _text(form)
        content = text.encode()
        kind = kind if name else parse.kind_of(text)
    elif kind == parse.FORM or report_form.taken(form):  # it may go on as text elsewhere
        kind, content = parse.FORM, report_form.encoded(report_form.taken(form))
    elif kind in parse.TEXTS and (encoding := field(form, "encoding")):
        content = as_utf8(content, encoding)
    try:
        await saved(
            by, number, version(form), content=content, filename=name, kind=kind, matches=matches
        )
    except Stale as stale:
        page = stale_page(stale.now, kind, content)
        return await shown(request, page, status_code=HTTP_409_CONFLICT, template="stale.html")
    return redirected(to.submission(number))


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
    return redirected(to.submission(number))


async def submission_move(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Handed in, taken back, withdrawn."""
    form = await request.form()
    by = caller(request)
    one, wanted = await own(by, number), field(form, "to")
    try:
        await move(by, one, version(form), wanted)
    except NotReady as not_yet:
        return await _page(request, one, HTTP_422_UNPROCESSABLE_ENTITY, problem=str(not_yet))
    except Stale as stale:
        if stale.now.state == wanted and stale.now.version == version(form) + 1:  # a second click
            return redirected(to.submission(number))
        return await _meanwhile(request, stale.now)
    return redirected(to.submission(number))


def _tournament(form: Mapping[str, Any]) -> dict[str, str]:
    """What a sheet does not say: the tournament's name, discipline and last day."""
    told = {key.partition(".")[2]: field(form, key).strip()[:_LONGEST] for key in TOLD}
    return {key: value for key, value in told.items() if value}


# ── what was sent ────────────────────────────────────────────────────────────────────────────────


async def _brought(form: Mapping[str, Any], text: str) -> tuple[str, str, bytes]:
    """The name, kind and contents of what somebody brings.

    Raises:
        Refused: it is nothing, no file that is read, or not written as was said.
    """
    file = form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        name = visible(file.filename.replace("\\", "/").rpartition("/")[2])[:_LONGEST]
        kind, content = parse.kind_of_file(name), await file.read()
        if kind in parse.TEXTS and (encoding := field(form, "encoding")):
            content = as_utf8(content, encoding)
        return name, kind, content
    if "form" in form:
        return "", parse.FORM, report_form.encoded({})
    if not text.strip():
        raise Refused(msg("Choose a file, or paste a report."))
    return "", parse.kind_of(text), text.encode()


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
    words = msg(
        "This report was changed elsewhere meanwhile; nothing was done. This is how it is now."
    )
    return await _page(request, now, HTTP_409_CONFLICT, problem=words)


async def _page(request: Visit, one: Submission, status: int = 200, **told: Any) -> Response[bytes]:
    by = caller(request)
    page = await by.long(submission_page, by, one, **told)
    return await shown(request, page, status_code=status)
