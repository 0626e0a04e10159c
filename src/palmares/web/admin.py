"""The administrator's pages and their API: accounts of others, and how the federation looks."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from typing import Annotated, Any

import sqlalchemy as sa
from anyio import to_thread
from litestar import Response
from litestar.datastructures import UploadFile
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromQuery, PathParameter
from litestar.status_codes import HTTP_201_CREATED
from msgspec import Meta

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.journal.store.entries import ROLES
from palmares.web.accounts import admin, store
from palmares.web.accounts.store import Person
from palmares.web.api.bodies import RequestBody, Text, body_or_form
from palmares.web.http.parameters import field
from palmares.web.http.replies import is_api, private_answer, redirected
from palmares.web.http.routing import link as link_address
from palmares.web.http.routing import to
from palmares.web.http.state import (
    LOGO,
    AppState,
    Federation,
    Request,
    read_logo,
    write_site_setting,
)
from palmares.web.tables import day_of

Number = Annotated[
    int, PathParameter(description="The number of an account.", ge=1, examples=[Example(value=1)])
]
Role = Annotated[Text, Meta(description=f"One of: {', '.join(ROLES)}.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRow:
    """One account."""

    id: int
    name: str
    role: str
    state: str  # active, invited, disabled
    has_codes: bool  # one-time codes are set up
    needs_codes: bool  # in this role they must be
    created: date
    last_sign_in: date | None
    is_self: bool  # of whoever looks


@dataclass(frozen=True, slots=True, kw_only=True)
class AdministratorPage:
    """Every account."""

    accounts: tuple[AccountRow, ...]
    roles: tuple[str, ...] = tuple(reversed(tuple(ROLES)))
    link: str | None = None  # of an invitation, shown once
    invited: str | None = None  # whom it is for
    problem: str | None = None


def account_row(person: Person, own: int) -> AccountRow:
    """An account as the administrator of another one sees it."""
    waiting = "invited" if person.password is None else "active"
    return AccountRow(
        id=person.id,
        name=person.name,
        role=person.role,
        state="disabled" if person.disabled else waiting,
        has_codes=person.coded,
        needs_codes=person.needs_codes,
        created=day_of(person.created),
        last_sign_in=None if person.seen is None else day_of(person.seen),
        is_self=person.id == own,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """Every account, by name."""

    items: tuple[AccountRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """An account, and the link with which its owner chooses a password."""

    account: AccountRow
    link: str  # good once, for three days; it is not shown again


class NewAccount(RequestBody, frozen=True, kw_only=True):
    """Who is invited."""

    name: Annotated[Text, Meta(description="As it stands beside what they record.")]
    role: Role


class AssignedRole(RequestBody, frozen=True, kw_only=True):
    """A role."""

    role: Role


async def _rows(request: Request) -> tuple[AccountRow, ...]:
    """Every account, by name."""
    people = await request.app_state.ask(store.list_all)
    return tuple(account_row(person, request.user.id) for person in people)


async def _row(request: Request, number: int) -> AccountRow:
    """An account.

    Raises:
        NotFoundException: there is none of this number.
    """
    person = await request.app_state.ask(store.find, number)
    if person is None:
        raise NotFoundException(msg("There is no such account."))
    return account_row(person, request.user.id)


async def _page(request: Request, **more: Any) -> Response[Any]:
    """The page of all accounts, with what was done or what is wrong."""
    page = AdministratorPage(accounts=await _rows(request), **more)
    return await private_answer(request, page)


async def administrator(request: Request) -> Response[bytes]:
    """Every account."""
    return await _page(request)


async def api_accounts(request: Request) -> Response[Accounts]:
    """Every account, by name."""
    return await private_answer(request, Accounts(items=await _rows(request)))


async def api_account(request: Request, number: Number) -> Response[AccountRow]:
    """One account."""
    return await private_answer(request, await _row(request, number))


async def invite(request: Request) -> Response[Invitation]:
    """A new account, with a one-time link for its owner."""
    given = await body_or_form(request, NewAccount)
    try:
        person, token = await to_thread.run_sync(
            admin.invite, request.app_state, given.name, given.role
        )
    except Refused as error:
        return await _refused(request, error)
    request.log_event("invited", role=given.role)
    return await _invited(request, person.id, token)


async def _act(request: Request, action: str, number: int) -> Response[Any]:
    """Do something with an account, by a form or a program."""
    role = (await body_or_form(request, AssignedRole)).role if action == "role" else ""
    try:
        await _row(request, number)
        token = await to_thread.run_sync(
            admin.act, request.app_state, action, number, request.user.id, role
        )
    except Refused as error:
        return await _refused(request, error)
    request.log_event(admin.ACTIONS[action].event, account=number)
    if token is not None:
        return await _invited(request, number, token)
    if is_api(request):
        return await private_answer(request, await _row(request, number))
    return redirected(to.administrator())


async def _link(request: Request, number: Number) -> Response[Invitation]:
    return await _act(request, "link", number)


def _on_account(action: str) -> Callable[..., Awaitable[Response[Any]]]:
    """The handler of one action with an account, of the page and of the API."""

    async def handler(request: Request, number: Number) -> Response[AccountRow]:
        return await _act(request, action, number)

    chosen: Callable[..., Awaitable[Response[Any]]] = _link if action == "link" else handler
    chosen.__doc__ = admin.ACTIONS[action].summary
    return chosen


ON_ACCOUNT = {action: _on_account(action) for action in admin.ACTIONS}
"""The handlers by their action."""


async def _refused(request: Request, error: Refused) -> Response[Any]:
    if is_api(request):
        raise error
    return await _page(request, problem=str(error))


async def _invited(request: Request, number: int, token: str) -> Response[Any]:
    """An account with its one-time link, which is at the site's own address."""
    row = await _row(request, number)
    link = link_address(request.app_state.settings.public_url, token)
    if not is_api(request):
        return await _page(request, link=link, invited=row.name)
    headers = {"Location": f"/api/v1/accounts/{number}"}
    invitation = Invitation(account=row, link=link)
    return await private_answer(request, invitation, status_code=HTTP_201_CREATED, headers=headers)


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


def _federation_page(request: Request, problem: str | None = None) -> FederationPage:
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
    return await private_answer(request, _federation_page(request))


async def federation_save(request: Request) -> Response[bytes]:
    """Other settings of the federation; what is left blank is as the server was started."""
    form = await request.form()
    try:
        values = await _read_settings(request, form)
    except Refused as error:
        page = _with_typed(_federation_page(request, str(error)), form)
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


async def _read_settings(request: Request, form: Mapping[str, Any]) -> dict[str, bytes | None]:
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
