"""What is checked of every request to the API before its handler sees it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from litestar.enums import ScopeType
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp, Receive, Scope, Send

from palmares.web.http.parameters import drop_empty, query_names, refuse_others, unquote_ids
from palmares.web.http.replies import JSON
from palmares.web.http.routing import Route
from palmares.web.http.state import Visit

_READING = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Exact:
    """The application with addresses as they were sent, part by part."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; a part keeps what was quoted in it."""
        if scope["type"] == ScopeType.HTTP:
            raw = scope["raw_path"].decode("latin-1").partition("?")[0]
            scope["path"] = "/".join(quote(unquote(one), safe="") for one in raw.split("/"))
        await self.app(scope, receive, send)


async def checked(request: Visit) -> None:
    """Refuse what no handler could answer; unquote ids.

    Raises:
        Refused: a parameter that there is none of, or that is there twice: whoever sent it would
            get another list than they asked for.
        HTTPException: the client does not take JSON (406), or sent another type (415).
    """
    handler: Any = request.scope["route_handler"]
    row: Route = handler.opt["route"]
    unquote_ids(request)
    _accepts(request)
    drop_empty(request, row)
    refuse_others(request, query_names(request))
    if request.method not in _READING:
        _takes(request, row.takes)


def _accepts(request: Visit) -> None:
    if not request.headers.get("accept", "").strip():
        return
    try:
        good = request.accept.best_match([JSON])
    except (ValueError, OverflowError):  # a weight such as 1e999
        good = JSON
    if good is None:
        raise HTTPException(f"What there is at this address is {JSON}.", status_code=406)


def _takes(request: Visit, takes: Collection[str]) -> None:
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_empty = not sent and request.headers.get("content-length", "0") == "0"
    if sent not in takes and not is_empty and "*/*" not in takes:
        raise HTTPException(f"This address takes {', '.join(takes)}.", status_code=415)
