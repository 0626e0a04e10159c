"""
Kernels on every core: compiled loops hold no lock, so that threads may share the rows.

The result is the same to the last byte whatever the number of threads: a row is one thread's, and
no row depends on another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from palmares.core.threads import cores, share
from palmares.points.kernels import compiled

MANY = 1_000_000
"""Rows from which a second thread pays: below, a loop takes a few milliseconds."""


def run(
    spec: compiled.KernelSpec,
    given: Mapping[str, Any],
    threads: int | None = None,
    players: Any = None,
) -> None:
    """Call a spec's kernel with what it asks for by name, its events shared out over threads.

    Args:
        spec: what is applied to each row.
        given: the arguments of `compiled.kernel`, by name; what it fills is filled.
        threads: how many; none: one for each core if there are rows enough. A fold has one: the
            events of a player need what came of those before.
        players: where each player's rows begin, and where the last one's end, if a fold's rows are
            events of their own sorted by player. Then a fold, too, is shared out: a player's rows
            are never cut.
    """
    kernel, names = compiled.kernel(spec), compiled.arguments(spec)
    rows = len(given[names[-1]])
    if threads is None:
        threads = cores() if rows >= MANY else 1
    if threads <= 1 or (spec.fold and players is None):
        kernel(*(given[name] for name in names))
        return

    def part(first: int, last: int) -> None:
        if spec.fold:  # whole players
            first, last = (int(players[np.searchsorted(players, row)]) for row in (first, last))
        elif not spec.alone:  # whole events
            first, last = map(int, np.searchsorted(given["starts"], (first, last)))
        kernel(*(_part(spec, name, given[name], first, last) for name in names))

    share(rows, part, threads)


def _part(spec: compiled.KernelSpec, name: str, value: Any, first: int, last: int) -> Any:
    """What a kernel is handed for events *first* to *last*: rows keep their numbers."""
    if name == "starts":
        return value[first : last + 1]
    by_event = name.endswith(("_of", "_number"))
    by_row = name.endswith(("_at", "_out")) or name == "nanopoints"
    return value[first:last] if by_event or (spec.alone and by_row) else value
