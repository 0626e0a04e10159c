"""Exchange rates: euro per unit of a currency on a day, and whose figure it is (reading W10)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from weakref import WeakKeyDictionary

import polars as pl
from msgspec import Struct

from palmares.core.rounding import Rate
from palmares.facts.schema import Facts

_EURO = Rate(eur_per_unit=Fraction(1), source="euro")
LOOK_BACK = 7
"""How many days a rate may be older than the day it is needed for."""


class _Recorded(Struct, frozen=True):
    """The recorded rates of one currency."""

    own: Sequence[tuple[date, Rate]]  # an officer's, by day: each answers for the days after, too
    looked_up: Mapping[date, Rate]  # a bank's: each answers for its day alone


_NONE = _Recorded((), {})
_by_facts: WeakKeyDictionary[Facts, Mapping[str, _Recorded]] = WeakKeyDictionary()


def rate(
    facts: Facts, currency: str, day: date, override: Decimal | Fraction | None = None
) -> Rate | None:
    """Euro per unit of a currency on a day, or nothing if it is not recorded.

    Args:
        facts: whose table of rates is looked at.
        currency: ISO 4217.
        day: the last day of the tournament.
        override: what the tournament's own report says, which wins.
    """
    if override is not None:
        return Rate(eur_per_unit=Fraction(override), source="the tournament's report")
    if currency == "EUR":
        return _EURO
    if facts not in _by_facts:
        _by_facts[facts] = _by_currency(facts)
    recorded = _by_facts[facts].get(currency, _NONE)
    position = bisect_right(recorded.own, day, key=lambda entry: entry[0])
    if position:
        recorded_on, own = recorded.own[position - 1]
        if day - recorded_on <= timedelta(days=LOOK_BACK):
            return own
    return recorded.looked_up.get(day)


def priced_by(rates: pl.DataFrame, tournaments: pl.DataFrame) -> set[str]:
    """The tournaments whose rate may be one of some rows: of their currency, not too old."""
    unstated = tournaments.filter(pl.col("eur_per_unit").is_null())
    pairs = unstated.select("tournament_id", "currency", "end_date").join(
        rates.select("currency", "date"), on="currency"
    )
    age = (pl.col("end_date") - pl.col("date")).dt.total_days()
    return set(pairs.filter(age.is_between(0, LOOK_BACK))["tournament_id"])


def _by_currency(facts: Facts) -> dict[str, _Recorded]:
    rates_by_currency: dict[str, tuple[list[tuple[date, Rate]], dict[date, Rate]]] = {}
    for row in facts.tables["rates"].sort("currency", "date").iter_rows(named=True):
        own, looked_up = rates_by_currency.setdefault(row["currency"], ([], {}))
        value = row["eur_per_unit"]
        of = 1 / Fraction(row["units_per_eur"]) if value is None else Fraction(value)
        source = f"{row['source'] or 'table of rates'}, {row['published_on'] or row['date']}"
        rate = Rate(eur_per_unit=of, source=source)
        if row["published_on"] is None:
            own.append((row["date"], rate))
        else:
            looked_up[row["date"]] = rate
    return {currency: _Recorded(*rates) for currency, rates in rates_by_currency.items()}
