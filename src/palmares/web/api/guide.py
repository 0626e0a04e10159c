"""The API about itself: the journal now, its document in OpenAPI 3.1, and that as a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec
from anyio import to_thread
from litestar import Response

from palmares.web.api.description import description
from palmares.web.http.replies import JSON, OPEN, answered, with_etag
from palmares.web.http.routing import to
from palmares.web.http.state import Request, Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """The journal as it is now."""

    as_of: date  # today
    entry: int  # the last of the journal; all that is shown rests on the entries up to it
    hash: str  # of the last entry, which seals all before it
    description: str  # the address of the OpenAPI document


async def about(request: Request) -> Response[About]:
    """The journal as it is now.

    Its tag changes with every entry: a program that asks with `If-None-Match` learns cheaply
    whether anything is new.
    """

    def build(snapshot: Snapshot) -> About:
        return About(
            as_of=request.app_state.today(),
            entry=snapshot.head.sequence,
            hash=snapshot.head.hash,
            description=to.api_document(),
        )

    return await answered(request, build)


@dataclass(frozen=True, slots=True)
class GuidePage:
    """Every address of the API."""

    document: Mapping[str, Any]  # in OpenAPI 3.1


async def guide(request: Request) -> Response[bytes]:
    """Every address of the API, as a page."""
    routes = request.app.state.routes
    return await answered(request, lambda _: GuidePage(description(routes)))


async def document(request: Request) -> Response[Any]:
    """The description of the API, in OpenAPI 3.1."""
    text = msgspec.json.encode(await to_thread.run_sync(description, request.app.state.routes))
    return with_etag(text, JSON, OPEN)
