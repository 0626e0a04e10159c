"""
Hashes of tables of facts that anyone can compute again.

A row is hashed as canonical JSON (RFC 8785) without empty cells; decimals are text, dates ISO 8601.
The lines of a table are sorted, so the order of rows does not matter. Names are left out, so that a
list still verifies after a player was erased.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import polars as pl

from palmares.core.canonical import canonical
from palmares.core.progress import task
from palmares.facts.schema import TABLES, Facts
from palmares.journal.store.kinds import TableHash

NOT_HASHED: Mapping[str, tuple[str, ...]] = {"players": ("name", "withheld")}

_BATCH = 1 << 18
"""Lines hashed at a time."""
_ESCAPED = r'["\\\x00-\x1f]'
"""Characters that JSON escapes."""


def sha256_of(value: Any) -> str:
    """The sha256 of a value's canonical JSON.

    Raises:
        Refused: the value has no canonical JSON.
    """
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def hash_facts(facts: Facts) -> dict[str, TableHash]:
    """The hash of each table of facts that has rows."""
    hashes = {}
    with task("rows to hash", sum(facts[name].height for name in facts)) as step:
        for name in sorted(facts):
            hashes[name] = hash_table(name, facts[name])
            step(hashes[name].rows)
    return hashes


def hash_table(name: str, table: pl.DataFrame) -> TableHash:
    """The hash of one table, independent of the order of its rows."""
    lines = _lines(name, table).sort()
    digest = hashlib.sha256()
    for start in range(0, len(lines), _BATCH):
        joined = lines.slice(start, _BATCH).str.join("\n").item()
        digest.update(joined.encode())
        digest.update(b"\n")
    return TableHash(rows=len(lines), sha256=digest.hexdigest())


def _lines(name: str, table: pl.DataFrame) -> pl.Series:
    """The rows as canonical JSON objects."""
    columns = sorted(TABLES[name].keys() - {*NOT_HASHED.get(name, ())})
    cells = [
        pl.lit(f'"{column}":') + _cell(table[column])
        for column in columns
        if not table[column].is_null().all()
    ]
    inside = pl.concat_str(cells, separator=",", ignore_nulls=True)
    return table.select(line=pl.lit("{") + inside + pl.lit("}"))["line"]


def _cell(column: pl.Series) -> pl.Expr:
    """The cells of a column in canonical JSON."""
    cell = pl.col(column.name)
    kind = column.dtype
    if kind == pl.String:
        if column.str.contains(_ESCAPED).any():
            return cell.replace_strict(
                {text: canonical(text) for text in column.unique() if text is not None},
                default=None,
                return_dtype=pl.String,
            )
        return '"' + cell + '"'
    if kind.is_decimal():
        text = cell.cast(pl.String)
        return '"' + text.str.strip_chars_end("0").str.strip_suffix(".") + '"'
    if kind == pl.Date:
        return '"' + cell.dt.to_string("%Y-%m-%d") + '"'
    return cell.cast(pl.String)
