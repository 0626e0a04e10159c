"""
Who sends a request, and whether the table of rights lets them.

A program comes with a token to addresses under ``/api`` and ``/metrics``; its cookies count for
nothing. A form has to come from a page of this site. What is sent may take minutes to arrive, so
the right to write is checked twice: before anything is read, and when all of it is there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import anyio
from anyio import to_thread
from litestar.connection import ASGIConnection
from litestar.datastructures import Headers
from litestar.enums import RequestEncodingType, ScopeType
from litestar.exceptions import (
    ClientException,
    HTTPException,
    NotAuthorizedException,
    PermissionDeniedException,
    TooManyRequestsException,
)
from litestar.types import ASGIApp, Receive, Scope, Send
from litestar.utils.scope.state import ScopeState

from palmares.core.messages import msg
from palmares.web.accounts import sessions, store, throttle
from palmares.web.accounts.sessions import COOKIE
from palmares.web.http import logs
from palmares.web.http.routing import API_ROOT, PROGRAMS, Account, row_of
from palmares.web.http.security import fields_of
from palmares.web.http.state import AppState, Request

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
UNREADABLE = msg("What was sent cannot be read.")
"""Of bytes in no language, and of NUL: no database takes it, no file is called so."""
READS = msg("This token reads only. One that writes is made on the page of the account.")


class AuthMiddleware:
    """Session or token -> ``request.user``; rights and forms are checked."""

    def __init__(self, app: ASGIApp, app_state: AppState) -> None:
        self._app_state = app_state
        self._cookie = f"{app_state.settings.cookie(COOKIE)}="
        self._next = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, with its account."""
        if scope["type"] != ScopeType.HTTP:
            await self._next(scope, receive, send)
            return
        if "%00" in scope["path"] or b"%00" in scope["query_string"]:
            raise ClientException(UNREADABLE)
        headers = Headers.from_scope(scope)
        has_session = self._cookie in "; ".join(headers.getall("cookie", []))
        token = headers.get("authorization", "") if scope["path"].startswith(PROGRAMS) else ""
        safe = scope["method"] in SAFE
        receive = receive if safe else _with_timeout(receive, self._app_state.settings.patience)
        safe = safe or row_of(scope).reads
        scope["session"], scope["user"] = {}, None
        if token:
            await self._let_in_twice(scope, receive, partial(self._token, scope, token), safe=safe)
        elif safe and not has_session:
            let_in(scope)
        else:
            if not safe:
                _refuse_other_sites(scope, headers, has_session=has_session)
            await self._let_in_twice(scope, receive, partial(self._session, scope), safe=safe)
        await self._next(scope, receive, send)

    async def _let_in_twice(
        self, scope: Scope, receive: Receive, identify: Callable[[], Awaitable[None]], *, safe: bool
    ) -> None:
        """Find the account and check its rights; again after everything that is sent has come."""
        await identify()
        self._check_rights(scope, safe=safe)
        if not safe:
            await _read_body(scope, receive)
            await identify()
            self._check_rights(scope, safe=safe)
        if scope["user"] is not None:  # another worker may have recorded something
            await to_thread.run_sync(partial(self._app_state.snapshot, at_once=True))

    @staticmethod
    def _check_rights(scope: Scope, *, safe: bool) -> None:
        let_in(scope)
        if not safe and not scope["state"].get("token_writes", True):
            raise PermissionDeniedException(READS)

    async def _token(self, scope: Scope, header: str) -> None:
        """Find the account of a token.

        Raises:
            NotAuthorizedException: the token is not known.
            TooManyRequestsException: too many unknown tokens came from the same address.
        """
        scheme, _, token = header.partition(" ")
        database, now = self._app_state.database, self._app_state.clock()
        if scheme.lower() == "bearer":
            good = await to_thread.run_sync(
                sessions.authenticate_token, database, token.strip(), now
            )
            if good is not None:
                scope["user"], scope["state"]["token_writes"] = good
                return
        logs.event(scope, "token refused")
        address = throttle.client_address(ASGIConnection(scope))
        secret = self._app_state.settings.secret  # good tokens work, sign-ins are not slowed down
        limits = throttle.limits_of(secret, (f"token {address}", throttle.ANYWHERE))
        if wait := await self._app_state.ask(throttle.seconds_to_wait, limits, now):
            raise TooManyRequestsException(
                msg("Too many tokens that are not known came from there. Wait a while."),
                headers={"Retry-After": str(wait)},
            )
        await self._app_state.change(throttle.record_failure, limits, now)
        raise NotAuthorizedException(
            msg("The token is not known, or no longer good."),
            headers={"WWW-Authenticate": 'Bearer realm="palmares"'},
        )

    async def _session(self, scope: Scope) -> None:
        """Find the account of a session; none if it was disabled meanwhile."""
        number = sessions.number_in(ASGIConnection(scope))
        data = await to_thread.run_sync(sessions.read_session, self._app_state, number)
        scope["session"], account = data, data.get("account", 0)
        person = await self._app_state.ask(store.find, account) if account else None
        scope["user"] = None if person is None or person.disabled else person.account


