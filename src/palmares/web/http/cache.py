"""
What one visitor was sent is sent to the next as it is, while the journal is what it was.

    Repeats     the ASGI application in front of Litestar's
    repeatable  said by a handler: this answer hangs on the journal, the day and the request alone
    among       whether an answer is among those that somebody has

Most requests are for the same few pages, which the hall keeps already; then most of the time goes
into finding the route, reading parameters, and packing the same bytes again. So an answer is kept
here as it went out, packed, with its headers, and found by what it may hang on. Nothing else
decides that it may be repeated but its handler: for whoever signs in, brings a token or has a
cookie of a session, and for everything that writes, this place is not there.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import date
from typing import Any, NamedTuple

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from palmares.web.accounts.sessions import cookie_name
from palmares.web.hall import Hall, Known
from palmares.web.wording import chosen

BYTES = 8 * 2**20
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
    """An answer as it went out."""

    headers: Headers
    body: bytes
    unchanged: Headers  # what stands above no body, for whoever has it already
    tag: bytes
    handler: Any  # of Litestar: what the log calls the route by


class Asked(NamedTuple):
    """A visitor's question."""

    key: Key  # all that an answer may hang on, beside the journal and the day
    tags: bytes  # of answers that he has already


def repeatable(scope: Scope, known: Known, day: date) -> None:
    """Say that the answer to a request hangs on these and the request alone, not on who asks."""
    scope["state"]["repeatable"] = known.head.hash, day


class Repeats:
    """The ASGI application in front of Litestar's; it lives in the loop, and needs no lock."""

    def __init__(self, app: ASGIApp, hall: Hall) -> None:
        self._next = app
        self._hall = hall
        self._session = f"{cookie_name(hall.settings, 'palmares')}=".encode()
        self._state: State | None = None
        self._answers: OrderedDict[Key, Answer] = OrderedDict()
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Repeat an answer, or have it made."""
        asked = _asked(scope, self._session)
        if asked is None:
            await self._next(scope, receive, send)
            return
        answer = self._found(asked.key)
        if answer is None:
            await self._made(asked.key, scope, receive, send)
            return
        scope["route_handler"] = answer.handler
        same = bool(asked.tags) and among(answer.tag, asked.tags)
        headers, body = (answer.unchanged, b"") if same else (answer.headers, answer.body)
        status = 304 if same else 200
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})

    def _found(self, key: Key) -> Answer | None:
        """What was sent before; nothing where it is time to look at the journal."""
        known = self._hall.lately()
        if known is None or self._state != (known.head.hash, self._hall.today()):
            return None
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    async def _made(self, key: Key, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = []
        pieces: list[bytes] = []

        async def told(message: Message) -> None:
            nonlocal headers
            if message["type"] == "http.response.start" and message["status"] == 200:  # noqa: PLR2004
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
        unchanged = [one for one in headers if one[0] not in _OF_A_BODY]
        before = self._answers.pop(key, None)
        self._bytes += _size(body) - (_size(before.body) if before else 0)
        self._answers[key] = Answer(headers, body, unchanged, by_name[b"etag"], handler)
        while self._bytes > BYTES:
            self._bytes -= _size(self._answers.popitem(last=False)[1].body)


def _size(body: bytes) -> int:
    return len(body) + _BESIDE


_HEADERS = (
    b"accept", b"accept-language", b"accept-encoding", b"cookie", b"authorization",
    b"if-none-match",
)  # fmt: skip
"""Those that are looked at; all others say nothing that an answer may hang on."""


def _asked(scope: Scope, session: bytes) -> Asked | None:
    """The question of a visitor; none where it is somebody's, or writes, or is odd."""
    if scope["type"] != ScopeType.HTTP or scope["method"] != "GET":
        return None
    given = dict.fromkeys(_HEADERS, b"")
    for name, value in scope["headers"]:
        if name in given:
            if given[name] or len(value) > LONG:
                return None
            given[name] = value
    accept, language, encoding, cookie, token, tags = given.values()
    path, query = scope.get("raw_path", b""), scope["query_string"]
    if not path or token or session in cookie or len(path) + len(query) > LONG:
        return None
    chose = tuple(one for one in cookie.split(b";") if b"language" in one) if cookie else ()
    spoken = chosen(language.decode("latin-1"))
    key = (path, query, scope["scheme"], accept, spoken, chose, b"gzip" in encoding)
    return Asked(key, tags)


def among(tag: bytes, tags: bytes) -> bool:
    """Whether an answer is among those that somebody has.

    Proxies that pack an answer make its tag weak.
    """
    return any(one.strip().removeprefix(b"W/") in (tag, b"*") for one in tags.split(b","))
