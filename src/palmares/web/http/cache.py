"""
The cache of responses: visitors who ask the same get the same until the journal grows.

It stores responses compressed, with their headers, and only those that a handler marks
(`repeatable`). Requests with a session or a token, and those that write, go past it.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from http import HTTPStatus
from typing import Any, NamedTuple

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from palmares.web.http.i18n import chosen
from palmares.web.http.state import AppState, Snapshot

BYTES = 16 * 2**20
"""The memory that responses take, with so many bytes beside each body."""
_OVERHEAD = 4096
LARGEST = BYTES // 8
LONG = 400
"""Longer addresses and headers are not cached."""
_OF_A_BODY = frozenset(
    {b"content-type", b"content-length", b"content-encoding", b"content-disposition"}
)

Key = tuple[Any, ...]
Headers = list[tuple[bytes, bytes]]


class CachedResponse(NamedTuple):
    """A response as it was sent."""

    headers: Headers
    body: bytes
    handler: Any  # of Litestar: what the log calls the route by


def repeatable(scope: Scope, app_state: AppState, snapshot: Snapshot) -> None:
    """Say that the answer to a request depends on these and the request, not on who asks."""
    scope["state"]["repeatable"] = app_state.version(snapshot)


class ResponseCacheMiddleware:
    """The ASGI application in front of Litestar's; it runs in the event loop and needs no lock.

    It holds responses of one version of the journal; those not used for longest go first.
    """

    def __init__(self, app: ASGIApp, app_state: AppState) -> None:
        self._next = app
        self._app_state = app_state
        self._session = f"{app_state.settings.cookie('palmares')}=".encode()
        self._version: Key = ()
        self._responses: OrderedDict[Key, CachedResponse] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a cached response, or have one made; 304 if the client has it already."""
        if scope["type"] == ScopeType.HTTP:
            scope["headers"] = [
                (name, _REFUSED.sub(b"", value) if name == b"accept-encoding" else value)
                for name, value in scope["headers"]
            ]
        if scope["type"] != ScopeType.HTTP or scope["method"] != "GET":
            await self._next(scope, receive, send)
            return
        tags = dict(scope["headers"]).get(b"if-none-match", b"")
        if tags:
            send = _not_modified(send, tags)
        key = _key_of(scope, self._session)
        response = await self._cached(key) if key is not None else None
        if response is not None:
            scope["route_handler"] = response.handler
            start = {"type": "http.response.start", "status": 200, "headers": response.headers}
            await send(start)  # type: ignore[arg-type]
            await send({"type": "http.response.body", "body": response.body, "more_body": False})
        elif key is not None:
            await self._make(key, scope, receive, send)
        else:
            await self._next(scope, receive, send)

    async def _cached(self, key: Key) -> CachedResponse | None:
        """The cached response, if the journal has not grown; it is checked every half second."""
        if key not in self._responses:
            return None
        try:
            await self._app_state.now()
        except Exception:  # noqa: BLE001  the handler meets it again, and says what is wrong
            return None
        self._drop_outdated()
        response = self._responses.get(key)
        if response is not None:
            self._responses.move_to_end(key)
        return response

    def _drop_outdated(self) -> None:
        """Empty the cache when the version changes that its responses depend on."""
        version = self._app_state.version(self._app_state.latest)
        if version != self._version:
            self._version = version
            self._responses.clear()

    async def _make(self, key: Key, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = []
        pieces: list[bytes] = []

        async def copy_and_send(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == HTTPStatus.OK:
                headers.extend(message["headers"])
            elif message["type"] == "http.response.body" and "repeatable" in scope["state"]:
                pieces.append(message["body"])
            await send(message)

        await self._next(scope, receive, copy_and_send)
        self._drop_outdated()
        names, body = dict(headers), b"".join(pieces)
        is_current = scope["state"].get("repeatable") == self._version
        is_public = is_current and b"etag" in names and b"set-cookie" not in names
        if is_public and len(body) <= LARGEST:
            self._responses[key] = CachedResponse(headers, body, scope["route_handler"])
            self._responses.move_to_end(key)
            while sum(len(each.body) + _OVERHEAD for each in self._responses.values()) > BYTES:
                self._responses.popitem(last=False)


_HEADERS = (b"accept-language", b"accept-encoding", b"cookie", b"authorization")
"""The only headers that a cached response may depend on."""
_REFUSED = re.compile(rb"[^,]*;\s*q=0(?:\.0*)?\s*(?=,|$)", re.IGNORECASE)
"""An encoding that a client refuses, where Litestar looks for the name alone."""
_CHOSEN = re.compile(rb"language|player")
"""Cookies of a visitor's choices: the language, the pinned player."""


def _key_of(scope: Scope, session: bytes) -> Key | None:
    """What a response to a visitor depends on; none if the request is not a visitor's."""
    given = dict.fromkeys(_HEADERS, b"")
    for name, value in scope["headers"]:
        if name in given:
            if given[name] or len(value) > LONG:
                return None
            given[name] = value
    language, encoding, cookie, token = given.values()
    path, query = scope.get("raw_path", b""), scope["query_string"]
    if not path or token or session in cookie or len(path) + len(query) > LONG:
        return None
    choices = tuple(part for part in cookie.split(b";") if _CHOSEN.search(part))
    spoken = chosen(language.decode("latin-1"))
    return (path, query, scope["scheme"], spoken, choices, b"gzip" in encoding)


def _not_modified(send: Send, tags: bytes) -> Send:
    """Send 304 and no body in place of a response whose tag the client sent.

    Proxies that compress a response make its tag weak.
    """
    client_tags = {part.strip().removeprefix(b"W/") for part in tags.split(b",")}
    unchanged = False

    async def sent(message: Message) -> None:
        nonlocal unchanged
        if message["type"] == "http.response.start" and message["status"] == HTTPStatus.OK:
            headers = list(message["headers"])
            tag = dict(headers).get(b"etag")
            unchanged = tag is not None and not client_tags.isdisjoint({tag, b"*"})
            if unchanged:
                message["status"] = HTTPStatus.NOT_MODIFIED.value
                message["headers"] = [header for header in headers if header[0] not in _OF_A_BODY]
        elif unchanged and message["type"] == "http.response.body":
            message["body"] = b""
        await send(message)

    return sent
