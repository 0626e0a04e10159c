"""
Names beside the dots of a picture, as many as there is room for.

    name_dots       dots in the order of their weight  ->  names that hide neither dots nor names
    cut             a name no longer than a picture has room for
    number          a day as the axis of a picture counts it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from palmares.render.charts.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

LONGEST = 28  # of a name, in letters
SMALL = 9  # letters, in points
DOT = 6  # across, in points
AROUND = 6  # points from the middle of a dot to its name
BESIDE = tuple((across, up) for up in (1, -1) for across in (1, -1, 0))
"""Where a name may stand beside its dot, the best first: above it, to the right or left, ..."""
MOST_TRIED = 100  # dots that are given a name if there is room; no picture has room for so many
STEP = 3.0  # pixels between the points of a line that are looked at


@dataclass(frozen=True, slots=True)
class Dot:
    """A dot and its name."""

    day: date
    up: float
    name: str


def cut(name: str) -> str:
    """A name no longer than a picture has room for."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def number(day: date) -> float:
    """A day as the axis of a picture counts it."""
    return _zero() + day.toordinal()


@cache
def _zero() -> float:
    """Where that axis begins, from the first day of the year 1 on."""
    from matplotlib.dates import date2num

    return float(date2num(date.min)) - date.min.toordinal()  # type: ignore[no-untyped-call]


def name_dots(axes: Axes, dots: Sequence[Dot], told: Sequence[Text]) -> None:
    """Write names beside dots where they hide neither dots nor other words, nor lines if they can.

    Args:
        axes: of a picture whose layout is settled.
        dots: the most important first; where there is no room, the later ones go without a name.
        told: words that are there already.
    """
    pixels = axes.figure.dpi / 72
    inside = axes.get_window_extent()
    places = [axes.transData.transform((number(dot.day), dot.up)) for dot in dots]
    taken = [text.get_window_extent().extents for text in told]
    taken += [(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in places]
    lines = _points_of_lines(axes)
    for dot, (x, y) in zip(dots[:MOST_TRIED], places, strict=False):
        text = axes.annotate(
            cut(dot.name),
            (number(dot.day), dot.up),
            (0, 0),
            textcoords="offset points",
            fontsize=SMALL,
            color=INK,
            parse_math=False,  # a name with two dollar signs is no formula
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.5},
        )
        size = text.get_window_extent()
        free = []
        for rank, (across, up) in enumerate(BESIDE):
            aside, over = across * AROUND, up * AROUND * (1 if across else 1.4)
            box = _box(
                x + aside * pixels - (1 - across) / 2 * size.width,
                y + over * pixels - (up < 0) * size.height,
                size.width,
                size.height,
            )
            if _holds(inside, box) and not _meets(box, taken):
                free.append((_covered(box, lines), rank, aside, over, box))
        if not free:
            text.remove()
            continue
        _, rank, aside, over, box = min(free, key=lambda place: place[:2])
        across, up = BESIDE[rank]
        text.set(position=(aside, over), ha={1: "left", -1: "right", 0: "center"}[across],
                 va="bottom" if up > 0 else "top")  # fmt: skip
        taken.append(box.extents)


def _box(left: float, bottom: float, width: float, height: float) -> Bbox:
    from matplotlib.transforms import Bbox

    return Bbox.from_bounds(left, bottom, width, height)


def _holds(outer: Bbox, inner: Bbox) -> bool:
    """Whether a box lies wholly inside another."""
    return bool(np.all(outer.min <= inner.min) and np.all(inner.max <= outer.max))


def _meets(box: Bbox, taken: Sequence[Any]) -> bool:
    """Whether a box overlaps any of others, each given as left, bottom, right and top."""
    left, bottom, right, top = np.array(taken).reshape(-1, 4).T
    overlaps = (left < box.x1) & (box.x0 < right) & (bottom < box.y1) & (box.y0 < top)
    return bool(overlaps.any())


def _covered(box: Bbox, points: Any) -> int:
    """How many points of lines a box would lie on."""
    x, y = points
    return int(np.count_nonzero((box.x0 < x) & (x < box.x1) & (box.y0 < y) & (y < box.y1)))


def _points_of_lines(axes: Axes) -> Any:
    """Points of every line drawn, a few pixels apart, in pixels."""
    found = [np.empty((2, 0))]
    for line in axes.get_lines():
        if line.get_linestyle() == "None":
            continue
        x, y = line.get_transform().transform(line.get_xydata()).T
        if line.get_drawstyle() == "steps-post":
            x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
        seen = ~np.isnan(y)
        far = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x[seen]), np.diff(y[seen])))])
        at = np.arange(0.0, far[-1] if len(far) else 0.0, STEP)
        if seen.any():
            found.append(np.stack([np.interp(at, far, x[seen]), np.interp(at, far, y[seen])]))
    return np.concatenate(found, axis=1)
