"""
Hashes of what a published list rests on, such that anybody can form them again.

    of_facts        facts  ->  every table that has rows, by name
    of_table        a table's name and its rows  ->  their number, and the sha256 of their lines
    sha256_of       a value  ->  the sha256 of its canonical JSON (RFC 8785)
    WITHOUT         what no hash covers: names, and whether they may be shown

A line is a row as a JSON object in canonical form, cells without a value left out, decimals as
text, dates as ISO 8601 writes them, and a newline. The lines of a table are sorted by their bytes:
neither the order of rows nor the file they came from changes anything, and a column that a later
palmares knows changes nothing where it is empty. Names are left out, so that a list verifies after
a player was erased.
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

_AT_ONCE = 1 << 18
"""Lines handed to the hash at a time."""
_ESCAPED = r'["\\\x00-\x1f]'
"""What stands otherwise in JSON than by itself."""


def sha256_of(value: Any) -> str:
    """The sha256 of a value's canonical JSON.

    Raises:
        Refused: it has none.
    """
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def hash_facts(facts: Facts) -> dict[str, TableHash]:
    """The hash of every table of facts that has rows."""
    held = sorted(facts)
    with task("rows to hash", sum(facts[name].height for name in held)) as step:
        found = {}
        for name in held:
            found[name] = hash_table(name, facts[name])
            step(found[name].rows)
    return found


def hash_table(name: str, table: pl.DataFrame) -> TableHash:
    """The hash of one table, in whatever order its rows come."""
    lines = _lines(name, table).sort()
    digest = hashlib.sha256()
    for start in range(0, len(lines), _AT_ONCE):
        joined = lines.slice(start, _AT_ONCE).str.join("\n").item()
        digest.update(joined.encode())
        digest.update(b"\n")
    return TableHash(rows=len(lines), sha256=digest.hexdigest())


def _lines(name: str, table: pl.DataFrame) -> pl.Series:
    """Every row as a canonical JSON object."""
    columns = sorted(one for one in TABLES[name] if one not in NOT_HASHED.get(name, ()))
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
                {one: canonical(one) for one in column.unique() if one is not None},
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
