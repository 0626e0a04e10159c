"""
Rows written out: to the terminal, or into a file whose suffix chooses the format.

Text that a spreadsheet would take for a formula is neutralised in CSV and Excel files. A file
appears whole or not at all.
"""

from __future__ import annotations

import csv
import html
import io
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from palmares.core import messages
from palmares.core.columns import align, text_width
from palmares.core.errors import Refused
from palmares.core.extras import needs
from palmares.core.files import atomic_path
from palmares.core.progress import over, task
from palmares.core.rounding import MINUS, exact_text, points_text
from palmares.render import pdf

FOR_PEOPLE = ("table", "md", "html", "pdf")
"""Formats that people read: numbers are rounded, and ids are left out."""
FORMATS = ("table", "csv", "json", "md", "html", "xlsx", "parquet", "pdf")
TEXT_FORMATS = FORMATS[:5]
WRITING = "rows to write"
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""With the wide forms of the signs, which some spreadsheets take for them."""

GAP = 2  # spaces between two columns of the table for people
NARROWEST = 20
"""Letters a line to which words are broken on a terminal, before a whole column is left out."""

_MARKS = re.compile(r"[\\|`*_<>\[\]]")
"""What Markdown takes for a sign of its own."""

_HYPHEN = re.compile(r"(?<!\w)-(?=\d)")
"""The sign of a number, as Python writes it."""

_RIGHT = ' style="text-align:right"'

Rows = Sequence[Mapping[str, Any]]


class OutputColumn(Struct, frozen=True):
    """One column of output."""

    key: str
    head: str = ""  # for people; the key if empty
    kind: str = "text"  # text | date | moment (UTC) | number | points (whole nanopoints)
    hidden: bool = False  # left out of the table for people, unless it is wide
    priority: int = 1  # on a narrow terminal: 0 is left out last, 2 first
    optional: bool = False  # left out for people where no row has a value

    @property
    def title(self) -> str:
        """The heading people see."""
        return self.head or self.key.replace("_", " ")

    @property
    def is_left(self) -> bool:
        """Whether it is aligned to the left, as words are."""
        return self.kind in ("text", "date", "moment")


class OutputTable(Struct, frozen=True, kw_only=True):
    """Rows, and what is written of them."""

    rows: Rows  # missing keys are empty
    columns: Sequence[OutputColumn]
    title: str = ""  # above the table for people, and the caption of HTML
    notes: Sequence[str] = ()  # lines below the table for people; in Excel, a sheet of their own
    source: Sequence[pdf.Cited] = ()  # the editions that made them, for printed pages
    wide: bool = False  # every column, however wide
    remedy: str = ""  # what to do where a column has no room on the terminal

    @property
    def for_people(self) -> list[OutputColumn]:
        """The columns that people see."""
        return [column for column in self.columns if self.wide or not self._is_left_out(column)]

    def _is_left_out(self, column: OutputColumn) -> bool:
        return column.hidden or (
            column.optional and not any(row.get(column.key) for row in self.rows)
        )

    def texts(self) -> Iterator[list[str]]:
        """What people see of each row."""
        columns = self.for_people
        for row in over(self.rows, WRITING):
            yield [cell(row.get(column.key), column, 2) for column in columns]

    def printed_texts(self) -> Iterator[list[str]]:
        """The same for HTML and PDF: a number below zero has a minus, no hyphen."""
        numbers = [not column.is_left for column in self.for_people]
        for texts in self.texts():
            yield [
                _HYPHEN.sub(MINUS, text) if is_number else text
                for text, is_number in zip(texts, numbers, strict=True)
            ]


def emit(
    table: OutputTable,
    format: str = "table",  # noqa: A002  (the name users type)
    output: str | os.PathLike[str] | None = None,
) -> None:
    """Write a table to standard output, or to a file whose suffix chooses the format.

    Args:
        table: for people every column that is not hidden; a terminal has those that fit.
        format: one of `TEXT_FORMATS` for standard output; ignored if the file has a suffix.
        output: a file to write in one piece.

    Raises:
        Refused: the suffix is unknown, or the file cannot be written.
    """
    if output is None:
        if format not in TEXT_FORMATS:
            raise Refused(f"The format {format} needs a file: -o FILE.{format}")
        room = terminal_width()
        if format == "table" and room and not table.wide:
            _print_table(table, room)
        else:
            sys.stdout.write(table_bytes(table, format).decode())
        return
    write_atomically(Path(output), table_bytes(table, format_of(Path(output), format)))


def table_bytes(table: OutputTable, format: str) -> bytes:  # noqa: A002
    """A table as a file of one of `FORMATS`."""
    content = _WRITERS[format](table)
    return content.encode() if isinstance(content, str) else content


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
            ".md .html .xlsx .parquet .pdf"
        )
    return chosen


def print_text(lines: Iterable[str], output: str | os.PathLike[str] | None) -> None:
    """Write lines of text to standard output, or to a file in one piece."""
    text = "\n".join(lines) + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        write_atomically(Path(output), text.encode())


def check_folder(path: Path) -> None:
    """Refuse a file in a folder that is not there.

    Raises:
        Refused: there is no such folder.
    """
    if not path.parent.is_dir():
        raise Refused(
            f"{path}: there is no folder {path.parent}. Make it first, or name another file."
            " Nothing was written."
        )


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it appears complete or not at all.

    A device or a pipe is written into: to put a file in its place would destroy ``/dev/null``.

    Raises:
        Refused: the directory is missing, is not writable, or is full.
    """
    check_folder(path)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        with atomic_path(path) as draft:
            draft.write_bytes(content)
    except OSError as error:
        raise Refused(
            f"{path}: cannot be written ({error.strerror}). Nothing was written."
        ) from None


