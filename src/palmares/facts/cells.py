"""
Give the text of every cell the type of its column, and report the cells that are wrong.

Whole numbers are 12, +12, or 12.0 as spreadsheets write it; 1.000 may be a thousand, and is
refused. Decimals have up to 15 digits before the point and 12 after it, no exponent, no infinity;
money such as 1.000 is refused, too. Dates are of the years 1900 to 2200. Words of a choice and
flags may be in capitals; an empty flag means that nothing was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from difflib import get_close_matches
from functools import lru_cache, partial
from typing import Any, NamedTuple

import polars as pl
from msgspec import Struct, field

from palmares.core.errors import FactsRejected, Location, Problem
from palmares.core.messages import LocalNumber, msg
from palmares.facts import codes
from palmares.facts.checks import arriving, check
from palmares.facts.decoding import ReportTables, SourceMap
from palmares.facts.merge import concat, without_tournaments
from palmares.facts.problems import EMPTY, MISSING, Cell, problems_at
from palmares.facts.schema import (
    FILE,
    LINE,
    SHARED_TABLES,
    TABLES,
    TYPES,
    Column,
    Encoded,
    Facts,
    encoded,
)
from palmares.facts.text import LONGEST, cleaned, printable

GREATEST = 10**9
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2200, 12, 31)
_FIRST_OF_ALL = (date.min - date(1970, 1, 1)).days
_LAST_OF_ALL = (date.max - date(1970, 1, 1)).days
_A_DAY = {"ms": 86_400_000, "us": 86_400_000_000}
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
    if isinstance(cells.dtype, pl.Categorical | pl.Enum):
        cells = cells.cast(pl.String)
    if cells.dtype == pl.String:
        text = cells.str.strip_chars()
        return text.set(text == "", None) if (text == "").any() else text
    if cells.dtype == column.type and column.kind in {"whole", "decimal", "date", "flag"}:
        return _moments(cells) if cells.dtype == pl.Date and _without_year(cells).any() else None
    if cells.dtype.is_float():
        return _floats(cells, column)
    if cells.dtype.is_decimal():
        return cells.cast(pl.String).str.replace(r"(\.[0-9]*?)0+$", "$1").str.strip_suffix(".")
    return words(cells)


def words(cells: pl.Series) -> pl.Series:
    """Cells of any type as text, lists and records as Python writes them."""
    if cells.dtype in (pl.Date, pl.Datetime):
        return _moments(cells)
    if _is_of_no_cell(cells.dtype) or cells.dtype == pl.Duration:
        return pl.Series(
            cells.name, [None if cell is None else str(cell) for cell in cells], dtype=pl.String
        )
    return cells.cast(pl.String)


def _is_of_no_cell(kind: pl.DataType) -> bool:
    """Whether values of a type are no cells: lists, bytes, objects, types of another library."""
    others = isinstance(kind, pl.Binary | pl.Object | pl.BaseExtension)
    return others or kind.is_nested()


def _moments(cells: pl.Series) -> pl.Series:
    """Dates and moments as text; a number where no calendar reaches, as Polars would panic."""
    if isinstance(cells.dtype, pl.Datetime):
        cells = cells.dt.replace_time_zone(None)
        if cells.dtype == pl.Datetime("ns"):  # of which the years 1 to 9999 are beyond Int64
            cells = cells.dt.cast_time_unit("us")
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


def _floats(cells: pl.Series, column: Column) -> pl.Series:
    """Floats as the shortest decimal text that means them; what is not finite is no text or id."""
    if column.kind in {"id", "text"}:
        cells = cells.fill_nan(None)
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


def _of_thousands(text: str) -> str:
    """What to do about points or commas that may stand between thousands."""
    if re.fullmatch(_THOUSANDS, text):
        return msg("Write %(number)s if it is in thousands.", number=re.sub("[.,]", "", text))
    return ""


def _of_comma(text: str) -> str:
    """What to do about a comma that may be a decimal point, or between thousands."""
    if thousands := _of_thousands(text):
        return thousands
    if text.count(",") == 1 and text.replace(",", "").strip("+-").isdigit():
        number = printable(text.replace(",", "."))
        return msg("Write %(number)s with a point, or leave the comma out.", number=number)
    return ""


def _of_day(text: str) -> str:
    """What to do about a date that no calendar has, or that a spreadsheet shows as a number."""
    if day := serial_day(text):
        return msg("Write %(day)s, if it is that day, or format the cell as a date.", day=day)
    return NO_DAY if re.fullmatch(_DATE, text) else ""


def serial_day(text: str) -> str:
    """The day that spreadsheets mean by a number such as 43849; nothing if it is none."""
    number = int(text) if re.fullmatch(r"[1-9][0-9]{4}", text) else 0
    day = date(1899, 12, 30) + timedelta(number)
    return day.isoformat() if number and day <= LAST_DAY else ""


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
        _of_thousands,
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
        msg("Shorten it to %(most)s characters.", most=LONGEST)
        if len(text) > LONGEST
        else msg("Type the text again without it."),
    )


def plain_number(text: str) -> str:
    """A decimal without the zeros that say nothing."""
    return text.rstrip("0").rstrip(".") if "." in text else text


DICTIONARY_FROM = 10_000
"""From so many rows on, texts that repeat are looked at as a dictionary: each different one once.

