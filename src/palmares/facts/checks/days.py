"""Matches are played before their event is completed and their tournament ends."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from palmares.core.errors import Problem
from palmares.core.messages import LocalNumber, msg
from palmares.facts.problems import Cell, Row, problems_at
from palmares.facts.schema import FILE, LINE, Facts
from palmares.facts.text import shown

_REMEDY = msg("Correct the day that is wrong.")


def problems(facts: Facts) -> Iterator[Problem]:
    """Events completed, and tournaments ended, before one of their matches."""
    latest = _latest_matches(facts)
    events = facts.tables["events"].select("event_id", "tournament_id", "completed_on", FILE, LINE)
    events = events.unique("event_id", keep="none", maintain_order=True)  # twice: wrong already
    played = events.join(latest, on="event_id", how="inner", maintain_order="left")
    yield from problems_at(
        played.filter(pl.col("completed_on") < pl.col("played_on")),
        lambda row: msg(
            "%(event)s was completed on %(completed)s, before its match %(match)s of %(day)s",
            event=shown(row["event_id"]),
            completed=LocalNumber(row["completed_on"]),
            **_match(row),
        ),
        Cell("events", "completed_on"),
        _REMEDY,
    )
    ends = facts.tables["tournaments"].select("tournament_id", "end_date", FILE, LINE)
    ends = ends.unique("tournament_id", keep="none", maintain_order=True)
    dated_matches = played.select("tournament_id", "match_id", "played_on").sort(
        "played_on", "match_id"
    )
    last = dated_matches.unique("tournament_id", keep="last", maintain_order=True)
    ended = ends.join(last, on="tournament_id", how="inner", maintain_order="left")
    yield from problems_at(
        ended.filter(pl.col("end_date") < pl.col("played_on")),
        lambda row: msg(
            "%(tournament)s ends on %(end)s, before its match %(match)s of %(day)s",
            tournament=shown(row["tournament_id"]),
            end=LocalNumber(row["end_date"]),
            **_match(row),
        ),
        Cell("tournaments", "end_date"),
        _REMEDY,
    )


def _match(row: Row) -> dict[str, object]:
    return {"match": shown(row["match_id"]), "day": LocalNumber(row["played_on"])}


def _latest_matches(facts: Facts) -> pl.DataFrame:
    """The last match of each event whose day is known: event_id, match_id, played_on."""
    columns = ("event_id", "match_id", "played_on")
    tables = (facts.tables[name].select(columns) for name in ("matches", "team_matches"))
    dated = pl.concat(tables).drop_nulls(columns)
    return dated.sort("played_on", "match_id").unique("event_id", keep="last", maintain_order=True)
