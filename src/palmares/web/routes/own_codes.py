"""
Routes of one-time codes that somebody signed in wants, whether the role needs them or not.

    own_codes           a new secret for an authenticator
    own_codes_send      its first code, and the password once more
    own_codes_end       they are needed no longer

The secret that was offered is kept in the session until its first code has come.
"""

from __future__ import annotations

from anyio import to_thread
from litestar import Response, get, post
from litestar.status_codes import HTTP_200_OK

from palmares.web import addresses, logs
from palmares.web.accounts import codes, entering
from palmares.web.accounts.attempts import from_where
from palmares.web.pages.sign_in import RecoveryPage, set_up_page
from palmares.web.replies import Visit, redirected, shown
from palmares.web.routes.forms import field, site_of
from palmares.web.routes.sign_in import SMALL, account_shown, person_of, renewed, told


@get("/account/codes", name="own_codes", include_in_schema=False)
async def own_codes(request: Visit) -> Response[bytes]:
    """A new secret for an authenticator."""
    person = await to_thread.run_sync(person_of, site_of(request), request.user.id)
    if person.secret is not None:
        return redirected(addresses.account())
    return await _offer(request)


async def _offer(
    request: Visit, problem: str | None = None, status: int = HTTP_200_OK
) -> Response[bytes]:
    offer = request.session.get("offer") or codes.fresh()
    request.set_session({**request.session, "offer": offer})
    page = set_up_page(offer, request.user.name, own=True, problem=problem)
    return await shown(request, page, status_code=status)


@post("/account/codes", name="own_codes_send", request_max_body_size=SMALL, include_in_schema=False)
async def own_codes_send(request: Visit) -> Response[bytes]:
    """Its first code, and the password once more; recovery codes are shown."""
    offer = request.session.get("offer")
    if not offer:
        return redirected("/account/codes")
    site, form, own = site_of(request), await request.form(), request.user.id
    given = (field(form, "password"), offer, field(form, "code"))
    made, problem, status = await told(
        request, entering.own_codes, site, own, *given, from_where(request)
    )
    if made is None:
        return await _offer(request, problem, status)
    logs.event(request.scope, "codes set up", account=own)
    await renewed(request, {"account": own})
    return await shown(request, RecoveryPage(codes=made, next=addresses.account()))


@post(
    "/account/codes/end",
    name="own_codes_end",
    request_max_body_size=SMALL,
    include_in_schema=False,
)
async def own_codes_end(request: Visit) -> Response[bytes]:
    """They are needed no longer; everywhere else one is signed out."""
    site, form, own = site_of(request), await request.form(), request.user.id
    _, problem, status = await told(
        request, entering.end_codes, site, own, field(form, "password"), from_where(request)
    )
    if problem is not None:
        return await account_shown(request, problem=problem, status=status)
    logs.event(request.scope, "codes ended", account=own)
    await renewed(request, {"account": own})
    return redirected(addresses.account())
