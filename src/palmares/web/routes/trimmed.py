"""
Addresses that people trim to: they lead to what is there.

    rankings    to the front page, which has every list
    nations     to the list of nations that there is first
"""

from __future__ import annotations

from litestar import Response, get

from palmares.regulations import regulations
from palmares.web import addresses
from palmares.web.replies import redirected

_FIRST = next(one.name for one in regulations().values() if one.kinds and one.total == "sum")


@get("/rankings", name="trimmed_rankings", include_in_schema=False)
async def rankings() -> Response[bytes]:
    """To the front page."""
    return redirected(addresses.front())


@get("/nations", name="trimmed_nations", include_in_schema=False)
async def nations() -> Response[bytes]:
    """To a list of nations."""
    return redirected(addresses.nation_list(_FIRST))
