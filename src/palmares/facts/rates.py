"""
Exchange rates: euro per unit of a currency on a day, and whose figure it is.

    rate    what the report says; else the table of rates; else the European Central Bank

Where there is none on the day, the last earlier day counts, at most `LOOK_BACK` days back
(reading W10). All rates are exact fractions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from palmares.facts.tables import Facts
from palmares.placings import Rate

LOOK_BACK = 7

_Known = Mapping[str, Sequence[tuple[date, Rate]]]
_known: WeakKeyDictionary[Facts, _Known] = WeakKeyDictionary()


def rate(
    facts: Facts, currency: str, day: date, override: Decimal | Fraction | None = None
) -> Rate | None:
    """Euro per unit of a currency on a day, or nothing if nobody says.

    Args:
        facts: whose table of rates is looked at.
        currency: ISO 4217.
        day: the last day of the tournament.
        override: what the tournament's own report says, which wins.
    """
    if override is not None:
        return Rate(eur_per_unit=Fraction(override), source="the tournament's report")
    if currency == "EUR":
        return Rate(eur_per_unit=Fraction(1), source="euro")
    return _from_table(facts, currency, day) or _from_bank(currency, day)


def _from_table(facts: Facts, currency: str, day: date) -> Rate | None:
    if facts not in _known:
        _known[facts] = _by_currency(facts)
    rates = _known[facts].get(currency, ())
    position = bisect_right(rates, day, key=lambda entry: entry[0])
    if not position:
        return None
    found, known = rates[position - 1]
    return known if day - found <= timedelta(days=LOOK_BACK) else None


def _by_currency(facts: Facts) -> _Known:
    table = facts.tables["rates"].sort("currency", "date")
    found: dict[str, list[tuple[date, Rate]]] = {}
    for currency, day, value, source in table.select(
        "currency", "date", "eur_per_unit", "source"
    ).iter_rows():
        whose = f"{source or 'table of rates'}, {day}"
        entry = (day, Rate(eur_per_unit=Fraction(value), source=whose))
        found.setdefault(currency, []).append(entry)
    return found


@lru_cache(maxsize=1)
def _bank() -> Any:
    from currency_converter import CurrencyConverter

    return CurrencyConverter(decimal=True)


@lru_cache(maxsize=4096)
def _from_bank(currency: str, day: date) -> Rate | None:
    """The European Central Bank's reference rate: units per euro, as a decimal number."""
    from currency_converter import RateNotFoundError

    if currency not in _bank().currencies:
        return None
    for back in range(LOOK_BACK + 1):
        on = day - timedelta(days=back)
        try:
            per_euro = _bank().convert(1, "EUR", currency, on)
        except RateNotFoundError:
            continue
        return Rate(eur_per_unit=1 / Fraction(per_euro), source=f"European Central Bank, {on}")
    return None
