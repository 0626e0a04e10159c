"""Euro per unit, exactly, and whose figure it is."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import polars as pl
import pytest

from palmares.core.errors import FactsRejected
from palmares.core.rounding import ExchangeRate
from palmares.facts import rate
from palmares.facts.frames import from_frames


def F(text: str) -> Fraction:  # noqa: N802
    return Fraction(text)


TABLE = from_frames(
    {
        "rates": pl.DataFrame(
            {
                "currency": ["USD", "USD", "ARS", "JPY", "JPY"],
                "date": ["2019-11-08", "2019-11-12", "2019-11-08", "2019-11-17", "2019-11-18"],
                "eur_per_unit": ["0.90", "0.91", "0.015", None, "0.0083"],
                "units_per_eur": [None, None, None, "119.93", None],
                "source": [None, "the federation", "the hotel", "European Central Bank", None],
                "published_on": [None, None, None, "2019-11-15", None],
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
        ("before the table",      "USD", "2019-11-07", None,     None),
        ("a bank's, for its day", "JPY", "2019-11-17", None,
         (1 / F("119.93"), "European Central Bank, 2019-11-15")),
        ("not for its figure's",  "JPY", "2019-11-15", None,     None),
        ("nor for days after",    "JPY", "2019-11-26", None,     None),
        ("an own one does",       "JPY", "2019-11-25", None,
         (F("0.0083"), "table of rates, 2019-11-18")),
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
    expected = ExchangeRate(eur_per_unit=found[0], source=found[1]) if found else None
    assert rate(TABLE, currency, date.fromisoformat(day), override) == expected, why


def test_an_officers_rate_wins_over_a_banks() -> None:
    both = from_frames(
        {
            "rates": pl.DataFrame(
                {
                    "currency": ["USD", "USD"],
                    "date": ["2019-11-15", "2019-11-17"],
                    "eur_per_unit": ["0.90", None],
                    "units_per_eur": [None, "1.1034"],
                    "published_on": [None, "2019-11-15"],
                }
            )
        }
    )
    found = rate(both, "USD", date(2019, 11, 17))
    assert found == ExchangeRate(eur_per_unit=F("0.90"), source="table of rates, 2019-11-15")


@pytest.mark.parametrize(
    ("row", "clause", "what"),
    [
        ({}, "facts rates.eur_per_unit", "eur_per_unit is empty"),
        ({"eur_per_unit": "0.9", "units_per_eur": "1.1"}, "facts rates.eur_per_unit",
         "eur_per_unit and units_per_eur are both filled in"),
        ({"units_per_eur": "1.1", "published_on": "2019-11-07"}, "facts rates.published_on",
         "published_on, 2019-11-07, is not 2019-11-15 or one of the 7 days before"),
        ({"units_per_eur": "1.1", "published_on": "2019-11-16"}, "facts rates.published_on",
         "published_on, 2019-11-16, is not 2019-11-15 or one of the 7 days before"),
    ],
)  # fmt: skip
def test_rows_that_say_too_little_or_too_much(row: dict[str, str], clause: str, what: str) -> None:
    with pytest.raises(FactsRejected) as rejected:
        from_frames({"rates": pl.DataFrame([{"currency": "USD", "date": "2019-11-15", **row}])})
    assert [(one.clause, one.what) for one in rejected.value.problems] == [(clause, what)]
