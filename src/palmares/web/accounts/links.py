"""One-time links: to make the first administrator, to choose a password when invited."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from palmares.web.accounts.store import Person, find, hash_token
from palmares.web.tables import ACCOUNTS, LINKS

HOUR = 60 * 60
INVITED = 72 * HOUR


@dataclass(frozen=True, slots=True)
class Invitee:
    """Whom a link is for: an account, or whoever comes first."""

    person: Person | None


def create(connection: sa.Connection, account: int | None, now: int) -> str:
    """The token of a new link; earlier ones for the same account are good no longer."""
    token = secrets.token_urlsafe(32)
    revoke(connection, account)
    expires = now + (HOUR if account is None else INVITED)
    connection.execute(
        sa.insert(LINKS).values(hash=hash_token(token), account=account, expires=expires)
    )
    return token


def revoke(connection: sa.Connection, account: int | None) -> None:
    """The links for an account are good no longer."""
    connection.execute(sa.delete(LINKS).where(LINKS.c.account.is_not_distinct_from(account)))


def invitee(connection: sa.Connection, token: str, now: int) -> Invitee | None:
    """Whom a token is for; none if it is not good."""
    query = sa.select(LINKS.c.account).where(
        LINKS.c.hash == hash_token(token), LINKS.c.expires > now
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    if row.account is None:
        return None if has_administrator(connection) else Invitee(None)
    person = find(connection, row.account)
    return None if person is None or person.disabled else Invitee(person)


def has_administrator(connection: sa.Connection) -> bool:
    """Whether there is an administrator who can sign in."""
    query = sa.select(ACCOUNTS.c.id).where(
        ACCOUNTS.c.role == "administrator",
        ACCOUNTS.c.password.is_not(None),
        ~ACCOUNTS.c.disabled,
    )
    return connection.execute(query.limit(1)).one_or_none() is not None
