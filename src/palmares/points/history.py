"""
Players' points and ranks over time, and what becomes of them if nobody plays any more.

The ranks of all days are those of each day's list; they come from one ledger. After the last day,
``until``, nothing more is won: what is there fades, and ranks with it.
"""

from __future__ import annotations

from bisect import bisect_left
from calendar import SUNDAY, monthrange
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Any

import polars as pl

from palmares.core.errors import Problem, Refused
from palmares.core.rounding import shared
from palmares.facts import Facts
from palmares.points import inputs
from palmares.points.award_table import POINTS
from palmares.points.awards import Question, Waiting, award, say_waiting
from palmares.points.explain import find_player
from palmares.points.ledger import Ledger, ledger
from palmares.points.rankings import Selection, entering
from palmares.points.sweeps import places, sweep

STEPS = ("day", "week", "month")
ONE_DAY = timedelta(days=1)
FADES = 30_000
"""So many answers of a regulation about how a result fades are kept."""
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
    if held.aggregate.latest:
        return (
            f"Under {held.name} a rating stands until the player's next event: nothing expires,"
            " and if nobody plays, nothing changes."
        )
    if held.aggregate.decay is None:
        return (
            f"Under {held.name} results never fade: nothing expires,"
            " and if nobody plays, nothing changes."
        )
    return None


