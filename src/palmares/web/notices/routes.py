"""Routes of notices: for anyone, and the desk where directors publish them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import FromQuery, PathParameter

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.journal.commands.announcements import publish_notice
from palmares.lists.stakes import check_regulations
from palmares.regulations import get_regulation
from palmares.regulations.protocol import Sum
from palmares.tournaments.notice import Stated, recorded, state
from palmares.web.http.parameters import field
from palmares.web.http.replies import answered, private_answer, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import Request, Snapshot, awarding_regulations
from palmares.web.notices import views
from palmares.web.notices.form import DIVISION, EMPTY, NoticeForm, form_from, form_of
from palmares.web.notices.views import NoticeContent, NoticePage, NoticeRow, Notices, content_of
from palmares.web.services import record_now

EventId = Annotated[
    str,
    PathParameter(description="The id of an event.", examples=[Example(value="riga-open-2027")]),
]
SPARE = 2
"""Empty rows for more divisions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeDesk:
    """The desk of notices: the form, and what it would publish."""

    form: NoticeForm
    rows: tuple[dict[str, str], ...]  # of divisions, with empty ones
    regulations: dict[str, str]  # that may be chosen: title by name
    event_types: tuple[str, ...]  # of the regulations that look one up
    notices: tuple[NoticeRow, ...]  # that are published
    seen: str = ""  # hash of the notice that is changed; empty: there is none
    reason: str = ""
    problem: str | None = None
    preview: NoticeContent | None = None


async def notices(request: Request) -> Response[Notices]:
    """Every event whose notice was published, the latest event first."""
    return await answered(request, views.notices)


async def notice(request: Request, event: EventId) -> Response[NoticePage]:
    """The notice of an event: format, divisions, fees, prizes, points at stake, and every change.

    The points at stake are what the regulations award to made-up fields of some sizes.
    """

    def make(snapshot: Snapshot) -> NoticePage:
        def read() -> NoticePage:
            with request.app_state.journal.reading() as reader:
                return views.notice_page(snapshot, reader, event)

        return snapshot.once(("notice", event), read)

    return await answered(request, make, heavy=True)


# ── the desk ─────────────────────────────────────────────────────────────────────────────────────


async def notice_desk(request: Request, event: FromQuery[str] = "") -> Response[bytes]:
    """The form of a new notice, or of a change of the one of an event."""
    snapshot = await request.app_state.now()
    last = snapshot.projection.state.in_force("notices", event) if event else None
    form = form_of(recorded(last.body.notice)) if last else EMPTY
    return await private_answer(
        request, _desk(snapshot, form, seen=last.body.sha256 if last else "")
    )


async def notice_send(request: Request) -> Response[Any]:
    """Show what a notice would say, or publish it."""
    sent = await request.form()
    snapshot = await request.app_state.now()
    form = form_from(sent, tuple(_regulations()))
    more = {"seen": field(sent, "seen"), "reason": field(sent, "reason").strip()}
    try:
        stated = _checked(form)
        if field(sent, "step") != "publish":
            preview = await request.run_long(content_of, stated.notice)
            return await private_answer(request, _desk(snapshot, form, preview=preview, **more))
        publishing = publish_notice(stated.notice.event, stated.text, stated.sha256, **more)
        await record_now(request, "notice", publishing)
    except Refused as refused:
        page = _desk(snapshot, form, problem=str(refused), **more)
        return await private_answer(request, page)
    return redirected(to.notice(stated.notice.event))


def _checked(form: NoticeForm) -> Stated:
    stated = state(form.document(), msg("The notice"))
    check_regulations(stated.notice)
    return stated


def _regulations() -> dict[str, str]:
    """The regulations that add points up, by name."""
    regulations = (get_regulation(name) for name in awarding_regulations())
    return {each.name: each.title for each in regulations if isinstance(each.aggregate, Sum)}


def _desk(snapshot: Snapshot, form: NoticeForm, **more: Any) -> NoticeDesk:
    empty = dict.fromkeys(DIVISION, "")
    levels = (
        edition.tables.get("event_levels")
        for name in _regulations()
        for edition in get_regulation(name).editions()
    )
    types = dict.fromkeys(
        name for each in levels if each for table in each.value.values() for name in table
    )
    return NoticeDesk(
        form=form,
        rows=(*map(dict, form.divisions), *[empty] * SPARE),
        regulations=_regulations(),
        event_types=tuple(types),
        notices=views.notices(snapshot).items,
        **more,
    )
