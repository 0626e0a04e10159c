"""
Signing in, one's own account, and what an administrator does with the accounts of others.

Between the password and the code the session holds the half signed-in account; ``request.user``
stays None until the end, when the session gets a new number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

from anyio import to_thread
from litestar import Response
from litestar.datastructures import Cookie
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import FromPath, FromQuery
from litestar.status_codes import HTTP_410_GONE

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.journal.store.entries import ROLES
from palmares.web.accounts import administration, credentials, login, sessions, store
from palmares.web.accounts.administration import CHANGES
from palmares.web.accounts.sessions import Token
from palmares.web.accounts.store import AccountRecord
from palmares.web.accounts.throttle import client_address
from palmares.web.database import day_of
from palmares.web.http import logs
from palmares.web.http.parameters import field, inside, whole_number
from palmares.web.http.replies import private_answer, redirected
from palmares.web.http.routing import home_page, to
from palmares.web.http.routing import link as link_address
from palmares.web.http.state import AppState, Request
from palmares.web.settings import is_loopback

T = TypeVar("T")

HALF = 10 * 60
"""Seconds between the password and the code."""
SMALL = 64 * 1024
"""Bytes of a form that visitors may send."""


# ── pages ────────────────────────────────────────────────────────────────────────────────────────


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


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRow:
    """One account."""

    id: int
    name: str
    role: str
    state: str  # active, invited, disabled
    has_codes: bool  # one-time codes are set up
    needs_codes: bool  # in this role they must be
    last_sign_in: date | None
    is_self: bool  # of whoever looks


@dataclass(frozen=True, slots=True, kw_only=True)
class AdministratorPage(FormPage):
    """Every account."""

    accounts: tuple[AccountRow, ...]
    roles: tuple[str, ...] = tuple(reversed(tuple(ROLES)))
    link: str | None = None  # of an invitation, shown once
    invited: str | None = None  # whom it is for


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
    """The result of a step by the signed-in account, whose owner types the password again."""
    typed = field(await request.form(), name)

    def confirmed(app_state: AppState) -> T:
        address = client_address(request)
        person = login.confirm_password(app_state, request.user.id, typed, address)
        return step(app_state, person, *given)

    return await _attempt(request, confirmed)


async def _new_session(request: Request, data: dict[str, Any]) -> Cookie:
    """End the session, whose number is dead from now on; the cookie of the next one."""
    return await to_thread.run_sync(
        sessions.replace_session, request.app_state, sessions.number_in(request), data
    )


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


async def _after_password(request: Request, person: AccountRecord, back: str) -> Response[bytes]:
    if not person.needs_codes:
        return redirected(back or home_page(person.role), await _signed_in(request, person))
    half = {"half": person.id, "since": request.app_state.clock(), "back": back}
    if not person.coded:
        half["offer"] = credentials.new_secret()
    cookie = await _new_session(request, half)
    return redirected("/sign-in/code" if person.coded else "/sign-in/codes", cookie)


async def _signed_in(request: Request, person: AccountRecord) -> Cookie:
    """The cookie of someone who is signed in from now on."""
    request.scope["user"] = person.account
    logs.event(request.scope, "signed in", account=person.id, role=person.role)
    return await _new_session(request, {"account": person.id})


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
    back = inside(field(form, "next")) or home_page(person.role)
    return redirected(back, await _signed_in(request, person))


# ── one-time codes ───────────────────────────────────────────────────────────────────────────────


def _half(request: Request, needed: str = "half") -> dict[str, Any] | None:
    """The session between password and code, if it is in time and has what is needed."""
    session: dict[str, Any] = request.session
    in_time = session.get("since", 0) > request.app_state.clock() - HALF
    return session if session.get("half") and needed in session and in_time else None


async def code(request: Request) -> Response[bytes]:
    """The form for a one-time code, or a code that was typed."""
    half = _half(request)
    if half is None:
        return redirected(to.sign_in())
    if request.method == "GET":
        return await private_answer(request, FormPage())
    typed = field(await request.form(), "code")
    person, problem = await _attempt(
        request, login.check_code, half["half"], typed, client_address(request)
    )
    if person is None:
        return await private_answer(request, FormPage(problem=problem))
    return redirected(half["back"] or home_page(person.role), await _signed_in(request, person))


async def _offer(
    request: Request, half: dict[str, Any], problem: str | None = None
) -> Response[bytes]:
    """A new secret as a page shows it: a picture, letters, an address."""
    person = await request.app_state.ask(store.existing, half["half"])
    address = credentials.provisioning_uri(half["offer"], person.name)
    page = SetUpPage(
        secret=credentials.grouped(half["offer"]),
        address=address,
        picture=credentials.qr_code(address),
        problem=problem,
    )
    return await private_answer(request, page)


async def set_up(request: Request) -> Response[bytes]:
    """A new secret for an authenticator, or the first code from it, which signs in."""
    half = _half(request, "offer")
    if half is None:
        return redirected(to.sign_in())
    if request.method == "GET":
        return await _offer(request, half)
    typed = field(await request.form(), "code")
    person, problem = await _attempt(
        request, login.set_up_codes, half["half"], half["offer"], typed
    )
    if person is None:
        return await _offer(request, half, problem)
    return redirected(half["back"] or home_page(person.role), await _signed_in(request, person))


# ── one-time links ───────────────────────────────────────────────────────────────────────────────


async def welcome(request: Request, token: FromPath[str]) -> Response[bytes]:
    """The form that a one-time link leads to."""
    return await private_answer(request, _welcome_page(token, await _invitee(request, token)))


def _welcome_page(token: str, invitee: AccountRecord | None, **more: Any) -> WelcomePage:
    name = invitee.name if invitee else None
    return WelcomePage(token=token, name=name, shortest=credentials.SHORTEST, **more)


async def _invitee(request: Request, token: str) -> AccountRecord | None:
    """The account that a link is for; none: it makes the first administrator.

    Raises:
        HTTPException: it is not good.
    """
    try:
        return await request.app_state.ask(store.invitee, token, request.app_state.clock())
    except Refused as error:
        raise HTTPException(str(error), status_code=HTTP_410_GONE) from None


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
    """The problem with a new password that was typed twice; none: both are the same."""
    same = field(form, "password") == field(form, "again")
    return None if same else msg("The two passwords are not the same.")


# ── one's own account ────────────────────────────────────────────────────────────────────────────


async def sign_out(request: Request) -> Response[bytes]:
    """End the session."""
    return redirected(to.front(), await _new_session(request, {}))


async def account(request: Request) -> Response[bytes]:
    """One's own account."""
    return await _account_page(request)


