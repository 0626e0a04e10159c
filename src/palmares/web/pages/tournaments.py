"""
Tournaments, the latest first, a hundred at a time; searched by name and place.

    tournaments_page    what is asked  ->  TournamentsPage
    whole               the same  ->  all of them
    latest              so many of those that ended last
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import reduce
from operator import and_

import polars as pl

from palmares.journal.likeness import plain
from palmares.web.hall import Known
from palmares.web.pages.names import typed
from palmares.web.pages.turning import turned

ROWS = 100
COLUMNS = ("tournament_id", "name", "discipline", "setting", "city", "country", "end_date")


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRow:
    """One tournament."""

    tournament_id: str
    name: str
    discipline: str | None
    setting: str  # live | online
    city: str | None
    country: str | None
    end_date: date


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentsPage:
    """Tournaments as they were asked for."""

    search: str
    year: int | None
    years: tuple[int, ...]  # that have tournaments, the latest first
    discipline: str
    disciplines: tuple[str, ...]
    tournaments: int  # found
    page: int  # from 1
    pages: int
    rows: tuple[TournamentRow, ...]


def tournaments_page(
    known: Known, *, search: str = "", year: int | None = None, discipline: str = "", page: int = 1
) -> TournamentsPage:
    """The tournaments whose name or place has every word, of a year and a discipline."""
    everything = _all(known)
    found = whole(known, search=search, year=year, discipline=discipline)
    page, pages = turned(page, len(found), ROWS)
    years = everything["end_date"].dt.year().drop_nulls().unique().sort(descending=True)
    return TournamentsPage(
        search=search,
        year=year,
        years=tuple(years),
        discipline=discipline,
        disciplines=tuple(everything["discipline"].drop_nulls().unique().sort()),
        tournaments=len(found),
        page=page,
        pages=pages,
        rows=rows(found.slice((page - 1) * ROWS, ROWS)),
    )


def whole(
    known: Known, *, search: str = "", year: int | None = None, discipline: str = ""
) -> pl.DataFrame:
    """Every tournament that is asked for, the latest first."""
    found = _all(known)
    if search:
        words = [pl.col("plain").str.contains(word, literal=True) for word in typed(search)]
        found = found.filter(reduce(and_, words)) if words else found.clear()
    if year is not None:
        found = found.filter(pl.col("end_date").dt.year() == year)
    if discipline:
        found = found.filter(pl.col("discipline") == discipline)
    return found


def latest(known: Known, today: date, most: int) -> tuple[TournamentRow, ...]:
    """Those that ended last, up to today."""
    return rows(_all(known).filter(pl.col("end_date") <= today).head(most))


def of_country(known: Known, country: str, most: int) -> tuple[TournamentRow, ...]:
    """Those that were held in a country, the latest first."""
    return rows(_all(known).filter(pl.col("country") == country).head(most))


def rows(found: pl.DataFrame) -> tuple[TournamentRow, ...]:
    """Tournaments as pages show them."""
    return tuple(TournamentRow(**row) for row in found.select(COLUMNS).iter_rows(named=True))


def _all(known: Known) -> pl.DataFrame:
    """Every tournament, the latest first, with its name and place in plain words."""

    def made() -> pl.DataFrame:
        table = known.facts["tournaments"].with_columns(pl.col("setting").fill_null("live"))
        words = table.select(
            pl.concat_str("name", "city", "country", separator=" ", ignore_nulls=True).alias("said")
        )
        return (
            table.select(COLUMNS)
            .with_columns(plain=plain(words["said"]))
            .sort("end_date", "tournament_id", descending=True)
        )

    return known.once("tournaments", made)
