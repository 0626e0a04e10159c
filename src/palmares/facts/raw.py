"""
What a reader hands over: cells as text, each with the file and line it came from.

A reader never converts and never repairs; `palmares.facts.cells` turns text into values and says
which cells are wrong, `palmares.facts.checks` says which rows contradict each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from palmares.errors import Problem


@dataclass(slots=True)
class RawTable:
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


@dataclass(slots=True)
class Raw:
    """Everything one reader found: tables by name, and what it could not read."""

    tables: dict[str, RawTable] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)  # stop the work
    notices: list[Problem] = field(default_factory=list)  # are shown, and stop nothing

    def table(self, name: str) -> RawTable:
        """The table of that name, made empty if nobody has asked before."""
        return self.tables.setdefault(name, RawTable())
