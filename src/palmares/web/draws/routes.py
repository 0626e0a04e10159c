"""Routes to public draws, and the desk where directors announce and reveal them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from litestar import Response
from litestar.datastructures import UploadFile
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, PathParameter

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected, Refused
from palmares.core.messages import msg
from palmares.journal.commands.announcements import announce, reveal
from palmares.journal.store.entries import DrawAnnouncement, DrawReveal
from palmares.tournaments.draw.announcement import Announced, read, time_text
from palmares.tournaments.draw.draw import check_now, run
from palmares.tournaments.draw.explain import choosers
from palmares.tournaments.draw.refusals import DrawRefused
from palmares.tournaments.notice import recorded
from palmares.web.draws import views
from palmares.web.draws.desk import (
    FIELDS,
    RevealField,
    announcement_of,
    empty_form,
    reveal_fields,
    reveals,
)
from palmares.web.draws.views import DrawPage, Draws
from palmares.web.http.parameters import field
from palmares.web.http.replies import answered, private_answer, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import Request, Snapshot
from palmares.web.services import record_now

Announcement = Annotated[
    int,
    PathParameter(
        description="The entry of the journal in which the draw was announced.",
        examples=[Example(value=41)],
    ),
]


async def draws(request: Request) -> Response[Draws]:
    """Every draw that was announced, the latest first."""
    return await answered(request, views.draws)


async def draw(request: Request, entry: Announcement) -> Response[DrawPage]:
    """An announced draw: what decides it, each step in words, and the places.

    The draw is computed again from the announcement and the recorded randomness.
    """

    def make(snapshot: Snapshot) -> DrawPage:
        def read() -> DrawPage:
            with request.app_state.journal.reading() as reader:
                return views.draw_page(snapshot, reader, entry)

        return snapshot.once(("draw", entry), read)

    return await answered(request, make, heavy=True)


# ── the desk ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawDesk:
    """The desk of draws: the form, and the announcement that it makes."""

    fields: Mapping[str, str]  # of the form, as they were typed
    notices: tuple[tuple[str, str], ...]  # events that have one: id and name
    brackets: tuple[tuple[str, str], ...]  # draws that late entries can join: id and event
    problem: str | None = None
    announcement: str = ""  # canonical JSON; empty: not checked yet
    sha256: str = ""
    entrants: int = 0
    choosers: tuple[str, ...] = ()  # who could still choose among draws


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealPage:
    """The form of what the sources of an announced draw revealed."""

    entry: int
    event: str
    fields: tuple[RevealField, ...]
    typed: Mapping[str, str]
    problem: str | None = None


async def draw_desk(request: Request) -> Response[bytes]:
    """The form of an announcement."""
    return await _desk(request, empty_form(_now(request)))


async def draw_send(request: Request) -> Response[Any]:
    """Check an announcement and show it, or record the one that was shown."""
    sent = await request.form()
    fields = empty_form(_now(request)) | {
        name: field(sent, name).strip() for name in FIELDS if name in sent
    }
    upload = sent.get("upload")
    try:
        if isinstance(upload, UploadFile) and upload.filename:
            fields["file"] = _text(await upload.read())
        announced = await request.run_long(announcement_of, request.app_state, fields)
        await request.run_long(check_now, announced, lambda: time_text(_now(request)))
        if field(sent, "step") == "record":
            return redirected(to.draw(await _announce(request, announced)))
    except (Refused, FactsRejected) as refused:
        return await _desk(request, fields, problem=_why(refused))
    return await _desk(
        request, fields, announcement=announced.text, sha256=announced.sha256,
        entrants=len(announced.content.entries), choosers=tuple(choosers(announced)),
    )  # fmt: skip


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeError:
        raise Refused(msg("The file is not UTF-8. Save it as UTF-8 and choose it again.")) from None


async def _announce(request: Request, announced: Announced) -> int:
    """Record an announcement; the number of its entry."""
    draw_id = announced.content.draw
    body = DrawAnnouncement(
        announcement=announced.text,
        sha256=announced.sha256,
        replaces=announced.content.replaces or None,
    )
    await record_now(request, "draw", announce(draw_id, body))
    state = (await request.app_state.now()).projection.state
    return next(
        statement.sequence
        for statement in state.group("draws")[draw_id]
        if statement.body.sha256 == announced.sha256
    )


async def _desk(request: Request, fields: Mapping[str, str], **more: Any) -> Response[bytes]:
    snapshot = await request.app_state.now()
    notices = snapshot.projection.state.all_in_force("notices")
    page = DrawDesk(
        fields=fields,
        notices=tuple((event, recorded(stated.body.notice).name) for event, stated in notices),
        brackets=tuple(
            (row.draw, f"{row.event} ({row.draw})")
            for row in views.draws(snapshot).items
            if row.state == "drawn" and row.format in ("knockout", "late") and not row.replaced_by
        ),
        **more,
    )
    return await private_answer(request, page)


def _now(request: Request) -> datetime:
    return datetime.fromtimestamp(request.app_state.settings.clock(), UTC)


async def draw_reveal(request: Request, entry: FromPath[int]) -> Response[bytes]:
    """The form of what the sources of an announced draw revealed."""
    announced = _announced(await request.app_state.now(), entry)
    return await private_answer(request, _reveal_page(announced, entry, {}))


async def draw_reveal_send(request: Request, entry: FromPath[int]) -> Response[Any]:
    """Record what the sources revealed, if a draw follows from it."""
    sent = await request.form()
    announced = _announced(await request.app_state.now(), entry)
    typed = {name: field(sent, name) for name in sent}
    try:
        _refuse_early(announced, time_text(_now(request)))
        revealed = reveals(announced, typed)
        await request.run_long(_draw, request, announced, entry, revealed)
        body = DrawReveal(announcement=announced.sha256, randomness=canonical(revealed))
        await record_now(request, "randomness", reveal(announced.content.draw, body))
    except (Refused, FactsRejected) as refused:
        page = _reveal_page(announced, entry, typed, _why(refused))
        return await private_answer(request, page)
    return redirected(to.draw(entry))


def _refuse_early(announced: Announced, now: str) -> None:
    due = max(source.when for source in announced.content.randomness)
    if now < due:
        raise Refused(msg("The randomness appears at %(due)s. Wait until then.", due=due))


def _announced(snapshot: Snapshot, entry: int) -> Announced:
    """The announcement that an entry recorded.

    Raises:
        NotFoundException: it recorded none.
    """
    for statements in snapshot.projection.state.group("draws").values():
        for statement in statements:
            if statement.sequence == entry:
                return read(statement.body.announcement.encode())
    raise NotFoundException(msg("There is no such draw."))


def _draw(request: Request, announced: Announced, entry: int, revealed: Sequence[Any]) -> None:
    """Refuse what was revealed if no draw follows from it."""
    with request.app_state.journal.reading() as reader:
        recorded_at = f"{reader.entry(entry).recorded_at[:19]}Z"
    run(announced.text.encode(), recorded_at, revealed)


def _reveal_page(
    announced: Announced, entry: int, typed: Mapping[str, str], problem: str | None = None
) -> RevealPage:
    return RevealPage(
        entry=entry,
        event=announced.content.event,
        fields=tuple(reveal_fields(announced)),
        typed=typed,
        problem=problem,
    )


def _why(refused: Exception) -> str:
    """What is wrong, and what to do about it."""
    if isinstance(refused, DrawRefused):
        problem = refused.problem
        return msg("%(what)s. %(remedy)s", what=problem.what, remedy=problem.remedy)
    return str(refused)
