"""
Limits on connections, in the server: how long a request's head may be, how many clients may come.

Uvicorn reads heads and trailers of any length and waits for them for ever. Limits of the
application, on forms and hosts, are in `palmares.web.http.security`.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

try:
    import resource
except ImportError:  # Windows, where connections are no files
    resource = None  # type: ignore[assignment]

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
