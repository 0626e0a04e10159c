"""
The files of the site: its styles, its scripts, those of others as they were published.

    assets      one of them, by its name
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from palmares.web.hall import Kept
from palmares.web.messages import said
from palmares.web.replies import Visit, finished, handed_out

KINDS: Mapping[str, str] = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
"""The files that browsers ask for, by suffix; no other lies open."""


@get("/assets/{file_path:path}", name="assets", include_in_schema=False)
async def assets(request: Visit, file_path: FromPath[str]) -> Response[bytes]:
    """A file of the site: its styles, its scripts."""
    found = _files().get(file_path.strip("/"))
    if found is None:
        raise NotFoundException(said("There is nothing at this address."))
    return handed_out(request, found, {"Cache-Control": "public, max-age=3600"})


@cache
def _files() -> Mapping[str, Kept]:
    """Every file by its name, read once: no name that is asked for ever opens another."""
    place = Path(str(files("palmares.web") / "assets"))
    return {
        one.relative_to(place).as_posix(): finished(one.read_bytes(), KINDS[one.suffix])
        for one in sorted(place.rglob("*"))
        if one.suffix in KINDS
    }
