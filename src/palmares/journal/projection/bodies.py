"""
Tables of facts as plain JSON in the entries of reports, and back.

Tables are written column by column, decimals as text, dates in ISO 8601, without empty columns and
tables. Rows are sorted, so that their order in a report changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from hashlib import sha256
from typing import Any

import numpy as np
import polars as pl

from palmares.core.canonical import canonical
from palmares.facts.schema import (
    FILE,
    KEYS,
    LINE,
    OWNERS,
    PLAYER_COLUMNS,
    REPORT_TABLES,
    TABLES,
    Facts,
    empty,
)
from palmares.journal.store.entries import Override, Tables

Columns = Mapping[str, Sequence[Any]]


def player_ids(tables: Tables) -> set[str]:
    """The ids of all players in a report."""
    columns = (
        tables.get(name, {}).get(column, ())
        for name, names in PLAYER_COLUMNS.items()
        for column in names
    )
    return {id_ for column in columns for id_ in column if id_ is not None}


def by_tournament(facts: Facts) -> dict[str, dict[str, dict[str, list[Any]]]]:
    """The tables of each report as entries hold them, in the order of the tournaments' days."""
    order = facts["tournaments"].sort("end_date", "tournament_id")["tournament_id"]
    reports: dict[str, dict[str, dict[str, list[Any]]]] = {tournament: {} for tournament in order}
    for name, (table, of) in of_tournaments(facts).items():
        cells = [_plain(column, table.schema[column]) for column in TABLES[name]]
        plain = table.select(*cells, of.alias(_OF))
        plain = plain.sort(_OF, *plain.columns[:-1], nulls_last=False)
        sizes = plain.group_by(_OF, maintain_order=True).len()
        columns = {column.name: column.to_list() for column in plain.drop(_OF)}
        start = 0
        for tournament, size in sizes.iter_rows():
            rows = {column: cells[start : start + size] for column, cells in columns.items()}
            reports[tournament][name] = {
                column: cells
                for column, cells in rows.items()
                if any(cell is not None for cell in cells)
            }
            start += size
    return reports


_OF = "_tournament"


def of_tournaments(facts: Facts) -> dict[str, tuple[pl.DataFrame, pl.Series]]:
    """Each table of reports that has rows, with the tournament of every row."""
    tournaments = {"tournaments": facts["tournaments"]["tournament_id"]}
    for name, (column, owner) in OWNERS.items():
        owners = facts[owner].select(KEYS[owner]).with_columns(tournaments[owner].alias(_OF))
        rows = facts[name].select(column)
        tournaments[name] = rows.join(owners, on=column, how="left", maintain_order="left")[_OF]
    return {name: (facts[name], of) for name, of in tournaments.items() if len(of)}


def _plain(name: str, kind: pl.DataType) -> pl.Expr:
    """A column as JSON holds it."""
    column = pl.col(name)
    if kind.is_decimal():
        text = column.cast(pl.String)
        return pl.when(text.str.contains(r"\.")).then(
            text.str.strip_chars_end("0").str.strip_suffix(".")
        ).otherwise(text).alias(name)  # fmt: skip
    if kind == pl.Date:
        return column.dt.to_string("%Y-%m-%d")
    return column


def plain_cell(value: Any) -> Any:
    """A cell as JSON holds it."""
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return value.isoformat() if isinstance(value, date) else value


def content_digest(tables: Tables) -> str:
    """The sha256 of the canonical JSON of a report's tables."""
    return sha256(canonical({"tables": tables}).encode()).hexdigest()


# ── overrides ────────────────────────────────────────────────────────────────────────────────────


def with_overrides(tables: Tables, overrides: Iterable[Override]) -> Tables:
    """The tables after overrides, one after another."""
    for override in overrides:
        if override.player is None:
            tables = _set(tables, override)
        else:
            tables = with_players(tables, {override.player.before: override.player.after})
    return tables


