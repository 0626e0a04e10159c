"""Tables with a header row, in CSV, a workbook or a web page: printed lists, decisions, results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from palmares.core.errors import Unreadable, brief
from palmares.core.messages import msg
from palmares.facts.csv import BrokenRow
from palmares.facts.decoding import ReportTables, decoded
from palmares.formats import saved_page
from palmares.formats.sheets.grid import Rows, csv_rows
from palmares.formats.sheets.headers import ABOVE, HeaderMap, assigned, cells_of
from palmares.formats.sheets.workbook import is_workbook, open_sheet


class HeadedGrid(NamedTuple):
    """A header row, and the lines under it."""

    line: int  # of the header
    header: HeaderMap
    rows: Rows

    def cells(self, findings: ReportTables, clause: str) -> Iterator[tuple[int, dict[str, str]]]:
        """The cells of each line by their columns; a line with too many cells is a problem."""
        for line, row in self.rows:
            if cells := cells_of(row, self.header, findings, line, clause):
                yield line, cells


def read_table(
    content: bytes,
    findings: ReportTables,
    columns: Mapping[str, str],
    is_header: Callable[[HeaderMap], bool],
    clause: str,
    example: str,
    encoding: str | None = None,
    *,
    headless: Callable[[Mapping[str, Rows]], HeadedGrid | None] = lambda _: None,
) -> HeadedGrid | None:
    """The header row and the lines under it; none if there is a problem.

    Args:
        content: of CSV, separated by commas, semicolons, tabs or bars, of a workbook or a page.
        findings: where problems go.
        columns: what each word of a header is taken for.
        is_header: whether a row is the header.
        clause: of the problems.
        example: a header row.
        encoding: of a CSV file; without it UTF-8.
        headless: reads rows, by their delimiter, without a header row.
    """
    broken: list[BrokenRow] = []
    if is_workbook(content):
        page = open_sheet(content, findings)
        sheets = {"\t": page.filled_rows()} if page else {}
    else:
        text = decoded(content, findings, encoding or saved_page.encoding_of(content))
        if text is not None and saved_page.is_html(text):
            text = _of_page(text, findings, lambda row: is_header(assigned(row, columns)), clause)
        sheets, broken = ({}, []) if text is None else csv_rows(text)
    if findings.problems:
        return None
    tables = [
        HeadedGrid(line, header, rows[at + 1 :])
        for rows in sheets.values()
        for at, (line, cells) in enumerate(rows[:ABOVE])
        if is_header(header := assigned(cells, columns))
    ]
    if not tables:
        table = headless(sheets)
        if table is None and not findings.problems:
            _report_no_header([*sheets.values()], broken, findings, clause, example)
        return table
    table = max(tables, key=lambda table: len(table.header.taken))
    for what in table.header.unclear:
        findings.problem(table.line, what, clause, msg("Rename one of them, or leave it out."))
    return None if table.header.unclear else table


def _of_page(
    text: str, findings: ReportTables, begins: Callable[[Sequence[str]], bool], clause: str
) -> str | None:
    """The table of a web page as lines with tabs; none, and a problem, if it has no simple one."""
    remedy = msg("Copy the table into a sheet, and fill in each of its cells.")
    try:
        table = saved_page.table_text(text, begins)
        why = saved_page.why_no_simple_table(text, begins) if table else msg(
            "no table of this page has a row that names its columns"
        )  # fmt: skip
    except Unreadable as error:
        why, remedy = error.what, error.remedy
    if why:
        findings.problem(0, why, clause, remedy)
    return None if why else table


def _report_no_header(
    sheets: Sequence[Rows],
    broken: Sequence[BrokenRow],
    findings: ReportTables,
    clause: str,
    example: str,
) -> None:
    """Say what was looked for, and what the first line has; or where quotes break the rows."""
    if broken:
        what = msg("this is not CSV: %(words)s", words=str(broken[0]))
        findings.problem(broken[0].reached, what, clause, msg("Check its quotes."))
        return
    rows = max(sheets, key=lambda rows: max((len(row) for _, row in rows), default=0), default=[])
    first = brief(" | ".join(cell.strip() for cell in (rows[0][1] if rows else []) if cell.strip()))
    findings.problem(
        0,
        msg("none of the first %(lines)s lines names the columns; the first is: %(first)s",
            lines=ABOVE, first=first)
        if first
        else msg("none of the first %(lines)s lines names the columns", lines=ABOVE),
        clause,
        msg("Put a header row above the list, such as: %(example)s", example=example),
    )  # fmt: skip
