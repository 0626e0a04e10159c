"""Points and rank over time as lines that a template draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from palmares.core.rounding import Nanopoints
from palmares.web.shared.history import HistoryPoint
from palmares.web.shared.results import ResultRow

WIDTH, TOP, POINTS_HEIGHT, RANKS_HEIGHT = 1000, 8, 182, 82
"""Lines are drawn in a box of this width that is stretched; heights are in pixels."""
LETTERS = 16
"""Pixels that a number stands below its line."""
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
class Curve:
    """Points above and rank below, up to a day and sometimes a year on."""

    points: str  # the line so far, as points of a polyline
    points_ahead: str  # empty: nothing changes
    ranks: tuple[str, ...]  # lines, broken where there was no rank
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


class TimeScale(NamedTuple):
    """The axis of days."""

    first: int
    days: int

    def x(self, day: date, width: float = WIDTH) -> float:
        """How far right a day is drawn."""
        return round((day.toordinal() - self.first) / self.days * width, 2)


def draw_curve(
    history: Sequence[HistoryPoint],
    values: Mapping[date, int],
    until: date,
    ahead: Sequence[HistoryPoint] = (),
    results: Iterable[ResultRow] = (),
) -> Curve | None:
    """The lines of points and ranks; none: there are not two days to join.

    Args:
        history: ranks so far, the earliest first.
        values: points on days in order, `until` the last of them.
        until: the day up to which it is history.
        ahead: the days to come, as if nothing were added.
        results: drawn as dots.
    """
    first = min(values, default=until)
    if not history or first >= until:
        return None
    last = ahead[-1].day if ahead else until
    scale = TimeScale(first.toordinal(), (last - first).days)
    most = max([*values.values(), *(point.nanopoints for point in ahead), 1])
    worst = max([2, *(point.rank or 1 for point in (*history, *ahead))])

    def high(nanopoints: int) -> float:
        return round(TOP + POINTS_HEIGHT * (1 - nanopoints / most), 1)

    now = HistoryPoint(day=until, nanopoints=values[until], rank=history[-1].rank)
    coming = (now, *ahead) if ahead else ()
    ranked = [point for point in coming if point.rank] if now.rank else []
    return Curve(
        points=polyline((scale.x(day), high(points)) for day, points in values.items()),
        points_ahead=polyline((scale.x(point.day), high(point.nanopoints)) for point in coming),
        ranks=tuple(_rank_lines(history, scale, worst)),
        ranks_ahead=polyline(
            (scale.x(point.day), _deep(point.rank or 1, worst)) for point in ranked
        ),
        today=scale.x(until, 100),
        nanopoints=now.nanopoints,
        rank=now.rank,
        dots=tuple(
            Dot(scale.x(result.effective, 100), high(values[result.effective]), result)
            for result in results
            if result.effective <= until
        ),
        ticks=_years(scale, first, last),
        most=most,
        worst=worst,
        rank_y=_deep(now.rank, worst) + LETTERS if now.rank else None,
        left=ahead[-1].nanopoints if ahead else None,
    )


def polyline(points: Iterable[tuple[float, float]]) -> str:
    """Points as SVG has them."""
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _deep(rank: int, worst: int) -> float:
    """How far down a rank is drawn, in pixels of its own box."""
    return round(TOP + RANKS_HEIGHT * (rank - 1) / (worst - 1), 1)


def _rank_lines(history: Sequence[HistoryPoint], scale: TimeScale, worst: int) -> Iterable[str]:
    line: list[tuple[float, float]] = []
    for point in history:
        if point.rank:
            line.append((scale.x(point.day), _deep(point.rank, worst)))
        elif line:
            yield polyline(line)
            line = []
    if line:
        yield polyline(line)


def _years(scale: TimeScale, first: date, last: date) -> tuple[Tick, ...]:
    years = range(first.year + 1, last.year + 1)
    step = len(years) // MOST_TICKS + 1
    return tuple(Tick(scale.x(date(year, 1, 1), 100), year) for year in years[::step])
