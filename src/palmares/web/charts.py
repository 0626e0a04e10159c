"""
Charts: one description each, in Vega-Lite, for readers with script and without.

    history_chart   a player's points above, his rank below  ->  a description
    points_chart    what each of his tournaments gave        ->  a description
    styled          parts of a chart                         ->  a description in our style
    drawn           a description and "svg" or "png"         ->  the bytes of a picture
    sent            a chart as a response, made once for each state of the journal

Data stand in the description; nothing is fetched. A theme is for light or for dark pages: a picture
cannot ask the page, so there are two of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from hashlib import sha256
from threading import Lock
from typing import Any

import msgspec
from anyio import to_thread
from litestar import Response
from litestar.status_codes import HTTP_304_NOT_MODIFIED

from palmares.web.hall import Known
from palmares.web.pages.courses import course, own_awards
from palmares.web.replies import Visit

FORMS: Mapping[str, str] = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "json": "application/json",
}
THEMES = ("light", "dark")
WIDTH = 640
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
Chart = dict[str, Any]

_PAINT: Mapping[str, Mapping[str, str]] = {
    "light": {"ink": "#1c2321", "quiet": "#56605c", "line": "#d9dedb", "accent": "#1a634a",
              "other": "#9c3b22"},
    "dark": {"ink": "#e6eae8", "quiet": "#a3ada9", "line": "#333c3f", "accent": "#7fcfae",
             "other": "#f0a58e"},
}  # fmt: skip
"""The colours of the stylesheet."""
_FONT = "DejaVu Sans, Noto Sans, Liberation Sans, sans-serif"
_SCALE = 2.0
_one_at_a_time = Lock()


def styled(theme: str, *, told: str, parts: list[Chart]) -> Chart:
    """A description in our style."""
    paint = _PAINT[theme]
    return {
        "$schema": SCHEMA,
        "description": told,
        "background": "transparent",
        "padding": 4,
        "vconcat": parts,
        "config": {
            "font": _FONT,
            "view": {"stroke": None},
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
        },
    }


def _time(*, title: bool = False) -> Chart:
    """Days from left to right."""
    return {
        "field": "day",
        "type": "temporal",
        "title": "day" if title else None,
        "axis": {"grid": False, "tickCount": 8, "labelOverlap": True},
    }


def history_chart(known: Known, player_id: str, regulation: str, day: date, theme: str) -> Chart:
    """A player's points and rank at the ends of months, up to a day."""
    frame = course(known, regulation, player_id, day)
    rows = [
        {"day": str(at), "points": nanopoints / 1e9, "rank": rank}
        for at, nanopoints, rank in frame.select("day", "nanopoints", "rank").iter_rows()
    ]
    paint = _PAINT[theme]
    tips = [
        {"field": "day", "type": "temporal", "title": "day"},
        {"field": "points", "type": "quantitative", "format": ",.2f"},
        {"field": "rank", "type": "quantitative"},
    ]

    def part(field: str, colour: str, height: int, axis: Chart, *, first: bool) -> Chart:
        return {
            "width": WIDTH,
            "height": height,
            "mark": {
                "type": "line",
                "interpolate": "step-after" if first else "linear",
                "point": {"color": colour, "size": 22},
                "color": colour,
                "strokeWidth": 2,
            },
            "encoding": {
                "x": _time(),
                "y": {"field": field, "type": "quantitative", **axis},
                "tooltip": tips,
            },
        }

    chart = styled(
        theme,
        told="Points above, rank below, at the end of every month.",
        parts=[
            part("points", paint["accent"], 200, {"title": "points"}, first=True),
            part(
                "rank",
                paint["other"],
                130,
                {
                    "title": "rank",
                    "scale": {"reverse": True, "zero": False, "nice": False},
                    "axis": {"tickMinStep": 1, "format": ",d"},
                },
                first=False,
            ),
        ],
    )
    return {**chart, "data": {"values": rows}, "resolve": {"scale": {"x": "shared"}}}


def points_chart(known: Known, player_id: str, regulation: str, theme: str) -> Chart:
    """What each tournament gave a player, when it was new."""
    frame = own_awards(known, regulation, player_id).frame
    rows = [
        {"day": str(at), "event": event, "points": nanopoints / 1e9}
        for at, event, nanopoints in frame.select("effective", "event", "nanopoints").iter_rows()
    ]
    bars = {
        "width": WIDTH,
        "height": 200,
        "mark": {"type": "bar", "width": 5, "color": _PAINT[theme]["accent"]},
        "encoding": {
            "x": _time(),
            "y": {"field": "points", "type": "quantitative", "title": "points"},
            "tooltip": [
                {"field": "event", "type": "nominal"},
                {"field": "day", "type": "temporal"},
                {"field": "points", "type": "quantitative", "format": ",.2f"},
            ],
        },
    }
    chart = styled(theme, told="Points by tournament.", parts=[bars])
    return {**chart, "data": {"values": rows}}


# ── pictures ─────────────────────────────────────────────────────────────────────────────────────


def drawn(chart: Chart, form: str) -> bytes:
    """The bytes of a picture, or of the description itself."""
    if form == "json":
        return msgspec.json.encode(chart)
    import vl_convert

    with _one_at_a_time:  # it has one engine
        if form == "svg":
            found: str = vl_convert.vegalite_to_svg(chart, allowed_base_urls=[])
            return found.encode()
        picture: bytes = vl_convert.vegalite_to_png(chart, scale=_SCALE, allowed_base_urls=[])
        return picture


async def sent(
    request: Visit,
    known: Known,
    key: tuple[Any, ...],
    make: Callable[[], Chart],
    form: str,
    theme: str,
) -> Response[bytes]:
    """A chart as a response: drawn once for each state of the journal.

    Args:
        request: who asks.
        known: what the chart is made of.
        key: which chart it is.
        make: makes its description.
        form: "svg", "png" or "json".
        theme: of `THEMES`.
    """
    content = await to_thread.run_sync(
        lambda: known.once(("chart", *key, form, theme), lambda: drawn(make(), form))
    )
    etag = f'"{sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == etag:
        return Response(b"", status_code=HTTP_304_NOT_MODIFIED, headers=headers)
    return Response(content, media_type=FORMS[form], headers=headers)
