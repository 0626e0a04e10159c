"""
Read one sheet of a workbook in a process of its own.

Run as a file, with the limits and the sheet's name as arguments and the workbook on standard input;
writes JSON. It imports nothing of this project: it must be small, and it may die.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any
from zipfile import ZipFile

try:
    import resource
except ImportError:  # Windows: only the time is limited, by the other side
    resource = None  # type: ignore[assignment]

ODS = "content.xml"
EXCEL_FORMULA = re.compile(  # a cell with a formula and an empty value or none
    rb"""<(?:\w+:)?c\s([^>]*)>\s*<(?:\w+:)?f\b(?:[^>]*/>|[^<]*</(?:\w+:)?f>)\s*"""
    rb"""(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"""
)
EXCEL_CELL = re.compile(rb"""\br=["']([A-Z]{1,4}\d{1,9})["']""")
EXCEL_TEXT = re.compile(rb"""\bt=["']str["']""")  # of a formula: an empty text is a result
ODS_CELL = re.compile(
    r"""<table:table-cell((?:[^"'>/]|"[^"]*"|'[^']*')*)(?:/>|>(.*?)</table:table-cell>)""",
    re.DOTALL,
)
ODS_FORMULA = re.compile(r"""table:formula=["']([^"']*)""")
ODS_ROWS = re.compile(r"""table:number-rows-spanned=["'](?!1["'])""")
ODS_NUMBER = re.compile(r"""office:value=["']([^"']*)""")


def cell_text(value: Any) -> str:
    """A cell as plain text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    return str(value)


def formulas_without_result(package: ZipFile) -> Iterator[str]:
    """The cells of such formulas, or in OpenDocument the formulas: they would be read as empty."""
    for name in package.namelist():
        if name.startswith("xl/worksheets/"):
            for empty in EXCEL_FORMULA.finditer(package.read(name)):
                place = EXCEL_CELL.search(empty[1])
                if place and not EXCEL_TEXT.search(empty[1]):
                    yield place[1].decode()
        elif name == ODS:
            for cell in ODS_CELL.finditer(package.read(name).decode()):
                formula = ODS_FORMULA.search(cell[1])
                if formula and "office:value-type=" not in cell[1]:
                    yield formula[1]


def merged_over_rows(package: ZipFile, page: Any, rows: list[list[str]]) -> Iterator[Any]:
    """Cells merged over several rows: row and column, 0 where they are not known, and text."""
    for (top, left), (bottom, _) in page.merged_cell_ranges or ():
        above, before = page.start or (top + 1, 0)
        if bottom > top >= above and left >= before and top - above < len(rows):
            row = rows[top - above]
            yield top + 1, left + 1, row[left - before] if left - before < len(row) else ""
    if ODS in package.namelist():
        for cell in ODS_CELL.finditer(package.read(ODS).decode()):
            if ODS_ROWS.search(cell[1]):
                number = ODS_NUMBER.search(cell[1])
                yield 0, 0, number[1] if number else re.sub("<[^>]*>", "", cell[2] or "")


def main(memory: int, seconds: int, most: int, sheet: str) -> None:
    """Read one sheet, the first if none is named, and write it as JSON."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from python_calamine import CalamineWorkbook

    content = BytesIO(sys.stdin.buffer.read())
    workbook = CalamineWorkbook.from_filelike(content)
    package = ZipFile(content)
    names = workbook.sheet_names
    text: dict[str, Any] = {"sheets": names, "sheet": sheet or names[0]}
    text["formula"] = next(formulas_without_result(package), "")
    if text["sheet"] in names:
        page = workbook.get_sheet_by_name(text["sheet"])
        text["first"], text["left"] = (at + 1 for at in page.start or (0, 0))
        text["rows"] = [[cell_text(value) for value in row] for row in page.to_python()]
        text["merged"] = list(merged_over_rows(package, page, text["rows"]))
    written = json.dumps(text)
    if len(written) > most:  # one long text may stand in a million cells
        raise MemoryError(f"its cells hold {len(written):,} letters, and {most:,} are read")
    sys.stdout.write(written)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
