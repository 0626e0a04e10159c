"""
Sessions of people who are signed in, and tokens of programs.

The database has only hashes of session numbers and tokens, so a copy of it signs nobody in. A token
acts for an account until it expires, after a year at most, or is revoked.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec
import sqlalchemy as sa
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.journal.store.databases import Database
from palmares.web.accounts.store import LARGEST_ID, hash_token
from palmares.web.database import ACCOUNTS, SESSIONS, TOKENS, day_of
from palmares.web.http.routing import Account
from palmares.web.http.state import AppState

RENEWED = 60
"""Seconds after which the last use of a session is updated."""
COOKIE = "palmares"


def save_session(app_state: AppState, number: str, data: Mapping[str, Any]) -> None:
    """Store a new session; those that are over go."""
    now, settings = app_state.clock(), app_state.settings
    account = data.get("account") or data.get("half")  # who has yet to type a code, too
    stored = msgspec.json.encode(data)
    values = {"hash": hash_token(number), "data": stored, "account": account, "seen": now}
    with app_state.database.writing() as connection:
        connection.execute(
            sa.delete(SESSIONS).where(
                (SESSIONS.c.seen <= now - settings.idle)
                | (SESSIONS.c.created <= now - settings.absolute)
            )
        )
        connection.execute(sa.insert(SESSIONS).values(created=now, **values))


def read_session(app_state: AppState, number: str) -> dict[str, Any]:
    """What a session holds, nothing if it is over; its last use is noted once a minute."""
    if not number:
        return {}
    now, settings = app_state.clock(), app_state.settings
    query = sa.select(SESSIONS).where(
        SESSIONS.c.hash == hash_token(number),
        SESSIONS.c.seen > now - settings.idle,
        SESSIONS.c.created > now - settings.absolute,
    )
    with app_state.database.reading() as connection:
        row = connection.execute(query).one_or_none()
    if row is not None and row.seen <= now - RENEWED:
        with app_state.database.writing() as connection:
            connection.execute(
                sa.update(SESSIONS).where(SESSIONS.c.hash == row.hash).values(seen=now)
            )
    return {} if row is None else msgspec.json.decode(row.data)


def number_in(connection: ASGIConnection[Any, Any, Any, Any]) -> str:
    """The number of the session that a request brings; empty: none."""
    return connection.cookies.get(connection.app.state.app_state.settings.cookie(COOKIE), "")


def replace_session(app_state: AppState, number: str, data: Mapping[str, Any]) -> Cookie:
    """End a session and begin another; without data only end it.

    Returns:
        The cookie that goes with the answer, for this site alone and no script.
    """
    with app_state.database.writing() as connection:
        connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.hash == hash_token(number)))
    fresh = secrets.token_hex(32) if data else ""
    if data:
        save_session(app_state, fresh, data)
    return Cookie(
        key=app_state.settings.cookie(COOKIE), value=fresh, path="/",
        max_age=app_state.settings.absolute if data else 0,
        secure=app_state.settings.secure, httponly=True, samesite="lax",
    )  # fmt: skip


def end_sessions(connection: sa.Connection, account: int) -> None:
    """Sign an account out everywhere."""
    connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.account == account))


# ── tokens of programs ───────────────────────────────────────────────────────────────────────────

PREFIX = "palmares_"
"""Every token begins so: programs that look for leaked secrets find it."""
DAY = 24 * 60 * 60
LIFE = 365
_USE_UPDATED = 60 * 60
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
                "A token has a name of 1 to %(most)s characters, such as what will use it.",
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
    if row.seen is None or row.seen <= now - _USE_UPDATED:
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


def revoke_token(connection: sa.Connection, account: int, token: int) -> bool:
    """Revoke a token of an account; whether there was one."""
    if not 0 < token <= LARGEST_ID:
        return False
    gone = connection.execute(
        sa.delete(TOKENS).where(TOKENS.c.account == account, TOKENS.c.id == token)
    )
    return bool(gone.rowcount)


def revoke_tokens(connection: sa.Connection, account: int) -> None:
    """Revoke all tokens of an account."""
    connection.execute(sa.delete(TOKENS).where(TOKENS.c.account == account))
