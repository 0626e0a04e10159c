"""
What a reader hands over: cells as text, each with the file and line it came from.

A reader never converts and never repairs; `palmares.facts.cells` turns text into values and says
which cells are wrong, `palmares.facts.checks` says which rows contradict each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from msgspec import Struct, field

from palmares.core.errors import Location, Problem


class TextTable(Struct):
    """One table, column by column; a column has an entry a row, None where the cell is empty."""

    columns: dict[str, list[str | None]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)  # as named by the user
    lines: list[int] = field(default_factory=list)  # counted from 1, as an editor does

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.lines)

    def add(self, row: Mapping[str, str | None], file: str, line: int) -> None:
        """Append one row; columns it does not name are empty in it."""
        for name in row:
            if name not in self.columns:
                self.columns[name] = [None] * len(self.lines)
        for name, cells in self.columns.items():
            cells.append(row.get(name) or None)
        self.files.append(file)
        self.lines.append(line)


def letters(number: int) -> str:
    """The name of a column of a sheet by its number: 3 is C, 28 is AB."""
    more, last = divmod(number - 1, 26)
    return (letters(more) if more else "") + chr(ord("A") + last)


def column_number(name: str) -> int:
    """The number of a column of a sheet by its name: C is 3, AB is 28."""
    number = 0
    for letter in name:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


class SourceMap(Struct):
    """Where cells of the facts come from in a file: the cell of a workbook, the line of a key.

    Problems are known by the cell of the facts that they are about, or else by their clause.
    """

    places: dict[str, tuple[int, str]] = field(default_factory=dict)  # line, 0: its own; column
    keys: dict[tuple[int, str], int] = field(default_factory=dict)  # line of a table, key -> line

    rows: dict[int, list[str]] = field(default_factory=dict)  # from column *left* on
    left: int = 1  # the number of the first column

    def spot(self, at: Location, clause: str) -> Location:
        """Where a problem with a row is seen: at ``list.xlsx:C7``, or in the line of a key."""
        if not at.line or at.column:
            return at
        line, column = self.places.get(at.cell or clause, (0, ""))
        return replace(at, line=line or self.keys.get((at.line, at.key), at.line), column=column)


class ReportTables(Struct):
    """Everything one reader found: tables by name, and what it could not read."""

    tables: dict[str, TextTable] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)  # stop the work
    notices: list[Problem] = field(default_factory=list)  # are shown, and stop nothing
    seen: dict[str, SourceMap] = field(default_factory=dict)  # sheets of workbooks, by file
    beside: list[str] = field(default_factory=list)  # other files that were read as part of it
    title: str = ""  # a line above the placings that was taken for the tournament's name
    sheets: tuple[str, ...] = ()  # all there are in a workbook
    sheet: str = ""  # the one that was read
    form: str = ""  # what the file was read as, such as "CSV sheet"

    def table(self, name: str) -> TextTable:
        """The table of that name; a new empty one if there is none."""
        return self.tables.setdefault(name, TextTable())
