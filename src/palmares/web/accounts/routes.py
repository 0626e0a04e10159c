"""
Signing in, one's own account, and what an administrator does with the accounts of others.

Between the password and the code the session holds the half signed-in account; ``request.user``
stays None until the end, when the session gets a new number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from anyio import to_thread
from litestar import Response
from litestar.datastructures import Cookie
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter
from litestar.status_codes import HTTP_201_CREATED
from msgspec import Meta

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.journal.store.entries import ROLES
from palmares.web.accounts import administration, credentials, login, sessions, store
from palmares.web.accounts.administration import Change
from palmares.web.accounts.store import AccountRecord
from palmares.web.accounts.throttle import client_address
from palmares.web.accounts.views import (
    AccountPage,
    AccountRow,
    Accounts,
    AdministratorPage,
    FormPage,
    Invitation,
    RecoveryPage,
    SetUpPage,
    SignInPage,
    WelcomePage,
    account_row,
)
from palmares.web.http import logs
from palmares.web.http.bodies import RequestBody, Text, body_or_form
from palmares.web.http.parameters import field, inside
from palmares.web.http.replies import is_api, private_answer, redirected
from palmares.web.http.routing import home_page, to
from palmares.web.http.routing import link as link_address
from palmares.web.http.state import AppState, Request
from palmares.web.settings import is_loopback

T = TypeVar("T")

HALF = 10 * 60
"""Seconds between the password and the code."""
SMALL = 64 * 1024
"""Bytes of a form that visitors may send."""


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


async def _person(request: Request, account: int) -> AccountRecord:
    """The person of an account.

    Raises:
        NotFoundException: there is none.
    """
    person = await request.app_state.ask(store.find, account)
    if person is None:
        raise NotFoundException(msg("There is no such account."))
    return person


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
    if not (person.needs_codes or person.coded):
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
    return redirected(half["back"] or home_page(person.role), await _signed_in(request, person))


async def set_up(request: Request) -> Response[bytes]:
    """A new secret for an authenticator."""
    half = _half(request, "offer")
    if half is None:
        return redirected(to.sign_in())
    return await _offer(request, await _person(request, half["half"]), half["offer"])


async def _offer(
    request: Request,
    person: AccountRecord,
    secret: str,
    problem: str | None = None,
    *,
    own: bool = False,
) -> Response[bytes]:
    """A new secret as a page shows it: a picture, letters, an address."""
    address = credentials.provisioning_uri(secret, person.name)
    page = SetUpPage(
        secret=credentials.grouped(secret),
        address=address,
        picture=credentials.qr_code(address),
        own=own,
        problem=problem,
    )
    return await private_answer(request, page)


async def _recovery(
    request: Request, codes: tuple[str, ...], back: str, cookie: Cookie
) -> Response[bytes]:
    """Recovery codes, under a new number of the session."""
    page = RecoveryPage(codes=codes, next=back)
    answer = await private_answer(request, page, template="recovery.html")
    answer.set_cookie(cookie)
    return answer


async def set_up_send(request: Request) -> Response[bytes]:
    """The first code from the authenticator; signed in, and shown recovery codes."""
    half = _half(request, "offer")
    if half is None:
        return redirected(to.sign_in())
    typed = field(await request.form(), "code")
    recovery, problem = await _attempt(
        request, login.set_up_codes, half["half"], half["offer"], typed
    )
    person = await _person(request, half["half"])
    if recovery is None:
        return await _offer(request, person, half["offer"], problem)
    back = half["back"] or home_page(person.role)
    return await _recovery(request, recovery, back, await _signed_in(request, person))


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
    return redirected(to.front(), await _new_session(request, {}))


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


async def _account_changed(request: Request, event: str) -> Cookie:
    """The cookie of one's own session after a change, which has ended all others."""
    logs.event(request.scope, event, account=request.user.id)
    return await _new_session(request, {"account": request.user.id})


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
    return redirected(to.account(), await _account_changed(request, "password changed"))


async def token_issue(request: Request) -> Response[bytes]:
    """A new token, shown once; the password is typed again."""
    form = await request.form()
    days = field(form, "days")

    def issue(app_state: AppState, person: AccountRecord) -> str:
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
    if not await request.app_state.change(sessions.revoke_token, request.user.id, token):
        raise NotFoundException(msg("There is no such token."))
    return redirected(to.account())


async def own_codes(request: Request) -> Response[bytes]:
    """A new secret for an authenticator."""
    person = await _person(request, request.user.id)
    return redirected(to.account()) if person.coded else await _own_offer(request, person)


async def _own_offer(
    request: Request, person: AccountRecord, problem: str | None = None
) -> Response[bytes]:
    """A new secret, which stays in the session until its first code is typed."""
    offer = request.session.get("offer") or credentials.new_secret()
    data = {**request.session, "offer": offer}
    await to_thread.run_sync(
        sessions.save_session, request.app_state, sessions.number_in(request), data
    )
    return await _offer(request, person, offer, problem, own=True)


