"""
What a report becomes in the journal, and back: tables of facts as plain JSON, column by column.

    tabled      Facts of one tournament  ->  its tables as an entry keeps them, without names
    by_tournament   Facts of many  ->  the same for each of them, by its id
    of_tournaments  Facts  ->  each table with the tournament that each row belongs to
    content     those tables  ->  the sha256 by which the same report is known again
    changed     those tables under an officer's overrides
    lasting     the overrides that are still seen in them
    frames      many of them  ->  typed frames, each row with the entry it comes from

Decimals are text, dates ISO 8601; columns without a value and tables without a row are left out;
rows are sorted, so that the order in which a director writes them changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import polars as pl

from palmares.facts.tables import FILE, LINE, TABLES, Facts, empty
from palmares.journal.entries import canonical

Tables = Mapping[str, Mapping[str, Sequence[Any]]]
"""Tables by name; each its columns by name, all of one length."""

BESIDE = ("players", "memberships", "rates")
REPORTED = tuple(name for name in TABLES if name not in BESIDE)
"""The tables of a report; what remains has entries of its own."""

WHO: Mapping[str, tuple[str, ...]] = {
    "placings": ("player_id",),
    "matches": ("winner_id", "loser_id"),
}
"""Where a report names players."""


def tabled(facts: Facts) -> dict[str, dict[str, list[Any]]]:
    """The tables of a report as an entry keeps them."""
    found = {}
    for name in REPORTED:
        if not facts[name].is_empty():
            table = _plainly(name, facts[name])
            table = table.sort(table.columns, nulls_last=False)
            found[name] = _filled({one.name: one.to_list() for one in table})
    return found


def by_tournament(facts: Facts) -> dict[str, dict[str, dict[str, list[Any]]]]:
    """The tables of each report, in the order of time: what `tabled` makes of each."""
    order = facts["tournaments"].sort("end_date", "tournament_id")["tournament_id"]
    found: dict[str, dict[str, dict[str, list[Any]]]] = {one: {} for one in order}
    for name, (table, of) in of_tournaments(facts).items():
        plain = _plainly(name, table).with_columns(of.alias(_OF))
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
    events = facts["events"].select("event_id", pl.col("tournament_id").alias(_OF))
    matches = facts["team_matches"].select("match_id", "event_id").join(events, on="event_id")
    found = {}
    for name in REPORTED:
        table = facts[name]
        if table.is_empty():
            continue
        if name in ("tournaments", "events"):
            of = table["tournament_id"]
        elif name == "boards":
            of = table.select("match_id").join(
                matches, on="match_id", how="left", maintain_order="left"
            )[_OF]
        else:
            of = table.select("event_id").join(
                events, on="event_id", how="left", maintain_order="left"
            )[_OF]
        found[name] = table, of
    return found


def _plainly(name: str, table: pl.DataFrame) -> pl.DataFrame:
    """The columns of the contract, as JSON has them."""
    table = table.select(list(TABLES[name]))
    return table.select([_plain(one, kind) for one, kind in table.schema.items()])


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


def content(tables: Tables) -> str:
    """The sha256 of the canonical JSON of a report's tables."""
    return sha256(canonical({"tables": tables}).encode()).hexdigest()


# ── overrides ────────────────────────────────────────────────────────────────────────────────────


def changed(tables: Tables, overrides: Iterable[Mapping[str, Any]]) -> Tables:
    """The tables with what officers set in them, one override after another."""
    for one in overrides:
        tables = _replaced(tables, one["player"]) if "player" in one else _set(tables, one)
    return tables


