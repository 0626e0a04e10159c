"""
Rounding, and money.

An award is rounded once, half up, to a billionth of a point; then it is an integer.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Annotated, Any, TypeVar

from msgspec import Struct

Number = TypeVar("Number", bound=float | Fraction)
NANO = 1_000_000_000
Nanopoints = Annotated[int, "nanopoints"]
"""Whole billionths of a point."""
GREATEST = 9_000_000_000
"""Points of one award stay below it, so that they and their nanopoints fit in 64 bits."""
UNCOUNTABLE = -(2**63)
"""In the place of nanopoints: these points are no number, or not below `GREATEST`."""
TIE = 1_000
"""Nanopoints: totals that differ by no more than this millionth of a point share a rank.

Every award is rounded by up to half a nanopoint, so that equal results of up to a thousand awards
differ by no more (readings W16 of wbgf, U17 of usbgf).
"""
MINUS = "\u2212"
"""The sign of a loss where people read it in print: on pages, in HTML and PDF."""
_PLACES = 9
_HALF = Fraction(1, 2)
_SHORT = 10_000  # denominators up to which an exact fraction helps a reader
_ROW = 6  # longest sequence of numbers written out in full


def to_nanopoints(points: float | Fraction) -> int:
    """Points as whole nanopoints, rounded half up; exact for fractions."""
    if isinstance(points, float):
        return floor(points * 1e9 + 0.5)
    return floor(points * NANO + _HALF)


def countable_nanopoints(points: float | Fraction) -> int:
    """Points as whole nanopoints; `UNCOUNTABLE` for what cannot be counted."""
    return to_nanopoints(points) if -GREATEST < points < GREATEST else UNCOUNTABLE


def divided_half_up(nanopoints: int, parts: int) -> int:
    """Nanopoints divided by *parts*, rounded half up, in whole numbers throughout."""
    return (2 * nanopoints + parts) // (2 * parts)


def tie_margin(parts: int) -> int:
    """The most by which totals, in nanopoints times *parts*, differ and still share a rank."""
    return TIE * parts


def outranks(total: int, other: int, parts: int = 1) -> bool:
    """Whether a total ranks above another, both in nanopoints times *parts*.

    A rank is one more than the number of totals that outrank it. There are no groups: of three
    totals the first and the last may each share a rank with the second, and not with each other.
    """
    return total - other > tie_margin(parts)


def reaches(points: float | Fraction, threshold: float | Fraction) -> bool:
    """Whether points reach a threshold: they do from a millionth of a point below it."""
    return not outranks(to_nanopoints(threshold), to_nanopoints(points))


def half_up(value: Number, places: int) -> Number:
    """A number rounded half up to so many decimal places, at most nine.

    A float is taken for the decimal number it shows at nine places, so that 0.625, however it was
    computed, is exactly half-way.
    """
    exact = Fraction(f"{value:.{_PLACES}f}") if isinstance(value, float) else Fraction(value)
    scale = 10**places
    return type(value)(Fraction(floor(exact * scale + _HALF), scale))


def points_text(nanopoints: int, places: int = 2) -> str:
    """Nanopoints as text with exactly so many decimals, rounded half up, away from zero."""
    units = divided_half_up(abs(nanopoints), 10 ** (_PLACES - places))
    sign = "-" if nanopoints < 0 and units else ""
    integer, rest = divmod(units, 10**places)
    return f"{sign}{integer}.{rest:0{places}d}" if places else f"{sign}{integer}"


def exact_text(nanopoints: int) -> str:
    """Nanopoints as the shortest exact decimal text: ``37.41``, ``15``, ``-0.000000001``."""
    text = points_text(nanopoints, _PLACES).rstrip("0")
    return text.rstrip(".")


def number_text(value: Any) -> str:
    """A number with nine decimals, and its exact fraction if that is short."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return _row(value)
    if hasattr(value, "items"):
        return "{" + ", ".join(f"{key} {number_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Fraction):
        return _fraction(value)
    if isinstance(value, float):
        return f"{value:.9f}".rstrip("0").rstrip(".")
    return str(value)


def _row(values: Sequence[Any]) -> str:
    if len(values) <= _ROW:
        return "(" + "; ".join(number_text(value) for value in values) + ")"
    ends = [number_text(values[0]), number_text(values[1]), "…", number_text(values[-1])]
    return "(" + "; ".join(ends) + f": {len(values)} numbers)"


def _fraction(value: Fraction) -> str:
    text = f"{float(value):.9f}".rstrip("0").rstrip(".")
    if Fraction(text) == value:
        return text
    exact = f" ({value})" if value.denominator < _SHORT else ""
    return f"{float(value):.9f}…{exact}"


class ExchangeRate(Struct, frozen=True, kw_only=True):
    """Euro per unit of a currency, and where the figure comes from."""

    eur_per_unit: Fraction
    source: str  # "European Central Bank, 2019-11-08"


def money_text(cents: int) -> str:
    """Hundredths of a currency's unit as people write them: ``-1,250.00``."""
    units, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{units:,}.{rest:02}"
