"""The federation that runs the site: its name, colour, logo and words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anyio import to_thread
from litestar import Response
from litestar.exceptions import NotFoundException

from palmares.web.http.site_settings import read_logo
from palmares.web.http.state import AppState, Visit

LOGO_TYPES: Mapping[bytes, str] = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
}
"""What a logo may be, by its first bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Federation:
    """What pages show of the federation."""

    name: str  # heads every page
    accent: str  # "#" and six digits; every colour of the site follows from it
    logo: str = ""  # a digest for `to.logo(v=…)`, where the picture is; empty: there is none
    words: str = ""  # of the front page, as plain text; empty: none


def federation(app_state: AppState) -> Federation:
    """The stored settings; where there are none, those the server was started with."""
    stored = dict(app_state.site_settings)
    return Federation(
        name=stored.get("name", app_state.settings.name),
        accent=stored.get("accent", app_state.settings.accent),
        logo=stored.get("logo_digest", ""),
        words=stored.get("words", ""),
    )


def logo_type(content: bytes) -> str:
    """The media type of a picture; empty where it may not be a logo."""
    return next((kind for start, kind in LOGO_TYPES.items() if content.startswith(start)), "")


async def logo(request: Visit) -> Response[bytes]:
    """The federation's logo; its address changes with it."""
    content = await to_thread.run_sync(_logo, request.app_state)
    if content is None:
        raise NotFoundException
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(content, media_type=logo_type(content), headers=headers)


def _logo(app_state: AppState) -> bytes | None:
    with app_state.journal.database.reading() as connection:
        return read_logo(connection)
