"""
What a program is told where a step at a desk cannot be done.

    problems    around a step: what somebody else did meanwhile is 409, what is wrong is 422
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from palmares.errors import FactsRejected, Problem, brief
from palmares.web.desks.decisions import OTHERWISE, REPEATED, Otherwise
from palmares.web.desks.reports import NotReady
from palmares.web.errors import Conflict
from palmares.web.pages.submission import SubmissionPage
from palmares.web.readings import Spot
from palmares.web.rehearsals import Somebody
from palmares.web.submissions import Stale


@contextmanager
def problems() -> Iterator[None]:
    """What goes wrong at a desk, as problems of the API.

    Raises:
        Conflict: somebody changed it meanwhile; nothing was done.
        FactsRejected: a report is not ready to be handed in.
    """
    try:
        yield
    except Stale as stale:
        raise Conflict(
            "The report was changed meanwhile; nothing was done."
            f" It is {stale.now.state} now, at version {stale.now.version}."
        ) from None
    except Otherwise:
        raise Conflict(OTHERWISE) from None
    except NotReady as not_yet:
        told = _wrong(not_yet.page)
        raise FactsRejected(told, so="it cannot be handed in yet") from None


def _wrong(page: SubmissionPage) -> list[Problem]:
    """Why a report cannot be handed in."""
    found = [_problem(one) for one in page.problems] + list(page.against)
    found += [_undecided(one) for one in page.people if one.undecided]
    if page.refused:
        found.append(_of_report(page.refused))
    return found or [_of_report(REPEATED)]


def _problem(spot: Spot) -> Problem:
    """What is wrong at a place of the contents: "line 3, column 5"."""
    places = [spot.field, f"line {spot.line}" if spot.line and not spot.cell else ""]
    places.append(f"column {spot.column}" if spot.column and not spot.cell else spot.cell)
    where = ", ".join(one for one in places if one) or "report"
    return Problem(where=where, what=spot.what, clause=spot.clause, remedy=spot.remedy)


def _undecided(one: Somebody) -> Problem:
    """A new name that looks like a known player."""
    ids = ", ".join(each.player_id for each in one.candidates)
    return Problem(
        where=brief(one.written),
        what=f"this new name looks like {ids}, and nobody said who it is",
        clause="names",
        remedy="Send its `key` with the id of a player, or `new`.",
    )


def _of_report(what: str) -> Problem:
    return Problem(where="report", what=what, clause="report", remedy="")
