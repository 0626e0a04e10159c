"""The federation's face on the site: its name, colour, logo and words, set by an administrator."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Annotated, Any

from litestar import Response
from litestar.datastructures import UploadFile
from litestar.exceptions import NotFoundException
from litestar.params import FromQuery, QueryParameter

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.web.http.parameters import field
from palmares.web.http.replies import private_answer, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import (
    LOGO,
    AppState,
    Federation,
    Request,
    read_logo,
    write_site_settings,
)

LONGEST_NAME, LONGEST_WORDS, LARGEST_LOGO = 60, 1000, 200 * 1024
LARGEST_FORM = 8 * 2**20
"""Bytes: with a picture as cameras make them, so that the form says how large a logo may be."""
_ACCENT = re.compile("#[0-9A-Fa-f]{6}")
Saved = Annotated[bool, QueryParameter(description="Whether these settings were just saved.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class FederationPage:
    """What the site shows of the federation, and what the server was started with."""

    federation: Federation
    text_colour: str  # on the accent: black or white
    contrast: float  # of that text; 4.5 and more is easily read
    default_name: str
    problem: str | None = None
    saved: bool = False  # whether it was just saved


def federation_page(app_state: AppState, *, saved: Saved = False) -> FederationPage:
    """The federation's name, colour, logo and words, and how publishing is approved."""
    return _page(app_state, app_state.federation, saved=saved)


def _page(
    app_state: AppState, shown: Federation, *, problem: str | None = None, saved: bool = False
) -> FederationPage:
    """The page with settings, saved or typed."""
    text_colour, ratio = contrast(shown.accent)
    return FederationPage(
        federation=shown,
        text_colour=text_colour,
        contrast=ratio,
        default_name=app_state.settings.name,
        problem=problem,
        saved=saved,
    )


async def federation_save(request: Request) -> Response[bytes]:
    """Other settings of the federation; what is left blank is as the server was started."""
    form = await request.form()
    try:
        values = await _read_settings(request, form)
    except Refused as error:
        typed = _typed(request.app_state.federation, form)
        return await private_answer(request, _page(request.app_state, typed, problem=str(error)))
    await request.app_state.change(write_site_settings, values)
    await request.app_state.signed_in.page(lambda: request.app_state.snapshot(at_once=True))
    request.log_event("federation settings changed", settings=sorted(values))
    return redirected(to.federation_face(saved="true"))


def _typed(now: Federation, form: Mapping[str, Any]) -> Federation:
    """The settings with what was typed, so that a refused field costs no other."""
    accent = field(form, "accent").strip()
    return replace(
        now,
        name=field(form, "name"),
        accent=accent if _ACCENT.fullmatch(accent) else now.accent,
        words=field(form, "words"),
        two_officers=bool(field(form, "two_officers")),
    )


async def _read_settings(request: Request, form: Mapping[str, Any]) -> dict[str, bytes | None]:
    """The settings that a form asks for; none: as the server was started.

    Raises:
        Refused: one of them cannot be used.
    """
    name = " ".join(field(form, "name").split())
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise Refused(msg("A name has at most %(most)s visible characters.", most=LONGEST_NAME))
    accent = field(form, "accent").strip()
    if accent and not _ACCENT.fullmatch(accent):
        raise Refused(msg("%(text)s is no colour, such as #0c5a78.", text=brief(accent)))
    words = field(form, "words").replace("\r\n", "\n").strip()
    if len(words) > LONGEST_WORDS:
        raise Refused(msg("The words have at most %(most)s characters.", most=LONGEST_WORDS))
    two = "1" if field(form, "two_officers") else ""
    started = request.app_state.settings
    name = "" if name == started.name else name
    accent = "" if accent == started.accent else accent
    texts = {"name": name, "accent": accent, "words": words, "two_officers": two}
    values: dict[str, bytes | None] = {
        setting: text.encode("utf-8", "replace") or None for setting, text in texts.items()
    }
    file = form.get("logo")
    if field(form, "no_logo"):
        values |= {LOGO: None, "logo_digest": None}
    elif isinstance(file, UploadFile) and file.filename:
        content = await file.read()
        if not logo_type(content) or len(content) > LARGEST_LOGO:
            raise Refused(
                msg(
                    "A logo is a PNG, JPEG or GIF picture of at most %(most)s KiB.",
                    most=LARGEST_LOGO // 1024,
                )
            )
        values |= {LOGO: content, "logo_digest": sha256(content).hexdigest()[:12].encode()}
    return values


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
    red, green, blue = (  # without the gamma of sRGB
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4  # noqa: PLR2004
        for share in (int(accent[at : at + 2], 16) / 255 for at in (1, 3, 5))
    )
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    on_white, on_black = 1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05
    colour, ratio = ("white", on_white) if on_white >= on_black else ("black", on_black)
    return colour, round(ratio, 1)


def logo_type(content: bytes) -> str:
    """The media type of a picture; empty where it may not be a logo."""
    return next((kind for start, kind in LOGO_TYPES.items() if content.startswith(start)), "")


async def logo(request: Request, v: FromQuery[str] = "") -> Response[bytes]:  # noqa: ARG001
    """The federation's logo; its address changes with it."""
    content = await request.app_state.ask(read_logo)
    if content is None:
        raise NotFoundException
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(content, media_type=logo_type(content), headers=headers)
