"""
One CSV file: its rows as text, each with the line it starts on.

Python's own csv module reads, in its strict mode: it knows the true line of every row, also
after quoted line breaks, and says where a file breaks off.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import polars as pl

from palmares.core.errors import Problem
from palmares.core.progress import Advance, task
from palmares.facts.decoding import ReportTables, content_of, decoded
from palmares.facts.schema import FILE, LINE
from palmares.facts.text import printable

MOST = 100  # rows of a wrong length that are listed one by one
LONGEST_CELL = 131_072  # letters, as Python's csv has it
MOST_COLUMNS = 512
_BATCH = 50_000  # rows turned into columns at a time, to keep memory low
_FORMULA = r"^(?:'*[=+\-@\t\r])"
CLAUSE = "facts package"


class CsvSheet(NamedTuple):
    """What one file held."""

    frame: pl.DataFrame | None  # none: nothing of it could be read
    problems: list[Problem]


def armed(text: pl.Expr) -> pl.Expr:
    """Text that no spreadsheet takes for a formula: ``=1`` becomes ``'=1``."""
    return pl.when(text.str.contains(_FORMULA)).then("'" + text).otherwise(text)


def disarmed(text: pl.Expr) -> pl.Expr:
    """The text before `armed`: of ``'=1``, ``=1``; an apostrophe before anything else stays."""
    return pl.when(text.str.contains(r"^'+[=+\-@\t\r]")).then(text.str.slice(1)).otherwise(text)


def read_sheet(
    path: Path, columns_of_table: Collection[str], encoding: str | None = None
) -> CsvSheet:
    """The rows of a CSV file with a header.

    Args:
        path: the file.
        columns_of_table: ours; a header in capitals or with spaces is taken for them.
        encoding: of the file, if it is not UTF-8.
    """
    findings = ReportTables(str(path))
    content = content_of(path, findings)
    text = None if content is None else decoded(content, findings, encoding)
    if text is None:
        return CsvSheet(None, findings.problems)
    rows = _sound_rows(text, findings)
    _, header = next(rows, (1, []))
    columns = _header(header, findings, columns_of_table)
    if findings.problems:
        return CsvSheet(None, findings.problems)
    names = [column or f"\n{number}" for number, column in enumerate(columns, 1)]
    with task(f"lines of {path.name}", text.count("\n")) as step:
        frame = _plain_body(text, names, findings.file)
        if frame is None:
            frame = _body(rows, columns, names, findings, step)
        else:
            step(frame.height)
    return CsvSheet(_named(frame, findings), findings.problems)


class BrokenRow(csv.Error):
    """A csv.Error that knows the line on which its row began, and where it was given up."""

    def __init__(self, line: int, reached: int, error: csv.Error) -> None:
        super().__init__(str(error))
        self.line = line
        self.reached = reached