def neutral(text: str) -> str:
    """Text that no spreadsheet takes for a formula: a leading apostrophe where it might."""
    return "'" + text if text.startswith(FORMULA_STARTS) else text


def restored(text: str) -> str:
    """The text from which `neutral` made this one."""
    return text[1:] if text[:1] == "'" and text.lstrip("'").startswith(FORMULA_STARTS) else text


def cell(value: Any, column: OutputColumn, places: int | None = None) -> str:
    """A value as text; points are exact, or have a number of decimal places for people."""
    if value is None or isinstance(value, str):
        is_moment = column.kind == "moment" and places is not None
        return f"{value:.16}".replace("T", " ") if value and is_moment else value or ""
    if column.kind == "points":
        return exact_text(value) if places is None else points_text(value, places)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Fraction):
        value = float(value)
    if isinstance(value, float) and places is not None:
        return f"{value:.6f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
    return value.isoformat() if isinstance(value, date) else str(value)


def exact_points(value: Any) -> Any:
    """Nanopoints as a number of JSON with at most nine decimals."""
    return None if value is None else msgspec.Raw(exact_text(value).encode())


# ── The formats ──────────────────────────────────────────────────────────────────────────────────


def _csv(table: OutputTable) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.key for column in table.columns])
    for row in over(table.rows, WRITING):
        writer.writerow([_safe(row.get(column.key), column) for column in table.columns])
    return text.getvalue()


def _safe(value: Any, column: OutputColumn) -> str:
    text = cell(value, column)
    return neutral(text) if isinstance(value, str) else text


def _json(table: OutputTable) -> str:
    """One array of objects, an object a line, keys in the order of the columns."""
    lines = []
    for row in over(table.rows, WRITING):
        values = {column.key: row.get(column.key) for column in table.columns}
        points = (column.key for column in table.columns if column.kind == "points")
        values |= {key: exact_points(values[key]) for key in points}
        lines.append(msgspec.json.encode(values, enc_hook=_readable).decode())
    return "[" + ",".join(f"\n  {line}" for line in lines) + ("\n" if lines else "") + "]\n"


def _readable(value: Any) -> Any:
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    return dict(value) if isinstance(value, Mapping) else messages.english(value)


def _md(table: OutputTable) -> str:
    columns = table.for_people
    rules = ["---" if column.is_left else "---:" for column in columns]
    lines = [f"**{_md_safe(table.title)}**", ""] if table.title else []
    lines.append("| " + " | ".join(column.title for column in columns) + " |")
    lines.append("|" + "|".join(rules) + "|")
    lines += ["| " + " | ".join(map(_md_safe, texts)) + " |" for texts in table.texts()]
    return "\n".join(lines) + "\n"


def _md_safe(text: str) -> str:
    return _MARKS.sub(r"\\\g<0>", text)


def _html(table: OutputTable) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f"<title>{html.escape(table.title or 'palmares')}</title>\n"
        f"{html_table(table, _RIGHT)}</html>\n"
    )


def html_table(table: OutputTable, right: str, row_head: str = "") -> str:
    """What people see of a table, as HTML.

    Args:
        table: its title is the caption.
        right: the attribute of cells that stand flush right.
        row_head: the key of the column that names a row.
    """
    columns = table.for_people

    def cells(texts: Sequence[str], scope: str) -> str:
        """A row; of the body only the name of the row is a heading."""
        tags = [
            f'th scope="{scope}"' if scope == "col" or column.key == row_head else "td"
            for column in columns
        ]
        return "".join(
            f"<{tag}{'' if column.is_left else right}>{html.escape(text)}</{tag[:2]}>"
            for tag, column, text in zip(tags, columns, texts, strict=True)
        )

    caption = f"<caption>{html.escape(table.title)}</caption>\n" if table.title else ""
    head = cells([column.title for column in columns], "col")
    body = "\n".join(f"<tr>{cells(texts, 'row')}</tr>" for texts in table.printed_texts())
    return (
        f"<table>\n{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
    )


