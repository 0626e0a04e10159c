"""
Addresses whose parts are ids: any text, with slashes in it, too.

    parts   a request and what its address begins with  ->  the other parts, as they were meant
"""

from __future__ import annotations

from urllib.parse import unquote

from palmares.web.replies import Visit


def parts(request: Visit, begins: str) -> tuple[str, ...]:
    """The parts behind the beginning; an id's own slashes were sent as %2F."""
    raw = request.scope["raw_path"].decode("latin-1").partition("?")[0]
    rest = raw.removeprefix(begins).strip("/")
    return tuple(unquote(one) for one in rest.split("/"))