def lasting(tables: Tables, overrides: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Whether each of a report's overrides is still seen in it: later ones may set its cells anew.

    One that sets what a later one finds its row by is seen, too: without it that row would not be
    found.
    """
    last: dict[tuple[str, str, int], int] = {}  # who set a cell: its table, column and row
    found = [False] * len(overrides)
    sought: set[tuple[str, str]] = set()
    for number, one in enumerate(overrides):
        if "player" not in one:
            cells = [(name, place) for name in one["set"] for place in matching(tables, one)]
            last |= {(one["table"], *cell): number for cell in cells}
        tables = changed(tables, [one])
    for number in reversed(range(len(overrides))):
        one = overrides[number]
        if "player" in one:
            found[number] = True
            continue
        found[number] = any((one["table"], name) in sought for name in one["set"])
        sought |= {(one["table"], name) for name in one["row"]}
    for number in last.values():
        found[number] = True
    return found


def matching(tables: Tables, override: Mapping[str, Any]) -> list[int]:
    """The rows that an override names, counted from 0."""
    table = tables.get(override["table"], {})
    return [
        place
        for place in range(_length(table))
        if all(_cell(table, name, place) == value for name, value in override["row"].items())
    ]


def _cell(table: Mapping[str, Sequence[Any]], name: str, place: int) -> Any:
    """A cell; a placing or match whose flight was not said is of the Main."""
    value = table[name][place] if name in table else None
    return "main" if name == "flight" and value is None else value


def _set(tables: Tables, override: Mapping[str, Any]) -> Tables:
    places = matching(tables, override)
    table = dict(tables.get(override["table"], {}))
    for name, value in override["set"].items():
        column = list(table.get(name) or [None] * _length(table))
        for place in places:
            column[place] = value
        table[name] = column
    return {**tables, override["table"]: table}


def _replaced(tables: Tables, player: Mapping[str, str]) -> Tables:
    """Tables in which another player takes somebody's place."""
    whole: dict[str, Mapping[str, Sequence[Any]]] = dict(tables)
    for name, columns in WHO.items():
        for one in columns:
            if name in whole and one in whole[name]:
                cells = [
                    player["to"] if cell == player["from"] else cell for cell in whole[name][one]
                ]
                whole[name] = {**whole[name], one: cells}
    return whole


def _length(table: Mapping[str, Sequence[Any]]) -> int:
    return max((len(column) for column in table.values()), default=0)


# ── into frames ──────────────────────────────────────────────────────────────────────────────────


def frames(reports: Iterable[tuple[int, Tables]]) -> dict[str, pl.DataFrame]:
    """The tables of many reports, each with the entry it comes from, as typed frames.

    A row's ``_file`` is ``entry 12``, its ``_line`` its place in the entry's table, from 1.
    """
    cells: dict[str, dict[str, list[Any]]] = {
        name: defaultdict(list) for name in REPORTED
    }  # fmt: skip
    sizes: dict[str, list[tuple[int, int]]] = {name: [] for name in REPORTED}
    rows = dict.fromkeys(REPORTED, 0)
    for sequence, tables in reports:
        for name, table in tables.items():
            many = _length(table)
            for column, values in table.items():
                _padded(cells[name][column], rows[name]).extend(values)
            sizes[name].append((sequence, many))
            rows[name] += many
    return {
        name: _frame(name, cells[name], sizes[name], rows[name]) if rows[name] else empty(name)
        for name in REPORTED
    }


def _padded(column: list[Any], length: int) -> list[Any]:
    column.extend([None] * (length - len(column)))
    return column


def _frame(
    name: str, cells: Mapping[str, list[Any]], sizes: Sequence[tuple[int, int]], rows: int
) -> pl.DataFrame:
    columns = [
        _typed(
            pl.Series(one.name, _padded(cells.get(one.name, []), rows), _held(one.type)), one.type
        )
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


def _held(kind: Any) -> Any:
    """How a column's JSON is held: decimals and dates are text."""
    return pl.String() if kind.is_decimal() or kind == pl.Date else kind


def _typed(column: pl.Series, kind: Any) -> pl.Series:
    if kind == pl.Date:
        return column.str.to_date("%Y-%m-%d")
    return column.cast(kind)
