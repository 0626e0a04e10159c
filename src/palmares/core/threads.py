"""Work shared out over the cores of this process; for loops that hold no lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def cores() -> int:
    """How many threads of this process can run at once."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share(rows: int, work: Callable[[int, int], None], parts: int) -> None:
    """Call *work*, a thread a core, with the first row of each part and the one after its last.

    Args:
        rows: how many there are.
        work: what is done with some of them.
        parts: of about equal length.
    """
    edges = [rows * part // parts for part in range(parts + 1)]
    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(work, edges[:-1], edges[1:]))
