"""
The cache of responses: what one visitor was sent is sent to the next, until the journal grows.

A response is kept as it went out, compressed, with its headers, and only where its handler says so
(`repeatable`). For people who sign in, bring a token or have the cookie of a session, and for all
that writes, there is no cache. Clients that have a response already (``If-None-Match``) get 304.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import date
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
_BESIDE = 4096
"""So many bytes an answer takes beside its body."""
_OF_A_BODY = frozenset(
    {b"content-type", b"content-length", b"content-encoding", b"content-disposition"}
)

State = tuple[str, date]
Key = tuple[Any, ...]
Headers = list[tuple[bytes, bytes]]


class Answer(NamedTuple):
    """A response as it went out."""

    headers: Headers
    body: bytes
    handler: Any  # of Litestar: what the log calls the route by


def repeatable(scope: Scope, snapshot: Snapshot, day: date) -> None:
    """Say that the answer to a request hangs on these and the request alone, not on who asks."""
    scope["state"]["repeatable"] = snapshot.head.hash, day


class ResponseCacheMiddleware:
    """The ASGI application in front of Litestar's; it lives in the loop, and needs no lock."""

    def __init__(self, app: ASGIApp, app_state: AppState) -> None:
        self._next = app
        self._hall = app_state
        self._session = f"{app_state.settings.cookie('palmares')}=".encode()
        self._state: State | None = None
        self._answers: OrderedDict[Key, Answer] = OrderedDict()
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a kept response, or have one made; 304 where the client has it already."""
        if scope["type"] != ScopeType.HTTP or scope["method"] != "GET":
            await self._next(scope, receive, send)
            return
        tags = b",".join(value for name, value in scope["headers"] if name == b"if-none-match")
        if tags:
            send = _unless_known(send, tags)
        key = _key_of(scope, self._session)
        answer = self._found(key) if key is not None else None
        if answer is not None:
            scope["route_handler"] = answer.handler
            start = {"type": "http.response.start", "status": 200, "headers": answer.headers}
            await send(start)  # type: ignore[arg-type]
            await send({"type": "http.response.body", "body": answer.body, "more_body": False})
        elif key is not None:
            await self._made(key, scope, receive, send)
        else:
            await self._next(scope, receive, send)

    def _found(self, key: Key) -> Answer | None:
        """What was sent before; nothing where it is time to look at the journal."""
        snapshot = self._hall.lately()
        if snapshot is None or self._state != (snapshot.head.hash, self._hall.today()):
            return None
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    async def _made(self, key: Key, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = []
        pieces: list[bytes] = []

        async def told(message: Message) -> None:
            nonlocal headers
            if message["type"] == "http.response.start" and message["status"] == HTTPStatus.OK:
                headers = list(message["headers"])
            elif message["type"] == "http.response.body" and "repeatable" in scope["state"]:
                pieces.append(message["body"])
            await send(message)

        await self._next(scope, receive, told)
        state = scope["state"].get("repeatable")
        if state is not None and headers and sum(map(len, pieces)) <= LARGEST:
            self._keep(state, key, headers, b"".join(pieces), scope["route_handler"])

    def _keep(self, state: State, key: Key, headers: Headers, body: bytes, handler: Any) -> None:
        """Keep an answer; those of an earlier journal or day go, and the oldest."""
        by_name = dict(headers)
        if b"set-cookie" in by_name or b"etag" not in by_name:
            return
        if state != self._state:
            self._answers.clear()
            self._state, self._bytes = state, 0
        before = self._answers.pop(key, None)
        self._bytes += _size(body) - (_size(before.body) if before else 0)
        self._answers[key] = Answer(headers, body, handler)
        while self._bytes > BYTES:
            self._bytes -= _size(self._answers.popitem(last=False)[1].body)


def _size(body: bytes) -> int:
    return len(body) + _BESIDE


_HEADERS = (b"accept", b"accept-language", b"accept-encoding", b"cookie", b"authorization")
"""Those that are looked at; all others say nothing that an answer may hang on."""


def _key_of(scope: Scope, session: bytes) -> Key | None:
    """All that an answer to a visitor may hang on; none where the request is not a visitor's."""
    given = dict.fromkeys(_HEADERS, b"")
    for name, value in scope["headers"]:
        if name in given:
            if given[name] or len(value) > LONG:
                return None
            given[name] = value
    accept, language, encoding, cookie, token = given.values()
    path, query = scope.get("raw_path", b""), scope["query_string"]
    if not path or token or session in cookie or len(path) + len(query) > LONG:
        return None
    chose = tuple(one for one in cookie.split(b";") if b"language" in one) if cookie else ()
    spoken = chosen(language.decode("latin-1"))
    return (path, query, scope["scheme"], accept, spoken, chose, b"gzip" in encoding)


def _unless_known(send: Send, tags: bytes) -> Send:
    """Send 304 and no body in place of a response whose tag the client sent.

    Proxies that compress a response make its tag weak.
    """
    known = {one.strip().removeprefix(b"W/") for one in tags.split(b",")}
    unchanged = False

    async def sent(message: Message) -> None:
        nonlocal unchanged
        if message["type"] == "http.response.start" and message["status"] == HTTPStatus.OK:
            headers = list(message["headers"])
            tag = dict(headers).get(b"etag")
            unchanged = tag is not None and not known.isdisjoint({tag, b"*"})
            if unchanged:
                message["status"] = HTTPStatus.NOT_MODIFIED.value
                message["headers"] = [one for one in headers if one[0] not in _OF_A_BODY]
        elif unchanged and message["type"] == "http.response.body":
            message["body"] = b""
        await send(message)

    return sent
