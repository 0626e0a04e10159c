"""
Parameters that many addresses share; pages of lists, and in the API a cursor at a time.

A handler with a parameter `rows: RequestedRows` gets a `PageOfList`; its view cuts the list by it.
A cursor names the last entry that counted when the list was begun, so entries recorded meanwhile
neither hide a row nor show one twice. Only a name that was erased or withheld since can move rows;
then the reader has to begin again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, TypeVar, get_type_hints
from urllib.parse import urlencode

import msgspec
import polars as pl
from litestar import Response
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException, NotFoundException, ValidationException
from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter

from palmares.core.errors import LONGEST_VALUE, Location, Problem, Refused, brief
from palmares.core.messages import plural
from palmares.facts.text import LONGEST
from palmares.web.http.parameters import field, whole_number
from palmares.web.http.replies import answered, is_api, pinned_player, redirected
from palmares.web.http.state import Request, Snapshot
from palmares.web.shared.downloads import SavedList, sent
from palmares.web.shared.lists import listable

_NAME = 100
MOST, USUAL = 1000, 100
"""Rows of an answer: at most, and where nothing is said."""

RegulationName = Annotated[
    str,
    PathParameter(
        description="The name of a regulation, such as `wbgf`, `usbgf` or `dptr`.",
        examples=[Example(value="wbgf")],
    ),
]
AsOf = Annotated[
    date | None,
    QueryParameter(
        description="The day on which results are valued: what each still counts then. Today, if"
        " it is not given.",
        examples=[Example(value="2019-12-31")],
    ),
]
KnownAt = Annotated[
    str,
    QueryParameter(
        description="As it was known then: at the end of a day (UTC), at a moment with its offset,"
        " or at an entry of the journal, such as `#41`. Now, if it is not given.",
        max_length=_NAME,
        examples=[Example(value="#41")],
    ),
]
Limit = Annotated[
    int,
    QueryParameter(
        description=f"So many rows at most, {USUAL} if it is not given.",
        ge=1,
        le=MOST,
        examples=[Example(value=USUAL)],
    ),
]
Cursor = Annotated[
    str,
    QueryParameter(
        description="Where the list was left off: as it stands in the address `next` of the page"
        " before. All pages of one list show the journal as it was when its first was asked for.",
        max_length=1000,
    ),
]
Page = Annotated[int, QueryParameter(ge=1, le=10**9, include_in_schema=False)]
"""Of a list on the site."""
OfPage = Annotated[str, QueryParameter(include_in_schema=False)]
"""What only a page takes, such as `open`: the player whose best results are shown."""
Search = Annotated[
    str,
    QueryParameter(
        description="Words that the name has, all of them; capitals and accents mean nothing. A"
        " player is found by their exact ID too.",
        max_length=LONGEST,
    ),
]
ListedNation = Annotated[
    str | None,
    QueryParameter(description="Only players of this nation.", examples=[Example(value="CZE")]),
]
PlayerId = Annotated[
    str,
    PathParameter(
        description="The id of a player; a slash in it is sent as `%2F`.",
        examples=[Example(value="P1")],
    ),
]
TournamentId = Annotated[
    str,
    PathParameter(
        description="The id of a tournament; a slash in it is sent as `%2F`.",
        examples=[Example(value="winter")],
    ),
]
EventId = Annotated[
    str,
    PathParameter(
        description="The id of an event; a slash in it is sent as `%2F`.",
        examples=[Example(value="winter%2Fmain")],
    ),
]
ReportNumber = Annotated[
    int, PathParameter(description="The number of a report.", ge=1, examples=[Example(value=1)])
]
LATEST = 2**62
"""Behind the number of any report or entry."""
Before = Annotated[
    int | None,
    QueryParameter(
        description="Only what has a lower number: as it stands in the address `next` of the page"
        " before.",
        ge=1,
        le=LATEST,
    ),
]
SeenVersion = Annotated[int, msgspec.Meta(ge=1, description="The version that was seen.")]
Flight = Annotated[str, PathParameter(description="A flight.", examples=[Example(value="main")])]


# ── pages of lists ───────────────────────────────────────────────────────────────────────────────

Rows = TypeVar("Rows", pl.DataFrame, tuple[Any, ...])
ALL_ROWS = 10**9
"""More rows than a list has: it is one page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Some rows of a list."""

    entry: int  # the last entry of the journal that counts
    page: int  # of so many rows each, from 1
    pages: int
    next: str | None  # the address of the next rows; none: these are the last


def page_count(rows: int, size: int) -> int:
    """How many pages so many rows have; a list without a row has one."""
    return max(1, -(-rows // size))


def page_of(rows: Rows, page: int, size: int) -> Rows:
    """The rows of a page.

    Raises:
        NotFoundException: there are not so many.
    """
    pages = page_count(len(rows), size)
    if page > pages:
        raise NotFoundException(
            plural(
                "There is no page %(page)s: the list has %(many)s page.",
                "There is no page %(page)s: the list has %(many)s pages.",
                pages,
                page=page,
            )
        )
    return rows[(page - 1) * size : page * size]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOfList:
    """The rows of a list that are asked for: a page of the site, or those after a cursor."""

    day: date  # today, or the day on which the list was begun
    entry: int | None = None  # the last entry that counts; none: the list begins now
    page: int = 1  # on the site
    request: Request | None = None  # to the API, which gives as many rows as its limit says
    limit: int = USUAL
    start: int = 0  # rows before these
    last: str = ""  # of those, hashed

    def cut(
        self, rows: Rows, column: str, entry: int, size: int = ALL_ROWS
    ) -> tuple[Rows, Mapping[str, Any]]:
        """The rows that are asked for, and the fields of their `Slice`.

        Args:
            rows: the whole list: a table, or dataclasses.
            column: what identifies a row of it.
            entry: the last entry that counts for it.
            size: rows of a page on the site.

        Raises:
            Gone: it is not the list that was begun.
        """
        page, following = self.page, None
        if self.request is None:
            here = page_of(rows, page, size)
        elif self.last != _hashed(rows, self.start - 1, column):
            raise Gone(_UNFIT)
        else:
            size, page, end = self.limit, self.start // self.limit + 1, self.start + self.limit
            here = rows[self.start : end]
            if end < len(rows):
                cursor = f"{entry}.{self.day}.{end}.{_hashed(rows, end - 1, column)}"
                query = {**self.request.query_params, "cursor": cursor}
                following = f"{self.request.scope['path']}?{urlencode(query)}"
        pages = {"page": page, "pages": page_count(len(rows), size)}
        return here, {"entry": entry, "next": following, **pages}

    def turned_to(self, ranked: pl.DataFrame, player_id: str, size: int) -> PageOfList:
        """The page that has the row of a player; this one, if none has."""
        at = ranked["player_id"].index_of(player_id) if player_id else None
        return self if at is None else replace(self, page=at // size + 1)


RequestedRows = NamedDependency[Any]
"""What the handler of a list declares, and `requested_rows` fills: a `PageOfList`.

