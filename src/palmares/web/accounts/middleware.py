"""
Who sends a request, and whether the table of rights lets them.

A program comes with a token to addresses under ``/api`` and ``/metrics``; its cookies count for
nothing. A form has to come from a page of this site. What is sent may take minutes to arrive, so
the right to write is checked twice: before anything is read, and when all of it is there.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import anyio
from anyio import to_thread
from litestar import Request
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
from palmares.web.accounts import store, throttle, tokens
from palmares.web.accounts.sessions import COOKIE, Sessions
from palmares.web.http import logs
from palmares.web.http.routing import API_ROOT, PROGRAMS, Account, row_of
from palmares.web.http.security import fields_of
from palmares.web.http.state import AppState

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
UNREADABLE = msg("What was sent cannot be read.")
"""Of bytes in no language, and of NUL: no database takes it, no file is called so."""
READS = msg("This token reads only. One that writes is made on the page of the account.")


class AuthMiddleware:
    """Session or token -> ``request.user``; rights and forms are checked."""

    def __init__(self, app: ASGIApp, app_state: AppState) -> None:
        self._cookie = f"{app_state.settings.cookie(COOKIE)}=".encode()
        self._app_state = app_state
        self._next = app
        self._sessions = Sessions(app_state)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, saying whose it is."""
        if scope["type"] != ScopeType.HTTP:
            await self._next(scope, receive, send)
            return
        if "%00" in scope["path"] or b"%00" in scope["query_string"]:
            raise ClientException(UNREADABLE)
        cookie = token = b""
        for name, value in scope["headers"]:
            if name == b"cookie":
                cookie += value + b"; "
            elif name == b"authorization":
                token = value
        safe, has_session = scope["method"] in SAFE, self._cookie in cookie
        receive = receive if safe else _patient(receive, self._app_state.settings.patience)
        safe = safe or row_of(scope).reads
        if token and scope["path"].startswith(PROGRAMS):
            await self._program(scope, receive, token, safe=safe)
            await self._next(scope, receive, send)
        elif safe and not has_session:
            scope["session"], scope["user"] = {}, None
            let_in(scope)
            await self._next(scope, receive, send)
        else:
            if not safe:
                _refuse_other_sites(scope, has_session=has_session)
            await self._browser(scope, receive, safe=safe)
            await self._next(scope, receive, self._sessions.saving(scope, send))

    # ── programs ─────────────────────────────────────────────────────────────────────────────────

    async def _program(self, scope: Scope, receive: Receive, header: bytes, *, safe: bool) -> None:
        """Say whose token it is, once all is there that is sent."""
        scope["session"] = {}
        await self._token(scope, header, safe=safe)
        if not safe:
            await Request[Any, Any, Any](scope, receive).body()  # kept for the handler
            await self._token(scope, header, safe=safe)
        await self._look()

    async def _token(self, scope: Scope, header: bytes, *, safe: bool) -> None:
        """Say whose token it is; one that reads only writes nothing.

        Raises:
            NotAuthorizedException: the token is not known.
            TooManyRequestsException: nor were many before it from the same address.
            PermissionDeniedException: not in this role, or not with this token.
        """
        scheme, _, token = header.decode("latin-1").partition(" ")
        found = None
        if scheme.lower() == "bearer":
            database, now = self._app_state.database, self._app_state.clock()
            found = await to_thread.run_sync(tokens.authenticate, database, token.strip(), now)
        if found is None:
            logs.event(scope, "token refused")
            address = throttle.client_address(ASGIConnection(scope))
            if wait := await to_thread.run_sync(self._record_wrong_token, address):
                raise TooManyRequestsException(
                    msg("Too many tokens that are not known came from there. Wait a while."),
                    headers={"Retry-After": str(wait)},
                )
            raise NotAuthorizedException(
                msg("The token is not known, or no longer good."),
                headers={"WWW-Authenticate": 'Bearer realm="palmares"'},
            )
        scope["user"], writes = found
        let_in(scope)
        if not (safe or writes):
            raise PermissionDeniedException(READS)

    def _record_wrong_token(self, address: str) -> int:
        """Note a wrong token; seconds to wait where there were too many already."""
        limits = throttle.token_limits(self._app_state.settings.secret, address)
        now = self._app_state.clock()
        with self._app_state.database.reading() as connection:
            wait = throttle.seconds_to_wait(connection, limits, now)
        if not wait:
            with self._app_state.database.writing() as connection:
                throttle.record_failure(connection, limits, now)
        return wait

    # ── browsers ─────────────────────────────────────────────────────────────────────────────────

    async def _browser(self, scope: Scope, receive: Receive, *, safe: bool) -> None:
        """Find the account of the session; none where it was disabled meanwhile."""
        await self._sessions.load(scope)
        session: Any = scope["session"]
        account = session.get("account")
        user = None if account is None else await to_thread.run_sync(self._account, account)
        scope["user"] = user
        if user is not None:
            await self._look()
        let_in(scope)  # before anything is read that was sent
        if not safe:
            await _form(scope, receive)
            if user is not None:
                number = scope["state"]["session"].number
                scope["user"] = await to_thread.run_sync(self._account, account, number)
                let_in(scope)

    async def _look(self) -> None:
        """Read the journal now: another worker may have recorded something."""
        await to_thread.run_sync(partial(self._app_state.snapshot, at_once=True))

    def _account(self, number: int, session: str | None = None) -> Account | None:
        """An enabled account; none where its session has ended meanwhile."""
        if session is not None and self._sessions.read(session) is None:
            return None
        with self._app_state.database.reading() as connection:
            person = store.find(connection, number)
        return None if person is None or person.disabled else person.account


def _refuse_other_sites(scope: Scope, *, has_session: bool) -> None:
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
    headers = Headers.from_scope(scope)
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


def _patient(receive: Receive, seconds: float) -> Receive:
    """What is sent has to come within so many seconds; connections held open are too cheap."""
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


async def _form(scope: Scope, receive: Receive) -> None:
    """Read what was sent in a form; what cannot be read is the sender's mistake."""
    request: Request[Any, Any, Any] = Request(scope, receive)
    try:
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
    """The table of rights, for every route.

    Not among Litestar's guards: those come after a form was read.

    Raises:
        NotAuthorizedException: it needs a sign-in.
        PermissionDeniedException: not in this role.
    """
    user: Account | None = scope.get("user")
    if scope.get("method") == "OPTIONS":  # tells which methods there are, no more
        return
    if row_of(scope).right.allows(user.role if user else None):
        return
    if user is None:
        raise NotAuthorizedException(msg("Please sign in."))
    raise PermissionDeniedException(msg("This is not for your role."))
