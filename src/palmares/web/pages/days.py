"""
The days of lists: the ends of months, and those for which a list was published.

    before      the list that movement is measured from
    after       the next one, today at the latest
    making      the regulations that make lists
    with_waiting    those in whose lists events are missing, by name
    current     the day of the list that is shown first
    nearest     a day of which nobody is on the list  ->  one of which somebody is
    of_results  the days from which results count
    published   the day of each published list  ->  its entry
    listable    whether a list can be asked for a day
    chosen      the day that a form sends
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import date, timedelta

import polars as pl

from palmares import awarded_lists
from palmares.awarded import can_keep
from palmares.awards import Question
from palmares.errors import Refused, brief
from palmares.rankings import TOTAL, Selection
from palmares.regulations import Regulation, regulations
from palmares.web.complaints import no_day
from palmares.web.hall import Known
from palmares.web.messages import said

FIRST, LAST = date(1900, 1, 1), date(2199, 12, 31)


def listable(day: date) -> bool:
    """Whether a list can be asked for a day."""
    return FIRST <= day <= LAST


def chosen(on: str) -> date:
    """The day that a form sends.

    Raises:
        Refused: it is none, or none of a list.
    """
    with suppress(ValueError):
        found = date.fromisoformat(on)
        if listable(found):
            return found
    raise Refused(no_day(on) or said("%(on)s is no day such as 2019-12-31.", on=brief(on)))


def published(known: Known, regulation: str, by: str = "player") -> Mapping[date, int]:
    """The last entry that published the whole list of a day."""
    return known.once(("published days", regulation, by), lambda: _published(known, regulation, by))


def _published(known: Known, regulation: str, by: str) -> dict[date, int]:
    found = {}
    for _, one in known.projection.state.all_standing("publications"):
        asked = one.body["selection"]
        narrowed = any(asked[name] for name in ("since", "until", "setting", "nation"))
        whole = not narrowed and asked["kind"] == TOTAL and asked["by"] == by
        chosen = one.body["edition"] or one.body["readings"]["chosen"]
        if one.body["regulation"] == regulation and whole and not chosen:
            found[date.fromisoformat(asked["as_of"])] = one.sequence
    return found


def making() -> tuple[Regulation, ...]:
    """The regulations that make lists."""
    return tuple(one for one in regulations().values() if one.kinds)


def with_waiting(known: Known, day: date) -> tuple[str, ...]:
    """The regulations in whose lists of a day events are missing, because they wait."""
    selection = Selection(as_of=day)
    return tuple(one.name for one in making() if known.ranking(one.name, selection).waiting)


def current(known: Known, regulation: str, today: date) -> date:
    """Today; where all results have faded by then, the end of the month of the last one."""
    return known.once(
        ("current day", regulation, today), lambda: _current(known, regulation, today)
    )


def _current(known: Known, regulation: str, today: date) -> date:
    question = Question(regulation=regulation)
    if not can_keep(question) or len(known.ranking(regulation, Selection(as_of=today)).frame):
        return today
    return nearest(known, regulation, today, today) or today


def nearest(known: Known, regulation: str, day: date, today: date) -> date | None:
    """The end of the month of the last result until a day, else of the first; none: there is none.

    A list of that day, today at the latest, has somebody on it where one of the day has nobody.
    """
    if not can_keep(Question(regulation=regulation)):
        return None
    days = of_results(known, regulation)
    found = days.filter(days <= day).max() or days.min()
    if not isinstance(found, date) or found > today:
        return None
    month = (found.replace(day=1) + timedelta(days=32)).replace(day=1) - timedelta(days=1)
    return min(month, today)


def of_results(known: Known, regulation: str) -> pl.Series:
    """The days from which results count, of a regulation whose awards can be kept."""
    return known.once(
        ("days of results", regulation),
        lambda: awarded_lists.effective(known.awarded(regulation)),
    )


def before(known: Known, regulation: str, day: date) -> date:
    """The last list day before a day."""
    month = day.replace(day=1) - timedelta(days=1)
    return max([month, *(one for one in published(known, regulation) if one < day)])


def after(known: Known, regulation: str, day: date, today: date) -> date | None:
    """The next list day; today where that lies ahead; none from today on."""
    if day >= today:
        return None
    first = (day + timedelta(days=1)).replace(day=1)
    month = (first + timedelta(days=32)).replace(day=1) - timedelta(days=1)
    return min([month, today, *(one for one in published(known, regulation) if one > day)])
