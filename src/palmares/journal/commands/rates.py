"""Exchange rates, recorded with the reports that need them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

import msgspec
import polars as pl

from palmares.core.errors import Location, Problem
from palmares.core.messages import LocalNumber, hint, msg
from palmares.facts import Facts
from palmares.facts.bank import Bank, Needed, bank_rows, rates_needed, shipped
from palmares.facts.rates import LOOK_BACK
from palmares.facts.schema import TABLES, schema
from palmares.journal.projection.bodies import plain_cell
from palmares.journal.projection.project import Delta
from palmares.journal.store.entries import Draft, Rate, draft
from palmares.regulations import money_disciplines


def rate_body(row: Mapping[str, Any]) -> Rate:
    """The body of an entry for a row of the table of rates."""
    return msgspec.convert({name: plain_cell(row[name]) for name in TABLES["rates"]}, Rate)


def stated_rates(keys: Iterable[str]) -> pl.DataFrame:
    """Currencies and days of rates, given the keys of their statements."""
    pairs = [msgspec.json.decode(key) for key in keys]
    frame = pl.DataFrame(pairs, {"currency": pl.String, "date": pl.String}, orient="row")
    return frame.with_columns(pl.col("date").str.to_date("%Y-%m-%d"))


def rates_for(facts: Facts, arrived: Facts, reports: Iterable[Draft], bank: Bank) -> list[Draft]:
    """The bank's rates that reports need, to be recorded before them."""
    mine = pl.col("tournament_id").is_in([report.subject for report in reports])
    rates = pl.concat(
        [tables["rates"].select(list(schema("rates"))) for tables in (facts, arrived)]
    )
    needing = Facts({"tournaments": arrived["tournaments"].filter(mine), "rates": rates})
    return waiting_rates(needing, bank)[0]


def missing_rates(delta: Delta, bank: Bank | None) -> tuple[list[Draft], list[Problem]]:
    """The bank's rates that changed reports still need, and notices of missing ones.

    Args:
        delta: with the changed reports.
        bank: by default, the rates that come with palmares.
    """
    changed = [key for group, key in delta.places if group in ("tournaments", "overrides")]
    tournaments = delta.rows["tournaments"].filter(pl.col("tournament_id").is_in(changed))
    reported = Facts({"tournaments": tournaments, "rates": delta.after.tables["rates"]})
    needed = rates_needed(reported, money_disciplines)
    if not needed:
        return [], []
    bank = bank or shipped()
    drafts = _from_bank(needed, bank)
    paid = delta.rows["events"].filter((pl.col("entry_fee") > 0) | (pl.col("added_money") > 0))
    waiting = tournaments.join(paid, on="tournament_id", how="semi")
    days = set(waiting.select("currency", "end_date").iter_rows())
    return drafts, list(_unknown_rates([rate for rate in needed if rate in days], drafts, bank))


def waiting_rates(facts: Facts, bank: Bank) -> tuple[list[Draft], list[Problem]]:
    """The bank's rates that tournaments wait for, and notices of missing ones."""
    needed = rates_needed(facts, money_disciplines)
    drafts = _from_bank(needed, bank)
    return drafts, list(_unknown_rates(needed, drafts, bank))


def _from_bank(needed: Iterable[Needed], bank: Bank) -> list[Draft]:
    return [draft(row["currency"], rate_body(row)) for row in bank_rows(needed, bank)]


def _unknown_rates(
    needed: Iterable[Needed], drafts: Iterable[Draft], bank: Bank
) -> Iterator[Problem]:
    """Notices of rates that the bank's data do not have."""
    with_rate = {(d.subject, d.body.date) for d in drafts if isinstance(d.body, Rate)}
    for currency, day in needed:
        if (currency, day) not in with_rate:
            yield Problem(
                at=Location(currency),
                what=_unknown(currency, day, bank),
                clause="journal rates",
                remedy=hint(
                    "take-newer-rates",
                    "Record the exchange rate, or state the tournament's euro per unit.",
                ),
            )


def _unknown(currency: str, day: date, bank: Bank) -> str:
    about = {"currency": currency, "day": LocalNumber(day.isoformat())}
    if bank.until is None or bank.reaches(day):
        return msg(
            "no rate of %(currency)s on %(day)s or the %(days)s days before",
            days=str(LOOK_BACK),
            **about,
        )
    return msg(
        "no rate of %(currency)s on %(day)s: the bank's rates end on %(until)s",
        until=LocalNumber(bank.until.isoformat()),
        **about,
    )
