"""Which parameters the address of each page takes; others are refused, as the API refuses them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any
from urllib.parse import unquote

from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter

from palmares.core.errors import Refused, brief
from palmares.render.charts.style import THEMES
from palmares.web.calculators.views import NAMES, fields_of
from palmares.web.http.languages import COOKIE
from palmares.web.http.messages import msg
from palmares.web.http.replies import Visit
from palmares.web.http.routing import Route
from palmares.web.http.wording import LANGUAGES
from palmares.web.shared.names import LONGEST

Names = Collection[str]

FILTERS = ("kind", "subject", "author", "since", "until")
"""What the log of the journal can be narrowed by."""
_LIST = ("on", "setting", "kind", "known_at", "format")
_SIZES = ("narrow",)


def of_list(*more: str, without: Names = ()) -> Callable[[Visit], Names]:
    """A list: a file of it has no pages, and a form that chooses a day leads elsewhere."""
    every = {*_LIST, *more} - set(without)

    def names(request: Visit) -> Names:
        if request.query_params.get("on"):
            return every - {"format", "page"}
        return every - {"page"} if request.query_params.get("format") else every

    return names


def of_log(_: Visit) -> Names:
    """The log of the journal."""
    return (*FILTERS, "before")


def of_calculator(request: Visit) -> Names:
    """A calculator: its fields; where there is none, that is said later."""
    name = str(request.scope["path_params"].get("calculator"))
    return fields_of(name) if name in NAMES else [*request.query_params]


@cache
def declared(handler: HTTPRouteHandler) -> frozenset[str]:
    """The parameters of a query that a handler takes."""
    return frozenset(
        one.kwarg_definition.name or name
        for name, one in handler.parsed_fn_signature.parameters.items()
        if isinstance(one.kwarg_definition, QueryParameter)
    )


async def checked(request: Visit) -> None:
    """Refuse parameters that a page does not take, and values that it cannot use.

    Raises:
        Refused: whoever asked would see another page than they asked for.
    """
    unquote_ids(request)
    asked = request.query_params.get(COOKIE)
    if asked is not None and asked not in LANGUAGES:
        raise Refused(
            msg(
                "There is no language %(asked)s. There are: %(known)s.",
                asked=brief(asked),
                known=", ".join(LANGUAGES),
            )
        )
    handler: Any = request.scope["route_handler"]
    row: Route = handler.opt["route"]
    refuse_others(request, row.query(request) if row.query else declared(handler))
    for name, value in request.query_params.items():
        if value and name in _USABLE and not _USABLE[name](value):
            raise Refused(
                msg(
                    "%(name)s=%(value)s cannot be used here. Write %(remedy)s.",
                    name=name,
                    value=brief(value),
                    remedy=(_REMEDIES[name],),
                )
            )


def unquote_ids(request: Visit) -> None:
    """Make what stands in the path what was meant: an id may hold a slash, sent as %2F."""
    sent: dict[str, Any] = request.scope["path_params"]
    request.scope["path_params"] = {  # a new one: Litestar keeps the old one for others
        name: unquote(value.removeprefix("/")) if isinstance(value, str) else value
        for name, value in sent.items()
    }


def refuse_others(request: Visit, there_are: Names) -> None:
    """Refuse a parameter that there is none of, or that is there twice.

    Raises:
        Refused: whoever sent it would get another answer than they asked for.
    """
    given: set[str] = set()
    for name, _ in request.query_params.multi_items():
        if name not in there_are:
            raise Refused(_unknown(name, there_are))
        if name in given:
            raise Refused(msg("%(name)s is there twice. Give it once.", name=name))
        given.add(name)


def _unknown(name: str, there_are: Names) -> str:
    if not there_are:
        return msg("%(name)s is no parameter of this address. It takes none.", name=brief(name))
    return msg(
        "%(name)s is no parameter of this address. There are: %(known)s.",
        name=brief(name),
        known=", ".join(sorted(there_are)),
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < len("1000000000") and int(text) > 0


_USABLE: Mapping[str, Callable[[str], bool]] = {
    "page": _is_number,
    "published": _is_number,
    "year": lambda text: _is_number(text) and len(text) == len("2019"),
    "search": lambda text: len(text) <= LONGEST,
    "theme": lambda text: text in THEMES,
    "size": lambda text: text in _SIZES,
    "whole": lambda text: text == "yes",
}  # fmt: skip
"""Values that pages would pass over; all others are judged where they are used."""
_REMEDIES: Mapping[str, str] = {
    "page": msg("a number from 1"),
    "published": msg("a number from 1"),
    "year": msg("a year such as 2019"),
    "search": msg("at most %(most)s letters", most=LONGEST),
    "theme": ", ".join(THEMES),
    "size": ", ".join(_SIZES),
    "whole": "whole=yes",
}
