"""
The log of requests as lines of JSON, metrics for Prometheus, and an ID for every request.

A line names the route, never the address, so it holds no name, password or token. Of an exception
it has the type and the places in our files, never the message, which may quote names.
"""

from __future__ import annotations

import json
import logging
import os
import random
import time
import traceback
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, TextIO

import msgspec
from litestar.enums import HttpMethod, ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_FRAMES = 12
_TOGETHER = "PROMETHEUS_MULTIPROC_DIR"
_WORDS = 200
_TELLING = frozenset({204, 405})
"""Statuses of answers that list the allowed methods."""


class Log:
    """The log and the metrics of a site."""

    def __init__(self, lines: TextIO | None, *, requests: bool = True) -> None:
        self._lines = lines
        self._each_request = requests
        self.registry = CollectorRegistry()
        requests_answered = Counter(
            "palmares_requests",
            "Requests answered.",
            ["route", "method", "status"],
            registry=self.registry,
        )
        seconds = Histogram(
            "palmares_request_seconds",
            "Seconds until an answer was sent.",
            ["route"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._counter, self._histogram = cache(requests_answered.labels), cache(seconds.labels)

    def numbers(self) -> bytes:
        """The numbers as Prometheus reads them; of several workers, the sums."""
        registry = self.registry
        if os.environ.get(_TOGETHER):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)

    def request(self, scope: Scope, status: int, seconds: float) -> None:
        """Count and log an answered request."""
        route = route_of(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"  # type: ignore[typeddict-item]
        self._counter(route, method, status).inc()
        self._histogram(route).observe(seconds)
        if self._each_request:
            user = scope.get("user")
            who = {} if user is None else {"account": user.id, "role": user.role}
            self.event("request", request=request_id(scope), method=method, route=route,
                       status=status, ms=round(seconds * 1000, 2), **who)  # fmt: skip

    def failure(self, scope: Scope, error: BaseException) -> None:
        """Log an unexpected exception."""
        cause = error.__cause__ or error.__context__
        kinds = type(error).__name__ + (f" from {type(cause).__name__}" if cause else "")
        frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]  # the innermost last
        places = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
        self.event("failure", level="error", request=request_id(scope), route=route_of(scope),
                   error=kinds, at=places)  # fmt: skip

    def event(self, name: str, *, level: str = "info", **what: Any) -> None:
        """Log an event, such as a sign-in or a changed role."""
        if self._lines is not None:
            now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
            text = line({**what, "event": name, "level": level, "timestamp": now})
            self._lines.write(text + "\n")
            self._lines.flush()


class ServerMessages(logging.Handler):
    """The server's own warnings, as lines of the log."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record; of an exception only its type."""
        kind = record.exc_info[0] if record.exc_info else None
        words = " ".join(record.getMessage().split())[:_WORDS]
        self._log.event("server", words=words, error=kind.__name__ if kind else None)


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class BrokenOffError(Exception):
    """An answer broke off half-way; the log says why."""


@dataclass(slots=True)
class LoggingMiddleware:
    """The ASGI application around all others: headers, an id, a line, and HEAD as GET."""

    app: ASGIApp
    log: Log
    headers: list[tuple[bytes, bytes]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, then log the status and the time it took."""
        if scope["type"] != ScopeType.HTTP:
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0
        bare = scope["method"] == "HEAD"
        if bare:
            scope = {**scope, "method": HttpMethod.GET}
        state: dict[str, Any] = scope.setdefault("state", {})
        state["request_id"] = number = f"{random.getrandbits(64):016x}"
        state["log"] = self.log

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                more = b", HEAD" if status in _TELLING else b""  # answered here, not by Litestar
                message["headers"] = [
                    *(
                        (name, value.replace(b"GET", b"GET" + more) if name == b"allow" else value)
                        for name, value in message.get("headers", ())
                    ),
                    *self.headers,
                    (b"x-request-id", number.encode()),
                ]
            elif bare and message["type"] == "http.response.body":
                message["body"] = b""
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception as error:  # noqa: BLE001  nothing above it may show what it says
            self.log.failure(scope, error)
            if status:
                raise BrokenOffError from None
            await send_with_headers({"type": "http.response.start", "status": 500, "headers": []})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self.log.request(scope, status, time.perf_counter() - started)


def request_id(scope: Scope) -> str:
    """The id of a request."""
    return str(scope["state"].get("request_id", ""))


def route_of(scope: Scope) -> str:
    """The name of the route of a request; "none" where there is no such address."""
    handler = scope.get("route_handler")
    return str(getattr(handler, "name", None) or "none")


def failed(scope: Scope, error: BaseException) -> None:
    """Log an unexpected exception."""
    if (log := scope["state"].get("log")) is not None:
        log.failure(scope, error)


def event(scope: Scope, name: str, **what: Any) -> None:
    """Log an event, such as a sign-in or a changed role."""
    if (log := scope["state"].get("log")) is not None:
        log.event(name, request=request_id(scope), **what)


_encode = msgspec.json.Encoder(enc_hook=str).encode


def line(value: Any) -> str:
    """A value as one line of plain ASCII: nothing in it moves a cursor or ends the line."""
    try:
        text = _encode(value).decode("ascii")  # ten times as fast: each request has a line
    except UnicodeError:
        text = json.dumps(value, default=str)
    return text.replace("\x7f", "\\u007f")
