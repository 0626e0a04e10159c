"""The page on which an administrator sets the federation's name, colour, logo and words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from litestar import Response
from litestar.datastructures import UploadFile

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.web.http.federation import contrast, logo_type
from palmares.web.http.parameters import field
from palmares.web.http.replies import private_answer, redirected
from palmares.web.http.routing import to
from palmares.web.http.site_settings import LOGO, Federation, write_site_setting
from palmares.web.http.state import Request

LONGEST_NAME, LONGEST_WORDS, LARGEST_LOGO = 60, 1000, 200 * 1024
LARGEST_FORM = LARGEST_LOGO + 64 * 1024
_ACCENT = re.compile("#[0-9A-Fa-f]{6}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FederationPage:
    """What the site shows of the federation, and what the server was started with."""

    federation: Federation
    text_colour: str  # on the accent: black or white
    contrast: float  # of that text; 4.5 and more is easily read
    default_name: str
    default_accent: str
    problem: str | None = None


def _page(request: Request, problem: str | None = None) -> FederationPage:
    app_state = request.app_state
    now = app_state.federation
    text_colour, ratio = contrast(now.accent)
    return FederationPage(
        federation=now,
        text_colour=text_colour,
        contrast=ratio,
        default_name=app_state.settings.name,
        default_accent=app_state.settings.accent,
        problem=problem,
    )


async def federation_face(request: Request) -> Response[FederationPage]:
    """The federation's name, colour, logo and words, and how publishing is approved."""
    return await private_answer(request, _page(request))


async def federation_save(request: Request) -> Response[bytes]:
    """Other settings of the federation; what is left blank is as the server was started."""
    form = await request.form()
    try:
        values = await _settings(request, form)
    except Refused as error:
        page = _with_typed(_page(request, str(error)), form)
        return await private_answer(request, page)
    await request.app_state.change(_write, values)
    await request.app_state.signed_in.page(lambda: request.app_state.snapshot(at_once=True))
    request.log_event("federation settings changed", settings=sorted(values))
    return redirected(to.federation_face())


def _with_typed(page: FederationPage, form: Mapping[str, Any]) -> FederationPage:
    """The page with what was typed, so that a refused field costs no other."""
    accent = field(form, "accent").strip()
    typed = replace(
        page.federation,
        name=field(form, "name"),
        accent=accent if _ACCENT.fullmatch(accent) else page.federation.accent,
        words=field(form, "words"),
        two_officers=bool(field(form, "two_officers")),
    )
    return replace(page, federation=typed)


def _write(connection: sa.Connection, values: Mapping[str, bytes | None]) -> None:
    for name, value in values.items():
        write_site_setting(connection, name, value)


async def _settings(request: Request, form: Mapping[str, Any]) -> dict[str, bytes | None]:
    """The settings that a form asks for; none: as the server was started.

    Raises:
        Refused: one of them cannot be used.
    """
    name = " ".join(field(form, "name").split())
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise Refused(msg("A name has at most %(most)s visible letters.", most=LONGEST_NAME))
    accent = field(form, "accent").strip()
    if accent and not _ACCENT.fullmatch(accent):
        raise Refused(msg("%(text)s is no colour, such as #0c5a78.", text=brief(accent)))
    words = field(form, "words").replace("\r\n", "\n").strip()
    if len(words) > LONGEST_WORDS:
        raise Refused(msg("The words have at most %(most)s letters.", most=LONGEST_WORDS))
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
