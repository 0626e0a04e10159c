"""
The regulations we hold, and what a regulation module must offer.

    Constants                       a named tuple with one field per [constants] entry of its sheets
    award(rulebook, tournament,     the points a tournament gives, as `Grant`s and `Notice`s;
          memberships)              an `Unusable` for an event that lacks what they are made of
    opening(rules)                  where a fold starts; only if its formula takes ``before``
    fold()                          that formula, so that a player's events may be gathered first
    fade(rules, effective, as_of)   (days left, days in all) of a result; only if results fade
    worth(rules, points, left)      what its points are worth with so many days left, by the clause
                                    that says so; only to explain a result that fades: without it,
                                    an explanation ends with the days left
    nation_at_event(rules)          whether a nation keeps the points won under it; only if a
                                    reading says so

Adding one: a sheet, a module, a line here, its tests. Third parties register theirs through the
entry-point group ``palmares.regulations``; the entry point names a `Regulation`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from palmares.editions import Edition, editions
from palmares.errors import Refused
from palmares.sentences import either, said


@dataclass(frozen=True, slots=True, kw_only=True)
class Regulation:
    """One line of the registry."""

    name: str  # as typed: "wbgf"
    title: str
    discipline: str  # the tournaments it sees
    module: str  # imported when first used
    kinds: tuple[str, ...] = ()  # of points; none: it awards nothing to players
    event_kinds: tuple[str, ...] = ()  # that earn points; none: events of any kind
    members_of: str = ""  # the federation whose members alone earn points; none: anybody
    total: str = "sum"  # sum | latest: how awards make a total
    advice: str | None = None  # a module whose advice() says what officers should look at
    money: bool = False  # whether it needs exchange rates
    sheets: Path | None = None  # where the folder of its sheets is; none: among ours

    def editions(self) -> tuple[Edition, ...]:
        """Its editions, the earliest first."""
        return editions(self.name, self.sheets)

    def load(self) -> ModuleType:
        """The regulation's module."""
        return import_module(self.module)

    def advisor(self) -> Callable[..., object] | None:
        """The function that says what officers should look at, if there is one."""
        return import_module(self.advice).advice if self.advice else None


REGULATIONS = (
    Regulation(
        name="wbgf",
        title="WBGF Backgammon World Ranking",
        discipline="backgammon",
        module="palmares.regulations.wbgf",
        kinds=("performance",),
        event_kinds=("championship", "intermediate", "super_jackpot"),
        advice="palmares.regulations.wbgf_qualifying",
        money=True,
    ),
    Regulation(
        name="usbgf",
        title="USBGF Master Points",
        discipline="backgammon",
        module="palmares.regulations.usbgf",
        kinds=("match", "placement"),
        members_of="usbgf",
        advice="palmares.regulations.usbgf_eligible_events",
    ),
    Regulation(
        name="dptr",
        title="Dip Pouch Tournament Rating",
        discipline="diplomacy",
        module="palmares.regulations.dptr",
        kinds=("rating",),
        total="latest",
    ),
    Regulation(
        name="wbf-vp",
        title="WBF victory points",
        discipline="bridge",
        module="palmares.regulations.wbf_vp",
    ),
    Regulation(
        name="wbf-imps",
        title="International Matchpoints",
        discipline="bridge",
        module="palmares.regulations.wbf_imps",
    ),
    Regulation(
        name="wbf-standings",
        title="Standings of bridge teams",
        discipline="bridge",
        module="palmares.regulations.wbf_standings",
    ),
)


GROUP = "palmares.regulations"
"""The entry points by which packages register regulations."""


def regulations() -> dict[str, Regulation]:
    """Every regulation by name: ours, then those of installed packages."""
    found = {one.name: one for one in REGULATIONS}
    for theirs in _installed(tuple(sys.path)):
        found.setdefault(theirs.name, theirs)
    return found


@lru_cache(maxsize=1)
def _installed(path: tuple[str, ...]) -> tuple[Regulation, ...]:
    """What packages on the path register: looking takes long, and what is found stays."""
    del path
    return tuple(point.load() for point in entry_points(group=GROUP))


def regulation(name: str, *, awards: bool = False) -> Regulation:
    """The regulation of that name.

    Args:
        name: as in the registry.
        awards: refuse one that awards nothing to players.

    Raises:
        Refused: there is none, or it awards nothing; says which there are.
    """
    ours = (one for one in REGULATIONS if one.name == name)
    found = next(ours, None) or regulations().get(name)  # to look at what is installed takes time
    if found is None:
        raise Refused(f"There is no regulation {name}. There are: {', '.join(regulations())}.")
    if awards and not found.kinds:
        able = ", ".join(one.name for one in regulations().values() if one.kinds)
        raise Refused(
            either(
                f"{name} converts matches and awards nothing to players: use 'palmares vp'. "
                f"Those that award points: {able}.",
                said(
                    "%(regulation)s converts matches and awards nothing to players. Those that"
                    " award points: %(able)s.",
                    regulation=name,
                    able=able,
                ),
            )
        )
    return found
