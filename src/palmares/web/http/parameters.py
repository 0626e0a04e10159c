"""Parameters of addresses and fields of forms: what a route takes, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import date
from functools import cache
from typing import Any, Literal, get_args, get_origin
from urllib.parse import quote, unquote, urlsplit

from litestar import Response
from litestar.enums import ScopeType
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter
from litestar.types import ASGIApp, Receive, Scope, Send
from litestar.typing import FieldDefinition

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.web.http.i18n import COOKIE, switch_language
from palmares.web.http.routing import row_of
from palmares.web.http.state import Request

Names = Collection[str]
_JSON = "application/json"
_POSITIVE = re.compile(r"0*[1-9][0-9]{0,8}", re.ASCII)


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


def query_names(request: Request) -> Names:
    """The parameters that the query of an address may have: those that are not in its path.

    The API's document leaves out what only pages take; of lists, only the API takes the others.
    """
    parameters = declared(request.scope["route_handler"])
    by_program = row_of(request.scope).programs
    names = {
        field.kwarg_definition.name or name
        for name, field in parameters.items()
        if isinstance(field.kwarg_definition, QueryParameter)
        and (field.kwarg_definition.include_in_schema or not by_program)
    } - request.scope["path_params"].keys()
    if "rows" not in parameters or by_program:
        return names
    has_rows = not request.query_params.get("format")  # a file of a list has all of them
    return names - {"limit", "cursor"} - (set() if has_rows else {"page", "open"})


class QuotedPaths:
    """The ASGI application with each part of a path quoted: a slash in an id stays ``%2F``."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Quote the path; `check_request` unquotes its parameters."""
        if scope["type"] == ScopeType.HTTP:
            raw = scope["raw_path"].decode("latin-1").partition("?")[0]
            scope["path"] = "/".join(quote(unquote(part), safe="") for part in raw.split("/"))
        await self._app(scope, receive, send)


async def check_request(request: Request) -> Response[bytes] | None:
    """Refuse what the route does not take; unquote ids; switch the language if a page is asked to.

    Raises:
        Refused: the reader would get another page than they asked for.
        HTTPException: a client of the API does not take JSON (406), or sent another type (415).
    """
    scope = request.scope
    row, parts = row_of(scope), dict[str, Any](scope["path_params"])
    scope["path_params"] = {  # a new one: Litestar keeps the old one for others
        name: unquote(value.removeprefix("/")) if isinstance(value, str) else value
        for name, value in parts.items()
    }
    if not row.blanks and not row.programs:  # forms send fields that are left empty
        given = scope["query_string"].split(b"&")
        scope["query_string"] = b"&".join(
            pair for pair in given if pair.partition(b"=")[1:] != (b"=", b"")
        )
    if row.programs:
        _check_media_types(request, row.takes)
    elif request.method == "GET" and (language := request.query_params.get(COOKIE)):
        return switch_language(scope, language, secure=request.app_state.settings.secure)
    refuse_others(request, row.query(request) if row.query else query_names(request))
    _refuse_nothing(request, blanks=row.blanks)
    page = "1" if row.programs else request.query_params.get("page", "1")
    if not _POSITIVE.fullmatch(page):  # some handlers read it later
        raise Refused(
            msg(
                "%(name)s=%(value)s cannot be used here. Write %(remedy)s.",
                name="page",
                value=brief(page),
                remedy=(msg("a number from 1"),),
            )
        )
    return None


def _check_media_types(request: Request, takes: Collection[str]) -> None:
    try:
        accept = request.headers.get("accept", "").strip()
        refuses = bool(accept) and request.accept.best_match([_JSON]) is None
    except (ValueError, OverflowError):  # a weight such as 1e999
        refuses = False
    if refuses:
        raise HTTPException(msg("This address sends %(type)s.", type=_JSON), status_code=406)
    if request.method == "GET" or "*/*" in takes:
        return
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_empty = not sent and request.headers.get("content-length", "0") == "0"
    if sent not in takes and not is_empty:
        types = ", ".join(takes)
        raise HTTPException(msg("This address takes %(types)s.", types=types), status_code=415)


