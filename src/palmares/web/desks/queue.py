"""
The steps of a report that waits for an officer, whether by a form or by a program.

    queue           all that wait, the oldest first, each with what it would award
    found           one of them by its number
    looked_at       one of them, with all that it would do
    settled         one that waits no more  ->  who has approved it
    approved        its report is recorded, if it is still what was seen
    given_back      its director gets it back, with a reason
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from litestar.exceptions import NotFoundException

from palmares.errors import FactsRejected, Refused
from palmares.journal.decisions import reasoned
from palmares.journal.entries import Actor
from palmares.web import readings, submissions
from palmares.web.desks import Caller
from palmares.web.desks.decisions import confirmed, rehearsal_of
from palmares.web.desks.remedies import for_officers, problem_for_officers, told_officers
from palmares.web.desks.reports import HANDED_IN
from palmares.web.hall import Hall, Known
from palmares.web.messages import said
from palmares.web.pages.officer import Preview
from palmares.web.pages.officer_queue import QueuePage, WaitingPage, queue_page, waiting_page
from palmares.web.pages.reported_standings import reported_standings
from palmares.web.rehearsals import agreed, to_come
from palmares.web.submissions import Submission

LOOKED_AT = 10
"""So many of the queue are rehearsed for its page; the others when they are opened."""
_NONE = said("There is no such report in the queue. Its director may have taken it back.")


async def queue(by: Caller) -> QueuePage:
    """All that wait, the oldest first; the first of them with what they would award."""
    return await by.hall.signed_in.long(_queue, by.hall, by.officer)


def _queue(hall: Hall, by: Actor) -> QueuePage:
    with hall.journal.database.reading() as connection:
        waiting = submissions.waiting(connection)
    known = hall.known(at_once=True)
    looked = [(one, _glance(hall, known, by, one)) for one in waiting[:LOOKED_AT]]
    return queue_page([*looked, *((one, None) for one in waiting[LOOKED_AT:])])


def _glance(hall: Hall, known: Known, by: Actor, one: Submission) -> Preview | None:
    """What a report would do; nothing where it cannot be recorded. Kept until the journal grows."""

    def look() -> Preview | None:
        facts = readings.read(one.format, one.content, one.matches.tournament).facts
        try:
            return None if facts is None else rehearsal_of(hall, by, agreed(facts, one))
        except (FactsRejected, Refused) as error:
            if error.__cause__ is not None:
                raise
            return None

    return known.once(("what a report would do", one.id, one.version), look)


async def found(by: Caller, number: int) -> Submission:
    """A report that was handed in.

    Raises:
        NotFoundException: there is none.
    """
    one = await by.asked(lambda connection: submissions.found(connection, number))
    if one is None or one.state not in HANDED_IN:
        raise NotFoundException(_NONE)
    return one


async def looked_at(by: Caller, one: Submission, **told: Any) -> WaitingPage:
    """A report with all that it would do; read and rehearsed one at a time.

    Raises:
        NotFoundException: its director took it back meanwhile.
    """
    if one.state not in HANDED_IN:
        raise NotFoundException(_NONE)
    told["own"] = _own(by, one)
    return await by.hall.signed_in.long(_made, by.hall, by.officer, one, told)


def _own(by: Caller, one: Submission) -> bool:
    """Whether somebody decides of his own report, which others should be able to see."""
    return one.account == by.account.id


def _made(hall: Hall, by: Actor, one: Submission, told: dict[str, Any]) -> WaitingPage:
    if one.state != "submitted":
        return waiting_page(one, None, **told)
    read = readings.read(one.format, one.content, one.matches.tournament)
    if read.facts is None:
        return waiting_page(one, None, read.problems, **told)
    try:
        preview = rehearsal_of(hall, by, agreed(read.facts, one))
        ahead = to_come(read.facts, hall.today())
        notices = (*ahead, *map(problem_for_officers, preview.notices))
        preview = replace(preview, notices=notices)
    except FactsRejected as rejected:
        wrong = [problem_for_officers(one) for one in rejected.problems]
        return waiting_page(one, None, **{"problem": rejected.summary, **told}, problems=wrong)
    except Refused as error:
        if error.__cause__ is not None:
            raise
        return waiting_page(one, None, **{"problem": for_officers(str(error)), **told})
    return waiting_page(one, preview, standings=reported_standings(read.facts), **told)


async def approved(by: Caller, one: Submission, version: int, seen: str) -> int:
    """The last entry of a report that is approved: it is recorded.

    Raises:
        Stale: the report has another version.
        Otherwise: it would be recorded otherwise now.
        Refused: it does not wait, or cannot be recorded.
        FactsRejected: it would contradict what is recorded, or somebody in it looks like a known
            player and nobody said who they are.
    """
    last = await by.hall.signed_in.long(_approved, by.hall, by.officer, one, version, seen)
    by.note("report approved", submission=one.id, own=_own(by, one))
    return last


def _approved(hall: Hall, by: Actor, one: Submission, version: int, seen: str) -> int:
    if one.state != "submitted":
        raise Refused(_settled(hall, one))
    read = readings.read(one.format, one.content, one.matches.tournament)
    if read.facts is None:
        raise Refused(said("This report cannot be read. Return it, and say why."))
    action = submissions.settling(
        agreed(read.facts, one), one.id, version, hall.settings.clock()
    )  # fmt: skip
    with told_officers():
        return confirmed(hall, by, action, seen).last.sequence


async def settled(by: Caller, one: Submission) -> str:
    """What became of a report that does not wait any more, and by whom."""
    return await by.hall.signed_in.page(_settled, by.hall, one)


def _settled(hall: Hall, one: Submission) -> str:
    if one.state != "approved" or one.entry is None:
        return said(
            "This report is %(state)s and does not wait for an officer.", state=(one.state,)
        )  # fmt: skip
    with hall.journal.reading() as reader:
        author = reader.entry(one.entry).author
    return said(
        "%(author)s has approved it as entry %(entry)s; nothing more was recorded.",
        author=author,
        entry=str(one.entry),
    )


async def given_back(by: Caller, one: Submission, version: int, reason: str) -> None:
    """Its director gets a report back, with a reason.

    Raises:
        Stale: it has another version.
        Refused: it does not wait, or no reason is given.
    """
    why = reasoned(reason)
    await by.changed(
        lambda connection, now: submissions.moved(
            connection, one.id, version, now, "returned", reason=why
        )
    )
    by.note("report returned", submission=one.id)
