"""Euro per unit, exactly, and whose figure it is."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import polars as pl
import pytest

from palmares.facts import Facts, rate
from palmares.placings import Rate


def F(text: str) -> Fraction:  # noqa: N802
    return Fraction(text)


TABLE = Facts.from_frames(
    {
        "rates": pl.DataFrame(
            {
                "currency": ["USD", "USD", "ARS"],
                "date": ["2019-11-08", "2019-11-12", "2019-11-08"],
                "eur_per_unit": ["0.90", "0.91", "0.015"],
                "source": [None, "the federation", "the hotel"],
            }
        )
    }
)


@pytest.mark.parametrize(
    ("why", "currency", "day", "override", "found"),
    [
        ("a euro is a euro",      "EUR", "2019-11-17", None,     (F("1"), "euro")),
        ("the report wins",       "USD", "2019-11-12", F("0.8"),
         (F("0.8"), "the tournament's report")),
        ("the table, on the day", "USD", "2019-11-12", None,
         (F("0.91"), "the federation, 2019-11-12")),
        ("the day before",        "USD", "2019-11-11", None,
         (F("0.90"), "table of rates, 2019-11-08")),
        ("7 days back",           "ARS", "2019-11-15", None,
         (F("0.015"), "the hotel, 2019-11-08")),
        ("8 days back",           "ARS", "2019-11-16", None,     None),
        ("before the table",      "USD", "2019-11-07", None,
         (1 / F("1.1077"), "European Central Bank, 2019-11-07")),
        ("a Friday",              "USD", "2019-11-22", None,
         (1 / F("1.1058"), "European Central Bank, 2019-11-22")),
        ("a Sunday",              "USD", "2019-11-24", None,
         (1 / F("1.1058"), "European Central Bank, 2019-11-22")),
        ("before the euro",       "USD", "1998-12-31", None,     None),
        ("first day of the euro", "USD", "1999-01-04", None,
         (1 / F("1.1789"), "European Central Bank, 1999-01-04")),
        ("7 days after the last", "RUB", "2022-03-08", None,
         (1 / F("117.201"), "European Central Bank, 2022-03-01")),
        ("8 days after the last", "RUB", "2022-03-09", None,     None),
        ("nobody's currency",     "ZZZ", "2019-11-15", None,     None),
    ],
)  # fmt: skip
def test_rate(
    why: str,
    currency: str,
    day: str,
    override: Fraction | None,
    found: tuple[Fraction, str] | None,
) -> None:
    expected = Rate(eur_per_unit=found[0], source=found[1]) if found else None
    assert rate(TABLE, currency, date.fromisoformat(day), override) == expected, why
