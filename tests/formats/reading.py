"""Readers' results as tests look at them."""

from __future__ import annotations

from palmares.facts.decoding import ReportTables
from palmares.facts.schema import FILE, LINE


def rows(raw: ReportTables, table: str) -> list[dict[str, str]]:
    """The rows of a table, each without its empty cells."""
    return [
        {name: cell for name, cell in row.items() if cell and name not in (FILE, LINE)}
        for row in raw.table(table)
    ]


def column(raw: ReportTables, table: str, name: str) -> list[str | None]:
    """One column of a table."""
    return [row.get(name) or None for row in raw.table(table)]


def places(raw: ReportTables) -> list[str]:
    """Where the problems are."""
    return [problem.where for problem in raw.problems]
