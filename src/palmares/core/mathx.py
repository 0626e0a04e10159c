"""
Roots, powers and logarithms that take either kind of number.

Clauses are written once and run on floats and on exact fractions. What is rational stays exact;
a root or a logarithm of a fraction is carried to 60 digits, far beyond any rounding that follows.
A compiled module uses the machine's own functions instead of these
(`palmares.points.kernels.compiled`), the same ones that floats use here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Context, Decimal
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, TypeVar

Number = TypeVar("Number", float, Fraction)

_WIDE = Context(prec=60)
_TOO_CLOSE_TO_CALL = 1e-6
_THE_SAME = Fraction(1, 10**40)


def _decimal(value: Fraction | int) -> Decimal:
    return _WIDE.divide(Decimal(value.numerator), Decimal(value.denominator))


def sorted_sum(values: Iterable[Any]) -> Any:
    """Numbers added one after the other, the smallest first.

    The built-in sum of floats differs between versions of Python; this one is the same on each,
    and for any order in which the numbers come.
    """
    return reduce(add, sorted(values))


def sqrt(value: Number) -> Number:
    """The square root; exact for the fraction of two squares."""
    if isinstance(value, float):
        return math.sqrt(value)
    value = Fraction(value)
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    return Fraction(_WIDE.sqrt(_decimal(value)))


def log(value: Number) -> Number:
    """The natural logarithm."""
    if isinstance(value, float):
        return math.log(value)
    return Fraction(_WIDE.ln(_decimal(Fraction(value))))


def log2(value: Number) -> Number:
    """The logarithm to base two; exact for whole powers of two."""
    if isinstance(value, float):
        return math.log2(value)
    value = Fraction(value)
    if value.denominator == 1 and value.numerator.bit_count() == 1:
        return Fraction(value.numerator.bit_length() - 1)
    return Fraction(_WIDE.divide(_WIDE.ln(_decimal(value)), _WIDE.ln(Decimal(2))))


def power(base: Number, exponent: Number) -> Number:
    """A positive base to any exponent; exact for whole exponents."""
    if isinstance(base, float):
        return math.pow(base, exponent)
    exponent = Fraction(exponent)
    if exponent.denominator == 1:
        return Fraction(base) ** exponent.numerator
    return Fraction(_WIDE.power(_decimal(Fraction(base)), _decimal(exponent)))


def settled(formula: Callable[..., Any], *terms: Any) -> float | Fraction:
    """The value of a formula, on the right side of every whole number.

    Floats serve unless they come within a millionth of a whole number; then the value is carried
    to 60 digits, and what 60 digits cannot tell from a whole number is that number.
    """
    value: float = formula(*map(float, terms))
    if abs(value - round(value)) > _TOO_CLOSE_TO_CALL:
        return value
    exact: Fraction = formula(*map(Fraction, terms))
    nearest = round(exact)
    return Fraction(nearest) if abs(exact - nearest) < _THE_SAME else exact
