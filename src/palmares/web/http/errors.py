"""
What goes wrong, in plain words: a page for people, a problem document (RFC 9457) for programs.

    HANDLERS    exceptions  ->  responses, for the application
    Conflict    what somebody saw is no longer so: 409, raised by pages that write

No stack trace leaves the server, no path of it, no word of a library.
"""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, NotFoundException
from litestar.status_codes import HTTP_303_SEE_OTHER
from litestar.types import ExceptionHandlersMap
from sqlalchemy.exc import DBAPIError

from palmares.errors import FactsRejected, PalmaresError, Problem, RuleError
from palmares.web import addresses, logs
from palmares.web.accounts.door import API, PROGRAMS
from palmares.web.complaints import no_day, plainly
from palmares.web.messages import plain, said
from palmares.web.pages.problem import ProblemPage, problem_page
from palmares.web.pages.turning import NoSuchPage
from palmares.web.replies import HTML, preferred, reader, rendered, spoken

PROBLEM_JSON = "application/problem+json"
_WORDS = {
    400: said("What was sent cannot be read."),
    401: said("Please sign in."),
    403: said("This is not for your role."),
    404: said("There is nothing at this address."),
    405: said("This address does not take that."),
    413: said("What was sent is too large."),
    429: said("That was too often. Wait a while."),
    500: said("Something went wrong here. It was written down."),
    503: said("This cannot be answered at the moment. Try again in a minute."),
}
_OURS = {
    "Request Entity Too Large": (413, _WORDS[413]),
    "Invalid multipart/form-data": (400, _WORDS[400]),
}
"""Words of Litestar, and what we say instead."""

Visit = Request[Any, Any, Any]


class Conflict(HTTPException):
    """What somebody saw is no longer so; nothing was recorded."""

    status_code = 409


def _http(request: Visit, error: HTTPException) -> Response[Any]:
    status = error.status_code
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _failed(request, error)
    told = error.detail or ""
    extra: Any = error.extra if isinstance(error.extra, list) else []
    status, detail = _OURS.get(told, (status, told))
    if extra or told in ("", HTTPStatus(error.status_code).phrase):
        detail = _WORDS.get(status, told)
    headers = dict(error.headers or {})
    if status == HTTPStatus.TOO_MANY_REQUESTS and "RateLimit-Reset" in headers:
        headers.setdefault("Retry-After", headers["RateLimit-Reset"])
    if status == HTTPStatus.UNAUTHORIZED:
        found = _to_the_door(request, headers)
        if found is not None:
            return found
    return answer(request, status, detail, tuple(_wrong(request, one) for one in extra), headers)


def _refused(request: Visit, error: PalmaresError) -> Response[Any]:
    if isinstance(error, RuleError):
        return _failed(request, error)
    if isinstance(error.__cause__, (DBAPIError, OSError)):  # its words name our files
        logs.failed(request.scope, error)
        return answer(request, 503, _WORDS[503], headers={"Retry-After": "60"})
    writes = request.method not in ("GET", "HEAD")
    if isinstance(error, FactsRejected):
        return answer(request, 422, error.summary, tuple(error.problems))
    return answer(request, 422 if writes else 400, str(error))


def _missing(request: Visit, error: NotFoundException) -> Response[Any]:
    told = str(error.detail)
    if told != "Not Found":
        return answer(request, 404, told)
    told = next(filter(None, map(no_day, request.scope["path"].split("/"))), "")
    return answer(request, 404, told or _WORDS[404])


def _beyond(request: Visit, error: NoSuchPage) -> Response[Any]:
    """A page after the last one: where the last one is."""
    query = {name: str(one) for name, one in request.query_params.items()}
    last = urlencode({**query, "page": error.pages})
    path = quote(request.scope["path"])
    return answer(request, 404, str(error), instead=f"{path}?{last}")


def _failed(request: Visit, error: Exception) -> Response[Any]:
    logs.failed(request.scope, error)
    return answer(request, 500, _WORDS[500])


HANDLERS: ExceptionHandlersMap = {
    NotFoundException: _missing,
    HTTPException: _http,
    NoSuchPage: _beyond,
    PalmaresError: _refused,
    Exception: _failed,
}
"""Every exception there is, and what becomes of it."""


def answer(
    request: Visit,
    status: int,
    detail: str,
    problems: tuple[Problem, ...] = (),
    headers: dict[str, str] | None = None,
    instead: str = "",
) -> Response[bytes]:
    """What is said of a problem, as the request likes it."""
    page = problem_page(status, detail, logs.request_id(request.scope), problems, instead)
    told = {"Cache-Control": "no-store", "Vary": "Accept, Accept-Language, Cookie"}
    kind = kind_of(request)
    if request.scope["path"].startswith(API) and request.method in ("GET", "HEAD"):
        told["Access-Control-Allow-Origin"] = "*"
    return Response(
        _told(request, page, kind),
        status_code=status,
        media_type=kind,
        headers=told | (headers or {}),
    )


def kind_of(request: Visit) -> str:
    """A page for whoever prefers HTML to JSON; else, and where programs ask, a problem document."""
    if request.scope["path"].startswith(PROGRAMS):
        return PROBLEM_JSON
    wanted = preferred(request, HTML, PROBLEM_JSON, "application/json")
    return HTML if wanted == HTML else PROBLEM_JSON


def _told(request: Visit, page: ProblemPage, kind: str) -> bytes:
    if kind == HTML:
        return rendered(page, spoken(request), replace(reader(request), twin=""))
    return msgspec.json.encode(page, enc_hook=plain)


def _to_the_door(request: Visit, headers: dict[str, str]) -> Response[Any] | None:
    """Whoever reads pages is shown where to sign in, and comes back to where they were."""
    if kind_of(request) != HTML or request.method not in ("GET", "HEAD"):
        headers.setdefault("WWW-Authenticate", 'Bearer realm="palmares"')
        return None
    query = request.scope["query_string"].decode("latin-1")
    back = quote(request.scope["path"]) + (f"?{query}" if query else "")
    if "hx-request" in request.headers:
        headers["HX-Redirect"] = addresses.sign_in(back)
        return None
    return Response(
        b"", status_code=HTTP_303_SEE_OTHER, headers={"Location": addresses.sign_in(back)}
    )


def _wrong(request: Visit, one: Any) -> Problem:
    """One parameter that Litestar could not read: its name, and where it was: "query", "body"."""
    source, key = one.get("source", ""), str(one.get("key", ""))
    return Problem(
        where=key,
        what=no_day(str(request.query_params.get(key, ""))) or plainly(str(one.get("message", ""))),
        clause=str(getattr(source, "value", source)),
        remedy="",
    )
