"""A table under a header row, of a CSV file or a workbook, its columns known by their words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from palmares.core.errors import brief
from palmares.facts.decoding import Findings, decoded
from palmares.formats.sheets.grid import Rows, csv_rows
from palmares.formats.sheets.headers import ABOVE, HeaderMap, assigned, cells_of
from palmares.formats.workbook.sandbox import is_workbook, open_sheet


class Table(NamedTuple):
    """A header row, and the lines under it."""

    line: int  # of the header
    header: HeaderMap
    rows: Rows

    def cells(self, findings: Findings, clause: str) -> Iterator[tuple[int, dict[str, str]]]:
        """The cells of each line by their columns; a line with too many cells is a problem."""
        for line, row in self.rows:
            if cells := cells_of(row, self.header, findings, line, clause):
                yield line, cells


def read_table(
    content: bytes,
    findings: Findings,
    columns: Mapping[str, str],
    is_header: Callable[[HeaderMap], bool],
    clause: str,
    example: str,
    encoding: str | None = None,
) -> Table | None:
    """The header row and the lines under it; none if there is a problem.

    Args:
        content: of CSV, separated by commas, semicolons or tabs, or of a workbook.
        findings: where problems go.
        columns: what each word of a header is taken for.
        is_header: whether a row is the header.
        clause: of the problems.
        example: a header row.
        encoding: of a CSV file; without it UTF-8.
    """
    if is_workbook(content):
        page = open_sheet(content, findings)
        sheets = [page.filled_rows()] if page else []
    else:
        text = decoded(content, findings, encoding)
        sheets = [] if text is None else list(csv_rows(text)[0].values())
    if findings.raw.problems:
        return None
    tables = [
        Table(line, header, rows[at + 1 :])
        for rows in sheets
        for at, (line, cells) in enumerate(rows[:ABOVE])
        if is_header(header := assigned(cells, columns))
    ]
    if not tables:
        _report_no_header(sheets, findings, clause, example)
        return None
    table = max(tables, key=lambda table: len(table.header.taken))
    for what in table.header.unclear:
        findings.problem(table.line, what, clause, "Rename one of them, or leave it out.")
    return None if table.header.unclear else table


def _report_no_header(
    sheets: Sequence[Rows], findings: Findings, clause: str, example: str
) -> None:
    """Say what was looked for, and what the first line has."""
    rows = max(sheets, key=lambda rows: max(len(row) for _, row in rows), default=[])
    first = rows[0][1] if rows else []
    shown = brief(" | ".join(cell.strip() for cell in first if cell.strip()))
    findings.problem(
        0,
        f"none of the first {ABOVE} lines names the columns"
        + (f"; the first is: {shown}" if shown else ""),
        clause,
        f"Put a header row above the list, such as: {example}",
    )
