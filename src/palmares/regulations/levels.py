"""
Recognition levels: files of thresholds that a federation hands out, and we do not hold.

The USBGF text speaks of "published lifetime point thresholds" and prints none, so none is in its
editions. A file of levels has a head and one entry a level:

    [levels]
    regulation = "usbgf"
    title      = "whose thresholds these are"
    source     = "where they were published"

    [[level]]
    name   = "Life Master"
    points = 1000
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from palmares.core.errors import FactsRejected, Location, Problem, Unreadable
from palmares.core.toml import parse, read_text

MOST_POINTS = 10**9
DIGITS = 9
REMEDY = (
    "A sheet has [levels] with regulation, title and source, and for each level a [[level]] "
    "with name and points."
)


class LevelSheet(NamedTuple):
    """The levels of a federation, and where they were published."""

    title: str
    source: str
    thresholds: Mapping[str, Fraction]  # lifetime points by level, the lowest first


def read_levels(path: str | Path, regulation: str) -> Mapping[str, Fraction]:
    """The thresholds of a file of levels.

    Args:
        path: a TOML file as described above.
        regulation: the name of the one that they are asked for.

    Returns:
        Lifetime points by the name of the level, the lowest first.

    Raises:
        FactsRejected: it is no such file; every fault is named.
        Refused: it cannot be read, or is not UTF-8.
    """
    return parse_levels(read_text(path), regulation, str(path)).thresholds


def parse_levels(text: str, regulation: str, where: str) -> LevelSheet:
    """A file of levels.

    Args:
        text: TOML as described above.
        regulation: the name of the one that they are asked for.
        where: the file, as the user named it.

    Raises:
        FactsRejected: it is no such file; every fault is named.
    """
    try:
        sheet = parse(text, parse_float=Decimal).values
    except Unreadable as error:
        place = Location(where, error.line)
        raise _rejected(place, regulation, [error.what], error.remedy) from None
    head, entries = sheet.get("levels"), sheet.get("level")
    faults = [
        f"[levels] has no {key}"
        for key in ("regulation", "title", "source")
        if not (isinstance(head, dict) and isinstance(head.get(key), str) and head[key])
    ]
    if isinstance(head, dict) and head.get("regulation", regulation) != regulation:
        faults.append(f"the levels are of {head['regulation']!r}; only {regulation} has levels")
    if not isinstance(entries, list) or not entries:
        raise _rejected(Location(where), regulation, [*faults, "there is no [[level]]"])
    levels: dict[str, Fraction] = {}
    for number, entry in enumerate(entries, 1):
        name, points, fault = _level(entry)
        if fault:
            faults.append(f"level {number}: {fault}")
        elif name in levels or points in levels.values():
            faults.append(f"level {number}: {name} or its points stand there twice")
        levels[name] = points
    if faults:
        raise _rejected(Location(where), regulation, faults)
    ascending = MappingProxyType(dict(sorted(levels.items(), key=lambda level: level[1])))
    return LevelSheet(str(sheet["levels"]["title"]), str(sheet["levels"]["source"]), ascending)


def _level(entry: Any) -> tuple[str, Fraction, str]:
    """One entry's name and points, and what is wrong with it."""
    if not isinstance(entry, dict):
        return "", Fraction(0), "it is no table"
    name, points = entry.get("name"), entry.get("points")
    if not isinstance(name, str) or not name.strip():
        return "", Fraction(0), "it has no name"
    if isinstance(points, bool) or not isinstance(points, int | Decimal):
        return name, Fraction(0), f"the points of {name} are no number"
    is_finite = isinstance(points, int) or points.is_finite()
    if not is_finite or not 0 <= points <= MOST_POINTS or round(points, DIGITS) != points:
        return (
            name,
            Fraction(0),
            (f"the points of {name} are not between 0 and {MOST_POINTS:,}, with {DIGITS} decimals"),
        )
    return name.strip(), Fraction(points), ""


def _rejected(
    at: Location, regulation: str, faults: list[str], remedy: str = REMEDY
) -> FactsRejected:
    return FactsRejected(
        Problem(at=at, what=fault, clause=f"{regulation} recognition", remedy=remedy)
        for fault in faults
    )
