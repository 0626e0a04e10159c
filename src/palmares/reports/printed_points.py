"""
Points as somebody printed them: so many decimals, and the numbers that are printed so.

    PrintedPoints   12.34 as units and decimals, and between which bounds the exact number is
    RULES           how a number becomes one with fewer decimals, each in words
    printed         an exact number  ->  units as a rule prints them
    column          a column of cells  ->  their points, one way of writing for all of them
    evened          points of which a spreadsheet dropped the last zeros, with as many as the others

A printed number says where the exact number lies: between a least and a greatest weight, both whole
numbers (`palmares.rankings.worth`), so that it fits or does not, without any tolerance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

PLACES = 9  # decimals of a point that are counted
NANO = 10**PLACES
LONGEST = 60  # letters of a number
MOST_PLACES = 30

RULES = {
    "half up": "rounded half up",
    "half even": "rounded half to even",
    "cut off": "cut off",
    "unrounded": "not rounded before they are printed",
}
"""How points are printed, the usual first; the last one only from nine decimals on."""

Bounds = tuple[int, int]
NOTHING: Bounds = (1, 0)
"""Bounds between which nothing is."""


@dataclass(frozen=True, slots=True)
class PrintedPoints:
    """Points as printed: units of the last decimal."""

    text: str
    units: int
    places: int

    @property
    def nanopoints(self) -> int:
        """The same in billionths, what is smaller rounded half up."""
        shift: int = 10 ** abs(self.places - PLACES)
        if self.places <= PLACES:
            return self.units * shift
        return (2 * self.units + shift) // (2 * shift)

    def bounds(self, rule: str, parts: int, awards: int = 1) -> Bounds:
        """The least and the greatest weight, in nanopoints times parts, that is printed so.

        Args:
            rule: one of `RULES`.
            parts: what a weight is divided by to be nanopoints.
            awards: how many awards are summed; each is counted to a billionth here, and perhaps
                nowhere else.

        Returns:
            Both ends are within. A number counted to a billionth of a point before it is printed
            fits as well as one that is not.
        """
        if rule == "unrounded":
            return self._unrounded(parts, max(1, awards))
        low, high = _printed_so(abs(self.units), self.places, rule, parts)
        if self.units == 0:
            return -high, high
        return (low, high) if self.units > 0 else (-high, -low)

    def _unrounded(self, parts: int, awards: int) -> Bounds:
        if self.places < PLACES:
            return NOTHING
        shift: int = 10 ** (self.places - PLACES)
        low = _up((self.units - awards * shift) * parts, shift)
        return low, (self.units + awards * shift) * parts // shift


def _up(number: int, by: int) -> int:
    """A quotient, rounded up."""
    return -(-number // by)


def _printed_so(units: int, places: int, rule: str, parts: int) -> Bounds:
    """The weights that a rule prints as so many units: exact, or counted to a billionth before."""
    exact = _between(units, rule, parts * NANO, 10**places)
    least, greatest = _between(units, rule, NANO, 10**places)
    if least > greatest:
        return exact
    counted = _up((2 * least - 1) * parts, 2), _up((2 * greatest + 1) * parts, 2) - 1
    return min(exact[0], counted[0]), max(exact[1], counted[1])


def _between(units: int, rule: str, times: int, by: int) -> Bounds:
    """The whole numbers n for which n by / times is printed as so many units."""
    if rule == "cut off":
        return _up(units * times, by), _up((units + 1) * times, by) - 1
    low, high = (2 * units - 1) * times, (2 * units + 1) * times
    if rule == "half up":
        return _up(low, 2 * by), _up(high, 2 * by) - 1
    if units % 2 == 0:  # half to even: both halves come here
        return _up(low, 2 * by), high // (2 * by)
    return low // (2 * by) + 1, _up(high, 2 * by) - 1


def printed(weight: int, parts: int, places: int, rule: str) -> int:
    """A weight in units of so many decimals, as a rule prints it."""
    times: int = 10**places
    number, by = abs(weight) * times, parts * NANO
    units: int
    if rule == "cut off":
        units = number // by
    elif rule == "half even":
        units, rest = divmod(number, by)
        units += 2 * rest > by or (2 * rest == by and units % 2 == 1)
    else:
        units = (2 * number + by) // (2 * by)
    return units if weight >= 0 else -units


# ── reading a column ─────────────────────────────────────────────────────────────────────────────

_SIGN = r"(?P<sign>[-+\u2212]?)"
_SPACES = " '\u2019\u00a0\u2009\u202f"
_READ = {
    mark: re.compile(
        rf"{_SIGN}(?P<whole>[1-9][0-9]{{0,2}}(?P<gap>[{_SPACES}{thousands}])[0-9]{{3}}"
        rf"(?:(?P=gap)[0-9]{{3}})*|[0-9]*)(?:{decimal}(?P<rest>[0-9]+))?"
    )
    for mark, decimal, thousands in (("point", r"\.", ","), ("comma", ",", "."))
}
# As programs print floats that are small.
_SCIENTIFIC = re.compile(r"[-+]?[0-9](?:\.[0-9]+)?[eE][-+]?[0-9]{1,2}")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of points: what was read, and what could not be."""

    points: tuple[PrintedPoints | None, ...]
    wrong: tuple[tuple[int, str], ...]  # which cell, and why
    doubtful: tuple[int, ...]  # cells that say one thing with a point and another with a comma


