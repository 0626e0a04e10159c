"""
What a report becomes in the journal, and back: tables of facts as plain JSON, column by column.

Decimals are text, dates ISO 8601; columns without a value and tables without a row are left out;
rows are sorted, so that the order in which a director writes them changes nothing.
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
from palmares.journal.store.kinds import Override, Replacement, Tables

Columns = Mapping[str, Sequence[Any]]


def player_ids(tables: Tables) -> set[str]:
    """Everybody whom a report names."""
    cells = (
        tables.get(name, {}).get(one, ()) for name, names in PLAYER_COLUMNS.items() for one in names
    )
    return {one for column in cells for one in column if one is not None}


def by_tournament(facts: Facts) -> dict[str, dict[str, dict[str, list[Any]]]]:
    """The tables of each report as an entry keeps them, in the order of time."""
    order = facts["tournaments"].sort("end_date", "tournament_id")["tournament_id"]
    found: dict[str, dict[str, dict[str, list[Any]]]] = {one: {} for one in order}
    for name, (table, of) in of_tournaments(facts).items():
        cells = [_plain(one, table.schema[one]) for one in TABLES[name]]  # those of the contract
        plain = table.select(*cells, of.alias(_OF))
        plain = plain.sort(_OF, *plain.columns[:-1], nulls_last=False)
        sizes = plain.group_by(_OF, maintain_order=True).len()
        columns = {one.name: one.to_list() for one in plain.drop(_OF)}
        start = 0
        for one, size in sizes.iter_rows():
            found[one][name] = _filled(
                {each: cells[start : start + size] for each, cells in columns.items()}
            )
            start += size
    return found


_OF = "_tournament"


def of_tournaments(facts: Facts) -> dict[str, tuple[pl.DataFrame, pl.Series]]:
    """Each table of reports that has rows, and the tournament of every row."""
    leads = {"tournaments": facts["tournaments"]["tournament_id"]}
    for name, (column, owner) in OWNERS.items():
        above = facts[owner].select(KEYS[owner]).with_columns(leads[owner].alias(_OF))
        rows = facts[name].select(column)
        leads[name] = rows.join(above, on=column, how="left", maintain_order="left")[_OF]
    return {name: (facts[name], of) for name, of in leads.items() if len(of)}


def _filled(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """The columns that say anything."""
    return {name: cells for name, cells in columns.items() if any(one is not None for one in cells)}


def _plain(name: str, kind: pl.DataType) -> pl.Expr:
    """A column as JSON has it."""
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
    """A cell as JSON has it."""
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return value.isoformat() if isinstance(value, date) else value


def content_digest(tables: Tables) -> str:
    """The sha256 of the canonical JSON of a report's tables."""
    return sha256(canonical({"tables": tables}).encode()).hexdigest()


# ── overrides ────────────────────────────────────────────────────────────────────────────────────


def with_overrides(tables: Tables, overrides: Iterable[Override]) -> Tables:
    """The tables with what officers set in them, one override after another."""
    for override in overrides:
        tables = _replaced(tables, override.player) if override.player else _set(tables, override)
    return tables


def overrides_in_effect(tables: Tables, overrides: Sequence[Override]) -> list[bool]:
    """Whether each of a report's overrides is still seen in it: later ones may set its cells anew.

    One that sets what a later one finds its row by is seen, too: without it that row would not be
    found.
    """
    last: dict[tuple[str, str, int], int] = {}  # who set a cell: its table, column and row
    sought: set[tuple[str, str]] = set()
    for number, one in enumerate(overrides):
        places = matching_rows(tables.get(one.table, {}), one.row)
        last |= {(one.table, name, place): number for name in one.cells for place in places}
        tables = with_overrides(tables, [one])
    seen = [False] * len(overrides)
    for number, one in reversed(list(enumerate(overrides))):
        cells = {(one.table, name) for name in one.cells}
        seen[number] = (
            one.player is not None or number in last.values() or not cells.isdisjoint(sought)
        )
        sought |= {(one.table, name) for name in one.row}
    return seen


def matching_rows(table: Columns, row: Mapping[str, Any]) -> list[int]:
    """The rows of a table that have some cells, counted from 0."""
    return [
        place
        for place in range(row_count(table))
        if all(key_cell(name, cell(table, name, place)) == value for name, value in row.items())
    ]


def cell(table: Columns, name: str, place: int) -> Any:
    """A cell; nothing where the table has no such column."""
    return table[name][place] if name in table else None


def key_cell(name: str, value: Any) -> Any:
    """A cell by which a row is known; a flight that was not said is the Main."""
    return "main" if name == "flight" and value is None else value


def _set(tables: Tables, override: Override) -> Tables:
    table = dict(tables.get(override.table, {}))
    places = matching_rows(table, override.row)
    for name, value in override.cells.items():
        column = list(table.get(name) or [None] * row_count(table))
        for place in places:
            column[place] = value
        table[name] = column
    return {**tables, override.table: table}


def _replaced(tables: Tables, player: Replacement) -> Tables:
    """Tables in which another player takes somebody's place."""
    after = dict(tables)
    for name, columns in PLAYER_COLUMNS.items():
        for column in columns:
            if column in after.get(name, {}):
                cells = [
                    player.after if id_ == player.before else id_ for id_ in after[name][column]
                ]
                after[name] = {**after[name], column: cells}
    return after


def row_count(table: Columns) -> int:
    """How many rows a table has."""
    return max((len(column) for column in table.values()), default=0)


# ── into frames ──────────────────────────────────────────────────────────────────────────────────


def frames(reports: Iterable[tuple[int, Tables]]) -> dict[str, pl.DataFrame]:
    """The tables of many reports, each with the entry it comes from, as typed frames.

    A row's ``_file`` is ``entry 12``, its ``_line`` its place in the entry's table, from 1.
    """
    cells: dict[str, dict[str, list[Any]]] = {
        name: defaultdict(list) for name in REPORT_TABLES
    }  # fmt: skip
    sizes: dict[str, list[tuple[int, int]]] = {name: [] for name in REPORT_TABLES}
    rows = dict.fromkeys(REPORT_TABLES, 0)
    for sequence, tables in reports:
        for name, table in tables.items():
            many = row_count(table)
            for column, values in table.items():
                _padded(cells[name][column], rows[name]).extend(values)
            sizes[name].append((sequence, many))
            rows[name] += many
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
        _column(one.name, _padded(cells.get(one.name, []), rows), one.type)
        for one in TABLES[name].values()
    ]
    many = np.array([size for _, size in sizes], np.int64)
    files = pl.Series(FILE, [f"entry {sequence}" for sequence, _ in sizes], pl.String)
    lines = np.arange(rows) - np.repeat(np.cumsum(many) - many, many) + 1
    where = [
        files.gather(np.repeat(np.arange(len(sizes)), many)),
        pl.Series(LINE, lines.astype(np.uint32)),
    ]
    return pl.DataFrame([*columns, *where])


def _column(name: str, cells: list[Any], kind: Any) -> pl.Series:
    """A column of JSON, in which decimals and dates are text, in its own type."""
    if kind == pl.Date:
        return pl.Series(name, cells, pl.String()).str.to_date("%Y-%m-%d")
    return pl.Series(name, cells, pl.String() if kind.is_decimal() else kind).cast(kind)
