"""Facts from tables of any library that speaks Arrow, through Narwhals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from palmares.core.errors import rejected
from palmares.core.extras import needs
from palmares.facts.cells import check_facts, parse_frames
from palmares.facts.schema import FILE, LINE, TABLES, Facts


def from_frames(frames: Mapping[str, Any]) -> Facts:
    """Checked facts from tables of any Arrow-speaking library, by the names of `TABLES`.

    Raises:
        FactsRejected: with every problem; a place is written ``placings:14``, rows from 1.
    """
    unknown = [name for name in frames if name not in TABLES]
    if unknown:
        raise rejected(
            ", ".join(unknown),
            "there is no such table",
            "facts package",
            f"The tables are {', '.join(TABLES)}.",
        )
    return check_facts(parse_frames({name: _polars(name, frame) for name, frame in frames.items()}))


def _polars(name: str, given: Any) -> pl.DataFrame:
    """A frame of any library as a Polars frame whose rows know their numbers."""
    frame = given if isinstance(given, pl.DataFrame) else _through_narwhals(name, given)
    if frame.schema.get(FILE) == pl.String and frame.schema.get(LINE) == pl.UInt32:
        return frame  # of our own facts
    return frame.drop(FILE, LINE, strict=False).with_columns(
        pl.lit(name).alias(FILE), pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).alias(LINE)
    )


def _through_narwhals(name: str, given: Any) -> pl.DataFrame:
    import narwhals as nw

    try:
        table = nw.from_native(given)
    except TypeError as error:
        if not hasattr(given, "__arrow_c_stream__"):
            raise rejected(
                name,
                f"{type(given).__name__} is no table",
                "facts package",
                "Hand in a table of Polars, pandas, PyArrow or another library that speaks Arrow.",
            ) from error
        table = nw.from_arrow(given, backend="polars")
    if isinstance(table, nw.LazyFrame):
        table = table.collect("polars")
    try:
        frame: pl.DataFrame = table.to_polars()
    except ImportError:
        needs("pandas", "A table of pandas")
        raise
    return frame
