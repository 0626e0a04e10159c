"""
Players and their results: from which day each counts, and until when.

    careers     facts x regulation x players  ->  Careers
    Period      which days are asked about
    lasting     why nothing stops counting under a regulation, where nothing does
    days        the days of a period, one a day, a week or a month
"""

from __future__ import annotations

from bisect import bisect_left
from calendar import SUNDAY, monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import polars as pl

from palmares import results
from palmares.awards import Question, Waiting, award, say_waiting
from palmares.errors import Problem, Refused
from palmares.explanations import find_player
from palmares.facts import Facts
from palmares.ledgers import Ledger, ledger
from palmares.rankings import Selection, entering, faded

STEPS = ("day", "week", "month")
ONE_DAY = timedelta(days=1)
_RESULTS = ("player_id", "day", "ends", "tournament", "event", "event_id", "edition", "nanopoints")


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Which days a history shows."""

    until: date  # the last day on which results count
    since: date | None = None  # first day; by default a player's first result
    ahead: date | None = None  # go on to this day, as if nobody played any more
    every: str = "month"  # day, week (its Sunday) or month (its last day); the last day is there

    def complaints(self) -> Iterator[str]:
        """What is wrong with it, in words."""
        if self.every not in STEPS:
            yield f"A history goes by {', '.join(STEPS)}, not by {self.every}."
        if self.since and self.since > self.until:
            yield f"The first day, {self.since}, is after the last, {self.until}."
        if self.ahead and self.ahead < self.until:
            yield f"The day to look ahead to, {self.ahead}, is before the last day, {self.until}."

    @property
    def last(self) -> date:
        """The last day shown."""
        return self.ahead or self.until


@dataclass(frozen=True, slots=True, kw_only=True)
class Careers:
    """Players and their results up to a last day.

    ``results`` has player_id, day (on which a result begins to count), ends (the first day on which
    it no longer does; null: never), tournament, event_id, event, edition, nanopoints.
    """

    book: Ledger  # of everybody's awards up to the last day
    people: Mapping[str, str]  # id -> name, in the order asked
    period: Period
    results: pl.DataFrame

    @property
    def question(self) -> Question:
        """The regulation, edition and readings."""
        return self.book.question

    @property
    def notices(self) -> tuple[Problem, ...]:
        """What somebody should look at."""
        return self.book.notices

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """The events that would count by the last day if they could be used."""
        return entering(self.question, Selection(as_of=self.period.until), self.book.waiting)


def lasting(question: Question) -> str | None:
    """Why nothing ever stops counting under a regulation; none where results do."""
    held = question.held()
    if held.total == "latest":
        return (
            f"Under {held.name} a rating stands until the player's next event: nothing expires,"
            " and if nobody plays, nothing changes."
        )
    if not hasattr(held.load(), "fade"):
        return (
            f"Under {held.name} results never fade: nothing expires,"
            " and if nobody plays, nothing changes."
        )
    return None


def careers(question: Question, facts: Facts, players: Sequence[str], period: Period) -> Careers:
    """The results of some players, with the days from which and until which they count.

    Args:
        question: the regulation, edition and readings.
        facts: checked facts.
        players: ids or names.
        period: the days to show.

    Raises:
        Refused: no such player or step, days in the wrong order, a player without a result up to
            the last day; says all that is wrong.
    """
    complaints = list(period.complaints())
    complaints += [] if players else ["A history is of a player, or of several."]
    ids: dict[str, None] = {}
    for wanted in players:
        try:
            ids[find_player(facts, wanted)] = None
        except Refused as refused:
            complaints.append(str(refused))
    if complaints:
        raise Refused("\n".join(complaints))
    named = results.people(facts)
    people = {player: named[player].name for player in ids}
    given = award(question, facts)
    counted = given.frame.filter(pl.col("effective") <= period.until)
    theirs = _from_until(question, counted.filter(pl.col("player_id").is_in(list(people))), facts)
    without = set(people) - set(theirs["player_id"])
    if without:
        said = f"under {question.regulation} up to {period.until}"
        nothing = [
            f"{name} ({player}) has no points {said}."
            for player, name in people.items()
            if player in without
        ]
        raise Refused("\n".join([*nothing, *say_waiting(given.waiting)]))
    book = ledger(replace(given, frame=counted))
    return Careers(book=book, people=people, period=period, results=theirs)


def days(first: date, last: date, every: str) -> Iterator[date]:
    """The days of a history: each one, or the ends of weeks or months, and the last day."""
    day = first
    while (end := _end_of_step(day, every)) < last.toordinal():
        yield date.fromordinal(end)
        day = date.fromordinal(end + 1)
    if first <= last:
        yield last


def _end_of_step(day: date, every: str) -> int:
    """The number of the last day of the week or month of a day, or of the day itself."""
    if every == "month":
        return day.replace(day=monthrange(day.year, day.month)[1]).toordinal()
    return day.toordinal() + (SUNDAY - day.weekday() if every == "week" else 0)


def _from_until(question: Question, awards: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    """Awards with their tournaments' names and the first days on which they count no more."""
    editions = {rules.edition.id: rules for rules in question.rulebook().all}
    fade = faded(question)
    ends = [
        (
            effective,
            edition,
            None if lasting(question) else _end(fade, editions[edition], effective),
        )
        for effective, edition in awards.select("effective", "edition").unique().iter_rows()
    ]
    schema = {"effective": pl.Date, "edition": pl.String, "ends": pl.Date}
    tournaments = facts["tournaments"].select("tournament_id", pl.col("name").alias("tournament"))
    return (
        awards.join(tournaments, on="tournament_id", how="left")
        .join(pl.DataFrame(ends, schema=schema, orient="row"), on=["effective", "edition"])
        .with_columns(pl.col("effective").alias("day"))
        .select(_RESULTS)
        .sort(pl.all())
    )


def _end(fade: Any, rules: Any, effective: date) -> date | None:
    """The first day on which a result counts no more; none if it always does."""

    def is_over(ordinal: int) -> bool:
        return bool(fade(rules, effective, date.fromordinal(ordinal))[0] <= 0)

    every, never = range(date.max.toordinal() + 1), date.max.toordinal() + 1
    found = bisect_left(every, x=True, lo=effective.toordinal(), key=is_over)
    return None if found == never else date.fromordinal(found)
