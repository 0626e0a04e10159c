"""
What the kinds of columns accept: text on one side, values on the other.

Whole numbers are 12, +12, or 12.0 as spreadsheets write it; 1.000 may be a thousand, and is
refused. Decimals have up to 15 digits before the point and 12 after it, no exponent, no infinity;
money such as 1.000 is refused, too. Dates are of the years 1900 to 2200. Words of a choice and
flags may be in capitals; an empty flag means that nothing was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from functools import partial
from typing import NamedTuple

import polars as pl

from palmares.core.messages import LocalNumber, msg
from palmares.facts import codes
from palmares.facts.schema import TYPES, Column
from palmares.facts.text import cleaned, printable

GREATEST = 10**9
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2200, 12, 31)
_FIRST_OF_ALL = (date.min - date(1970, 1, 1)).days
_LAST_OF_ALL = (date.max - date(1970, 1, 1)).days
_A_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
FLAGS = {"true": True, "yes": True, "1": True, "x": True, "false": False, "no": False, "0": False}

_INTEGER = r"^[+-]?[0-9]{1,10}(\.0{1,2}|\.0{4,})?$"
_DECIMAL = r"^[+-]?[0-9]{1,15}(\.[0-9]{1,12})?$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_THOUSANDS = r"^[+-]?[1-9][0-9]{0,2}([.,][0-9]{3})*[.,][0-9]{2}0$"
"""A number that may be in thousands: 1.000, 2.500, 1,024,000."""


Explain = Callable[[str, str], tuple[str, str]]
"""A column's name and a text that is wrong in it  ->  what is wrong, what to do."""
Conversion = tuple[pl.Series, Explain]
"""A column in its type, null where a text is wrong, and what is said of such a text."""


def as_text(cells: pl.Series, column: Column) -> pl.Series | None:
    """The cells as text, empty ones null; none if they already are what the column holds."""
    if cells.dtype == pl.String:
        text = cells.str.strip_chars()
        return text.set(text == "", None) if (text == "").any() else text
    if cells.dtype == column.type and column.kind in {"whole", "decimal", "date", "flag"}:
        return _moments(cells) if cells.dtype == pl.Date and _without_year(cells).any() else None
    if cells.dtype.is_float():
        return _floats(cells)
    if cells.dtype.is_decimal():
        return cells.cast(pl.String).str.replace(r"(\.[0-9]*?)0+$", "$1").str.strip_suffix(".")
    return words(cells)


def words(cells: pl.Series) -> pl.Series:
    """Cells of any type as text, lists and records as Python writes them."""
    if cells.dtype in (pl.Date, pl.Datetime):
        return _moments(cells)
    if cells.dtype.is_nested() or cells.dtype in (pl.Binary, pl.Object, pl.Duration):
        return pl.Series(
            cells.name, [None if cell is None else str(cell) for cell in cells], dtype=pl.String
        )
    return cells.cast(pl.String)


def _moments(cells: pl.Series) -> pl.Series:
    """Dates and moments as text; a number where no calendar reaches, as Polars would panic."""
    if cells.dtype == pl.Datetime:
        cells = cells.dt.replace_time_zone(None)
    far = _without_year(cells)
    form = "%Y-%m-%d" if cells.dtype == pl.Date else "%Y-%m-%d %H:%M:%S%.f"
    return (
        cells.set(far, None).dt.to_string(form).zip_with(~far, cells.to_physical().cast(pl.String))
    )


def _without_year(cells: pl.Series) -> pl.Series:
    """Which dates or moments lie outside the years 1 to 9999."""
    days, kind = cells.to_physical(), cells.dtype
    unit = _A_DAY[kind.time_unit] if isinstance(kind, pl.Datetime) else 1
    return (~days.is_between(_FIRST_OF_ALL * unit, _LAST_OF_ALL * unit)).fill_null(value=False)


def _floats(cells: pl.Series) -> pl.Series:
    """Floats as the shortest decimal text that means them; what is not finite stays as it is."""
    text = cells.cast(pl.String).str.strip_suffix(".0")
    odd = text.str.contains("e").fill_null(value=False)
    if odd.any():
        values = [f"{Decimal(repr(value)):f}" for value in cells.filter(odd)]
        text = text.scatter(odd.arg_true(), values)
    return text


def outside(values: pl.Series, column: Column) -> tuple[pl.Series, str]:
    """Which values lie beyond the bounds of a column, and what the bounds are in words."""
    if column.kind == "date":
        return _beyond(values, FIRST_DAY, LAST_DAY), msg("not in the years 1900 to 2200")
    if column.kind not in {"whole", "decimal"}:
        return pl.Series([False]), ""
    greatest = GREATEST if column.kind == "whole" else 10**15 - 1
    low, high = column.minimum, column.maximum
    if column.above_zero:
        return (_beyond(values, 0, greatest) | (values == 0)).fill_null(value=False), msg(
            "not above 0"
        )
    beyond = _beyond(values, -greatest if low is None else low, greatest if high is None else high)
    if high is not None:
        return beyond, msg("not from %(low)s to %(high)s", low=str(low), high=str(high))
    lowest = f"-{greatest:,}" if low is None else str(low)
    return beyond, msg(
        "not from %(low)s to %(high)s", low=LocalNumber(lowest), high=LocalNumber(f"{greatest:,}")
    )


def _beyond(values: pl.Series, low: date | int, high: date | int) -> pl.Series:
    return (~values.is_between(low, high)).fill_null(value=False)


# ── one parser a kind ────────────────────────────────────────────────────────────────────────────


