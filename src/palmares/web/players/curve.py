"""A player's points and rank over time as a drawing: lines, dots of results, the year to come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from palmares.core.rounding import Nanopoints
from palmares.web.http.state import Snapshot
from palmares.web.players.figures import RivalMonth, projection
from palmares.web.players.views import PlayerListPage
from palmares.web.shared.history import TOP, Curve, TimeScale, draw_curve, polyline
from palmares.web.shared.results import ResultRow, player_results

RIVAL_HEIGHT = 102
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePage(PlayerListPage):
    """A player under one regulation, with the drawing of their points and ranks."""

    curve: Curve | None  # none: there are not two days to join


def player_curve(snapshot: Snapshot, page: PlayerListPage, today: date) -> Curve | None:
    """The drawing of a player under a regulation; none: there are not two days to join.

    Args:
        snapshot: what is known.
        page: the player under the regulation.
        today: the day it is.
    """
    until = min(page.as_of, today)
    ahead = projection(snapshot, page.regulation, page.person.player_id, until)
    first = min((result.effective for result in page.results), default=until)
    days = {*_days_of(page.results, first, until), *(point.day for point in page.history)}
    player = player_results(snapshot, page.regulation, page.person.player_id)
    values = {day: player.nanopoints(day) for day in sorted(days)}
    return draw_curve(page.history[::-1], values, until, ahead if page.fades else (), page.results)


def _days_of(results: Iterable[ResultRow], first: date, until: date) -> Iterable[date]:
    """The days on which results begin and the days before: there the line jumps."""
    yield until
    for result in results:
        if result.effective <= until:
            yield result.effective
            if result.effective > first:
                yield result.effective - ONE_DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalCurve:
    """The points of two players, as lines in one box."""

    own: str
    theirs: str
    most: Nanopoints


def rival_curve(months: Sequence[RivalMonth]) -> RivalCurve | None:
    """Two lines; none: there are not two days to join."""
    if len(months) < 2:  # noqa: PLR2004
        return None
    first = months[0].day
    scale = TimeScale(first.toordinal(), (months[-1].day - first).days)
    most = max([1, *(max(month.own, month.theirs) for month in months)])

    def line(values: Iterable[int]) -> str:
        heights = (TOP + RIVAL_HEIGHT * (1 - points / most) for points in values)
        return polyline(
            (scale.x(month.day), round(high, 1))
            for month, high in zip(months, heights, strict=True)
        )

    return RivalCurve(
        own=line(month.own for month in months),
        theirs=line(month.theirs for month in months),
        most=most,
    )
