"""Facts from tables of any library that speaks Arrow, through Narwhals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from palmares.errors import FactsRejected, rejected
from palmares.facts.cells import checked, typed_frames
from palmares.facts.tables import FILE, LINE, TABLES, Facts


def from_frames(frames: Mapping[str, Any]) -> Facts:
    """Checked facts from tables by name; see `Facts.from_frames`."""
    unknown = [name for name in frames if name not in TABLES]
    if unknown:
        raise rejected(
            ", ".join(unknown),
            "there is no such table",
            "facts package",
            f"The tables are {', '.join(TABLES)}.",
        )
    return checked(typed_frames({name: _polars(name, frame) for name, frame in frames.items()}))


def _polars(name: str, given: Any) -> pl.DataFrame:
    """A frame of any library as a Polars frame whose rows know their numbers."""
    frame = given if isinstance(given, pl.DataFrame) else _through_narwhals(name, given)
    if FILE in frame.columns and LINE in frame.columns:
        return frame
    return frame.drop(FILE, LINE, strict=False).with_columns(
        pl.lit(name).alias(FILE), pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).alias(LINE)
    )


def _through_narwhals(name: str, frame: Any) -> pl.DataFrame:
    import narwhals as nw

    try:
        table = nw.from_native(frame)
    except TypeError as error:
        raise _no_table(name, frame) from error
    if isinstance(table, nw.LazyFrame):
        table = table.collect("polars")
    found: pl.DataFrame = table.to_polars()
    return found


def _no_table(name: str, frame: Any) -> FactsRejected:
    return rejected(
        name,
        f"a {type(frame).__name__} is no table",
        "facts package",
        "Hand in a table of Polars, pandas, PyArrow or any other library that speaks Arrow.",
    )
