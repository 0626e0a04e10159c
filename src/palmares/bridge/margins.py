"""
Margins in bulk: a small table, millions of places to look it up at.

The table comes from the clauses, once (`palmares.bridge.vp`); here nothing is computed. A
few margins go through NumPy; many through a compiled loop, in threads, which takes less time than
a bare ``numpy.take`` as it needs no second pass for margins beyond the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from palmares.core import threads
from palmares.core.errors import Refused
from palmares.core.extras import pays

COMPILED_FROM = 4_000_000  # from here on, compiling the loop pays
THREADS = 4  # memory, not arithmetic, is what is waited for

Array = npt.NDArray[Any]


def looked_up(table: Sequence[int], margins: Any) -> Any:
    """The table's entry for each margin.

    Args:
        table: from the largest loss to the largest win, its middle for a margin of 0.
        margins: whole numbers: an array of any shape, or a Polars column.

    Returns:
        An array of the same shape, or a column of the same name with nulls where it had some;
        int16, or int32 where the table needs it.

    Raises:
        Refused: the margins are no whole numbers.
    """
    small = np.int16 if max(table) <= np.iinfo(np.int16).max else np.int32
    entries = np.array(table, small)
    if type(margins).__module__.partition(".")[0] == "polars":
        return _column(entries, margins)
    given = np.asarray(margins)
    _refuse(given.dtype.kind in "iu" or not given.size, given.dtype)
    if given.dtype.kind != "i":  # 2**63 and more have no place in a signed number
        given = np.minimum(given, len(table)).astype(np.int32)
    return _array(entries, given)


def _column(entries: Array, column: Any) -> Any:
    import polars as pl

    _refuse(isinstance(column, pl.Series) and column.dtype.is_integer(), column)
    numbers = column if column.dtype.is_signed_integer() else column.clip(upper_bound=len(entries))
    missing = numbers.is_null() if numbers.null_count() else None
    given = numbers.fill_null(0).to_numpy() if missing is not None else numbers.to_numpy()
    if given.dtype.kind != "i":
        given = given.astype(np.int32)
    converted = pl.Series(column.name, _array(entries, given))
    return converted if missing is None else converted.set(missing, None)


def _refuse(is_right: object, what: object) -> None:
    if not is_right:
        kind = getattr(what, "dtype", what)
        raise Refused(f"Margins are whole numbers, not {kind} [wbf-vp eq1].")


def _array(entries: Array, margins: Array) -> Array:
    """Signed margins through NumPy or the compiled loop; both give the same."""
    last = len(entries) // 2
    if not pays("fast", margins.size, COMPILED_FROM, COMPILED_FROM):
        return entries[np.clip(margins, -last, last).astype(np.intp) + last]
    flat = np.ascontiguousarray(margins).reshape(-1)
    converted = np.empty(flat.shape, entries.dtype)
    loop = _loop()

    def part(first: int, end: int) -> None:
        loop(entries, last, flat[first:end], converted[first:end])

    threads.share(flat.size, part, min(THREADS, threads.cores()))
    return converted.reshape(margins.shape)


@cache
def _loop() -> Callable[[Array, int, Array, Array], None]:
    import numba

    def loop(entries: Array, last: int, margins: Array, out: Array) -> None:
        for i in range(len(margins)):
            place = max(min(margins[i], last), -last) + last
            out[i] = entries[np.uint64(place)]  # unsigned: no look from the table's end

    return cast("Callable[[Array, int, Array, Array], None]", numba.njit(nogil=True)(loop))
