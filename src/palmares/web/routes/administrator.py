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

from collections.abc import Awaitable, Callable
from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.status_codes import HTTP_422_UNPROCESSABLE_ENTITY

from palmares.errors import Refused
from palmares.web import addresses
from palmares.web.desks import accounts as desk
from palmares.web.desks import caller
from palmares.web.pages.administrator import administrator_page
from palmares.web.replies import Visit, redirected, shown
from palmares.web.routes.forms import field, site_of


@get("/administrator", name="administrator", include_in_schema=False)
async def administrator(request: Visit) -> Response[bytes]:
    """Every account."""
    return await _desk(request)


async def _desk(request: Visit, status: int = 200, **told: Any) -> Response[bytes]:
    page = administrator_page(await desk.everybody(caller(request)), request.user.id, **told)
    return await shown(request, page, status_code=status)


@post("/administrator/invitations", name="invite", include_in_schema=False)
async def invite(request: Visit) -> Response[bytes]:
    """A new account, with a one-time link."""
    form = await request.form()
    name, role = field(form, "name"), field(form, "role")
    try:
        _, token = await desk.invited(caller(request), name, role)
    except Refused as error:
        return await _problem(request, error)
    return await _desk(request, link=_link(request, token), invited=name)


@post("/administrator/accounts/{number:int}/link", name="account_link", include_in_schema=False)
async def account_link(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Another link: whoever has it chooses a new password."""
    try:
        person, token = await desk.relinked(caller(request), number)
    except Refused as error:
        return await _problem(request, error)
    return await _desk(request, link=_link(request, token), invited=person.name)


def _link(request: Visit, token: str) -> str:
    """A one-time link at the site's own address, whatever host a request names."""
    return addresses.link(site_of(request).settings.public_url, token)


@post("/administrator/accounts/{number:int}/role", name="account_role", include_in_schema=False)
async def account_role(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """Another role."""
    role = field(await request.form(), "role")
    return await _done(request, desk.assigned, number, role)


@post(
    "/administrator/accounts/{number:int}/disable", name="account_disable", include_in_schema=False
)
async def account_disable(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """An account is closed."""
    return await _done(request, desk.disabled, number)


@post("/administrator/accounts/{number:int}/enable", name="account_enable", include_in_schema=False)
async def account_enable(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """An account is opened again."""
    return await _done(request, desk.enabled, number)


@post("/administrator/accounts/{number:int}/codes", name="account_uncode", include_in_schema=False)
async def account_uncode(request: Visit, number: FromPath[int]) -> Response[bytes]:
    """One-time codes are set up anew at the next sign-in."""
    return await _done(request, desk.uncoded, number)


async def _done(
    request: Visit, step: Callable[..., Awaitable[None]], number: int, *more: str
) -> Response[bytes]:
    try:
        await step(caller(request), number, *more)
    except Refused as error:
        return await _problem(request, error)
    return redirected(addresses.desk("administrator"))


async def _problem(request: Visit, error: Refused) -> Response[bytes]:
    """The desk again, with what went wrong; a database that fails is another matter."""
    if error.__cause__ is not None:
        raise error
    return await _desk(request, HTTP_422_UNPROCESSABLE_ENTITY, problem=str(error))
