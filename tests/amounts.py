"""How much is tried: one in a hundred in ``make test``, all of it in ``make torture``."""

from __future__ import annotations

import os

PERCENT = int(os.environ.get("PALMARES_PERCENT", "1"))


def amount(tortured: int) -> int:
    """How many examples, rounds or copies, out of those that ``make torture`` tries."""
    return max(1, tortured * PERCENT // 100)
