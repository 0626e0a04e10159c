"""The steps of a report that waits for an officer, whether by a form or by a program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from litestar.exceptions import NotFoundException

from palmares.core.errors import FactsRejected, Problem, Refused
from palmares.core.messages import msg, reworded
from palmares.journal.commands.decisions import reasoned
from palmares.web.http import errors
from palmares.web.http.i18n import FOR_OFFICERS
from palmares.web.services import RequestContext
from palmares.web.services.decisions import confirmed
from palmares.web.services.drafts import HANDED_IN
from palmares.web.submissions import submissions
from palmares.web.submissions.preview import agreed
from palmares.web.submissions.submissions import Submission

Told = TypeVar("Told", Problem, errors.Problem)


def for_officers(text: str) -> str:
    """A message with what an officer can do, where it says what a director does under Names."""
    return reworded(text, FOR_OFFICERS)


def problem_for_officers(problem: Told) -> Told:
    """A problem with what an officer can do."""
    return replace(problem, what=for_officers(problem.what), remedy=for_officers(problem.remedy))


@contextmanager
def told_officers() -> Iterator[None]:
    """What is refused, with what an officer can do.

    Raises:
        FactsRejected, Refused: the same, in other words.
    """
    try:
        yield
    except FactsRejected as rejected:
        raise FactsRejected(map(problem_for_officers, rejected.problems), so=rejected.so) from None
    except Refused as refused:
        raise type(refused)(for_officers(str(refused))) from None


NONE = msg("There is no such report in the queue. Its director may have taken it back.")


async def found(by: RequestContext, number: int) -> Submission:
    """A report that was handed in.

    Raises:
        NotFoundException: there is none.
    """
    one = await by.asked(lambda connection: submissions.found(connection, number))
    if one is None or one.state not in HANDED_IN:
        raise NotFoundException(NONE)
    return one


async def approved(by: RequestContext, one: Submission, version: int, seen: str) -> int:
    """The last entry of a report that is approved: it is recorded.

    Raises:
        Stale: the report has another version.
        Otherwise: it would be recorded otherwise now.
        Refused: it does not wait, or cannot be recorded.
        FactsRejected: it would contradict what is recorded, or somebody in it looks like a known
            player and nobody said who they are.
    """
    last = await by.app_state.signed_in.long(_approved, by, one, version, seen)
    by.note("report approved", submission=one.id, own=by.owns(one))
    return last


def _approved(by: RequestContext, one: Submission, version: int, seen: str) -> int:
    if one.state != "submitted":
        raise Refused(settled(by, one))
    read = submissions.parsed(one)
    if read.facts is None:
        raise Refused(msg("This report cannot be read. Return it, and say why."))
    clock = by.app_state.settings.clock()
    action = submissions.settling(agreed(read.facts, one), one.id, version, clock)
    with told_officers():
        return confirmed(by.app_state, by.officer, action, seen).last.sequence


def settled(by: RequestContext, one: Submission) -> str:
    """What became of a report that does not wait any more, and by whom."""
    if one.state != "approved" or one.entry is None:
        return msg(
            "This report is %(state)s and does not wait for an officer.", state=(one.state,)
        )  # fmt: skip
    with by.app_state.journal.reading() as reader:
        author = reader.entry(one.entry).author
    return msg(
        "%(author)s has approved it as entry %(entry)s; nothing more was recorded.",
        author=author,
        entry=str(one.entry),
    )


async def given_back(by: RequestContext, one: Submission, version: int, reason: str) -> None:
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
