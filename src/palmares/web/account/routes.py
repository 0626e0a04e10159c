"""
Routes of signing in and of one's own account.

    sign_in, sign_in_send       name and password
    code, code_send             the one-time code, after them
    set_up, set_up_send         the first code from a new authenticator
    welcome, welcome_send       a one-time link: choose a password
    sign_out                    good-bye
    account                     one's own account
    account_password            another password
    token_issue, token_revoke   tokens of programs

Between the password and the code the session knows who is half signed in; ``request.user`` is
nobody until the end, when the session gets a new number.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from anyio import to_thread
from litestar import Response, get, post
from litestar.exceptions import NotFoundException, TooManyRequestsException
from litestar.middleware.rate_limit import RateLimitConfig
from litestar.params import FromPath, FromQuery
from litestar.status_codes import HTTP_200_OK, HTTP_422_UNPROCESSABLE_ENTITY

from palmares.errors import Refused
from palmares.web import addresses, logs
from palmares.web.accounts import codes, csrf, entering, links, passwords, people, sessions, tokens
from palmares.web.accounts.attempts import from_where
from palmares.web.accounts.door import FORMS
from palmares.web.accounts.entering import Site, TooOften
from palmares.web.accounts.people import CODED, Person
from palmares.web.hall import Hall
from palmares.web.messages import said
from palmares.web.pages.sign_in import (
    AccountPage,
    CodePage,
    RecoveryPage,
    SetUpPage,
    SignInPage,
    WelcomePage,
    account_tokens,
    set_up_page,
)
from palmares.web.replies import Visit, redirected, shown
from palmares.web.routes.forms import field, inside, site_of

T = TypeVar("T")

HALF = 10 * 60
"""Seconds between the password and the code."""
SMALL = 64 * 1024
"""Bytes of a form that visitors may send."""

_SLOWLY = [
    RateLimitConfig(("minute", 30), identifier_for_request=from_where, store="tries").middleware
]


async def told(
    request: Visit, call: Callable[..., T], *args: Any
) -> tuple[T | None, str | None, int]:
    """What a step comes to, or what it says went wrong, and the status of that.

    Whoever guesses passwords from many addresses at once waits for the others who do.
    """
    hall: Hall = request.app.state.hall
    try:
        return await hall.entering.page(call, *args), None, HTTP_200_OK
    except TooOften as error:
        raise TooManyRequestsException(
            str(error), headers={"Retry-After": str(error.seconds)}
        ) from error
    except Refused as error:
        if error.__cause__ is not None:
            raise
        return None, str(error), HTTP_422_UNPROCESSABLE_ENTITY


# ── name and password ────────────────────────────────────────────────────────────────────────────


@get("/sign-in", name="sign_in", opt=FORMS, include_in_schema=False)
async def sign_in(request: Visit, next: FromQuery[str] = "") -> Response[bytes]:  # noqa: A002
    """The form for name and password."""
    if request.user is not None:
        return redirected(inside(next) or addresses.desk(request.user.role))
    return await shown(request, SignInPage(back=inside(next)))


@post(
    "/sign-in",
    name="sign_in_send",
    middleware=_SLOWLY,
    request_max_body_size=SMALL,
    include_in_schema=False,
)
async def sign_in_send(request: Visit) -> Response[bytes]:
    """A name and a password."""
    site, form = site_of(request), await request.form()
    name, back = field(form, "name"), inside(field(form, "next"))
    person, problem, status = await told(
        request, entering.password, site, name, field(form, "password"), from_where(request)
    )
    if person is None:
        logs.event(request.scope, "sign-in refused")
        page = SignInPage(name=name[: people.LONGEST], back=back, problem=problem)
        return await shown(request, page, status_code=status)
    return await _after_password(request, person, back)


async def _after_password(request: Visit, person: Person, back: str) -> Response[bytes]:
    if person.role not in CODED and person.secret is None:
        return await _entered(request, person, back)
    half = {"half": person.id, "since": site_of(request).now(), "back": back}
    if person.secret is None:
        half["offer"] = codes.fresh()
    await renewed(request, half)
    return redirected("/sign-in/code" if person.secret else "/sign-in/codes")


async def _entered(request: Visit, person: Person, back: str) -> Response[bytes]:
    """Signed in, under a new number."""
    request.scope["user"] = people.account_of(person)
    await renewed(request, {"account": person.id})
    logs.event(request.scope, "signed in", account=person.id, role=person.role)
    return redirected(back or addresses.desk(person.role))


async def renewed(request: Visit, data: dict[str, Any]) -> None:
    """Give the session a new number and other contents; the old number is dead."""
    store: Any = request.app.stores.get("sessions")
    await to_thread.run_sync(sessions.renew, request, store)
    csrf.renew(request, store.settings.secret)
    request.set_session(data)


# ── one-time codes ───────────────────────────────────────────────────────────────────────────────


def _half(request: Visit) -> dict[str, Any] | None:
    """Who is half signed in, not too long ago."""
    found: dict[str, Any] = request.session
    since = found.get("since", 0)
    return found if found.get("half") and since > site_of(request).now() - HALF else None


@get("/sign-in/code", name="code", opt=FORMS, include_in_schema=False)
async def code(request: Visit) -> Response[bytes]:
    """The form for a one-time code."""
    return await shown(request, CodePage()) if _half(request) else redirected(addresses.sign_in())


@post(
    "/sign-in/code",
    name="code_send",
    middleware=_SLOWLY,
    request_max_body_size=SMALL,
    include_in_schema=False,
)
async def code_send(request: Visit) -> Response[bytes]:
    """A one-time code, or a recovery code."""
    half = _half(request)
    if half is None:
        return redirected(addresses.sign_in())
    typed = field(await request.form(), "code")
    site = site_of(request)
    person, problem, status = await told(
        request, entering.code, site, half["half"], typed, from_where(request)
    )
    if person is None:
        return await shown(request, CodePage(problem=problem), status_code=status)
    return await _entered(request, person, half["back"])


@get("/sign-in/codes", name="set_up", opt=FORMS, include_in_schema=False)
async def set_up(request: Visit) -> Response[bytes]:
    """A new secret for an authenticator."""
    half = _half(request)
    if half is None or "offer" not in half:
        return redirected(addresses.sign_in())
    return await shown(request, await _offer(request, half))


async def _offer(request: Visit, half: dict[str, Any], problem: str | None = None) -> SetUpPage:
    person = await to_thread.run_sync(person_of, site_of(request), half["half"])
    return set_up_page(half["offer"], person.name, problem=problem)


def person_of(site: Site, account: int) -> Person:
    """The person of an account.

    Raises:
        NotFoundException: there is none.
    """
    with site.database.reading() as connection:
        found = people.found(connection, account)
    if found is None:
        raise NotFoundException
    return found


@post("/sign-in/codes", name="set_up_send", request_max_body_size=SMALL, include_in_schema=False)
async def set_up_send(request: Visit) -> Response[bytes]:
    """The first code from the authenticator; signed in, and shown recovery codes."""
    half = _half(request)
    if half is None or "offer" not in half:
        return redirected(addresses.sign_in())
    typed = field(await request.form(), "code")
    site = site_of(request)
    made, problem, status = await told(
        request, entering.begin_codes, site, half["half"], half["offer"], typed
    )
    if made is None:
        return await shown(request, await _offer(request, half, problem), status_code=status)
    person = await to_thread.run_sync(person_of, site, half["half"])
    back = half["back"] or addresses.desk(person.role)
    await _entered(request, person, back)
    return await shown(request, RecoveryPage(codes=made, next=back))


# ── one-time links ───────────────────────────────────────────────────────────────────────────────


@get("/welcome/{token:str}", name="welcome", opt=FORMS, include_in_schema=False)
async def welcome(request: Visit, token: FromPath[str]) -> Response[bytes]:
    """The form that a one-time link leads to."""
    invited = await to_thread.run_sync(_invited, site_of(request), token)
    if invited is None:
        raise NotFoundException(entering.GONE)
    name = invited.person.name if invited.person else None
    return await shown(request, WelcomePage(token=token, name=name, shortest=passwords.SHORTEST))


def _invited(site: Site, token: str) -> links.Invited | None:
    with site.database.reading() as connection:
        return links.good(connection, token, site.now())


@post(
    "/welcome/{token:str}",
    name="welcome_send",
    middleware=_SLOWLY,
    request_max_body_size=SMALL,
    include_in_schema=False,
)
async def welcome_send(request: Visit, token: FromPath[str]) -> Response[bytes]:
    """A password, and a name if it is the first administrator."""
    site, form = site_of(request), await request.form()
    invited = await to_thread.run_sync(_invited, site, token)
    if invited is None:
        raise NotFoundException(entering.GONE)
    typed, chosen = field(form, "name"), field(form, "password")
    problem: str | None = said("The two passwords are not the same.")
    status, person = HTTP_422_UNPROCESSABLE_ENTITY, None
    if chosen == field(form, "again"):
        person, problem, status = await told(request, entering.welcome, site, token, typed, chosen)
    if person is None:
        page = WelcomePage(
            token=token,
            name=invited.person.name if invited.person else None,
            shortest=passwords.SHORTEST,
            typed=typed[: people.LONGEST],
            problem=problem,
        )
        return await shown(request, page, status_code=status)
    return await _after_password(request, person, "")


# ── one's own account ────────────────────────────────────────────────────────────────────────────


@post("/sign-out", name="sign_out", request_max_body_size=SMALL, include_in_schema=False)
async def sign_out(request: Visit) -> Response[bytes]:
    """Good-bye: the session is gone here, too."""
    request.clear_session()
    return redirected(addresses.front())


@get("/account", name="account", include_in_schema=False)
async def account(request: Visit) -> Response[bytes]:
    """One's own account."""
    return await account_shown(request)


