"""What addresses about reports have in common: their number, their version, what goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter
from msgspec import Meta

from palmares.core.errors import FactsRejected, Location, Problem, brief
from palmares.web.http.errors import Conflict
from palmares.web.services.decisions import OTHERWISE, REPEATED, Otherwise
from palmares.web.services.drafts import NotReady
from palmares.web.submissions.parse import MOST as MOST_PROBLEMS
from palmares.web.submissions.parse import Spot
from palmares.web.submissions.preview import Somebody
from palmares.web.submissions.submissions import Stale

LATEST = 2**62
"""Behind the number of any report or entry."""


Number = Annotated[
    int, PathParameter(description="The number of a report.", ge=1, examples=[Example(value=1)])
]


Before = Annotated[
    int | None,
    QueryParameter(
        description="Only what has a lower number: as it stands in the address `next` of the page"
        " before.",
        ge=1,
    ),
]


SeenVersion = Annotated[int, Meta(ge=1, description="The version that was seen.")]


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
        told = _wrong(not_yet)
        raise FactsRejected(told, so="it cannot be handed in yet") from None


def _wrong(not_yet: NotReady) -> list[Problem]:
    """Why a report cannot be handed in."""
    preview = not_yet.preview
    found = [_problem(one) for one in not_yet.read.problems] + list(
        preview.problems[:MOST_PROBLEMS]
    )
    found += [_undecided(one) for one in preview.people if one.undecided]
    if preview.refused:
        found.append(_of_report(preview.refused))
    return found or [_of_report(REPEATED)]


def _problem(spot: Spot) -> Problem:
    """What is wrong at a place of the contents: "line 3, column 5"."""
    places = [spot.field, f"line {spot.line}" if spot.line and not spot.cell else ""]
    places.append(f"column {spot.column}" if spot.column and not spot.cell else spot.cell)
    where = ", ".join(one for one in places if one) or "report"
    return Problem(at=Location(where), what=spot.what, clause=spot.clause, remedy=spot.remedy)


def _undecided(one: Somebody) -> Problem:
    """A new name that looks like a known player."""
    ids = ", ".join(each.player_id for each in one.candidates)
    return Problem(
        at=Location(brief(one.written)),
        what=f"this new name looks like {ids}, and nobody said who it is",
        clause="names",
        remedy="Send its `key` with the id of a player, or `new`.",
    )


def _of_report(what: str) -> Problem:
    return Problem(at=Location("report"), what=what, clause="report", remedy="")
