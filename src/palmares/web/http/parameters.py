"""What addresses and forms bring: which parameters a page takes, and what is wrong with them."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Collection, Mapping
from datetime import date
from functools import cache
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter
from litestar.typing import FieldDefinition

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.facts.text import LONGEST
from palmares.web.http.i18n import COOKIE, LANGUAGES
from palmares.web.http.routing import Route, row_of
from palmares.web.http.state import Visit

Names = Collection[str]
_ELSEWHERE: Mapping[bool, frozenset[str]] = {
    True: frozenset({"page"}),
    False: frozenset({"limit", "cursor"}),
}
"""How the other of the two asks for rows of a list: the API (true), or the site."""

_LIST = ("on", "setting", "kind", "known_at", "format")


def list_parameters(*more: str, without: Names = ()) -> Callable[[Visit], Names]:
    """A list: a file of it has no pages, and a form that chooses a day leads elsewhere."""
    every = {*_LIST, *more} - set(without)

    def names(request: Visit) -> Names:
        if request.query_params.get("on"):
            return every - {"format", "page"}
        return every - {"page"} if request.query_params.get("format") else every

    return names


@cache
def declared(handler: HTTPRouteHandler) -> Mapping[str, FieldDefinition]:
    """The parameters that a handler takes, or what it depends on."""
    own = handler.parsed_fn_signature.parameters
    provided = [
        provide.parsed_fn_signature.parameters
        for name, provide in handler.resolve_dependencies().items()
        if name in own
    ]
    return {name: field for parameters in (own, *provided) for name, field in parameters.items()}


def query_names(request: Visit) -> Names:
    """The parameters that the query of an address may have: those that are not in its path."""
    parameters = declared(request.scope["route_handler"])
    names = {
        field.kwarg_definition.name or name
        for name, field in parameters.items()
        if isinstance(field.kwarg_definition, QueryParameter)
    } - request.scope["path_params"].keys()
    return names - _ELSEWHERE[row_of(request.scope).programs] if "rows" in parameters else names


def drop_empty(request: Visit, row: Route) -> None:
    """Take parameters without a value out of the query: forms send fields that are left empty."""
    if row.blanks:
        return
    parts = request.scope["query_string"].split(b"&")
    request.scope["query_string"] = b"&".join(
        part for part in parts if part.partition(b"=")[1:] != (b"=", b"")
    )


async def checked(request: Visit) -> None:
    """Refuse parameters that a page does not take, and values that it cannot use.

    Raises:
        Refused: whoever asked would see another page than they asked for.
    """
    unquote_ids(request)
    handler: Any = request.scope["route_handler"]
    row: Route = handler.opt["route"]
    drop_empty(request, row)
    asked = request.query_params.get(COOKIE)
    if asked is not None and asked not in LANGUAGES:
        raise Refused(
            msg(
                "There is no language %(asked)s. There are: %(known)s.",
                asked=brief(asked),
                known=", ".join(LANGUAGES),
            )
        )
    refuse_others(request, row.query(request) if row.query else query_names(request))
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
            raise Refused(
                msg(
                    "%(name)s is no parameter of this address. There are: %(known)s.",
                    name=brief(name),
                    known=", ".join(sorted(there_are)),
                )
                if there_are
                else msg(
                    "%(name)s is no parameter of this address. It takes none.", name=brief(name)
                )
            )
        if name in given:
            raise Refused(msg("%(name)s is there twice. Give it once.", name=name))
        given.add(name)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < len("1000000000") and int(text) > 0


_USABLE: Mapping[str, Callable[[str], bool]] = {
    "page": _is_number,
    "published": _is_number,
    "search": lambda text: len(text) <= LONGEST,
}  # fmt: skip
"""Values that pages would pass over; all others are judged where they are used."""
_REMEDIES: Mapping[str, str] = {
    "page": msg("a number from 1"),
    "published": msg("a number from 1"),
    "search": msg("at most %(most)s letters", most=LONGEST),
}


# ── what is wrong with a value ────────────────────────────────────────────────────────────────────


MONTHS = 12
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")


def no_day(text: str) -> str:
    """What we say of a day that no calendar has; empty of what is none, or one that is."""
    written = _DAY.fullmatch(text)
    if written is None:
        return ""
    year, month, day = (int(group) for group in written.groups())
    if not 1 <= month <= MONTHS or year == 0:
        return msg("There is no day %(text)s: a year has 12 months.", text=text)
    last = monthrange(year, month)[1]
    if 1 <= day <= last:
        return ""
    return msg("There is no day %(text)s: that month has %(last)s days.", text=text, last=last)


def what_is_wrong(field: FieldDefinition, text: str) -> str:
    """What is wrong with the text of a parameter that could not be read.

    Args:
        field: what its handler declares.
        text: what was sent.
    """
    limits: Any = field.kwarg_definition
    kinds = {one.annotation for one in field.inner_types or (field,)}
    if date in kinds:
        return no_day(text) or msg("This is no day: write year, month and day, such as 2019-12-31.")
    if bool in kinds:
        return msg("Write true or false.")
    if int not in kinds:
        return msg("At most %(most)s letters, please.", most=limits.max_length)
    if not _INTEGER.fullmatch(text):
        return msg("This is not a whole number.")
    if limits.ge is not None and int(text) < limits.ge:
        return msg("At least %(least)s here.", least=limits.ge)
    return msg("At most %(most)s here.", most=limits.le)


# ── what forms bring ──────────────────────────────────────────────────────────────────────────────


_LONGEST = 2000
_DIGITS = 18
"""Of a number; what is longer is none of ours."""
_QUOTED = "!#$%&'()*+,/:;=?@[]~"
"""What stands in addresses as it is; a header takes no letters beyond ASCII."""


def field(form: Mapping[str, Any], name: str) -> str:
    """A text of a form; empty if there is none."""
    found = form.get(name, "")
    return found.strip("\r\n") if isinstance(found, str) else ""


def version(form: Mapping[str, Any]) -> int:
    """The version that somebody saw; 0, which none has, where a form brings no number."""
    text = field(form, "version")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else 0


def inside(address: str) -> str:
    """An address of ours, with its query; empty if it leads elsewhere."""
    if not address.startswith("/") or len(address) > _LONGEST or not address.isprintable():
        return ""
    if address.startswith("//") or "\\" in address:
        return ""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return "" if parts.scheme or parts.netloc else quote(address, safe=_QUOTED)
