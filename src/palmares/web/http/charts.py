"""Charts as responses: pictures, and the descriptions they are drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from litestar import Response
from litestar.exceptions import NotFoundException

from palmares.render.charts.style import Chart
from palmares.web.http import drawing
from palmares.web.http.i18n import Wording, wording
from palmares.web.http.replies import Content, finished, repeated, spoken
from palmares.web.http.state import Snapshot, Visit

FORMS: Mapping[str, str] = {**drawing.FORMS, "json": "application/json"}
NARROW = 290
"""Pixels on a phone: letters stay as large as they are on a desk."""


def form_of(file: str, name: str) -> str:
    """The form of a chart's file: "svg" of "history.svg".

    Raises:
        NotFoundException: there is no such file of that chart.
    """
    stem, _, form = file.partition(".")
    if stem != name or form not in FORMS:
        raise NotFoundException
    return form


async def chart_response(
    request: Visit,
    snapshot: Snapshot,
    key: tuple[Any, ...],
    describe: Callable[[Wording], Chart],
    form: str,
    theme: str,
    size: str = "",
) -> Response[bytes]:
    """A chart as a response: drawn once for each state of the journal.

    Args:
        request: who asks.
        snapshot: what the chart is made of.
        key: which chart it is.
        describe: makes its description in a language.
        form: of `FORMS`.
        theme: of `THEMES`.
        size: "narrow" for phones; anything else: for desks.
    """
    said = wording(spoken(request))

    def make() -> Content:
        chart = describe(said)
        if size == "narrow":
            chart = {**chart, "vconcat": [{**part, "width": NARROW} for part in chart["vconcat"]]}
        content = (
            msgspec.json.encode(chart)
            if form == "json"
            else request.app_state.charts.draw(chart, form)
        )
        return finished(content, FORMS[form])

    headers = {"Vary": "Accept-Language, Cookie"}
    return await repeated(request, snapshot, make, headers, heavy=True, key=(*key, theme, said.tag))
