"""
Hashes of facts, editions and code that anyone can compute again, without what only explains.

A row is hashed as canonical JSON (RFC 8785) without empty cells; decimals are text, dates ISO 8601.
The lines of a table are sorted, so the order of rows does not matter. Names are left out, so that a
list still verifies after a player was erased.
"""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from importlib.metadata import entry_points, version
from typing import Any

import polars as pl

from palmares.core.canonical import canonical
from palmares.core.code import sources
from palmares.core.progress import task
from palmares.facts.schema import TABLES, Facts
from palmares.journal.store.entries import CodeHash, EditionHash, TableHash
from palmares.regulations import GROUP, REGULATIONS, Regulation
from palmares.regulations.editions import Constant, Edition

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


# ── editions and code ─────────────────────────────────────────────────────────────────────────────


def edition_hash(edition: Edition, chosen: Mapping[str, str]) -> EditionHash:
    """The hashes of an edition.

    Args:
        edition: its dates, constants and tables are hashed; its texts only explain.
        chosen: options by reading; those of the edition are hashed, too.
    """
    computing = {
        "chosen": {
            reading: option
            for reading, option in chosen.items()
            if reading in edition.readings and option in edition.readings[reading].options
        },
        "constants": _values(edition.constants),
        "in_force": str(edition.in_force) if edition.in_force else None,
        "selected_by": edition.selected_by,
        "tables": _values(edition.tables),
    }
    return EditionHash(computed_sha256=sha256_of(computing), sha256=edition.sha256)


def _values(constants: Mapping[str, Constant]) -> dict[str, Any]:
    return {name: _plain(constant.value) for name, constant in constants.items()}


def _plain(value: Any) -> Any:
    """A constant as JSON; numbers are text, so that each is written in one way."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    return str(value) if isinstance(value, Fraction) else value


# ── code ─────────────────────────────────────────────────────────────────────────────────────────


def code_hash(regulation: Regulation) -> CodeHash:
    """The hash of a regulation's code, in palmares or the package that registers it."""
    package, of = _distribution(regulation)
    return CodeHash(package=package, version=of, sha256=sha256_of(_hashed(regulation.module)))


def _distribution(regulation: Regulation) -> tuple[str, str]:
    if regulation in REGULATIONS:
        return "palmares", version("palmares")
    for point in entry_points(group=GROUP):
        if point.dist is not None and point.load() is regulation:
            return point.dist.name, point.dist.version
    return regulation.module.partition(".")[0], ""


def _hashed(module: str) -> dict[str, str]:
    """The hash of a module and of those of its package that it imports, by name."""
    package = module.rpartition(".")[0]
    files = sources([module], (f"{package}.",) if package else ())
    computing = {
        name: without_comments(file.read_text("utf-8")).encode()
        if file.suffix == ".py"
        else file.read_bytes()
        for name, file in files.items()
    }
    return {name: hashlib.sha256(content).hexdigest() for name, content in computing.items()}


@cache  # a site publishes many lists by the same code
def without_comments(source: str) -> str:
    """Source code without comments, docstrings and blank lines."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            _blank(lines, node)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _blank(lines: list[str], node: ast.Expr) -> None:
    """Remove a string that is a statement of its own."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    after = lines[last].encode()[node.end_col_offset :].strip()
    if after or lines[first].encode()[: node.col_offset].strip():
        return
    for line in range(first, last + 1):
        lines[line] = ""
