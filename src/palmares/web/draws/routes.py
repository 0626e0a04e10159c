"""Routes to public draws, and the desk where directors announce and reveal them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, PathParameter
from litestar.status_codes import HTTP_422_UNPROCESSABLE_ENTITY

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected, Refused
from palmares.core.messages import msg
from palmares.journal.commands.announcements import announce, reveal
from palmares.journal.store.kinds import DrawAnnouncement, DrawReveal
from palmares.tournaments.draw.announcement import Announced, read
from palmares.tournaments.draw.draw import check, run
from palmares.tournaments.draw.explain import choosers
from palmares.tournaments.draw.refusals import DrawRefused
from palmares.tournaments.notice import Notice, recorded
from palmares.web.draws import views
from palmares.web.draws.desk import (
    FIELDS,
    DrawForm,
    RevealField,
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

    form: DrawForm
    notices: tuple[tuple[str, str], ...]  # events that have one: id and name
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
    snapshot = await request.app_state.now()
    now = datetime.fromtimestamp(request.app_state.settings.clock(), UTC)
    return await private_answer(request, _desk(snapshot, empty_form(now)))


async def draw_send(request: Request) -> Response[Any]:
    """Check an announcement and show it, or record the one that was shown."""
    sent = await request.form()
    snapshot = await request.app_state.now()
    form = DrawForm(fields={name: field(sent, name).strip() for name in FIELDS})
    try:
        if field(sent, "step") == "record":
            announced = read(field(sent, "announcement").encode())
            await request.run_long(check, announced, _now())
            body = DrawAnnouncement(
                announcement=announced.text,
                sha256=announced.sha256,
                replaces=announced.content.replaces or None,
            )
            draw_id = announced.content.draw
            await record_now(request, "draw", announce(draw_id, body))
            last = (await request.app_state.now()).projection.state.in_force("draws", draw_id)
            return redirected(to.draw(last.sequence) if last else to.draws())
        announced = form.announce(snapshot, *_before(snapshot, form))
        await request.run_long(check, announced, _now())
    except (Refused, FactsRejected) as refused:
        page = _desk(snapshot, form, problem=_why(refused))
        return await private_answer(request, page, status_code=HTTP_422_UNPROCESSABLE_ENTITY)
    return await private_answer(
        request,
        _desk(
            snapshot, form, announcement=announced.text, sha256=announced.sha256,
            entrants=len(announced.content.entries), choosers=tuple(choosers(announced)),
        ),
    )  # fmt: skip


def _before(snapshot: Snapshot, form: DrawForm) -> tuple[Notice | None, str | None]:
    """The notice whose feeds are announced, and the hash of the announcement that is replaced."""
    state = snapshot.projection.state
    notice, last = state.in_force("notices", form["notice"]), state.in_force("draws", form["draw"])
    return recorded(notice.body.notice) if notice else None, last.body.sha256 if last else None


def _desk(snapshot: Snapshot, form: DrawForm, **more: Any) -> DrawDesk:
    notices = snapshot.projection.state.all_in_force("notices")
    names = tuple((event, recorded(statement.body.notice).name) for event, statement in notices)
    return DrawDesk(form=form, notices=names, **more)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


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
        _refuse_early(announced)
        revealed = reveals(announced, typed)
        recorded_at = await request.run_long(_recorded_at, request, entry)
        await request.run_long(run, announced.text.encode(), recorded_at, revealed)
        body = DrawReveal(announcement=announced.sha256, randomness=canonical(revealed))
        await record_now(request, "randomness", reveal(announced.content.draw, body))
    except (Refused, FactsRejected) as refused:
        page = _reveal_page(announced, entry, typed, _why(refused))
        return await private_answer(request, page, status_code=HTTP_422_UNPROCESSABLE_ENTITY)
    return redirected(to.draw(entry))


def _refuse_early(announced: Announced) -> None:
    due = max(source.when for source in announced.content.randomness)
    if _now() < due:
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


def _recorded_at(request: Request, entry: int) -> str:
    with request.app_state.journal.reading() as reader:
        return f"{reader.entry(entry).recorded_at[:19]}Z"


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
