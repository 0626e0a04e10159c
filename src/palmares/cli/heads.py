"""
How long a request may be before its answer begins, where its head is read.

    Heads       Uvicorn's reader of requests, with an end to its patience

The reader takes heads and trailers of any length and waits for them for ever: a line of a gigabyte
would be held in memory before anything of ours sees it, and a thousand half lines would keep a
thousand connections. Behind a proxy neither arrives.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST = 64 * 2**10
"""Bytes that may come without the end of a head, or a piece of a body."""
SECONDS = 20.0
"""Seconds in which a head has to come, counted from its first byte or the connection."""


class Heads(HttpToolsProtocol):
    """Uvicorn's reader of requests, with an end to its patience."""

    most = MOST
    seconds = SECONDS
    _moved = False
    _bytes = 0
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there; he has to say what he wants."""
        super().connection_made(transport)
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
