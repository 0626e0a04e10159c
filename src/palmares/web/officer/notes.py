"""Notes to the officers: a form for everybody, the list for officers and programs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery

from palmares.core.messages import msg
from palmares.web.accounts.store import LARGEST_ID
from palmares.web.accounts.throttle import (
    HERE,
    client_address,
    limits_of,
    record_failure,
    seconds_to_wait,
)
from palmares.web.http import logs
from palmares.web.http.parameters import field, inside
from palmares.web.http.replies import private_answer, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import Request
from palmares.web.shared.notes import (
    LONGEST_NOTE,
    Note,
    add_note,
    close_note,
    is_note,
    open_notes,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakePage:
    """The form of a note to the officers."""

    about: str  # the address of the page that it is about; empty: none
    text: str = ""
    problem: str | None = None  # what went wrong, where the form is shown again
    sent: bool = False  # whether it was sent just now


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """The notes that wait for an officer, the oldest first."""

    items: tuple[Note, ...]


async def mistake(request: Request, about: FromQuery[str] = "") -> Response[bytes]:
    """The form of a note; ``about`` is the address of the page that it is about."""
    return await private_answer(request, MistakePage(about=inside(about)))


async def mistake_send(request: Request) -> Response[bytes]:
    """A note to the officers."""
    form, app_state = await request.form(), request.app_state
    about, text = inside(field(form, "about")), field(form, "text").strip()
    page = MistakePage(about=about, text=text[:LONGEST_NOTE])
    if not is_note(text):
        problem = msg("Say what is wrong, in at most %(most)s characters.", most=LONGEST_NOTE)
        return await private_answer(request, replace(page, problem=problem))
    limits = limits_of(app_state.settings.secret, (f"note {client_address(request)}", HERE))
    if await app_state.ask(seconds_to_wait, limits, app_state.clock()):
        problem = msg("Too many notes came from your address. Try again in a quarter of an hour.")
        return await private_answer(request, replace(page, problem=problem), status_code=429)
    await app_state.change(record_failure, limits, app_state.clock())
    user = request.user
    if not await app_state.change(add_note, about, text, user and user.id, app_state.clock()):
        problem = msg("Too many notes wait already. Write to the officers in another way.")
        return await private_answer(request, replace(page, problem=problem), status_code=429)
    logs.event(request.scope, "note sent")
    return await private_answer(request, MistakePage(about=about, sent=True))


async def notes(request: Request) -> Response[Notes]:
    """The notes that wait for an officer, the oldest first."""
    return await private_answer(request, Notes(items=await request.app_state.ask(open_notes)))


async def note_done(request: Request, number: FromPath[int]) -> Response[bytes]:
    """A note is done with."""
    if number > LARGEST_ID or not await request.app_state.change(
        close_note, number, request.user.id, request.app_state.clock()
    ):
        raise NotFoundException(msg("There is no such note that waits."))
    return redirected(to.notes())