def _integer(text: pl.Series) -> pl.Series:
    word = pl.first().str
    digits = pl.when(word.contains(_INTEGER)).then(
        word.strip_prefix("+").str.replace(r"\.0+$", "").cast(pl.Int64, strict=False)
    )
    return text.to_frame().select(digits).to_series()


def _decimal(text: pl.Series) -> pl.Series:
    digits = text.str.strip_prefix("+").set(~text.str.contains(_DECIMAL), None)
    return digits.cast(TYPES["decimal"], strict=False)


def _money(text: pl.Series) -> pl.Series:
    return _decimal(text.set(text.str.contains(_THOUSANDS), None))


def _date(text: pl.Series) -> pl.Series:
    day = text.str.replace(r"[T ]00:00(:00(\.0+)?)?$", "")
    return day.set(~day.str.contains(_DATE), None).str.to_date("%Y-%m-%d", strict=False)


def _flag(text: pl.Series) -> pl.Series:
    return text.str.to_lowercase().replace_strict(FLAGS, default=None, return_dtype=pl.Boolean)


def _by_value(text: pl.Series, meaning: Callable[[str], str | None]) -> pl.Series:
    """Each different text looked up once; null where it has no meaning."""
    given = text.drop_nulls().unique().to_list()
    meant = [meaning(word) for word in given]
    if meant == given:
        return text
    return text.replace_strict(given, pl.Series(meant, dtype=pl.String), default=None)


def _of_comma(text: str) -> str:
    """What to do about a comma that may be a decimal point, or between thousands."""
    if re.fullmatch(_THOUSANDS, text):
        return msg("Write %(number)s if it is in thousands.", number=re.sub("[.,]", "", text))
    if text.count(",") == 1 and text.replace(",", "").strip("+-").isdigit():
        number = printable(text.replace(",", "."))
        return msg("Write %(number)s with a point, or leave the comma out.", number=number)
    return ""


def _of_day(text: str) -> str:
    """What to do about a date that no calendar has."""
    return NO_DAY if re.fullmatch(_DATE, text) else ""


class Parser(NamedTuple):
    """How a kind of column is read, and what is said of a text that is not acceptable."""

    read: Callable[[pl.Series], pl.Series]
    what: str
    remedy: str
    hint: Callable[[str], str] | None = None  # a better remedy, for some texts


PARSERS: Mapping[str, Parser] = {
    "whole": Parser(
        _integer,
        msg("%(column)s is '%(text)s', not a whole number"),
        msg("Write digits only, such as 12."),
        _of_comma,
    ),
    "decimal": Parser(
        _decimal,
        msg("%(column)s is '%(text)s', not a number"),
        msg(
            "Write digits and a point, such as 12.50: at most 15 digits before it and 12 after it,"
            " no currency sign, no exponent."
        ),
        _of_comma,
    ),
    "date": Parser(
        _date,
        msg("%(column)s is '%(text)s', not a date"),
        msg("Write year, month and day, such as 2019-11-15."),
        _of_day,
    ),
    "flag": Parser(
        _flag,
        msg("%(column)s is '%(text)s', neither yes nor no"),
        msg("Write yes or no, or nothing."),
    ),
    "nation": Parser(
        partial(_by_value, meaning=codes.nation_in_column),
        msg("%(column)s is '%(text)s', which is not a known nation code"),
        "",
        codes.remedy,
    ),
    "currency": Parser(
        partial(_by_value, meaning=codes.currency),
        msg("%(column)s is '%(text)s', which is not a currency code of ISO 4217"),
        msg("Write its three letters, such as EUR or USD."),
    ),
}
NO_DAY = msg("Write a day that the calendar has.")
NO_SUCH_DAY = msg("%(column)s is '%(text)s', which is not a day in the calendar")


def converted(text: pl.Series, column: Column) -> Conversion:
    """Text, stripped and empty cells null, as the column's kind reads it."""
    if column.kind == "choice":
        return _choice(text, column)
    if column.kind in PARSERS:
        parser = PARSERS[column.kind]
        read = _money if column.money else parser.read
        return read(text), partial(_explained, parser[1:])
    values, wrong = cleaned(text)
    if column.kind == "country":
        values = _by_value(values, codes.country).fill_null(values)
    return values, partial(_no_text, wrong)


def _explained(
    refusal: tuple[str, str, Callable[[str], str] | None], column: str, text: str
) -> tuple[str, str]:
    what, remedy, better = refusal
    hint = better(text) if better else ""
    if hint == NO_DAY:
        what = NO_SUCH_DAY
    return msg(what, column=column, text=printable(text)), hint or remedy


def _choice(text: pl.Series, column: Column) -> Conversion:
    word = text.str.to_lowercase().str.replace_all(r"[\s_-]+", "_")
    values = word.set(~word.is_in(list(column.choices)), None)
    if column.others:
        other, wrong = cleaned(text)
        return values.fill_null(other), partial(_no_text, wrong)
    what = msg("%(column)s is '%(text)s', which is not one of its words")
    remedy = msg("Write one of these words: %(words)s.", words=", ".join(column.choices))
    return values, partial(_explained, (what, remedy, None))


def _no_text(wrong: Mapping[str, str], column: str, text: str) -> tuple[str, str]:
    why = wrong.get(text, msg("has no visible characters"))
    return (
        msg("%(column)s '%(text)s' %(why)s", column=column, text=printable(text), why=(why,)),
        msg("Type the text again without it."),
    )


def plain_number(text: str) -> str:
    """A decimal without the zeros that say nothing."""
    return text.rstrip("0").rstrip(".") if "." in text else text
