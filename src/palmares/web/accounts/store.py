"""
Accounts in the database.

Every function that takes a connection is one step of the caller's transaction.
"""

from __future__ import annotations

import secrets
import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import polars as pl
import sqlalchemy as sa

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.facts.text import cleaned
from palmares.journal.store.entries import ROLES
from palmares.web.database import ACCOUNTS, LINKS
from palmares.web.http.routing import Account

LONGEST_NAME = 100
LARGEST_ID = 2**63 - 1
"""The largest number that a database can hold."""
CODED = frozenset({"officer", "administrator"})
"""The roles that sign in with one-time codes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRecord:
    """An account with everything that the site knows of it."""

    id: int
    name: str
    key: str
    role: str
    password: str | None
    secret: str | None
    step: int
    disabled: bool
    created: int
    seen: int | None

    @property
    def account(self) -> Account:
        """The account as pages know it, without its secrets."""
        return Account(self.id, self.name, self.role)

    @property
    def coded(self) -> bool:
        """Whether one-time codes are set up."""
        return self.secret is not None

    @property
    def needs_codes(self) -> bool:
        """Whether this role must sign in with them."""
        return self.role in CODED


def name_key(name: str) -> str:
    """A name in the one spelling that no two accounts share: without capitals and extra spaces."""
    spelt = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(spelt.split())


def hash_token(token: str) -> str:
    """The hash that is stored of a random token; there are too many tokens to try."""
    return sha256(token.encode()).hexdigest()


def refuse_role(role: str) -> None:
    """Refuse an unknown role.

    Raises:
        Refused: names those that there are.
    """
    if role not in ROLES:
        raise Refused(
            msg("A role is %(roles)s, not %(asked)s.", roles=tuple(ROLES), asked=brief(role))
        )


def add(connection: sa.Connection, name: str, role: str, now: int) -> int:
    """A new account, without a password yet.

    Raises:
        Refused: the name cannot be shown or is taken; there is no such role.
    """
    text = " ".join(name.split())
    spelt = cleaned(pl.Series([text], dtype=pl.String))[0][0]
    if not spelt or len(spelt) > LONGEST_NAME:
        raise Refused(
            msg("A name has 1 to %(most)s characters that can be seen.", most=LONGEST_NAME)
        )
    refuse_role(role)
    if find_by_name(connection, spelt) is not None:
        raise Refused(msg("Somebody is called %(name)s already.", name=brief(spelt)))
    inserted = connection.execute(
        sa.insert(ACCOUNTS).values(
            name=spelt, key=name_key(spelt), role=role, step=0, disabled=False, created=now
        )
    )
    return int(inserted.inserted_primary_key[0])  # type: ignore[index]


def find(connection: sa.Connection, account: int) -> AccountRecord | None:
    """An account by its number."""
    return _find(connection, ACCOUNTS.c.id == account) if 0 < account <= LARGEST_ID else None


def existing(connection: sa.Connection, account: int) -> AccountRecord:
    """An account that there is.

    Raises:
        Refused: there is none of this number.
    """
    person = find(connection, account)
    if person is None:
        raise Refused(msg("There is no such account."))
    return person


def find_by_name(connection: sa.Connection, name: str) -> AccountRecord | None:
    """An account by its name, whatever its capitals."""
    if "\x00" in name:  # PostgreSQL takes none
        return None
    return _find(connection, ACCOUNTS.c.key == name_key(name))


def list_all(connection: sa.Connection) -> list[AccountRecord]:
    """All accounts, by name."""
    rows = connection.execute(sa.select(ACCOUNTS).order_by(ACCOUNTS.c.key))
    return [AccountRecord(**row) for row in rows.mappings()]


def update(connection: sa.Connection, account: int, **values: Any) -> None:
    """Change some columns of an account."""
    connection.execute(sa.update(ACCOUNTS).where(ACCOUNTS.c.id == account).values(**values))


def _find(connection: sa.Connection, where: sa.ColumnElement[bool]) -> AccountRecord | None:
    row = connection.execute(sa.select(ACCOUNTS).where(where)).mappings().one_or_none()
    return None if row is None else AccountRecord(**row)


# ── one-time links: to make the first administrator, to choose a password when invited ───────────


HOUR = 60 * 60
INVITED = 72 * HOUR


GONE = msg(
    "This link has expired or was used already. If you have a password, sign in. If not, ask"
    " whoever sent the link for a new one."
)
NO_ADMINISTRATOR = msg(
    "This link has expired, and this site has no administrator yet. Whoever runs the site starts it"
    " again: each start shows a new link, good once and for an hour."
)


def create_link(connection: sa.Connection, account: int | None, now: int) -> str:
    """The token of a new link; earlier links for the same account stop working."""
    token = secrets.token_urlsafe(32)
    revoke_links(connection, account)
    expires = now + (HOUR if account is None else INVITED)
    connection.execute(
        sa.insert(LINKS).values(hash=hash_token(token), account=account, expires=expires)
    )
    return token


def revoke_links(connection: sa.Connection, account: int | None) -> None:
    """End the links for an account."""
    connection.execute(sa.delete(LINKS).where(LINKS.c.account.is_not_distinct_from(account)))


def invitee(connection: sa.Connection, token: str, now: int) -> AccountRecord | None:
    """The account that a link is for; none: it makes the first administrator.

    Raises:
        Refused: it is not good.
    """
    query = sa.select(LINKS.c.account).where(
        LINKS.c.hash == hash_token(token), LINKS.c.expires > now
    )
    row = connection.execute(query).one_or_none()
    person = find(connection, row.account) if row is not None and row.account else None
    good = row is not None and (
        not person.disabled if person else not (row.account or has_administrator(connection))
    )
    if not good:
        raise Refused(GONE if has_administrator(connection) else NO_ADMINISTRATOR)
    return person


def has_administrator(connection: sa.Connection) -> bool:
    """Whether there is an administrator who can sign in."""
    query = sa.select(ACCOUNTS.c.id).where(
        ACCOUNTS.c.role == "administrator",
        ACCOUNTS.c.password.is_not(None),
        ~ACCOUNTS.c.disabled,
    )
    return connection.execute(query.limit(1)).one_or_none() is not None
