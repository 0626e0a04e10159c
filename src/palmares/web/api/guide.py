"""
The API explained to people who write programs.

    guide       every address of it, as a page
"""

from __future__ import annotations

from litestar import Response, get

from palmares.web.api.description import description
from palmares.web.pages.guide import guide_page
from palmares.web.replies import Visit, answered


@get("/api", name="guide", include_in_schema=False)
async def guide(request: Visit) -> Response[bytes]:
    """Every address of the API, as a page."""
    return await answered(request, lambda _: guide_page(description()))
