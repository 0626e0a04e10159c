"""
What bounds each workload: the same loops with a part taken out.

Prints one JSON object a line: work, what, rows, cpu (seconds of all threads, the median of five in
turn) and moved (bytes read and written, where the memory bus is the question). CPU time, as other
work on the machine disturbs it least.

Usage: python benchmarks/profiles.py [ROWS]
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

import numpy as np
from limits_points import season, with_tables
from limits_vp import BOARDS
from measure import RUNS, fitting
from numba import njit

ROWS = 20_000_000
SEED = 2019
Work = Callable[[], Any]


def cpu_in_turn(works: Mapping[str, Work], runs: int = RUNS) -> dict[str, float]:
    """The median CPU time of each, after one round that is not counted."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for number in range(runs + 1):
        for name, work in works.items():
            begun = time.process_time()
            work()
            if number:
                found[name].append(time.process_time() - begun)
    return {name: median(times) for name, times in found.items()}


def tell(work: str, found: Mapping[str, float], rows: int, **moved: int) -> None:
    """One line of JSON for each."""
    for what, cpu in found.items():
        told = {"work": work, "what": what, "rows": rows, "cpu": cpu, "moved": moved.get("moved")}
        print(json.dumps(told), flush=True)


def copying(rows: int) -> None:
    """The bus itself: an array copied, which reads and writes each byte once."""
    source, target = np.ones(rows), np.empty(rows)
    found = cpu_in_turn({"an array of floats copied": lambda: np.copyto(target, source)})
    tell("memory", found, rows, moved=16 * rows)


# ── points ───────────────────────────────────────────────────────────────────────────────────────


@njit
def _moved_only(rank, tied, nanopoints):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for i in range(len(rank)):
        nanopoints[i] = rank[i] + tied[i]


@njit
def _not_counted(starts, scale, number, rank, tied, sums, first, points):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for e in range(len(scale)):
        common, at = scale[e], first[number[e]] - 1
        for i in range(starts[e], starts[e + 1]):
            r, m = rank[i], tied[i]
            points[i] = common * (sums[at + r + m] - sums[at + r]) / m


def points(rows: int) -> None:
    """Performance points: moving alone, without counting, whole."""
    of = season(max(rows // 48, 1))
    filled, floats = np.empty(len(of.rank), np.int64), np.empty(len(of.rank))
    works = {
        "ranks and ties read, a number written": lambda: _moved_only(of.rank, of.tied, filled),
        "and points, not counted": lambda: _not_counted(
            of.starts, of.scale, of.number, of.rank, of.tied, of.sums, of.first, floats
        ),
        "and counted: the whole loop by hand": with_tables(of, parallel=False),
    }
    tell("wbgf points", cpu_in_turn(works), len(of.rank), moved=12 * len(of.rank))


# ── ratings ──────────────────────────────────────────────────────────────────────────────────────


@njit
def _fold(player, value, percentile, rating, nanopoints):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for i in range(len(player)):
        before = rating[player[i]]
        after = before + value[i] * 0.01 * (percentile[i] - before)
        rating[player[i]] = after
        nanopoints[i] = math.floor(after * 1e9 + 0.5)


@njit
def _no_fold(player, value, percentile, nanopoints):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for i in range(len(player)):
        after = 50.0 + value[i] * 0.01 * (percentile[i] - 50.0 - player[i])
        nanopoints[i] = math.floor(after * 1e9 + 0.5)


@njit
def _in_place(starts, value, percentile, rating, nanopoints):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for p in range(len(rating)):
        now = rating[p]
        for i in range(starts[p], starts[p + 1]):
            now += value[i] * 0.01 * (percentile[i] - now)
            nanopoints[i] = math.floor(now * 1e9 + 0.5)
        rating[p] = now


def ratings(rows: int) -> None:
    """DPTR: no fold, a few players, a million in the order of time, sorted by player."""
    rng = np.random.default_rng(SEED)
    many = rng.integers(0, 1_000_000, rows, dtype=np.int32)
    few, ordered = many % 1_000, np.sort(many)
    starts = np.searchsorted(ordered, np.arange(1_000_001))
    value, percentile = rng.uniform(2, 15, rows), rng.uniform(0, 100, rows)
    rating, filled = np.full(1_000_000, 50.0), np.empty(rows, np.int64)
    given = (value, percentile, rating, filled)
    works = {
        "no row needs another": lambda: _no_fold(many, value, percentile, filled),
        "in the order of time, 1,000 players": lambda: _fold(few, *given),
        "in the order of time, 1,000,000 players": lambda: _fold(many, *given),
        "sorted by player, ratings in memory": lambda: _fold(ordered, *given),
        "sorted by player, a rating at hand": lambda: _in_place(starts, *given),
    }
    tell("dptr", cpu_in_turn(works), rows, moved=28 * rows)


# ── victory points ───────────────────────────────────────────────────────────────────────────────


@njit
def _clipped(margin, last, cells):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for i in range(len(margin)):
        cells[i] = min(max(margin[i], -last), last) + last


@njit
def _looked_up(margin, sides, last, cells):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for i in range(len(margin)):
        cells[i] = sides[min(max(margin[i], -last), last) + last]


def margins(rows: int) -> None:
    """VPs: without the table, with it, ours."""
    from palmares.bridge import vp

    margin = np.random.default_rng(SEED).integers(-70, 71, rows, dtype=np.int32)
    sides = np.array(vp.continuous(BOARDS).sides, np.int16)
    last, cells = len(sides) // 2, np.empty(rows, np.int16)
    works = {
        "clipped, not looked up": lambda: _clipped(margin, last, cells),
        "looked up: the whole loop by hand": lambda: _looked_up(margin, sides, last, cells),
        "the same into new memory each time": lambda: _looked_up(
            margin, sides, last, np.empty(rows, np.int16)
        ),
        "palmares.vp.convert, new memory too": lambda: vp.convert(margin, BOARDS),
    }
    tell("wbf-vp", cpu_in_turn(works), rows, moved=6 * rows)


def main(rows: int) -> None:
    """Every workload."""
    rows = fitting(rows, 150)
    for work in (copying, points, ratings, margins):
        work(rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
