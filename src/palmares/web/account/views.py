"""Pages of signing in and of one's own account: what each shows."""

from __future__ import annotations

from dataclasses import dataclass

from palmares.web.accounts import totp
from palmares.web.accounts.tokens import Token


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInPage:
    """Name and password."""

    name: str = ""
    back: str = ""  # where to go then
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePage:
    """The one-time code, after the password."""

    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUpPage:
    """A new secret for an authenticator, and the first code from it."""

    secret: str  # in groups of four
    address: str  # otpauth://
    picture: str  # the same as a QR code: SVG
    own: bool = False  # wanted by somebody who is signed in, with the password once more
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryPage:
    """Recovery codes, shown once."""

    codes: tuple[str, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WelcomePage:
    """A one-time link: choose a password, and a name if it is the first administrator."""

    token: str
    name: str | None  # none: the first administrator chooses one
    shortest: int
    typed: str = ""
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPage:
    """One's own account: password, one-time codes, tokens of programs."""

    name: str
    role: str
    coded: bool  # one-time codes are set up
    needs_codes: bool  # in this role nobody signs in without
    shortest: int
    tokens: tuple[Token, ...]
    issued: str | None = None  # a new token, shown once
    problem: str | None = None


def set_up_page(
    secret: str, name: str, *, own: bool = False, problem: str | None = None
) -> SetUpPage:
    """A new secret as a page shows it: a picture, letters, an address."""
    address = totp.provisioning_uri(secret, name)
    return SetUpPage(
        secret=totp.grouped(secret),
        address=address,
        picture=totp.qr_code(address),
        own=own,
        problem=problem,
    )
