"""Requests that name another host than the site's own, or none."""

from __future__ import annotations

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from palmares.web.bounds import refuse
from palmares.web.public_url import hosts

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
