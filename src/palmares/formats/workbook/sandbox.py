"""
Workbooks of strangers (Excel, OpenDocument): looked at first, then read in a process that may die.

A workbook of a few kilobytes can hold one cell in the last corner of a sheet, or unpack to
gigabytes, and take the process that reads it with it. So the package is measured before anything
is unpacked, the sheets are searched for far cells as they stream by, and `child` reads with little
memory and time.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from palmares.core.extras import needs
from palmares.core.messages import msg
from palmares.facts.csv import MOST_COLUMNS
from palmares.facts.decoding import Findings, Unreadable
from palmares.facts.raw import column_number
from palmares.formats.workbook import ods
from palmares.formats.workbook.ods import SAVE_AGAIN

CLAUSE = "report workbook"
MIB = 2**20

MOST_BYTES = 100 * MIB  # of the file
MOST_ENTRIES = 2_000
MOST_RATIO = 250  # unpacked to packed; sheets of text reach 20 to 60
SMALL = 20 * MIB  # unpacked: no ratio is dangerous below

_CHUNK = MIB
_OVERLAP = 64
_ROWS = re.compile(rb"""\sr=["'][A-Z]{0,4}(\d+)["']""")
_COLUMNS = re.compile(rb"""\sr=["']([A-Z]{1,9})\d""")
_DIMENSION = re.compile(rb"""<(?:\w+:)?dimension\s[^>]*ref=["'](?:[A-Z]+\d+:)?([A-Z]+)(\d+)["']""")
_STRANGE = re.compile(rb"""<!DOCTYPE|<!ENTITY|\x00|\sr=["'][^"'<>]{0,20}&""")
_FORMULA = re.compile(  # a cell with a formula and an empty value or none
    rb"""<(?:\w+:)?c\s([^>]*)>\s*<(?:\w+:)?f\b(?:[^>]*/>|[^<]*</(?:\w+:)?f>)\s*"""
    rb"""(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"""
)
_CELL = re.compile(rb"""\br=["']([A-Z]{1,4})(\d{1,9})["']""")
_TEXT = re.compile(rb"""\bt=["']str["']""")  # of a formula: an empty text is a result
_OLE = b"\xd0\xcf\x11\xe0"
_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a workbook may ask for."""

    unpacked: int = 1_000 * MIB  # bytes
    cells: int = 25_000_000  # of the rectangle that holds them all; the reader allocates it
    memory: int = 3_000 * MIB  # bytes of the process that reads
    seconds: int = 60
    text: int = 1_000 * MIB  # bytes of all cells as text


AT_HOME = Limits()
"""For files on the user's own machine."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet as text."""

    name: str
    sheets: tuple[str, ...]  # all there are
    first: int  # the number of the first row
    left: int  # the number of the first column
    rows: list[list[str]]

    def numbered(self) -> list[tuple[int, list[str]]]:
        """The rows with their numbers."""
        return list(enumerate(self.rows, self.first))


def is_workbook(content: bytes) -> bool:
    """Whether a file begins as those of Excel and of LibreOffice do."""
    return content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0"))


def open_sheet(
    content: bytes, findings: Findings, sheet: str | None = None, limits: Limits = AT_HOME
) -> Sheet | None:
    """Read one sheet of a workbook.

    Args:
        content: the file as it is.
        findings: where a problem goes.
        sheet: its name; without it the first.
        limits: how much it may ask for.
    """
    needs("excel", "Reading a workbook")
    try:
        _look(content, limits)
        return _read(content, sheet or "", limits)
    except Unreadable as error:
        findings.problem(0, error.what, CLAUSE, error.remedy)
        return None


def _look(content: bytes, limits: Limits) -> None:
    """Measure the package before anything of it is unpacked."""
    if content.startswith(_OLE):
        raise Unreadable(
            msg("this is an old .xls workbook or one locked with a password"),
            msg("Remove the password, save it as .xlsx or .csv, and send that."),
        )
    if len(content) > MOST_BYTES:
        raise Unreadable(msg("the workbook has %(size)s MiB", size=len(content) // MIB), SAVE_AGAIN)
    try:
        with zipfile.ZipFile(BytesIO(content)) as package:
            _measure(package.infolist(), limits)
            names = package.namelist()
            if "mimetype" in names and package.read("mimetype").strip() == ods.MIME:
                _look_at_ods(package, names, limits)
                return
            if "xl/workbook.xml" not in names:
                raise Unreadable(msg("the file is a zip archive, but no workbook"), SAVE_AGAIN)
            for name in names:
                if name.startswith("xl/") and name.endswith((".xml", ".rels")):
                    _search(package, name, limits)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        raise Unreadable(
            msg("the file is cut off, damaged, or no Excel workbook at all"),
            msg("Open it in the program that made it, save it again, and use the new file."),
        ) from error


def _look_at_ods(package: zipfile.ZipFile, names: list[str], limits: Limits) -> None:
    """Look for cells far out in an OpenDocument workbook."""
    if ods.MANIFEST in names and any(
        ods.LOCKED in chunk for chunk in _chunks(package, ods.MANIFEST)
    ):
        raise _locked()
    if ods.CONTENT not in names:
        raise Unreadable(msg("the file is a zip archive, but no workbook"), SAVE_AGAIN)
    last_column = 1

    def reach(row: int, column: int) -> None:
        nonlocal last_column
        last_column = max(last_column, column)
        _refuse_far(row, last_column, limits)

    with package.open(ods.CONTENT) as text:
        ods.measure(text, limits.cells, reach)


def _locked() -> Unreadable:
    return Unreadable(
        msg("the workbook is locked with a password"), msg("Remove the password and save it.")
    )


def _measure(entries: list[zipfile.ZipInfo], limits: Limits) -> None:
    unpacked = sum(entry.file_size for entry in entries)
    packed = sum(entry.compress_size for entry in entries)
    if len(entries) > MOST_ENTRIES:
        raise Unreadable(
            msg("the workbook is a package of %(count)s files", count=str(len(entries))),
            SAVE_AGAIN,
        )
    if any(entry.flag_bits & _ENCRYPTED for entry in entries):
        raise _locked()
    if unpacked > limits.unpacked or (unpacked > SMALL and unpacked > MOST_RATIO * packed):
        raise Unreadable(
            msg(
                "the workbook has %(packed)s bytes and unpacks to %(unpacked)s: it could fill the"
                " memory, so it was not opened",
                packed=packed,
                unpacked=unpacked,
            ),
            SAVE_AGAIN,
        )


def _search(package: zipfile.ZipFile, name: str, limits: Limits) -> None:
    """Stream one part of the workbook and look for cells far out, and for what no workbook has."""
    sheet = name.startswith("xl/worksheets/")
    last_row = last_column = 1
    for chunk in _chunks(package, name):
        if _STRANGE.search(chunk):
            raise Unreadable(
                msg("%(name)s in the workbook is not what Excel writes", name=name), SAVE_AGAIN
            )
        if not sheet:
            continue
        for formula in _FORMULA.finditer(chunk):
            if (at := _CELL.search(formula[1])) and not _TEXT.search(formula[1]):
                raise ods.no_result(int(at[2]), column_number(at[1].decode()))
        columns = set(_COLUMNS.findall(chunk))
        rows = _ROWS.findall(chunk)
        if dimension := _DIMENSION.search(chunk):
            columns.add(dimension[1])
            rows.append(dimension[2])
        last_row = max(last_row, *(int(row[:9]) for row in set(rows)), 1)
        last_column = max(last_column, *(column_number(column.decode()) for column in columns), 1)
        _refuse_far(last_row, last_column, limits)


def _refuse_far(row: int, column: int, limits: Limits) -> None:
    """Refuse a sheet whose last cell is so far out that the reader would need much memory."""
    if column > MOST_COLUMNS or row * column > limits.cells:
        raise Unreadable(
            msg(
                "a sheet of the workbook reaches row %(row)s and column %(column)s",
                row=row,
                column=column,
            ),
            msg(
                "A cell far from the table is not empty: clear it, or copy the table of placings"
                " into a new workbook."
            ),
        )


def _chunks(package: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """The content of one part, piece by piece, each with the end of the one before."""
    tail = b""
    with package.open(name) as part:
        while piece := part.read(_CHUNK):
            yield tail + piece
            tail = piece[-_OVERLAP:]


def _read(content: bytes, sheet: str, limits: Limits) -> Sheet:
    """Let the child read; whatever becomes of it, this process goes on."""
    child = Path(__file__).with_name("child.py")
    most = (limits.memory, limits.seconds, limits.text)
    command = [sys.executable, "-I", str(child), *map(str, most), sheet]
    try:
        done = subprocess.run(  # noqa: S603  our own file, and a sheet's name as an argument
            command, input=content, capture_output=True, timeout=limits.seconds, check=False
        )
    except (subprocess.TimeoutExpired, ValueError) as error:
        raise Unreadable(
            msg("the workbook could not be read in %(seconds)s seconds", seconds=limits.seconds),
            SAVE_AGAIN,
        ) from error
    try:
        page = json.loads(done.stdout) if done.returncode == 0 else None
    except ValueError:
        page = None
    if page is None:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [""]
        words = last[0].partition(": ")[2][:200]
        raise Unreadable(
            msg("the workbook could not be read: %(words)s", words=words)
            if words
            else msg("the workbook could not be read"),
            SAVE_AGAIN,
        )
    if page["sheet"] not in page["sheets"]:
        raise Unreadable(
            msg("the workbook has no sheet '%(name)s'", name=page["sheet"]),
            msg("Its sheets are %(names)s.", names=", ".join(page["sheets"])),
        )
    for row, column, rows in page["merged"]:
        text = page["rows"][row - page["first"]][column - page["left"]]
        if ods.is_figure(text):
            raise ods.merged(row, column, rows)
    return Sheet(page["sheet"], tuple(page["sheets"]), page["first"], page["left"], page["rows"])
