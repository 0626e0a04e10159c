"""
The files of the site: its styles, its scripts, those of others as they were published.

    assets      one of them, by its name
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import PurePosixPath

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery

from palmares.web.asset_files import KINDS, contents, version
from palmares.web.hall import Kept
from palmares.web.messages import said
from palmares.web.replies import Visit, finished, handed_out

FOR_GOOD, FOR_AN_HOUR = "public, max-age=31536000, immutable", "public, max-age=3600"
"""How long a browser keeps a file: of this very version, or of whichever is there."""


@get("/assets/{file_path:path}", name="assets", include_in_schema=False)
async def assets(
    request: Visit, file_path: FromPath[str], v: FromQuery[str] = ""
) -> Response[bytes]:
    """A file of the site: its styles, its scripts."""
    name = file_path.strip("/")
    found = _files().get(name)
    if found is None:
        raise NotFoundException(said("There is nothing at this address."))
    kept = FOR_GOOD if v == version(name) else FOR_AN_HOUR
    return handed_out(request, found, {"Cache-Control": kept})


@cache
def _files() -> Mapping[str, Kept]:
    return {
        name: finished(content, KINDS[PurePosixPath(name).suffix])
        for name, content in contents().items()
    }
