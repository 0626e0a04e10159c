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

from palmares.core.errors import FactsRejected, Location, Problem
from palmares.core.messages import msg
from palmares.facts import codes
from palmares.facts.checks import arriving, check
from palmares.facts.merge import concat
from palmares.facts.parsers import as_text, converted, outside, plain_number, words
from palmares.facts.problems import EMPTY, MISSING, Cell, in_keys, problems_at
from palmares.facts.raw import Raw, RawTable, Seen
from palmares.facts.schema import FILE, LINE, SHARED_TABLES, TABLES, Column, Facts
from palmares.facts.subsets import without_tournaments
from palmares.facts.text import shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Facts as they were read, with everything wrong with their cells."""

    facts: Facts
    problems: tuple[Problem, ...] = ()
    incomplete: frozenset[str] = frozenset()  # tables of which rows could not be read
    seen: Mapping[str, Seen] = field(default_factory=dict)
    """By file, what whoever made it sees in it."""


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
        seen=raw.seen,
    )


def checked(*drafts: Draft) -> Facts:
    """The facts of all drafts together, after every check.

    Raises:
        FactsRejected: something is wrong; it tells of every cell and every row at once.
    """
    facts = concat(_once_each(drafts))
    incomplete = frozenset[str]().union(*(draft.incomplete for draft in drafts))
    problems, notices = check(facts, incomplete)
    told = [one for draft in drafts for one in draft.problems]
    cells = {(one.where, one.clause) for one in told}  # one that is wrong only seems to be empty
    problems = [*problems, *arriving(facts)]
    problems = [*told, *(one for one in problems if (one.where, one.clause) not in cells)]
    seen = {file: one for draft in drafts for file, one in draft.seen.items()}
    if problems:
        raise FactsRejected(_as_seen(one, seen) for one in problems)
    if not seen:
        return facts.noting(notices)
    return Facts(facts.tables, tuple(_as_seen(one, seen) for one in (*facts.notices, *notices)))


def _once_each(drafts: Sequence[Draft]) -> Iterator[Facts]:
    """The facts of each source; of a report that an earlier one has, nothing but its tournament."""
    known: set[str] = set()
    for draft in drafts:
        facts = draft.facts
        ids = set(facts["tournaments"]["tournament_id"].drop_nulls())
        if again := ids & known:
            rest = {} if again == ids else without_tournaments(facts.tables, again)
            kept = {name: facts[name] for name in SHARED_TABLES} if rest else {}
            facts = replace(facts, tables={**kept, **rest, "tournaments": facts["tournaments"]})
        known |= ids
        yield facts


def _as_seen(problem: Problem, seen: Mapping[str, Seen]) -> Problem:
    """A problem in the words of its file, at the cell or the key that it is about."""
    file = seen.get(problem.at.file)
    if file is None:
        return problem
    problem = replace(problem, at=file.spot(problem.at, problem.clause))
    return in_keys(problem, file.names) if file.has_keys else problem


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
        cell = Cell(name, column.name)
        if column.name not in frame.columns:
            series.append(missing[column.name])
            problems += _missing_column(cell, column, where, unknown)
            notices += _misspelt(cell, column, where, unknown)
            continue
        cells = frame[column.name]
        text = as_text(cells, column)
        values, found = _typed_column(cells, text, column, cell, where)
        problems += found
        if column.required:
            filled = text if text is not None and cells.dtype == pl.String else cells
            problems += _empty_cells(filled, column, cell, where)
        if column.kind == "country":
            notices += _unknown_countries(values, cell, where)
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
            yield from _missing_column(Cell(name, column.name), column, where, unknown)


def _files(where: pl.DataFrame) -> list[str]:
    return where[FILE].unique(maintain_order=True).to_list()


def _missing_column(
    cell: Cell, column: Column, where: pl.DataFrame, unknown: list[str]
) -> Iterator[Problem]:
    if not column.required:
        return
    near = get_close_matches(column.name, unknown, n=1)
    remedy = (
        msg("Rename '%(near)s' to %(column)s.", near=shown(near[0]), column=column.name)
        if near
        else msg("Add a column %(column)s: %(means)s.", column=column.name, means=(column.means,))
    )
    for file in _files(where):
        yield Problem(
            at=Location(f"{file}:1"),
            what=msg("there is no column %(column)s", column=column.name),
            clause=cell.clause,
            remedy=remedy,
            code=MISSING,
        )


def _misspelt(
    cell: Cell, column: Column, where: pl.DataFrame, unknown: list[str]
) -> Iterator[Problem]:
    near = get_close_matches(column.name, unknown, n=1, cutoff=0.8)
    if column.required or not near:
        return
    for file in _files(where):
        yield Problem(
            at=Location(f"{file}:1"),
            what=msg("the column '%(column)s' is ignored", column=shown(near[0])),
            clause=cell.clause,
            remedy=msg(
                "If this is meant: %(means)s, rename it to %(column)s.",
                means=(column.means,),
                column=column.name,
            ),
        )


def _empty_cells(
    cells: pl.Series, column: Column, cell: Cell, where: pl.DataFrame
) -> Iterator[Problem]:
    if cells.null_count():
        yield from problems_at(
            where.filter(cells.is_null()),
            msg("%(column)s is empty", column=column.name),
            cell,
            msg("Fill it in: %(means)s.", means=(column.means,)),
            code=EMPTY,
        )


# ── what is there ────────────────────────────────────────────────────────────────────────────────


def _typed_column(
    cells: pl.Series, text: pl.Series | None, column: Column, cell: Cell, where: pl.DataFrame
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
                cell,
                lambda row: explain(column.name, row["_text"])[1],
            )
    beyond, bounds = outside(values, column)
    if beyond.any():
        found += problems_at(
            where.with_columns(_value=values.cast(pl.String)).filter(beyond),
            lambda row: msg(
                "%(column)s is %(value)s, %(bounds)s",
                column=column.name,
                value=plain_number(row["_value"]),
                bounds=(bounds,),
            ),
            cell,
            msg("Correct it: %(means)s.", means=(column.means,)),
        )
        values = values.set(beyond, None)
    return values.rename(column.name), found


def _unknown_countries(values: pl.Series, cell: Cell, where: pl.DataFrame) -> Iterator[Problem]:
    names = values.drop_nulls().unique().to_list()
    unknown = [one for one in names if codes.country(one) is None]
    if unknown:
        yield from problems_at(
            where.with_columns(_text=values).filter(values.is_in(unknown)),
            lambda row: msg(
                "the country '%(text)s' is not one we know; it is kept", text=shown(row["_text"])
            ),
            cell,
            msg("Write its ISO 3166-1 code, such as CZE."),
        )
