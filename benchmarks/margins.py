"""
100 million margins to victory points, beside a bare ``numpy.take``: wall time, median of rounds.

Prints one JSON object a line: name, rows, ours, take (seconds). Both run in turn, so that they
have the same neighbours. The take is given what suits it best: a table of int16, and margins that
are all within it and none of them negative. Ours are the same margins, half of them lost.

Usage: python benchmarks/margins.py [ROWS]
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import polars as pl

from palmares.bridge import vp

BOARDS = 16
ROWS = 100_000_000
ROUNDS = 5
SEED = 2019


def measured(rows: int) -> None:
    """Measure each type of number, as an array and as a column."""
    rng = np.random.default_rng(SEED)
    scale = vp.continuous(BOARDS)
    winner = np.array(scale.cells, np.int16)
    won = rng.integers(0, len(winner), rows, dtype=np.int64)
    lost = rng.integers(0, 2, rows, dtype=np.int8).astype(np.bool_)
    for kind in (np.int16, np.int32, np.int64):
        bare = won.astype(kind)
        both = np.where(lost, -bare, bare)
        cells = np.take(winner, bare)
        if not np.array_equal(vp.convert(both, BOARDS), np.where(lost, scale.full - cells, cells)):
            sys.exit("They disagree.")
        for name, given in (("NumPy", both), ("Polars", pl.Series("margin", both))):
            ours, take = in_turn(
                lambda given=given: vp.convert(given, BOARDS),  # type: ignore[misc]
                lambda bare=bare: np.take(winner, bare),  # type: ignore[misc]
            )
            told = {"name": f"{name} {np.dtype(kind)}", "rows": rows, "ours": ours, "take": take}
            print(json.dumps(told), flush=True)


def in_turn(*works: Callable[[], Any]) -> list[float]:
    """The median seconds of each, after one round that is not counted."""
    for work in works:
        work()
    rounds = [[seconds(work) for work in works] for _ in range(ROUNDS)]
    return [median(times) for times in zip(*rounds, strict=True)]


def seconds(work: Callable[[], Any]) -> float:
    """How long one run takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


if __name__ == "__main__":
    measured(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
