"""Parquet files as others hand them over: measured before they are read, damage said plainly."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from palmares.core.errors import Location, rejected
from palmares.core.messages import hint
from palmares.facts.csv import CLAUSE, LONGEST_CELL

MIB = 2**20
SMALL = 256 * MIB
"""Bytes in memory that no ratio is dangerous below."""
MOST_RATIO = 1_000
"""Bytes in memory to bytes of the file; tables whose columns are all but one constant reach 200."""
_BYTES_OF_A_CELL = 16
"""Bytes that a cell takes at least, wherever its text lies."""


def read(path: str, taken: int | None) -> pl.DataFrame:
    """Read one Parquet file.

    Args:
        path: the file, or its address in an object store.
        taken: what `memory_of` says of it; none of an address.

    Raises:
        FactsRejected: it is none, is damaged, or would fill the memory.
    """
    with _as_problem(path):
        size = Path(path).stat().st_size if taken is not None else sys.maxsize
        _refuse_a_bomb(path, size, taken or 0)
        frame = pl.read_parquet(path, hive_partitioning=False, glob=False)
    _refuse_a_bomb(path, size, _text_bytes(path, frame))
    return frame


def memory_of(path: str) -> int:
    """Bytes that the cells of a Parquet file take in memory at least, as its footer says.

    Raises:
        FactsRejected: it is none, or is damaged.
    """
    with _as_problem(path):
        rows = pl.scan_parquet(path, hive_partitioning=False, glob=False)
        count: int = rows.select(pl.len()).collect().item()
        return count * len(rows.collect_schema()) * _BYTES_OF_A_CELL


def memory_here() -> int:
    """What this process may take: the machine's memory, or the limit of its container.

    Where the system does not tell, as Windows does not, there is no limit.
    """
    if not hasattr(os, "sysconf"):
        return sys.maxsize
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    except (OSError, ValueError):
        return memory


def refuse_too_large(path: str, taken: int) -> None:
    """Refuse a table that takes more memory than this machine has.

    Raises:
        FactsRejected: up to this part of it, it takes too much.
    """
    if taken > memory_here():
        raise rejected(
            path,
            f"the table takes at least {_amount(taken)} of memory, and this machine has"
            f" {_amount(memory_here())}",
            CLAUSE,
            hint("read-with-duckdb", "Read it with the engine duckdb, which needs less memory."),
        )


def no_pattern(path: str) -> str:
    """A path that DuckDB does not take for a pattern."""
    return re.sub(r"([*?\[])", r"[\1]", path)


# ── bounds ───────────────────────────────────────────────────────────────────────────────────────


def _refuse_a_bomb(path: str, size: int, taken: int) -> None:
    if taken > max(SMALL, MOST_RATIO * size):
        raise rejected(
            path,
            f"the file has {_amount(size)} and unpacks to {_amount(taken)} or more: it"
            " could fill the memory, so it was not read",
            CLAUSE,
            hint(
                "read-with-duckdb-if-right",
                "Ask the person who made it. If it is right, read it with the engine duckdb.",
            ),
        )


def _text_bytes(path: str, frame: pl.DataFrame) -> int:
    """The bytes of all texts, however often one stands there; none may be too long."""
    total = 0
    for column in frame.iter_columns():
        if column.dtype != pl.String:
            continue
        lengths = column.alias("").str.len_bytes()  # its name may be a pattern to Polars
        longest = lengths.arg_max()
        if longest is not None and lengths[longest] > LONGEST_CELL:
            raise rejected(
                Location(path, longest + 1),
                f"a cell has {lengths[longest]:,} bytes, and {LONGEST_CELL:,} are read",
                CLAUSE,
                "Shorten the text, or leave its column out.",
            )
        total += int(lengths.sum())
    return total


def _amount(size: int) -> str:
    """A number of bytes in a readable unit."""
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
        words = str(error).strip().splitlines() or [type(error).__name__]
        panic = isinstance(error, pl.exceptions.PanicException)
        why = "its pages are damaged" if panic else words[0]
        what = f"this is not a Parquet file, or it is incomplete ({why})"
        raise rejected(path, what, CLAUSE, "Get the file again.") from None
