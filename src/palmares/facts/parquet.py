"""Parquet files as others hand them over: measured before they are read, damage said plainly."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from palmares.core.errors import Location, Problem
from palmares.core.extras import needs
from palmares.facts.csv import CLAUSE, LONGEST_CELL

MIB = 2**20
SMALL = 256 * MIB
"""Bytes in memory that no ratio is dangerous below."""
MOST_RATIO = 1_000
"""Bytes in memory to bytes of the file; tables whose columns are all but one constant reach 200."""
_A_VALUE = 16
"""Bytes that a cell takes at least, wherever its text lies."""
_CELLS = (
    f"SELECT coalesce(sum(num_values * {_A_VALUE} + total_uncompressed_size), 0)::HUGEINT"  # noqa: S608
    " FROM parquet_metadata(?)"
)


class Unreadable(Exception):
    """A Parquet file that is not read, and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def read(path: str, taken: int | None) -> pl.DataFrame:
    """Read one Parquet file.

    Args:
        path: the file, or its address in an object store.
        taken: what `memory_of` says of it; none of an address.

    Raises:
        Unreadable: it is none, is damaged, or would fill the memory.
    """
    size = None if taken is None else _size(path)
    _refuse_a_bomb(path, size, taken or 0)
    with _as_problem(path):
        frame = pl.read_parquet(path, hive_partitioning=False, glob=False)
    _refuse_long_texts(path, size, frame)
    return frame


def schema_of(path: str) -> pl.Schema:
    """The columns of a Parquet file.

    Raises:
        Unreadable: it is none, or damaged.
    """
    with _as_problem(path):
        return pl.Schema(pl.read_parquet_schema(path))


def memory_of(paths: Iterable[str]) -> dict[str, int | Unreadable]:
    """Bytes that the cells of Parquet files take in memory at least, as the files say themselves.

    DuckDB looks, as Polars tells nothing of what a file's columns take.
    """
    needs("duckdb", "A table in Parquet")
    import duckdb

    found: dict[str, int | Unreadable] = {}
    connection = duckdb.connect()
    for path in paths:
        try:
            row = connection.execute(_CELLS, [no_pattern(path)]).fetchone()
            found[path] = int(row[0]) if row else 0
        except (duckdb.Error, ValueError) as error:
            found[path] = Unreadable(unreadable(path, error))
            connection = duckdb.connect()  # after an error of its own it answers nothing more
    connection.close()
    return found


def memory_here() -> int:
    """What this process may take: the machine's memory, or the limit of its container."""
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(found, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    except (OSError, ValueError):
        return found


def refuse_too_large(path: str, taken: int) -> None:
    """Refuse a table that takes more memory than this machine has.

    Raises:
        Unreadable: up to this part of it, it takes too much.
    """
    if taken > memory_here():
        raise Unreadable(
            Problem(
                at=Location(path),
                what=f"the table takes at least {_amount(taken)} of memory, and this machine has"
                f" {_amount(memory_here())}",
                clause=CLAUSE,
                remedy="Read it with --engine duckdb, which needs less memory.",
            )
        )


def no_pattern(path: str) -> str:
    """A path that DuckDB does not take for a pattern."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def unreadable(path: str, error: BaseException) -> Problem:
    """A file that cannot be read, and why."""
    words = str(error).strip().splitlines() or [type(error).__name__]
    why = "its pages are damaged" if isinstance(error, pl.exceptions.PanicException) else words[0]
    return Problem(
        at=Location(path),
        what=f"this is no Parquet file, or not a whole one ({why})",
        clause=CLAUSE,
        remedy="Get the file again.",
    )


# ── bounds ───────────────────────────────────────────────────────────────────────────────────────


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError as error:
        raise Unreadable(unreadable(path, error)) from None


def _refuse_a_bomb(path: str, size: int | None, taken: int) -> None:
    if size is not None and taken > max(SMALL, MOST_RATIO * size):
        raise Unreadable(
            Problem(
                at=Location(path),
                what=f"the file has {_amount(size)} and unpacks to {_amount(taken)} or more: it"
                " could fill the memory, so it was not read",
                clause=CLAUSE,
                remedy="Ask whoever made it. If it is right, read it with --engine duckdb.",
            )
        )


def _refuse_long_texts(path: str, size: int | None, frame: pl.DataFrame) -> None:
    """Refuse texts that are longer than any cell, and short ones that stand there too often."""
    total = 0
    for column in frame.iter_columns():
        if column.dtype != pl.String:
            continue
        lengths = column.alias("").str.len_bytes()  # its name may be a pattern to Polars
        longest = lengths.arg_max()
        if longest is not None and lengths[longest] > LONGEST_CELL:
            raise Unreadable(
                Problem(
                    at=Location(path, longest + 1),
                    what=f"a cell has {lengths[longest]:,} bytes, and {LONGEST_CELL:,} are read",
                    clause=CLAUSE,
                    remedy="Shorten the text, or leave its column out.",
                )
            )
        total += int(lengths.sum())
    _refuse_a_bomb(path, size, total)


def _amount(size: int) -> str:
    """Bytes as a person reads them."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:,.1f} {unit}"
    return f"{size} bytes"


# ── damage ───────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def _as_problem(path: str) -> Iterator[None]:
    """Whatever Polars says of a damaged file as a problem; its panics are no `Exception`.

    Rust prints a line about each panic on stderr. It is left there: where damage makes Polars ask
    for more memory than any machine has, the process ends, and that line alone says why.
    """
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise Unreadable(unreadable(path, error)) from None
