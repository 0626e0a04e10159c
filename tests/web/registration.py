"""
Sites are made quickly: Litestar builds the routes of a table once a process.

Each test has a site of its own, of more than 200 routes, and building them took nine tenths of the
time that a site takes to be made. Sites share them here; what depends on the journal and the
settings each site has for itself.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from litestar import Litestar
from litestar.middleware.base import DefineMiddleware
from litestar.types import ASGIApp, Receive, Scope, Send

from palmares.web import app
from palmares.web.accounts.middleware import AuthMiddleware

_BUILT: dict[Any, Litestar] = {}
"""By the routes and by what they know of the settings."""


class _AnySiteAuth:
    """The middleware that a route has, with the state of the site that is asked."""

    def __init__(self, app: ASGIApp) -> None:
        self._next = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app_state = scope["litestar_app"].state.app_state
        await AuthMiddleware(self._next, app_state)(scope, receive, send)


def _made(**given: Any) -> Litestar:
    """Another site with routes that are built already, if they are."""
    routes = tuple(id(handler.opt["route"]) for handler in given["route_handlers"])
    key = routes, given["multipart_form_part_limit"], given["request_max_body_size"]
    if key not in _BUILT:
        shared = {"middleware": [DefineMiddleware(_AnySiteAuth)], "on_shutdown": []}
        _BUILT[key] = Litestar(**given | shared)
    built = _BUILT[key]
    made = copy(built)
    made.state, made.on_shutdown = given["state"], given["on_shutdown"]
    made.event_emitter = type(built.event_emitter)(listeners=[])
    made.asgi_router = copy(built.asgi_router)
    made.asgi_router.app = made
    return made


def install() -> None:
    """From here on."""
    setattr(app, "Litestar", _made)  # noqa: B010  a function in place of a class
