"""
From a view to a response: HTML at the addresses of pages, JSON at those of the API.

A view is a frozen dataclass. The template of its route makes it HTML; the API sends it as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple, get_args, get_type_hints
from urllib.parse import quote

import msgspec
from litestar import Response
from litestar.status_codes import (
    HTTP_200_OK,
    HTTP_303_SEE_OTHER,
    HTTP_308_PERMANENT_REDIRECT,
)

from palmares.core.rounding import Nanopoints
from palmares.core.rounding import shown as shown_points
from palmares.web.http.cache import repeatable
from palmares.web.http.federation import Federation, federation
from palmares.web.http.i18n import COOKIE, chosen, offered, plain, wording
from palmares.web.http.routing import Account, Right, equivalent, row_of
from palmares.web.http.state import Snapshot, Visit
from palmares.web.http.templating import ENVIRONMENT

HTML, JSON = "text/html", "application/json"
VARY = {"Vary": "Accept-Language, Cookie"}
OPEN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, X-Request-Id, Retry-After",
}
"""What may be read without signing in may be read by the scripts of any site."""
Build = Callable[[Snapshot], Any]


class Content(NamedTuple):
    """What is sent of a page, with the tag that changes with it."""

    content: bytes
    media_type: str
    etag: str


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a page, and its addresses: in each language, in the API."""

    federation: Federation
    account: Account | None = None
    languages: Mapping[str, str] = field(default_factory=offered)
    api: str = ""  # where programs get the same data; empty: nowhere
    root: str = ""  # the address of the site
    path: str = ""  # of a page that anyone may share; empty: nobody


async def answered(
    request: Visit, build: Build, *, heavy: bool = False, template: str = ""
) -> Response[Any]:
    """The answer to a request, as its route has it: a page, or data for programs.

    It is what was kept, or made now; a page for whoever is signed in is always made now.

    Args:
        request: whose answer it is.
        build: what makes the page from what is known.
        heavy: long work, which is done one after another; what is kept need not wait for it.
        template: another than the one of the route.
    """
    snapshot = await request.app_state.now()
    if is_api(request):
        return await repeated(
            request, snapshot, lambda: finished(encoded(build(snapshot)), JSON), OPEN, heavy=heavy
        )
    if request.scope["user"] is not None:
        signed_in = request.app_state.signed_in
        turn = signed_in.long if heavy else signed_in.page
        return await private_page(request, await turn(build, snapshot), template=template)
    language, anyone = spoken(request), reader(request)
    template = template or row_of(request.scope).template

    def make() -> Content:
        return finished(rendered(template, build(snapshot), language, anyone), HTML)

    return await repeated(request, snapshot, make, VARY, heavy=heavy, key=(language,))


async def answered_at(request: Visit, known_at: str, build: Build) -> Response[Any]:
    """The same of what was known then, one at a time; of what is known now if nothing is said."""
    if not known_at:
        return await answered(request, build)
    at = request.app_state.at
    return await answered(request, lambda now: build(at(now, known_at)), heavy=True)


def is_api(request: Visit) -> bool:
    """Whether a program asks, at an address of the API."""
    return row_of(request.scope).programs


def encoded(data: Any) -> bytes:
    """Data as JSON, points in both forms."""
    return msgspec.json.encode(with_texts(data), enc_hook=plain)


# ── points in JSON: counted exactly, and beside that as lists show them ───────────────────────────


@cache
def texts_beside(cls: type) -> Mapping[str, str]:
    """The fields of a dataclass that are nanopoints, and the name of the text beside each."""
    hints = get_type_hints(cls, include_extras=True)
    return {
        name: "points" if name == "nanopoints" else f"{name}_points"
        for name, hint in hints.items()
        if _is_points(hint)
    }


def _is_points(hint: Any) -> bool:
    """Whether a field holds nanopoints: one number, several, or none."""
    return hint == Nanopoints or any(_is_points(one) for one in get_args(hint))


def with_texts(value: Any) -> Any:
    """A page in plain values; beside nanopoints the points as lists show them."""
    if isinstance(value, (str, int, float, date, bytes)) or value is None:
        return value
    if isinstance(value, Mapping):
        return {name: with_texts(one) for name, one in value.items()}
    if not is_dataclass(value):
        return [with_texts(one) for one in value]
    kind: Any = type(value)
    texts = texts_beside(kind)
    found: dict[str, Any] = {}
    for each in fields(value):
        one = found[each.name] = with_texts(getattr(value, each.name))
        if each.name in texts:
            found[texts[each.name]] = _text(one)
    return found


