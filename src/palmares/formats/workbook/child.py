"""
The other side of the gate: reads one sheet of a workbook in a process of its own.

Run as a file, with the limits and the sheet's name as arguments, the workbook on standard input;
writes JSON. It imports nothing of this project: it must be small, and it may die.
"""

from __future__ import annotations

import json
import sys
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any

try:
    import resource
except ImportError:  # Windows: only the time is limited, by the other side
    resource = None  # type: ignore[assignment]


def cell(value: Any) -> str:
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


def main(memory: int, seconds: int, most: int, sheet: str) -> None:
    """Read one sheet, the first if none is named, and write it as JSON."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from python_calamine import CalamineWorkbook

    workbook = CalamineWorkbook.from_filelike(BytesIO(sys.stdin.buffer.read()))
    names = workbook.sheet_names
    chosen = sheet or names[0]
    page_text: dict[str, Any] = {"sheets": names, "sheet": chosen, "first": 1, "left": 1}
    page_text |= {"rows": [], "merged": []}
    if chosen in names:
        page = workbook.get_sheet_by_name(chosen)
        page_text["first"], page_text["left"] = (at + 1 for at in page.start or (0, 0))
        rows = page.to_python(skip_empty_area=True)
        page_text["rows"] = [[cell(value) for value in row] for row in rows]
        page_text["merged"] = [
            (top + 1, left + 1, bottom - top + 1)
            for (top, left), (bottom, _) in page.merged_cell_ranges or ()
            if bottom > top and page.start and top >= page.start[0] and left >= page.start[1]
            if page.end and top <= page.end[0] and left <= page.end[1]
        ]
    text = json.dumps(page_text)
    if len(text) > most:  # one long text may stand in a million cells
        raise MemoryError(f"its cells hold {len(text):,} letters, and {most:,} are read")
    sys.stdout.write(text)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