It is declared as anything, so that Litestar hands it on as it is.
"""


_CURSOR = re.compile(r"(\d{1,18})\.(\d{4}-\d{2}-\d{2})\.(\d{1,9})\.([0-9a-f]{12})", re.ASCII)
_UNFIT = "This cursor does not fit this list. Begin again without it."

T = TypeVar("T")


class Gone(HTTPException):
    """The list is no longer to be had as it was."""

    status_code = 410


async def requested_rows(
    request: Request, page: Page = 1, limit: Limit = USUAL, cursor: Cursor = ""
) -> PageOfList:
    """The rows of a list that are asked for: a page of the site, or a window of the API."""
    if is_api(request):
        return _window(request, limit, cursor)
    return PageOfList(page=page, day=request.app_state.today())


async def answer_rows(
    request: Request,
    build: Callable[[Snapshot, PageOfList], T],
    rows: PageOfList,
    known_at: str = "",
    *,
    heavy: bool = False,
) -> Response[T]:
    """Some rows of a list: a page, or those that follow a cursor in the list that was begun.

    Args:
        request: whose answer it is.
        build: what makes it from what was known, and the rows that are asked for.
        rows: which of them.
        known_at: a day, a moment or an entry; empty: now.
        heavy: long work, which is done one after another.
    """
    now = await request.app_state.now()
    wanted = known_at if rows.entry is None else f"#{rows.entry}"
    if rows.entry == now.head.sequence:
        wanted = ""
    return await answered(
        request, lambda snapshot: build(snapshot, rows), known_at=wanted, heavy=heavy
    )


_SITE = frozenset({"request", "snapshot", "app_state", "today", "signed_in", "pinned"})
"""What a view may take of the site."""


def show(
    view: Callable[..., Any],
    *,
    heavy: bool = False,
    file: Callable[..., SavedList] | None = None,
    other_page: Callable[..., str] | None = None,
) -> Callable[..., Any]:
    """A handler that answers with a view: what the view takes, its address takes.

    Args:
        view: may take, beside parameters of the address, the `rows` of a list, the `request`, the
            `snapshot`, the `app_state`, the day that it is as `today`, whether the reader is
            `signed_in`, and the id of the player whom a visitor to a page has `pinned`.
        heavy: long work, which is done one after another.
        file: makes a file of a list, of what the view may take; the page takes its `format`.
        other_page: the address of the page that a form chose as its `list`; empty: this one.
    """
    takes = {make: signature(make).parameters for make in (view, file, other_page) if make}

    def call(make: Callable[..., Any], values: Mapping[str, Any], **more: Any) -> Any:
        given = {**values, **more}
        return make(**{name: given[name] for name in takes[make] if name in given})

    async def handle(request: Request, **given: Any) -> Response[Any]:
        app_state, rows, known_at = request.app_state, given.get("rows"), given.get("known_at", "")
        for_all = bool(known_at) or is_api(request)
        given |= {
            "request": request,
            "app_state": app_state,
            "today": rows.day if rows else app_state.today(),
            "signed_in": request.user is not None,
            "pinned": "" if for_all else pinned_player(request),
        }
        if other_page and (address := call(other_page, given)):
            return redirected(address)
        if file and (form := given["format"]):
            return await sent(
                request, lambda now: call(file, given, snapshot=app_state.at(now, known_at)), form
            )

        def build(snapshot: Snapshot, *_: PageOfList) -> Any:
            return call(view, given, snapshot=snapshot)

        if rows:
            return await answer_rows(request, build, rows, known_at, heavy=heavy)
        return await answered(request, build, known_at=known_at, heavy=heavy)

    handle.__doc__, handle.__name__ = view.__doc__, view.__name__
    _declare(handle, view, {"format": file, "list": other_page})
    return handle


def _declare(handle: Any, view: Callable[..., Any], of_page: Mapping[str, Any]) -> None:
    """Tell Litestar what a handler takes: what its view takes of an address, and its page."""
    own = {"request": Parameter("request", Parameter.KEYWORD_ONLY, annotation=Request)}
    for name in filter(of_page.get, of_page):
        own[name] = own["request"].replace(name=name, default="", annotation=OfPage)
    hints = get_type_hints(view, include_extras=True) | {"rows": RequestedRows}
    for name, parameter in signature(view).parameters.items():
        if name not in _SITE:
            own[name] = parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name])
    answer: Any = Response
    handle.__signature__ = Signature([*own.values()])
    handle.__annotations__ = {name: parameter.annotation for name, parameter in own.items()}
    handle.__annotations__["return"] = answer[hints["return"]]


def _window(request: Request, limit: int, cursor: str) -> PageOfList:
    """The rows that a request to the API asks for.

    Raises:
        Refused: it is no cursor.
    """
    if not cursor:
        return PageOfList(day=request.app_state.today(), request=request, limit=limit)
    parts = _CURSOR.fullmatch(cursor)
    try:
        entry, day, start, last = parts.groups() if parts else ("", "", "", "")
        begun = date.fromisoformat(day)
    except ValueError:
        raise Refused(_UNFIT) from None
    if not listable(begun):
        raise Refused(_UNFIT)
    return PageOfList(
        day=begun, entry=int(entry), request=request, limit=limit, start=int(start), last=last
    )


def _hashed(rows: Any, at: int, column: str) -> str:
    if not 0 <= at < len(rows):
        return ""
    is_table = isinstance(rows, pl.DataFrame)
    key = rows[column][at] if is_table else getattr(rows[at], column)
    return sha256(str(key).encode()).hexdigest()[:12]


# ── what is sent: JSON of a shape that is described, or the fields of a form ──────────────────────

_NUMBERS = ("version", "round")
"""Fields of forms that are numbers."""
_WHERE = re.compile(r"(.*) - at `\$\.?(.*)`", re.DOTALL)

Text = Annotated[str, msgspec.Meta(pattern=r"^[^\x00]*$")]
"""A text; no database takes NUL."""
Digest = Annotated[
    str,
    msgspec.Meta(
        pattern="^[0-9a-f]{64}$",
        description="What was seen: `seen` of the preview. Where it would be otherwise now, nothing"
        " is recorded (409).",
    ),
]


class RequestBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of what programs send: a number sent as text, or an unknown field, is refused."""


Shape = TypeVar("Shape", bound=RequestBody)


def decode_body(body: bytes, shape: type[Shape]) -> Shape:
    """Decode a body into its shape.

    Raises:
        ValidationException: it is not of that shape; the field is named.
    """
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        match = _WHERE.fullmatch(str(error))
        what, where = (match[1], match[2]) if match else (str(error), "")
        wrong = Problem(
            at=Location(where), what=brief(what, LONGEST_VALUE), clause="body", remedy=""
        )
        raise ValidationException(extra=[wrong]) from None


async def body_or_form(request: Request, shape: type[Shape]) -> Shape:
    """What a program sends as JSON, or a person in a form, whose texts are checked later."""
    if is_api(request):
        return decode_body(await request.body(), shape)
    form = await request.form()
    values: dict[str, Any] = {
        name: whole_number(form, name) if name in _NUMBERS else field(form, name)
        for name in shape.__struct_fields__
    }
    return shape(**values)
