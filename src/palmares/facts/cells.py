"""
Text into values: every cell of every table, with what is wrong by cell.

    typed       what a reader hands over  ->  Draft: facts, and what is wrong with them
    checked     one or more drafts  ->  facts without a problem, or FactsRejected

    whole       12, +12, 12.0 (as spreadsheets write it); at most 1,000,000,000 either way
    decimal     12.50: up to 15 digits before the point and 12 after it; no exponent, no infinity
    date        2019-11-15, years 1900 to 2200
    flag        true yes 1 x, false no 0; empty means not said
    choice      one of the words of the column, in upper or lower case
    text, id    up to 200 characters in one spelling, nothing invisible (see `texts`)
    nation, country, currency   see `nations`
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from typing import NamedTuple

import polars as pl

from palmares.errors import FactsRejected, Problem
from palmares.facts import nations, texts
from palmares.facts.raw import Raw, RawTable
from palmares.facts.tables import FILE, LINE, TABLES, TYPES, Column, Facts, concat
from palmares.facts.texts import shown

GREATEST = 10**9
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2200, 12, 31)
FLAGS = {"true": True, "yes": True, "1": True, "x": True, "false": False, "no": False, "0": False}
MOST = 1000  # problems told of one column for one reason; the rest is counted

_WHOLE = r"^[+-]?[0-9]{1,10}(\.0+)?$"
_DECIMAL = r"^[+-]?[0-9]{1,15}(\.[0-9]{1,12})?$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Facts as they were read, with everything wrong with their cells."""

    facts: Facts
    problems: tuple[Problem, ...] = ()
    incomplete: frozenset[str] = frozenset()  # tables of which rows could not be read


class Conversion(NamedTuple):
    """A column in its type; where a text was unacceptable, null."""

    values: pl.Series
    explain: Callable[[str], tuple[str, str]]  # a wrong text -> what is wrong, what to do


def typed(raw: Raw, incomplete: Collection[str] = ()) -> Draft:
    """Type every cell that a reader found.

    Args:
        raw: the reader's tables; its problems and notices are passed on.
        incomplete: tables of which the reader lost rows, so that ids may only seem unknown.
    """
    frames = {name: _frame(table) for name, table in raw.tables.items() if len(table)}
    draft = typed_frames(frames)
    return Draft(
        facts=Facts(draft.facts.tables, (*raw.notices, *draft.facts.notices)),
        problems=(*raw.problems, *draft.problems),
        incomplete=frozenset(incomplete),
    )


def checked(*drafts: Draft) -> Facts:
    """The facts of all drafts together, after every check.

    Raises:
        FactsRejected: something is wrong; it tells of every cell and every row at once.
    """
    from palmares.facts.checks import check

    facts = concat(draft.facts for draft in drafts)
    incomplete = frozenset[str]().union(*(draft.incomplete for draft in drafts))
    problems, notices = check(facts, incomplete)
    problems = [*(one for draft in drafts for one in draft.problems), *problems]
    if problems:
        raise FactsRejected(problems)
    return Facts(facts.tables, tuple(dict.fromkeys((*facts.notices, *notices))))


def _frame(table: RawTable) -> pl.DataFrame:
    columns = {
        name: pl.Series(name, cells, dtype=pl.String) for name, cells in table.columns.items()
    }
    where = {
        FILE: pl.Series(FILE, table.files, dtype=pl.String),
        LINE: pl.Series(LINE, table.lines, dtype=pl.UInt32),
    }
    return pl.DataFrame({**columns, **where})


def typed_frames(frames: Mapping[str, pl.DataFrame]) -> Draft:
    """Type frames whose cells are text, or already have the type of their column.

    Args:
        frames: by table; with ``_file`` and ``_line``, other columns in any order.
    """
    problems: list[Problem] = []
    notices: list[Problem] = []
    tables = {}
    for name, frame in frames.items():
        if name in TABLES:
            tables[name] = _table(name, frame, problems, notices)
    return Draft(facts=Facts(tables, tuple(notices)), problems=tuple(problems))


