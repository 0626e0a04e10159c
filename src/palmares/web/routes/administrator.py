"""
Routes of the administrator's desk.

    administrator       every account
    invite              a new one, with a one-time link
    account_link        another link: whoever has it chooses a new password
    account_role        another role
    account_disable     closed
    account_enable      opened again
    account_uncode      one-time codes are set up anew
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anyio import to_thread
from litestar import Response, get, post
from litestar.params import FromPath
from litestar.status_codes import HTTP_422_UNPROCESSABLE_ENTITY

from palmares.errors import Refused
from palmares.web import addresses, logs
from palmares.web.accounts import keeping, people
from palmares.web.accounts.entering import Site
from palmares.web.accounts.people import Person
from palmares.web.pages.administrator import administrator_page
from palmares.web.replies import Visit, shown
from palmares.web.routes.forms import field, redirected, site_of


@get("/administrator", name="administrator", include_in_schema=False)
async def administrator(request: Visit) -> Response[bytes]:
    """Every account."""
    return await _desk(request)


async def _desk(request: Visit, status: int = 200, **told: Any) -> Response[bytes]:
    found = await to_thread.run_sync(_everybody, site_of(request))
    page = administrator_page(found, request.user.id, **told)
    return await shown(request, page, status_code=status)


def _everybody(site: Site) -> list[Person]:
    with site.database.reading() as connection:
        return people.everybody(connection)


def link_of(request: Visit, token: str) -> str:
    """The address that a one-time link leads to."""
    return f"{str(request.base_url).rstrip('/')}/welcome/{token}"


@post("/administrator/invitations", name="invite", include_in_schema=False)
async def invite(request: Visit) -> Response[bytes]:
    """A new account, with a one-time link."""
    form = await request.form()
    name, role = field(form, "name"), field(form, "role")
    try:
        _, token = await to_thread.run_sync(keeping.invite, site_of(request), name, role)
    except Refused as error:
        return await _problem(request, error)
    logs.event(request.scope, "invited", by=request.user.id, role=role)
    return await _desk(request, link=link_of(request, token), invited=name)


@post("/administrator/accounts/{number:int}/link", name="account_link", include_in_schema=False)
async def account_link(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Another link: whoever has it chooses a new password."""
    try:
        person, token = await to_thread.run_sync(
            keeping.relink, site_of(request), number, request.user.id
        )
    except Refused as error:
        return await _problem(request, error)
    logs.event(request.scope, "new link", by=request.user.id, account=number)
    return await _desk(request, link=link_of(request, token), invited=person.name)


@post("/administrator/accounts/{number:int}/role", name="account_role", include_in_schema=False)
async def account_role(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Another role."""
    role = field(await request.form(), "role")
    return await _done(request, "role changed", keeping.assign, number, role)


@post(
    "/administrator/accounts/{number:int}/disable", name="account_disable", include_in_schema=False
)
async def account_disable(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """An account is closed."""
    return await _done(request, "disabled", keeping.disable, number)


@post("/administrator/accounts/{number:int}/enable", name="account_enable", include_in_schema=False)
async def account_enable(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """An account is opened again."""
    return await _done(request, "enabled", keeping.enable, number)


@post("/administrator/accounts/{number:int}/codes", name="account_uncode", include_in_schema=False)
async def account_uncode(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """One-time codes are set up anew at the next sign-in."""
    return await _done(request, "codes reset", keeping.uncode, number)


async def _done(
    request: Visit, event: str, act: Callable[..., None], number: int, *more: str
) -> Response[bytes]:
    try:
        await to_thread.run_sync(act, site_of(request), number, request.user.id, *more)
    except Refused as error:
        return await _problem(request, error)
    logs.event(request.scope, event, by=request.user.id, account=number)
    return redirected(addresses.desk("administrator"))


async def _problem(request: Visit, error: Refused) -> Response[bytes]:
    """The desk again, with what went wrong; a database that fails is another matter."""
    if error.__cause__ is not None:
        raise error
    return await _desk(request, HTTP_422_UNPROCESSABLE_ENTITY, problem=str(error))
