"""
Who is signed in: sessions in the database.

The database has hashes of session numbers only, so that reading it signs nobody in. A number that
the site did not issue is not taken up.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

import msgspec
import sqlalchemy as sa
from anyio import to_thread
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie, MutableScopeHeaders
from litestar.types import Empty, Message, Scope, Send

from palmares.web.accounts.store import hash_token
from palmares.web.http.state import AppState
from palmares.web.tables import SESSIONS

RENEWED = 60
"""Seconds after which the last use of a session is updated."""
COOKIE = "palmares"


@dataclass(slots=True)
class SessionState:
    """The session of a request: the number it came with or was given, and what is stored."""

    number: str = ""  # empty: the next one is new
    stored: bytes | None = None


@dataclass(frozen=True, slots=True)
class Sessions:
    """Sessions in the database."""

    app_state: AppState

    def put(self, number: str, data: bytes) -> None:
        """Store a session; those that are over go."""
        now, key = self.app_state.clock(), hash_token(number)
        session = msgspec.json.decode(data)
        account = session.get("account") or session.get("half")  # who has yet to type a code, too
        values = {"data": data, "account": account, "seen": now}
        with self.app_state.database.writing() as connection:
            connection.execute(
                sa.delete(SESSIONS).where(
                    (SESSIONS.c.seen <= now - self.app_state.settings.idle)
                    | (SESSIONS.c.created <= now - self.app_state.settings.absolute)
                )
            )
            changed = connection.execute(
                sa.update(SESSIONS).where(SESSIONS.c.hash == key).values(**values)
            )
            if not changed.rowcount:
                connection.execute(sa.insert(SESSIONS).values(hash=key, created=now, **values))

    def read(self, number: str) -> bytes | None:
        """A session that is not over; its last use is noted, not more than once a minute."""
        now = self.app_state.clock()
        query = sa.select(SESSIONS).where(
            SESSIONS.c.hash == hash_token(number),
            SESSIONS.c.seen > now - self.app_state.settings.idle,
            SESSIONS.c.created > now - self.app_state.settings.absolute,
        )
        with self.app_state.database.reading() as connection:
            row = connection.execute(query).one_or_none()
        if row is not None and row.seen <= now - RENEWED:
            with self.app_state.database.writing() as connection:
                connection.execute(
                    sa.update(SESSIONS).where(SESSIONS.c.hash == row.hash).values(seen=now)
                )
        return None if row is None else bytes(row.data)

    def drop(self, number: str) -> None:
        """Forget a session."""
        with self.app_state.database.writing() as connection:
            connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.hash == hash_token(number)))

    async def load(self, scope: Scope) -> None:
        """Find the session of a request; its contents are empty if there is none."""
        cookie = self.app_state.settings.cookie(COOKIE)
        number = ASGIConnection[Any, Any, Any, Any](scope).cookies.get(cookie, "")
        stored = await to_thread.run_sync(self.read, number) if number else None
        scope["session"] = {} if stored is None else msgspec.json.decode(stored)
        scope["state"]["session"] = SessionState("" if stored is None else number, stored)

    def saving(self, scope: Scope, send: Send) -> Send:
        """Where a response is sent; the session is stored first, if it changed."""

        async def save_and_send(message: Message) -> None:
            if message["type"] == "http.response.start":
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
                self._set_cookie(message, "", 0)
            return
        encoded = msgspec.json.encode(data)
        if encoded != state.stored:
            number = state.number or secrets.token_hex(32)
            await to_thread.run_sync(self.put, number, encoded)
            if not state.number:
                self._set_cookie(message, number, self.app_state.settings.absolute)

    def renew(self, scope: Scope) -> None:
        """End the session of a request: what it holds from now on gets a new number."""
        if number := scope["state"]["session"].number:
            self.drop(number)
        scope["state"]["session"] = SessionState()

    def _set_cookie(self, message: Message, value: str, max_age: int) -> None:
        """Send the session's cookie with a response, for this site alone and no script."""
        cookie = Cookie(
            key=self.app_state.settings.cookie(COOKIE), value=value, max_age=max_age, path="/",
            secure=self.app_state.settings.secure, httponly=True, samesite="lax",
        )  # fmt: skip
        MutableScopeHeaders.from_message(message).add("set-cookie", cookie.to_header(header=""))


def end_all(connection: sa.Connection, account: int) -> None:
    """Sign an account out everywhere."""
    connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.account == account))
