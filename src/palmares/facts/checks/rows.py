"""Cells of one row against each other: dates, rates, divisions, matches."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from palmares.errors import Problem
from palmares.facts.found import problems_at
from palmares.facts.tables import Facts
from palmares.facts.texts import shown

_DIVISIONS = r"^[1-9][0-9]?(\+[1-9][0-9]?)*$"


def problems(facts: Facts) -> Iterator[Problem]:
    """Rows that contradict themselves."""
    yield from _dates(facts)
    yield from _rates(facts)
    yield from _divisions(facts)
    yield from _matches(facts)


def _dates(facts: Facts) -> Iterator[Problem]:
    """An end comes no earlier than its start."""
    for table, start, end in (
        ("tournaments", "start_date", "end_date"),
        ("memberships", "start", "end"),
    ):
        rows = facts.tables[table].select("_file", "_line", start=start, end=end)
        yield from problems_at(
            rows.filter(pl.col("end") < pl.col("start")),
            lambda row: f"the end, {row['end']}, is before the start, {row['start']}",
            f"facts {table}.{end}",
            "Correct one of the two days.",
        )


def _rates(facts: Facts) -> Iterator[Problem]:
    """A euro is a euro."""
    for table in ("tournaments", "rates"):
        rows = facts.tables[table]
        euro = pl.col("currency") == "EUR"
        if table == "tournaments":
            euro |= pl.col("currency").is_null()
        yield from problems_at(
            rows.filter(euro & (pl.col("eur_per_unit") != 1)),
            lambda row: f"eur_per_unit is {row['eur_per_unit'].normalize():f} for EUR",
            f"facts {table}.eur_per_unit",
            "Write the currency of the fees, or leave the rate of the euro out.",
        )


def _divisions(facts: Facts) -> Iterator[Problem]:
    yield from problems_at(
        facts.tables["events"].filter(~pl.col("division_rank").str.contains(_DIVISIONS)),
        lambda row: f"division_rank is '{shown(row['division_rank'])}'",
        "facts events.division_rank",
        "Write 1 for the highest division, 2 for the next; 1+2 for two played as one.",
    )


def _matches(facts: Facts) -> Iterator[Problem]:
    matches = facts.tables["matches"].with_columns(pl.col("status").fill_null("played"))
    if not matches.height:
        return
    yield from problems_at(
        matches.filter(pl.col("winner_id") == pl.col("loser_id")),
        lambda row: f"{shown(row['winner_id'])} plays against himself or herself",
        "facts matches.loser_id",
        "Correct one of the two ids.",
    )
    fought = pl.col("status").is_in(["played", "series"])
    yield from problems_at(
        matches.filter(fought & (pl.col("length") < 1)),
        lambda row: f"the length is {row['length']} in a match that was {_happened(row['status'])}",
        "facts matches.length",
        "Write the points that win it, or the status bye or walkover.",
    )
    yield from problems_at(
        matches.filter((pl.col("status") == "series") & pl.col("series_wins").is_null()),
        "a series has no series_wins",
        "facts matches.series_wins",
        "Write how many matches win the series: 3 for a best of five.",
    )
    yield from problems_at(
        matches.filter((pl.col("status") != "series") & pl.col("series_wins").is_not_null()),
        lambda row: (
            f"series_wins is {row['series_wins']} in a match whose status is {row['status']}"
        ),
        "facts matches.series_wins",
        "Write the status series, or leave series_wins empty.",
    )


def _happened(status: str) -> str:
    return "played" if status == "played" else "a series"
