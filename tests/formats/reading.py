"""Readers' results as tests look at them."""

from __future__ import annotations

from palmares.facts.raw import ReportTables


def rows(raw: ReportTables, table: str) -> list[dict[str, str]]:
    """The rows of a table, each without its empty cells."""
    columns = raw.table(table).columns
    return [
        {name: cell for name, cells in columns.items() if (cell := cells[at]) is not None}
        for at in range(len(raw.table(table)))
    ]


def column(raw: ReportTables, table: str, name: str) -> list[str | None]:
    """One column of a table."""
    return raw.table(table).columns.get(name, [])


def places(raw: ReportTables) -> list[str]:
    """Where the problems are."""
    return [problem.where for problem in raw.problems]
