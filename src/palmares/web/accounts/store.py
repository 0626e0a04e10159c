"""
Accounts in the database: made, found, changed.

    Person      an account with everything that the site knows of it
    add         a new account, without a password yet
    found       an account by its number
    named       an account by its name, whatever its capitals
    everybody   all accounts, by name
    change      some columns of an account
    key_of      a name  ->  what no two accounts share
    account_of  a Person  ->  the Account that pages see
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

import polars as pl
import sqlalchemy as sa

from palmares.errors import Refused, brief
from palmares.facts.texts import cleaned
from palmares.journal.entries import ROLES
from palmares.web.accounts import Account
from palmares.web.messages import said
from palmares.web.tables import ACCOUNTS

LONGEST = 100
MOST = 2**63 - 1
"""The largest number that a database can hold."""
CODED = frozenset({"officer", "administrator"})
"""The roles that sign in with one-time codes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
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


def account_of(person: Person) -> Account:
    """The account that pages see."""
    return Account(person.id, person.name, person.role)


def key_of(name: str) -> str:
    """What no two accounts share: the name without capitals, in one spelling, spaces squeezed."""
    spelt = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(spelt.split())


def add(connection: sa.Connection, name: str, role: str, now: int) -> int:
    """A new account, without a password yet.

    Raises:
        Refused: the name cannot be shown, or somebody has it; there is no such role.
    """
    text = " ".join(name.split())
    spelt = cleaned(pl.Series([text], dtype=pl.String))[0][0]
    if not spelt or len(spelt) > LONGEST:
        raise Refused(said("A name has 1 to %(most)s letters that can be seen.", most=LONGEST))
    if role not in ROLES:
        raise Refused(
            said("A role is %(roles)s, not %(asked)s.", roles=tuple(ROLES), asked=brief(role))
        )
    if named(connection, spelt) is not None:
        raise Refused(said("Somebody is called %(name)s already.", name=brief(spelt)))
    made = connection.execute(
        sa.insert(ACCOUNTS).values(
            name=spelt, key=key_of(spelt), role=role, step=0, disabled=False, created=now
        )
    )
    return int(made.inserted_primary_key[0])  # type: ignore[index]


def found(connection: sa.Connection, account: int) -> Person | None:
    """An account by its number."""
    if not 0 < account <= MOST:
        return None
    return _one(connection, ACCOUNTS.c.id == account)


def named(connection: sa.Connection, name: str) -> Person | None:
    """An account by its name, whatever its capitals."""
    if "\x00" in name:  # PostgreSQL takes none
        return None
    return _one(connection, ACCOUNTS.c.key == key_of(name))


def everybody(connection: sa.Connection) -> list[Person]:
    """All accounts, by name."""
    rows = connection.execute(sa.select(ACCOUNTS).order_by(ACCOUNTS.c.key))
    return [Person(**row) for row in rows.mappings()]


def change(connection: sa.Connection, account: int, **values: Any) -> None:
    """Some columns of an account."""
    connection.execute(sa.update(ACCOUNTS).where(ACCOUNTS.c.id == account).values(**values))


def _one(connection: sa.Connection, where: sa.ColumnElement[bool]) -> Person | None:
    row = connection.execute(sa.select(ACCOUNTS).where(where)).mappings().one_or_none()
    return None if row is None else Person(**row)
