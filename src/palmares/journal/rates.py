"""Exchange rates in a journal: recorded with the reports that need them, and never looked up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl

from palmares.bank_rates import Asked, looked_up, missing
from palmares.errors import Problem
from palmares.facts import Facts
from palmares.facts.bank import Bank, shipped
from palmares.facts.rates import LOOK_BACK
from palmares.facts.tables import TABLES, schema
from palmares.journal.entries import Draft
from palmares.journal.projection import Growth
from palmares.sentences import Figures, either, said

if TYPE_CHECKING:
    from palmares.journal.recording import Action, Desk

KIND = "rate"


def body_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the table of rates as an entry keeps it."""
    return {name: plain(row[name]) for name in TABLES["rates"]}


def plain(value: Any) -> Any:
    """A cell as JSON has it."""
    if isinstance(value, date):
        return value.isoformat()
    return value if value is None or isinstance(value, str) else f"{value.normalize():f}"


def stated(keys: Iterable[str]) -> pl.DataFrame:
    """The currency and the day of which rates are stated, by the keys of their statements."""
    pairs = [msgspec.json.decode(one) for one in keys]
    frame = pl.DataFrame(pairs, {"currency": pl.String, "date": pl.String}, orient="row")
    return frame.with_columns(pl.col("date").str.to_date("%Y-%m-%d"))


def rates_for(desk: Desk, arrived: Facts, reports: Iterable[Draft]) -> list[Draft]:
    """The bank's rates that reports need which are about to be put down.

    They come before the reports, so that what is known with a report has its rate.
    """
    mine = pl.col("tournament_id").is_in([one.subject for one in reports])
    rates = [one["rates"].select(list(schema("rates"))) for one in (desk.projection.facts, arrived)]
    needing = Facts({"tournaments": arrived["tournaments"].filter(mine), "rates": pl.concat(rates)})
    asked = missing(needing)
    return list(_drafts(asked, desk.bank or shipped())) if asked else []


def bring_rates(desk: Desk, growth: Growth) -> int:
    """Put down the bank's rates that changed reports still need; how many there are.

    Args:
        desk: where the reports were put down.
        growth: how the facts grew by them.
    """
    changed = [key for group, key in growth.places if group in ("tournaments", "overrides")]
    mine = pl.col("tournament_id").is_in(changed)
    tournaments = growth.rows["tournaments"].filter(mine)
    recorded = growth.after.tables["rates"]
    asked = missing(Facts({"tournaments": tournaments, "rates": recorded}))
    if not asked:
        return 0
    bank = desk.bank or shipped()
    drafts = list(_drafts(asked, bank))
    desk.extend(drafts)
    paid = growth.rows["events"].filter((pl.col("entry_fee") > 0) | (pl.col("added_money") > 0))
    waiting = tournaments.join(paid, on="tournament_id", how="semi")
    days = set(waiting.select("currency", "end_date").iter_rows())
    desk.notices += _unknown([one for one in asked if one in days], drafts, bank)
    return len(drafts)


def from_bank(bank: Bank) -> Action:
    """Record the rates that tournaments of the journal wait for, as far as a bank's file has them.

    Args:
        bank: the file, as `palmares.facts.bank.read` reads it.
    """

    def act(desk: Desk) -> None:
        asked = missing(desk.projection.facts)
        drafts = list(_drafts(asked, bank))
        desk.extend(drafts)
        desk.notices += _unknown(asked, drafts, bank)

    return act


def _drafts(asked: Iterable[Asked], bank: Bank) -> Iterator[Draft]:
    for row in looked_up(asked, bank):
        yield Draft(kind=KIND, subject=row["currency"], body=body_of(row))


def _unknown(asked: Iterable[Asked], drafts: Iterable[Draft], bank: Bank) -> Iterator[Problem]:
    """A notice for each rate that the bank's data do not have."""
    known = {(one.subject, one.body["date"]) for one in drafts}
    for currency, day in asked:
        if (currency, day.isoformat()) in known:
            continue
        told = {"currency": currency, "day": Figures(day.isoformat())}
        yield Problem(
            where=currency,
            what=said(
                "no rate of %(currency)s on %(day)s or the %(days)s days before",
                days=str(LOOK_BACK),
                **told,
            )
            if bank.reaches(day) or bank.until is None
            else said(
                "no rate of %(currency)s on %(day)s: the bank's rates end on %(until)s",
                until=Figures(bank.until.isoformat()),
                **told,
            ),
            clause="journal rates",
            remedy=either(
                "Take the bank's newer rates with 'palmares journal rates --from FILE', or state"
                " the tournament's eur_per_unit.",
                said("Record the exchange rate, or state the tournament's euro per unit."),
            ),
        )