def _refuse_other_sites(scope: Scope, headers: Headers, *, has_session: bool) -> None:
    """Refuse what a page of another site sends, and to write under /api without a token.

    Browsers say where a request comes from (`Sec-Fetch-Site`), older ones say of which site the
    page is (`Origin`). What says neither is no browser, and needs no protection, unless it brings
    the cookie of a session.

    Raises:
        NotAuthorizedException: it is for the API, and has no token.
        PermissionDeniedException: it comes from another site, or does not say from where.
    """
    if scope["path"].startswith(API_ROOT):
        raise NotAuthorizedException(msg("Programs write with a token, never with a cookie."))
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        ours = site in ("same-origin", "none")
    elif origin is not None:
        ours = origin.partition("://")[2] == headers["host"]
    else:
        ours = not has_session
    if not ours:
        raise PermissionDeniedException(
            msg("This form was sent from another site. Open the page here and send it again.")
        )


def _with_timeout(receive: Receive, seconds: float) -> Receive:
    """Limit the seconds in which a whole body has to come."""
    until, complete = anyio.current_time() + seconds, False

    async def received() -> Any:
        nonlocal complete
        if complete:
            return await receive()
        try:
            with anyio.fail_after(until - anyio.current_time()):
                message = await receive()
        except TimeoutError:
            raise HTTPException(msg("What was sent took too long."), status_code=408) from None
        complete = not message.get("more_body", False)
        return message

    return received


async def _read_body(scope: Scope, receive: Receive) -> None:
    """Read what was sent, a form or the body of a program; the handler gets the same.

    Raises:
        ClientException: a form cannot be read.
    """
    request: Request = Request(scope, receive)
    try:
        if scope["path"].startswith(PROGRAMS):
            await request.body()
            return
        if request.content_type[0] == RequestEncodingType.URL_ENCODED:
            ScopeState.from_scope(scope).form = fields_of(await request.body())
        form = await request.form()
    except HTTPException:
        raise
    except (LookupError, UnicodeError, ValueError) as error:
        raise ClientException(UNREADABLE) from error
    if any(isinstance(value, str) and "\x00" in value for _, value in form.multi_items()):
        raise ClientException(UNREADABLE)


def let_in(scope: Scope) -> None:
    """Check a request against the table of rights.

    Not among Litestar's guards: those come after a form was read.

    Raises:
        NotAuthorizedException: it needs a sign-in.
        PermissionDeniedException: not in this role.
    """
    user: Account | None = scope.get("user")
    if scope.get("method") == "OPTIONS":  # only says which methods there are
        return
    if row_of(scope).right.allows(user.role if user else None):
        return
    if user is None:
        raise NotAuthorizedException(msg("Please sign in."))
    raise PermissionDeniedException(msg("This is not for your role."))
