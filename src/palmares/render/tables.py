"""
Rows written out: to the terminal, or into a file whose suffix chooses the format.

    emit        rows -> table, csv, json, md, html on standard output, or any format into a file
    Column      what a column holds and how it is headed

Text that a spreadsheet would take for a formula is neutralised in CSV and Excel files. A file
appears whole or not at all.
"""

from __future__ import annotations

import csv
import html
import io
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from palmares.core import messages
from palmares.core.errors import Refused
from palmares.core.extras import needs
from palmares.core.files import instead
from palmares.core.progress import over, task
from palmares.core.rounding import plain, shown

FORMATS = ("table", "csv", "json", "md", "html", "xlsx", "parquet")
TEXT_FORMATS = FORMATS[:5]
WRITING = "rows to write"
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""With the wide forms of the signs, which some spreadsheets take for them."""

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of output."""

    key: str
    head: str = ""  # for people; the key if empty
    kind: str = "text"  # text | date | number | points (a whole number of nanopoints)
    hidden: bool = False  # left out of the table for people

    @property
    def title(self) -> str:
        """The heading people see."""
        return self.head or self.key.replace("_", " ")

    @property
    def is_left(self) -> bool:
        """Whether it stands flush left, as words do."""
        return self.kind in ("text", "date")


def emit(
    rows: Rows,
    columns: Sequence[Column],
    *,
    format: str = "table",  # noqa: A002  (the name users type)
    output: str | os.PathLike[str] | None = None,
    title: str = "",
    notes: Sequence[str] = (),
) -> None:
    """Write rows to standard output, or to a file whose suffix chooses the format.

    Args:
        rows: one mapping a row; missing keys are empty.
        columns: what to write, in order.
        format: one of `TEXT_FORMATS` for standard output; ignored if the file has a suffix.
        output: a file to write in one piece.
        title: shown above the table for people, and as the caption of HTML.
        notes: lines below the table for people; in Excel, a sheet of their own.

    Raises:
        Refused: the suffix is unknown, or the file cannot be written.
    """
    if output is None:
        if format not in TEXT_FORMATS:
            raise Refused(f"The format {format} needs a file: -o FILE.{format}")
        if format == "table":
            _print_table(rows, columns, title, notes)
        else:
            sys.stdout.write(_TEXT[format](rows, columns, title))
        return
    path = Path(output)
    chosen = format_of(path, format)
    if chosen == "table":
        content = _table_text(rows, columns, title, notes).encode()
    elif chosen in _TEXT:
        content = _TEXT[chosen](rows, columns, title).encode()
    else:
        content = _BINARY[chosen](rows, columns, title, notes)
    write_whole(path, content)


def format_of(path: Path, otherwise: str) -> str:
    """The format that a file's suffix chooses; *otherwise* if it has none.

    Raises:
        Refused: no format has that suffix.
    """
    chosen = path.suffix[1:].lower() or otherwise
    chosen = {"htm": "html", "markdown": "md", "txt": "table", "text": "table"}.get(chosen, chosen)
    if chosen not in FORMATS:
        raise Refused(
            f"{path}: no format has the suffix {path.suffix}. There are: .txt .csv .json "
            ".md .html .xlsx .parquet"
        )
    return chosen


def print_text(lines: Iterable[str], output: str | os.PathLike[str] | None) -> None:
    """Write lines of text to standard output, or to a file in one piece."""
    text = "\n".join(lines) + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(Path(output), text.encode())


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it appears complete or not at all.

    A device or a pipe is written into: to put a file in its place would destroy ``/dev/null``.

    Raises:
        Refused: the directory is missing, is not writable, or is full.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        with instead(path) as draft:
            draft.write_bytes(content)
    except OSError as error:
        raise Refused(
            f"{path}: cannot be written ({error.strerror}). Nothing was written."
        ) from None


def neutral(text: str) -> str:
    """Text that no spreadsheet takes for a formula: a leading apostrophe where it might."""
    return "'" + text if text.startswith(FORMULA_STARTS) else text


def cell(value: Any, column: Column, places: int | None = None) -> str:
    """A value as text: points exact, or with so many places for people."""
    if value is None:
        return ""
    if column.kind == "points":
        return plain(value) if places is None else shown(value, places)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        value = float(value)
    if isinstance(value, float) and places is not None:
        return f"{value:.6f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
    return value.isoformat() if isinstance(value, date) else str(value)


# ── The formats ──────────────────────────────────────────────────────────────────────────────────


def _csv(rows: Rows, columns: Sequence[Column], title: str) -> str:
    del title
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.key for column in columns])
    for row in over(rows, WRITING):
        writer.writerow([_safe(row.get(column.key), column) for column in columns])
    return text.getvalue()


def _safe(value: Any, column: Column) -> str:
    text = cell(value, column)
    return neutral(text) if isinstance(value, str) else text


def _json(rows: Rows, columns: Sequence[Column], title: str) -> str:
    """One array of objects, an object a line, keys in the order of the columns."""
    del title
    import msgspec

    def value(row: Mapping[str, Any], column: Column) -> Any:
        held = row.get(column.key)
        if column.kind == "points" and held is not None:
            return msgspec.Raw(plain(held).encode())
        return held

    lines = [
        msgspec.json.encode(
            {column.key: value(row, column) for column in columns}, enc_hook=_readable
        ).decode()
        for row in over(rows, WRITING)
    ]
    return "[" + ",".join(f"\n  {line}" for line in lines) + ("\n" if lines else "") + "]\n"


def _readable(value: Any) -> Any:
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, Mapping):
        return dict(value)
    return messages.plain(value)


