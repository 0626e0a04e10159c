"""Work shared out over the cores of this process; for loops that hold no lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def cores() -> int:
    """How many threads of this process can run at once."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_threads(work: Callable[[T], R], pieces: Iterable[T]) -> list[R]:
    """Each piece through *work*, a thread a core; what they gave, in order."""
    given = list(pieces)
    if len(given) < 2 or cores() < 2:  # noqa: PLR2004
        return [work(piece) for piece in given]
    with ThreadPoolExecutor(cores()) as pool:
        return list(pool.map(work, given))


def row_ranges(rows: int, parts: int) -> list[tuple[int, int]]:
    """So many rows in so many parts of about equal length: where each begins and ends."""
    return list(pairwise(rows * part // parts for part in range(parts + 1)))


def share(rows: int, work: Callable[[int, int], None], parts: int) -> None:
    """Call *work* with the first row of each part and the one after its last."""
    in_threads(lambda part: work(*part), row_ranges(rows, max(parts, 1)))
