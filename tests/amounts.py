"""
How much is tried: one in a hundred in ``make test``, all of it in ``make torture``.

In ``make test`` Polars works on one thread, in this process and in those that tests start: frames
of tests are small, and there is nothing to gain from handing their parts to other threads.
`tests/points/test_determinism.py` compares several numbers of threads.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")
ALL = 100
PERCENT = int(os.environ.get("PALMARES_PERCENT", "1"))

if PERCENT < ALL:
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # Polars reads it when it is imported


def amount(tortured: int, at_least: int = 1) -> int:
    """How many examples, rounds or copies, out of those that ``make torture`` tries."""
    return max(at_least, tortured * PERCENT // 100)


def some(items: Sequence[Item], one_in: int, offset: int = 0) -> Sequence[Item]:
    """Every fourth or tenth item, from an offset on; all of them in ``make torture``."""
    return items if PERCENT >= ALL else items[offset % one_in :: one_in]
