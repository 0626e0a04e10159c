"""What a player loses as days go by, through which results, and where that leaves them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from palmares.core.rounding import Nanopoints, shared
from palmares.lists.figures.totals import (
    DayTotals,
    Result,
    counting,
    number_of,
    results,
    titles,
    worth,
)
from palmares.lists.live.update import KeptAwards
from palmares.points.history import Fading

PERIODS = (30, 90, 365)
"""Days that are looked ahead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """What the results of one event lose until a day; points are nanopoints."""

    event_id: str
    event: str
    tournament_id: str
    tournament: str
    lost: Nanopoints
    expires_on: date | None  # the first day on which nothing of it is left; none: later, or never


@dataclass(frozen=True, slots=True, kw_only=True)
class LossPeriod:
    """What a player loses until a day if nothing is added; points are nanopoints.

    ``left`` is the total now without what is lost and with what begins to count in between.
    """

    day: date
    lost: Nanopoints
    begins: Nanopoints  # of results that are known and begin to count by then
    left: Nanopoints  # 0: nothing
    rank: int | None  # none: not on the list
    losses: tuple[Loss, ...]  # the largest first


@dataclass(frozen=True, slots=True, kw_only=True)
class NextExpiry:
    """The next results that count no more; they are of one event."""

    day: date  # the first on which they do not count
    event_id: str
    event: str
    tournament_id: str
    tournament: str
    nanopoints: Nanopoints  # what they are worth now


def losses(
    given: KeptAwards, player_id: str, now: DayTotals, ahead: Sequence[DayTotals], fades: Fading
) -> tuple[LossPeriod, ...]:
    """What a player loses from a day until some later days, if nothing is added.

    Args:
        given: the awards of a regulation.
        player_id: whose.
        now: everybody's totals on the day it is.
        ahead: the same on the later days.
        fades: how results of the regulation fade.
    """
    number = number_of(given, player_id)
    found = results(given, number)
    return tuple(_until(given, number, found, now, then, fades) for then in ahead)


def _until(
    given: KeptAwards,
    number: int | None,
    found: Sequence[Result],
    now: DayTotals,
    then: DayTotals,
    fades: Fading,
) -> LossPeriod:
    lost: dict[str, Fraction] = defaultdict(Fraction)
    ends: dict[str, date | None] = {}
    for one in [] if given.question.aggregate.latest else counting(given, found, now.day, fades):
        lost[one.event_id] += worth(one, now.day, fades) - worth(one, then.day, fades)
        end = fades.ends(one.effective, one.edition)
        other = ends.get(one.event_id, end)
        ends[one.event_id] = max(end, other) if end and other else None
    known = titles(given, [event for event, some in lost.items() if some])
    rows = [
        Loss(
            event_id=event,
            **known[event]._asdict(),
            lost=shared(lost[event].numerator, lost[event].denominator),
            expires_on=end if (end := ends[event]) and end <= then.day else None,
        )
        for event in known
    ]
    whole = sum(lost.values(), Fraction())
    more = (worth(one, then.day, fades) for one in found if now.day < one.effective <= then.day)
    begins = Fraction() if then.latest else sum(more, Fraction())
    return LossPeriod(
        day=then.day,
        lost=shared(whole.numerator, whole.denominator),
        begins=shared(begins.numerator, begins.denominator),
        left=then.nanopoints(number) or 0,
        rank=then.rank(number),
        losses=tuple(sorted(rows, key=lambda one: (-one.lost, one.event_id))),
    )


def next_expiry(given: KeptAwards, player_id: str, day: date, fades: Fading) -> NextExpiry | None:
    """The next results of a player that count no more; none: nothing ends."""
    if fades.lasts:
        return None
    own = counting(given, results(given, number_of(given, player_id)), day, fades)
    ends = [(end, one) for one in own if (end := fades.ends(one.effective, one.edition))]
    if not ends:
        return None
    end, first = min(ends, key=lambda pair: (pair[0], pair[1].event_id))
    event = first.event_id
    total = sum((worth(one, day, fades) for of, one in ends if (of, one.event_id) == (end, event)),
                Fraction())  # fmt: skip
    return NextExpiry(
        day=end,
        event_id=event,
        **titles(given, [event])[event]._asdict(),
        nanopoints=shared(total.numerator, total.denominator),
    )