def refuse_others(request: Request, there_are: Names) -> None:
    """Refuse a parameter that the address does not take, or that is there twice.

    Raises:
        Refused: the sender would get another answer than they asked for.
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


def _refuse_nothing(request: Request, *, blanks: bool) -> None:
    """Refuse an empty value, and ``null`` for a day or a number, which would be read as none."""
    fields = declared(request.scope["route_handler"])
    for name, value in request.query_params.multi_items():
        kinds = {kind.annotation for kind in fields[name].inner_types} if name in fields else {str}
        if not (value or blanks) or (value.lower() == "null" and str not in kinds):
            raise Refused(
                msg("%(name)s has no value. Give it one, or leave it out.", name=brief(name))
            )


# ── what is wrong with a value ────────────────────────────────────────────────────────────────────


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")
"""Python reads no more digits."""


def no_day(text: str) -> str:
    """What we say of a day that no calendar has; empty of what is none, or one that is."""
    if not _DAY.fullmatch(text):
        return ""
    try:
        date.fromisoformat(text)
    except ValueError:
        return msg("There is no day %(text)s.", text=text)
    return ""


def what_is_wrong(field: FieldDefinition, text: str) -> str:
    """What is wrong with the text of a parameter that could not be read.

    Args:
        field: what its handler declares.
        text: what was sent.
    """
    limits: Any = field.kwarg_definition
    kinds = {kind.annotation for kind in field.inner_types or (field,)}
    if date in kinds:
        return no_day(text) or msg("This is no day: write year, month and day, such as 2019-12-31.")
    if int not in kinds:
        is_choice = get_origin(field.annotation) is Literal
        choices = filter(None, get_args(field.annotation) if is_choice else ())
        return (
            msg("There are: %(known)s.", known=", ".join(choices))
            if is_choice
            else msg("At most %(most)s characters, please.", most=limits.max_length)
            if limits.pattern is None
            else msg("Write what fits %(pattern)s.", pattern=limits.pattern)
        )
    if not _INTEGER.fullmatch(text):
        return msg("This is not a whole number.")
    number = int(text)
    if limits.ge is not None and number < limits.ge:
        return msg("At least %(least)s here.", least=limits.ge)
    if limits.le is not None and number > limits.le:
        return msg("At most %(most)s here.", most=limits.le)
    return msg("Write it as %(number)s.", number=str(number))  # 05 and +5 are not read


# ── what forms bring ──────────────────────────────────────────────────────────────────────────────


_LONGEST = 2000
_DIGITS = 18
"""Digits of a version at most."""
_QUOTED = "!#$%&'()*+,/:;=?@[]~"
"""What is not quoted in an address; all but ASCII is, since it is sent in a header."""


def text_of(value: object) -> str:
    """A text of a form, whose lines end as everywhere; empty if it is none."""
    if not isinstance(value, str):
        return ""
    return value.replace("\r\n", "\n").encode("utf-8", "replace").decode()


def field(form: Mapping[str, Any], name: str) -> str:
    """The text of a field, without line ends around it; empty if there is none."""
    return text_of(form.get(name)).strip("\r\n")


def lines_of(text: str) -> list[str]:
    """The lines in which something stands."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def whole_number(form: Mapping[str, Any], name: str = "version") -> int:
    """A number of a form; 0, which no version and no round has, if it is none."""
    text = field(form, name)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else 0


def inside(address: str) -> str:
    """The address, if it is one of this site; else empty."""
    if not address.startswith("/") or len(address) > _LONGEST or not address.isprintable():
        return ""
    if address.startswith("//") or "\\" in address:
        return ""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return "" if parts.scheme or parts.netloc else quote(address, safe=_QUOTED)
