"""Money of different currencies."""

from __future__ import annotations

from fractions import Fraction

from msgspec import Struct


class Rate(Struct, frozen=True, kw_only=True):
    """Euro per unit of a currency, and where the figure comes from."""

    eur_per_unit: Fraction
    source: str  # "European Central Bank, 2019-11-08"


def amount(cents: int) -> str:
    """Hundredths of a currency's unit as people write them: ``-1,250.00``."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02}"
