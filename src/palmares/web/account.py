"""
Pages of signing in and of one's own account.

Between the password and the code the session holds the half signed-in account; ``request.user``
stays None until the end, when the session gets a new number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

from anyio import to_thread
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.web.accounts import credentials, login, sessions, store
from palmares.web.accounts.sessions import Sessions
from palmares.web.accounts.store import Person
from palmares.web.accounts.throttle import client_address
from palmares.web.http import logs
from palmares.web.http.parameters import field, inside
from palmares.web.http.replies import private_answer, redirected
from palmares.web.http.routing import home_page, to
from palmares.web.http.state import AppState, Request
from palmares.web.settings import is_loopback

T = TypeVar("T")

HALF = 10 * 60
"""Seconds between the password and the code."""
SMALL = 64 * 1024
"""Bytes of a form that visitors may send."""


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
    own: bool = False  # asked for while signed in: the form asks for the password, too


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryPage:
    """Recovery codes, shown once."""

    codes: tuple[str, ...]
    next: str


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
    has_codes: bool  # one-time codes are set up
    needs_codes: bool  # this role signs in with them only
    shortest: int
    tokens: tuple[sessions.Token, ...]
    issued: str | None = None  # a new token, shown once


def set_up_page(
    secret: str, name: str, *, own: bool = False, problem: str | None = None
) -> SetUpPage:
    """A new secret as a page shows it: a picture, letters, an address."""
    address = credentials.provisioning_uri(secret, name)
    return SetUpPage(
        secret=credentials.grouped(secret),
        address=address,
        picture=credentials.qr_code(address),
        own=own,
        problem=problem,
    )


# ── steps ────────────────────────────────────────────────────────────────────────────────────────


async def _attempt(
    request: Request, step: Callable[..., T], *given: Any
) -> tuple[T | None, str | None]:
    """The result of a step, or what went wrong.

    These run in threads of their own, so that mass guessing does not slow down the site.
    """
    try:
        return await request.app_state.entering.page(step, request.app_state, *given), None
    except Refused as error:
        return None, str(error)


async def _attempt_with_password(
    request: Request, step: Callable[..., T], *given: Any, name: str = "password"
) -> tuple[T | None, str | None]:
    """The same for the signed-in account, which types its password again."""
    typed = field(await request.form(), name)

    def confirmed(app_state: AppState) -> T:
        address = client_address(request)
        person = login.confirm_password(app_state, request.user.id, typed, address)
        return step(app_state, person, *given)

    return await _attempt(request, confirmed)


async def _renew(request: Request, data: dict[str, Any]) -> None:
    """Give the session a new number and other contents; the old number is dead."""
    await to_thread.run_sync(Sessions(request.app_state).renew, request.scope)
    request.set_session(data)


# ── name and password ────────────────────────────────────────────────────────────────────────────


async def sign_in(request: Request, next: FromQuery[str] = "") -> Response[bytes]:  # noqa: A002
    """The form for name and password."""
    if request.user is not None:
        return redirected(inside(next) or home_page(request.user.role))
    return await private_answer(
        request, SignInPage(back=inside(next), one_click=_one_click(request))
    )


async def sign_in_send(request: Request) -> Response[bytes]:
    """A name and a password."""
    form = await request.form()
    name, back = field(form, "name"), inside(field(form, "next"))
    person, problem = await _attempt(
        request, login.check_password, name, field(form, "password"), client_address(request)
    )
    if person is None:
        logs.event(request.scope, "sign-in refused")
        name = name[: store.LONGEST_NAME]
        page = SignInPage(name=name, back=back, problem=problem, one_click=_one_click(request))
        return await private_answer(request, page)
    return await _after_password(request, person, back)


async def _after_password(request: Request, person: Person, back: str) -> Response[bytes]:
    if not (person.needs_codes or person.coded):
        return await _signed_in(request, person, back)
    half = {"half": person.id, "since": request.app_state.clock(), "back": back}
    if not person.coded:
        half["offer"] = credentials.new_secret()
    await _renew(request, half)
    return redirected("/sign-in/code" if person.coded else "/sign-in/codes")


async def _signed_in(request: Request, person: Person, back: str) -> Response[bytes]:
    """Signed in, under a new number."""
    request.scope["user"] = person.account
    await _renew(request, {"account": person.id})
    logs.event(request.scope, "signed in", account=person.id, role=person.role)
    return redirected(back or home_page(person.role))


# ── a demonstration on this machine ──────────────────────────────────────────────────────────────

FORWARDED = frozenset({"forwarded", "via", "x-real-ip"})
"""Headers that a proxy adds; so are all that begin with ``x-forwarded-``."""


def _one_click(request: Request) -> Mapping[str, str] | None:
    """The accounts that a visitor may sign in to without a password, by role; usually none.

    Only in a demonstration that listens on this machine alone, for a browser on the same machine:
    through a proxy, others could come in.
    """
    settings = request.app_state.settings
    site, asker = urlsplit(settings.public_url).hostname or "", request.client
    through = any(name in FORWARDED or name.startswith("x-forwarded-") for name in request.headers)
    here = is_loopback(site) and asker is not None and is_loopback(asker.host)
    return settings.one_click or None if here and not through else None


async def demo_sign_in(request: Request) -> Response[bytes]:
    """Sign in with an account of the demonstration, without a password or a code."""
    form = await request.form()
    name = (_one_click(request) or {}).get(field(form, "role"))
    person = await request.app_state.ask(store.find_by_name, name) if name else None
    if person is None or person.disabled:
        raise NotFoundException
    return await _signed_in(request, person, inside(field(form, "next")))


# ── one-time codes ───────────────────────────────────────────────────────────────────────────────


def _half(request: Request, needed: str = "half") -> dict[str, Any] | None:
    """Who is half signed in, not too long ago, where the session has what is needed."""
    session: dict[str, Any] = request.session
    in_time = session.get("since", 0) > request.app_state.clock() - HALF
    return session if session.get("half") and needed in session and in_time else None


async def code(request: Request) -> Response[bytes]:
    """The form for a one-time code."""
    return await private_answer(request, FormPage()) if _half(request) else redirected(to.sign_in())


async def code_send(request: Request) -> Response[bytes]:
    """A one-time code, or a recovery code."""
    half = _half(request)
    if half is None:
        return redirected(to.sign_in())
    typed = field(await request.form(), "code")
    person, problem = await _attempt(
        request, login.check_code, half["half"], typed, client_address(request)
    )
    if person is None:
        return await private_answer(request, FormPage(problem=problem))
    return await _signed_in(request, person, half["back"])


async def set_up(request: Request) -> Response[bytes]:
    """A new secret for an authenticator."""
    half = _half(request, "offer")
    if half is None:
        return redirected(to.sign_in())
    return await private_answer(request, await _offer(request, half))


async def _offer(request: Request, half: dict[str, Any], problem: str | None = None) -> SetUpPage:
    person = await _person(request, half["half"])
    return set_up_page(half["offer"], person.name, problem=problem)


async def _person(request: Request, account: int) -> Person:
    """The person of an account.

    Raises:
        NotFoundException: there is none.
    """
    person = await request.app_state.ask(store.find, account)
    if person is None:
        raise NotFoundException
    return person


async def set_up_send(request: Request) -> Response[bytes]:
    """The first code from the authenticator; signed in, and shown recovery codes."""
    half = _half(request, "offer")
    if half is None:
        return redirected(to.sign_in())
    typed = field(await request.form(), "code")
    recovery, problem = await _attempt(
        request, login.set_up_codes, half["half"], half["offer"], typed
    )
    if recovery is None:
        return await private_answer(request, await _offer(request, half, problem))
    person = await _person(request, half["half"])
    back = half["back"] or home_page(person.role)
    await _signed_in(request, person, back)
    return await private_answer(
        request, RecoveryPage(codes=recovery, next=back), template="recovery.html"
    )


# ── one-time links ───────────────────────────────────────────────────────────────────────────────


async def welcome(request: Request, token: FromPath[str]) -> Response[bytes]:
    """The form that a one-time link leads to."""
    return await private_answer(request, _welcome_page(token, await _invitee(request, token)))


def _welcome_page(token: str, invitee: Person | None, **more: Any) -> WelcomePage:
    name = invitee.name if invitee else None
    return WelcomePage(token=token, name=name, shortest=credentials.SHORTEST, **more)


async def _invitee(request: Request, token: str) -> Person | None:
    """The account that a link is for; none: it makes the first administrator.

    Raises:
        NotFoundException: it is not good.
    """
    try:
        return await request.app_state.ask(store.invitee, token, request.app_state.clock())
    except Refused as error:
        raise NotFoundException(str(error)) from None


async def welcome_send(request: Request, token: FromPath[str]) -> Response[bytes]:
    """A password, and a name if it is the first administrator."""
    invitee, form = await _invitee(request, token), await request.form()
    name, problem = field(form, "name"), _not_the_same(form)
    person = None
    if problem is None:
        chosen = field(form, "password")
        person, problem = await _attempt(request, login.accept_link, token, name, chosen)
    if person is None:
        name = name[: store.LONGEST_NAME]
        return await private_answer(
            request, _welcome_page(token, invitee, typed=name, problem=problem)
        )
    return await _after_password(request, person, "")


def _not_the_same(form: Any) -> str | None:
    """What is wrong with a new password that was typed twice."""
    same = field(form, "password") == field(form, "again")
    return None if same else msg("The two passwords are not the same.")


# ── one's own account ────────────────────────────────────────────────────────────────────────────


async def sign_out(request: Request) -> Response[bytes]:
    """End the session."""
    request.clear_session()
    return redirected(to.front())


async def account(request: Request) -> Response[bytes]:
    """One's own account."""
    return await _account_page(request)


