"""
Tokens with which programs use the API, in the name and the role of an account.

A token is 32 random bytes, too many to try, so its plain sha256 is stored. It ends after a year at
the latest, with its account, or when it is revoked.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.journal.store.databases import Database
from palmares.web.accounts.store import LARGEST_ID, hash_token
from palmares.web.http.routing import Account
from palmares.web.tables import ACCOUNTS, TOKENS, day_of

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


def issue(
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
        if len(list_all(connection, account)) >= _MOST:
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


def authenticate(database: Database, token: str, now: int) -> tuple[Account, bool] | None:
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


def list_all(connection: sa.Connection, account: int) -> list[Token]:
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


def revoke(database: Database, account: int, token: int) -> bool:
    """Revoke a token of an account; whether there was one."""
    if not 0 < token <= LARGEST_ID:
        return False
    with database.writing() as connection:
        gone = connection.execute(
            sa.delete(TOKENS).where(TOKENS.c.account == account, TOKENS.c.id == token)
        )
        return bool(gone.rowcount)


def revoke_all(connection: sa.Connection, account: int) -> None:
    """Revoke all tokens of an account."""
    connection.execute(sa.delete(TOKENS).where(TOKENS.c.account == account))
