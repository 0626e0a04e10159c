"""
The cache of responses: what one visitor was sent is sent to the next, until the journal grows.

A response is kept as it went out, compressed, with its headers, and only where its handler says so
(`repeatable`). For people who sign in, bring a token or have the cookie of a session, and for all
that writes, there is no cache. Clients that have a response already (``If-None-Match``) get 304.
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
"""Answers take no more memory."""
LARGEST = BYTES // 8
LONG = 400
"""An address or a header that is longer is not remembered."""
_OVERHEAD = 4096
"""So many bytes an answer takes beside its body."""
_OF_A_BODY = frozenset(
    {b"content-type", b"content-length", b"content-encoding", b"content-disposition"}
)

State = tuple[Any, ...]
Key = tuple[Any, ...]
Headers = list[tuple[bytes, bytes]]


class Answer(NamedTuple):
    """A response as it went out."""

    headers: Headers
    body: bytes
    handler: Any  # of Litestar: what the log calls the route by


def repeatable(scope: Scope, app_state: AppState, snapshot: Snapshot) -> None:
    """Say that the answer to a request depends on these and the request, not on who asks."""
    scope["state"]["repeatable"] = app_state.version(snapshot)


class ResponseCacheMiddleware:
    """The ASGI application in front of Litestar's; it lives in the loop, and needs no lock."""

    def __init__(self, app: ASGIApp, app_state: AppState) -> None:
        self._next = app
        self._app_state = app_state
        self._session = f"{app_state.settings.cookie('palmares')}=".encode()
        self._state: State | None = None
        self._answers: OrderedDict[Key, Answer] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a kept response, or have one made; 304 where the client has it already."""
        if scope["type"] != ScopeType.HTTP or scope["method"] != "GET":
            await self._next(scope, receive, send)
            return
        tags = b",".join(value for name, value in scope["headers"] if name == b"if-none-match")
        if tags:
            send = _not_modified(send, tags)
        key = _key_of(scope, self._session)
        answer = self._kept(key) if key is not None else None
        if answer is not None:
            scope["route_handler"] = answer.handler
            start = {"type": "http.response.start", "status": 200, "headers": answer.headers}
            await send(start)  # type: ignore[arg-type]
            await send({"type": "http.response.body", "body": answer.body, "more_body": False})
        elif key is not None:
            await self._make(key, scope, receive, send)
        else:
            await self._next(scope, receive, send)

    def _kept(self, key: Key) -> Answer | None:
        """What was sent before; nothing where it is time to look at the journal."""
        app_state = self._app_state
        if not app_state.fresh() or key not in self._answers:
            return None
        if self._state != app_state.version(app_state.latest):
            return None
        self._answers.move_to_end(key)
        return self._answers[key]

    async def _make(self, key: Key, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = []
        pieces: list[bytes] = []

        async def keep_and_send(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == HTTPStatus.OK:
                headers.extend(message["headers"])
            elif message["type"] == "http.response.body" and "repeatable" in scope["state"]:
                pieces.append(message["body"])
            await send(message)

        await self._next(scope, receive, keep_and_send)
        state, names = scope["state"].get("repeatable"), dict(headers)
        if state is None or b"etag" not in names or b"set-cookie" in names:
            return
        if sum(map(len, pieces)) <= LARGEST:
            self._keep(state, key, Answer(headers, b"".join(pieces), scope["route_handler"]))

    def _keep(self, state: State, key: Key, answer: Answer) -> None:
        """Keep an answer; those of an earlier journal or day go, and the oldest."""
        if state != self._state:
            self._answers.clear()
            self._state = state
        self._answers[key] = answer
        self._answers.move_to_end(key)
        while sum(len(answer.body) + _OVERHEAD for answer in self._answers.values()) > BYTES:
            self._answers.popitem(last=False)


_HEADERS = (b"accept-language", b"accept-encoding", b"cookie", b"authorization")
"""Those that are looked at; all others say nothing that an answer may hang on."""
_CHOSEN = re.compile(rb"language|player")
"""The cookies that say what a visitor chose: their language, the player they have pinned."""


def _key_of(scope: Scope, session: bytes) -> Key | None:
    """All that an answer to a visitor may hang on; none where the request is not a visitor's."""
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
