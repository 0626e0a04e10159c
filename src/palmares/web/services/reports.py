"""
The steps of a report that a director brings, whether by a form or by a program.

    own         the number of a report  ->  the report, for whom it is
    seen        the same, for officers too where it was handed in
    listed      reports that somebody sees, the latest first
    looked_at   a report  ->  all that it would do
    drafted     a new one  ->  its number
    saved       other contents, or who its names are
    move        another state: handed in, taken back, withdrawn
    NotReady    a report that cannot be handed in yet, and why
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from litestar.exceptions import NotFoundException

from palmares.errors import Refused
from palmares.web import readings, submissions
from palmares.web.accounts import Account
from palmares.web.desks import Caller
from palmares.web.hall import Hall
from palmares.web.messages import said
from palmares.web.pages.submission import NOT_REHEARSED, SubmissionPage, submission_page
from palmares.web.rehearsals import rehearsal, to_come
from palmares.web.submissions import NOTHING, OPEN, Matches, Submission

REHEARSED = frozenset({"draft", "returned", "submitted"})
HANDED_IN = frozenset({"submitted", "returned", "approved"})
"""States in which an officer sees a report; a draft is its director's own affair."""


class NotReady(Exception):
    """A report cannot be handed in yet; its page says why."""

    def __init__(self, page: SubmissionPage) -> None:
        super().__init__(said("It cannot be handed in yet: see what is wrong below."))
        self.page = page


async def own(by: Caller, number: int) -> Submission:
    """One's own report; those of others are nobody's business.

    Raises:
        NotFoundException: it is none of this account.
    """
    found = await by.asked(lambda connection: submissions.found(connection, number))
    if found is None or found.account != by.account.id:
        raise NotFoundException(said("There is no such report of yours."))
    return found


async def seen(by: Caller, number: int) -> Submission:
    """One's own report; to an officer also one that somebody else handed in.

    Raises:
        NotFoundException: there is none that this account sees.
    """
    found = await by.asked(lambda connection: submissions.found(connection, number))
    mine = found is not None and found.account == by.account.id
    if found is None or not (mine or found.state in _others(by.account)):
        raise NotFoundException(said("There is no such report of yours."))
    return found


async def listed(by: Caller, before: int, most: int) -> list[Submission]:
    """Reports that somebody sees, the latest first: so many with lower numbers than one."""
    return await by.asked(
        lambda connection: submissions.own(
            connection, by.account.id, most, before=before, others=_others(by.account)
        )
    )


def _others(account: Account) -> frozenset[str]:
    """States in which somebody sees the reports of others."""
    return HANDED_IN if account.role == "officer" else frozenset()


async def looked_at(by: Caller, one: Submission) -> SubmissionPage:
    """A report with all that it would do; read and rehearsed one at a time."""
    return await by.hall.signed_in.long(_made, by.hall, by.account.name, one)


def _made(hall: Hall, name: str, one: Submission) -> SubmissionPage:
    withdrawn = one.state == "withdrawn"
    found = (
        readings.NOTHING
        if withdrawn
        else readings.read(one.format, one.content, one.matches.tournament)
    )
    done = NOT_REHEARSED
    if found.facts is not None and one.state in REHEARSED:
        known = hall.known(at_once=True)
        done = rehearsal(hall.journal, known, name, found.facts, one, hall.today())
        ahead = to_come(found.facts, hall.today())
        done = replace(done, notices=(*ahead, *done.notices))
    return submission_page(one, found, done)


async def drafted(
    by: Caller, name: str, kind: str, content: bytes, matches: Matches = NOTHING
) -> int:
    """The number of a new report, which is a draft.

    Raises:
        Refused: one has too many already, or it is too large.
    """
    readings.refuse_large(kind, content)
    number = await by.changed(
        lambda connection, now: submissions.drafted(
            connection, by.account.id, name, kind, content, now, matches
        )
    )
    by.note("report drafted", submission=number)
    return number


async def saved(by: Caller, number: int, version: int, **what: Any) -> None:
    """Other contents of one's own report, or who its names are: as `submissions.saved` takes it.

    Raises:
        Refused: it is no draft any more, or it is too large.
        Stale: it has another version.
    """
    if what.get("content") is not None and "kind" in what:
        readings.refuse_large(what["kind"], what["content"])
    await by.changed(
        lambda connection, now: submissions.saved(connection, number, version, now, **what)
    )


async def move(by: Caller, one: Submission, version: int, to: str) -> None:
    """Another state of one's own report.

    Raises:
        Refused: this state does not follow its own.
        NotReady: it cannot be handed in yet.
        Stale: it has another version.
    """
    if to not in ("submitted", "draft", "withdrawn"):
        raise Refused(said("A report is submitted, taken back as a draft, or withdrawn."))
    if to == "submitted" and one.state in OPEN:
        page = await looked_at(by, one)
        if not page.ready:
            raise NotReady(page)
    await by.changed(
        lambda connection, now: submissions.moved(connection, one.id, version, now, to)
    )
    by.note(f"report {to}", submission=one.id)
