"""
Who is signed in: sessions in the database, known to the browser by a random number alone.

    Sessions    the store that Litestar keeps sessions in: by the hash of the cookie
    Cookies     Litestar's server-side backend, which says nothing to visitors who have no session
    configured  the settings of a site  ->  Litestar's configuration
    number_of   the number of the session of a request
    renew       give this request's session a new number, the old one being dead (after sign-in)
    end         sign an account out everywhere

Whoever reads the database learns no number that a browser has. A number that a browser brings and
nobody issued is not taken up, so none can be planted.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any, cast

import msgspec
import sqlalchemy as sa
from anyio import to_thread
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie, MutableScopeHeaders
from litestar.middleware.session.server_side import (
    ServerSideSessionBackend,
    ServerSideSessionConfig,
)
from litestar.stores.base import Store
from litestar.types import Empty, Message, Scope
from litestar.utils.scope.state import ScopeState

from palmares.journal.databases import Database
from palmares.web.settings import Settings
from palmares.web.tables import SESSIONS

RENEWED = 60
"""Seconds after which the last use of a session is written down anew."""

Connection = ASGIConnection[Any, Any, Any, Any]


def hashed(number: str) -> str:
    """What is stored of a number that somebody else keeps."""
    return sha256(number.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Sessions(Store):
    """Sessions in the database."""

    database: Database
    settings: Settings

    async def set(
        self, key: str, value: str | bytes, expires_in: int | timedelta | None = None
    ) -> None:
        """Store a session; its lifetimes are the site's."""
        del expires_in
        data = value.encode() if isinstance(value, str) else value
        await to_thread.run_sync(self.put, key, data)

    def put(self, key: str, data: bytes) -> None:
        """Store a session; those that are over go."""
        now, hashed_key = self.settings.clock(), hashed(key)
        found = msgspec.json.decode(data)
        account = found.get("account") or found.get("half")  # who has yet to type a code, too
        with self.database.writing() as connection:
            connection.execute(
                sa.delete(SESSIONS).where(
                    (SESSIONS.c.seen <= now - self.settings.idle)
                    | (SESSIONS.c.created <= now - self.settings.absolute)
                )
            )
            changed = connection.execute(
                sa.update(SESSIONS)
                .where(SESSIONS.c.hash == hashed_key)
                .values(data=data, account=account, seen=now)
            )
            if not changed.rowcount:
                connection.execute(
                    sa.insert(SESSIONS).values(
                        hash=hashed_key, data=data, account=account, created=now, seen=now
                    )
                )

    async def get(self, key: str, renew_for: int | timedelta | None = None) -> bytes | None:
        """A session that is not over."""
        del renew_for
        return await to_thread.run_sync(self.read, key)

    def read(self, key: str) -> bytes | None:
        """A session that is not over; its last use is noted, not more than once a minute."""
        now = self.settings.clock()
        query = sa.select(SESSIONS).where(
            SESSIONS.c.hash == hashed(key),
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

    async def delete(self, key: str) -> None:
        """Forget a session."""
        await to_thread.run_sync(self.drop, key)

    def drop(self, key: str) -> None:
        """Forget a session."""
        with self.database.writing() as connection:
            connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.hash == hashed(key)))

    async def delete_all(self) -> None:
        """Sign everybody out."""
        await to_thread.run_sync(self.empty)

    def empty(self) -> None:
        """Sign everybody out."""
        with self.database.writing() as connection:
            connection.execute(sa.delete(SESSIONS))

    async def exists(self, key: str) -> bool:
        """Whether there is such a session."""
        return await self.get(key) is not None

    async def expires_in(self, key: str) -> int | None:
        """Seconds for which a session lasts if nothing is done."""
        return self.settings.idle if await self.exists(key) else None


class Cookies(ServerSideSessionBackend):
    """Litestar's backend; it stores what changed, and says nothing to visitors."""

    def get_session_id(self, connection: Connection) -> str:
        """The number of the session that was found, or a fresh one: never one that was planted."""
        known = ScopeState.from_scope(connection.scope).session_id
        return known if isinstance(known, str) else self.generate_session_id()

    async def load_from_connection(self, connection: Connection) -> dict[str, Any]:
        """The session of a request; empty if there is none."""
        number = connection.cookies.get(self.config.key)
        data = await self.get(number, self._store(connection)) if number else None
        if data is None:
            return {}
        ScopeState.from_scope(connection.scope).session_id = cast("str", number)
        connection.scope["state"]["session_was"] = data
        return self.deserialize_data(data)

    async def store_in_message(
        self, scope_session: Any, message: Message, connection: Connection
    ) -> None:
        """Store the session if it changed; only then is a cookie set."""
        was = connection.scope["state"].get("session_was")
        data = None if scope_session is Empty or not scope_session else scope_session
        renewed = connection.scope["state"].get("session_renewed", False)
        if data is None and was is None:
            return
        headers, store = MutableScopeHeaders.from_message(message), self._store(connection)
        if data is None:  # a session that was cleared has forgotten its number: the browser has not
            await self.delete(connection.cookies[self.config.key], store)
            headers.add("Set-Cookie", self._cookie("", 0))
            return
        number = self.get_session_id(connection)
        told = self.serialize_data(data, connection.scope)
        if told != was or renewed:
            await self.set(number, told, store)
            if was is None or renewed:
                headers.add("Set-Cookie", self._cookie(number, self.config.max_age))

    def _store(self, connection: Connection) -> Store:
        return self.config.get_store_from_app(connection.scope["litestar_app"])

    def _cookie(self, value: str, age: int) -> str:
        return Cookie(
            key=self.config.key,
            value=value,
            max_age=age,
            path="/",
            secure=self.config.secure,
            httponly=True,
            samesite="lax",
        ).to_header(header="")


def cookie_name(settings: Settings, name: str) -> str:
    """The name of a cookie; over https one that no neighbour under our domain can set."""
    return f"__Host-{name}" if settings.secure else name


def configured(settings: Settings) -> ServerSideSessionConfig:
    """Litestar's configuration of sessions."""
    return ServerSideSessionConfig(
        key=cookie_name(settings, "palmares"),
        max_age=settings.absolute,
        secure=settings.secure,
        httponly=True,
        samesite="lax",
        store="sessions",
    )


def number_of(scope: Scope) -> str:
    """The number of the session that a request came with, or was given; empty: it has none."""
    told = scope["state"]
    known = "session_was" in told or told.get("session_renewed", False)
    return str(ScopeState.from_scope(scope).session_id) if known else ""


def renew(connection: Connection, store: Sessions) -> None:
    """Give this request's session a new number; the old one is dead."""
    state = ScopeState.from_scope(connection.scope)
    if isinstance(state.session_id, str):
        store.drop(state.session_id)
    state.session_id = secrets.token_hex(32)
    connection.scope["state"]["session_renewed"] = True


def end(connection: sa.Connection, account: int) -> None:
    """Sign an account out everywhere."""
    connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.account == account))
