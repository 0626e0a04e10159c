"""
Tournaments, the latest first, a hundred at a time; by name and place, year, discipline, country.

    tournaments_page    what is asked  ->  TournamentsPage
    Wanted              what is asked
    whole               the same  ->  all of them
    latest              so many of those that ended last
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import reduce
from operator import and_

import polars as pl

from palmares.facts import nations
from palmares.facts.texts import plain
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
    country: str
    countries: tuple[str, ...]  # that tournaments were held in, and the one asked for
    tournaments: int  # found
    page: int  # from 1
    pages: int
    rows: tuple[TournamentRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which tournaments somebody asks for."""

    search: str = ""  # words of the name or the place
    year: int | None = None  # that they ended in
    discipline: str = ""
    country: str = ""  # that they were held in, by any of its codes


def tournaments_page(known: Known, wanted: Wanted, page: int = 1) -> TournamentsPage:
    """The tournaments that are asked for."""
    everything = _all(known)
    found = whole(known, wanted)
    page, pages = turned(page, len(found), ROWS)
    years = everything["end_date"].dt.year().drop_nulls().unique().sort(descending=True)
    country = code_of(wanted.country)
    held = {*everything["country"].drop_nulls(), *([country] if country else [])}
    return TournamentsPage(
        search=wanted.search,
        year=wanted.year,
        years=tuple(years),
        discipline=wanted.discipline,
        disciplines=tuple(everything["discipline"].drop_nulls().unique().sort()),
        country=country,
        countries=tuple(sorted(held)),
        tournaments=len(found),
        page=page,
        pages=pages,
        rows=rows(found.slice((page - 1) * ROWS, ROWS)),
    )


def whole(known: Known, wanted: Wanted) -> pl.DataFrame:
    """Every tournament that is asked for, the latest first."""
    found = _all(known)
    if wanted.search:
        words = [pl.col("plain").str.contains(word, literal=True) for word in typed(wanted.search)]
        found = found.filter(reduce(and_, words)) if words else found.clear()
    if wanted.year is not None:
        found = found.filter(pl.col("end_date").dt.year() == wanted.year)
    if wanted.discipline:
        found = found.filter(pl.col("discipline") == wanted.discipline)
    if wanted.country:
        found = found.filter(pl.col("country") == code_of(wanted.country))
    return found


def code_of(country: str) -> str:
    """The code by which we know a country: DEU for GER; what is none stays as it was asked."""
    return nations.nation(country) or country


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