A dictionary costs 0.5 ms, and where no text repeats three times as much as it saves.
"""


class ParsedFacts(Struct, frozen=True, kw_only=True):
    """Facts as they were read, with everything wrong with their cells."""

    facts: Facts
    problems: tuple[Problem, ...] = ()
    incomplete: frozenset[str] = frozenset()  # tables of which rows could not be read
    seen: Mapping[str, SourceMap] = field(default_factory=dict)
    """By file, where its cells come from."""


def parse_cells(raw: ReportTables) -> ParsedFacts:
    """Give every cell that a reader read its type; its own problems and notices are kept.

    If the reader had a problem, rows may be missing, and ids may only seem unknown.
    """
    frames = {name: _frame(rows) for name, rows in raw.tables.items() if rows}
    draft = parse_frames(frames)
    return ParsedFacts(
        facts=Facts(draft.facts.tables, (*raw.notices, *draft.facts.notices)),
        problems=(*raw.problems, *draft.problems),
        incomplete=frozenset(TABLES if raw.problems else ()),
        seen=raw.seen,
    )


def parse_row(
    name: str, cells: Mapping[str, str], file: str
) -> tuple[dict[str, Any], list[Problem]]:
    """The values of one row of a table from their texts, and everything wrong with them."""
    values, problems = {}, list[Problem]()
    for key, text in cells.items():
        values[key], wrong = _parse_cell(name, key, text, file)
        problems += wrong
    return values, problems


@lru_cache(1000)
def _parse_cell(name: str, key: str, text: str, file: str) -> tuple[Any, tuple[Problem, ...]]:
    """One cell alone, as a column of one: forms send the same texts again and again."""
    draft, where = (
        _Typed(),
        pl.DataFrame({FILE: [file], LINE: [1]}, {FILE: pl.String(), LINE: pl.UInt32()}),
    )
    column = _typed_column(pl.Series([text]), TABLES[name][key], Cell(name, key), where, draft)
    return column[0], tuple(draft.problems)


def check_facts(*drafts: ParsedFacts) -> Facts:
    """The facts of all drafts together, after every check.

    Raises:
        FactsRejected: something is wrong; it tells of every cell and every row at once.
    """
    facts = drafts[0].facts if len(drafts) == 1 else concat(_once_each(drafts))
    incomplete = frozenset[str]().union(*(draft.incomplete for draft in drafts))
    problems, notices = check(facts, incomplete)
    of_cells = [problem for draft in drafts for problem in draft.problems]
    cells = {
        (cell.where, cell.clause) for cell in of_cells
    }  # one that is wrong only seems to be empty
    problems = [*problems, *arriving(facts)]
    problems = [
        *of_cells,
        *(problem for problem in problems if (problem.where, problem.clause) not in cells),
    ]
    seen = {file: source for draft in drafts for file, source in draft.seen.items()}
    if problems:
        seen_once: dict[tuple[str, str], Problem] = {}
        for problem in (_as_seen(problem, seen) for problem in problems):
            seen_once.setdefault((problem.where, problem.what), problem)  # of a cell of two tables
        raise FactsRejected(
            seen_once.values(),
            notices=[_as_seen(notice, seen) for notice in facts.notices],
        )
    facts = facts.noting(notices)
    if not seen:
        return facts
    return Facts(facts.tables, tuple(_as_seen(notice, seen) for notice in facts.notices))


def _once_each(drafts: Sequence[ParsedFacts]) -> Iterator[Facts]:
    """The facts of each source; of a report that an earlier one has, nothing but its tournament."""
    seen_ids: set[str] = set()
    for draft in drafts:
        facts = draft.facts
        ids = set(facts["tournaments"]["tournament_id"].drop_nulls())
        if again := ids & seen_ids:
            rest = {} if again == ids else without_tournaments(facts.tables, again)
            shared = {name: facts[name] for name in SHARED_TABLES} if rest else {}
            facts = replace(facts, tables={**shared, **rest, "tournaments": facts["tournaments"]})
        seen_ids |= ids
        yield facts


def _as_seen(problem: Problem, seen: Mapping[str, SourceMap]) -> Problem:
    """A problem at the cell of a workbook, or at the line of a key, that it is about."""
    file = seen.get(problem.at.file)
    return replace(problem, at=file.spot(problem.at, problem.clause)) if file else problem


def _frame(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    schema = {
        **dict.fromkeys((name for row in rows for name in row), pl.String()),
        LINE: pl.UInt32(),
    }
    return pl.DataFrame({name: [row.get(name) for row in rows] for name in schema}, schema)


def parse_frames(frames: Mapping[str, pl.DataFrame]) -> ParsedFacts:
    """Type frames whose cells are text, or already have the type of their column.

    Args:
        frames: by table; with ``_file`` and ``_line``, other columns in any order.
    """
    draft = _Typed()
    tables = {name: _table(name, frame, draft) for name, frame in frames.items() if name in TABLES}
    facts = Facts(tables, tuple(draft.notices))
    facts.derived.update(draft.dictionaries)
    return ParsedFacts(facts=facts, problems=tuple(draft.problems))


class _Typed(Struct):
    """What parsing the cells of some tables gives besides their values."""

    problems: list[Problem] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)
    dictionaries: dict[tuple[str, str], Encoded] = field(default_factory=dict)


def _table(name: str, frame: pl.DataFrame, draft: _Typed) -> pl.DataFrame:
    columns_of_table, places = TABLES[name], [frame[FILE], frame[LINE].cast(pl.UInt32)]
    where = pl.DataFrame(places)
    unknown = [column for column in frame.columns if column not in (*columns_of_table, FILE, LINE)]
    absent = [column for column in columns_of_table.values() if column.name not in frame.columns]
    if unknown or any(column.required for column in absent):
        for file in where[FILE].unique(maintain_order=True):
            draft.problems += missing_columns(name, frame.columns, file)
            draft.notices += _misspelt_columns(name, frame.columns, file)
    empty = where.with_columns(pl.lit(None, column.type).alias(column.name) for column in absent)
    series: list[pl.Series] = []
    for column in columns_of_table.values():
        if column in absent:
            series.append(empty[column.name])
            continue
        cell = Cell(name, column.name)
        values = _typed_column(frame[column.name], column, cell, where, draft)
        if column.kind == "country":
            draft.notices += _unknown_countries(frame.with_columns(_country=values), cell)
        series.append(values)
    # what Polars does to a Series it does by its name, and that may be a pattern
    series += [words(frame[column].alias("")).alias(column) for column in unknown]
    return pl.DataFrame([*series, *places])


# ── what is not there ────────────────────────────────────────────────────────────────────────────


def missing_columns(name: str, columns: Sequence[str], file: str) -> Iterator[Problem]:
    """The columns that a table must have and a file, whatever its rows, has not."""
    for column, near in _absent(name, columns, cutoff=0.6):
        if column.required:
            what = msg("there is no column %(column)s", column=column.name)
            remedy = msg(
                "Add a column %(column)s: %(means)s.", column=column.name, means=(column.means,)
            )
            if near:
                remedy = msg("Rename '%(near)s' to %(column)s.",
                             near=printable(near), column=column.name)  # fmt: skip
            clause = Cell(name, column.name).clause
            at = Location(f"{file}:1")
            yield Problem(at=at, what=what, clause=clause, remedy=remedy, code=MISSING)


def _misspelt_columns(name: str, columns: Sequence[str], file: str) -> Iterator[Problem]:
    """Columns whose names are nearly those of columns that a table may have."""
    for column, near in _absent(name, columns, cutoff=0.8):
        if near and not column.required:
            what = msg("the column '%(column)s' is ignored", column=printable(near))
            remedy = msg("If this is meant: %(means)s, rename it to %(column)s.",
                         means=(column.means,), column=column.name)  # fmt: skip
            clause = Cell(name, column.name).clause
            yield Problem(at=Location(f"{file}:1"), what=what, clause=clause, remedy=remedy)


def _absent(
    name: str, columns: Sequence[str], *, cutoff: float
) -> Iterator[tuple[Column, str | None]]:
    """Each missing column of a table, and an unknown one of the file with a similar name."""
    unknown = [column for column in columns if column not in (*TABLES[name], FILE, LINE)]
    for column in TABLES[name].values():
        if column.name not in columns:
            yield column, next(iter(get_close_matches(column.name, unknown, 1, cutoff)), None)


# ── what is there ────────────────────────────────────────────────────────────────────────────────


class _Once(Struct, frozen=True):
    """The cells of a column, of many texts each different one once."""

    cells: pl.Series
    dictionary: Encoded | None = None

    @classmethod
    def of(cls, cells: pl.Series, column: Column) -> _Once:
        repeats = column.refers_to or column.kind not in ("id", "text")
        if cells.dtype != pl.String or len(cells) < DICTIONARY_FROM or not repeats:
            return cls(cells)
        dictionary = encoded(cells)
        return cls(dictionary.values, dictionary)

    def each(self, values: pl.Series) -> pl.Series:
        return values if self.dictionary is None else values.gather(self.dictionary.codes)

    def rows(self, where: pl.DataFrame, which: pl.Series, **values: pl.Series) -> pl.DataFrame:
        """The rows of some cells, with values as columns."""
        columns = (self.each(column).alias(name) for name, column in values.items())
        return where.with_columns(columns).filter(self.each(which))


def _typed_column(
    cells: pl.Series, column: Column, cell: Cell, where: pl.DataFrame, draft: _Typed
) -> pl.Series:
    """A column in its type; what is wrong with a cell is a problem, and the cell null."""
    if _is_of_no_cell(cells.dtype) and cells.null_count() < len(cells):
        draft.problems += problems_at(
            where.filter(cells.is_not_null()).head(1),
            msg("%(column)s holds values of the type %(type)s, and a cell is a text, a number or a"
                " day", column=column.name, type=f"{cells.dtype}"),
            cell,
            msg("Write each of them as one text: %(means)s.", means=(column.means,)),
        )  # fmt: skip
        return pl.Series(column.name, [None], column.type).new_from_index(0, len(cells))
    once = _Once.of(cells, column)
    text = as_text(once.cells, column)
    values = once.cells
    if text is not None:
        values, explain = converted(text, column)
        if values.null_count() > text.null_count():  # what was nothing stays nothing
            draft.problems += problems_at(
                once.rows(where, text.is_not_null() & values.is_null(), _text=text),
                lambda row: explain(column.name, row["_text"])[0],
                cell,
                lambda row: explain(column.name, row["_text"])[1],
            )
    values = _within_bounds(values, column, cell, once, where, draft)
    if column.required:
        given = once.cells if text is None else text
        if given.null_count() or cells.null_count():
            draft.problems += problems_at(
                where.filter(once.each(given.is_null()).fill_null(value=True)),
                msg("%(column)s is missing", column=column.name),
                cell,
                msg("Fill it in: %(means)s.", means=(column.means,)),
                code=EMPTY,
            )
    same = values is once.cells or (values.dtype == cells.dtype and values.equals(once.cells))
    if same and once.dictionary and (column.key or column.refers_to):
        draft.dictionaries[cell.table, cell.key] = once.dictionary
    return (cells if same else once.each(values)).alias(column.name)


def _within_bounds(
    values: pl.Series, column: Column, cell: Cell, once: _Once, where: pl.DataFrame, draft: _Typed
) -> pl.Series:
    """Values without those beyond the bounds of their column, which are problems."""
    beyond, bounds = outside(values, column)
    if not beyond.any():
        return values
    draft.problems += problems_at(
        once.rows(where, beyond, _value=values.cast(pl.String)),
        lambda row: msg(
            "%(column)s is %(value)s, %(bounds)s",
            column=column.name,
            value=plain_number(row["_value"]),
            bounds=(bounds,),
        ),
        cell,
        msg("Correct it: %(means)s.", means=(column.means,)),
    )
    return values.set(beyond, None)


def _unknown_countries(tournaments: pl.DataFrame, cell: Cell) -> Iterator[Problem]:
    names = tournaments["_country"].drop_nulls().unique().to_list()
    unknown = [name for name in names if codes.country(name) is None]
    yield from problems_at(
        tournaments.filter(pl.col("_country").is_in(unknown)),
        lambda row: msg(
            "the country '%(text)s' of %(tournament)s is unknown; it is kept as written",
            text=printable(row["_country"]),
            tournament=printable(row.get("tournament_id")),
        ),
        cell,
        msg("Write its ISO 3166-1 code, such as CZE."),
    )