def _table(
    name: str, frame: pl.DataFrame, problems: list[Problem], notices: list[Problem]
) -> pl.DataFrame:
    known, where = TABLES[name], frame.select(FILE, LINE)
    series: list[pl.Series] = []
    unknown = [one for one in frame.columns if one not in (*known, FILE, LINE)]
    for column in known.values():
        clause = f"facts {name}.{column.name}"
        if column.name not in frame.columns:
            series.append(
                pl.Series(column.name, [None], dtype=column.type).extend_constant(
                    None, frame.height
                )[1:]
            )
            problems += _missing_column(clause, column, where, unknown)
            notices += _misspelt(clause, column, where, unknown)
            continue
        cells = frame[column.name]
        values, found = _typed_column(cells, column, clause, where)
        problems += found
        if column.required:
            problems += _empty_cells(cells, column, clause, where)
        if column.kind == "country":
            notices += _unknown_countries(values, clause, where)
        series.append(values)
    series += [frame[one].cast(pl.String) for one in unknown]
    return pl.DataFrame(series).hstack(where.cast({LINE: pl.UInt32}))


# ── what is not there ────────────────────────────────────────────────────────────────────────────


def _missing_column(
    clause: str, column: Column, where: pl.DataFrame, unknown: list[str]
) -> Iterator[Problem]:
    if not column.required:
        return
    near = get_close_matches(column.name, unknown, n=1)
    remedy = (
        f"Rename '{shown(near[0])}' to {column.name}."
        if near
        else (f"Add a column {column.name}: {column.means}.")
    )
    for file in where[FILE].unique(maintain_order=True):
        yield Problem(
            where=f"{file}:1",
            what=f"there is no column {column.name}",
            clause=clause,
            remedy=remedy,
        )


def _misspelt(
    clause: str, column: Column, where: pl.DataFrame, unknown: list[str]
) -> Iterator[Problem]:
    near = get_close_matches(column.name, unknown, n=1, cutoff=0.8)
    if column.required or not near:
        return
    for file in where[FILE].unique(maintain_order=True):
        yield Problem(
            where=f"{file}:1",
            what=f"the column '{shown(near[0])}' is ignored",
            clause=clause,
            remedy=f"If it holds {column.means}, rename it to {column.name}.",
        )


def _empty_cells(
    cells: pl.Series, column: Column, clause: str, where: pl.DataFrame
) -> Iterator[Problem]:
    blank = cells.is_null()
    if cells.dtype == pl.String:
        blank = blank | (cells.str.strip_chars() == "")
    if blank.any():
        yield from problems_at(
            where.filter(blank),
            lambda row: f"{column.name} is empty",
            clause,
            lambda row: f"Fill it in: {column.means}.",
        )


# ── what is there ────────────────────────────────────────────────────────────────────────────────


def problems_at(
    rows: pl.DataFrame,
    what: Callable[[dict[str, object]], str],
    clause: str,
    remedy: Callable[[dict[str, object]], str],
    most: int = MOST,
) -> Iterator[Problem]:
    """A problem for each row, with its file and line; the first *most*, then how many more."""
    for row in rows.head(most).iter_rows(named=True):
        place = f"{row[FILE]}:{row[LINE]}"
        yield Problem(where=place, what=what(row), clause=clause, remedy=remedy(row))
    if rows.height > most:
        row = rows.row(most, named=True)
        yield Problem(
            where=f"{row[FILE]}:{row[LINE]}",
            what=f"and {rows.height - most} more of this kind from here on",
            clause=clause,
            remedy="Mend the ones above in the same way.",
        )


