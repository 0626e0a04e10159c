"""
Palmares: the rulebook engine for competition points.

    read(path)                      reports or tables  ->  facts
    read_journal(url, known_at=...) a federation's journal  ->  facts
    award(regulation, facts)        every award, as a Polars frame
    rank(regulation, facts, ...)    a ranking as of a day, as a Polars frame
    history(regulation, facts, ...) players' points and ranks over time, as a Polars frame
    expiries(regulation, facts, ...) which results of players stop counting when
    explain(regulation, facts, ...) why a player has these points
    engine(name, path, ...)         facts larger than memory, for award and rank
    vp                              bridge: IMPs to victory points

*facts* is what `read` or `read_journal` returns, or a mapping of table names to frames of any
library that speaks Arrow. Points are in points, floats with at most nine decimals; sums are made on
whole numbers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from palmares import vp as vp
    from palmares.library import award as award
    from palmares.library import engine as engine
    from palmares.library import expiries as expiries
    from palmares.library import explain as explain
    from palmares.library import history as history
    from palmares.library import rank as rank
    from palmares.library import read as read
    from palmares.library import read_journal as read_journal

__all__ = [
    "award",
    "engine",
    "expiries",
    "explain",
    "history",
    "rank",
    "read",
    "read_journal",
    "vp",
]


def __getattr__(name: str) -> Any:
    """Load what is asked for, so that importing palmares costs nothing."""
    if name == "vp":
        return import_module("palmares.vp")
    if name in __all__:
        return getattr(import_module("palmares.library"), name)
    raise AttributeError(f"module 'palmares' has no attribute {name!r}")
