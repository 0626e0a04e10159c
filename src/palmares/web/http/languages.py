"""
Where a reader chooses a language: ``?language=de`` at the address of any page.

    Switch      the ASGI application that answers it: a cookie, and the same address without it
    offered     a request  ->  the addresses at which its page is said in each language
    asking      a request  ->  its address with one more question
    COOKIE      what the choice is kept in

The choice is a link, so that it needs no script. The cookie says no more than what was chosen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlencode

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from palmares.web.http.wording import LANGUAGES

COOKIE = "language"
_YEAR = 365 * 24 * 60 * 60
_PROGRAMS = "/api/"
_QUERY = "&=%+;:@/?,~!$*()-._"
"""What a question may be made of; all else is written as %20 is."""
_SLASHES = re.compile("^(/|%2f)+", re.IGNORECASE)


@dataclass(slots=True)
class Switch:
    """The ASGI application in front of the pages."""

    app: ASGIApp
    secure: bool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Remember the language that an address asks for; every other request goes on."""
        chosen, rest = _asked(scope)
        if chosen is None:
            await self.app(scope, receive, send)
            return
        headers = [
            (b"location", rest.encode()),
            (b"set-cookie", _cookie(chosen, secure=self.secure).encode()),
            (b"cache-control", b"no-store"),
            (b"content-length", b"0"),
        ]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _asked(scope: Scope) -> tuple[str | None, str]:
    """The language that an address asks for, and the address without it; none if it does not."""
    query = scope.get("query_string", b"")
    if scope["type"] != ScopeType.HTTP or b"language=" not in query or scope["method"] != "GET":
        return None, ""
    fields = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    wanted = [value for name, value in fields if name == COOKIE]
    if not wanted or wanted[-1] not in LANGUAGES or scope["path"].startswith(_PROGRAMS):
        return None, ""
    rest = urlencode([(name, value) for name, value in fields if name != COOKIE])
    return wanted[-1], _inside(_sent(scope)) + (f"?{rest}" if rest else "")


def _sent(scope: Scope) -> str:
    """The path of a request as it was sent: an id may hold a slash, as %2F."""
    return str(scope["raw_path"].decode("latin-1").partition("?")[0])


def _inside(sent: str) -> str:
    """A path of this site: with two slashes at its start, a browser would go to another one."""
    parts = _SLASHES.sub("", sent).split("/")
    return "/" + "/".join(quote(unquote(part), safe="") for part in parts)


def _cookie(language: str, *, secure: bool) -> str:
    more = "; Secure" if secure else ""
    return f"{COOKIE}={language}; Path=/; Max-Age={_YEAR}; SameSite=Lax; HttpOnly{more}"


def offered(scope: Scope | None = None) -> Mapping[str, str]:
    """The addresses at which a page is said in each language.

    Args:
        scope: of the request for the page; none: the front page.
    """
    return {tag: asking(scope, f"{COOKIE}={tag}") for tag in LANGUAGES}


def asking(scope: Scope | None, more: str) -> str:
    """The address of a request with one more question; none: of the front page. It is ASCII."""
    if scope is None:
        return f"/?{more}"
    asked = quote(scope["query_string"], safe=_QUERY)
    return f"{_inside(_sent(scope))}?{asked}{'&' if asked else ''}{more}"
