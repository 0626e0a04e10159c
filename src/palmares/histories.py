"""
A player's points and rank over time.

    history     facts x regulation x player  ->  History, a point a day, a week or a month

Each day's list is made as `palmares.rankings` makes it; the awards are made once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial

import polars as pl

from palmares import results
from palmares.awards import Awards, Question, award
from palmares.errors import Problem, Refused
from palmares.explanations import find_player
from palmares.facts import Facts
from palmares.rankings import Selection, rank
from palmares.rounding import NANO

STEPS = ("day", "week", "month")
_SCHEMA = {"day": pl.Date, "nanopoints": pl.Int64, "rank": pl.Int64}


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """One player over time.

    ``frame`` has day, nanopoints, rank (null: not on the list); ``results`` the same for the days
    on which results of his began to count, with their tournaments (a list of names).
    """

    question: Question
    player_id: str
    player: str
    frame: pl.DataFrame
    results: pl.DataFrame
    notices: tuple[Problem, ...]

    def published(self) -> pl.DataFrame:
        """day, points, rank; points as floats."""
        return self.frame.select("day", (pl.col("nanopoints") / NANO).alias("points"), "rank")


def history(
    question: Question,
    facts: Facts,
    player: str,
    *,
    every: str = "month",
    since: date | None = None,
    until: date,
) -> History:
    """Points and rank of one player from his first result, or a later day, to a last day.

    Args:
        question: the regulation, edition and readings.
        facts: checked facts.
        player: id or name.
        every: "day", "week" (Sundays) or "month" (its last day); the last day is always there.
        since: first day; by default the day of his first result.
        until: last day.

    Raises:
        Refused: no such player or step, a first day after the last, or no result up to the last.
    """
    if every not in STEPS:
        raise Refused(f"A history goes by {', '.join(STEPS)}, not by {every}.")
    found = find_player(facts, player)
    awards = award(question, facts)
    first = awards.frame.filter((pl.col("player_id") == found) & (pl.col("effective") <= until))[
        "effective"
    ].min()
    name = results.people(facts)[found].name
    if not isinstance(first, date):
        raise Refused(f"{name} ({found}) has no points under {question.regulation} up to {until}.")
    if since and since > until:
        raise Refused(f"The first day, {since}, is after the last, {until}.")

    theirs = awards.frame.filter(pl.col("player_id") == found)
    begun = _begun(theirs, facts, since or first, until)
    points = partial(_standing, awards, found, first)
    steps = [points(day) for day in days(since or first, until, every)]
    counted = [(*points(day), names) for day, names in begun.iter_rows()]
    return History(
        question=question,
        player_id=found,
        player=name,
        frame=pl.DataFrame(steps, schema=_SCHEMA, orient="row"),
        results=pl.DataFrame(
            counted, schema={**_SCHEMA, "tournaments": pl.List(pl.String)}, orient="row"
        ),
        notices=awards.notices,
    )


def _standing(awards: Awards, player: str, first: date, day: date) -> tuple[date, int, int | None]:
    """A player's points and rank on a day; nothing before his first result."""
    if day < first:
        return day, 0, None
    place = rank(awards, Selection(as_of=day)).frame.filter(pl.col("player_id") == player)
    points, rank_ = place.select("nanopoints", "rank").row(0) if len(place) else (0, None)
    return day, points, rank_


def _begun(theirs: pl.DataFrame, facts: Facts, first: date, last: date) -> pl.DataFrame:
    """The days on which a player's awards begin to count, and the names of their tournaments."""
    tournaments = facts["tournaments"].select("tournament_id", "name")
    return (
        theirs.filter(pl.col("effective").is_between(first, last))
        .join(tournaments, on="tournament_id", how="left")
        .group_by("effective")
        .agg(pl.col("name").unique().sort())
        .sort("effective")
    )


def days(first: date, last: date, every: str) -> Iterator[date]:
    """The days of a history: each one, or the ends of weeks or months, and the last day."""
    day = first
    while day < last:
        after = day + timedelta(days=1)
        if (
            every == "day"
            or (every == "week" and after.weekday() == 0)
            or (every == "month" and after.month != day.month)
        ):
            yield day
        day = after
    if first <= last:
        yield last
