"""Give the text of every cell the type of its column, and report the cells that are wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import polars as pl
from msgspec import Struct, field

from palmares.core.errors import FactsRejected, Location, Problem
from palmares.core.messages import msg
from palmares.facts import codes
from palmares.facts.checks import arriving, check
from palmares.facts.dictionary import Encoded, encoded
from palmares.facts.merge import concat
from palmares.facts.parsers import as_text, converted, outside, plain_number, words
from palmares.facts.problems import EMPTY, MISSING, Cell, problems_at
from palmares.facts.raw import ReportTables, SourceMap
from palmares.facts.schema import FILE, LINE, SHARED_TABLES, TABLES, Column, Facts
from palmares.facts.subsets import without_tournaments
from palmares.facts.text import printable

MANY = 10_000
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
        raise FactsRejected(_as_seen(problem, seen) for problem in problems)
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
    known, places = TABLES[name], [frame[FILE], frame[LINE].cast(pl.UInt32)]
    where = pl.DataFrame(places)
    unknown = [column for column in frame.columns if column not in (*known, FILE, LINE)]
    absent = [column for column in known.values() if column.name not in frame.columns]
    if unknown or any(column.required for column in absent):
        for file in where[FILE].unique(maintain_order=True):
            draft.problems += missing_columns(name, frame.columns, file)
            draft.notices += _misspelt_columns(name, frame.columns, file)
    empty = where.with_columns(pl.lit(None, column.type).alias(column.name) for column in absent)
    series: list[pl.Series] = []
    for column in known.values():
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
    for column, unknown in _absent(name, columns):
        if column.required:
            near = get_close_matches(column.name, unknown, n=1)
            yield Problem(
                at=Location(f"{file}:1"),
                what=msg("there is no column %(column)s", column=column.name),
                clause=Cell(name, column.name).clause,
                remedy=(
                    msg(
                        "Rename '%(near)s' to %(column)s.",
                        near=printable(near[0]),
                        column=column.name,
                    )
                    if near
                    else msg(
                        "Add a column %(column)s: %(means)s.",
                        column=column.name,
                        means=(column.means,),
                    )
                ),
                code=MISSING,
            )


def _misspelt_columns(name: str, columns: Sequence[str], file: str) -> Iterator[Problem]:
    """Columns whose names are nearly those of columns that a table may have."""
    for column, unknown in _absent(name, columns):
        near = get_close_matches(column.name, unknown, n=1, cutoff=0.8)
        if near and not column.required:
            yield Problem(
                at=Location(f"{file}:1"),
                what=msg("the column '%(column)s' is ignored", column=printable(near[0])),
                clause=Cell(name, column.name).clause,
                remedy=msg(
                    "If this is meant: %(means)s, rename it to %(column)s.",
                    means=(column.means,),
                    column=column.name,
                ),
            )


def _absent(name: str, columns: Sequence[str]) -> Iterator[tuple[Column, list[str]]]:
    """Each missing column of a table, with the file's unknown columns."""
    known = TABLES[name]
    unknown = [column for column in columns if column not in (*known, FILE, LINE)]
    return ((column, unknown) for column in known.values() if column.name not in columns)


# ── what is there ────────────────────────────────────────────────────────────────────────────────


class _Once(Struct, frozen=True):
    """The cells of a column, of many texts each different one once."""

    cells: pl.Series
    dictionary: Encoded | None = None

    @classmethod
    def of(cls, cells: pl.Series, column: Column) -> _Once:
        repeats = column.refers_to or column.kind not in ("id", "text")
        if cells.dtype != pl.String or len(cells) < MANY or not repeats:
            return cls(cells)
        dictionary = encoded(cells)
        return cls(dictionary.values, dictionary)

    def each(self, values: pl.Series) -> pl.Series:
        """What there is for each cell, from what there is for each different one."""
        return values if self.dictionary is None else values.gather(self.dictionary.codes)

    def rows(self, where: pl.DataFrame, which: pl.Series, **values: pl.Series) -> pl.DataFrame:
        """The rows of some cells, with values as columns."""
        columns = (self.each(column).alias(name) for name, column in values.items())
        return where.with_columns(columns).filter(self.each(which))


def _typed_column(
    cells: pl.Series, column: Column, cell: Cell, where: pl.DataFrame, draft: _Typed
) -> pl.Series:
    """A column in its type; what is wrong with a cell is a problem, and the cell null."""
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
        given = once.cells if text is None or cells.dtype != pl.String else text
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
