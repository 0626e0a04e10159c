"""What components of pages are drawn from: flags of nations, curves in a row of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from palmares.web.http.i18n import two_letters

FLAGS = "vendor/flags"
"""The folder of flags among the assets: a file each, named by ISO's codes of two letters."""
SPORT_FLAGS: Mapping[str, str] = {
    "ENG": "GB-ENG",
    "SCO": "GB-SCT",
    "WAL": "GB-WLS",
    "NIR": "GB-NIR",
    "XKX": "XK",
}
"""Flags of nations that have no code in ISO 3166-1."""
_WIDTH, _TOP, _BOTTOM = 88, 2, 18


class Sparkline(NamedTuple):
    """A curve in a box of 88 by 20: its points, and the height at which it ends."""

    points: str
    last: float


def flag_file(nation: str | None) -> str:
    """The name of a nation's flag among the assets; empty for a nation that has none.

    Args:
        nation: its code, ISO 3166-1 alpha-3 or a sport code.
    """
    if not nation:
        return ""
    name = SPORT_FLAGS.get(nation) or two_letters().get(nation)
    return f"{FLAGS}/{name}.svg" if name else ""


def sparkline(values: Sequence[float]) -> Sparkline:
    """The curve of two values or more, the oldest first; higher is further up."""
    low, high = min(values), max(values)
    scale = (_BOTTOM - _TOP) / (high - low) if high > low else 0
    step = _WIDTH / (len(values) - 1)
    heights = [round(_BOTTOM - (value - low) * scale, 1) for value in values]
    points = " ".join(f"{round(i * step, 1):g},{y:g}" for i, y in enumerate(heights))
    return Sparkline(points, heights[-1])
