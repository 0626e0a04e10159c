"""A player's points and rank over time as a drawing: lines, dots of results, the year to come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from palmares.core.rounding import Nanopoints
from palmares.web.http.state import Snapshot
from palmares.web.players.figures import RivalMonth, projection
from palmares.web.players.views import PlayerListPage
from palmares.web.shared.history import HistoryPoint
from palmares.web.shared.results import ResultRow, player_results

WIDTH, TOP, POINTS_HEIGHT, RANKS_HEIGHT = 1000, 8, 182, 82
"""Lines are drawn in a box of this width that is stretched; heights are in pixels."""
LETTERS = 16
"""Pixels that a number stands below its line."""
ONE_DAY = timedelta(days=1)
MOST_TICKS = 8


class Tick(NamedTuple):
    """A year on the axis of days: per cent of the width."""

    x: float
    year: int


class Dot(NamedTuple):
    """A result on the curve: per cent of the width, pixels from the top."""

    x: float
    y: float
    result: ResultRow


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerCurve:
    """Points above and rank below, up to a day and a year on."""

    points: str  # the line so far, as points of a polyline
    points_ahead: str  # empty: nothing changes
    ranks: tuple[str, ...]  # lines, broken where the player was not on the list
    ranks_ahead: str
    today: float  # per cent of the width; of an earlier list, its day
    nanopoints: Nanopoints  # there
    rank: int | None  # there; none: not on the list
    dots: tuple[Dot, ...]
    ticks: tuple[Tick, ...]
    most: Nanopoints  # at the top of the points
    worst: int  # the rank at the bottom; the first is at the top
    rank_y: float | None  # where the rank of the day is written; none: not on the list
    left: Nanopoints | None  # in a year, if nothing is added; none: nothing fades


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePage(PlayerListPage):
    """A player under one regulation, with the drawing of their points and ranks."""

    curve: PlayerCurve | None  # none: there are not two days to join


class _Scale(NamedTuple):
    first: int
    days: int

    def x(self, day: date, width: float = WIDTH) -> float:
        return round((day.toordinal() - self.first) / self.days * width, 2)


def player_curve(snapshot: Snapshot, page: PlayerListPage, today: date) -> PlayerCurve | None:
    """The drawing of a player under a regulation; none: there are not two days to join.

    Args:
        snapshot: what is known.
        page: the player under the regulation.
        today: the day it is.
    """
    history = page.history[::-1]
    until = min(page.as_of, today)
    ahead = projection(snapshot, page.regulation, page.person.player_id, until)
    ahead = ahead if page.fades else ()
    first = min((one.effective for one in page.results), default=until)
    if not history or first >= until:
        return None
    last = ahead[-1].day if ahead else until
    scale = _Scale(first.toordinal(), (last - first).days)
    on = sorted({*_days_of(page.results, first, until), *(one.day for one in history)})
    player = player_results(snapshot, page.regulation, page.person.player_id)
    values = {day: player.nanopoints(day) for day in on}
    most = max([*values.values(), *(one.nanopoints for one in ahead), 1])
    worst = max([2, *(one.rank or 1 for one in (*history, *ahead))])

    def high(nanopoints: int) -> float:
        return round(TOP + POINTS_HEIGHT * (1 - nanopoints / most), 1)

    now = HistoryPoint(day=until, nanopoints=values[until], rank=history[-1].rank)
    ranked = [one for one in (now, *ahead) if one.rank]
    return PlayerCurve(
        points=_line((scale.x(day), high(some)) for day, some in values.items()),
        points_ahead=_line((scale.x(one.day), high(one.nanopoints)) for one in (now, *ahead))
        if ahead
        else "",
        ranks=tuple(_ranks(history, scale, worst)),
        ranks_ahead=_line((scale.x(one.day), _deep(one.rank or 1, worst)) for one in ranked)
        if ahead and now.rank
        else "",
        today=scale.x(until, 100),
        nanopoints=now.nanopoints,
        rank=now.rank,
        dots=tuple(
            Dot(scale.x(one.effective, 100), high(values[one.effective]), one)
            for one in page.results
            if one.effective <= until
        ),
        ticks=_years(scale, first, last),
        most=most,
        worst=worst,
        rank_y=_deep(now.rank, worst) + LETTERS if now.rank else None,
        left=ahead[-1].nanopoints if ahead else None,
    )


def _days_of(results: Iterable[ResultRow], first: date, until: date) -> Iterable[date]:
    """The days on which results begin and the days before: there the line jumps."""
    yield until
    for one in results:
        if one.effective <= until:
            yield one.effective
            if one.effective > first:
                yield one.effective - ONE_DAY


def _line(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _deep(rank: int, worst: int) -> float:
    """How far down a rank is drawn, in pixels of its own box."""
    return round(TOP + RANKS_HEIGHT * (rank - 1) / (worst - 1), 1)


def _ranks(history: Sequence[HistoryPoint], scale: _Scale, worst: int) -> Iterable[str]:
    line: list[tuple[float, float]] = []
    for one in history:
        if one.rank:
            line.append((scale.x(one.day), _deep(one.rank, worst)))
        elif line:
            yield _line(line)
            line = []
    if line:
        yield _line(line)


def _years(scale: _Scale, first: date, last: date) -> tuple[Tick, ...]:
    years = range(first.year + 1, last.year + 1)
    step = len(years) // MOST_TICKS + 1
    return tuple(Tick(scale.x(date(year, 1, 1), 100), year) for year in years[::step])


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
    scale = _Scale(first.toordinal(), (months[-1].day - first).days)
    most = max([1, *(max(one.own, one.theirs) for one in months)])

    def line(values: Iterable[int]) -> str:
        heights = (TOP + 102 * (1 - some / most) for some in values)
        return _line(
            (scale.x(one.day), round(high, 1)) for one, high in zip(months, heights, strict=True)
        )

    return RivalCurve(
        own=line(one.own for one in months), theirs=line(one.theirs for one in months), most=most
    )