def _xlsx(table: OutputTable) -> bytes:
    needs("excel", "An Excel file")
    import xlsxwriter

    content = io.BytesIO()
    safe = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    book = xlsxwriter.Workbook(content, safe)  # no context: it would close, and write, on Ctrl-C
    sheet = book.add_worksheet("palmares")
    if table.title:
        book.set_properties({"title": table.title})
    bold = book.add_format({"bold": True})
    for place, column in enumerate(table.columns):
        sheet.write_string(0, place, column.key, bold)
    for line, row in enumerate(over(table.rows, WRITING), start=1):
        for place, column in enumerate(table.columns):
            value = row.get(column.key)
            if column.kind == "points" and value is not None:
                sheet.write_number(line, place, float(exact_text(value)))
            elif column.kind == "number" and isinstance(value, int | float | Decimal | Fraction):
                sheet.write_number(line, place, float(value))
            elif value is not None:
                sheet.write_string(line, place, _safe(value, column))
    sheet.freeze_panes(1, 0)
    if table.notes:
        book.add_worksheet("notes").write_column(0, 0, table.notes)
    with task("workbook to pack"):
        sheet.autofit()
        book.close()
    return content.getvalue()


def _parquet(table: OutputTable) -> bytes:
    import polars as pl

    def value(row: Mapping[str, Any], column: OutputColumn) -> Any:
        given = row.get(column.key)
        return given if column.kind != "points" or given is None else float(exact_text(given))

    frame = pl.DataFrame(
        {column.key: [value(row, column) for row in table.rows] for column in table.columns},
        strict=False,
    )
    types = {
        "text": pl.String, "date": pl.Date, "moment": pl.String,
        "number": pl.Int64, "points": pl.Float64,
    }  # fmt: skip
    frame = frame.with_columns(  # where no row says it
        pl.col(column.key).cast(types[column.kind])
        for column in table.columns
        if frame[column.key].dtype == pl.Null
    )
    content = io.BytesIO()
    frame.write_parquet(content)
    return content.getvalue()


def pdf_pages(tables: Sequence[OutputTable]) -> pdf.Content:
    """Tables below each other as pages to print; title, notes and source are those of the first.

    Returns:
        What the template takes: sizes in points, the bottom margin in millimetres.

    Raises:
        Refused: they have more rows than are printed.
    """
    first = tables[0]
    grids = [list(table.printed_texts()) for table in tables]
    if (many := sum(map(len, grids))) > pdf.MOST_ROWS:
        raise Refused(
            f"A PDF holds at most {pdf.MOST_ROWS:,} rows; this table has {many:,}. Ask for fewer,"
            " or write .xlsx or .html instead."
        )
    widths = [_printed_widths(table, grid) for table, grid in zip(tables, grids, strict=True)]
    is_wide = any(pdf.SMALL * sum(of_table) > pdf.PORTRAIT for of_table in widths)
    room = pdf.LANDSCAPE if is_wide else pdf.PORTRAIT
    parts = [_printed_part(*part, room) for part in zip(tables, grids, widths, strict=True)]
    left_out = [heading for _, headings in parts for heading in headings]
    no_room = f"No room for {', '.join(left_out)}: .xlsx and .html files have every column."
    parts[0][0]["caption"] = ""
    return {
        "title": first.title or "palmares",
        "subtitle": "",
        "flipped": is_wide,
        "tables": [part for part, _ in parts],
        "notes": [*first.notes, *([no_room] if left_out else [])],
        **pdf.cites(first.source),
    }


def _printed_widths(table: OutputTable, grid: Sequence[Sequence[str]]) -> list[float]:
    """The widths of columns on paper, in sizes of their letters: words in their usual length."""
    widths = []
    for place, column in enumerate(table.for_people):
        letters = sorted(text_width(texts[place]) for texts in grid) or [0]
        usual = min(pdf.WRAPPED, letters[int(pdf.USUAL * (len(letters) - 1))])
        longest = usual if column.is_left else letters[-1]
        widths.append(pdf.GUTTER + max(pdf.HEAD * len(column.title), pdf.LETTER * longest))
    return widths


