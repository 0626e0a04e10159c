"""
From a view to a response: HTML at the addresses of pages, JSON at those of the API.

A view is a frozen dataclass. The template of its route makes it HTML; the API sends it as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from functools import cache
from hashlib import sha256
from typing import Any, get_args, get_type_hints
from urllib.parse import quote, unquote

import msgspec
from litestar import Response
from litestar.datastructures import Cookie
from litestar.status_codes import (
    HTTP_200_OK,
    HTTP_303_SEE_OTHER,
)

from palmares.core.rounding import Nanopoints, points_text
from palmares.facts.schema import WITHHELD
from palmares.web.http.cache import repeatable
from palmares.web.http.i18n import COOKIE, chosen, offered, plain, wording
from palmares.web.http.routing import NOWHERE, Right, equivalent, row_of
from palmares.web.http.state import Request, Snapshot
from palmares.web.http.templating import ENVIRONMENT

HTML, JSON = "text/html", "application/json"
VARY = {"Vary": "Accept-Language, Cookie"}
PRIVATE = {"Cache-Control": "no-store", **VARY}
OPEN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, X-Request-Id, Retry-After",
}
"""What may be read without signing in may be read by the scripts of any site."""
Build = Callable[[Snapshot], Any]


async def answered(
    request: Request,
    build: Build,
    *,
    known_at: str = "",
    heavy: bool = False,
    template: str = "",
) -> Response[Any]:
    """The response to a request: a page, or data for programs.

    Visitors share responses; those of people who are signed in are made for each request.

    Args:
        request: the request.
        build: makes the view from a snapshot.
        known_at: the day, moment or entry of the snapshot; empty: now.
        heavy: long work, which runs one job at a time.
        template: of the page, if it is not the one of the route.
    """
    app_state = request.app_state
    now = await app_state.now()
    heavy = heavy or bool(known_at)

    def view() -> Any:
        return build(app_state.at(now, known_at))

    if request.user is not None:
        run = app_state.signed_in.long if heavy else app_state.signed_in.page
        return await private_answer(request, await run(view), template=template)

    return await shared_response(
        request, now, lambda: public_answer(request, view(), template), heavy=heavy
    )


def public_answer(request: Request, data: Any, template: str = "") -> Response[Any]:
    """A page or data that is the same for all visitors."""
    if is_api(request):
        return with_etag(encoded(data), JSON, OPEN)
    content = rendered(template or row_of(request.scope).template, data, request)
    return with_etag(content, HTML, VARY)


def is_api(request: Request) -> bool:
    """Whether a program asks, at an address of the API."""
    return row_of(request.scope).programs


def encoded(data: Any) -> bytes:
    """Data as JSON, points in both forms."""
    return msgspec.json.encode(with_texts(data), enc_hook=plain)


# ── points in JSON: exact, and as lists show them ─────────────────────────────────────────────────


@cache
def text_fields(cls: type) -> Mapping[str, str]:
    """The fields of a dataclass that are nanopoints, and the name of the text of each."""
    hints = get_type_hints(cls, include_extras=True)
    return {
        name: "points" if name == "nanopoints" else f"{name}_points"
        for name, hint in hints.items()
        if _is_points(hint)
    }


def _is_points(hint: Any) -> bool:
    """Whether a field holds nanopoints: one number, several, or none."""
    return hint == Nanopoints or any(_is_points(part) for part in get_args(hint))


def with_texts(value: Any) -> Any:
    """A view in plain values, nanopoints also as the text that lists show."""
    if isinstance(value, (str, int, float, date, bytes, msgspec.Struct)) or value is None:
        return value
    if isinstance(value, Mapping):
        return {name: with_texts(item) for name, item in value.items()}
    if not is_dataclass(value):
        return [with_texts(item) for item in value]
    kind: Any = type(value)
    texts = text_fields(kind)
    values: dict[str, Any] = {}
    for each in fields(value):
        item = values[each.name] = with_texts(getattr(value, each.name))
        if each.name in texts:
            values[texts[each.name]] = _text(item)
    return values


def _text(nanopoints: Any) -> Any:
    """One number or several as text; none where there are none."""
    if isinstance(nanopoints, list):
        return [_text(number) for number in nanopoints]
    return None if nanopoints is None else points_text(nanopoints)


# ── responses ────────────────────────────────────────────────────────────────────────────────────


async def shared_response(
    request: Request,
    snapshot: Snapshot,
    make: Callable[[], Response[Any]],
    *,
    heavy: bool = False,
) -> Response[Any]:
    """A response for all visitors until the journal grows; the response cache keeps it.

    Args:
        request: the request.
        snapshot: what the response is made of.
        make: makes the response.
        heavy: long work, which runs one job at a time, and once if many ask.
    """
    app_state = request.app_state
    repeatable(request.scope, app_state, snapshot)
    if not heavy:
        return await app_state.visitors.page(make)
    url = request.scope["path"], request.url.query
    key = (app_state.version(snapshot), *url, language_of(request), pinned_player(request))
    return await app_state.visitors.long(snapshot.lists.once, key, make)


def with_etag(
    content: bytes, media_type: str, headers: Mapping[str, str] | None = None
) -> Response[Any]:
    """A response that clients may keep, and ask whether it has changed."""
    etag = f'"{sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache", **(headers or {})}
    return Response(content, media_type=media_type, headers=headers)


def redirected(address: str, *cookies: Cookie) -> Response[Any]:
    """A redirect to another page of this site, after a form."""
    headers = {"Location": address, "Cache-Control": "no-store"}
    return Response(b"", status_code=HTTP_303_SEE_OTHER, headers=headers, cookies=cookies)


async def private_answer(
    request: Request,
    data: Any,
    *,
    status_code: int | None = None,
    headers: Mapping[str, str] | None = None,
    template: str = "",
) -> Response[Any]:
    """A page or data for one person alone: someone signed in, or a visitor who fills in a form.

    Without a status, a page with a `problem` has 422, and all else 200.
    """
    private = {"Cache-Control": "no-store"} if is_api(request) else PRIVATE
    headers = {**private, **(headers or {})}
    pools = request.app_state
    pool = pools.visitors if request.user is None else pools.signed_in
    if not is_api(request):
        template = template or row_of(request.scope).template
        status_code = status_code or (422 if getattr(data, "problem", None) else HTTP_200_OK)
        content = await pool.page(rendered, template, data, request)
        return Response(content, media_type=HTML, status_code=status_code, headers=headers)
    content = await pool.page(encoded, data)
    if status_code in (None, HTTP_200_OK) and request.method == "GET":
        private = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Cookie"}
        return with_etag(content, JSON, headers | private)
    return Response(content, media_type=JSON, status_code=status_code or 200, headers=headers)


# ── pages ────────────────────────────────────────────────────────────────────────────────────────


def api_address(request: Request) -> str:
    """The address of the API with the data of this page; empty if there is none."""
    row = row_of(request.scope)
    if not row.api or request.method != "GET":
        return ""
    api = next(route for route in request.app.state.routes if route.name == row.api)
    return equivalent(api, request.scope["path_params"], request.query_params)


def language_of(request: Request) -> str:
    """The language of a request."""
    return chosen(request.headers.get("accept-language", ""), request.cookies.get(COOKIE))


PIN = "player"
"""The cookie with the id of the player whom a visitor has pinned."""


def pinned_player(request: Request) -> str:
    """The id of the player whom the visitor has pinned; empty: nobody."""
    return unquote(request.cookies.get(request.app_state.settings.cookie(PIN), ""))


def rendered(template: str, page: Any, request: Request, *, is_problem: bool = False) -> bytes:
    """A page as HTML.

    Args:
        template: of the page.
        page: the view.
        request: of the reader.
        is_problem: the page says what went wrong; it has no address to share and no data.
    """
    language, face = language_of(request), request.app_state.federation
    words = wording(language)
    row, get = row_of(request.scope), request.method == "GET"
    shareable = get and row.right is Right.ANYONE and not is_problem
    return (
        ENVIRONMENT.get_template(template)
        .render(
            page=page,
            language=language,
            person=request.scope.get("user"),
            spoken=offered(request.scope if get and row is not NOWHERE else None),
            api="" if is_problem else api_address(request),
            site=face.name,
            logo=face.logo,
            words=face.words,
            root=request.app_state.settings.public_url,
            path=quote(request.scope["path"]) if shareable else "",
            colon=words.colon,
            semicolon=words.semicolon,
            _=words.text,
            ngettext=words.translations.ngettext,
            pgettext=words.translations.pgettext,
            points=words.points,
            number=words.number,
            day=words.day,
            country=words.country,
            when=words.when,
            dated=words.dated,
            moment=words.moment,
            formula=words.formula,
            localized=words.localized,
            term=words.term,
        )
        .replace(WITHHELD, f"({words.text('withheld')})")  # stands for a name in every list
        .encode()
    )
