"""The style of all charts: descriptions in Vega-Lite, light or dark, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from typing import Any, Protocol

THEMES = ("light", "dark")
WIDTH = 640
DAY = 24 * 60 * 60 * 1000  # milliseconds
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
PAINT: Mapping[str, Mapping[str, str]] = {
    "light": {"paper": "#fbfbf9",
              "ink": "#1c2321", "quiet": "#56605c", "line": "#d9dedb", "accent": "#1a634a",
              "other": "#9c3b22"},
    "dark": {"paper": "#14181a",
             "ink": "#e6eae8", "quiet": "#a3ada9", "line": "#333c3f", "accent": "#7fcfae",
             "other": "#f0a58e"},
}  # fmt: skip
"""The colours of the site's stylesheet."""
LINES: Mapping[str, tuple[str, ...]] = {
    "light": ("#0072B2", "#C24E00", "#007A5A", "#A8487F", "#8F6400", "#6A3FD0", "#1c2321"),
    "dark": ("#56B4E9", "#FF9D5C", "#3FC9A0", "#E3A0C6", "#E8C15A", "#B9B4F7", "#e6eae8"),
}
"""Like Okabe and Ito's colours, dark or light enough to stand out from the paper."""
_FONT = "DejaVu Sans, Noto Sans, Liberation Sans, sans-serif"
_DAY_AND_MONTH: Mapping[str, str] = {"de": "%-d. %b"}
"""Where a day has a sign of its own."""
_SUNDAY_FIRST = (6, 0, 1, 2, 3, 4, 5)

Chart = dict[str, Any]


class Language(Protocol):
    """A reader's language."""

    @property
    def tag(self) -> str:
        """Its tag, such as "en"."""

    def text(self, message: str, /) -> str:
        """A message in it."""

    def figures(self, text: str, /) -> str:
        """A number, written with a decimal point, in it."""

    def day(self, value: date, /) -> str:
        """A day in it."""


class English:
    """English, with days as ISO 8601 writes them."""

    tag = "en"
    text = figures = day = staticmethod(str)


ENGLISH = English()


def styled(
    parts: list[Chart],
    rows: Iterable[Chart],
    theme: str,
    language: Language,
    *,
    description: str,
    title: str = "",
    subtitle: str = "",
) -> Chart:
    """A description of parts below each other, which show the same rows.

    Args:
        parts: units or layers in Vega-Lite; the first stands on top.
        rows: the data; nothing is fetched.
        theme: of `THEMES`; a picture cannot ask the page it is in.
        language: of numbers and days.
        description: what the chart shows, for readers who do not see it.
        title: one line above.
        subtitle: a smaller line below the title.
    """
    paint = PAINT[theme]
    heading = {"text": title, "subtitle": subtitle, "anchor": "start", "offset": 12}
    return {
        "$schema": SCHEMA,
        "description": description,
        **({"title": heading} if title else {}),
        "background": paint["paper"],
        "padding": 4,
        "vconcat": parts,
        "data": {"values": list(rows)},
        "config": {
            "font": _FONT,
            "locale": locale(language.tag),
            "view": {"stroke": None},
            "title": {"color": paint["ink"], "subtitleColor": paint["quiet"]},
            "axis": {
                "labelColor": paint["quiet"],
                "titleColor": paint["quiet"],
                "gridColor": paint["line"],
                "domainColor": paint["line"],
                "tickColor": paint["line"],
                "labelFontSize": 12,
                "titleFontSize": 12,
                "titleFontWeight": "normal",
            },
            "legend": {"labelColor": paint["ink"], "labelFontSize": 12, "labelLimit": 400},
        },
    }


def time_axis(language: Language) -> Chart:
    """Days from left to right."""
    day = _DAY_AND_MONTH.get(language.tag, "%-d %b")
    steps = {"year": "%Y", "quarter": "%b %Y", "month": "%b %Y", "week": day, "date": day,
             "day": day}  # fmt: skip
    return {
        "field": "day",
        "type": "temporal",
        "scale": {"type": "utc"},  # the same day wherever the reader is
        "title": None,
        "axis": {
            "grid": False,
            "tickCount": 6,
            "tickMinStep": DAY,
            "labelOverlap": True,
            "format": steps,
        },
    }


@cache
def locale(tag: str) -> Mapping[str, Any]:
    """The signs of numbers and the names of days and months, as d3 takes them."""
    from babel import Locale

    babel_locale = Locale.parse(tag)
    signs = babel_locale.number_symbols["latn"]
    names, months = babel_locale.days["format"], babel_locale.months["format"]
    return {
        "number": {
            "decimal": str(signs["decimal"]),
            "thousands": str(signs["group"]),
            "grouping": [3],
            "currency": ["", ""],
        },
        "time": {
            "dateTime": "%-d %B %Y, %H:%M",
            "date": "%-d %B %Y",
            "time": "%H:%M",
            "periods": ["AM", "PM"],
            "days": [names["wide"][day] for day in _SUNDAY_FIRST],
            "shortDays": [names["abbreviated"][day] for day in _SUNDAY_FIRST],
            "months": [months["wide"][month] for month in range(1, 13)],
            "shortMonths": [months["abbreviated"][month] for month in range(1, 13)],
        },
    }
