"""
A player's points and rank over time as a picture.

    history_chart   a history  ->  the bytes of an SVG, PNG or HTML file
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import polars as pl

from palmares.charts import COLOURS, GREY, blank, drawn
from palmares.histories import History
from palmares.rounding import NANO

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES = (".svg", ".png", ".html")
NAMED = 12  # results that are named in the picture; with more, names would hide each other
LONGEST = 28  # of a name, in letters
HEADROOM = 1.1  # above the line, for the names


def history_chart(found: History, suffix: str) -> bytes:
    """Points above, rank below (the first place on top), a dot where a result began to count.

    Raises:
        Refused: the suffix is none of `SUFFIXES`.
    """
    title = f"{found.player}: {found.question.held().title}"
    figure, above = blank("", "points", title=title)
    spec = figure.add_gridspec(2, 1, height_ratios=[3, 2])
    above.set_subplotspec(spec[0])
    below = figure.add_subplot(spec[1], sharex=above)
    line = (
        pl.concat([found.frame, found.results.select("day", "nanopoints", "rank")])
        .unique("day", keep="last")
        .sort("day")
    )
    fades = hasattr(found.question.held().load(), "fade")
    _line(above, line, found.results, "nanopoints", "default" if fades else "steps-post")
    _line(below, line, found.results, "rank", "steps-post")
    above.set_ylim(0, HEADROOM * above.get_ylim()[1])
    above.tick_params(labelbottom=False)
    below.set_ylabel("rank")
    below.locator_params(axis="y", integer=True, nbins=5)
    below.invert_yaxis()
    for side in ("top", "right"):
        below.spines[side].set_visible(False)
    below.spines[["left", "bottom"]].set_color(GREY)
    below.grid(visible=True, color="#E4E4E4")
    below.margins(y=0.2)
    _names(above, line, found.results)
    if suffix.lower() != ".html":
        return drawn(figure, suffix)
    return _page(title, drawn(figure, ".svg").decode()).encode()


def _line(
    axes: Axes, line: pl.DataFrame, results: pl.DataFrame, column: str, drawstyle: str
) -> None:
    """One line with a dot for every result; a gap where the player is not on the list."""
    unit = NANO if column == "nanopoints" else 1
    values = [float("nan") if value is None else value / unit for value in line[column]]
    axes.plot(line["day"].to_list(), values, color=COLOURS[0], linewidth=2, drawstyle=drawstyle)
    dots = results.drop_nulls(column)
    heights = [value / unit for value in dots[column]]
    axes.plot(dots["day"].to_list(), heights, "o", color=COLOURS[1], markersize=6)


def _names(axes: Axes, line: pl.DataFrame, results: pl.DataFrame) -> None:
    """The tournaments beside their dots, if there is room for them."""
    if len(results) > NAMED:
        return
    first, last = line["day"][0], line["day"][-1]
    middle = first + (last - first) / 2
    for day, points, names in results.select("day", "nanopoints", "tournaments").iter_rows():
        text = ", ".join(names)
        late = day > middle
        axes.annotate(
            text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…",
            (day, points / NANO),
            (-7 if late else 7, 5),
            textcoords="offset points",
            ha="right" if late else "left",
            fontsize=9,
        )


def _page(title: str, picture: str) -> str:
    """A page that shows the picture and nothing else, without script."""
    svg = picture[picture.index("<svg") :]
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(title)}</title>\n"
        f"<style>body {{ margin: 2rem auto; max-width: 60rem }} svg {{ width: 100%; height: auto }}"
        f"</style>\n</head>\n<body>\n{svg}\n</body>\n</html>\n"
    )