async def _account_page(
    request: Request, issued: str | None = None, problem: str | None = None
) -> Response[bytes]:
    """One's own account, with what was done or went wrong."""
    person = await _person(request, request.user.id)
    owned = await request.app_state.ask(sessions.list_tokens, person.id)
    page = AccountPage(
        name=person.name,
        role=person.role,
        has_codes=person.coded,
        needs_codes=person.needs_codes,
        shortest=credentials.SHORTEST,
        tokens=tuple(owned),
        issued=issued,
        problem=problem,
    )
    return await private_answer(request, page)


async def _account_changed(request: Request, problem: str | None, event: str) -> Response[bytes]:
    """One's own account again, under a new number of the session; or what went wrong."""
    if problem is not None:
        return await _account_page(request, problem=problem)
    logs.event(request.scope, event, account=request.user.id)
    await _renew(request, {"account": request.user.id})
    return redirected(to.account())


async def account_password(request: Request) -> Response[bytes]:
    """Change the password: other sessions end, and tokens too if the form says so."""
    form = await request.form()
    problem = _not_the_same(form)
    if problem is None:
        step = partial(login.change_password, revoke=field(form, "tokens") == "end")
        chosen = field(form, "password")
        _, problem = await _attempt_with_password(request, step, chosen, name="old")
    return await _account_changed(request, problem, "password changed")


