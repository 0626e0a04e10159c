"""The bank's rates that some facts need, as rows of their table of rates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

import polars as pl

from palmares.facts import Facts, rate
from palmares.facts.bank import SOURCE, Bank, shipped
from palmares.facts.schema import FILE, LINE, schema
from palmares.regulations import regulations

Asked = tuple[str, date]
"""A currency, and the day of which its rate is needed."""


def missing(facts: Facts) -> list[Asked]:
    """Every rate that a regulation with money would ask for, and that nobody has recorded."""
    abroad = facts["tournaments"].filter(
        (pl.col("currency") != "EUR") & pl.col("eur_per_unit").is_null()
    )
    if abroad.is_empty():
        return []
    seen = [one.discipline for one in regulations().values() if one.money]
    of = pl.col("discipline")
    abroad = abroad.filter(of.is_null() | of.str.to_lowercase().is_in(seen))
    asked = abroad.select("currency", "end_date").unique().sort("end_date", "currency")
    return [one for one in asked.iter_rows() if rate(facts, *one) is None]


def looked_up(asked: Iterable[Asked], bank: Bank) -> Iterator[Mapping[str, Any]]:
    """What a bank says of some days, as rows of rates that answer for these days alone."""
    for currency, day in asked:
        if figure := bank.figure(currency, day):
            yield {
                "currency": currency,
                "date": day,
                "eur_per_unit": None,
                "units_per_eur": figure.units_per_eur,
                "source": SOURCE,
                "published_on": figure.published_on,
            }


def with_bank_rates(facts: Facts, bank: Bank | None = None) -> Facts:
    """Facts of files with every rate that they need and the bank knows.

    Args:
        facts: of files; those of a journal hold the rates that were recorded, and get no others.
        bank: its data; without it, those that come with palmares.
    """
    asked = missing(facts)
    if not asked:
        return facts
    bank = shipped() if bank is None else bank
    rows = [{**row, FILE: SOURCE, LINE: 1} for row in looked_up(asked, bank)]
    rates = pl.concat([facts["rates"], pl.DataFrame(rows, schema("rates"))], how="diagonal")
    return Facts({**facts.tables, "rates": rates}, facts.notices, bank.until)


def without_bank_rates(facts: Facts) -> Facts:
    """Facts as their files have them, without what `with_bank_rates` added."""
    rates = facts["rates"]
    own = rates.filter(pl.col(FILE) != SOURCE)
    return facts if len(own) == len(rates) else Facts({**facts.tables, "rates": own}, facts.notices)
