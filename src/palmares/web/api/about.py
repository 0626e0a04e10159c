"""
The API about itself.

    about       the journal as it is now
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from litestar import Response, get

from palmares.web.api.replies import answered
from palmares.web.hall import Hall, Known
from palmares.web.replies import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """The journal as it is now."""

    as_of: date  # today
    entry: int  # the last of the journal; all that is shown rests on the entries up to it
    hash: str  # of the last entry, which seals all before it
    description: str  # the address of the OpenAPI document


@get("", name="api_about", tags=["About"])
async def about(request: Visit) -> Response[About]:
    """The journal as it is now.

    Its tag changes with every entry: a program that asks with `If-None-Match` learns cheaply
    whether anything is new.
    """
    hall: Hall = request.app.state.hall

    def build(known: Known) -> About:
        return About(
            as_of=hall.today(),
            entry=known.head.sequence,
            hash=known.head.hash,
            description="/api/v1/openapi.json",
        )

    return await answered(request, build)
