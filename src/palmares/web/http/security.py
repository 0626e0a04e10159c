"""What keeps others out of browsers: headers of every answer, and the host that a request names."""

from __future__ import annotations

from collections.abc import Mapping

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from palmares.web.http.limits import refuse
from palmares.web.settings import hosts

CONTENT_SECURITY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Frame-Options": "DENY",
}
SECURE: Mapping[str, str] = {"Strict-Transport-Security": "max-age=31536000"}


def lines(*, secure: bool) -> list[tuple[bytes, bytes]]:
    """The headers of every answer as they are sent, over https or not."""
    told = {**HEADERS, **(SECURE if secure else {})}
    return [(name.lower().encode(), value.encode()) for name, value in told.items()]


_MISSING = "A request names its host once, in the header Host."


class HostCheck:
    """The ASGI application that refuses requests meant for other hosts."""

    def __init__(self, app: ASGIApp, url: str) -> None:
        self._app = app
        self._url = url
        self._allowed = hosts(url)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; 400 where the host is missing or doubled, 421 where it is another one."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        given = [value for name, value in scope["headers"] if name == b"host"]
        if len(given) != 1 or not given[0].strip():
            await refuse(scope, send, 400, _MISSING, [])
        elif given[0].strip().lower() not in self._allowed:
            await refuse(scope, send, 421, f"This site is at {self._url}, not here.", [])
        else:
            await self._app(scope, receive, send)
