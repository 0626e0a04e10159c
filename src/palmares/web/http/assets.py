"""
The files of the site as browsers get them: its styles, its scripts, those of others as published.

    KINDS       the files that lie open, by suffix
    contents    every file by its name
    version     the name of a file  ->  a mark that changes with its contents
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

KINDS: Mapping[str, str] = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
"""The files that browsers ask for, by suffix; no other lies open."""


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
def version(name: str) -> str:
    """A mark that changes with a file's contents: whoever has kept the old one asks for the new."""
    return sha256(contents()[name]).hexdigest()[:12]
