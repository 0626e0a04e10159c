"""Tables of other libraries, which speak Arrow, as checked facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from palmares.core.errors import FactsRejected, Location, Problem, rejected
from palmares.core.extras import needs
from palmares.facts.cells import check_facts, parse_frames
from palmares.facts.schema import FILE, LINE, TABLES, Facts
from palmares.facts.text import printable


def from_frames(frames: Mapping[str, Any]) -> Facts:
    """Checked facts from tables of any Arrow-speaking library, by the names of `TABLES`.

    Raises:
        FactsRejected: with every problem; a place is written ``placings:14``, rows from 1.
    """
    unknown = [name for name in frames if name not in TABLES]
    if unknown:
        raise rejected(
            ", ".join(map(str, unknown)),
            "there is no such table",
            "facts package",
            f"The tables are {', '.join(TABLES)}.",
        )
    return check_facts(parse_frames({name: _polars(name, frame) for name, frame in frames.items()}))


_OF_LIBRARIES = (
    TypeError, ValueError, ArithmeticError, NotImplementedError,
    pl.exceptions.PolarsError, pl.exceptions.PanicException,
)  # fmt: skip
"""What libraries raise where a table has a type that the next one does not know."""


def _polars(name: str, given: Any) -> pl.DataFrame:
    """A frame of any library as a Polars frame whose rows know their numbers.

    Raises:
        FactsRejected: Polars cannot hold it; with every column that it cannot.
    """
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
    except ValueError as error:  # of two columns with one name
        raise FactsRejected([_unreadable(name, "", error)]) from error
    if isinstance(table, nw.LazyFrame):  # what its query raises is for whoever wrote it
        table = table.collect("polars")
    try:
        frame: pl.DataFrame = table.to_polars()
    except ImportError:
        needs("pandas", "A table of pandas")
        raise
    except _OF_LIBRARIES as error:
        problems = list(_unreadable_columns(name, table)) or [_unreadable(name, "", error)]
        raise FactsRejected(problems) from error
    return frame


def _unreadable_columns(name: str, table: Any) -> Iterator[Problem]:
    """A problem for each column of a table that Polars cannot hold."""
    for column in table.columns:
        try:
            table.get_column(column).to_polars()
        except _OF_LIBRARIES as error:
            yield _unreadable(name, column, error)


def _unreadable(name: str, column: str, error: BaseException) -> Problem:
    words = " ".join(str(error).split()) or type(error).__name__
    what = f"the column {printable(column)}" if column else "the table"
    return Problem(
        at=Location(name, table=name, key=column),
        what=f"{what} cannot be read: {printable(words)}",
        clause="facts package",
        remedy="Give each column its own name, and values of one type: texts, numbers or days.",
    )
