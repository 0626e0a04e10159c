"""
The API on the site.

    router      its routes under /api/v1 and their description, with what is checked of requests
    document    the description, in OpenAPI 3.1
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from anyio import to_thread
from litestar import Response, Router, get

from palmares.web.api import routes
from palmares.web.api.checks import checked
from palmares.web.api.description import description
from palmares.web.api.replies import opened
from palmares.web.hall import Kept
from palmares.web.replies import JSON, Visit, finished


@get("/openapi.json", name="api_document", include_in_schema=False)
async def document(request: Visit) -> Response[Any]:
    """The description of the API, in OpenAPI 3.1."""
    return opened(request, await to_thread.run_sync(_document))


@cache
def _document() -> Kept:
    return finished(msgspec.json.encode(description()), JSON)


def router() -> Router:
    """The API under its address."""
    return Router(routes.PATH, route_handlers=[*routes.ROUTES, document], before_request=checked)
