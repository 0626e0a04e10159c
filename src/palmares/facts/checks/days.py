"""Matches are played, and events completed, before their tournament ends."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from palmares.core.errors import Problem
from palmares.core.messages import LocalNumber, msg
from palmares.facts.problems import Cell, Row, problems_at
from palmares.facts.schema import FILE, LINE, Facts
from palmares.facts.text import printable

_REMEDY = msg("Correct the day that is wrong.")


def problems(facts: Facts) -> Iterator[Problem]:
    """Each event that was completed, and each tournament that ended, on a day that cannot be."""
    # an id that is there twice is a problem already
    events = facts.tables["events"].unique("event_id", keep="none", maintain_order=True)
    ends = facts.tables["tournaments"].unique("tournament_id", keep="none", maintain_order=True)
    ends = ends.select("tournament_id", "end_date", FILE, LINE)
    events = events.select("event_id", "tournament_id", "completed_on", FILE, LINE)
    played = events.join(_matches(facts), on="event_id", maintain_order="left")
    completed = pl.col("completed_on")
    yield from problems_at(
        _latest(played, "event_id").filter(completed < pl.col("played_on")),
        lambda row: msg(
            "%(event)s was completed on %(completed)s, before its match %(match)s of %(day)s",
            event=printable(row["event_id"]),
            completed=LocalNumber(row["completed_on"]),
            **_match(row),
        ),
        Cell("events", "completed_on"),
        _REMEDY,
    )
    yield from problems_at(
        events.join(ends.drop(FILE, LINE), on="tournament_id", maintain_order="left").filter(
            completed > pl.col("end_date")
        ),
        lambda row: msg(
            "%(event)s was completed on %(completed)s, after its tournament ended on %(end)s",
            event=printable(row["event_id"]),
            completed=LocalNumber(row["completed_on"]),
            end=LocalNumber(row["end_date"]),
        ),
        Cell("events", "completed_on"),
        _REMEDY,
    )
    latest = _latest(played, "tournament_id").select("tournament_id", "match_id", "played_on")
    yield from problems_at(
        ends.join(latest, on="tournament_id", maintain_order="left").filter(
            pl.col("end_date") < pl.col("played_on")
        ),
        lambda row: msg(
            "%(tournament)s ends on %(end)s, before its match %(match)s of %(day)s",
            tournament=printable(row["tournament_id"]),
            end=LocalNumber(row["end_date"]),
            **_match(row),
        ),
        Cell("tournaments", "end_date"),
        _REMEDY,
    )


def _match(row: Row) -> dict[str, object]:
    return {"match": printable(row["match_id"]), "day": LocalNumber(row["played_on"])}


def _matches(facts: Facts) -> pl.DataFrame:
    """The matches whose day is known, also those of teams."""
    columns = ("event_id", "match_id", "played_on")
    tables = (facts.tables[name].select(columns) for name in ("matches", "team_matches"))
    return pl.concat(tables).drop_nulls()


def _latest(played: pl.DataFrame, key: str) -> pl.DataFrame:
    """The last match of each event, or of each tournament."""
    return played.sort("played_on", "match_id").unique(key, keep="last", maintain_order=True)
