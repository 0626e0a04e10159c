"""
Limits on connections, in the server: how long a request's head may be, how many clients may come.

Limits of the application, on forms and hosts, are in `palmares.web.http.security`.

The reader takes heads and trailers of any length and waits for them for ever: a line of a gigabyte
would be held in memory before anything of ours sees it, and a thousand half lines would keep a
thousand connections. Behind a proxy neither arrives.

Where too many are connected, those who come are told so (503) as soon as they ask, and their
connections are closed; where twice as many are, they are closed at once. Otherwise files would run
out, and the site could not open its journal.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from palmares.web.http.security import CROWDED, lines

try:
    import resource
except ImportError:  # Windows, where connections are no files
    resource = None  # type: ignore[assignment]

MOST = 64 * 2**10
"""Bytes that may come without the end of a head, or a piece of a body."""
SECONDS = 20.0
"""Seconds in which a head has to come, counted from its first byte or the connection."""
FILES = 200
"""Files that are left for all else."""
CROWD = 12_000
"""Connections, if the system lets so many be open."""


@cache
def room() -> int:
    """Connections for which there is room: as many files as may be open, without some."""
    if resource is None:
        return CROWD
    most, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * CROWD + FILES
    if most < wanted:
        most = wanted if allowed == resource.RLIM_INFINITY else min(wanted, allowed)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, allowed))
    return min(CROWD, (most - FILES) // 2)


class LimitedProtocol(HttpToolsProtocol):
    """Uvicorn's reader of requests, with an end to its patience."""

    most = MOST
    seconds = SECONDS
    crowd = staticmethod(room)
    _moved = False
    _bytes = 0
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there; they have to say what they want."""
        super().connection_made(transport)
        if len(self.connections) > 2 * self.crowd():
            transport.abort()
            return
        if len(self.connections) > self.crowd():
            self.app_state = {**self.app_state, CROWDED: True}
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for any more."""
        self._waited()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; what leads nowhere is broken off."""
        self._moved = False
        super().data_received(data)
        if self._moved:
            self._bytes = 0
            return
        self._bytes += len(data)
        if self._bytes > self.most:
            self.transport.abort()
        elif self._late is None and self._between():
            self._wait()

    def on_headers_complete(self) -> None:
        """A head is there."""
        self._moved = True
        self._waited()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of a body is there."""
        self._moved = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A body is there."""
        self._moved = True
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Say that this is no request, with the headers that every answer has."""
        own = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
        head = [*own, (b"content-length", b"%d" % len(msg)), *lines(secure=False)]
        told = b"".join(b"%s: %s\r\n" % one for one in head)
        self.transport.write(b"HTTP/1.1 400 Bad Request\r\n%s\r\n%s" % (told, msg.encode()))
        self.transport.close()

    def _between(self) -> bool:
        """Whether no request is being answered."""
        cycle: Any = self.cycle
        return cycle is None or cycle.response_complete

    def _wait(self) -> None:
        self._late = self.loop.call_later(self.seconds, self._too_late)

    def _waited(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _too_late(self) -> None:
        self._late = None
        if self._between():
            self.transport.abort()