def numbered_rows(
    text: str, delimiter: str = ",", *, strict: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Every row with the line it starts on.

    Raises:
        BrokenRow: it is no CSV from there on.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    line = 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise BrokenRow(line, reader.line_num, error) from error
        if row is None:
            return
        yield line, row
        line = reader.line_num + 1


_BROKEN = (
    (
        "field larger",
        (
            "a quotation mark opens here and is never closed, or a cell has more than"
            f" {LONGEST_CELL:,} characters"
        ),
        'Double the mark ("") if it belongs to the text; else shorten the text.',
    ),
    (
        "unexpected end of data",
        "a quotation mark opens here and is never closed: the file breaks off",
        'Get the complete file, or double the mark ("") if it belongs to the text.',
    ),
    (
        "",
        "a closing quotation mark is followed by more text",
        'Within quotation marks, write the mark twice: "".',
    ),
)
"""What Python's csv module says, and what we say."""


def _sound_rows(text: str, findings: ReportTables) -> Iterator[tuple[int, list[str]]]:
    """Every row that is not empty, up to a problem from which on it is no CSV."""
    try:
        yield from ((line, row) for line, row in numbered_rows(text) if row)
    except BrokenRow as error:
        what, remedy = next(words for sign, *words in _BROKEN if sign in str(error))
        findings.problem(error.line, what, CLAUSE, remedy)


def _header(
    header: Sequence[str], findings: ReportTables, columns_of_table: Collection[str]
) -> list[str]:
    """The names of the columns, ours in our spelling; what cannot be used is a problem."""
    for sign, word in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and sign in header[0]:
            findings.problem(
                1,
                f"the columns are separated by {word}, not by commas",
                CLAUSE,
                "Save the file with commas (in a spreadsheet: CSV UTF-8, comma delimited).",
            )
    if len(header) > MOST_COLUMNS:
        findings.problem(
            1,
            f"the header has {len(header):,} columns, and {MOST_COLUMNS} are read",
            CLAUSE,
            "Leave out those that are not needed.",
        )
        return []
    columns = []
    for given in header:
        cell = re.sub(r"^'(?='*[=+\-@])", "", given.strip())
        plain = cell.lower().replace(" ", "_").replace("-", "_")
        columns.append(plain if plain in columns_of_table else cell)
    for column, count in Counter(columns).items():
        if column and count > 1:
            findings.problem(
                1,
                f"the column '{printable(column)}' is there {count} times",
                CLAUSE,
                "Keep one of them.",
            )
        if column in (FILE, LINE):
            findings.problem(
                1, f"the name {column} is our own", CLAUSE, "Give the column another name."
            )
    return columns


def _plain_body(text: str, names: Sequence[str], file: str) -> pl.DataFrame | None:
    """All rows below the header, if every row is one line of as many cells; else none."""
    if '"' in text:
        return None
    line = pl.col("line")
    lines = pl.Series("line", [text]).str.split("\n").explode().to_frame()
    rows = lines.with_row_index(LINE, offset=1).filter(line != "").slice(1)
    commas = line.str.count_matches(",", literal=True)
    plain = (commas == len(names) - 1).all() & (line.str.len_bytes().max() <= LONGEST_CELL)
    if not rows.select(plain.fill_null(value=True)).item():
        return None
    cells = rows["line"].str.split_exact(",", len(names) - 1).struct.rename_fields(list(names))
    return _filled(cells.struct.unnest(), rows[LINE], file, armed_cells="'" in text)


def _body(
    rows: Iterator[tuple[int, list[str]]],
    columns: Sequence[str],
    names: Sequence[str],
    findings: ReportTables,
    step: Advance,
) -> pl.DataFrame:
    """All rows below the header, in batches; those of a wrong length are problems."""
    frames = [_frame([], names, findings.file)]
    misfits = 0
    while batch := list(islice(rows, _BATCH)):
        frames.append(
            _frame([row for row in batch if len(row[1]) == len(names)], names, findings.file)
        )
        for line, row in batch:
            if len(row) != len(names) and any(row):
                misfits += 1
                if misfits <= MOST:
                    _misfit(findings, line, row, columns)
        step(len(batch))
    if misfits > MOST:
        findings.problem(
            1,
            f"{misfits} rows in all do not have {len(columns)} cells",
            CLAUSE,
            "Correct them in the same way.",
        )
    return pl.concat(frames, rechunk=True)


def _named(frame: pl.DataFrame, findings: ReportTables) -> pl.DataFrame:
    """The columns that have names; one without may only be empty."""
    for name in frame.columns:
        if name.startswith("\n") and frame[name].null_count() < frame.height:
            line = frame.filter(frame[name].is_not_null())[LINE][0]
            findings.problem(
                line,
                f"column {name[1:]} has cells but no name in the header",
                CLAUSE,
                "Name the column, or delete its cells.",
            )
    return frame[[name for name in frame.columns if not name.startswith("\n")]]


def _misfit(findings: ReportTables, line: int, row: Sequence[str], columns: Sequence[str]) -> None:
    what = f"the row has {len(row)} cells, the header only {len(columns)}"
    remedy = "Put quotation marks around a text that has a comma in it."
    if len(row) < len(columns):
        missing = ", ".join(printable(column) for column in columns[len(row) :])
        what = f"the row has {len(row)} cells, the header {len(columns)}: {missing} missing"
        remedy = "If the file breaks off here, get it again; else add the missing commas."
    findings.problem(line, what, CLAUSE, remedy)


def _frame(rows: Sequence[tuple[int, list[str]]], names: Sequence[str], file: str) -> pl.DataFrame:
    """Rows as columns of text."""
    cells = zip(*(row for _, row in rows), strict=True) if rows else ([] for _ in names)
    frame = pl.DataFrame(
        [
            pl.Series(name, values, dtype=pl.String)
            for name, values in zip(names, cells, strict=True)
        ]
    )
    return _filled(frame, pl.Series(LINE, [line for line, _ in rows], dtype=pl.UInt32), file)


def _filled(
    cells: pl.DataFrame, lines: pl.Series, file: str, *, armed_cells: bool = True
) -> pl.DataFrame:
    """Rows with file and line, empty cells null, without rows of empty cells as spreadsheets leave.

    Args:
        cells: columns of text.
        lines: where each row starts.
        file: of all rows.
        armed_cells: whether some may begin with an apostrophe.
    """
    text = pl.when(pl.all() != "").then(pl.all())
    frame = cells.select(disarmed(text) if armed_cells else text)
    filled = frame.select(~pl.all_horizontal(pl.all().is_null())).to_series()
    return frame.with_columns(pl.lit(file).alias(FILE), lines).filter(filled)
