"""The administrator's desk: every account, and what can be done with it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from palmares.journal.entries import ROLES
from palmares.web.accounts.people import CODED, Person
from palmares.web.pages.moments import day_of


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
    roles: tuple[str, ...]
    link: str | None = None  # of an invitation, shown once
    invited: str | None = None  # whom it is for
    problem: str | None = None


def administrator_page(
    found: list[Person],
    own: int,
    *,
    link: str | None = None,
    invited: str | None = None,
    problem: str | None = None,
) -> AdministratorPage:
    """The desk of one administrator."""
    return AdministratorPage(
        accounts=tuple(_row(one, own) for one in found),
        roles=tuple(reversed(tuple(ROLES))),
        link=link,
        invited=invited,
        problem=problem,
    )


def _row(one: Person, own: int) -> AdministratorRow:
    waiting = "invited" if one.password is None else "active"
    return AdministratorRow(
        id=one.id,
        name=one.name,
        role=one.role,
        state="disabled" if one.disabled else waiting,
        coded=one.secret is not None,
        needs_codes=one.role in CODED,
        created=day_of(one.created),
        seen=None if one.seen is None else day_of(one.seen),
        own=one.id == own,
    )
