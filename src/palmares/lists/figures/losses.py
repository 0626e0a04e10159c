"""What a player loses as days go by, through which results, and where that leaves them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from palmares.core.rounding import Nanopoints, shared
from palmares.lists.figures.totals import DayTotals, PlayerResults

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
    player: PlayerResults, now: DayTotals, ahead: Sequence[DayTotals]
) -> tuple[LossPeriod, ...]:
    """What a player loses from a day until some later days, if nothing is added.

    Args:
        player: whose.
        now: everybody's totals on the day it is.
        ahead: the same on the later days.
    """
    return tuple(_until(player, now, then) for then in ahead)


def _until(player: PlayerResults, now: DayTotals, then: DayTotals) -> LossPeriod:
    lost: dict[str, Fraction] = defaultdict(Fraction)
    ends: dict[str, date | None] = {}
    counting = [] if player.latest else player.counting(now.day)
    for result in counting:
        lost[result.event_id] += player.worth(result, now.day) - player.worth(result, then.day)
        end = player.ends(result)
        other = ends.get(result.event_id, end)
        ends[result.event_id] = max(end, other) if end and other else None
    rows = [
        Loss(
            event_id=event,
            event=result.event,
            tournament_id=result.tournament_id,
            tournament=result.tournament,
            lost=shared(lost[event].numerator, lost[event].denominator),
            expires_on=end if (end := ends[event]) and end <= then.day else None,
        )
        for event, result in {result.event_id: result for result in counting}.items()
        if lost[event]
    ]
    total = sum(lost.values(), Fraction())
    more = (
        player.worth(result, then.day)
        for result in player.results
        if now.day < result.effective <= then.day
    )
    begins = Fraction() if then.latest else sum(more, Fraction())
    return LossPeriod(
        day=then.day,
        lost=shared(total.numerator, total.denominator),
        begins=shared(begins.numerator, begins.denominator),
        left=then.nanopoints(player.number) or 0,
        rank=then.rank(player.number),
        losses=tuple(sorted(rows, key=lambda row: (-row.lost, row.event_id))),
    )


def next_expiry(player: PlayerResults, day: date) -> NextExpiry | None:
    """The next results of a player that count no more; none: nothing ends."""
    if player.fades.lasts:
        return None
    ends = [(end, result) for result in player.counting(day) if (end := player.ends(result))]
    if not ends:
        return None
    end, first = min(ends, key=lambda pair: (pair[0], pair[1].event_id))
    event = first.event_id
    ending = (
        player.worth(result, day) for of, result in ends if (of, result.event_id) == (end, event)
    )
    total = sum(ending, Fraction())
    return NextExpiry(
        day=end,
        event_id=event,
        event=first.event,
        tournament_id=first.tournament_id,
        tournament=first.tournament,
        nanopoints=shared(total.numerator, total.denominator),
    )
