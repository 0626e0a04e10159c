"""
A formula as the sum one would write on paper, from running it.

    Sum         "1.5 × 0.75 × 32 / 84.21 ≈ 0.43", and the same with names
    summed      a formula and what goes into it  ->  Sum

The formula runs on numbers that note what is done with them. Numbers are shortened as far as the
sum still comes out: the printed numbers give the printed result.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from palmares.core.rounding import NANO, exact_text, half_up, points_text, shared, to_nanopoints

FEWEST, MOST = 2, 9
"""Decimals of a shortened number."""
FULL = 4
"""A number that has no more decimals is never shortened."""
_ALONE, _PRODUCT, _ADDITION = 3, 2, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """A formula with its numbers filled in, and what comes out."""

    numbers: str  # "1.5 × 0.75 × 32 ≈ 36.00"; ≈ where a printed number is rounded
    names: str  # "grade × format factor × size scaling"; empty: it is more than arithmetic


class TracedNumber(Fraction):
    """A number that knows how it was written, and how it came about."""

    __slots__ = ("binds", "exact", "names", "numbers")
    numbers: str
    names: str
    exact: bool  # every number in it is written in full
    binds: int

    def __index__(self) -> int:
        """Itself, where something is looked up by it."""
        if self.denominator != 1:
            raise TypeError(f"{self.numbers} is not a whole number")
        return self.numerator


def summed(
    formula: Callable[..., Any], given: Mapping[str, Any], points: int, left: int, parts: int
) -> Sum:
    """A formula as a sum.

    Args:
        formula: any plain function of numbers.
        given: what it takes, by name.
        points: nanopoints that it comes to.
        left: days of them that are left.
        parts: days in all; the printed points times left / parts are the worth as lists show it.
    """
    worth = points_text(shared(points * left, parts))
    places = next(
        (
            more
            for more in range(FEWEST, MOST)
            if points_text(shared(to_nanopoints(Fraction(points_text(points, more))) * left, parts))
            == worth
        ),
        MOST,
    )
    printed = points_text(points, places)
    result = shortened = None
    for more in range(FEWEST, MOST + 1):
        result = formula(**{name: _given(name, value, more) for name, value in given.items()})
        shortened = points_text(to_nanopoints(Fraction(result)), places)
        if shortened == printed:
            break
    if not isinstance(result, TracedNumber) or result.names == result.numbers:
        return Sum(numbers=grouped(printed), names="")
    equals = "=" if result.exact and Fraction(result) == Fraction(printed) else "≈"
    return Sum(numbers=f"{result.numbers} {equals} {grouped(printed)}", names=result.names)


def grouped(text: str) -> str:
    """A decimal number with its thousands apart: ``1,095.5``."""
    digits, point, rest = text.partition(".")
    sign = "-" if digits.startswith("-") else ""
    return f"{sign}{int(digits.lstrip('-')):,}{point}{rest}"


def _given(name: str, value: Any, places: int) -> Any:
    """What goes into a formula: numbers note what is done with them, all else is as it is."""
    if name == "constants":
        pairs = zip(value._fields, value, strict=True)
        return value._make(_given(field, number, places) for field, number in pairs)
    return _traced(value, places, name.replace("_", " ")) if _is_number(value) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)


def _traced(value: Any, places: int, name: str = "") -> TracedNumber:
    """A number shortened to so many decimals, unless it is short."""
    exact = Fraction(value)
    full = half_up(exact, FULL) == exact
    shortened = (half_up(exact, more) for more in range(places, MOST + 1))
    short = (
        exact if full else next((number for number in shortened if number), exact)
    )  # never to nothing
    numbers = _part(grouped(exact_text(to_nanopoints(short))), short < 0)
    in_full = Fraction(to_nanopoints(exact), NANO) == exact and short == exact
    return _new(short, numbers, name or numbers, exact=in_full, binds=_ALONE)


def _new(value: Fraction, numbers: str, names: str, *, exact: bool, binds: int) -> TracedNumber:
    number = TracedNumber(value)
    number.numbers, number.names, number.exact, number.binds = numbers, names, exact, binds
    return number


def _operator(operate: Callable[..., Any], sign: str, binds: int, *, swapped: bool) -> Any:
    """An operator that notes what it does; *swapped* where the other number stands before it."""

    def operated(this: TracedNumber, that: Any) -> Any:
        if not _is_number(that):
            return NotImplemented
        other = that if isinstance(that, TracedNumber) else _traced(that, MOST)
        first, second = (other, this) if swapped else (this, other)
        return _new(
            operate(Fraction(first), Fraction(second)),
            *(
                f"{_part(getattr(first, form), first.binds < binds)} {sign} "
                f"{_part(getattr(second, form), _parted(second, sign, binds))}"
                for form in ("numbers", "names")
            ),
            exact=first.exact and second.exact,
            binds=binds,
        )

    return operated


def _parted(second: TracedNumber, sign: str, binds: int) -> bool:
    """Whether a number behind a sign needs brackets."""
    return second.binds < binds or (second.binds == binds and sign in "−/")


def _part(text: str, bracketed: bool) -> str:  # noqa: FBT001
    return f"({text})" if bracketed else text


for _name, _operate, _sign, _binds in (
    ("add", operator.add, "+", _ADDITION),
    ("sub", operator.sub, "−", _ADDITION),
    ("mul", operator.mul, "×", _PRODUCT),
    ("truediv", operator.truediv, "/", _PRODUCT),
):
    setattr(TracedNumber, f"__{_name}__", _operator(_operate, _sign, _binds, swapped=False))
    setattr(TracedNumber, f"__r{_name}__", _operator(_operate, _sign, _binds, swapped=True))
