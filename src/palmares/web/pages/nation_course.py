"""
A nation's points and rank over time, where points add up to nations.

    nation_course       a nation under a regulation, up to a day  ->  CourseRow, month by month
    nation_course_page  the same  ->  NationCoursePage
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import dropwhile

from palmares import awarded_lists
from palmares.careers import days
from palmares.rankings import Selection
from palmares.regulations import regulation as held
from palmares.web.hall import Known, Shelf
from palmares.web.pages.courses import CourseRow
from palmares.web.pages.days import of_results

MONTHS = 60
"""So many months are looked back: each is a list of all nations."""
KEPT = 2 * MONTHS
"""So many days of a regulation are kept: anybody may ask for any day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NationCoursePage:
    """A nation's points and rank over time."""

    code: str
    regulation: str
    title: str
    as_of: date
    known_at: str  # the day, moment or entry up to which reports are counted; empty: all
    course: tuple[CourseRow, ...]  # the latest first; empty: it was on no list


def nation_course_page(
    known: Known, code: str, regulation: str, until: date, known_at: str
) -> NationCoursePage:
    """A nation's points and rank over time, for a page.

    Args:
        known: what is known.
        code: its code.
        regulation: of which list.
        until: the last day.
        known_at: the day, moment or entry that it is known at, as somebody asked for it.
    """
    return NationCoursePage(
        code=code,
        regulation=regulation,
        title=held(regulation).title,
        as_of=until,
        known_at=known_at,
        course=nation_course(known, regulation, code, until)[::-1],
    )


def nation_course(known: Known, regulation: str, code: str, until: date) -> tuple[CourseRow, ...]:
    """Its points and rank at the ends of months, and on a day; from when it was first on the list.

    Raises:
        Refused: the regulation makes no sums over a nation.
    """
    first = of_results(known, regulation).min()
    if not isinstance(first, date) or first > until:
        return ()
    found = []
    for day in list(days(first, until, "month"))[-MONTHS:]:
        rank, points = _month(known, regulation, day).get(code, (None, 0))
        found.append(CourseRow(day=day, nanopoints=points, rank=rank))
    return tuple(dropwhile(lambda row: row.rank is None, found))


def _month(known: Known, regulation: str, day: date) -> Mapping[str, tuple[int, int]]:
    """Every nation's rank and points on a day; kept apart from lists, which are few and large."""
    kept = known.once(("nations on days", regulation), lambda: Shelf(KEPT))
    return kept.once(day, lambda: _nations(known, regulation, day))


def _nations(known: Known, regulation: str, day: date) -> Mapping[str, tuple[int, int]]:
    found = awarded_lists.nation_list(known.awarded(regulation), Selection(as_of=day))
    rows = found.frame.select("nation", "rank", "nanopoints").iter_rows()
    return {nation: (rank, points) for nation, rank, points in rows}
