"""Pages of signing in, of one's own account, and of the accounts that an administrator sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from palmares.journal.store.entries import ROLES
from palmares.web.accounts.sessions import Token
from palmares.web.accounts.store import AccountRecord
from palmares.web.database import day_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPage:
    """A form."""

    problem: str | None = None  # what went wrong, where the form is shown again


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInPage(FormPage):
    """Name and password."""

    name: str = ""
    back: str = ""  # where to go then
    one_click: Mapping[str, str] | None = None  # in a demonstration: names by role


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUpPage(FormPage):
    """A new secret for an authenticator, and the first code from it."""

    secret: str  # in groups of four
    address: str  # otpauth://
    picture: str  # the same as a QR code: SVG


@dataclass(frozen=True, slots=True, kw_only=True)
class WelcomePage(FormPage):
    """A one-time link: choose a password, and a name if it is the first administrator."""

    token: str
    name: str | None  # none: the first administrator chooses one
    shortest: int
    typed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPage(FormPage):
    """One's own account: password, one-time codes, tokens of programs."""

    name: str
    role: str
    has_codes: bool  # this role signs in with one-time codes
    shortest: int
    tokens: tuple[Token, ...]
    issued: str | None = None  # a new token, shown once


# ── of an administrator ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRow:
    """One account."""

    id: int
    name: str
    role: str
    state: str  # active, invited, disabled
    has_codes: bool  # one-time codes are set up
    needs_codes: bool  # in this role they must be
    created: date
    last_sign_in: date | None
    is_self: bool  # of whoever looks


@dataclass(frozen=True, slots=True, kw_only=True)
class AdministratorPage:
    """Every account."""

    accounts: tuple[AccountRow, ...]
    roles: tuple[str, ...] = tuple(reversed(tuple(ROLES)))
    link: str | None = None  # of an invitation, shown once
    invited: str | None = None  # whom it is for
    problem: str | None = None


def account_row(person: AccountRecord, own: int) -> AccountRow:
    """An account as the administrator of another one sees it."""
    waiting = "invited" if person.password is None else "active"
    return AccountRow(
        id=person.id,
        name=person.name,
        role=person.role,
        state="disabled" if person.disabled else waiting,
        has_codes=person.coded,
        needs_codes=person.needs_codes,
        created=day_of(person.created),
        last_sign_in=None if person.seen is None else day_of(person.seen),
        is_self=person.id == own,
    )
