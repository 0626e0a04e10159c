"""
Charts: one description each, in Vega-Lite, for readers with script and without.

    history_chart   a player's points above, his rank below  ->  a description
    nation_chart    the same of a nation                       ->  a description
    points_chart    what each event gave him                  ->  a description
    styled          parts of a chart                         ->  a description in our style
    narrowed        a chart  ->  the same for a phone
    sent            a chart as a response, made once for each state of the journal

Data stand in the description; nothing is fetched. A theme is for light or for dark pages: a picture
cannot ask the page, so there are two of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import msgspec
import polars as pl
from litestar import Response
from litestar.exceptions import NotFoundException

from palmares.web.charts.words import days, locale
from palmares.web.http import drawing
from palmares.web.http.drawing import Easel
from palmares.web.http.i18n import Wording, wording
from palmares.web.http.replies import Content, finished, repeated, spoken
from palmares.web.http.state import Snapshot, Visit
from palmares.web.shared.history import HistoryPoint, nation_history, rank_history
from palmares.web.shared.results import own_awards

FORMS: Mapping[str, str] = {**drawing.FORMS, "json": "application/json"}
THEMES = ("light", "dark")
WIDTH = 640
NARROW = 290
"""The same on a phone: letters stay as large as they are on a desk."""
TICKS = 5
DOTS = 60
"""Up to so many days have a dot each."""
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
Chart = dict[str, Any]

_PAINT: Mapping[str, Mapping[str, str]] = {
    "light": {"paper": "#fbfbf9",
              "ink": "#1c2321", "quiet": "#56605c", "line": "#d9dedb", "accent": "#1a634a",
              "other": "#9c3b22"},
    "dark": {"paper": "#14181a",
             "ink": "#e6eae8", "quiet": "#a3ada9", "line": "#333c3f", "accent": "#7fcfae",
             "other": "#f0a58e"},
}  # fmt: skip
"""The colours of the stylesheet."""
_FONT = "DejaVu Sans, Noto Sans, Liberation Sans, sans-serif"


def styled(theme: str, said: Wording, *, told: str, parts: list[Chart]) -> Chart:
    """A description in our style and in a language."""
    paint = _PAINT[theme]
    return {
        "$schema": SCHEMA,
        "description": told,
        "background": paint["paper"],
        "padding": 4,
        "vconcat": parts,
        "config": {
            "font": _FONT,
            "locale": locale(said.tag),
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


def form_of(file: str, name: str) -> str:
    """The form of a chart's file: "svg" of "history.svg".

    Raises:
        NotFoundException: there is no such file of that chart.
    """
    found, _, form = file.partition(".")
    if found != name or form not in FORMS:
        raise NotFoundException
    return form


def narrowed(chart: Chart) -> Chart:
    """The same for a phone: as high, but not as wide."""
    return {**chart, "vconcat": [{**part, "width": NARROW} for part in chart["vconcat"]]}


def _time(said: Wording) -> Chart:
    """Days from left to right."""
    return {
        "field": "day",
        "type": "temporal",
        "scale": {"type": "utc"},  # the same day wherever the reader is
        "title": None,
        "axis": {"grid": False, "tickCount": 6, "labelOverlap": True, "format": days(said.tag)},
    }


def _whole(ranks: list[int]) -> list[int]:
    """Whole numbers for an axis of ranks: between two ranks there is nothing."""
    if not ranks:
        return []
    step = max(1, -(-(max(ranks) - min(ranks)) // TICKS))
    return list(range(min(ranks), max(ranks) + 1, step))


def _downwards(ranks: list[int]) -> Chart:
    """An axis of ranks: the first is at the top."""
    return {
        "scale": {"reverse": True, "zero": False, "nice": False},
        "axis": {"values": _whole(ranks), "format": ",d"},
    }


def history_chart(
    snapshot: Snapshot, player_id: str, regulation: str, day: date, theme: str, said: Wording
) -> Chart:
    """A player's points and rank at the ends of months, up to a day."""
    return _course_chart(rank_history(snapshot, regulation, player_id, day), theme, said)


def nation_chart(
    snapshot: Snapshot, code: str, regulation: str, day: date, theme: str, said: Wording
) -> Chart:
    """A nation's points and rank at the ends of months, up to a day."""
    return _course_chart(nation_history(snapshot, regulation, code, day), theme, said)