async def account_shown(
    request: Visit, issued: str | None = None, problem: str | None = None, status: int = 200
) -> Response[bytes]:
    """One's own account, with what was done or went wrong."""
    site = site_of(request)
    person = await to_thread.run_sync(person_of, site, request.user.id)
    found = await to_thread.run_sync(tokens.listed, site.database, person.id)
    page = AccountPage(
        name=person.name,
        role=person.role,
        coded=person.secret is not None,
        needs_codes=person.role in CODED,
        shortest=passwords.SHORTEST,
        tokens=account_tokens(found),
        issued=issued,
        problem=problem,
    )
    return await shown(request, page, status_code=status)


@post("/account/password", name="account_password", request_max_body_size=SMALL,
      include_in_schema=False)  # fmt: skip
async def account_password(request: Visit) -> Response[bytes]:
    """Another password; everywhere else one is signed out, and tokens end if one likes."""
    site, form = site_of(request), await request.form()
    chosen = field(form, "password")
    wanted = partial(entering.change, revoke=field(form, "tokens") == "end")
    problem: str | None = said("The two passwords are not the same.")
    status = HTTP_422_UNPROCESSABLE_ENTITY
    if chosen == field(form, "again"):
        _, problem, status = await told(
            request,
            wanted,
            site,
            request.user.id,
            field(form, "old"),
            chosen,
            from_where(request),
        )
    if problem is not None:
        return await account_shown(request, problem=problem, status=status)
    logs.event(request.scope, "password changed", account=request.user.id)
    await renewed(request, {"account": request.user.id})
    return redirected(addresses.account())


@post("/account/tokens", name="token_issue", request_max_body_size=SMALL, include_in_schema=False)
async def token_issue(request: Visit) -> Response[bytes]:
    """A new token, shown once, for whoever types the password once more."""
    site, form = site_of(request), await request.form()
    days = field(form, "days")
    wanted = partial(
        entering.issue,
        label=field(form, "label"),
        days=int(days) if days.isascii() and days.isdigit() and len(days) < 5 else tokens.LIFE,  # noqa: PLR2004
        writes=field(form, "writes") == "yes",
    )
    issued, problem, status = await told(
        request, wanted, site, request.user.id, field(form, "password"), from_where(request)
    )
    if issued is not None:
        logs.event(request.scope, "token issued", account=request.user.id)
    return await account_shown(request, issued=issued, problem=problem, status=status)


@post(
    "/account/tokens/{token:int}/revoke",
    name="token_revoke",
    request_max_body_size=SMALL,
    include_in_schema=False,
)
async def token_revoke(request: Visit, token: FromPath[int]) -> Response[bytes]:
    """A token is good no longer."""
    site = site_of(request)
    if not await to_thread.run_sync(tokens.revoked, site.database, request.user.id, token):
        raise NotFoundException(said("There is no such token."))
    return redirected(addresses.account())
