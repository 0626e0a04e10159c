"""The steps of a report that a director brings, whether by a form or by a program."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from litestar.exceptions import NotFoundException

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.web.http.routing import Account
from palmares.web.services import RequestContext
from palmares.web.submissions import parse, submissions
from palmares.web.submissions.parse import Reading
from palmares.web.submissions.preview import NO_PREVIEW, ReportPreview, preview_report, to_come
from palmares.web.submissions.submissions import NOTHING, OPEN, Matches, Submission

REHEARSED = frozenset({"draft", "returned", "submitted"})
HANDED_IN = frozenset({"submitted", "returned", "approved"})
"""States in which an officer sees a report; a draft is its director's own affair."""


class NotReady(Exception):
    """A report cannot be handed in yet: how it was read, and what it would do."""

    def __init__(self, read: Reading, preview: ReportPreview) -> None:
        super().__init__(msg("It cannot be handed in yet: see what is wrong below."))
        self.read = read
        self.preview = preview


async def own(by: RequestContext, number: int) -> Submission:
    """One's own report; those of others are nobody's business.

    Raises:
        NotFoundException: it is none of this account.
    """
    return await seen(by, number, others=frozenset())


async def seen(by: RequestContext, number: int, others: frozenset[str] | None = None) -> Submission:
    """One's own report; to an officer also one that somebody else handed in.

    Args:
        by: who asks.
        number: of the report.
        others: states in which reports of others are seen, if not those that the role allows.

    Raises:
        NotFoundException: there is none that this account sees.
    """
    found = await by.asked(lambda connection: submissions.found(connection, number))
    states = _others(by.account) if others is None else others
    if found is None or not (by.owns(found) or found.state in states):
        raise NotFoundException(msg("There is no such report of yours."))
    return found


async def listed(by: RequestContext, before: int, most: int) -> list[Submission]:
    """Reports that somebody sees, the latest first: so many with lower numbers than one."""
    return await by.asked(
        lambda connection: submissions.own(
            connection, by.account.id, most, before=before, others=_others(by.account)
        )
    )


def _others(account: Account) -> frozenset[str]:
    """States in which somebody sees the reports of others."""
    return HANDED_IN if account.role == "officer" else frozenset()


def previewed(by: RequestContext, one: Submission) -> tuple[Reading, ReportPreview]:
    """A report as it is read, and all that it would do; takes long."""
    read = parse.NOTHING if one.state == "withdrawn" else submissions.parsed(one)
    if read.facts is None or one.state not in REHEARSED:
        return read, NO_PREVIEW
    app_state, today = by.app_state, by.app_state.today()
    snapshot = app_state.snapshot(at_once=True)
    found = preview_report(app_state.journal, snapshot, by.account.name, read.facts, one, today)
    notices = (*to_come(read.facts, today), *found.notices)
    return read, replace(found, notices=notices)


async def drafted(
    by: RequestContext, name: str, kind: str, content: bytes, matches: Matches = NOTHING
) -> int:
    """The number of a new report, which is a draft.

    Raises:
        Refused: one has too many already, or it is too large.
    """
    parse.refuse_large(kind, content)
    number = await by.changed(
        lambda connection, now: submissions.drafted(
            connection, by.account.id, name, kind, content, now, matches
        )
    )
    by.note("report drafted", submission=number)
    return number


async def saved(by: RequestContext, number: int, version: int, **what: Any) -> None:
    """Other contents of one's own report, or who its names are: as `submissions.saved` takes it.

    Raises:
        Refused: it is no draft any more, or it is too large.
        Stale: it has another version.
    """
    if what.get("content") is not None and "kind" in what:
        parse.refuse_large(what["kind"], what["content"])
    await by.changed(
        lambda connection, now: submissions.saved(connection, number, version, now, **what)
    )


async def move(by: RequestContext, one: Submission, version: int, to: str) -> None:
    """Another state of one's own report.

    Raises:
        Refused: this state does not follow its own.
        NotReady: it cannot be handed in yet.
        Stale: it has another version.
    """
    if to not in ("submitted", "draft", "withdrawn"):
        raise Refused(msg("A report is submitted, taken back as a draft, or withdrawn."))
    if to == "submitted" and one.state in OPEN:
        read, preview = await by.long(previewed, by, one)
        if not preview.ready:
            raise NotReady(read, preview)
    await by.changed(
        lambda connection, now: submissions.moved(connection, one.id, version, now, to)
    )
    by.note(f"report {to}", submission=one.id)
