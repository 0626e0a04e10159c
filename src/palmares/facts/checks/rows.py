"""Cells of one row against each other: dates, rates, divisions, matches."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

import polars as pl

from palmares.core.errors import Problem
from palmares.core.messages import LocalNumber, msg
from palmares.facts.problems import Cell, Row, event_name, problems_at, with_event_names
from palmares.facts.rates import LOOK_BACK
from palmares.facts.schema import Facts
from palmares.facts.text import printable

_DIVISIONS = r"^[1-9][0-9]?(\+[1-9][0-9]?)*$"


DISCIPLINES = ("backgammon", "bridge", "diplomacy")
"""Those that the regulations we ship are for."""
LARGE_FEE = 1_000_000
"""Units of whatever currency: a higher fee is a slip far more often than a fee."""


def notices(facts: Facts) -> Iterator[Problem]:
    """Cells that a person should look at."""
    tournaments = facts.tables["tournaments"]
    words = tournaments["discipline"].drop_nulls().unique().to_list()
    close = {
        word: near[0]
        for word in words
        if word.lower() not in DISCIPLINES
        and (near := get_close_matches(word.lower(), DISCIPLINES, n=1, cutoff=0.7))
    }
    yield from problems_at(
        tournaments.filter(pl.col("discipline").is_in(list(close))),
        lambda row: msg(
            "no list of %(usual)s has a tournament of '%(discipline)s'",
            usual=close[row["discipline"]],
            discipline=printable(row["discipline"]),
        ),
        Cell("tournaments", "discipline"),
        lambda row: msg("Write %(usual)s, if that is meant.", usual=close[row["discipline"]]),
    )
    events = facts.tables["events"]
    yield from problems_at(
        with_event_names(events.filter(pl.col("entry_fee") > LARGE_FEE), events),
        lambda row: msg(
            "entry_fee of %(event)s is %(fee)s: more than a million",
            event=event_name(row),
            fee=LocalNumber(f"{row['entry_fee'].normalize():f}"),
        ),
        Cell("events", "entry_fee"),
        msg("Write the fee of one player, in the currency of the tournament."),
    )


def problems(facts: Facts) -> Iterator[Problem]:
    """Rows that contradict themselves."""
    yield from _dates(facts)
    yield from _rates(facts)
    yield from _figures(facts["rates"])
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
            lambda row: msg(
                "the end, %(end)s, is before the start, %(start)s",
                end=LocalNumber(row["end"]),
                start=LocalNumber(row["start"]),
            ),
            Cell(table, end),
            msg("Correct one of the two days."),
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
            lambda row: msg(
                "eur_per_unit is %(rate)s for EUR", rate=f"{row['eur_per_unit'].normalize():f}"
            ),
            Cell(table, "eur_per_unit"),
            msg("Write the currency of the fees, or leave the rate of the euro out."),
        )


def _figures(rates: pl.DataFrame) -> Iterator[Problem]:
    """A rate is stated one way; a bank's figure is at most a look-back older than its day."""
    ways = pl.sum_horizontal(pl.col("eur_per_unit", "units_per_eur").is_not_null())
    yield from problems_at(
        rates.filter(ways != 1),
        lambda row: (
            msg("eur_per_unit and units_per_eur are both filled in")
            if row["eur_per_unit"] is not None
            else msg("eur_per_unit is empty")
        ),
        Cell("rates", "eur_per_unit"),
        msg("Fill in eur_per_unit: euro per unit of the currency."),
    )
    age = (pl.col("date") - pl.col("published_on")).dt.total_days()
    yield from problems_at(
        rates.filter(~age.is_between(0, LOOK_BACK)),
        lambda row: msg(
            "published_on, %(published)s, is not %(day)s or one of the 7 days before",
            published=LocalNumber(row["published_on"]),
            day=LocalNumber(row["date"]),
        ),
        Cell("rates", "published_on"),
        msg("Leave published_on out of a rate of your own."),
    )


def _divisions(facts: Facts) -> Iterator[Problem]:
    yield from problems_at(
        facts.tables["events"].filter(~pl.col("division_rank").str.contains(_DIVISIONS)),
        lambda row: msg(
            "%(column)s is '%(text)s'", column="division_rank", text=printable(row["division_rank"])
        ),
        Cell("events", "division_rank"),
        msg("Write 1 for the highest division, 2 for the next; 1+2 for two played as one."),
    )


def _matches(facts: Facts) -> Iterator[Problem]:
    matches = facts.tables["matches"].with_columns(pl.col("status").fill_null("played"))
    yield from problems_at(
        matches.filter(pl.col("winner_id") == pl.col("loser_id")),
        lambda row: msg("%(name)s plays against themselves", name=printable(row["winner_id"])),
        Cell("matches", "loser_id"),
        msg("Correct one of the two ids."),
    )
    fought = pl.col("status").is_in(["played", "series"])
    yield from problems_at(
        matches.filter(fought & (pl.col("length") < 1)),
        _no_length,
        Cell("matches", "length"),
        msg("Write the points that win it, or the status bye or walkover."),
    )
    yield from problems_at(
        matches.filter((pl.col("status") == "series") & pl.col("series_wins").is_null()),
        msg("a series has no series_wins"),
        Cell("matches", "series_wins"),
        msg("Write how many matches win the series: 3 for a best of five."),
    )
    yield from problems_at(
        matches.filter((pl.col("status") != "series") & pl.col("series_wins").is_not_null()),
        lambda row: msg(
            "series_wins is %(wins)s in a match whose status is %(status)s",
            wins=row["series_wins"],
            status=row["status"],
        ),
        Cell("matches", "series_wins"),
        msg("Write the status series, or leave series_wins empty."),
    )


def _no_length(row: Row) -> str:
    if row["status"] == "played":
        return msg("the length is %(length)s in a match that was played", length=row["length"])
    return msg("the length is %(length)s in a match that was a series", length=row["length"])