def _md(rows: Rows, columns: Sequence[Column], title: str) -> str:
    shown_columns = [column for column in columns if not column.hidden]
    lines = [f"**{_md_safe(title)}**", ""] if title else []
    lines.append("| " + " | ".join(column.title for column in shown_columns) + " |")
    lines.append(
        "|" + "|".join("---" if column.is_left else "---:" for column in shown_columns) + "|"
    )
    lines += [
        "| " + " | ".join(_md_safe(cell(row.get(c.key), c, 2)) for c in shown_columns) + " |"
        for row in over(rows, WRITING)
    ]
    return "\n".join(lines) + "\n"


def _md_safe(text: str) -> str:
    for mark in "\\|`*_<>[]":
        text = text.replace(mark, "\\" + mark)
    return text


def _html(rows: Rows, columns: Sequence[Column], title: str) -> str:
    shown_columns = [column for column in columns if not column.hidden]

    def attribute(column: Column) -> str:
        return "" if column.is_left else ' style="text-align:right"'

    head = "".join(
        f'<th scope="col"{attribute(c)}>{html.escape(c.title)}</th>' for c in shown_columns
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            f"<td{attribute(c)}>{html.escape(cell(row.get(c.key), c, 2))}</td>"
            for c in shown_columns
        )
        + "</tr>"
        for row in over(rows, WRITING)
    )
    caption = f"<caption>{html.escape(title)}</caption>\n" if title else ""
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f"<title>{html.escape(title or 'palmares')}</title>\n"
        f"<table>\n{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
        "</html>\n"
    )


def _xlsx(rows: Rows, columns: Sequence[Column], title: str, notes: Sequence[str]) -> bytes:
    needs("excel", "An Excel file")
    import xlsxwriter

    content = io.BytesIO()
    safe = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    book = xlsxwriter.Workbook(content, safe)  # no context: it would close, and write, on Ctrl-C
    sheet = book.add_worksheet("palmares")
    if title:
        book.set_properties({"title": title})
    bold = book.add_format({"bold": True})
    for place, column in enumerate(columns):
        sheet.write_string(0, place, column.key, bold)
    for line, row in enumerate(over(rows, WRITING), start=1):
        for place, column in enumerate(columns):
            held = row.get(column.key)
            if held is None:
                continue
            if column.kind == "points":
                sheet.write_number(line, place, float(plain(held)))
            elif column.kind == "number" and isinstance(held, int | float | Fraction):
                sheet.write_number(line, place, float(held))
            else:
                sheet.write_string(line, place, _safe(held, column))
    sheet.freeze_panes(1, 0)
    if notes:
        about = book.add_worksheet("notes")
        for line, note in enumerate(notes):
            about.write_string(line, 0, note)
    with task("workbook to pack"):
        sheet.autofit()
        book.close()
    return content.getvalue()


def _parquet(rows: Rows, columns: Sequence[Column], title: str, notes: Sequence[str]) -> bytes:
    del title, notes
    import polars as pl

    def value(row: Mapping[str, Any], column: Column) -> Any:
        held = row.get(column.key)
        if column.kind == "points" and held is not None:
            return float(plain(held))
        return held

    table = pl.DataFrame(
        {c.key: [value(row, c) for row in rows] for c in columns},
        schema_overrides={c.key: pl.Float64 for c in columns if c.kind == "points"},
        strict=False,
    )
    held = {"text": pl.String, "date": pl.Date, "number": pl.Int64}  # where no row says it
    table = table.with_columns(
        pl.col(c.key).cast(held[c.kind]) for c in columns if table[c.key].dtype == pl.Null
    )
    content = io.BytesIO()
    table.write_parquet(content)
    return content.getvalue()


_TEXT: Mapping[str, Callable[[Rows, Sequence[Column], str], str]] = {
    "csv": _csv,
    "json": _json,
    "md": _md,
    "html": _html,
}
_BINARY: Mapping[str, Callable[[Rows, Sequence[Column], str, Sequence[str]], bytes]] = {
    "xlsx": _xlsx,
    "parquet": _parquet,
}


# ── The table for people ─────────────────────────────────────────────────────────────────────────


def _table_text(rows: Rows, columns: Sequence[Column], title: str, notes: Sequence[str]) -> str:
    """The table as plain text with aligned columns."""
    shown_columns = [column for column in columns if not column.hidden]
    grid = [[column.title for column in shown_columns]]
    grid += [[cell(row.get(c.key), c, 2) for c in shown_columns] for row in over(rows, WRITING)]
    widths = [max(map(len, texts)) for texts in zip(*grid, strict=True)]
    lines = [title, ""] if title else []
    for texts in grid:
        cells = [
            text.ljust(width) if column.is_left else text.rjust(width)
            for text, width, column in zip(texts, widths, shown_columns, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join([*lines, *(["", *notes] if notes else [])]) + "\n"


def _print_table(rows: Rows, columns: Sequence[Column], title: str, notes: Sequence[str]) -> None:
    """The table on a terminal; plain text where standard output is none."""
    if not sys.stdout.isatty():
        sys.stdout.write(_table_text(rows, columns, title, notes))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(title, "bold") if title else None, box=SIMPLE_HEAD, title_justify="left"
    )
    shown_columns = [column for column in columns if not column.hidden]
    for column in shown_columns:
        table.add_column(column.title, justify="left" if column.is_left else "right")
    for row in rows:
        table.add_row(*(Text(cell(row.get(c.key), c, 2)) for c in shown_columns))
    console = Console(highlight=False)
    console.print(table)
    for note in notes:
        console.print(Text(note, "dim"))
