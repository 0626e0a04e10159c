"""--chart: a file to draw into."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from palmares.core.errors import Refused
from palmares.core.extras import needs
from palmares.render.charts.drawing import SUFFIXES, draw
from palmares.render.charts.style import Chart
from palmares.render.tables import write_whole


class ChartFile(click.Path):
    """A file whose ending says which kind of picture it is; refused before any work is done."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The file.

        Raises:
            Refused: it has another ending, or what draws is not installed.
        """
        path = Path(str(super().convert(value, param, ctx)))
        if path.suffix.lower() not in SUFFIXES:
            kinds = " or ".join(SUFFIXES)
            raise Refused(f"A picture is {kinds}, not {path.suffix or 'without a suffix'}.")
        needs("charts", "A picture")
        return path


def write_chart(path: Path, chart: Chart) -> None:
    """Draw a chart into a file."""
    write_whole(path, draw(chart, path.suffix.lower()[1:]))