def points_of(text: str, mark: str) -> PrintedPoints | None:
    """A cell read with a decimal point, or with a decimal comma; none if it is no number."""
    text = text.strip()
    if len(text) > LONGEST:
        return None
    if mark == "point" and _SCIENTIFIC.fullmatch(text):
        places = max(0, -int(Decimal(text).as_tuple().exponent))
        return PrintedPoints(text, int(Decimal(text).scaleb(places)), places)
    found = _READ[mark].fullmatch(text)
    if found is None or not (found["whole"] or found["rest"]):
        return None
    rest = found["rest"] or ""
    if len(rest) > MOST_PLACES:
        return None
    units = int(re.sub(r"\D", "", found["whole"]) + rest)
    return PrintedPoints(text, -units if found["sign"] in {"-", "\u2212"} else units, len(rest))


def column(cells: Sequence[str], mark: str | None = None) -> Column:
    """The points of a column, one way of writing for all of them.

    Args:
        cells: as they stand.
        mark: "point" or "comma"; without it the cells themselves must show which.
    """
    ways = {one: [points_of(cell, one) for cell in cells] for one in _READ}
    alone = {
        one: [at for at in range(len(cells)) if ways[one][at] and not ways[other][at]]
        for one, other in (("point", "comma"), ("comma", "point"))
    }
    chosen = mark or max(alone, key=lambda one: len(alone[one]))  # the point, if nothing tells
    points = ways[chosen]
    otherwise = f"is no number with a decimal {chosen}, as the others have"
    wrong = [
        (at, otherwise if any(way[at] for way in ways.values()) else "are no points")
        for at in range(len(cells))
        if points[at] is None
    ]
    told = mark or alone["point"] or alone["comma"]
    doubtful = [at for at in range(len(cells)) if ways["point"][at] != ways["comma"][at]]
    return Column(tuple(points), tuple(wrong), () if told else tuple(doubtful))


def evened(points: Sequence[PrintedPoints]) -> tuple[PrintedPoints, ...]:
    """Points with at least as many decimals as most of the list has.

    Where numbers have different decimals, a program has dropped zeros: 12.5 among numbers of two
    decimals is 12.50, and not whatever is rounded to it.
    """
    counts = Counter(one.places for one in points)
    usual = max(counts, key=lambda places: (counts[places], places), default=0)
    return tuple(
        one
        if one.places >= usual
        else PrintedPoints(one.text, one.units * 10 ** (usual - one.places), usual)
        for one in points
    )
