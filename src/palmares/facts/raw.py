"""
The result of a reader: cells as text, each with its file and line.

A reader never converts or repairs. `palmares.facts.cells` turns text into values and reports wrong
cells, `palmares.facts.checks` reports rows that contradict each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from msgspec import Struct, field

from palmares.core.errors import Location, Problem
from palmares.facts.schema import FILE, LINE

Cells = Mapping[str, str | None]
"""Cells of a row as text, by column."""
TextRow = dict[str, Any]
"""The cells of a row; in `FILE` and `LINE` where it comes from."""


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
    """The result of one reader: its tables, problems and notices."""

    tables: dict[str, list[TextRow]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)  # stop the work
    notices: list[Problem] = field(default_factory=list)  # are shown, and stop nothing
    seen: dict[str, SourceMap] = field(default_factory=dict)  # sheets of workbooks, by file
    beside: list[str] = field(default_factory=list)  # sheets that a report names, read with it
    title: str = ""  # a line above the placings that was taken for the tournament's name
    sheets: tuple[str, ...] = ()  # all there are in a workbook
    sheet: str = ""  # the one that was read
    form: str = ""  # what the file was read as, such as "CSV sheet"

    def table(self, name: str) -> list[TextRow]:
        """The rows of the table of that name."""
        return self.tables.setdefault(name, [])

    def add(self, name: str, cells: Cells, file: str, line: int) -> None:
        """Append a row to a table; columns that it does not name are empty in it."""
        filled = {column: cell or None for column, cell in cells.items()}
        self.table(name).append({**filled, FILE: file, LINE: line})
