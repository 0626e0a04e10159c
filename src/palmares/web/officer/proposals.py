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
    query = sa.select(PROPOSALS, ACCOUNTS.c.name.label("author")).join(
        ACCOUNTS, PROPOSALS.c.account == ACCOUNTS.c.id
    )
    rows = connection.execute(query.order_by(PROPOSALS.c.id.desc())).mappings()
    return [Proposal(**{**row, "fields": msgspec.json.decode(row["fields"])}) for row in rows]


def remove_proposal(connection: sa.Connection, number: int) -> bool:
    """Forget a list that was published or withdrawn; whether there was one."""
    return number <= LARGEST_ID and bool(
        connection.execute(sa.delete(PROPOSALS).where(PROPOSALS.c.id == number)).rowcount
    )