async def own_codes_send(request: Request) -> Response[bytes]:
    """Check the first code and the password, turn codes on, show recovery codes."""
    offer = request.session.get("offer")
    if not offer:
        return redirected("/account/codes")
    typed = field(await request.form(), "code")
    recovery, problem = await _attempt_with_password(
        request,
        lambda app_state, person: login.set_up_codes(app_state, person.id, offer, typed),
    )
    if recovery is None:
        return await _own_offer(request, await _person(request, request.user.id), problem)
    cookie = await _account_changed(request, "codes set up")
    return await _recovery(request, recovery, to.account(), cookie)


async def own_codes_end(request: Request) -> Response[bytes]:
    """Turn one-time codes off; other sessions end."""
    _, problem = await _attempt_with_password(request, login.end_codes)
    if problem is not None:
        return await _account_page(request, problem=problem)
    return redirected(to.account(), await _account_changed(request, "codes ended"))


# ── accounts of others ───────────────────────────────────────────────────────────────────────────

Number = Annotated[
    int, PathParameter(description="The number of an account.", ge=1, examples=[Example(value=1)])
]
Role = Annotated[Text, Meta(description=f"One of: {', '.join(ROLES)}.")]


class NewAccount(RequestBody, frozen=True, kw_only=True):
    """Who is invited."""

    name: Annotated[Text, Meta(description="As it stands beside what they record.")]
    role: Role


class AssignedRole(RequestBody, frozen=True, kw_only=True):
    """A role."""

    role: Role


async def _rows(request: Request) -> tuple[AccountRow, ...]:
    """Every account, by name."""
    people = await request.app_state.ask(store.list_all)
    return tuple(account_row(person, request.user.id) for person in people)


async def _accounts_page(request: Request, **more: Any) -> Response[Any]:
    """The page of all accounts, with what was done or what is wrong."""
    page = AdministratorPage(accounts=await _rows(request), **more)
    return await private_answer(request, page)


async def administrator(request: Request) -> Response[bytes]:
    """Every account."""
    return await _accounts_page(request)


async def api_accounts(request: Request) -> Response[Accounts]:
    """Every account, by name."""
    return await private_answer(request, Accounts(items=await _rows(request)))


async def api_account(request: Request, number: Number) -> Response[AccountRow]:
    """One account."""
    person = await _person(request, number)
    return await private_answer(request, account_row(person, request.user.id))


async def invite(request: Request) -> Response[Invitation]:
    """A new account, with a one-time link for its owner."""
    given = await body_or_form(request, NewAccount)
    try:
        person, token = await to_thread.run_sync(
            administration.invite, request.app_state, given.name, given.role
        )
    except Refused as error:
        return await _refused(request, error)
    request.log_event("invited", role=given.role)
    return await _invited(request, person, token)


async def _act(request: Request, event: str, number: int, change: Change) -> Response[Any]:
    """Do something with an account, by a form or a program."""
    try:
        person = await _person(request, number)
        token = await to_thread.run_sync(
            administration.act, request.app_state, change, number, request.user.id
        )
    except Refused as error:
        return await _refused(request, error)
    request.log_event(event, account=number)
    if token is not None:
        return await _invited(request, person, token)
    return await api_account(request, number) if is_api(request) else redirected(to.administrator())


async def account_link(request: Request, number: Number) -> Response[Invitation]:
    """Another link: whoever has it chooses a new password."""
    return await _act(request, "new link", number, administration.relink)


async def account_role(request: Request, number: Number) -> Response[AccountRow]:
    """Another role."""
    role = (await body_or_form(request, AssignedRole)).role
    return await _act(request, "role changed", number, partial(administration.assign, role=role))


async def account_disable(request: Request, number: Number) -> Response[AccountRow]:
    """An account is closed."""
    return await _act(request, "disabled", number, administration.disable)


async def account_enable(request: Request, number: Number) -> Response[AccountRow]:
    """An account is opened again."""
    return await _act(request, "enabled", number, administration.enable)


async def account_reset_codes(request: Request, number: Number) -> Response[AccountRow]:
    """One-time codes are set up anew at the next sign-in."""
    return await _act(request, "codes reset", number, administration.reset_codes)


async def _refused(request: Request, error: Refused) -> Response[Any]:
    if is_api(request):
        raise error
    return await _accounts_page(request, problem=str(error))


async def _invited(request: Request, person: AccountRecord, token: str) -> Response[Any]:
    """An account with its one-time link, which is at the site's own address."""
    link = link_address(request.app_state.settings.public_url, token)
    if not is_api(request):
        return await _accounts_page(request, link=link, invited=person.name)
    headers = {"Location": f"/api/v1/accounts/{person.id}"}
    invitation = Invitation(account=account_row(person, request.user.id), link=link)
    return await private_answer(request, invitation, status_code=HTTP_201_CREATED, headers=headers)
