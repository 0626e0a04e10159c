"""
What crawlers may read: current pages and lists, and not the same again for every day there was.

    robots      the rules for crawlers (RFC 9309)
"""

from __future__ import annotations

from litestar import Response, get

from palmares.web.replies import Visit, finished, handed_out

CLOSED = (
    "/*?*known",  # as known then: so many lists as there are days and entries
    "/*?*as=json",
    "/*?*format=",
    "/rankings/*/*-*-*",  # every day has a list; the current one is without a day
    "/players/*/*/*-*-*",
    "/nations/*/*/*-*-*",
    "/published/*/proof",  # recomputed on the spot
    "/published/*/facts",
    "/published/*/manifest",
    "/api/",
    "/director",
    "/officer",
    "/administrator",
    "/account",
    "/sign-in",
    "/welcome/",
)
"""Addresses without an end, those that take long, and those of people who are signed in."""
_TEXT = finished(
    "".join(["User-agent: *\n", *(f"Disallow: {one}\n" for one in CLOSED)]).encode(), "text/plain"
)


@get("/robots.txt", name="robots", include_in_schema=False)
async def robots(request: Visit) -> Response[bytes]:
    """The rules for crawlers."""
    return handed_out(request, _TEXT, {"Cache-Control": "public, max-age=86400"})
