"""
Who is signed in, and which forms are ours: sessions in the database, and tokens signed for them.

Whoever reads the database learns no number that a browser has. A number that a browser brings and
nobody issued is not taken up, so none can be planted. A form is ours where it brings the token of
this very session, which is in a cookie, too; visitors who have no session share an empty one.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec
import sqlalchemy as sa
from anyio import to_thread
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie, MutableScopeHeaders
from litestar.enums import RequestEncodingType
from litestar.exceptions import PermissionDeniedException
from litestar.types import Empty, Message, Receive, Scope, Send
from litestar.utils.scope.state import ScopeState

from palmares.core.messages import msg
from palmares.journal.store.databases import Database
from palmares.web.accounts.store import hash_token
from palmares.web.http.replies import CSRF_FIELD
from palmares.web.settings import Settings
from palmares.web.tables import SESSIONS

RENEWED = 60
"""Seconds after which the last use of a session is written down anew."""
COOKIE, FORMS, HEADER = "palmares", "forms", "x-csrftoken"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_NOT_OURS = msg(
    "The form was not one of ours, or is too old. Go back, load the page again and send it."
)
_RANDOM = 32
_FORM_TYPES = frozenset({RequestEncodingType.URL_ENCODED, RequestEncodingType.MULTI_PART})


@dataclass(slots=True)
class SessionState:
    """The session of a request: the number it came with or was given, and what is stored."""

    number: str = ""  # empty: it has none
    stored: bytes | None = None
    renewed: bool = False
    form_token: str = ""  # as the cookie has it


@dataclass(frozen=True, slots=True)
class Sessions:
    """Sessions in the database."""

    database: Database
    settings: Settings

    def put(self, number: str, data: bytes) -> None:
        """Store a session; those that are over go."""
        now, key = self.settings.clock(), hash_token(number)
        found = msgspec.json.decode(data)
        account = found.get("account") or found.get("half")  # who has yet to type a code, too
        values = {"data": data, "account": account, "seen": now}
        with self.database.writing() as connection:
            connection.execute(
                sa.delete(SESSIONS).where(
                    (SESSIONS.c.seen <= now - self.settings.idle)
                    | (SESSIONS.c.created <= now - self.settings.absolute)
                )
            )
            changed = connection.execute(
                sa.update(SESSIONS).where(SESSIONS.c.hash == key).values(**values)
            )
            if not changed.rowcount:
                connection.execute(sa.insert(SESSIONS).values(hash=key, created=now, **values))

    def read(self, number: str) -> bytes | None:
        """A session that is not over; its last use is noted, not more than once a minute."""
        now = self.settings.clock()
        query = sa.select(SESSIONS).where(
            SESSIONS.c.hash == hash_token(number),
            SESSIONS.c.seen > now - self.settings.idle,
            SESSIONS.c.created > now - self.settings.absolute,
        )
        with self.database.reading() as connection:
            row = connection.execute(query).one_or_none()
        if row is not None and row.seen <= now - RENEWED:
            with self.database.writing() as connection:
                connection.execute(
                    sa.update(SESSIONS).where(SESSIONS.c.hash == row.hash).values(seen=now)
                )
        return None if row is None else bytes(row.data)

    def drop(self, number: str) -> None:
        """Forget a session."""
        with self.database.writing() as connection:
            connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.hash == hash_token(number)))

    async def load(self, scope: Scope) -> None:
        """Find the session of a request; its contents are empty if there is none."""
        number = ASGIConnection[Any, Any, Any, Any](scope).cookies.get(self.settings.cookie(COOKIE))
        stored = await to_thread.run_sync(self.read, number) if number else None
        known = number if number and stored is not None else ""
        scope["session"] = {} if stored is None else msgspec.json.decode(stored)
        scope["state"]["session"] = SessionState(known, stored)

    async def check_form(self, scope: Scope, receive: Receive) -> None:
        """Give a request a token for its forms; what writes has to bring that of its session.

        Raises:
            PermissionDeniedException: it writes, without the token of its session.
        """
        request: Request[Any, Any, Any] = Request(scope, receive)
        state: SessionState = scope["state"]["session"]
        state.form_token = kept = request.cookies.get(self.settings.cookie(FORMS), "")
        seal = self._seal(state.number, kept[:_RANDOM])
        good, safe = _same(kept[_RANDOM:], seal), request.method in SAFE
        if good and (safe or _same(await _sent(request), kept)):
            ScopeState.from_scope(scope).csrf_token = kept
        elif safe:
            self._renew_form_token(scope)
        else:
            raise PermissionDeniedException(_NOT_OURS)

    def _renew_form_token(self, scope: Scope) -> None:
        state: SessionState = scope["state"]["session"]
        random = secrets.token_hex(_RANDOM // 2)
        ScopeState.from_scope(scope).csrf_token = random + self._seal(state.number, random)

    def _seal(self, session: str, random: str) -> str:
        text = f"form\n{random}\n{session}"
        return hmac.new(self.settings.secret.encode(), text.encode(), sha256).hexdigest()

    def saving(self, scope: Scope, send: Send) -> Send:
        """Where a response is sent; the session is stored first, if it changed."""

        async def save_and_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                token = str(ScopeState.from_scope(scope).csrf_token)
                if token != scope["state"]["session"].form_token:
                    self._set_cookie(message, FORMS, token)
                await self._save(scope, message)
            await send(message)

        return save_and_send

    async def _save(self, scope: Scope, message: Message) -> None:
        """Store the session if it changed; a cookie is set where its number did."""
        state: SessionState = scope["state"]["session"]
        data: Any = scope["session"]
        if data is Empty or not data:
            if state.stored is not None:
                await to_thread.run_sync(self.drop, state.number)
                self._set_cookie(message, COOKIE, "", 0)
            return
        encoded = msgspec.json.encode(data)
        if encoded != state.stored or state.renewed:
            number = state.number or secrets.token_hex(32)
            await to_thread.run_sync(self.put, number, encoded)
            if number != state.number or state.renewed:
                self._set_cookie(message, COOKIE, number, self.settings.absolute)

    def renew(self, scope: Scope) -> None:
        """Give the session of a request a new number; the old one is dead."""
        state: SessionState = scope["state"]["session"]
        if state.number:
            self.drop(state.number)
        state.number, state.renewed = secrets.token_hex(32), True
        self._renew_form_token(scope)

    def _set_cookie(
        self, message: Message, name: str, value: str, max_age: int | None = None
    ) -> None:
        """Send a cookie with a response, for this site alone and no script."""
        cookie = Cookie(
            key=self.settings.cookie(name), value=value, max_age=max_age, path="/",
            secure=self.settings.secure, httponly=True, samesite="lax",
        )  # fmt: skip
        MutableScopeHeaders.from_message(message).add("set-cookie", cookie.to_header(header=""))


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


async def _sent(request: Request[Any, Any, Any]) -> str:
    """The token that comes along: in a header, or in the form."""
    if header := request.headers.get(HEADER):
        return header
    is_form = request.content_type[0] in _FORM_TYPES
    given = (await request.form()).get(CSRF_FIELD) if is_form else None
    return given if isinstance(given, str) else ""


def end_all(connection: sa.Connection, account: int) -> None:
    """Sign an account out everywhere."""
    connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.account == account))
