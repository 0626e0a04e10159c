"""
Roots, powers and logarithms that take either kind of number.

Clauses are written once and run on floats and on exact fractions. What is rational stays exact;
a root or a logarithm of a fraction is carried to 60 digits, far beyond any rounding that follows.
The compiled twin of a module puts the machine's own functions in the place of these
(`palmares.compiled`), the same ones that floats use here.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from typing import TypeVar

Number = TypeVar("Number", float, Fraction)

_WIDE = Context(prec=60)


def _decimal(value: Fraction | int) -> Decimal:
    return _WIDE.divide(Decimal(value.numerator), Decimal(value.denominator))


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
