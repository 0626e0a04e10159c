"""How forms are known to be ours: a token signed for one session, in a cookie and in the form."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256
from typing import Any

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie, MutableScopeHeaders
from litestar.enums import RequestEncodingType
from litestar.exceptions import PermissionDeniedException
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from litestar.utils.scope.state import ScopeState

from palmares.web.accounts.sessions import cookie_name, number_of
from palmares.web.messages import said
from palmares.web.settings import Settings

FIELD, HEADER = "_csrf_token", "x-csrftoken"
_NOT_OURS = said(
    "The form was not one of ours, or is too old. Go back, load the page again and send it."
)
_RANDOM = 32
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_FORMS = frozenset({RequestEncodingType.URL_ENCODED, RequestEncodingType.MULTI_PART})


class CsrfCheck:
    """The middleware that refuses to write unless the token of this very session comes along."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._secret = settings.secret
        self._secure = settings.secure
        self._cookie = cookie_name(settings, "forms")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through with a token for its forms, or refuse it.

        Raises:
            PermissionDeniedException: it writes, without the token of its session.
        """
        request: Request[Any, Any, Any] = Request(scope, receive)
        kept = request.cookies.get(self._cookie, "")
        state = ScopeState.from_scope(scope)
        good = _is_of(self._secret, number_of(scope), kept)
        if request.method in _SAFE:
            state.csrf_token = kept if good else token_for(self._secret, number_of(scope))
        elif good and hmac.compare_digest((await _sent(request)).encode(), kept.encode()):
            state.csrf_token = kept
        else:
            raise PermissionDeniedException(_NOT_OURS)

        async def send_with_cookie(message: Message) -> None:
            token = str(state.csrf_token)  # a new one, where the session has got a new number
            if message["type"] == "http.response.start" and token != kept:
                MutableScopeHeaders.from_message(message).add("set-cookie", self._written(token))
            await send(message)

        await self._app(scope, receive, send_with_cookie)

    def _written(self, token: str) -> str:
        return Cookie(
            key=self._cookie, value=token, path="/", secure=self._secure, httponly=True,
            samesite="lax",
        ).to_header(header="")  # fmt: skip


def token_for(secret: str, session: str) -> str:
    """A new token of a session, by its number; visitors who have none share an empty one."""
    random = secrets.token_hex(_RANDOM // 2)
    return random + _seal(secret, session, random)


def renew(connection: ASGIConnection[Any, Any, Any, Any], secret: str) -> None:
    """Give this request's session, which has got a new number, a new token."""
    state = ScopeState.from_scope(connection.scope)
    state.csrf_token = token_for(secret, number_of(connection.scope))


def _is_of(secret: str, session: str, token: str) -> bool:
    random = token[:_RANDOM]
    return hmac.compare_digest(token[_RANDOM:].encode(), _seal(secret, session, random).encode())


def _seal(secret: str, session: str, random: str) -> str:
    return hmac.new(secret.encode(), f"form\n{random}\n{session}".encode(), sha256).hexdigest()


async def _sent(request: Request[Any, Any, Any]) -> str:
    """The token that comes along: in a header, or in the form."""
    if found := request.headers.get(HEADER):
        return found
    given = (await request.form()).get(FIELD) if request.content_type[0] in _FORMS else None
    return given if isinstance(given, str) else ""
