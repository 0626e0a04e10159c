"""
The door: who comes in with a request, and whether the table of rights lets them.

    Door        the middleware: session or token -> ``request.user``; forms are checked
    let_in      the table of rights, for every route
    FORMS       the option of a route that shows forms to visitors: ``opt=FORMS``

A visitor who brings no session reads on without a look at the database. A program comes with a
token to addresses under ``/api`` and ``/metrics``; then its cookies count for nothing, and without
a token nothing under ``/api`` is written, whatever cookies come. Whatever writes elsewhere must
bring the token of a form of its own session.

What is sent may take minutes to come. So whoever writes is asked twice whether they may: before
anything of it is read, and when all of it is there.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from anyio import to_thread
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.enums import RequestEncodingType, ScopeType
from litestar.exceptions import (
    ClientException,
    HTTPException,
    NotAuthorizedException,
    PermissionDeniedException,
    TooManyRequestsException,
)
from litestar.middleware.session.base import SessionMiddleware
from litestar.types import ASGIApp, Receive, Scope, Send
from litestar.utils.scope.state import ScopeState

from palmares.journal.databases import Database
from palmares.web import logs
from palmares.web.accounts import Account, attempts, people, tokens
from palmares.web.accounts.attempts import from_where
from palmares.web.accounts.csrf import CsrfCheck
from palmares.web.accounts.sessions import Cookies, Sessions, configured, cookie_name
from palmares.web.bounds import fields_of
from palmares.web.messages import said
from palmares.web.rights import allowed
from palmares.web.settings import Settings

if TYPE_CHECKING:
    from palmares.web.hall import Hall

FORMS = {"forms": True}
UNREADABLE = said("What was sent cannot be read.")
"""Of bytes in no language, and of NUL: no database takes it, no file is called so."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
API = "/api/"
PROGRAMS = (API, "/metrics")
READS = said("This token reads only. One that writes is made on the page of the account.")


