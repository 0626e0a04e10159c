"""What kernels give, to be compared with what plain Python gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from palmares.points.kernels.formulas import Worked


def listed(worked: Sequence[Worked]) -> list[Worked]:
    """Worked grants with lists of Python's numbers in the place of arrays."""
    return [
        Worked(
            one.grant,
            {name: _list(column) for name, column in one.columns.items()},
            _list(one.nanopoints),
        )
        for one in worked
    ]


def _list(column: Sequence[Any]) -> list[Any]:
    return list(np.asarray(column).tolist()) if hasattr(column, "dtype") else list(column)