def _typed_column(
    cells: pl.Series, column: Column, clause: str, where: pl.DataFrame
) -> tuple[pl.Series, list[Problem]]:
    """A column in its type, and a problem for each cell that is unacceptable."""
    text = as_text(cells, column)
    if text is None:
        values, explain = cells, _never
        text = pl.Series([], dtype=pl.String)
        wrong = pl.Series([False]).new_from_index(0, len(cells))
    else:
        values, explain = CONVERSIONS[column.kind](text, column)
        wrong = text.is_not_null() & values.is_null()
    outside, bounds = _outside(values, column)
    found: list[Problem] = []
    if wrong.any():
        rows = where.with_columns(_text=text).filter(wrong)
        found += problems_at(
            rows,
            lambda row: f"{column.name} {explain(str(row['_text']))[0]}",
            clause,
            lambda row: explain(str(row["_text"]))[1],
        )
    if outside.any():
        rows = where.with_columns(_value=values.cast(pl.String)).filter(outside)
        found += problems_at(
            rows,
            lambda row: f"{column.name} is {plain_number(str(row['_value']))}, {bounds}",
            clause,
            lambda row: f"Correct it: {column.means}.",
        )
        values = values.set(outside, None)
    return values.rename(column.name), found


def _never(text: str) -> tuple[str, str]:
    return text, text