class Door:
    """The middleware that every request comes through."""

    def __init__(self, app: ASGIApp, database: Database, settings: Settings) -> None:
        self._name = f"{cookie_name(settings, 'palmares')}=".encode()
        self._database = database
        self._settings = settings
        self._next = app
        checked = CsrfCheck(app, settings)
        self._people = SessionMiddleware(
            Recognised(checked, database, settings), Cookies(config=configured(settings))
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, saying whose it is."""
        if scope["type"] != ScopeType.HTTP:
            await self._next(scope, receive, send)
            return
        if "\x00" in scope["path"] or b"%00" in scope["query_string"]:
            raise ClientException(UNREADABLE)
        cookie = token = site = b""
        for name, value in scope["headers"]:
            if name == b"cookie":
                cookie += value + b"; "
            elif name == b"authorization":
                token = value
            elif name == b"sec-fetch-site":
                site = value
        safe = scope["method"] in _SAFE
        receive = receive if safe else _patient(receive, self._settings.patience)
        if token and scope["path"].startswith(PROGRAMS):
            await self._program(scope, receive, token, safe=safe)
            await self._next(scope, receive, send)
        elif safe and self._name not in cookie and not scope["route_handler"].opt.get("forms"):
            scope["session"], scope["user"] = {}, None
            let_in(scope)
            await self._next(scope, receive, send)
        else:
            if not safe:
                _refuse_others(scope["path"], site)
            await self._people(scope, receive, send)

    async def _program(self, scope: Scope, receive: Receive, header: bytes, *, safe: bool) -> None:
        """Say whose token it is, once all is there that is sent."""
        scope["session"] = {}
        await self._token(scope, header, safe=safe)
        if not safe:
            await Request[Any, Any, Any](scope, receive).body()  # kept for the handler
            await self._token(scope, header, safe=safe)
        await _look(scope)

    async def _token(self, scope: Scope, header: bytes, *, safe: bool) -> None:
        """Say whose token it is; one that reads only writes nothing.

        Raises:
            NotAuthorizedException: nobody's.
            TooManyRequestsException: nor were many before it, from the same address.
            PermissionDeniedException: not in this role, or not with this token.
        """
        scheme, _, token = header.decode("latin-1").partition(" ")
        found = None
        if scheme.lower() == "bearer":
            found = await to_thread.run_sync(
                tokens.account_of, self._database, token.strip(), self._settings.clock()
            )
        if found is None:
            logs.event(scope, "token refused")
            wait = await to_thread.run_sync(self._failed, from_where(ASGIConnection(scope)))
            if wait:
                raise TooManyRequestsException(
                    said("Too many tokens that are not known came from there. Wait a while."),
                    headers={"Retry-After": str(wait)},
                )
            raise NotAuthorizedException(
                said("The token is not known, or no longer good."),
                headers={"WWW-Authenticate": 'Bearer realm="palmares"'},
            )
        scope["user"], writes = found
        let_in(scope)
        if not (safe or writes):
            raise PermissionDeniedException(READS)

    def _failed(self, address: str) -> int:
        """Note a wrong token; seconds to wait where there were too many already."""
        secret, now = self._settings.secret, self._settings.clock()
        with self._database.reading() as connection:
            wait = attempts.token_wait(connection, secret, address, now)
        if not wait:
            with self._database.writing() as connection:
                attempts.token_failed(connection, secret, address, now)
        return wait


def _refuse_others(path: str, site: bytes) -> None:
    """Refuse to write under /api without a token, and elsewhere for the pages of others."""
    if path.startswith(API):
        raise NotAuthorizedException(said("Programs write with a token, never with a cookie."))
    if site not in (b"", b"same-origin", b"none"):
        raise PermissionDeniedException(said("The form was not one of ours."))


class Recognised:
    """Whose session it is."""

    def __init__(self, app: ASGIApp, database: Database, settings: Settings) -> None:
        self._next = app
        self._database = database
        self._sessions = Sessions(database, settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Say whose session it is: nobody's, where the account was closed meanwhile."""
        session: Any = scope["session"]
        account = session.get("account")
        scope["user"] = (
            None if account is None else await to_thread.run_sync(self._account, account)
        )
        if scope["user"] is not None:
            await _look(scope)
        let_in(scope)  # before anything is read that was sent
        if scope.get("method") not in _SAFE:
            await _form(scope, receive)
            if scope["user"] is not None:
                number = ScopeState.from_scope(scope).session_id
                scope["user"] = await to_thread.run_sync(self._still, number, account)
                let_in(scope)
        await self._next(scope, receive, send)

    def _still(self, number: Any, account: int) -> Account | None:
        """Whose session it is once a form has come: it may have ended meanwhile."""
        return None if self._sessions.read(number) is None else self._account(account)

    def _account(self, number: int) -> Account | None:
        with self._database.reading() as connection:
            found = people.found(connection, number)
        return None if found is None or found.disabled else people.account_of(found)


def _patient(receive: Receive, seconds: float) -> Receive:
    """What is sent has to come within so many seconds; connections held open are too cheap."""
    until = anyio.current_time() + seconds
    whole = False

    async def received() -> Any:
        nonlocal whole
        if whole:
            return await receive()
        try:
            with anyio.fail_after(until - anyio.current_time()):
                message = await receive()
        except TimeoutError:
            raise HTTPException(said("What was sent took too long."), status_code=408) from None
        whole = not message.get("more_body", False)
        return message

    return received


async def _look(scope: Scope) -> None:
    """Know the journal as it is: what somebody recorded may have gone through another worker."""
    hall: Hall = scope["litestar_app"].state.hall
    await to_thread.run_sync(partial(hall.known, at_once=True))


async def _form(scope: Scope, receive: Receive) -> None:
    """Read what was sent in a form; what cannot be read is the sender's mistake."""
    request: Request[Any, Any, Any] = Request(scope, receive)
    try:
        if request.content_type[0] == RequestEncodingType.URL_ENCODED:
            ScopeState.from_scope(scope).form = fields_of(await request.body())
        form = await request.form()
    except (LookupError, UnicodeError, ValueError) as error:
        if isinstance(error, HTTPException):
            raise
        raise ClientException(UNREADABLE) from error
    if any(isinstance(value, str) and "\x00" in value for _, value in form.multi_items()):
        raise ClientException(UNREADABLE)


def let_in(scope: Scope) -> None:
    """The table of rights, for every route.

    Not among Litestar's guards: those come after a form was read.

    Raises:
        NotAuthorizedException: whoever signs in may see it, perhaps.
        PermissionDeniedException: not in this role.
    """
    user: Account | None = scope.get("user")
    if scope.get("method") == "OPTIONS":  # tells which methods there are, no more
        return
    if allowed(user.role if user else None, str(scope["route_handler"].name)):
        return
    if user is None:
        raise NotAuthorizedException(said("Please sign in."))
    raise PermissionDeniedException(said("This is not for your role."))
