"""The federation that runs the site: its name, colour, logo and words."""

from __future__ import annotations

from collections.abc import Mapping

from anyio import to_thread
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.params import FromQuery

from palmares.web.http.site_settings import read_logo
from palmares.web.http.state import AppState, Request

LOGO_TYPES: Mapping[bytes, str] = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
}
"""What a logo may be, by its first bytes."""


async def federation_style(request: Request) -> Response[bytes]:
    """The one colour that a federation chooses; `palmares.css` derives all others from it."""
    await request.app_state.now()  # which reads the settings
    content = f":root {{ --accent: {request.app_state.federation.accent}; }}\n".encode()
    return Response(content, media_type="text/css", headers={"Cache-Control": "no-cache"})


def contrast(accent: str) -> tuple[str, float]:
    """The colour of text on an accent, black or white, and its contrast as WCAG defines it."""
    red, green, blue = (_linear(int(accent[at : at + 2], 16) / 255) for at in (1, 3, 5))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    on_white, on_black = 1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05
    colour, ratio = ("white", on_white) if on_white >= on_black else ("black", on_black)
    return colour, round(ratio, 1)


def _linear(share: float) -> float:
    """A share of a primary colour without the gamma of sRGB."""
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4  # noqa: PLR2004


def logo_type(content: bytes) -> str:
    """The media type of a picture; empty where it may not be a logo."""
    return next((kind for start, kind in LOGO_TYPES.items() if content.startswith(start)), "")


async def logo(request: Request, v: FromQuery[str] = "") -> Response[bytes]:  # noqa: ARG001
    """The federation's logo; its address changes with it."""
    content = await to_thread.run_sync(_logo, request.app_state)
    if content is None:
        raise NotFoundException
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(content, media_type=logo_type(content), headers=headers)


def _logo(app_state: AppState) -> bytes | None:
    with app_state.database.reading() as connection:
        return read_logo(connection)