def _text(nanopoints: Any) -> Any:
    """One number or several as text; none where there are none."""
    if isinstance(nanopoints, list):
        return [_text(one) for one in nanopoints]
    return None if nanopoints is None else shown_points(nanopoints)


# ── bytes ────────────────────────────────────────────────────────────────────────────────────────


def finished(content: bytes, media_type: str) -> Content:
    """What is sent of a page: its bytes with their tag."""
    return Content(content, media_type, f'"{sha256(content).hexdigest()[:32]}"')


async def repeated(
    request: Visit,
    snapshot: Snapshot,
    make: Callable[[], Content],
    headers: Mapping[str, str],
    *,
    heavy: bool = False,
    key: tuple[Any, ...] = (),
) -> Response[Any]:
    """A response for all visitors until the journal grows; the cache of responses keeps it.

    Args:
        request: whose answer it is.
        snapshot: what it is made of.
        make: what makes it.
        headers: of the response.
        heavy: long work, which is done one after another, and once where many ask.
        key: what it hangs on beside the address.
    """
    repeatable(request.scope, request.app_state, snapshot)
    if heavy:
        asked = (
            request.app_state.version(snapshot),
            request.scope["path"],
            request.url.query,
            *key,
        )
        return handed_out(
            await request.app_state.visitors.long(snapshot.lists.once, asked, make), headers
        )
    return handed_out(await request.app_state.visitors.page(make), headers)


def handed_out(page: Content, headers: Mapping[str, str]) -> Response[Any]:
    """A response that clients may keep, and ask whether it has changed."""
    headers = {"ETag": page.etag, "Cache-Control": "no-cache", **headers}
    return Response(page.content, media_type=page.media_type, headers=headers)


def redirected(address: str) -> Response[Any]:
    """The answer that leads to another page of ours, after a form."""
    headers = {"Location": address, "Cache-Control": "no-store"}
    return Response(b"", status_code=HTTP_303_SEE_OTHER, headers=headers)


def moved(address: str) -> Response[Any]:
    """The answer that leads to another address; asked for anew each time: a merge can be undone."""
    headers = {"Location": address, "Cache-Control": "no-cache"}
    return Response(b"", status_code=HTTP_308_PERMANENT_REDIRECT, headers=headers)


# ── pages ────────────────────────────────────────────────────────────────────────────────────────


async def private_page(
    request: Visit,
    page: Any,
    *,
    status_code: int = HTTP_200_OK,
    headers: Mapping[str, str] | None = None,
    template: str = "",
) -> Response[bytes]:
    """A page for one person alone: whoever is signed in, or fills in a form. Nobody keeps it."""
    turns = (
        request.app_state.visitors if request.scope["user"] is None else request.app_state.signed_in
    )
    template = template or row_of(request.scope).template
    content = await turns.page(rendered, template, page, spoken(request), reader(request))
    return Response(
        content,
        media_type=HTML,
        status_code=status_code,
        headers={"Cache-Control": "no-store", **VARY, **(headers or {})},
    )


def reader(request: Visit) -> Reader:
    """Who reads."""
    return Reader(
        federation(request.app_state),
        request.scope.get("user"),
        offered(request.scope if request.method == "GET" else None),
        alternate(request),
        root=request.app_state.settings.public_url,
        path=quote(request.scope["path"]) if _shareable(request) else "",
    )


def _shareable(request: Visit) -> bool:
    """Whether a page is the same for anyone who opens its address, whenever they do."""
    row = row_of(request.scope)
    return row.right is Right.ANYONE and request.method == "GET"


def alternate(request: Visit) -> str:
    """Where programs get the data of this page; nowhere, where the API has none."""
    row = row_of(request.scope)
    if not row.api or request.method != "GET":
        return ""
    api = next(route for route in request.app.state.routes if route.name == row.api)
    return equivalent(api, request.scope["path_params"], request.query_params)


def spoken(request: Visit) -> str:
    """The language of a request."""
    return chosen(request.headers.get("accept-language", ""), request.cookies.get(COOKIE))


def rendered(template: str, page: Any, language: str, who: Reader) -> bytes:
    """A page as HTML."""
    said = wording(language)
    return (
        ENVIRONMENT.get_template(template)
        .render(
            page=page,
            language=language,
            person=who.account,
            spoken=who.languages,
            api=who.api,
            site=who.federation.name,
            logo=who.federation.logo,
            words=who.federation.words,
            root=who.root,
            path=who.path,
            _=said.text,
            ngettext=said.texts,
            pgettext=said.text_of,
            points=said.points,
            number=said.number,
            day=said.day,
            country=said.country,
            when=said.when,
            dated=said.dated,
            moment=said.moment,
            figures=said.figures,
        )
        .encode()
    )
