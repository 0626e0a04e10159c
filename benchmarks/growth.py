"""
How the cost of a ranking grows with the placings: seconds, CPU time, peak memory.

Prints one line of JSON for each engine and size, then one for each engine with its exponent: cost
grows with so many placings to this power, fitted through all sizes; and where the line leads.

Usage: python benchmarks/growth.py [ENGINE PLACINGS...]
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from limits_disk import DATA, bytes_of, ranked
from make_big import big
from processes import spent

MILLION = 1_000_000
USUAL = {"inprocess": (1, 3), "duckdb": (1, 3, 10), "spark": (1, 3)}  # millions, in make bench
FAR = 10_000 * MILLION


def measured(engine: str, placings: int) -> dict[str, Any]:
    """One ranking of a new package."""
    package = DATA / f"big-{placings}"
    try:
        big(package, placings)
        took = spent(ranked(package, "--engine", engine))
        return {
            "engine": engine,
            "rows": placings,
            "on_disk": bytes_of(package),
            "seconds": took.seconds,
            "cpu": took.cpu,
            "memory": took.memory,
        }
    finally:
        shutil.rmtree(package, ignore_errors=True)


def fitted(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A straight line through the logarithms, and one through the costs themselves."""
    rows = np.array([one["rows"] for one in found], float)
    cpu = np.array([one["cpu"] for one in found])
    power, _ = np.polyfit(np.log(rows), np.log(cpu), 1)
    each, fixed = np.polyfit(rows, cpu, 1)
    return {
        "engine": found[0]["engine"],
        "exponent": float(power),
        "fixed": float(fixed),
        "a_million": float(each) * MILLION,
        "far": float(fixed + each * FAR),
    }


def main(wanted: Iterable[tuple[str, Sequence[int]]]) -> None:
    """Each engine on each size."""
    for engine, sizes in wanted:
        found = []
        for size in sizes:
            found.append(measured(engine, size))
            print(json.dumps(found[-1]), flush=True)
        if len(found) > 1:
            print(json.dumps(fitted(found)), flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        main([(sys.argv[1], [int(one) for one in sys.argv[2:]])])
    else:
        main([(engine, [one * MILLION for one in sizes]) for engine, sizes in USUAL.items()])
