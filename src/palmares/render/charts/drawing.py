"""Charts as pictures: a description in Vega-Lite to SVG or PNG, the same bytes at every run."""

from __future__ import annotations

from typing import Any

SUFFIXES = (".svg", ".png")
SCALE = 2.0
"""Pixels of a PNG for each of the description."""


def draw(chart: dict[str, Any], form: str) -> bytes:
    """Draw a description as "svg" or "png"; nothing is fetched for it."""
    import vl_convert  # a browser's engine: 80 MB for the rest of a process's life

    if form == "svg":
        return vl_convert.vegalite_to_svg(chart, allowed_base_urls=[]).encode()
    return vl_convert.vegalite_to_png(chart, scale=SCALE, allowed_base_urls=[])
