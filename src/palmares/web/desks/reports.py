"""
The steps of a report that a director brings, whether by a form or by a program.

    own         the number of a report  ->  the report, for whom it is
    seen        the same, for officers too where it was handed in
    listed      reports that somebody sees, the latest first
    looked_at   a report  ->  all that it would do
    move        another state: handed in, taken back, withdrawn
    reading     what asks the database  ->  its answer
    writing     what changes the database, in one transaction  ->  its answer
    NotReady    a report that cannot be handed in yet, and why
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import sqlalchemy as sa
from anyio import to_thread
from litestar.exceptions import NotFoundException

from palmares.errors import Refused
from palmares.web import readings, submissions
from palmares.web.accounts import Account
from palmares.web.hall import Hall
from palmares.web.messages import said
from palmares.web.pages.submission import NOT_REHEARSED, SubmissionPage, submission_page
from palmares.web.rehearsals import rehearsal
from palmares.web.submissions import OPEN, Submission

T = TypeVar("T")
REHEARSED = frozenset({"draft", "returned", "submitted"})
HANDED_IN = frozenset({"submitted", "returned", "approved"})
"""States in which an officer sees a report; a draft is its director's own affair."""


class NotReady(Exception):
    """A report cannot be handed in yet; its page says why."""

    def __init__(self, page: SubmissionPage) -> None:
        super().__init__(said("It cannot be handed in yet: see what is wrong below."))
        self.page = page


async def own(hall: Hall, account: Account, number: int) -> Submission:
    """One's own report; those of others are nobody's business.

    Raises:
        NotFoundException: it is none of this account.
    """
    found = await reading(hall, lambda connection: submissions.found(connection, number))
    if found is None or found.account != account.id:
        raise NotFoundException(said("There is no such report of yours."))
    return found


async def seen(hall: Hall, account: Account, number: int) -> Submission:
    """One's own report; to an officer also one that somebody else handed in.

    Raises:
        NotFoundException: there is none that this account sees.
    """
    found = await reading(hall, lambda connection: submissions.found(connection, number))
    if found is None or (found.account != account.id and found.state not in _others(account)):
        raise NotFoundException(said("There is no such report of yours."))
    return found


async def listed(hall: Hall, account: Account, before: int, most: int) -> list[Submission]:
    """Reports that somebody sees, the latest first: so many with lower numbers than one."""
    return await reading(
        hall,
        lambda connection: submissions.own(
            connection, account.id, most, before=before, others=_others(account)
        ),
    )


def _others(account: Account) -> frozenset[str]:
    """States in which somebody sees the reports of others."""
    return HANDED_IN if account.role == "officer" else frozenset()


async def looked_at(hall: Hall, name: str, one: Submission) -> SubmissionPage:
    """A report with all that it would do; read and rehearsed one at a time."""
    async with hall.heavy:
        return await to_thread.run_sync(_made, hall, name, one)


def _made(hall: Hall, name: str, one: Submission) -> SubmissionPage:
    found = readings.read(one.format, one.content)
    done = NOT_REHEARSED
    if found.facts is not None and one.state in REHEARSED:
        known = hall.known(at_once=True)
        done = rehearsal(hall.journal, known, name, found.facts, one, hall.today())
    return submission_page(one, found, done)


async def move(hall: Hall, account: Account, one: Submission, version: int, to: str) -> None:
    """Another state of one's own report.

    Raises:
        Refused: this state does not follow its own.
        NotReady: it cannot be handed in yet.
        Stale: it has another version.
    """
    if to not in ("submitted", "draft", "withdrawn"):
        raise Refused(said("A report is submitted, taken back as a draft, or withdrawn."))
    if to == "submitted" and one.state in OPEN:
        page = await looked_at(hall, account.name, one)
        if not page.ready:
            raise NotReady(page)
    await writing(
        hall, lambda connection, now: submissions.moved(connection, one.id, version, now, to)
    )


async def reading(hall: Hall, ask: Callable[[sa.Connection], T]) -> T:
    """What the database answers, asked in a thread."""

    def work() -> T:
        with hall.journal.database.reading() as connection:
            return ask(connection)

    return await to_thread.run_sync(work)


async def writing(hall: Hall, do: Callable[[sa.Connection, int], T]) -> T:
    """A change of the database and the second it is, in a thread and one transaction."""

    def work() -> T:
        with hall.journal.database.writing() as connection:
            return do(connection, hall.settings.clock())

    return await to_thread.run_sync(work)
