"""
Texts, their numbers and their clauses; what a regulation is written with.

Adding one: an edition file, a module that ends in a `Regulation`, a line here, its tests. Third
parties register theirs through the entry-point group ``palmares.regulations``: an entry point names
a `Regulation`, whose module imports from here alone and is tested with `palmares.testing`.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from palmares.core.errors import (
    FactsRejected,
    Location,
    PalmaresError,
    Problem,
    Refused,
    did_you_mean,
    rejected,
)
from palmares.core.mathx import log, log2, power, sorted_sum, sqrt
from palmares.core.messages import hint
from palmares.core.rounding import half_up
from palmares.core.settings import SETTINGS
from palmares.regulations import (
    dptr,
    usbgf,
    usbgf_streaming,
    wbf_imps,
    wbf_standings,
    wbf_vp,
    wbgf,
)
from palmares.regulations.editions import Rulebook, Rules, table_key
from palmares.regulations.guard import guarded
from palmares.regulations.model import (
    Advice,
    Event,
    Flight,
    Grant,
    Match,
    Membership,
    Memberships,
    Tournament,
    Unusable,
)
from palmares.regulations.protocol import Aggregate, Calculator, Decay, Latest, Regulation, Sum
from palmares.regulations.tracing import clause

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "GROUP",
    "REGULATIONS",
    "Advice",
    "Aggregate",
    "Calculator",
    "Decay",
    "Event",
    "FactsRejected",
    "Flight",
    "Grant",
    "Latest",
    "Location",
    "Match",
    "Membership",
    "Memberships",
    "Problem",
    "Regulation",
    "Rulebook",
    "Rules",
    "Sum",
    "Tournament",
    "Unusable",
    "broken_regulations",
    "clause",
    "get_regulation",
    "half_up",
    "log",
    "log2",
    "power",
    "regulations",
    "rejected",
    "sorted_sum",
    "sqrt",
    "table_key",
]

REGULATIONS = (
    wbgf.REGULATION,
    usbgf.REGULATION,
    dptr.REGULATION,
    wbf_vp.REGULATION,
    wbf_imps.REGULATION,
    wbf_standings.REGULATION,
    usbgf_streaming.REGULATION,
)

GROUP = "palmares.regulations"
"""The entry points by which packages register regulations."""


def regulations() -> dict[str, Regulation]:
    """Every regulation by name: ours, then those of installed packages."""
    every = (*REGULATIONS, *_installed(tuple(sys.path))[0])
    return {regulation.name: regulation for regulation in every}


def of_another_package(regulation: Regulation) -> bool:
    """Whether a regulation comes from another package."""
    return all(regulation is not ours for ours in REGULATIONS)


def broken_regulations() -> Mapping[str, str]:
    """What keeps regulations of installed packages out, by the names of their entry points."""
    return _installed(tuple(sys.path))[1]


@lru_cache(maxsize=1)
def _installed(_path: tuple[str, ...]) -> tuple[tuple[Regulation, ...], Mapping[str, str]]:
    """The regulations of installed packages; cached for each `sys.path`, as a search is slow."""
    from importlib.metadata import entry_points  # its import is slow, too

    loaded: list[Regulation] = []
    failed: dict[str, str] = {}
    for point in entry_points(group=GROUP):
        try:
            loaded.append(_loaded(point, {other.name for other in (*REGULATIONS, *loaded)}))
        except Exception as error:  # noqa: BLE001  whatever it is, it is theirs, and harms no other
            package = f" of {point.dist.name}" if point.dist else ""
            why = str(error) if isinstance(error, PalmaresError) else repr(error)
            failed[point.name] = (
                f"The regulation {point.name}{package} cannot be used ({point.value}): {why}"
            )
    return tuple(loaded), MappingProxyType(failed)


def _loaded(point: EntryPoint, taken: Collection[str]) -> Regulation:
    """The regulation that an entry point names, if its name is free and it can be used."""
    theirs = point.load()
    if not isinstance(theirs, Regulation):
        raise Refused(f"{theirs!r} is no palmares.regulations.Regulation.")
    ours = theirs.name in {regulation.name for regulation in REGULATIONS}
    checked = theirs if ours else guarded(theirs)
    if theirs.name in taken:
        raise Refused(f"another one has the name {theirs.name}.")
    return checked


def money_disciplines() -> list[str]:
    """The disciplines of the regulations that count money, and so need exchange rates."""
    return [regulation.discipline for regulation in regulations().values() if regulation.money]


def listed_regulations(given: str | None = None) -> tuple[str, ...]:
    """The names of the regulations whose lists a site has: those given or set, else all.

    Args:
        given: names with commas between them; without it, those of the environment.

    Raises:
        Refused: one that is set is unknown, or awards nothing to players.
    """
    names = (given or SETTINGS["regulations"].given or "").split(",")
    chosen = [get_regulation(name.strip(), awards=True).name for name in names if name.strip()]
    return tuple(dict.fromkeys(chosen)) or tuple(awarding())


def awarding() -> list[str]:
    """The names of the regulations that award points to players."""
    return [regulation.name for regulation in regulations().values() if regulation.kinds]


def get_regulation(name: str, *, awards: bool = False) -> Regulation:
    """The regulation of that name.

    Args:
        name: as in the registry.
        awards: refuse one that awards nothing to players.

    Raises:
        Refused: there is none, it cannot be used, or it awards nothing; says which there are.
    """
    ours = (regulation for regulation in REGULATIONS if regulation.name == name)
    chosen = next(ours, None) or regulations().get(name)  # to look at what is installed takes time
    if chosen is None:
        if name in broken_regulations():
            raise Refused(broken_regulations()[name])
        names = awarding() if awards else list(regulations())
        meant = did_you_mean(name, names)
        raise Refused(f"There is no regulation {name}.{meant} There are: {', '.join(names)}.")
    if awards and not chosen.kinds:
        raise Refused(
            hint(
                "convert-matches",
                "%(regulation)s awards nothing to players. Those that award points: %(able)s.",
                regulation=name,
                able=", ".join(awarding()),
            )
        )
    return chosen