def _printed_part(
    table: OutputTable, grid: Sequence[Sequence[str]], widths: Sequence[float], room: float
) -> tuple[pdf.Content, list[str]]:
    """A table as the template takes it, and the headings for which there is no room."""
    columns = table.for_people
    places = _fitting(columns, grid, [pdf.SMALLEST * width for width in widths], room)
    size = room / sum(widths[place] for place in places)
    part = {
        "caption": table.title,
        "groups": [],
        "headings": [columns[place].title for place in places],
        "align": ["l" if columns[place].is_left else "r" for place in places],
        "strong": -1,
        "blocks": [[[texts[place] for place in places] for texts in grid]],
        "size": max(pdf.SMALLEST, min(pdf.LARGEST, size)),
        "space": pdf.SPACE,
    }
    return part, [column.title for at, column in enumerate(columns) if at not in places]


# ── The table for people ─────────────────────────────────────────────────────────────────────────


def table_lines(table: OutputTable) -> list[str]:
    """What people see of a table as lines of text with aligned columns."""
    columns = table.for_people
    grid = [[column.title for column in columns], *table.texts()]
    return align(grid, [place for place, column in enumerate(columns) if not column.is_left])


def _table_text(table: OutputTable) -> str:
    """The table as plain text."""
    above = [table.title, ""] if table.title else []
    below = ["", *table.notes] if table.notes else []
    return "\n".join([*above, *table_lines(table), *below]) + "\n"


def terminal_width() -> int | None:
    """The columns of the terminal that standard output is; none if it is a file or a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _print_table(table: OutputTable, room: int) -> None:
    """Print a table on a terminal, with the columns that fit by priority."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as Drawn
    from rich.text import Text

    columns, grid = table.for_people, list(table.texts())
    widths = _terminal_widths(columns, grid, room)
    drawn = Drawn(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for place, width in widths.items():
        column = columns[place]
        drawn.add_column(
            column.title,
            justify="left" if column.is_left else "right",
            overflow="fold",
            width=width,
        )
    for texts in grid:
        drawn.add_row(*(Text(texts[place]) for place in widths))
    left_out = [column.title for place, column in enumerate(columns) if place not in widths]
    notes = ["", *table.notes] if table.notes else []
    if left_out:
        notes += ["", f"No room for {', '.join(left_out)}{table.remedy and f': {table.remedy}'}."]
    console = Console(highlight=False, width=room)
    if table.title:
        console.print(Text(table.title, "bold"), "", sep="\n")
    console.print(drawn, *(Text(note, "dim") for note in notes), sep="\n")


def _terminal_widths(
    columns: Sequence[OutputColumn], grid: Sequence[Sequence[str]], room: int
) -> dict[int, int]:
    """The columns that fit, by place, and how wide each is: numbers and days in full.

    Words are broken where that keeps a column.
    """
    full, least = [], []
    for place, column in enumerate(columns):
        cells = [texts[place] for texts in grid]
        word = max(map(text_width, column.title.split()), default=0)
        longest = max(map(text_width, cells), default=0)
        full.append(max(longest, text_width(column.title) if column.kind == "text" else word))
        least.append(max(word, min(longest, NARROWEST)) if column.kind == "text" else full[-1])
    fitting = _fitting(columns, grid, [width + GAP for width in least], room + GAP)
    spare = room - sum(least[place] + GAP for place in fitting) + GAP
    widths = dict.fromkeys(fitting, 0)
    fitting.sort(key=lambda place: full[place] - least[place])
    for after, place in enumerate(fitting, start=1):
        more = min(full[place] - least[place], max(0, spare) // (len(fitting) - after + 1))
        widths[place], spare = least[place] + more, spare - more
    return widths


def _fitting(
    columns: Sequence[OutputColumn],
    grid: Sequence[Sequence[str]],
    needed: Sequence[float],
    room: float,
) -> list[int]:
    """The columns that fit, by place; at least one.

    Those of a lower priority, or with the same text in every row, are left out first.
    """

    def order(place: int) -> tuple[int, bool]:
        cells = {texts[place] for texts in grid}
        return columns[place].priority, len(grid) > 1 and len(cells) == 1

    fitting, used = list[int](), 0.0
    for place in sorted(range(len(columns)), key=order):
        if used + needed[place] <= room or not fitting:
            fitting.append(place)
            used += needed[place]
    return sorted(fitting)


_WRITERS: Mapping[str, Callable[[OutputTable], str | bytes]] = {
    "table": _table_text,
    "csv": _csv,
    "json": _json,
    "md": _md,
    "html": _html,
    "xlsx": _xlsx,
    "parquet": _parquet,
    "pdf": lambda table: pdf.compile_pdf(pdf_pages([table])),
}
