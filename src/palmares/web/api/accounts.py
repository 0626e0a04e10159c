"""
Accounts, for programs of administrators: the steps of the desk.

    accounts        every account
    account         one of them
    account_invite  a new one, with a one-time link
    account_link    another link: whoever has it chooses a new password
    account_role    another role
    account_disable, account_enable     closed, and opened again
    account_uncode  one-time codes are set up anew
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

from litestar import Response, delete, get, post
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter, RawBody
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED
from msgspec import Meta

from palmares.journal.entries import ROLES
from palmares.web import addresses
from palmares.web.api.replies import own
from palmares.web.api.sent import SENDS, Sent, Text, sent
from palmares.web.desks import accounts as desk
from palmares.web.desks import caller
from palmares.web.hall import Hall
from palmares.web.pages.administrator import AdministratorRow, administrator_page
from palmares.web.replies import Visit

TAGS = ["Accounts"]

Number = Annotated[
    int, PathParameter(description="The number of an account.", ge=1, examples=[Example(value=1)])
]
Role = Annotated[Text, Meta(description=f"One of: {', '.join(ROLES)}.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """Every account, by name."""

    items: tuple[AdministratorRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """An account, and the link with which its owner chooses a password."""

    account: AdministratorRow
    link: str  # good once, for three days; it is not shown again


class Invited(Sent, frozen=True, kw_only=True):
    """Who is invited."""

    name: Annotated[Text, Meta(description="As it stands beside what they record.")]
    role: Role


class Assigned(Sent, frozen=True, kw_only=True):
    """A role."""

    role: Role


@get("/accounts", name="api_accounts", tags=TAGS)
async def accounts(request: Visit) -> Response[Accounts]:
    """Every account, by name."""
    return await own(request, Accounts(items=await _everybody(request)))


@get("/accounts/{number:int}", name="api_account", tags=TAGS)
async def account(request: Visit, number: Number) -> Response[AdministratorRow]:
    """One account."""
    return await own(request, await _one(request, number))


@post("/accounts", name="api_account_invite", tags=TAGS, opt={SENDS: Invited})
async def account_invite(request: Visit, body: RawBody) -> Response[Invitation]:
    """A new account, with a one-time link for its owner."""
    given = sent(body, Invited)
    person, token = await desk.invited(caller(request), given.name, given.role)
    return await _invited(request, person.id, token)


@post("/accounts/{number:int}/link", name="api_account_link", tags=TAGS)
async def account_link(request: Visit, number: Number) -> Response[Invitation]:
    """Another one-time link: whoever has it chooses a new password."""
    await _one(request, number)
    _, token = await desk.relinked(caller(request), number)
    return await _invited(request, number, token)


@post(
    "/accounts/{number:int}/role", name="api_account_role", tags=TAGS,
    status_code=HTTP_200_OK, opt={SENDS: Assigned},
)  # fmt: skip
async def account_role(request: Visit, number: Number, body: RawBody) -> Response[AdministratorRow]:
    """Another role, from the next sign-in on."""
    role = sent(body, Assigned).role
    return await _done(request, desk.assigned, number, role)


@post(
    "/accounts/{number:int}/disable", name="api_account_disable", tags=TAGS,
    status_code=HTTP_200_OK,
)  # fmt: skip
async def account_disable(request: Visit, number: Number) -> Response[AdministratorRow]:
    """An account is closed; its sessions, links and tokens are good no longer."""
    return await _done(request, desk.disabled, number)


@post(
    "/accounts/{number:int}/enable", name="api_account_enable", tags=TAGS,
    status_code=HTTP_200_OK,
)  # fmt: skip
async def account_enable(request: Visit, number: Number) -> Response[AdministratorRow]:
    """An account is opened again."""
    return await _done(request, desk.enabled, number)


@delete(
    "/accounts/{number:int}/codes", name="api_account_uncode", tags=TAGS,
    status_code=HTTP_200_OK,
)  # fmt: skip
async def account_uncode(request: Visit, number: Number) -> Response[AdministratorRow]:
    """One-time codes are forgotten; they are set up anew at the next sign-in."""
    return await _done(request, desk.uncoded, number)


async def _done(
    request: Visit, step: Callable[..., Awaitable[None]], number: int, *more: str
) -> Response[AdministratorRow]:
    await _one(request, number)
    await step(caller(request), number, *more)
    return await own(request, await _one(request, number))


async def _invited(request: Visit, number: int, token: str) -> Response[Invitation]:
    row = await _one(request, number)
    hall: Hall = request.app.state.hall
    made = Invitation(account=row, link=addresses.link(hall.settings.public_url, token))
    location = {"Location": f"/api/v1/accounts/{number}"}
    return await own(request, made, status_code=HTTP_201_CREATED, headers=location)


async def _one(request: Visit, number: int) -> AdministratorRow:
    """An account.

    Raises:
        NotFoundException: there is none of this number.
    """
    for one in await _everybody(request):
        if one.id == number:
            return one
    raise NotFoundException("There is no such account.")


async def _everybody(request: Visit) -> tuple[AdministratorRow, ...]:
    return administrator_page(await desk.everybody(caller(request)), request.user.id).accounts
