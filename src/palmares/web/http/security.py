"""
Security of requests and answers: headers of every answer, allowed hosts, how long a form may be.

Litestar caches what it read of the last thousand addresses, cookies and forms. Long ones would fill
the memory of the site: so heads are limited, and forms are read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

import msgspec
from litestar.enums import ScopeType
from litestar.response.base import ASGIResponse
from litestar.types import ASGIApp, Receive, Scope, Send

from palmares.web.http import logs
from palmares.web.http.errors import PROBLEM_JSON, problem_page
from palmares.web.http.routing import API_ROOT
from palmares.web.settings import hosts

ADDRESS = 8 * 2**10
"""Bytes of an address, or of all cookies."""
HEAD = 32 * 2**10
"""Bytes of all headers."""
PARAMETERS = 100
"""Parameters of an address, and cookies."""
FIELDS = 2000
"""Fields of a form."""
LIVING, SERVING = "/health", "/ready"
"""Health checks, which may ask at any address of the machine."""
_LONG = "The address or the headers of this request are too long."


class RequestGuard:
    """The ASGI application that refuses requests meant for other hosts, and heads too long."""

    def __init__(self, app: ASGIApp, url: str) -> None:
        self._app = app
        self._url = url
        self._allowed = hosts(url)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or say why there is no answer, to people or to programs."""
        refusal = self._refusal(scope) if scope["type"] == ScopeType.HTTP else None
        if refusal is None:
            await self._app(scope, receive, send)
            return
        status, words = refusal
        kind, body = "text/plain; charset=utf-8", words.encode() + b"\n"
        if scope["path"].startswith(API_ROOT):
            kind = PROBLEM_JSON
            body = msgspec.json.encode(problem_page(status, words, logs.request_id(scope)))
        headers = {"content-type": kind, "cache-control": "no-store"}
        await ASGIResponse(body=body, status_code=status, headers=headers)(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the words with which a request is refused."""
        given = [value.strip() for name, value in scope["headers"] if name == b"host"]
        if len(given) != 1 or not given[0]:
            return 400, "A request names its host once, in the header Host."
        elsewhere = given[0].lower() not in self._allowed
        if elsewhere and scope["path"] not in (LIVING, SERVING):
            return 421, f"This site is at {self._url}, not here."
        return None if _short(scope) else (431, _LONG)


def _short(scope: Scope) -> bool:
    query = scope["query_string"]
    cookies = b"".join(value for name, value in scope["headers"] if name == b"cookie")
    return (
        len(scope["path"]) + len(query) <= ADDRESS
        and query.count(b"&") < PARAMETERS
        and len(cookies) <= ADDRESS
        and cookies.count(b";") < PARAMETERS
        and sum(len(name) + len(value) for name, value in scope["headers"]) <= HEAD
    )


def fields_of(body: bytes) -> dict[str, Any]:
    """The fields of a form as browsers send it; several values of one as a list.

    Raises:
        ValueError: there are too many.
    """
    fields = parse_qs(body.decode("latin-1"), keep_blank_values=True, max_num_fields=FIELDS)
    return {name: values if len(values) > 1 else values[0] for name, values in fields.items()}


CONTENT_SECURITY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Frame-Options": "DENY",
}
SECURE: Mapping[str, str] = {"Strict-Transport-Security": "max-age=31536000"}


def security_headers(*, secure: bool) -> list[tuple[bytes, bytes]]:
    """The headers of every response as they are sent, over https or not."""
    headers = {**HEADERS, **(SECURE if secure else {})}
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]
