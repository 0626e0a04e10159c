"""
What is checked of every request to the API before its handler sees it.

    Exact       addresses as they were sent: an id may hold a slash, as %2F
    checked     ids unquoted; the type it accepts, the parameters, and what it sends
    TAKES       the option of a route that takes something else than JSON: ``opt={TAKES: (...)}``
    GIVES       the option of a route that gives something else: ``opt={GIVES: "text/html"}``
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, unquote

import msgspec
from litestar.enums import ScopeType
from litestar.exceptions import ClientException, HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter
from litestar.types import ASGIApp, Receive, Scope, Send

from palmares.web.accounts.door import UNREADABLE
from palmares.web.parameters import refuse_others
from palmares.web.replies import JSON, Visit

BEGINS = "/api/"
TAKES, GIVES = "takes", "gives"
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


class NotAcceptable(HTTPException):
    """The client takes none of what there is."""

    status_code = HTTPStatus.NOT_ACCEPTABLE


class Unsupported(HTTPException):
    """What was sent is of a type that is not read here."""

    status_code = HTTPStatus.UNSUPPORTED_MEDIA_TYPE


@dataclass(frozen=True, slots=True)
class Exact:
    """The application with addresses under /api as they were sent, part by part."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; a part keeps what was quoted in it."""
        if scope["type"] == ScopeType.HTTP and scope["path"].startswith(BEGINS):
            raw = scope["raw_path"].decode("latin-1").partition("?")[0]
            scope["path"] = "/".join(quote(unquote(one), safe="") for one in raw.split("/"))
        await self.app(scope, receive, send)


async def checked(request: Visit) -> None:
    """Refuse what no handler could answer; unquote ids.

    Raises:
        Refused: a parameter that there is none of, or that is there twice: whoever sent it would
            get another list than he asked for.
        NotAcceptable: the client does not take JSON.
        Unsupported: what was sent is of another type.
        ClientException: what was sent is no JSON.
    """
    handler: Any = request.scope["route_handler"]
    ids: dict[str, Any] = request.scope["path_params"]
    request.scope["path_params"] = {  # a new one: Litestar keeps the old one for others
        name: unquote(value) if isinstance(value, str) else value for name, value in ids.items()
    }
    if any("\x00" in str(value) for value in request.scope["path_params"].values()):
        raise ClientException(UNREADABLE)
    _accepts(request, str(handler.opt.get(GIVES, JSON)))
    refuse_others(request, asked_of(handler))
    if request.method not in _READING:
        _takes(request, handler.opt.get(TAKES, (JSON,)))
        await _is_json(request)


def _accepts(request: Visit, gives: str) -> None:
    if not request.headers.get("accept", "").strip():
        return
    try:
        good = request.accept.best_match([gives])
    except (ValueError, OverflowError):  # a weight such as 1e999
        good = gives
    if good is None:
        raise NotAcceptable(f"What there is at this address is {gives}.")


def _takes(request: Visit, takes: tuple[str, ...]) -> None:
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    nothing = not sent and request.headers.get("content-length", "0") == "0"
    if sent not in takes and not nothing and "*/*" not in takes:
        raise Unsupported(f"This address takes {', '.join(takes)}.")


async def _is_json(request: Visit) -> None:
    """Refuse JSON that is none, goes too deep, or has in it what no database takes."""
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if sent != JSON:
        return
    body = await request.body()
    if not body:
        raise ClientException("This address takes JSON, and nothing was sent.")
    try:
        msgspec.json.decode(body)
    except RecursionError as error:
        raise ClientException("What was sent goes too deep.") from error
    except (msgspec.DecodeError, UnicodeError) as error:
        raise ClientException(f"What was sent is no JSON: {error}.") from error
    if b"\\u0000" in body:
        raise ClientException(UNREADABLE)


@cache
def asked_of(handler: HTTPRouteHandler) -> frozenset[str]:
    """The parameters of a query that a handler takes."""
    return frozenset(
        one.kwarg_definition.name or name
        for name, one in handler.parsed_fn_signature.parameters.items()
        if isinstance(one.kwarg_definition, QueryParameter)
    )
