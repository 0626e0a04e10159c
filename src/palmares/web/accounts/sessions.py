"""
Sessions of people who are signed in, and tokens of programs.

The database has only hashes of session numbers and tokens, so a copy of it signs nobody in. A token
acts for an account until it expires, after a year at most, or is revoked.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec
import sqlalchemy as sa
from anyio import to_thread
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie, MutableScopeHeaders
from litestar.types import Empty, Message, Scope, Send

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.journal.store.databases import Database
from palmares.web.accounts.store import LARGEST_ID, hash_token
from palmares.web.http.routing import Account
from palmares.web.http.state import AppState
from palmares.web.tables import ACCOUNTS, SESSIONS, TOKENS, day_of

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


def end_sessions(connection: sa.Connection, account: int) -> None:
    """Sign an account out everywhere."""
    connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.account == account))


# ── tokens of programs ───────────────────────────────────────────────────────────────────────────

PREFIX = "palmares_"
"""Every token begins so: programs that look for leaked secrets find it."""
DAY = 24 * 60 * 60
LIFE = 365
_NOTED = 60 * 60
_LONGEST = 60
_MOST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token as its owner sees it later."""

    id: int
    label: str
    created: date
    expires: date
    last_used: date | None
    writes: bool  # or reads only


def issue_token(
    database: Database,
    account: int,
    label: str,
    now: int,
    days: int = LIFE,
    *,
    writes: bool = False,
) -> str:
    """A new token, which reads what its account may, or also writes; only its hash is stored.

    Raises:
        Refused: the label is none, or there are too many tokens; a year is the longest.
    """
    text = " ".join(label.split())
    if not text or len(text) > _LONGEST or not text.isprintable():
        raise Refused(
            msg(
                "A token has a name of 1 to %(most)s letters, such as what will use it.",
                most=_LONGEST,
            )
        )
    if not 1 <= days <= LIFE:
        raise Refused(msg("A token is good for 1 to %(most)s days.", most=LIFE))
    token = PREFIX + secrets.token_urlsafe(32)
    with database.writing() as connection:
        connection.execute(
            sa.delete(TOKENS).where(TOKENS.c.account == account, TOKENS.c.expires <= now)
        )
        if len(list_tokens(connection, account)) >= _MOST:
            raise Refused(
                msg("An account has at most %(most)s tokens. Revoke one first.", most=_MOST)
            )
        connection.execute(
            sa.insert(TOKENS).values(
                hash=hash_token(token),
                account=account,
                label=text,
                created=now,
                expires=now + days * DAY,
                writes=writes,
            )
        )
    return token


def authenticate_token(database: Database, token: str, now: int) -> tuple[Account, bool] | None:
    """The account of a token that is good, and whether it writes; none otherwise."""
    if not token.startswith(PREFIX):
        return None
    query = (
        sa.select(TOKENS, ACCOUNTS.c.name, ACCOUNTS.c.role)
        .join(ACCOUNTS, TOKENS.c.account == ACCOUNTS.c.id)
        .where(TOKENS.c.hash == hash_token(token), TOKENS.c.expires > now, ~ACCOUNTS.c.disabled)
    )
    with database.reading() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        return None
    if row.seen is None or row.seen <= now - _NOTED:
        with database.writing() as connection:
            connection.execute(sa.update(TOKENS).where(TOKENS.c.id == row.id).values(seen=now))
    return Account(row.account, row.name, row.role), bool(row.writes)


def list_tokens(connection: sa.Connection, account: int) -> list[Token]:
    """The tokens of an account, the oldest first."""
    query = sa.select(TOKENS).where(TOKENS.c.account == account).order_by(TOKENS.c.id)
    return [
        Token(
            id=row.id,
            label=row.label,
            created=day_of(row.created),
            expires=day_of(row.expires),
            last_used=None if row.seen is None else day_of(row.seen),
            writes=row.writes,
        )
        for row in connection.execute(query)
    ]


def revoke_token(database: Database, account: int, token: int) -> bool:
    """Revoke a token of an account; whether there was one."""
    if not 0 < token <= LARGEST_ID:
        return False
    with database.writing() as connection:
        gone = connection.execute(
            sa.delete(TOKENS).where(TOKENS.c.account == account, TOKENS.c.id == token)
        )
        return bool(gone.rowcount)


def revoke_tokens(connection: sa.Connection, account: int) -> None:
    """Revoke all tokens of an account."""
    connection.execute(sa.delete(TOKENS).where(TOKENS.c.account == account))
