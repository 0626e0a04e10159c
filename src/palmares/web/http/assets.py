"""The files of the site as browsers get them: its styles and scripts, those of others."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery

KINDS: Mapping[str, str] = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
"""The files that browsers ask for, by suffix; no other lies open."""
FOR_GOOD, FOR_AN_HOUR = "public, max-age=31536000, immutable", "public, max-age=3600"
"""How long a browser keeps a file: of this very version, or of whichever is there."""


@cache
def contents() -> Mapping[str, bytes]:
    """Every file by its name, read once: no name that is asked for ever opens another."""
    place = Path(str(files("palmares.web") / "assets"))
    return {
        one.relative_to(place).as_posix(): one.read_bytes()
        for one in sorted(place.rglob("*"))
        if one.suffix in KINDS
    }


@cache
def _digest(name: str) -> str:
    return sha256(contents()[name]).hexdigest()[:32]


def version(name: str) -> str:
    """A mark that changes with a file's contents: whoever has kept the old one asks for the new."""
    return _digest(name)[:12]


async def assets(file_path: FromPath[str], v: FromQuery[str] = "") -> Response[bytes]:
    """A file of the site: its styles, its scripts."""
    content = contents().get(file_path)
    if content is None:
        raise NotFoundException
    kept = FOR_GOOD if v == version(file_path) else FOR_AN_HOUR
    headers = {"ETag": f'"{_digest(file_path)}"', "Cache-Control": kept}
    return Response(content, media_type=KINDS[Path(file_path).suffix], headers=headers)