def _course_chart(steps: Sequence[HistoryPoint], theme: str, said: Wording) -> Chart:
    """Points above, rank below."""
    _ = said.text
    rows = [
        {"day": str(one.day), "on": said.day(one.day), "rank": one.rank}
        | {"points": one.nanopoints / 1e9}
        for one in steps
    ]
    ranks = [one.rank for one in steps if one.rank is not None]
    paint = _PAINT[theme]
    tips = [
        {"field": "on", "type": "nominal", "title": _("day")},
        {"field": "points", "type": "quantitative", "title": _("points"), "format": ",.2f"},
        {"field": "rank", "type": "quantitative", "title": _("rank"), "format": ",d"},
    ]

    def part(field: str, colour: str, height: int, axis: Chart) -> Chart:
        line = {"type": "line", "interpolate": "step-after", "color": colour, "strokeWidth": 2,
                "point": {"color": colour, "size": 22} if len(rows) <= DOTS else False}  # fmt: skip
        wide = max(2, WIDTH // max(1, len(rows)))
        return {
            "width": WIDTH,
            "height": height,
            "encoding": {"x": _time(said)},
            "layer": [
                {
                    "mark": line,
                    "encoding": {"y": {"field": field, "type": "quantitative", **axis}},
                },
                {  # told over the whole height of a day; what is not drawn at all tells nothing
                    "mark": {"type": "rule", "opacity": 0.004, "strokeWidth": wide, "clip": True},
                    "encoding": {"tooltip": tips},
                },
            ],
        }

    chart = styled(
        theme,
        said,
        told=_("Points above, rank below, at the end of every month."),
        parts=[
            part("points", paint["accent"], 200, {"title": _("points")}),
            part("rank", paint["other"], 130, {"title": _("rank"), **_downwards(ranks)}),
        ],
    )
    return {**chart, "data": {"values": rows}, "resolve": {"scale": {"x": "shared"}}}


def points_chart(
    snapshot: Snapshot, player_id: str, regulation: str, day: date, theme: str, said: Wording
) -> Chart:
    """What each event gave a player when it was new, up to a day."""
    _ = said.text
    awards = own_awards(snapshot, regulation, player_id).frame
    frame = awards.filter(pl.col("effective") <= day)
    rows = [
        {"day": str(at), "on": said.day(at), "event": event, "points": nanopoints / 1e9}
        for at, event, nanopoints in frame.select("effective", "event", "nanopoints").iter_rows()
    ]
    bars = {
        "width": WIDTH,
        "height": 200,
        "mark": {"type": "bar", "width": 5, "color": _PAINT[theme]["accent"]},
        "encoding": {
            "x": _time(said),
            "y": {"field": "points", "type": "quantitative", "title": _("points")},
            "tooltip": [
                {"field": "event", "type": "nominal", "title": _("event")},
                {"field": "on", "type": "nominal", "title": _("day")},
                {"field": "points", "type": "quantitative", "title": _("points"), "format": ",.2f"},
            ],
        },
    }
    told = _("Points of each event when it was new.")
    chart = styled(theme, said, told=told, parts=[bars])
    return {**chart, "data": {"values": rows}}


# ── pictures ─────────────────────────────────────────────────────────────────────────────────────


async def sent(
    request: Visit,
    snapshot: Snapshot,
    key: tuple[Any, ...],
    make: Callable[[Wording], Chart],
    form: str,
    theme: str,
    size: str = "",
) -> Response[bytes]:
    """A chart as a response: drawn once for each state of the journal.

    Args:
        request: who asks.
        snapshot: what the chart is made of.
        key: which chart it is.
        make: makes its description in a language.
        form: "svg", "png" or "json".
        theme: of `THEMES`.
        size: "narrow" for phones; anything else: for desks.
    """
    said = wording(spoken(request))
    phone = size == "narrow"

    def made() -> Content:
        chart = make(said)
        return _made(request.app_state.easel, narrowed(chart) if phone else chart, form)

    headers = {"Vary": "Accept-Language, Cookie"}
    return await repeated(request, snapshot, made, headers, heavy=True, key=(*key, theme, said.tag))


def _made(easel: Easel, chart: Chart, form: str) -> Content:
    content = msgspec.json.encode(chart) if form == "json" else easel.drawn(chart, form)
    return finished(content, FORMS[form])
