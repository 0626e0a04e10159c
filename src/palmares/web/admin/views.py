"""The administrator's desk: every account, and what can be done with it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from palmares.journal.store.entries import ROLES
from palmares.web.accounts.store import Person
from palmares.web.tables import day_of


@dataclass(frozen=True, slots=True, kw_only=True)
class AdministratorRow:
    """One account."""

    id: int
    name: str
    role: str
    state: str  # active, invited, disabled
    coded: bool  # one-time codes are set up
    needs_codes: bool  # in this role they must be
    created: date
    seen: date | None
    own: bool  # of whoever looks


@dataclass(frozen=True, slots=True, kw_only=True)
class AdministratorPage:
    """Every account."""

    accounts: tuple[AdministratorRow, ...]
    roles: tuple[str, ...] = tuple(reversed(tuple(ROLES)))
    link: str | None = None  # of an invitation, shown once
    invited: str | None = None  # whom it is for
    problem: str | None = None


def account_row(person: Person, own: int) -> AdministratorRow:
    """An account as the administrator of another one sees it."""
    waiting = "invited" if person.password is None else "active"
    return AdministratorRow(
        id=person.id,
        name=person.name,
        role=person.role,
        state="disabled" if person.disabled else waiting,
        coded=person.coded,
        needs_codes=person.needs_codes,
        created=day_of(person.created),
        seen=None if person.seen is None else day_of(person.seen),
        own=person.id == own,
    )
