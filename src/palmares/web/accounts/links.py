"""
One-time links: to make the first administrator, to choose a password when invited.

    made        a new link's token; its hash is stored
    dropped     the links for an account are good no longer
    good        whom a token is for; none if it is not good
    governed    whether there is an administrator who can sign in
    HOUR        seconds that the first link lasts
    INVITED     seconds that an invitation lasts
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from hashlib import sha256

import sqlalchemy as sa

from palmares.web.accounts.people import Person, found
from palmares.web.tables import ACCOUNTS, LINKS

HOUR = 60 * 60
INVITED = 72 * HOUR


@dataclass(frozen=True, slots=True)
class Invited:
    """Whom a link is for: an account, or whoever comes first."""

    person: Person | None


def made(connection: sa.Connection, account: int | None, now: int) -> str:
    """A new link's token; earlier ones for the same account are good no longer."""
    token = secrets.token_urlsafe(32)
    dropped(connection, account)
    connection.execute(
        sa.insert(LINKS).values(
            hash=_hashed(token),
            account=account,
            expires=now + (HOUR if account is None else INVITED),
        )
    )
    return token


def dropped(connection: sa.Connection, account: int | None) -> None:
    """The links for an account are good no longer."""
    connection.execute(sa.delete(LINKS).where(LINKS.c.account.is_not_distinct_from(account)))


def good(connection: sa.Connection, token: str, now: int) -> Invited | None:
    """Whom a token is for; none if it is not good."""
    query = sa.select(LINKS.c.account).where(LINKS.c.hash == _hashed(token), LINKS.c.expires > now)
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    if row.account is None:
        return None if governed(connection) else Invited(None)
    person = found(connection, row.account)
    return None if person is None or person.disabled else Invited(person)


def governed(connection: sa.Connection) -> bool:
    """Whether there is an administrator who can sign in."""
    query = sa.select(ACCOUNTS.c.id).where(
        ACCOUNTS.c.role == "administrator",
        ACCOUNTS.c.password.is_not(None),
        ~ACCOUNTS.c.disabled,
    )
    return connection.execute(query.limit(1)).one_or_none() is not None


def _hashed(token: str) -> str:
    return sha256(token.encode()).hexdigest()
