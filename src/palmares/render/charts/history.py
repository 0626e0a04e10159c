"""
Players' points and ranks over time as a picture.

    history_chart       a history  ->  the bytes of an SVG, PNG or HTML file
    refuse_undrawable   what no picture shows, refused before any work is done

A dot stands where results began to count, a triangle on the axis where they ceased to. What would
become of it if nobody played any more is dashed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count
from math import nan
from typing import TYPE_CHECKING

import polars as pl

from palmares.core.errors import Refused
from palmares.core.rounding import NANO, shown
from palmares.points.history import ONE_DAY, History, lasting
from palmares.render.charts.dot_names import AROUND, DOT, SMALL, Dot, cut, name_dots, number
from palmares.render.charts.standings import apart
from palmares.render.charts.style import COLOURS, GREY, INK, blank, drawn, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

SUFFIXES = (".svg", ".png", ".html")
LINES = (*COLOURS[:-1], INK)
"""Ink in the place of black, which an SVG leaves out, so that it were black on black at night."""
MOST_PLAYERS = len(LINES)
HEADROOM = 1.12  # above the lines, for names
MOST_TICKS, LEAST_DATES, MOST_DATES = 5, 3, 7
FROM_THE_FIRST = 10  # ranks that may be left empty so that the first is in the picture
ROOM_ABOVE, ROOM_BELOW = 15, 9  # labels on each other beside the points and beside the ranks
ROOM_AHEAD = 0.35  # of the width, in which words about the days ahead have room


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """What is drawn of one player."""

    name: str
    colour: str
    known: pl.DataFrame  # day, nanopoints, rank, before (the nanopoints known before)
    begun: pl.DataFrame  # the same for the days of results, and their tournaments
    ended: Sequence[date]


def refuse_undrawable(players: int, suffix: str) -> None:
    """Refuse another kind of file, and more players than one can tell apart.

    Raises:
        Refused: says what is drawn instead.
    """
    complaints = []
    if suffix.lower() not in SUFFIXES:
        kinds = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        complaints.append(f"A chart is {kinds}, not {suffix or 'without a suffix'}.")
    if players > MOST_PLAYERS:
        complaints.append(
            f"A chart shows up to {MOST_PLAYERS} players, not {players}. Draw them in groups, or"
            " ask for the table."
        )
    if complaints:
        raise Refused("\n".join(complaints))


def history_chart(found: History, suffix: str) -> bytes:
    """Points above, rank below (the first place on top), and what changed them.

    Raises:
        Refused: the suffix is none of `SUFFIXES`, or there are too many players.
    """
    refuse_undrawable(len(found.careers.people), suffix)
    with warnings.catch_warnings():
        # A letter that the font lacks is a box in a PNG, and itself in the others.
        warnings.filterwarnings("ignore", message="Glyph")
        figure = _figure(found)
        if suffix.lower() != ".html":
            return drawn(figure, suffix)
        svg = drawn(figure, ".svg").decode()
    from palmares.render.history_page import page

    return page(found, svg, title(found)).encode()


def title(found: History) -> str:
    """What is seen: the player, if it is one, and the regulation."""
    names = [*found.careers.people.values()]
    held = found.careers.question.held()
    return f"{cut(names[0])}: {held.title}" if len(names) == 1 else held.title


def _figure(found: History) -> Figure:
    """The whole picture."""
    figure, above = blank("", "points", title=title(found))
    lines = [*_lines(found)]
    fades = lasting(found.careers.question) is None
    with style():
        spec = figure.add_gridspec(2, 1, height_ratios=[3, 2])
        above.set_subplotspec(spec[0])
        below = figure.add_subplot(spec[1], sharex=above, ylabel="rank")
        for one in lines:
            _draw(above, one, found, *_points(one.known, fades=fades))
            _draw(below, one, found, *_ranks(one.known))
        _axes(above, below, lines)
        _end_labels(above, lines, 1, ROOM_ABOVE)
        _end_labels(below, lines, -1, ROOM_BELOW)
        told = _turn(above, below, found)
        _legend(below, lines)
        figure.draw_without_rendering()  # settles where everything is
        figure.set_layout_engine("none")
        name_dots(above, _dots(lines), told)
    return figure


def _lines(found: History) -> Iterator[_Line]:
    """The players with their colours."""
    people = found.careers.people.items()
    for (player, name), colour in zip(people, LINES, strict=False):
        known, begun, ended = (
            frame.filter(pl.col("player_id") == player).drop("player_id")
            for frame in (found.line, found.begun, found.ended)
        )
        known = known.with_columns(pl.col("nanopoints").shift(1, fill_value=0).alias("before"))
        yield _Line(
            name=name,
            colour=colour,
            known=known,
            begun=begun.join(known, on="day", how="left", maintain_order="left"),
            ended=ended["day"].to_list(),
        )


def _points(known: pl.DataFrame, *, fades: bool) -> tuple[list[date], list[float], str]:
    """The line of points, with a gap where the player is on no list, and how it goes on."""
    values = [
        nan if rank is None and before is None else points / NANO
        for points, rank, before in known.select(
            "nanopoints", "rank", pl.col("rank").shift(1).alias("before")
        ).iter_rows()
    ]
    return known["day"].to_list(), values, "default" if fades else "steps-post"


def _ranks(known: pl.DataFrame) -> tuple[list[date], list[float], str]:
    """The line of ranks; the last before a gap lasts until the gap begins."""
    days: list[date] = []
    values: list[float] = []
    before = None
    for day, rank in known.select("day", "rank").iter_rows():
        if rank is None and before is not None:
            days.append(day)
            values.append(before)
        days.append(day)
        values.append(nan if rank is None else rank)
        before = rank
    return days, values, "steps-post"


def _draw(
    axes: Axes, one: _Line, found: History, days: list[date], values: list[float], going_on: str
) -> None:
    """One line, dashed after the last day, with a dot for every result."""
    period = found.careers.period
    for linestyle, width, kept in (
        ("solid", 2.0, [day <= period.until for day in days]),
        ((0, (3.5, 1.5)), 1.7, [day >= period.until for day in days]),
    ):
        axes.plot(
            [number(day) for day, keep in zip(days, kept, strict=True) if keep],
            [value for value, keep in zip(values, kept, strict=True) if keep],
            color=one.colour,
            linestyle=linestyle,
            linewidth=width,
            drawstyle=going_on,
            marker="_" if len(one.known) == 1 else "",
            markersize=2 * DOT,
            clip_on=False,
            in_layout=False,
        )
    column = axes.get_ylabel()
    dots = one.begun.with_columns(points=pl.col("nanopoints") / NANO).drop_nulls(column)
    axes.plot(
        [number(day) for day in dots["day"]],
        dots[column].to_list(),
        "o",
        color=one.colour,
        markersize=DOT,
        markeredgecolor="white",
        clip_on=False,
        in_layout=False,
        zorder=5,
    )
    if column == "points":
        axes.plot(
            [number(day) for day in one.ended],
            [0] * len(one.ended),
            "v",
            color="white",
            markeredgecolor=one.colour,
            markersize=DOT,
            transform=axes.get_xaxis_transform(),
            clip_on=False,
            in_layout=False,
            zorder=4,
        )


def _axes(above: Axes, below: Axes, lines: Sequence[_Line]) -> None:
    """What the axes count: the days, the points from nothing, the ranks from the best."""
    from matplotlib.dates import AutoDateLocator

    every = [day for one in lines for day in one.known["day"]]
    first, last = min(every), max(every)
    wide = 0.5 if first == last else 0
    above.set_xlim(number(first) - wide, number(last) + wide)
    above.tick_params(labelbottom=False)
    below.xaxis_date()
    if (last - first).days < MOST_DATES:  # else there would be hours on the axis
        shown_days = [first + ONE_DAY * after for after in range((last - first).days + 1)]
        below.set_xticks([number(day) for day in shown_days], [str(day) for day in shown_days])
    else:
        some = AutoDateLocator(minticks=LEAST_DATES, maxticks=MOST_DATES)  # type: ignore[no-untyped-call]
        below.xaxis.set_major_locator(some)
    most = max(max(one.known["nanopoints"]) for one in lines) / NANO
    above.set_ylim(0, HEADROOM * most or 1)
    ranks = [rank for one in lines for rank in one.known["rank"].drop_nulls()] or [1]
    best, worst = min(ranks), max(ranks)
    best = 1 if best <= FROM_THE_FIRST + 2 * (worst - best) else best
    beyond = max(0.1 * (worst - best), 0.5)
    below.set_ylim(worst + beyond, best - beyond)
    below.set_yticks(rank_ticks(best, worst))


def rank_ticks(best: int, worst: int) -> list[int]:
    """Some round ranks, and the first place if it is there."""
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if (worst - best) / step < MOST_TICKS)
    ticks = [rank for rank in range(0, worst + 1, step) if rank >= best]
    if best > 1:
        return ticks
    return [1, *(rank for rank in ticks if rank - 1 > step / 2)]


def _end_labels(axes: Axes, lines: Sequence[_Line], up: int, room: int) -> None:
    """Where each line ends: its value, and whose it is if there are several.

    Args:
        axes: of the points, or of the ranks.
        lines: all that is drawn.
        up: 1, or -1 where small numbers stand above.
        room: how many labels fit on each other.
    """
    column = axes.get_ylabel()
    ends = [(one, *end) for one in lines for end in _end(one, column)]
    ends.sort(key=lambda end: -up * end[1])
    low, high = sorted(up * edge for edge in axes.get_ylim())
    gap = (high - low) / room
    heights = _raised(apart([up * end for _, end, _ in ends], gap), low, gap)
    for (one, end, words), height in zip(ends, heights, strict=True):
        axes.annotate(
            f"{words}  {cut(one.name)}" if len(lines) > 1 else words,
            (1, end),
            (1.025, up * height),
            xycoords=axes.get_yaxis_transform(),
            textcoords=axes.get_yaxis_transform(),
            va="center",
            fontsize=SMALL,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": one.colour,
                "shrinkA": 1,
                "shrinkB": 2,
                "relpos": (0, 0.5),
            },
        )


def _end(one: _Line, column: str) -> list[tuple[float, str]]:
    """The last value of a line, as a height and in words; none for who has no rank in the end."""
    nanopoints, rank = one.known.select("nanopoints", "rank").row(-1)
    if column == "points":
        return [(nanopoints / NANO, shown(nanopoints))]
    return [] if rank is None else [(rank, str(rank))]


def _raised(heights: Sequence[float], low: float, gap: float) -> list[float]:
    """The same heights, from the top down, none lower than the foot of the picture."""
    raised: list[float] = []
    for height in reversed(heights):
        raised.append(max(height, low))
        low = raised[-1] + gap
    return raised[::-1]


def _turn(above: Axes, below: Axes, found: History) -> list[Text]:
    """A line where the last day is, if the picture goes on behind it, and what that says."""
    period = found.careers.period
    if not period.ahead:
        return []
    for axes in (above, below):
        axes.axvline(number(period.until), color=GREY, linewidth=1, zorder=1)
    shown_days = found.line["day"]
    is_wide = (period.ahead - period.until) > ROOM_AHEAD * (period.ahead - min(shown_days))
    words = above.annotate(
        f"after {period.until}, if nobody plays",
        (number(period.until), 1),
        (AROUND if is_wide else -AROUND, -1),
        xycoords=above.get_xaxis_transform(),
        textcoords="offset points",
        ha="left" if is_wide else "right",
        va="top",
        fontsize=SMALL,
        color=GREY,
    )
    return [words]


def _legend(below: Axes, lines: Sequence[_Line]) -> None:
    """What dots and triangles are."""
    from matplotlib.lines import Line2D

    signs = []
    if any(len(one.begun) for one in lines):
        signs.append(("o", GREY, "white", "results begin to count"))
    if any(one.ended for one in lines):
        signs.append(("v", "white", GREY, "results count no more"))
    if not signs:
        return
    below.legend(
        handles=[
            Line2D([], [], linestyle="", marker=sign, color=face, markeredgecolor=edge, label=says)
            for sign, face, edge, says in signs
        ],
        loc="upper left",
        bbox_to_anchor=(0, -0.2),
        borderaxespad=0,
        borderpad=0,
        ncols=len(signs),
        frameon=False,
        fontsize=SMALL,
        labelcolor=GREY,
    )


def _dots(lines: Sequence[_Line]) -> list[Dot]:
    """Every day on which results begin to count; where they change most, first.

    Several players of one tournament have their dots above each other; one of them bears its name.
    """
    found = sorted(
        (-abs(points - before), day, points, names)
        for one in lines
        for day, points, before, names in one.begun.select(
            "day", "nanopoints", "before", "tournaments"
        ).iter_rows()
    )
    first = {(day, *names): (day, points / NANO) for _, day, points, names in reversed(found)}
    return [
        Dot(*place, ", ".join(names))
        for _, day, points, names in found
        for place in (first[day, *names],)
        if place == (day, points / NANO)
    ]
