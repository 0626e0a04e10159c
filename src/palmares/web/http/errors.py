"""
What goes wrong, in plain words: a page for people, a problem document (RFC 9457) for programs.

No stack trace leaves the server, no path of it, no word of a library.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.status_codes import HTTP_303_SEE_OTHER

from palmares.core.errors import (
    FactsRejected,
    Location,
    PalmaresError,
    Problem,
    RuleError,
    StoreError,
)
from palmares.core.messages import msg
from palmares.web.http import logs
from palmares.web.http.i18n import plain
from palmares.web.http.parameters import declared, no_day, what_is_wrong
from palmares.web.http.replies import HTML, VARY, rendered
from palmares.web.http.routing import API_ROOT, PROGRAMS, to
from palmares.web.http.state import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownProblem:
    """One thing wrong, or to be looked at, as pages and programs get it."""

    where: str
    what: str
    clause: str
    remedy: str


def as_shown(problems: Iterable[Problem]) -> tuple[ShownProblem, ...]:
    """Problems as pages and programs get them."""
    return tuple(
        ShownProblem(
            where=problem.where, what=problem.what, clause=problem.clause, remedy=problem.remedy
        )
        for problem in problems
    )


def reason_of(error: PalmaresError) -> str:
    """Why nothing was recorded, in a sentence or two: of several problems the first."""
    if not isinstance(error, FactsRejected):
        return str(error)
    problem = error.problems[0]
    return msg("%(what)s. %(remedy)s", what=problem.what, remedy=problem.remedy)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemDocument:
    """A problem document: ``type``, ``title``, ``status``, ``detail``, ``instance`` of RFC 9457."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str  # urn:request:…, as in our log
    problems: tuple[ShownProblem, ...] = ()


def problem_document(
    status: int,
    detail: str,
    request: str,
    problems: Iterable[Problem] = (),
) -> ProblemDocument:
    """The page of a problem; what it says is for people."""
    return ProblemDocument(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        instance=f"urn:request:{request}",
        problems=as_shown(problems),
    )


PROBLEM_JSON = "application/problem+json"
_WORDS = {
    400: msg("What was sent cannot be read."),
    401: msg("Please sign in."),
    403: msg("This is not for your role."),
    404: msg("There is nothing at this address."),
    405: msg("This address does not take that."),
    413: msg("What was sent is too large."),
    429: msg("That was too often. Wait a while."),
    500: msg("Something went wrong here. It was written down."),
    503: msg("This cannot be answered at the moment. Try again in a minute."),
}
_OF_LITESTAR = {
    "Request Entity Too Large": (413, _WORDS[413]),
    "Invalid multipart/form-data": (400, _WORDS[400]),
}
"""Exceptions of Litestar that differ in their words only, and our words for them."""


class Conflict(HTTPException):
    """What the sender saw has changed; nothing was recorded."""

    status_code = 409


def _http(request: Request, error: HTTPException) -> Response[Any]:
    status = error.status_code
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _failed(request, error)
    own_words = error.detail not in ("", HTTPStatus(status).phrase)
    status, detail = _OF_LITESTAR.get(error.detail, (status, error.detail))
    if isinstance(error, ValidationException) or not own_words:
        detail = _WORDS.get(status, detail)
    if status == HTTPStatus.NOT_FOUND and not own_words:
        parts = request.scope["path"].split("/")
        detail = next(filter(None, map(no_day, parts)), detail)
    headers = dict(error.headers or {})
    if status == HTTPStatus.UNAUTHORIZED:
        redirect = _sign_in_redirect(request, headers)
        if redirect is not None:
            return redirect
    return answer(request, status, detail, _wrong_parameters(request, error), headers)


def _refused(request: Request, error: PalmaresError) -> Response[Any]:
    if isinstance(error, RuleError):
        return _failed(request, error)
    if isinstance(error, StoreError):  # its words name our files
        logs.failed(request.scope, error)
        return answer(request, 503, _WORDS[503], headers={"Retry-After": "60"})
    writes = request.method not in ("GET", "HEAD")
    if isinstance(error, FactsRejected):
        return answer(request, 422, error.summary, tuple(error.problems))
    return answer(request, 422 if writes else 400, str(error))


def _failed(request: Request, error: Exception) -> Response[Any]:
    logs.failed(request.scope, error)
    return answer(request, 500, _WORDS[500])


HANDLERS: dict[int | type[Exception], Any] = {
    HTTPException: _http,
    PalmaresError: _refused,
    Exception: _failed,
}
"""The handler of each exception."""


def answer(
    request: Request,
    status: int,
    detail: str,
    problems: Iterable[Problem] = (),
    headers: dict[str, str] | None = None,
) -> Response[bytes]:
    """The response to a problem: a page, or a problem document for programs."""
    page = problem_document(status, detail, logs.request_id(request.scope), problems)
    own_headers = {"Cache-Control": "no-store", **VARY}
    if request.scope["path"].startswith(API_ROOT) and request.method in ("GET", "HEAD"):
        own_headers["Access-Control-Allow-Origin"] = "*"
    if request.scope["path"].startswith(PROGRAMS):
        kind, content = PROBLEM_JSON, msgspec.json.encode(page, enc_hook=plain)
    else:
        kind, content = HTML, rendered("problem.html", page, request, is_problem=True)
    return Response(
        content,
        status_code=status,
        media_type=kind,
        headers=own_headers | (headers or {}),
    )


def _sign_in_redirect(request: Request, headers: dict[str, str]) -> Response[Any] | None:
    """Lead a reader of pages to the sign-in, and from there back to this page."""
    if request.scope["path"].startswith(PROGRAMS) or request.method not in ("GET", "HEAD"):
        headers.setdefault("WWW-Authenticate", 'Bearer realm="palmares"')
        return None
    query = request.scope["query_string"].decode("latin-1")
    back = request.scope["path"] + (f"?{query}" if query else "")
    if "hx-request" in request.headers:
        headers["HX-Redirect"] = to.sign_in(next=back)
        return None
    return Response(
        b"", status_code=HTTP_303_SEE_OTHER, headers={"Location": to.sign_in(next=back)}
    )


def _wrong_parameters(request: Request, error: HTTPException) -> tuple[Problem, ...]:
    """Each parameter that Litestar could not read: its name, and where it was: "query", "path"."""
    if not isinstance(error, ValidationException) or not isinstance(error.extra, list):
        return ()
    parameters = declared(request.scope["route_handler"])
    return tuple(
        item
        if isinstance(item, Problem)
        else Problem(
            at=Location(item["key"]),
            what=what_is_wrong(
                parameters[item["key"]], str(request.query_params.get(item["key"], ""))
            ),
            clause=str(getattr(item["source"], "value", item["source"])),
            remedy="",
        )
        for item in error.extra
    )
