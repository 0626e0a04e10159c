"""
50 million margins to victory points: ours, and by hand with five libraries, in one run.

Matches of 16 boards: a margin in IMPs, won or lost, becomes hundredths of a VP of that side. All
are given the finished table from the largest loss to the largest win.

Usage: python benchmarks/limits_vp.py [ROWS]
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from measure import Run, Way, fitting, side_by_side, tell
from numba import njit, prange

from palmares.bridge import vp

BOARDS = 16
ROWS = 50_000_000
SEED = 2019


class Matches(NamedTuple):
    """What all are given."""

    margin: Any
    sides: Any  # hundredths by margin, from the largest loss to the largest win
    last: int  # the margin of either


def ours(given: Matches) -> Run:
    """The library's function."""
    return lambda: vp.convert(given.margin, BOARDS)


def by_hand(given: Matches) -> Run:
    """Numba: a loop on all cores."""

    @njit(parallel=True)
    def convert(margin, sides, last, cells):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        for i in prange(len(margin)):
            cells[i] = sides[min(max(margin[i], -last), last) + last]

    def run() -> Any:
        cells = np.empty(len(given.margin), np.int16)
        convert(given.margin, given.sides, given.last, cells)
        return cells

    return run


def with_numpy(given: Matches) -> Run:
    """NumPy: clip and look up."""
    last = given.last
    return lambda: given.sides[np.clip(given.margin, -last, last) + last]


def bare_take(given: Matches) -> Run:
    """NumPy: looked up, nothing clipped, from what suits it best: no margin is below 0."""
    place = np.clip(given.margin, -given.last, given.last) + given.last
    return lambda: np.take(given.sides, place)


def with_polars(given: Matches) -> Run:
    """Polars: clip and gather."""
    import polars as pl

    frame, table = pl.DataFrame({"margin": given.margin}), pl.lit(pl.Series(given.sides))
    place = (pl.col("margin").clip(-given.last, given.last) + given.last).cast(pl.UInt32)

    def run() -> Any:
        return frame.select(cells=table.gather(place))["cells"].to_numpy()

    return run


def with_duckdb(given: Matches) -> Run:
    """DuckDB: a join with the table, which takes it less time than looking up a list."""
    import duckdb

    base, last = duckdb.connect(), given.last
    base.register("given", {"margin": given.margin})
    base.execute("CREATE TABLE matches AS SELECT margin FROM given")
    base.register("sides", {"margin": np.arange(-last, last + 1), "cells": given.sides})
    base.execute("CREATE TABLE scale AS SELECT margin::INTEGER AS margin, cells FROM sides")
    query = f"""
        SELECT scale.cells FROM matches
        JOIN scale ON scale.margin = greatest(least(matches.margin, {last}), -{last})
        """  # noqa: S608  (our own numbers)
    return lambda: base.execute(query).fetchnumpy()["cells"]


def with_pandas(given: Matches) -> Run:
    """pandas: clip and take."""
    import pandas as pd

    column, table, last = pd.Series(given.margin), pd.Series(given.sides), given.last
    return lambda: table.take(column.clip(-last, last) + last).to_numpy()


def main(wanted: int) -> None:
    """One line of JSON a way."""
    rows = fitting(wanted, 80)
    margin = np.random.default_rng(SEED).integers(-70, 71, rows, dtype=np.int32)
    sides = np.array(vp.continuous(BOARDS).sides, np.int16)
    given = Matches(margin, sides, len(sides) // 2)
    expected = with_numpy(given)()
    ways = [
        Way("ours: palmares.vp.convert", partial(ours, given), 0),
        Way("Numba by hand", partial(by_hand, given), 0),
        Way("a bare numpy.take, in range", partial(bare_take, given), 0),
        Way("NumPy", partial(with_numpy, given), 0),
        Way("Polars", partial(with_polars, given), 0),
        Way("DuckDB", partial(with_duckdb, given), 0, in_order=False),
        Way("pandas", partial(with_pandas, given), 0),
    ]
    tell(side_by_side("VP look-ups", ways, (rows, margin.nbytes), expected))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
