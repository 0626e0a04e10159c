"""Charts: descriptions in Vega-Lite in one style, drawn as SVG or PNG; nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

SUFFIXES = (".svg", ".png")
PIXELS = 2.0
"""Pixels of a PNG for each of the description."""
WIDTH = 640
DAY = 24 * 60 * 60 * 1000  # milliseconds
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
PAINT: Mapping[str, str] = {
    "paper": "#fbfbf9",
    "ink": "#1c2321",
    "quiet": "#56605c",
    "line": "#d9dedb",
    "accent": "#1a634a",
    "other": "#9c3b22",
}
"""The colours of the site's stylesheet."""
LINES = ("#0072B2", "#C24E00", "#007A5A", "#A8487F", "#8F6400", "#6A3FD0", "#1c2321")
"""Like Okabe and Ito's colours, dark enough to stand out from the paper."""
_FONT = "DejaVu Sans, Noto Sans, Liberation Sans, sans-serif"

Chart = dict[str, Any]


def compose_chart(
    parts: list[Chart],
    rows: Iterable[Chart],
    *,
    description: str,
    title: str,
    subtitle: str = "",
) -> Chart:
    """A description of parts below each other, which show the same rows.

    Args:
        parts: units or layers in Vega-Lite; the first stands on top.
        rows: the data; nothing is fetched.
        description: what the chart shows, for readers who do not see it.
        title: one line above.
        subtitle: a smaller line below the title.
    """
    return {
        "$schema": SCHEMA,
        "description": description,
        "title": {"text": title, "subtitle": subtitle, "anchor": "start", "offset": 12},
        "background": PAINT["paper"],
        "padding": 4,
        "vconcat": parts,
        "data": {"values": list(rows)},
        "config": {
            "font": _FONT,
            "view": {"stroke": None},
            "title": {"color": PAINT["ink"], "subtitleColor": PAINT["quiet"]},
            "axis": {
                "labelColor": PAINT["quiet"],
                "titleColor": PAINT["quiet"],
                "gridColor": PAINT["line"],
                "domainColor": PAINT["line"],
                "tickColor": PAINT["line"],
                "labelFontSize": 12,
                "titleFontSize": 12,
                "titleFontWeight": "normal",
            },
            "legend": {"labelColor": PAINT["ink"], "labelFontSize": 12, "labelLimit": 400},
        },
    }


TIME_AXIS: Chart = {
    "field": "day",
    "type": "temporal",
    "scale": {"type": "utc"},  # the same day wherever the reader is
    "title": None,
    "axis": {
        "grid": False,
        "tickCount": 6,
        "tickMinStep": DAY,
        "labelOverlap": True,
        "format": {"year": "%Y", "quarter": "%b %Y", "month": "%b %Y", "week": "%-d %b",
                   "date": "%-d %b", "day": "%-d %b"},
    },
}  # fmt: skip
"""Days from left to right."""


def draw(chart: Chart, form: str) -> bytes:
    """Draw a description as "svg" or "png"; nothing is fetched for it."""
    import vl_convert  # it takes 80 MB until the process ends

    if form == "svg":
        return vl_convert.vegalite_to_svg(chart, allowed_base_urls=[]).encode()
    return vl_convert.vegalite_to_png(chart, scale=PIXELS, allowed_base_urls=[])
