"""Lists that an officer proposes to publish and a second officer has to approve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import sqlalchemy as sa

from palmares.web.accounts.store import LARGEST_ID
from palmares.web.tables import ACCOUNTS, PROPOSALS


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A list that waits for a second officer."""

    id: int
    account: int  # of the officer who proposes it
    author: str  # their name
    created: int
    title: str
    fields: Mapping[str, str]  # of the form of its publication


_ALL = sa.select(PROPOSALS, ACCOUNTS.c.name.label("author")).select_from(
    PROPOSALS.join(ACCOUNTS, PROPOSALS.c.account == ACCOUNTS.c.id)
)


def propose(
    connection: sa.Connection, account: int, title: str, fields: Mapping[str, str], now: int
) -> None:
    """Keep a list for a second officer; once, however often it is proposed."""
    text = msgspec.json.encode(dict(sorted(fields.items()))).decode()
    connection.execute(sa.delete(PROPOSALS).where(PROPOSALS.c.fields == text))
    values = {"account": account, "created": now, "title": title, "fields": text}
    connection.execute(sa.insert(PROPOSALS).values(values))


def proposals(connection: sa.Connection) -> list[Proposal]:
    """Every list that waits, the newest first."""
    rows = connection.execute(_ALL.order_by(PROPOSALS.c.id.desc())).mappings()
    return [Proposal(**{**row, "fields": msgspec.json.decode(row["fields"])}) for row in rows]


def find_proposal(connection: sa.Connection, number: int) -> Proposal | None:
    """One of them by its number."""
    return next((one for one in proposals(connection) if one.id == number), None)


def remove_proposal(connection: sa.Connection, number: int) -> bool:
    """Forget a list that was published or withdrawn; whether there was one."""
    if not 0 < number <= LARGEST_ID:
        return False
    done = connection.execute(sa.delete(PROPOSALS).where(PROPOSALS.c.id == number))
    return done.rowcount == 1
