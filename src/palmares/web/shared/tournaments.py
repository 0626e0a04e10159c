"""Tournaments in a line each: all of them, the latest, those of a country."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares.facts.text import plain
from palmares.web.http.state import Snapshot


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


def tournament_rows(found: pl.DataFrame) -> tuple[TournamentRow, ...]:
    """Rows of `all_tournaments` for a page."""
    return tuple(TournamentRow(**row) for row in found.drop("plain", "year").iter_rows(named=True))


def all_tournaments(snapshot: Snapshot) -> pl.DataFrame:
    """Every tournament, the latest first, with its year, its name and place in plain words."""

    def make() -> pl.DataFrame:
        words = pl.concat_str("name", "city", "country", separator=" ", ignore_nulls=True)
        table = snapshot.facts["tournaments"]
        return table.select(
            *("tournament_id", "name", "discipline"),
            pl.col("setting").fill_null("live"),
            *("city", "country", "end_date"),
            pl.col("end_date").dt.year().alias("year"),
            plain=plain(table.select(words.alias("words"))["words"]),
        ).sort("end_date", "tournament_id", descending=True)

    return snapshot.once("tournaments", make)
