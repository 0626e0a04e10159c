"""
Text into values: every cell of every table, with what is wrong by cell.

    typed       what a reader hands over  ->  Draft: facts, and what is wrong with them
    checked     one or more drafts  ->  facts without a problem, or FactsRejected
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

import polars as pl

from palmares.errors import FactsRejected, Problem
from palmares.facts import nations
from palmares.facts.found import problems_at
from palmares.facts.joining import concat
from palmares.facts.kinds import as_text, converted, outside, plain_number, words
from palmares.facts.raw import Raw, RawTable
from palmares.facts.tables import FILE, LINE, TABLES, Column, Facts
from palmares.facts.texts import shown
from palmares.sentences import said


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Facts as they were read, with everything wrong with their cells."""

    facts: Facts
    problems: tuple[Problem, ...] = ()
    incomplete: frozenset[str] = frozenset()  # tables of which rows could not be read
    places: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Of workbooks, by file: the clause of a problem, and the column or cell it is about."""


def typed(raw: Raw) -> Draft:
    """Type every cell that a reader found; the reader's own problems and notices are passed on.

    Where the reader had a problem, rows may be missing, so that ids may only seem unknown.
    """
    frames = {name: _frame(table) for name, table in raw.tables.items() if len(table)}
    draft = typed_frames(frames)
    return Draft(
        facts=Facts(draft.facts.tables, (*raw.notices, *draft.facts.notices)),
        problems=(*raw.problems, *draft.problems),
        incomplete=frozenset(TABLES if raw.problems else ()),
        places={file: seen.places for file, seen in raw.seen.items()},
    )


def checked(*drafts: Draft) -> Facts:
    """The facts of all drafts together, after every check.

    Raises:
        FactsRejected: something is wrong; it tells of every cell and every row at once.
    """
    from palmares.facts.checks import arriving, check

    facts = concat(draft.facts for draft in drafts)
    incomplete = frozenset[str]().union(*(draft.incomplete for draft in drafts))
    problems, notices = check(facts, incomplete)
    told = [one for draft in drafts for one in draft.problems]
    cells = {(one.where, one.clause) for one in told}  # one that is wrong only seems to be empty
    problems = [*problems, *arriving(facts)]
    problems = [*told, *(one for one in problems if (one.where, one.clause) not in cells)]
    places = {file: one for draft in drafts for file, one in draft.places.items()}
    if problems:
        raise FactsRejected(_at_cell(one, places) for one in problems)
    if not places:
        return facts.noting(notices)
    return Facts(facts.tables, tuple(_at_cell(one, places) for one in (*facts.notices, *notices)))


def _at_cell(problem: Problem, places: Mapping[str, Mapping[str, str]]) -> Problem:
    """A problem with a row of a workbook, at the cell that it is about: ``list.xlsx:C7``."""
    file, _, line = problem.where.rpartition(":")
    place = places.get(file, {}).get(problem.clause)
    if place is None or not line.isdigit():
        return problem
    return replace(problem, where=f"{file}:{place}{line if place.isalpha() else ''}")


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
    missing = where.with_columns(
        pl.lit(None, column.type).alias(column.name)
        for column in known.values()
        if column.name not in frame.columns
    )
    for column in known.values():
        clause = f"facts {name}.{column.name}"
        if column.name not in frame.columns:
            series.append(missing[column.name])
            problems += _missing_column(clause, column, where, unknown)
            notices += _misspelt(clause, column, where, unknown)
            continue
        cells = frame[column.name]
        text = as_text(cells, column)
        values, found = _typed_column(cells, text, column, clause, where)
        problems += found
        if column.required:
            filled = text if text is not None and cells.dtype == pl.String else cells
            problems += _empty_cells(filled, column, clause, where)
        if column.kind == "country":
            notices += _unknown_countries(values, clause, where)
        series.append(values)
    # what Polars does to a Series it does by its name, and that may be a pattern
    series += [words(frame[one].alias("")).alias(one) for one in unknown]
    return pl.DataFrame(series).hstack(where.cast({LINE: pl.UInt32}))


# ── what is not there ────────────────────────────────────────────────────────────────────────────


def missing_columns(name: str, columns: Sequence[str], file: str) -> Iterator[Problem]:
    """The columns that a table must have and a file, whatever its rows, has not."""
    unknown = [one for one in columns if one not in (*TABLES[name], FILE, LINE)]
    for column in TABLES[name].values():
        if column.name not in columns:
            where = pl.DataFrame({FILE: [file]})
            yield from _missing_column(f"facts {name}.{column.name}", column, where, unknown)


def _files(where: pl.DataFrame) -> list[str]:
    return where[FILE].unique(maintain_order=True).to_list()


def _missing_column(
    clause: str, column: Column, where: pl.DataFrame, unknown: list[str]
) -> Iterator[Problem]:
    if not column.required:
        return
    near = get_close_matches(column.name, unknown, n=1)
    remedy = (
        said("Rename '%(near)s' to %(column)s.", near=shown(near[0]), column=column.name)
        if near
        else said("Add a column %(column)s: %(means)s.", column=column.name, means=(column.means,))
    )
    for file in _files(where):
        yield Problem(
            where=f"{file}:1",
            what=said("there is no column %(column)s", column=column.name),
            clause=clause,
            remedy=remedy,
        )


def _misspelt(
    clause: str, column: Column, where: pl.DataFrame, unknown: list[str]
) -> Iterator[Problem]:
    near = get_close_matches(column.name, unknown, n=1, cutoff=0.8)
    if column.required or not near:
        return
    for file in _files(where):
        yield Problem(
            where=f"{file}:1",
            what=said("the column '%(column)s' is ignored", column=shown(near[0])),
            clause=clause,
            remedy=said(
                "If this is meant: %(means)s, rename it to %(column)s.",
                means=(column.means,),
                column=column.name,
            ),
        )


def _empty_cells(
    cells: pl.Series, column: Column, clause: str, where: pl.DataFrame
) -> Iterator[Problem]:
    if cells.null_count():
        yield from problems_at(
            where.filter(cells.is_null()),
            said("%(column)s is empty", column=column.name),
            clause,
            said("Fill it in: %(means)s.", means=(column.means,)),
        )


# ── what is there ────────────────────────────────────────────────────────────────────────────────


def _typed_column(
    cells: pl.Series, text: pl.Series | None, column: Column, clause: str, where: pl.DataFrame
) -> tuple[pl.Series, list[Problem]]:
    """A column in its type, and a problem for each cell that is unacceptable."""
    found: list[Problem] = []
    values = cells
    if text is not None:
        values, explain = converted(text, column)
        if values.null_count() > text.null_count():  # what was nothing stays nothing
            wrong = text.is_not_null() & values.is_null()
            found += problems_at(
                where.with_columns(_text=text).filter(wrong),
                lambda row: explain(column.name, row["_text"])[0],
                clause,
                lambda row: explain(column.name, row["_text"])[1],
            )
    beyond, bounds = outside(values, column)
    if beyond.any():
        found += problems_at(
            where.with_columns(_value=values.cast(pl.String)).filter(beyond),
            lambda row: said(
                "%(column)s is %(value)s, %(bounds)s",
                column=column.name,
                value=plain_number(row["_value"]),
                bounds=(bounds,),
            ),
            clause,
            said("Correct it: %(means)s.", means=(column.means,)),
        )
        values = values.set(beyond, None)
    return values.rename(column.name), found


def _unknown_countries(values: pl.Series, clause: str, where: pl.DataFrame) -> Iterator[Problem]:
    names = values.drop_nulls().unique().to_list()
    unknown = [one for one in names if nations.country(one) is None]
    if unknown:
        yield from problems_at(
            where.with_columns(_text=values).filter(values.is_in(unknown)),
            lambda row: said(
                "the country '%(text)s' is not one we know; it is kept", text=shown(row["_text"])
            ),
            clause,
            said("Write its ISO 3166-1 code, such as CZE."),
        )