def is_replaced(override: Override, later: Iterable[Override]) -> bool:
    """Whether later overrides of the same row, one or several, set all the cells that it set."""
    same_row = (
        other.cells.keys()
        for other in later
        if (other.table, other.row) == (override.table, override.row)
    )
    return override.player is None and set().union(*same_row) >= override.cells.keys()


def matching_rows(table: Columns, row: Mapping[str, Any]) -> list[int]:
    """The numbers, from 0, of the rows of a table that have some cells."""
    return [
        number
        for number in range(row_count(table))
        if all(key_cell(name, cell(table, name, number)) == value for name, value in row.items())
    ]


def cell(table: Columns, name: str, row: int) -> Any:
    """A cell; None where the table has no such column."""
    return table[name][row] if name in table else None


def key_cell(name: str, value: Any) -> Any:
    """A cell of a row's key; the default flight is the Main."""
    return "main" if name == "flight" and value is None else value


def _set(tables: Tables, override: Override) -> Tables:
    table = dict(tables.get(override.table, {}))
    rows = matching_rows(table, override.row)
    for name, value in override.cells.items():
        column = list(table.get(name) or [None] * row_count(table))
        for row in rows:
            column[row] = value
        table[name] = column
    return {**tables, override.table: table}


def with_players(tables: Tables, ids: Mapping[str, str]) -> Tables:
    """Tables in which other players stand in the place of some."""
    after = dict(tables)
    for name, columns in PLAYER_COLUMNS.items():
        for column in columns:
            if column in after.get(name, {}):
                cells = [ids.get(id_, id_) for id_ in after[name][column]]
                after[name] = {**after[name], column: cells}
    return after


def row_count(table: Columns) -> int:
    """How many rows a table has."""
    return max((len(column) for column in table.values()), default=0)


# ── into frames ──────────────────────────────────────────────────────────────────────────────────


def frames(reports: Iterable[tuple[int, Tables]]) -> dict[str, pl.DataFrame]:
    """The tables of many reports as typed frames, given with the numbers of their entries.

    A row's ``_file`` is ``entry 12``, its ``_line`` its number in the entry's table, from 1.
    """
    cells: dict[str, dict[str, list[Any]]] = {
        name: defaultdict(list) for name in REPORT_TABLES
    }  # fmt: skip
    sizes: dict[str, list[tuple[int, int]]] = {name: [] for name in REPORT_TABLES}
    rows = dict.fromkeys(REPORT_TABLES, 0)
    for sequence, tables in reports:
        for name, table in tables.items():
            size = row_count(table)
            for column, values in table.items():
                _padded(cells[name][column], rows[name]).extend(values)
            sizes[name].append((sequence, size))
            rows[name] += size
    return {
        name: _frame(name, cells[name], sizes[name], rows[name]) if rows[name] else empty(name)
        for name in REPORT_TABLES
    }


def _padded(column: list[Any], length: int) -> list[Any]:
    column.extend([None] * (length - len(column)))
    return column


def _frame(
    name: str, cells: Mapping[str, list[Any]], sizes: Sequence[tuple[int, int]], rows: int
) -> pl.DataFrame:
    columns = [
        _column(column.name, _padded(cells[column.name], rows), column.type)
        for column in TABLES[name].values()
        if column.name in cells
    ]
    counts = np.array([size for _, size in sizes], np.int64)
    files = pl.Series(FILE, [f"entry {sequence}" for sequence, _ in sizes], pl.String)
    lines = np.arange(rows) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    where = [
        files.to_frame()[np.repeat(np.arange(len(sizes)), counts)][FILE],
        pl.Series(LINE, lines.astype(np.uint32)),
    ]
    return pl.concat([empty(name), pl.DataFrame([*columns, *where])], how="diagonal")


def _column(name: str, cells: list[Any], kind: Any) -> pl.Series:
    """A column of JSON, in which decimals and dates are text, in its own type."""
    if kind == pl.Date:
        return pl.Series(name, cells, pl.String()).str.to_date("%Y-%m-%d")
    return pl.Series(name, cells, pl.String() if kind.is_decimal() else kind).cast(kind)
