"""
Players over time as a page for a browser: the picture, and what it shows as tables.

    page        a history and its picture  ->  HTML, without script

The page is dark where the reader's browser is: colours of the picture become names that the style
of the page gives a colour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

import polars as pl

from palmares.points.history import History, lasting, nothing_expires, worded
from palmares.render.charts.style import COLOURS, GREY, GRID, INK
from palmares.render.tables import Column, cell

ON_DARK = ("#4DA3E0", "#FF8A3D", "#2BC79A", "#E79AC4", "#F2B632", "#8FD0F5")
"""The colours of lines on a dark page, in the order of `COLOURS`; the last line is in ink."""
PAPER = "#ffffff"
SHADES = {  # colour in the picture -> its name, and its shade on a dark page
    INK: ("ink", "#E8E8E8"),
    GREY: ("grey", "#A0A0A0"),
    GRID: ("grid", "#3A3D42"),
    PAPER: ("paper", "#17191C"),
    **{
        colour: (f"line{place}", dark)
        for place, (colour, dark) in enumerate(zip(COLOURS[:-1], ON_DARK, strict=True))
    },
}
_TAG = re.compile("<[^<>]*>")
_COLOUR = re.compile("|".join(SHADES), re.IGNORECASE)
_STYLE = """\
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
  background: var(--paper); color: var(--ink); font: 1rem/1.4 system-ui, sans-serif }
svg { width: 100%; height: auto }
table { border-collapse: collapse; margin: 2rem 0; font-variant-numeric: tabular-nums }
caption { font-weight: bold; text-align: left; padding: .3rem 0 }
th, td { border-bottom: 1px solid var(--grid); padding: .2rem .8rem .2rem 0; text-align: left;
  vertical-align: top }
th { color: var(--grey); font-weight: normal }
.number { text-align: right; white-space: nowrap }
.ahead td { color: var(--grey); font-style: italic }"""

DAY, RANK = Column("day", "", "date"), Column("rank", "", "number")
POINTS = Column("points", "", "points")


def page(found: History, svg: str, title: str) -> str:
    """The picture, and below it what expires and every step with what changed it.

    Args:
        found: the history.
        svg: its picture.
        title: of the page.
    """
    drawing = _recoloured(svg[svg.index("<svg") :]).replace(
        "<svg", f'<svg role="img" aria-label="{escape(title)}: points and ranks over time"', 1
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_shades()}\n{_STYLE}\n</style>\n</head>\n"
        f"<body>\n{drawing}\n{_told(found)}</body>\n</html>\n"
    )


def _shades() -> str:
    """The colours by name, on a light page and on a dark one."""
    light = " ".join(f"--{name}: {colour};" for colour, (name, _) in SHADES.items())
    dark = " ".join(f"--{name}: {shade};" for name, shade in SHADES.values())
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
    )


def _recoloured(svg: str) -> str:
    """The picture with names of colours in its tags; words between the tags stay as they are."""

    def named(colour: re.Match[str]) -> str:
        return f"var(--{_NAMED[colour[0].lower()]})"

    return _TAG.sub(lambda tag: _COLOUR.sub(named, tag[0]), svg)


_NAMED = {colour.lower(): name for colour, (name, _) in SHADES.items()}


def _told(found: History) -> str:
    """The tables below the picture."""
    people = found.careers.people
    period = found.careers.period
    parts = []
    if period.ahead:
        why = nothing_expires(found.careers)
        parts += [f"<p>{escape(why)}</p>\n"] if why else []
        worth = Column("points", f"points on {period.until}", "points")
        words = f"What expires after {period.until}, and the rank of that day if nobody plays"
        columns = [DAY, Column("tournament"), Column("event"), worth, RANK]
        if not found.expiries.is_empty():
            who = [Column("player")] if len(people) > 1 else []
            parts.append(_table(words, [*who, *columns], found.expiries))
    fades = lasting(found.careers.question) is None
    columns = [DAY, POINTS, RANK, Column("results", "results that began to count")]
    columns += [Column("expired", "results that ceased to")] if fades else []
    for player, name in people.items():
        theirs = worded(found.frame.filter(pl.col("player_id") == player))
        parts.append(_table(f"{name}, by {period.every}", columns, theirs))
    return "".join(parts)


def _table(caption: str, columns: Sequence[Column], frame: pl.DataFrame) -> str:
    head = "".join(f'<th scope="col"{_class(one)}>{escape(one.title)}</th>' for one in columns)
    return (
        f"<table>\n<caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n"
        + "\n".join(_rows(columns, frame))
        + "\n</tbody>\n</table>\n"
    )


def _rows(columns: Sequence[Column], frame: pl.DataFrame) -> Iterator[str]:
    for row in frame.rename({"nanopoints": "points"}).iter_rows(named=True):
        cells = "".join(
            f"<td{_class(one)}>{escape(cell(row[one.key], one, 2))}</td>" for one in columns
        )
        ahead = ' class="ahead"' if row.get("projected") else ""
        yield f"<tr{ahead}>{cells}</tr>"


def _class(column: Column) -> str:
    return "" if column.is_left else ' class="number"'
