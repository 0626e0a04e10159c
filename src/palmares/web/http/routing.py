"""What a row of the table of routes says, and the addresses made from all rows."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from litestar.enums import HttpMethod
from litestar.handlers import HTTPRouteHandler
from litestar.types import Empty, Scope

API = "/api/v1"
API_ROOT = "/api/"
PROGRAMS = (API_ROOT, "/metrics")
"""Where programs ask, with a token."""
_SAFE = re.compile(r"[A-Za-z0-9_.~-]*").fullmatch
"""Texts that need no quoting: nearly all, and a page has hundreds."""
_BARE = re.compile(r"\{(\w+)\}")
_NAMED = re.compile(r"\{(\w+):(\w+)\}")
_OF_PAGES = frozenset({"page", "format", "open", "list"})
"""Parameters of pages that the API does not have, or reads in another way."""
_PARAMETER = re.compile(r"\{\w+:\w+\}")


class Right(Enum):
    """Who may use a route."""

    ANYONE = "anyone"
    SIGNED_IN = "whoever is signed in"
    DIRECTOR = "directors and officers"
    OFFICER = "officers"
    ADMINISTRATOR = "administrators"

    def allows(self, role: str | None) -> bool:
        """Whether a role, or a visitor (none), may use a route."""
        return role in _ROLES[self]


_ROLES: Mapping[Right, frozenset[str | None]] = {
    Right.ANYONE: frozenset({None, "director", "officer", "administrator"}),
    Right.SIGNED_IN: frozenset({"director", "officer", "administrator"}),
    Right.DIRECTOR: frozenset({"director", "officer"}),
    Right.OFFICER: frozenset({"officer"}),
    Right.ADMINISTRATOR: frozenset({"administrator"}),
}


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """A row of the table: a page or an operation of the API."""

    name: str
    method: HttpMethod
    path: str | tuple[str, ...]
    right: Right
    handler: Callable[..., Any]
    template: str = ""  # of the page; none: it is a file, leads elsewhere, or is of the API
    api: str = ""  # the route of the API that answers with the same data
    tag: str = ""  # under which the API's document lists it; none: it does not
    status: int | None = None  # of an answer that is good; none: 201 for POST, else 200
    sends: type | None = None  # what a program sends, as JSON
    takes: Collection[str] = ("application/json",)  # media types of what is sent
    again: int | None = None  # the status where it was done before
    query: Callable[[Any], Collection[str]] | None = None  # parameters; none: those it declares
    reads: bool = False  # POST that changes nothing, because what is sent is long: no sign-in
    blanks: bool = False  # whether an empty parameter differs from none
    largest: int | None = None  # bytes that may be sent; none: as the site's settings say

    @property
    def programs(self) -> bool:
        """Whether it is of the API."""
        return self.paths[0].startswith(API)

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path, whether it has one or more; a parameter is text if it does not say."""
        paths = (self.path,) if isinstance(self.path, str) else self.path
        return tuple(_BARE.sub(r"{\1:str}", path) for path in paths)


def row_of(scope: Scope) -> Route:
    """The row of the route that a request came to; `NOWHERE` where there is no such address."""
    handler: Any = scope.get("route_handler")
    row: Route = NOWHERE if handler is None else handler.opt.get("route", NOWHERE)
    return row


NOWHERE = Route("none", HttpMethod.GET, "", Right.ADMINISTRATOR, row_of)


def handler(row: Route) -> HTTPRouteHandler:
    """A row as Litestar has it."""
    decorator = HTTPRouteHandler(
        list(row.paths),
        http_method=row.method,
        name=row.name,
        opt={"route": row},
        status_code=row.status,
        tags=[row.tag] if row.tag else None,
        include_in_schema=bool(row.tag),
        request_max_body_size=row.largest or Empty,
    )
    return decorator(row.handler)


# ── addresses ────────────────────────────────────────────────────────────────────────────────────


class Addresses:
    """The address of every route by its name: ``to.player("P1", known_at="#4")``.

    Parts fill the parameters of its path, in their order; of several paths, it is the one with as
    many parameters. Empty parts and questions are left out.
    """

    def add(self, routes: Iterable[Route]) -> None:
        """Know the addresses of routes."""
        for route in routes:
            setattr(self, route.name, _builder(route))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., str]: ...


def equivalent(api: Route, parts: Mapping[str, Any], query: Mapping[str, Any]) -> str:
    """The address of an operation of the API with the data of a page; empty where it has others.

    Args:
        api: the operation.
        parts: the parameters in the path of the page; its day is ``as_of`` in the API.
        query: those of its query.
    """
    (path,) = api.paths
    given = {
        "as_of" if name == "day" else name: value
        for name, value in parts.items()
        if value not in (None, "")
    }
    query_given = {name: value for name, value in query.items() if name not in _OF_PAGES}
    takes = inspect.signature(api.handler).parameters.keys()
    if not given.keys() <= takes:
        return ""
    for name, _ in _NAMED.findall(path):
        path = re.sub(rf"\{{{name}:\w+\}}", _quoted(str(given.pop(name))), path)
    more = {
        name: value for name, value in {**given, **query_given}.items() if name in takes and value
    }
    return f"{path}?{urlencode(more)}" if more else path


to = Addresses()
"""The addresses of the site; the table of routes fills it."""


QUERIES = 1000
"""So many queries of addresses are kept: the links of a list have the same one in each row."""


def _builder(route: Route) -> Callable[..., str]:
    patterns = {path.count("{"): _PARAMETER.sub("%s", path) for path in reversed(route.paths)}

    def address(*parts: object, **query: Any) -> str:
        given = [part for part in parts if part not in (None, "")]
        path = patterns[len(given)] % tuple([_quoted(str(part)) for part in given])
        filled = [
            (name, str(value)) for name, value in query.items() if value not in (None, "", False)
        ]
        return f"{path}?{_encoded(tuple(filled))}" if filled else path

    return address


_encoded = lru_cache(QUERIES)(urlencode)


def _quoted(part: str) -> str:
    return part if _SAFE(part) else quote(part, safe="")


def home_page(role: str) -> str:
    """The address of the first page of a role."""
    address: Callable[[], str] = getattr(to, role)
    return address()


def link(root: str, token: str) -> str:
    """A one-time link, whole; the command line makes some without loading the table of routes."""
    return f"{root.rstrip('/')}/welcome/{_quoted(token)}"


@dataclass(frozen=True, slots=True)
class Account:
    """The account of a request: ``request.user``, none for a visitor."""

    id: int
    name: str
    role: str  # of palmares.journal.store.entries.ROLES