async def token_issue(request: Request) -> Response[bytes]:
    """A new token, shown once; the password is typed again."""
    form = await request.form()
    days = field(form, "days")

    def issue(app_state: AppState, person: Person) -> str:
        return sessions.issue_token(
            app_state.database,
            person.id,
            field(form, "label"),
            app_state.clock(),
            int(days) if re.fullmatch("[0-9]{1,4}", days) else sessions.LIFE,
            writes=field(form, "writes") == "yes",
        )

    issued, problem = await _attempt_with_password(request, issue)
    if issued is not None:
        logs.event(request.scope, "token issued", account=request.user.id)
    return await _account_page(request, issued, problem)


async def token_revoke(request: Request, token: FromPath[int]) -> Response[bytes]:
    """Revoke a token."""
    if not await to_thread.run_sync(
        sessions.revoke_token, request.app_state.database, request.user.id, token
    ):
        raise NotFoundException(msg("There is no such token."))
    return redirected(to.account())


# ── one's own codes, whether the role needs them or not ──────────────────────────────────────────


async def own_codes(request: Request) -> Response[bytes]:
    """A new secret for an authenticator."""
    person = await _person(request, request.user.id)
    return redirected(to.account()) if person.coded else await _own_offer(request)


async def _own_offer(request: Request, problem: str | None = None) -> Response[bytes]:
    """A new secret, which stays in the session until its first code is typed."""
    offer = request.session.get("offer") or credentials.new_secret()
    request.set_session({**request.session, "offer": offer})
    page = set_up_page(offer, request.user.name, own=True, problem=problem)
    return await private_answer(request, page)


async def own_codes_send(request: Request) -> Response[bytes]:
    """Check the first code and the password, turn codes on, show recovery codes."""
    offer = request.session.get("offer")
    if not offer:
        return redirected("/account/codes")
    typed = field(await request.form(), "code")
    recovery, problem = await _attempt_with_password(request, login.set_up_own_codes, offer, typed)
    if recovery is None:
        return await _own_offer(request, problem)
    await _account_changed(request, None, "codes set up")
    page = RecoveryPage(codes=recovery, next=to.account())
    return await private_answer(request, page, template="recovery.html")


async def own_codes_end(request: Request) -> Response[bytes]:
    """Turn one-time codes off; other sessions end."""
    _, problem = await _attempt_with_password(request, login.end_codes)
    return await _account_changed(request, problem, "codes ended")
