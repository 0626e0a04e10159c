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
    publish(regulation, ...)        a list announced, with a manifest of all it rests on
    verify(manifest, ...)           whether an official list is still what its facts give
    diff(regulation, a, b, ...)     what changed between two lists, and why, as a Polars frame
    compare(regulation, file, ...)  another printed list, compared with ours
    vp                              bridge: IMPs to victory points

*facts* is what `read` or `read_journal` returns, or a mapping of table names to frames of any
library that speaks Arrow. Points are in points, floats with at most nine decimals; sums are made on
whole numbers. A day is a date, or a text such as "2019-12-31". Where the tables are those of
pandas, so are the frames that come back.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from palmares.bridge import vp
    from palmares.library.lists import compare, diff, publish, verify
    from palmares.library.points import (
        award,
        engine,
        expiries,
        explain,
        history,
        rank,
        read,
        read_journal,
    )

__all__ = [
    "award",
    "compare",
    "diff",
    "engine",
    "expiries",
    "explain",
    "history",
    "publish",
    "rank",
    "read",
    "read_journal",
    "verify",
    "vp",
]

_OF_LISTS = ("compare", "diff", "publish", "verify")


def __getattr__(name: str) -> Any:
    """Load what is asked for, so that importing palmares costs nothing."""
    if name == "vp":
        return import_module("palmares.bridge.vp")
    if name in __all__:
        room = "palmares.library.lists" if name in _OF_LISTS else "palmares.library.points"
        return getattr(import_module(room), name)
    raise AttributeError(f"module 'palmares' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, also before they are loaded: for the Tab key."""
    return sorted(__all__)
