"""How a federation prints a weight: what the bounds of a printed number are checked against."""

from __future__ import annotations

from palmares.core.rounding import NANO


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
