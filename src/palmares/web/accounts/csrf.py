"""How forms are known to be ours: a token signed for one session, in a cookie and in the form."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256
from typing import Any

from litestar import Request
from litestar.enums import RequestEncodingType
from litestar.exceptions import PermissionDeniedException
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from litestar.utils.scope.state import ScopeState

from palmares.core.messages import msg
from palmares.web.accounts.sessions import session_number, set_cookie
from palmares.web.http.replies import CSRF_FIELD
from palmares.web.settings import Settings

COOKIE, HEADER = "forms", "x-csrftoken"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_NOT_OURS = msg(
    "The form was not one of ours, or is too old. Go back, load the page again and send it."
)
_RANDOM = 32
_FORMS = frozenset({RequestEncodingType.URL_ENCODED, RequestEncodingType.MULTI_PART})


class CsrfMiddleware:
    """Refuses to write unless the token of this very session comes along."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through with a token for its forms, or refuse it.

        Raises:
            PermissionDeniedException: it writes, without the token of its session.
        """
        request: Request[Any, Any, Any] = Request(scope, receive)
        kept = request.cookies.get(self._settings.cookie(COOKIE), "")
        state, good = ScopeState.from_scope(scope), self._is_of(session_number(scope), kept)
        if good and (
            request.method in SAFE
            or hmac.compare_digest((await _sent(request)).encode(), kept.encode())
        ):
            state.csrf_token = kept
        elif request.method in SAFE:
            renew(scope, self._settings)
        else:
            raise PermissionDeniedException(_NOT_OURS)

        async def send_with_cookie(message: Message) -> None:
            token = str(state.csrf_token)  # a new one, where the session has got a new number
            if message["type"] == "http.response.start" and token != kept:
                set_cookie(message, self._settings, COOKIE, token)
            await send(message)

        await self._app(scope, receive, send_with_cookie)

    def _is_of(self, session: str, token: str) -> bool:
        seal = _seal(self._settings, session, token[:_RANDOM])
        return hmac.compare_digest(token[_RANDOM:].encode(), seal.encode())


def renew(scope: Scope, settings: Settings) -> None:
    """Give the session of a request a new token; visitors who have none share an empty one."""
    random = secrets.token_hex(_RANDOM // 2)
    token = random + _seal(settings, session_number(scope), random)
    ScopeState.from_scope(scope).csrf_token = token


def _seal(settings: Settings, session: str, random: str) -> str:
    text = f"form\n{random}\n{session}"
    return hmac.new(settings.secret.encode(), text.encode(), sha256).hexdigest()


async def _sent(request: Request[Any, Any, Any]) -> str:
    """The token that comes along: in a header, or in the form."""
    if header := request.headers.get(HEADER):
        return header
    given = (await request.form()).get(CSRF_FIELD) if request.content_type[0] in _FORMS else None
    return given if isinstance(given, str) else ""
