"""The addresses of every route, from the table."""

from __future__ import annotations

from collections.abc import Mapping

from palmares.web.http.routing import Right
from palmares.web.routes import ROUTES

WAYS: Mapping[str, tuple[tuple[str, str], ...]] = {
    row.name: tuple((row.method.value, path) for path in row.paths) for row in ROUTES
}
"""Methods and paths, by the name of the route."""
RIGHTS: Mapping[str, Right] = {row.name: row.right for row in ROUTES}
API_ROUTES = tuple(row for row in ROUTES if row.tag)
"""The operations that the document of the API describes."""
