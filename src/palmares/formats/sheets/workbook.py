"""
Workbooks of strangers (Excel, OpenDocument), read in a process that may die.

A workbook of a few kilobytes can hold one cell in the last corner of a sheet, or unpack to
gigabytes. So the package is measured before anything is unpacked, and `workbook_child` reads it
with little memory and time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from palmares.core.errors import Unreadable
from palmares.core.extras import needs
from palmares.core.messages import msg
from palmares.facts.decoding import ReportTables, letters

CLAUSE = "report workbook"
MIB = 2**20

MOST_BYTES = 100 * MIB  # of the file
MOST_ENTRIES = 2_000
MOST_RATIO = 250  # unpacked to packed; sheets of text reach 20 to 60
SMALL = 20 * MIB  # unpacked: no ratio is dangerous below
OLD = b"\xd0\xcf\x11\xe0"
"""How an Excel workbook begins that is no package: from before 2007, or encrypted."""
MANIFEST = "META-INF/manifest.xml"
_ENCRYPTED = 0x1

SAVE_AGAIN = msg("Save the table of placings alone as a new .xlsx or .csv file and send that.")
"""What to do with a workbook that is not read."""


NOT_COMPUTED = "#NO_RESULT!"
"""What stands in a cell whose formula no program has computed."""
COMPUTE = msg(
    "Open it in a spreadsheet program, which computes it, correct it if it shows an error, save it,"
    " and send that."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a workbook may ask for."""

    unpacked: int = 1_000 * MIB  # bytes
    memory: int = 3_000 * MIB  # bytes of the process that reads
    seconds: int = 60
    text: int = 200 * MIB  # bytes of all cells as text


AT_HOME = Limits()
"""For files on the user's own machine."""


@dataclass(frozen=True, slots=True)
class Worksheet:
    """One sheet as text."""

    name: str
    sheets: tuple[str, ...]  # all there are
    first: int  # the number of the first row
    left: int  # the number of the first column
    rows: list[list[str]]
    notes: int = 0  # beside cells
    hidden: tuple[int, ...] = ()  # numbers of rows that are hidden in the sheet, or have white text
    hidden_columns: frozenset[str] = frozenset()  # letters of those
    money: Mapping[tuple[int, str], str] = field(default_factory=dict)
    """By row and column, what a number is shown with: a currency, its sign, a word."""

    def filled_rows(self) -> list[tuple[int, list[str]]]:
        """The rows that are not empty, with their numbers."""
        rows = enumerate(self.rows, self.first)
        return [(number, row) for number, row in rows if any(map(str.strip, row))]


def is_workbook(content: bytes) -> bool:
    """Whether a file begins as those of Excel and of LibreOffice do."""
    return content.startswith((b"PK\x03\x04", OLD))


def open_sheet(
    content: bytes, findings: ReportTables, sheet: str | None = None, limits: Limits = AT_HOME
) -> Worksheet | None:
    """Read one sheet of a workbook.

    Args:
        content: the file as it is.
        findings: where a problem goes.
        sheet: its name; without it the first that is not hidden.
        limits: how much it may ask for.
    """
    needs("excel", "Reading a workbook")
    try:
        _measure(content, limits)
        return _read(content, sheet or "", limits)
    except Unreadable as error:
        findings.problem(0, error.what, CLAUSE, error.remedy)
        return None


