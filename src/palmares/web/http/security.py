"""
What keeps others out: headers of every answer, the host of a request, how long its head may be.

Litestar remembers what it read of the last thousand addresses, cookies and forms. So whoever sends
long ones would fill the memory of the site: heads are bounded, and forms are read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from palmares.web.http import logs
from palmares.web.http.errors import problem_page
from palmares.web.settings import hosts

ADDRESS = 8 * 2**10
"""Bytes of an address, or of all cookies."""
HEAD = 32 * 2**10
"""Bytes of all headers."""
PARAMETERS = 100
"""Parameters of an address, and cookies."""
FIELDS = 2000
"""Fields of a form."""
CROWDED = "crowded"
_LONG = "The address or the headers of this request are too long."
_MANY = "Too many people are here at once. Try again in a few seconds."


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The ASGI application that refuses heads that are too long."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; 431 where the head is too long, 503 where there are too many connections."""
        if scope["type"] != ScopeType.HTTP:
            await self.app(scope, receive, send)
        elif CROWDED in scope["state"]:
            more = [(b"retry-after", b"5"), (b"connection", b"close")]
            await refuse(scope, send, 503, _MANY, more)
        elif not _short(scope):
            await refuse(scope, send, 431, _LONG, [])
        else:
            await self.app(scope, receive, send)


async def refuse(
    scope: Scope, send: Send, status: int, words: str, more: list[tuple[bytes, bytes]]
) -> None:
    """Say why there is no answer, to people or to programs."""
    kind, body = b"text/plain; charset=utf-8", words.encode() + b"\n"
    if scope["path"].startswith("/api/"):
        page = problem_page(status, words, logs.request_id(scope), ())
        kind, body = b"application/problem+json", msgspec.json.encode(page)
    headers = [
        (b"content-type", kind),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


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
    found: dict[str, Any] = {}
    pairs = parse_qsl(body.decode("latin-1"), keep_blank_values=True, max_num_fields=FIELDS)
    for name, value in pairs:
        before = found.get(name)
        if before is None:
            found[name] = value
        elif isinstance(before, list):
            before.append(value)
        else:
            found[name] = [before, value]
    return found


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


def lines(*, secure: bool) -> list[tuple[bytes, bytes]]:
    """The headers of every answer as they are sent, over https or not."""
    told = {**HEADERS, **(SECURE if secure else {})}
    return [(name.lower().encode(), value.encode()) for name, value in told.items()]


_MISSING = "A request names its host once, in the header Host."


class HostCheck:
    """The ASGI application that refuses requests meant for other hosts."""

    def __init__(self, app: ASGIApp, url: str) -> None:
        self._app = app
        self._url = url
        self._allowed = hosts(url)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; 400 where the host is missing or doubled, 421 where it is another one."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        given = [value for name, value in scope["headers"] if name == b"host"]
        if len(given) != 1 or not given[0].strip():
            await refuse(scope, send, 400, _MISSING, [])
        elif given[0].strip().lower() not in self._allowed:
            await refuse(scope, send, 421, f"This site is at {self._url}, not here.", [])
        else:
            await self._app(scope, receive, send)
