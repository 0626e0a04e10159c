"""
Security of requests: headers of every answer, allowed hosts, limits on heads, forms, connections.

Litestar caches what it read of the last thousand addresses, cookies and forms, and Uvicorn reads
heads of any length without a time limit: so both are limited here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import Any
from urllib.parse import parse_qs

import msgspec
from litestar.enums import ScopeType
from litestar.response.base import ASGIResponse
from litestar.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from palmares.web.http import logs
from palmares.web.http.errors import PROBLEM_JSON, problem_document
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
            body = msgspec.json.encode(problem_document(status, words, logs.request_id(scope)))
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
    query, headers = scope["query_string"], scope["headers"]
    cookies = b"".join([value for name, value in headers if name == b"cookie"])
    return (
        len(scope["path"]) + len(query) <= ADDRESS
        and query.count(b"&") < PARAMETERS
        and len(cookies) <= ADDRESS
        and cookies.count(b";") < PARAMETERS
        and sum(map(len, chain.from_iterable(headers))) <= HEAD
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
SECURE = {"Strict-Transport-Security": "max-age=31536000"}


def security_headers(*, secure: bool) -> list[tuple[bytes, bytes]]:
    """The headers of every response as they are sent, over https or not."""
    headers = {**HEADERS, **(SECURE if secure else {})}
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


try:
    import resource
except ImportError:  # Windows, where connections are no files
    resource = None  # type: ignore[assignment]

# ── limits on connections, in the server ─────────────────────────────────────────────────────────

MOST = 64 * 2**10
"""Bytes that may come without the end of a head, or a piece of a body."""
SECONDS = 20.0
"""Seconds in which a head has to come, counted from its first byte or the connection."""
FILES = 200
"""Files that are left for all else; without them, the site could not open its journal."""
CONNECTIONS = 12_000
"""Connections, if the system lets so many be open."""


@cache
def connection_limit() -> int:
    """How many connections may be open: half as many as files, without some."""
    if resource is None:
        return CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * CONNECTIONS + FILES
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return min(CONNECTIONS, (soft - FILES) // 2)


class LimitedProtocol(HttpToolsProtocol):
    """Uvicorn's reader of requests, which breaks off long and slow ones.

    Uvicorn answers 503 above its limit of connections; at twice as many, new ones are closed.
    """

    most = MOST
    seconds = SECONDS
    _progress = False
    _bytes = 0
    _timeout: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        if self.limit_concurrency and len(self.connections) > 2 * self.limit_concurrency:
            transport.abort()
        else:
            self._start_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_timeout()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; close the connection if too much came without an end."""
        self._progress = False
        super().data_received(data)
        self._bytes = 0 if self._progress else self._bytes + len(data)
        if self._bytes > self.most:
            self.transport.abort()
        elif not self._progress and self._timeout is None and self._is_idle():
            self._start_timeout()

    def on_headers_complete(self) -> None:
        """Note that a head has come."""
        self._progress = True
        self._stop_timeout()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Note that a piece of a body has come."""
        self._progress = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that a body has come."""
        self._progress = True
        super().on_message_complete()

    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        cycle: Any = self.cycle
        return cycle is None or cycle.response_complete

    def _start_timeout(self) -> None:
        self._timeout = self.loop.call_later(self.seconds, self._time_out)

    def _stop_timeout(self) -> None:
        if self._timeout is not None:
            self._timeout.cancel()
            self._timeout = None

    def _time_out(self) -> None:
        self._timeout = None
        if self._is_idle():
            self.transport.abort()