async def _account_page(
    request: Request, issued: str | None = None, problem: str | None = None
) -> Response[bytes]:
    """One's own account, with what was done or went wrong."""
    owned = await request.app_state.ask(sessions.list_tokens, request.user.id)
    page = AccountPage(
        name=request.user.name,
        role=request.user.role,
        has_codes=request.user.role in store.CODED,
        shortest=credentials.SHORTEST,
        tokens=tuple(owned),
        issued=issued,
        problem=problem,
    )
    return await private_answer(request, page)


async def account_password(request: Request) -> Response[bytes]:
    """Change the password: other sessions end, and tokens too if the form says so."""
    form = await request.form()
    problem = _not_the_same(form)
    if problem is None:
        step = partial(login.change_password, revoke=field(form, "tokens") == "end")
        chosen = field(form, "password")
        _, problem = await _attempt_with_password(request, step, chosen, name="old")
    if problem is not None:
        return await _account_page(request, problem=problem)
    logs.event(request.scope, "password changed", account=request.user.id)
    return redirected(to.account(), await _new_session(request, {"account": request.user.id}))


async def token_issue(request: Request) -> Response[bytes]:
    """A new token, shown once; the password is typed again."""
    form = await request.form()

    def issue(app_state: AppState, person: AccountRecord) -> str:
        return sessions.issue_token(
            app_state.database,
            person.id,
            field(form, "label"),
            app_state.clock(),
            whole_number(form, "days") if field(form, "days") else sessions.LIFE,
            writes=field(form, "writes") == "yes",
        )

    issued, problem = await _attempt_with_password(request, issue)
    if issued is not None:
        logs.event(request.scope, "token issued", account=request.user.id)
    return await _account_page(request, issued, problem)


async def token_revoke(request: Request, token: FromPath[int]) -> Response[bytes]:
    """Revoke a token."""
    if not await request.app_state.change(sessions.revoke_token, request.user.id, token):
        raise NotFoundException(msg("There is no such token."))
    return redirected(to.account())


# ── accounts of others ───────────────────────────────────────────────────────────────────────────


async def _accounts_page(request: Request, **more: Any) -> Response[Any]:
    """The page of all accounts, with what was done or what is wrong."""
    people = await request.app_state.ask(store.list_all)
    rows = tuple(
        AccountRow(
            id=person.id,
            name=person.name,
            role=person.role,
            state="disabled" if person.disabled else "active" if person.password else "invited",
            has_codes=person.coded,
            needs_codes=person.needs_codes,
            last_sign_in=None if person.seen is None else day_of(person.seen),
            is_self=person.id == request.user.id,
        )
        for person in people
    )
    return await private_answer(request, AdministratorPage(accounts=rows, **more))


async def administrator(request: Request) -> Response[bytes]:
    """Every account."""
    return await _accounts_page(request)


async def invite(request: Request) -> Response[bytes]:
    """A new account, with a one-time link for its owner."""
    form = await request.form()
    name, role = field(form, "name"), field(form, "role")
    return await _administer(
        request, "invite", partial(administration.invite, name=name, role=role)
    )


async def account_change(
    request: Request, number: FromPath[int], change: FromPath[str]
) -> Response[bytes]:
    """A change of an account: a new link, another role, closed, opened, codes anew.

    Raises:
        NotFoundException: there is no such change.
    """
    if change not in CHANGES:
        raise NotFoundException
    given = {"account": number, "own": request.user.id, "role": field(await request.form(), "role")}
    return await _administer(request, change, partial(administration.act, change=change, **given))


async def _administer(
    request: Request,
    change: str,
    step: Callable[[AppState], tuple[AccountRecord, str | None]],
) -> Response[bytes]:
    """Change an account; a new link is shown once, at the site's own address."""
    try:
        person, token = await to_thread.run_sync(step, request.app_state)
    except Refused as error:
        return await _accounts_page(request, problem=str(error))
    request.log_event("account changed", change=change, account=person.id, role=person.role)
    if token is None:
        return redirected(to.administrator())
    link = link_address(request.app_state.settings.public_url, token)
    return await _accounts_page(request, link=link, invited=person.name)
