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
from litestar.params import PathParameter
from litestar.status_codes import HTTP_201_CREATED
from msgspec import Meta

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.journal.store.entries import ROLES
from palmares.web.accounts import admin, store
from palmares.web.accounts.store import Person
from palmares.web.api.bodies import RequestBody, Text, body_or_form
from palmares.web.http.replies import is_api, private_answer, redirected
from palmares.web.http.routing import link as link_address
from palmares.web.http.routing import to
from palmares.web.http.state import Request
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


async def _rows(request: Request) -> tuple[AccountRow, ...]:
    """Every account, by name."""
    people = await request.app_state.ask(store.list_all)
    return tuple(account_row(person, request.user.id) for person in people)


async def _row(request: Request, number: int) -> AccountRow:
    """An account.

    Raises:
        NotFoundException: there is none of this number.
    """
    person = await request.app_state.ask(store.find, number)
    if person is None:
        raise NotFoundException(msg("There is no such account."))
    return account_row(person, request.user.id)


async def _page(request: Request, **more: Any) -> Response[Any]:
    """The page of all accounts, with what was done or what is wrong."""
    page = AdministratorPage(accounts=await _rows(request), **more)
    return await private_answer(request, page)


async def administrator(request: Request) -> Response[bytes]:
    """Every account."""
    return await _page(request)


async def api_accounts(request: Request) -> Response[Accounts]:
    """Every account, by name."""
    return await private_answer(request, Accounts(items=await _rows(request)))


async def api_account(request: Request, number: Number) -> Response[AccountRow]:
    """One account."""
    return await private_answer(request, await _row(request, number))


async def invite(request: Request) -> Response[Invitation]:
    """A new account, with a one-time link for its owner."""
    given = await body_or_form(request, NewAccount)
    try:
        person, token = await to_thread.run_sync(
            admin.invite, request.app_state, given.name, given.role
        )
    except Refused as error:
        return await _refused(request, error)
    request.log_event("invited", role=given.role)
    return await _invited(request, person.id, token)


async def _act(request: Request, action: str, number: int) -> Response[Any]:
    """Do something with an account, by a form or a program."""
    role = (await body_or_form(request, AssignedRole)).role if action == "role" else ""
    try:
        await _row(request, number)
        token = await to_thread.run_sync(
            admin.act, request.app_state, action, number, request.user.id, role
        )
    except Refused as error:
        return await _refused(request, error)
    request.log_event(admin.ACTIONS[action].event, account=number)
    if token is not None:
        return await _invited(request, number, token)
    if is_api(request):
        return await private_answer(request, await _row(request, number))
    return redirected(to.administrator())


async def _link(request: Request, number: Number) -> Response[Invitation]:
    return await _act(request, "link", number)


def _on_account(action: str) -> Callable[..., Awaitable[Response[Any]]]:
    """The handler of one action with an account, of the page and of the API."""

    async def handler(request: Request, number: Number) -> Response[AccountRow]:
        return await _act(request, action, number)

    chosen: Callable[..., Awaitable[Response[Any]]] = _link if action == "link" else handler
    chosen.__doc__ = admin.ACTIONS[action].summary
    return chosen


ON_ACCOUNT = {action: _on_account(action) for action in admin.ACTIONS}
"""The handlers by their action."""


async def _refused(request: Request, error: Refused) -> Response[Any]:
    if is_api(request):
        raise error
    return await _page(request, problem=str(error))


async def _invited(request: Request, number: int, token: str) -> Response[Any]:
    """An account with its one-time link, which is at the site's own address."""
    row = await _row(request, number)
    link = link_address(request.app_state.settings.public_url, token)
    if not is_api(request):
        return await _page(request, link=link, invited=row.name)
    headers = {"Location": f"/api/v1/accounts/{number}"}
    invitation = Invitation(account=row, link=link)
    return await private_answer(request, invitation, status_code=HTTP_201_CREATED, headers=headers)
