"""Ranked lists: their heads, the days they are made for, the events that are missing in them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice

import polars as pl
from litestar.exceptions import NotFoundException

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.lists.live import query
from palmares.points.awards import Waiting
from palmares.points.empty_lists import why_empty
from palmares.points.history import days
from palmares.points.rankings import Ranking, Selection
from palmares.regulations import Regulation, get_regulation, regulations
from palmares.web.http.parameters import no_day
from palmares.web.http.state import Snapshot, awarding_regulations
from palmares.web.shared.names import EventName
from palmares.web.shared.publications import published_days

FIRST, LAST = date(1900, 1, 1), date(2199, 12, 31)
MONTHS_AHEAD, A_YEAR = 12, timedelta(days=400)
"""So many ends of months are looked ahead to; so many days have at least that many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """A regulation that makes lists."""

    regulation: str
    title: str
    discipline: str
    total: str  # sum: points are added; latest: the last rating counts
    kinds: tuple[str, ...]  # of points
    settings: tuple[str, ...]  # that it keeps apart
    by_nation: bool  # whether there is a list of nations
    totals: bool  # whether there is one of separate totals


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingEvent(EventName):
    """An event that is not in a list: something is missing that its points are made of."""

    day: date  # from which it would count
    why: str  # what is missing, and what to do


def ranked_regulations() -> tuple[Regulation, ...]:
    """The regulations whose lists the site has."""
    return tuple(regulations()[name] for name in awarding_regulations())


def list_options(name: str) -> ListOptions:
    """What a regulation's lists are.

    Raises:
        Refused: it makes none.
    """
    found = get_regulation(name, awards=True)
    return ListOptions(
        regulation=name,
        title=found.title,
        discipline=found.discipline,
        total=found.aggregate.word,
        kinds=found.kinds,
        settings=found.settings,
        by_nation=not found.aggregate.latest,
        totals=bool(found.settings),
    )


def awarding(regulation: str) -> str:
    """A regulation that makes lists.

    Raises:
        NotFoundException: it makes none.
    """
    if regulation not in awarding_regulations():
        there_are = ", ".join(awarding_regulations())
        raise NotFoundException(
            msg("There is no such list. There are: %(there_are)s.", there_are=there_are)
        )
    return regulation


# ── what is missing ──────────────────────────────────────────────────────────────────────────────


def waiting_events(waiting: Sequence[Waiting]) -> tuple[WaitingEvent, ...]:
    """Waiting events as pages show them."""
    return tuple(
        WaitingEvent(
            tournament_id=one.tournament_id,
            tournament=one.tournament,
            event_id=one.event_id,
            event=one.event,
            day=one.first,
            why=one.missing,
        )
        for one in waiting
    )


def reason_empty(snapshot: Snapshot, ranking: Ranking) -> str:
    """Why a list is empty; an empty text if it is not."""
    if len(ranking.frame):
        return ""
    question = ranking.question
    found = snapshot.evidence(question.regulation)
    return why_empty(question, ranking.selection, found, ranking.waiting).what


def regulations_waiting(snapshot: Snapshot, day: date) -> tuple[str, ...]:
    """The regulations in whose lists of a day events are missing, by name."""
    selection = Selection(as_of=day)
    every = ranked_regulations()
    return tuple(
        regulation.name
        for regulation in every
        if snapshot.ranking(regulation.name, selection).waiting
    )


# ── days ─────────────────────────────────────────────────────────────────────────────────────────


def listable(day: date) -> bool:
    """Whether a list can be asked for a day."""
    return FIRST <= day <= LAST


def listable_day(day: date | None, today: date) -> date:
    """The day that is asked for; today, if none is.

    Raises:
        Refused: there is no list for it.
    """
    if day is None or listable(day):
        return day or today
    raise Refused(
        msg(
            "There is no list for %(day)s: only from %(first)s to %(last)s.",
            day=day.isoformat(),
            first=FIRST.isoformat(),
            last=LAST.isoformat(),
        )
    )


def parse_day(text: str) -> date:
    """The day that a form sends.

    Raises:
        Refused: it is none, or none of a list.
    """
    with suppress(ValueError):
        found = date.fromisoformat(text)
        if listable(found):
            return found
    raise Refused(no_day(text) or msg("%(on)s is no day such as 2019-12-31.", on=brief(text)))


def current_day(snapshot: Snapshot, name: str, today: date) -> date:
    """The day of the list that is shown first.

    It is today; where all results have faded by then, the end of the month of the last one.
    """

    def make() -> date:
        whole = Selection(as_of=today)
        if len(snapshot.ranking(name, whole).frame):
            return today
        return nearest_day(snapshot, name, today, today) or today

    return snapshot.once(("current day", name, today), make)


def nearest_day(snapshot: Snapshot, name: str, day: date, today: date) -> date | None:
    """The end of the month of the last result until a day, else of the first; none: there is none.

    A list of that day, today at the latest, has somebody on it where one of the day has nobody.
    """
    counted_from = result_days(snapshot, name)
    nearest = counted_from.filter(counted_from <= day).max() or counted_from.min()
    if not isinstance(nearest, date) or nearest > today:
        return None
    return min(_month_end(nearest), today)


def result_days(snapshot: Snapshot, name: str) -> pl.Series:
    """The days from which results count, of a regulation whose awards can be kept."""
    return snapshot.once(("days of results", name), lambda: query.effective(snapshot.awarded(name)))


def day_before(snapshot: Snapshot, name: str, day: date, today: date) -> date:
    """The list day before a day, from which movement is measured; today for days ahead."""
    if day > today:
        return today
    month = day.replace(day=1) - timedelta(days=1)
    return max([month, *(other for other in published_days(snapshot, name) if other < day)])


def day_after(snapshot: Snapshot, name: str, day: date, today: date) -> date | None:
    """The next list day, or today where that comes first; none: it lies more than a year ahead."""
    if day >= today:
        return next((other for other in days_ahead(today) if other > day), None)
    month = _month_end(day + timedelta(days=1))
    return min([month, today, *(other for other in published_days(snapshot, name) if other > day)])


def days_ahead(today: date) -> tuple[date, ...]:
    """The ends of the months of the year to come."""
    return tuple(islice(days(today + timedelta(days=1), today + A_YEAR, "month"), MONTHS_AHEAD))


def _month_end(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1) - timedelta(days=1)
