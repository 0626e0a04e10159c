"""The site as an ASGI application."""

from __future__ import annotations

from litestar import Litestar
from litestar.config.compression import CompressionConfig
from litestar.datastructures import State
from litestar.di import Provide
from litestar.middleware.base import DefineMiddleware

from palmares.journal.store.journal import create_journal
from palmares.web.accounts.middleware import AuthMiddleware
from palmares.web.http.cache import ResponseCacheMiddleware
from palmares.web.http.errors import HANDLERS
from palmares.web.http.logs import Log, LoggingMiddleware
from palmares.web.http.parameters import QuotedPaths, check_request
from palmares.web.http.routing import Route, handler
from palmares.web.http.security import RequestGuard, security_headers
from palmares.web.http.state import AppState, Request
from palmares.web.migrations import ready
from palmares.web.routes import ROUTES
from palmares.web.settings import Settings
from palmares.web.shared.parameters import requested_rows
from palmares.web.tournaments.live import STREAMS, Watcher


def site(settings: Settings, routes: tuple[Route, ...] = ROUTES) -> Litestar:
    """The site on a journal; the journal is made if there is none.

    Raises:
        Refused: the journal cannot be opened.
    """
    app_state = AppState(create_journal(settings.journal), settings)
    ready(app_state.database)
    log = Log(settings.log, requests=settings.requests)
    app = Litestar(
        route_handlers=[handler(row) for row in routes],
        state=State(
            {
                "app_state": app_state,
                "log": log,
                "routes": routes,
                "watcher": Watcher(app_state.journal),
            }
        ),
        dependencies={"rows": Provide(requested_rows)},
        before_request=check_request,  # type: ignore[arg-type]  # a request of `request_class`
        exception_handlers=HANDLERS,
        middleware=[DefineMiddleware(AuthMiddleware, app_state=app_state)],
        multipart_form_part_limit=settings.parts,
        request_max_body_size=settings.upload,
        compression_config=CompressionConfig(
            backend="gzip", gzip_compress_level=5, minimum_size=1000, exclude=[STREAMS]
        ),
        request_class=Request,
        openapi_config=None,
        on_shutdown=[app_state.journal.close],
        logging_config=None,
        debug=False,
    )
    cache = ResponseCacheMiddleware(QuotedPaths(app.asgi_handler), app_state)
    app.asgi_handler = LoggingMiddleware(
        RequestGuard(cache, settings.public_url),
        log,
        security_headers(secure=settings.secure),
    )
    return app
