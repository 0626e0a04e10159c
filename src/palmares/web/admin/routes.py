"""The accounts of others: the administrator's page, and the same steps for programs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

from anyio import to_thread
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, PathParameter, RawBody
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED, HTTP_422_UNPROCESSABLE_ENTITY
from msgspec import Meta

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.journal.store.entries import ROLES
from palmares.web.accounts import admin, store
from palmares.web.accounts.store import Person, accounts_of
from palmares.web.api.bodies import RequestBody, Text, decode_body
from palmares.web.api.replies import private_answer
from palmares.web.http.parameters import field
from palmares.web.http.replies import private_page, redirected
from palmares.web.http.routing import link as link_address
from palmares.web.http.routing import to
from palmares.web.http.state import Visit
from palmares.web.services import caller
from palmares.web.tables import day_of

Number = Annotated[
    int, PathParameter(description="The number of an account.", ge=1, examples=[Example(value=1)])
]
Role = Annotated[Text, Meta(description=f"One of: {', '.join(ROLES)}.")]


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


def account_row(person: Person, own: int) -> AccountRow:
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


async def _rows(request: Visit) -> tuple[AccountRow, ...]:
    """Every account, by name."""
    people = await accounts_of(request).ask(store.list_all)
    return tuple(account_row(person, request.user.id) for person in people)


async def _invite(request: Visit, name: str, role: str) -> tuple[Person, str]:
    """A new account, and its one-time link."""
    context = caller(request)
    person, token = await to_thread.run_sync(admin.invite, context.accounts, name, role)
    context.note("invited", role=role)
    return person, _link(request, token)


async def _act(request: Visit, action: str, number: int, role: str = "") -> str | None:
    """Do something with an account; a one-time link, where one is made."""
    context = caller(request)
    token = await to_thread.run_sync(
        admin.act, context.accounts, action, number, context.account.id, role
    )
    context.note(admin.ACTIONS[action].event, account=number)
    return None if token is None else _link(request, token)


def _link(request: Visit, token: str) -> str:
    """A one-time link at the site's own address, whatever host a request names."""
    return link_address(accounts_of(request).settings.public_url, token)


# ── the page ─────────────────────────────────────────────────────────────────────────────────────


async def administrator(request: Visit) -> Response[bytes]:
    """Every account."""
    return await _desk(request)


async def _desk(request: Visit, **more: Any) -> Response[bytes]:
    page = AdministratorPage(accounts=await _rows(request), **more)
    status = HTTP_422_UNPROCESSABLE_ENTITY if page.problem else HTTP_200_OK
    return await private_page(request, page, status_code=status)


async def invite(request: Visit) -> Response[bytes]:
    """A new account, with a one-time link."""
    form = await request.form()
    name = field(form, "name")
    try:
        _, link = await _invite(request, name, field(form, "role"))
    except Refused as error:
        return await _desk(request, problem=str(error))
    return await _desk(request, link=link, invited=name)


def _on_page(action: str) -> Callable[..., Awaitable[Response[bytes]]]:
    """The handler of a form for one action with an account."""

    async def handler(request: Visit, number: FromPath[int]) -> Response[bytes]:
        role = field(await request.form(), "role")
        try:
            link = await _act(request, action, number, role)
        except Refused as error:
            return await _desk(request, problem=str(error))
        if link is None:
            return redirected(to.administrator())
        person = await accounts_of(request).ask(store.find, number)
        return await _desk(request, link=link, invited=person and person.name)

    handler.__doc__ = admin.ACTIONS[action].summary
    return handler


ON_ACCOUNT = {action: _on_page(action) for action in admin.ACTIONS}
"""The handlers of the page by their action."""


# ── programs ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """Every account, by name."""

    items: tuple[AccountRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """An account, and the link with which its owner chooses a password."""

    account: AccountRow
    link: str  # good once, for three days; it is not shown again


class NewAccount(RequestBody, frozen=True, kw_only=True):
    """Who is invited."""

    name: Annotated[Text, Meta(description="As it stands beside what they record.")]
    role: Role


class AssignedRole(RequestBody, frozen=True, kw_only=True):
    """A role."""

    role: Role


async def api_accounts(request: Visit) -> Response[Accounts]:
    """Every account, by name."""
    return await private_answer(request, Accounts(items=await _rows(request)))


async def api_account(request: Visit, number: Number) -> Response[AccountRow]:
    """One account."""
    return await private_answer(request, await _row(request, number))


async def api_invite(request: Visit, body: RawBody) -> Response[Invitation]:
    """A new account, with a one-time link for its owner."""
    given = decode_body(body, NewAccount)
    person, link = await _invite(request, given.name, given.role)
    return await _invitation(request, person.id, link)


async def api_link(request: Visit, number: Number) -> Response[Invitation]:
    """Another one-time link: whoever has it chooses a new password."""
    await _row(request, number)
    return await _invitation(request, number, str(await _act(request, "link", number)))


async def api_role(request: Visit, number: Number, body: RawBody) -> Response[AccountRow]:
    """Another role, from the next sign-in on."""
    return await _acted(request, "role", number, decode_body(body, AssignedRole).role)


async def api_disable(request: Visit, number: Number) -> Response[AccountRow]:
    """An account is closed; its sessions, links and tokens are good no longer."""
    return await _acted(request, "disable", number)


async def api_enable(request: Visit, number: Number) -> Response[AccountRow]:
    """An account is opened again."""
    return await _acted(request, "enable", number)


async def api_reset_codes(request: Visit, number: Number) -> Response[AccountRow]:
    """One-time codes are forgotten; they are set up anew at the next sign-in."""
    return await _acted(request, "codes", number)


async def _acted(request: Visit, action: str, number: int, role: str = "") -> Response[AccountRow]:
    await _row(request, number)
    await _act(request, action, number, role)
    return await private_answer(request, await _row(request, number))


async def _invitation(request: Visit, number: int, link: str) -> Response[Invitation]:
    invitation = Invitation(account=await _row(request, number), link=link)
    location = {"Location": f"/api/v1/accounts/{number}"}
    return await private_answer(request, invitation, status_code=HTTP_201_CREATED, headers=location)


async def _row(request: Visit, number: int) -> AccountRow:
    """An account.

    Raises:
        NotFoundException: there is none of this number.
    """
    person = await accounts_of(request).ask(store.find, number)
    if person is None:
        raise NotFoundException(msg("There is no such account."))
    return account_row(person, request.user.id)