def plain_number(text: str) -> str:
    """A decimal without the zeros that say nothing."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def as_text(cells: pl.Series, column: Column) -> pl.Series | None:
    """The cells as text, empty ones null; none if they already are what the column holds."""
    if cells.dtype == pl.String:
        text = cells.str.strip_chars()
        return text.set(text == "", None) if (text == "").any() else text
    if cells.dtype == column.type and column.kind in {"whole", "decimal", "date", "flag"}:
        return None
    if cells.dtype == pl.Datetime:
        return cells.dt.replace_time_zone(None).dt.to_string("%Y-%m-%d %H:%M:%S%.f")
    if cells.dtype.is_float():
        return _floats(cells)
    if cells.dtype.is_decimal():
        return cells.cast(pl.String).str.replace(r"(\.[0-9]*?)0+$", "$1").str.strip_suffix(".")
    return cells.cast(pl.String)


def _floats(cells: pl.Series) -> pl.Series:
    """Floats as the shortest decimal text that means them; what is not finite stays as it is."""
    text = cells.cast(pl.String)
    odd = text.str.contains("e").fill_null(value=False)
    if odd.any():
        values = [f"{value:.12f}" if abs(value) < 1 else repr(value) for value in cells.filter(odd)]
        text = text.scatter(odd.arg_true(), values)
    return text


def _outside(values: pl.Series, column: Column) -> tuple[pl.Series, str]:
    """Which values lie beyond the bounds of a column, and what the bounds are in words."""
    low, high = column.minimum, column.maximum
    if column.kind == "date":
        outside = ~values.is_between(FIRST_DAY, LAST_DAY)
        return outside.fill_null(value=False), "not in the years 1900 to 2200"
    if column.kind not in {"whole", "decimal"}:
        return pl.Series([False]), ""
    greatest = GREATEST if column.kind == "whole" else 10**15 - 1
    outside = (values.abs() > greatest) if high is None else (values > high)
    words = f"beyond {greatest:,}" if high is None else f"not from {low} to {high}"
    if column.above_zero:
        outside, words = outside | (values <= 0), "not above 0"
    elif low is not None:
        outside = outside | (values < low)
        words = words if high is not None else f"not from {low} to {greatest:,}"
    return outside.fill_null(value=False), words


# ── one conversion a kind ────────────────────────────────────────────────────────────────────────


def _whole(text: pl.Series, column: Column) -> Conversion:
    digits = text.str.strip_prefix("+").str.replace(r"\.0+$", "")
    values = digits.set(~text.str.contains(_WHOLE), None).cast(pl.Int64, strict=False)
    return Conversion(values, _no_number("a whole number", "12"))


def _decimal(text: pl.Series, column: Column) -> Conversion:
    digits = text.str.strip_prefix("+").set(~text.str.contains(_DECIMAL), None)
    values = digits.cast(TYPES["decimal"], strict=False)
    return Conversion(values, _no_number("a number", "12.50"))


def _no_number(kind: str, example: str) -> Callable[[str], tuple[str, str]]:
    def explain(text: str) -> tuple[str, str]:
        what = f"is '{shown(text)}', not {kind}"
        if text.count(",") == 1 and text.replace(",", "").strip("+-").isdigit():
            return (
                what,
                f"Write {shown(text.replace(',', '.'))} with a point, or leave the comma out.",
            )
        if kind == "a number":
            return what, (
                f"Write digits and a point, such as {example}: at most 15 digits before it and 12"
                " after it, no currency sign, no exponent."
            )
        return what, f"Write digits only, such as {example}."

    return explain


def _date(text: pl.Series, column: Column) -> Conversion:
    day = text.str.replace(r"[T ]00:00(:00(\.0+)?)?$", "")
    values = day.set(~day.str.contains(_DATE), None).str.to_date("%Y-%m-%d", strict=False)
    return Conversion(
        values,
        lambda given: (
            f"is '{shown(given)}', not a date",
            "Write year, month and day, such as 2019-11-15.",
        ),
    )


def _flag(text: pl.Series, column: Column) -> Conversion:
    values = text.str.to_lowercase().replace_strict(FLAGS, default=None, return_dtype=pl.Boolean)
    return Conversion(
        values,
        lambda given: (f"is '{shown(given)}', neither yes nor no", "Write yes or no, or nothing."),
    )


def _choice(text: pl.Series, column: Column) -> Conversion:
    word = text.str.to_lowercase().str.replace_all(r"[\s_-]+", "_")
    values = word.set(~word.is_in(list(column.choices)), None)
    if column.others:
        other, wrong = texts.cleaned(text)
        return Conversion(values.fill_null(other), _no_text(wrong))
    return Conversion(
        values,
        lambda given: (
            f"is '{shown(given)}', which is not one of its words",
            f"Write {' or '.join(column.choices)}.",
        ),
    )


def _text(text: pl.Series, column: Column) -> Conversion:
    values, wrong = texts.cleaned(text)
    return Conversion(values, _no_text(wrong))


def _no_text(wrong: Mapping[str, str]) -> Callable[[str], tuple[str, str]]:
    def explain(given: str) -> tuple[str, str]:
        why = wrong.get(given, "has nothing visible in it")
        return f"'{shown(given)}' {why}", "Type the text again without it."

    return explain


def _nation(text: pl.Series, column: Column) -> Conversion:
    return Conversion(
        _by_value(text, nations.nation),
        lambda given: (
            f"is '{shown(given)}', which is no code of a nation we know",
            nations.remedy(given),
        ),
    )


def _country(text: pl.Series, column: Column) -> Conversion:
    values, wrong = texts.cleaned(text)
    known = _by_value(values, nations.country)
    return Conversion(known.fill_null(values), _no_text(wrong))


def _currency(text: pl.Series, column: Column) -> Conversion:
    return Conversion(
        _by_value(text, nations.currency),
        lambda given: (
            f"is '{shown(given)}', which is no currency of ISO 4217",
            "Write its three letters, such as EUR or USD.",
        ),
    )


def _by_value(text: pl.Series, meaning: Callable[[str], str | None]) -> pl.Series:
    """Each different text looked up once; null where it has no meaning."""
    given = text.drop_nulls().unique().to_list()
    meant = [meaning(one) for one in given]
    if meant == given:
        return text
    return text.replace_strict(given, pl.Series(meant, dtype=pl.String), default=None)


def _unknown_countries(values: pl.Series, clause: str, where: pl.DataFrame) -> Iterator[Problem]:
    names = values.drop_nulls().unique().to_list()
    unknown = [one for one in names if nations.country(one) is None]
    if unknown:
        yield from problems_at(
            where.with_columns(_text=values).filter(values.is_in(unknown)),
            lambda row: f"the country '{shown(row['_text'])}' is not one we know; it is kept",
            clause,
            lambda row: "Write its ISO 3166-1 code, such as CZE.",
        )


CONVERSIONS: Mapping[str, Callable[[pl.Series, Column], Conversion]] = {
    "id": _text,
    "text": _text,
    "whole": _whole,
    "decimal": _decimal,
    "date": _date,
    "flag": _flag,
    "choice": _choice,
    "nation": _nation,
    "country": _country,
    "currency": _currency,
}
