"""
From a page to a response: HTML or JSON at the same address, kept until the journal grows.

    answered    a request and what makes its page  ->  a response
    TEMPLATES   the template of every page, by its class
    rendered    a page  ->  HTML
    PageMissing what was asked for is not there

A page is a frozen dataclass. Its JSON is the dataclass itself; its HTML is its template. Which one
is sent is what the request accepts first; browsers get HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

import msgspec
from anyio import to_thread
from jinja2 import Environment, PackageLoader, StrictUndefined
from litestar import Request, Response
from litestar.status_codes import HTTP_304_NOT_MODIFIED

from palmares.web import addresses
from palmares.web.hall import Hall, Kept, Known
from palmares.web.pages.front import FrontPage
from palmares.web.pages.ranking import RankingPage
from palmares.web.wording import LANGUAGES, chosen, wording

HTML, JSON = "text/html", "application/json"

TEMPLATES: Mapping[type, str] = {
    FrontPage: "front.html",
    RankingPage: "ranking.html",
}
"""Every page, and its template."""

Visit = Request[Any, Any, Any]
Build = Callable[[Known], Any]

_jinja = Environment(
    loader=PackageLoader("palmares.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_jinja.globals.update(to=addresses.ALL, languages=LANGUAGES)


async def answered(request: Visit, build: Build) -> Response[bytes]:
    """The page of a request: from what was kept, or made now."""
    hall: Hall = request.app.state.hall
    known = hall.known()
    kind = negotiated(request)
    language = chosen(request.headers.get("accept-language", ""), request.cookies.get("language"))
    key = (known.head.hash, hall.today(), request.url.path, request.url.query, kind, language)
    page = hall.kept(key)
    if page is None:
        page = await to_thread.run_sync(_made, build, known, kind, language)
        hall.keep(key, page)
    headers = {
        "ETag": page.etag,
        "Vary": "Accept, Accept-Language, Cookie",
        "Cache-Control": "no-cache",
    }
    if request.headers.get("if-none-match") == page.etag:
        return Response(b"", status_code=HTTP_304_NOT_MODIFIED, headers=headers)
    return Response(page.content, media_type=page.media_type, headers=headers)


def negotiated(request: Visit) -> str:
    """HTML or JSON."""
    best = request.accept.best_match(["text/html", JSON], default="text/html")
    return JSON if best == JSON else HTML


def _made(build: Build, known: Known, kind: str, language: str) -> Kept:
    page = build(known)
    content = msgspec.json.encode(page) if kind == JSON else rendered(page, language)
    return Kept(content, kind, f'"{sha256(content).hexdigest()[:32]}"')


def rendered(page: Any, language: str) -> bytes:
    """A page as HTML."""
    said = wording(language)
    template = _jinja.get_template(TEMPLATES[type(page)])
    return template.render(
        page=page,
        language=language,
        _=said.text,
        ngettext=said.texts,
        points=said.points,
        number=said.number,
        day=said.day,
    ).encode()