class Fading:
    """How results of a question fade, given the day from which they count and their edition."""

    def __init__(self, question: Question) -> None:
        self.lasts = lasting(question) is not None  # nothing ever stops counting
        self._left = question.aggregate.left
        self._editions = {rules.edition.id: rules for rules in question.rulebook().all}
        self.left = lru_cache(FADES)(self._asked)
        self.ends = lru_cache(FADES)(self._ends)
        self.halves = lru_cache(FADES)(self._halves)

    def _asked(self, effective: date, edition: str, day: date) -> tuple[int, int]:
        """Days left on a day, and days in all."""
        return self._left(self._editions[edition], effective, day)

    def _ends(self, effective: date, edition: str) -> date | None:
        """The first day on which it counts no more; none: it always does."""
        return self._first(effective, edition, 0)

    def _halves(self, effective: date, edition: str) -> date | None:
        """The first day with half of it or less."""
        return self._first(effective, edition, 2)

    def _first(self, effective: date, edition: str, times: int) -> date | None:
        """The first day on which so many times what is left is not more than the whole."""

        def is_down(ordinal: int) -> bool:
            now, whole = self._asked(effective, edition, date.fromordinal(ordinal))
            return now <= 0 or (times > 0 and times * now <= whole)

        past = date.max.toordinal() + 1
        if self.lasts:
            return None
        found = bisect_left(range(past), x=True, lo=effective.toordinal(), key=is_down)
        return None if found == past else date.fromordinal(found)


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
    named = inputs.people(facts)
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
    fading = Fading(question)
    ends = [
        (effective, edition, fading.ends(effective, edition))
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


# ── over time ────────────────────────────────────────────────────────────────────────────────────

KEYS = ("player_id", "player", "day", "points", "rank", "results", "expired", "projected")
EXPIRY_KEYS = ("player_id", "player", "day", "tournament", "event", "points", "rank")
_LINE = ("player_id", "day", "points", "rank")
_CHANGES = ("player_id", "day", "tournaments")

BETWEEN = "; "
"""Between the names of tournaments in one cell; commas are in many a name."""

_SCHEMA = {
    "player_id": pl.String,
    "player": pl.String,
    "day": pl.Date,
    "tournament": pl.String,
    "event": pl.String,
    "nanopoints": pl.Int64,
    "rank": pl.Int64,
    "results": pl.List(pl.String),
    "expired": pl.List(pl.String),
    "projected": pl.Boolean,
    "tournaments": pl.List(pl.String),
}
Place = tuple[int, int | None]
"""Nanopoints and rank; no rank: not on the list."""
OFF: Place = (0, None)
APART, LONGEST = timedelta(days=100), timedelta(days=1_000)
"""Days between which a sweep over days is broken off, and how many days it takes at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Players over time.

    ``frame`` has player_id, player, day, nanopoints, rank (null: not on the list), results and
    expired (the tournaments whose results began and ceased to count since the row before) and
    projected. ``line`` has player_id, day, nanopoints, rank for those days and all on which
    something of a player's begins or ends, and the days before them. ``begun`` and ``ended`` have
    player_id, day, tournaments: the days on which results begin and cease to count.
    """

    careers: Careers
    frame: pl.DataFrame
    line: pl.DataFrame
    begun: pl.DataFrame
    ended: pl.DataFrame
    expiries: pl.DataFrame  # those that the period looks ahead to

    @property
    def notices(self) -> tuple[Problem, ...]:
        """What somebody should look at."""
        return self.careers.notices

    def published(self) -> pl.DataFrame:
        """The columns of `KEYS`; points as floats, tournaments as text."""
        return published(self.frame)


def history(found: Careers) -> History:
    """Points and rank on the last day of each step, and what began and ceased to count in it."""
    courses = [_course(found, player) for player in found.people]
    standings = _standings(found, {one.player: one.known() for one in courses})
    until = found.period.until
    rows = [
        (
            one.player,
            found.people[one.player],
            day,
            *standings[one.player, day],
            *names,
            day > until,
        )
        for one in courses
        for day, *names in one.rows()
    ]
    line = [
        (one.player, day, *standings[one.player, day]) for one in courses for day in one.known()
    ]
    begun = [(one.player, *change) for one in courses for change in one.begun.items()]
    ended = [(one.player, *change) for one in courses for change in one.ended.items()]
    return History(
        careers=found,
        frame=pl.DataFrame(rows, schema=_schema(KEYS), orient="row"),
        line=pl.DataFrame(line, schema=_schema(_LINE), orient="row"),
        begun=pl.DataFrame(begun, schema=_schema(_CHANGES), orient="row"),
        ended=pl.DataFrame(ended, schema=_schema(_CHANGES), orient="row"),
        expiries=_expiring(found, _worth(found) if found.period.ahead else {}, standings),
    )


def expiries(found: Careers) -> pl.DataFrame:
    """What stops counting after the last day, up to the day looked ahead to if there is one.

    Returns:
        player_id, player, day (the first on which the result no longer counts), tournament, event,
        nanopoints (what it is worth on the last day), rank (on that day, if nobody plays).
    """
    worth = _worth(found)
    days_of: dict[str, set[date]] = {player: set() for player in found.people}
    for player, day, *_ in worth:
        days_of[player].add(day)
    return _expiring(found, worth, _standings(found, days_of))


def _expiring(
    found: Careers,
    worth: Mapping[tuple[Any, ...], int],
    standings: Mapping[tuple[str, date], Place],
) -> pl.DataFrame:
    """What stops counting, player by player, with their standings on those days."""
    rows = [
        (player, name, day, tournament, event, points, standings[player, day][1])
        for player, name in found.people.items()
        for (whose, day, tournament, event, _), points in worth.items()
        if whose == player
    ]
    return pl.DataFrame(rows, schema=_schema(EXPIRY_KEYS), orient="row")


def nothing_expires(found: Careers) -> str | None:
    """Why nothing expires in the days ahead; none if something does."""
    question, period = found.question, found.period
    if said := lasting(question):
        return said
    ends = found.results["ends"].filter(found.results["ends"] > period.until)
    if ends.is_empty():
        return f"No result counts any more on {period.until}: nothing is left to expire."
    if period.ahead and min(ends) > period.ahead:
        return f"Nothing expires up to {period.ahead}; the first result does on {min(ends)}."
    return None


def published(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame as the contract names it: points as floats, tournaments as text."""
    return worded(frame).select(POINTS if name == "nanopoints" else name for name in frame.columns)


def worded(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame with its lists of tournaments as text."""
    return frame.with_columns(pl.col(pl.List(pl.String)).list.join(BETWEEN))


def _worth(found: Careers) -> dict[tuple[Any, ...], int]:
    """What stops counting after the last day, and what it is worth on it.

    The results of an event that end together are one sum, whatever flights and kinds they are of.
    """
    question, until = found.question, found.period.until
    last = found.period.ahead or date.max
    ending = found.results.filter(pl.col("ends").is_between(until, last, "right"))
    fading = Fading(question)
    sums: dict[tuple[Any, ...], Fraction] = {}
    for *key, day, edition, nanopoints in ending.select(
        "player_id", "ends", "tournament", "event", "event_id", "day", "edition", "nanopoints"
    ).iter_rows():
        left, parts = fading.left(day, edition, until)
        sums[*key] = sums.get((*key,), Fraction(0)) + Fraction(nanopoints * left, parts)
    return {key: shared(total.numerator, total.denominator) for key, total in sorted(sums.items())}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Course:
    """The days of one player that a history shows, and what begins and ends on them."""

    player: str
    steps: Sequence[date]
    begun: Mapping[date, Sequence[str]]  # the tournaments, by the first day of their results
    ended: Mapping[date, Sequence[str]]  # the same, by the first day they count no more

    def known(self) -> list[date]:
        """The steps, the days on which something changes, and the days before those."""
        changes = {*self.begun, *self.ended}
        eves = {day - ONE_DAY for day in changes if day > self.steps[0]}
        return sorted({*self.steps} | changes | eves)

    def rows(self) -> Iterator[tuple[date, list[str], list[str]]]:
        """Each step with the tournaments that began and ceased to count since the one before."""
        return zip(
            self.steps,
            _since_the_step_before(self.begun, self.steps),
            _since_the_step_before(self.ended, self.steps),
            strict=True,
        )


def _course(found: Careers, player: str) -> _Course:
    """The course of one player over the period."""
    period = found.period
    theirs = found.results.filter(pl.col("player_id") == player)
    first = period.since or min(theirs["day"])
    steps = [*days(first, period.until, period.every)]
    if period.ahead and period.ahead > period.until:
        steps += days(period.until + ONE_DAY, period.ahead, period.every)

    def by_day(column: str) -> dict[date, list[str]]:
        shown = theirs.filter(pl.col(column).is_between(first, period.last))
        named = shown.group_by(column).agg(pl.col("tournament").unique().sort()).sort(column)
        return dict(named.iter_rows())

    return _Course(player=player, steps=steps, begun=by_day("day"), ended=by_day("ends"))


def _since_the_step_before(
    changes: Mapping[date, Sequence[str]], steps: Iterable[date]
) -> Iterator[list[str]]:
    """For each step, the names of the changes up to it that no step before has had."""
    waiting = deque(changes.items())
    for step in steps:
        names: dict[str, None] = {}
        while waiting and waiting[0][0] <= step:
            names |= dict.fromkeys(waiting.popleft()[1])
        yield [*names]


# ── ranks on many days ───────────────────────────────────────────────────────────────────────────


def _standings(
    found: Careers, days_of: Mapping[str, Iterable[date]]
) -> Mapping[tuple[str, date], Place]:
    """Where each player stands on each of some days; no list is made where they are on none.

    Where nothing ever expires, no list changes after the last day.
    """
    until = found.period.until
    final = until if lasting(found.question) else date.max
    never = pl.when(pl.col("ends").null_count() == 0).then(pl.col("ends").max())
    counts = {
        player: (first, end)
        for player, first, end in found.results.group_by("player_id")
        .agg(pl.col("day").min(), never.alias("ends"))
        .iter_rows()
    }
    looked_up = {
        (player, day): None if day < first or (end and day >= end) else min(day, final)
        for player, days_ in days_of.items()
        for first, end in (counts[player],)
        for day in days_
    }
    wanted = sorted({day for day in looked_up.values() if day})
    standings = _places(found, wanted)
    return {
        (player, day): standings.get((player, at), OFF) if at else OFF
        for (player, day), at in looked_up.items()
    }


def _places(found: Careers, on: Sequence[date]) -> dict[tuple[str, date], Place]:
    """Where the players stand on some days."""
    codes = {found.book.code(player): player for player in found.people}
    wanted = {*on}
    return {
        (codes[code], day): (nanopoints, rank)
        for first, last in _together(on)
        for day, code, nanopoints, rank in places(
            sweep(found.book, first, last), [*codes]
        ).iter_rows()
        if day in wanted
    }


def _together(on: Sequence[date]) -> Iterator[tuple[date, date]]:
    """Stretches of days to sweep over at once, as first and last days.

    To begin a sweep costs as much as some hundred days of one, so that the ends of months are swept
    over together and days years apart are not; a long one takes much memory.
    """
    waiting = deque(on)
    while waiting:
        first = last = waiting.popleft()
        while waiting and waiting[0] - last < APART and waiting[0] - first < LONGEST:
            last = waiting.popleft()
        yield first, last


def _schema(keys: Iterable[str]) -> dict[str, Any]:
    """The types of some columns, points as nanopoints."""
    names = ("nanopoints" if key == "points" else key for key in keys)
    return {name: _SCHEMA[name] for name in names}