def _measure(content: bytes, limits: Limits) -> None:
    """Refuse a package that is no workbook, or too large, before anything is unpacked.

    Raises:
        Unreadable: it is one of these.
    """
    if content.startswith(OLD):
        raise Unreadable(
            0,
            msg("this is an old .xls workbook or one locked with a password"),
            msg("Remove the password, save it as .xlsx or .csv, and send that."),
        )
    if len(content) > MOST_BYTES:
        raise Unreadable(
            0, msg("the workbook has %(size)s MiB", size=len(content) // MIB), SAVE_AGAIN
        )
    try:
        with zipfile.ZipFile(BytesIO(content)) as package:
            entries, names = package.infolist(), package.namelist()
            _refuse_a_bomb(entries, limits)
            locked = any(entry.flag_bits & _ENCRYPTED for entry in entries) or (
                MANIFEST in names and b"encryption-data" in package.read(MANIFEST)
            )
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        raise Unreadable(
            0,
            msg("the file is cut off, damaged, or no Excel workbook at all"),
            msg("Open it in the program that made it, save it again, and use the new file."),
        ) from error
    if locked:
        raise Unreadable(
            0,
            msg("the workbook is locked with a password"),
            msg("Remove the password and save it."),
        )
    if not {"xl/workbook.xml", "content.xml"} & set(names):
        raise Unreadable(0, msg("the file is a zip archive, but no workbook"), SAVE_AGAIN)


def _refuse_a_bomb(entries: list[zipfile.ZipInfo], limits: Limits) -> None:
    unpacked = sum(entry.file_size for entry in entries)
    packed = sum(entry.compress_size for entry in entries)
    if len(entries) > MOST_ENTRIES:
        raise Unreadable(
            0,
            msg("the workbook is a package of %(count)s files", count=str(len(entries))),
            SAVE_AGAIN,
        )
    if unpacked > limits.unpacked or (unpacked > SMALL and unpacked > MOST_RATIO * packed):
        raise Unreadable(
            0,
            msg(
                "the workbook has %(packed)s bytes and unpacks to %(unpacked)s: it could fill the"
                " memory, so it was not opened",
                packed=packed,
                unpacked=unpacked,
            ),
            SAVE_AGAIN,
        )


def _read(content: bytes, sheet: str, limits: Limits) -> Worksheet:
    """Let the child read; whatever becomes of it, this process goes on.

    Raises:
        Unreadable: it cannot, or a value would be lost.
    """
    child = Path(__file__).with_name("workbook_child.py")
    most = (limits.memory, limits.seconds, limits.text)
    command = [sys.executable, "-I", str(child), *map(str, most), sheet]
    try:
        done = subprocess.run(  # noqa: S603  our own file, and a sheet's name as an argument
            command, input=content, capture_output=True, timeout=limits.seconds, check=False
        )
        page = json.loads(done.stdout) if done.returncode == 0 else None
    except (subprocess.TimeoutExpired, ValueError) as error:
        raise Unreadable(
            0,
            msg("the workbook could not be read in %(seconds)s seconds", seconds=limits.seconds),
            SAVE_AGAIN,
        ) from error
    if done.returncode < 0:  # stopped by the system
        raise Unreadable(
            0,
            msg("the workbook takes too much memory or time to read"),
            msg(
                "A cell far from the table is not empty: clear it, or copy the table of placings"
                " into a new workbook."
            ),
        )
    if page is None:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [""]
        words = last[0].partition(": ")[2][:200]
        raise Unreadable(
            0, msg("the workbook could not be read: %(words)s", words=words), SAVE_AGAIN
        )
    return _sheet_of(page)


def _place(page: dict[str, Any], row: int, column: int) -> tuple[int, int] | None:
    """Where a cell lies among those read, if it does."""
    down, right = row - page["first"], column - page["left"]
    is_read = 0 <= down < len(page["rows"]) and 0 <= right < len(page["rows"][down])
    return (down, right) if is_read else None


def _sheet_of(page: dict[str, Any]) -> Worksheet:
    """What the child wrote as a sheet.

    Raises:
        Unreadable: there is none of that name, or a value would be lost.
    """
    if page["sheet"] not in page["sheets"]:
        raise Unreadable(
            0,
            msg("the workbook has no sheet '%(name)s'", name=page["sheet"]),
            msg("Its sheets are %(names)s.", names=", ".join(page["sheets"])),
        )
    for row, column, error in page["odd"]:
        if place := _place(page, row, column):
            page["rows"][place[0]][place[1]] = error or NOT_COMPUTED
        else:
            cell = f"{letters(column)}{row}" if row and column else "?"
            raise Unreadable(
                0, msg("a formula has no result in the file: %(cell)s", cell=cell), COMPUTE
            )
    _refuse_unseen(page)
    for row, column, text, below in page["merged"]:
        is_number = text.strip().lstrip("Tt=")[:1].isdigit()  # a rank, and no title
        if is_number or (below and text.strip()):
            raise Unreadable(
                0,
                msg(
                    "a cell is merged over several rows: %(cell)s",
                    cell=f"{letters(column)}{row}" if row else f"'{text}'",
                ),
                msg("Split the cell, write its value in each of the rows, and save it."),
            )
    return Worksheet(
        page["sheet"], tuple(page["sheets"]), page["first"], page["left"], page["rows"],
        page["notes"],
        tuple(row for row, *_ in page["hidden"] if row),
        frozenset(letters(column) for row, column, _ in page["hidden"] if not row),
        {(row, letters(column)): sign for row, column, sign in page["money"] if column},
    )  # fmt: skip


def _refuse_unseen(page: dict[str, Any]) -> None:
    """Refuse a text that is struck out, or that lies under a merged cell, where nobody sees it.

    Raises:
        Unreadable: there is one.
    """
    messages = {
        "struck": (
            msg("a cell is struck out: %(cell)s"),
            msg("Delete it if it does not count, or take the line through it away."),
        ),
        "covered": (
            msg("a text lies under a merged cell, where it is not seen: %(cell)s"),
            msg("Split the merged cell, keep what counts, and save it."),
        ),
    }
    for mark, (what, remedy) in messages.items():
        for row, column, *more in page[mark]:
            place = _place(page, row, column)
            if not row or (place and page["rows"][place[0]][place[1]].strip()):
                cell = f"{letters(column)}{row}" if row and column else more[-1] or "?"
                raise Unreadable(0, msg(what, cell=cell), remedy)
