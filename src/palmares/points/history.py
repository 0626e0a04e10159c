"""
Players' points and ranks over time, and what becomes of them if no one plays any more.

Everyone's total on a day is made from that of the day before: where all awards lose the same,
totals move on by it; on any other day all awards are added up again. After the last day, ``until``,
nothing more is won: what is there fades, and ranks with it.
"""

from __future__ import annotations

from bisect import bisect_left
from calendar import SUNDAY, monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache, partial
from itertools import chain
from math import lcm
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from palmares.core.errors import Problem, Refused
from palmares.core.progress import over
from palmares.core.rounding import divided_half_up, to_nanopoints
from palmares.facts import Facts, codes
from palmares.points.award_table import POINTS, in_points, people
from palmares.points.awards import Question, Waiting, award, say_waiting
from palmares.points.explain import player_id_of
from palmares.points.kernels import sums
from palmares.points.kernels.sums import Array, AwardRows
from palmares.points.ledger import DayTotals, Ledger, Weights, ledger
from palmares.points.rankings import Selection, entering, refuse_nonsense

_PLACES = {"day": pl.Date, "player": pl.Int64, "nanopoints": pl.Int64, "rank": pl.Int64}


def daily_totals(
    book: Ledger, days: Sequence[date], selection: Selection | None = None
) -> Iterator[DayTotals]:
    """Every player's total on each day, changed in place for the next one: copy what you keep.

    Args:
        book: of any regulation.
        days: in order.
        selection: what else decides which awards count; its ``as_of`` does not matter.

    Raises:
        Refused: the regulation has nothing of the kind.
    """
    if not days:
        return
    chosen = replace(selection or Selection(as_of=days[-1]), as_of=days[-1])
    refuse_nonsense(book.question, chosen, "player")
    rows = book.rows
    if chosen.nation is not None:
        rows = rows.only(book.of_nation(str(codes.nation(chosen.nation))))
    by_class = RowsByClass(rows, len(book.award_classes))
    before = Weights(np.zeros(len(book.award_classes), np.int64), 0)  # before the first day
    per_player = slope = np.zeros(0, np.int64)
    for day, now in over(zip(days, _weights(book, chosen, days), strict=True), "days", len(days)):
        lost = _lost(before, now)
        ended = np.flatnonzero((before.weights > 0) & (now.weights == 0))
        begun = np.flatnonzero((before.weights == 0) & (now.weights > 0))
        great = sums.is_wide(now.weights, book.reach)
        if lost is None or great or (book.latest and begun.size):
            per_player, slope = (
                sums.totals(rows, each, latest=book.latest, reach=book.reach)
                for each in (now.weights, np.minimum(now.weights, 1))
            )
            if not book.latest:  # 0 points put no player on a list
                for each in (per_player, slope):
                    each[each == sums.absent(each)] = 0
        elif not book.latest:
            by_class.add(ended, -before.weights, per_player, slope)
            per_player -= lost * slope
            by_class.add(begun, now.weights, per_player, slope)
        yield DayTotals(day=day, exact=per_player, parts=now.parts, latest=book.latest)
        before = now


def _lost(before: Weights, now: Weights) -> int | None:
    """What every award loses between two days; none if awards lose different amounts."""
    counting = (before.weights > 0) & (now.weights > 0)
    lost = before.weights[counting] - now.weights[counting]
    if before.parts != now.parts or (lost != lost[:1]).any():
        return None
    return int(lost[0]) if lost.size else 0


class RowsByClass:
    """The awards of each award class, with their players."""

    def __init__(self, rows: AwardRows, award_classes: int) -> None:
        places = rows.places()
        classes = rows.award_classes[places].astype(np.int64)
        order = sums.sort_order(classes)
        sizes = rows.end - rows.begin
        self.players = np.repeat(np.arange(len(sizes)), sizes)[order]
        self.nanopoints = rows.nanopoints[places[order]]
        self.starts = np.searchsorted(classes[order], np.arange(award_classes + 1))

    def add(self, award_classes: Array, weights: Array, per_player: Array, slope: Array) -> None:
        """Add the awards of some classes to totals and slopes; take them off below 0."""
        for each in award_classes.tolist():
            here = slice(self.starts[each], self.starts[each + 1])
            points, players = self.nanopoints[here], self.players[here]
            np.add.at(per_player, players, points * weights[each])
            np.add.at(slope, players, points * np.sign(weights[each]))


def _weights(book: Ledger, selection: Selection, days: Sequence[date]) -> Iterator[Weights]:
    """What awards of each class are worth, day by day.

    Once an award has no days left, it never has any again: see `Decay.left`.
    """
    classes, days_left = book.award_classes, book.question.days_left()
    counted = selection.apply(classes.with_row_index("award_class"))
    pairs = counted.select("effective", "edition").unique(maintain_order=True)
    pairs = pairs.with_row_index("pair")
    of = counted.join(pairs, on=["effective", "edition"], maintain_order="left")
    award_class, pair = of["award_class"].to_numpy(), of["pair"].to_numpy()
    unexpired = list(pairs.iter_rows())
    for day in days:
        left, expired = {}, set()
        for number, effective, edition in unexpired:
            if effective <= day:
                left[number] = days_left(effective, edition, day)
                if left[number][0] <= 0:
                    expired.add(number)
        unexpired = [each for each in unexpired if each[0] not in expired]
        parts = lcm(*(each for _, each in left.values()))
        worth = np.zeros(len(pairs), np.int64)
        worth[[*left]] = [max(0, now) * (parts // each) for now, each in left.values()]
        weights = np.zeros(len(classes), np.int64)
        weights[award_class] = worth[pair]
        yield Weights(weights, parts)


def daily_ranks(
    book: Ledger, days: Sequence[date], players: Sequence[int], selection: Selection | None = None
) -> pl.DataFrame:
    """The points and ranks of some players on each day.

    Args:
        book: of any regulation.
        days: in order.
        players: rows of the ledger's players.
        selection: as in `daily_totals`.

    Returns:
        day, player, nanopoints, rank; no points and no rank where a player is not on the list.
    """
    rows = [
        (totals.day, player, totals.nanopoints(player) or 0, totals.rank(player))
        for totals in daily_totals(book, days, selection)
        for player in players
    ]
    return pl.DataFrame(rows, _PLACES, orient="row")


RESULT = "result"  # a step that ends on each day on which something begins or ceases to count
STEPS = ("day", "week", "month", RESULT)
ONE_DAY = timedelta(days=1)
FADES = 30_000
"""So many answers of a regulation about how a result fades are kept."""
_RESULTS = ("player_id", "day", "ends", "tournament", "event", "event_id", "edition", "nanopoints")


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Which days a history shows."""

    until: date  # the last day on which results count
    since: date | None = None  # first day; by default a player's first result
    ahead: date | None = None  # go on to this day, as if no one played any more
    every: str = "month"  # of `STEPS`; week: its Sunday, month: its last day, and the last of all

    def errors(self) -> Iterator[str]:
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

    book: Ledger  # of everyone's awards up to the last day
    people: Mapping[str, str]  # id -> name, in the order of the question
    period: Period
    results: pl.DataFrame

    @property
    def question(self) -> Question:
        """The regulation, edition and readings."""
        return self.book.question

    @property
    def notices(self) -> tuple[Problem, ...]:
        """What officers should look at."""
        return self.book.notices

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """The events that would count by the last day if they could be used."""
        return entering(self.question, Selection(as_of=self.period.until), self.book.waiting)


def lasting(question: Question) -> str | None:
    """Why nothing ever stops counting under a regulation; none where results do."""
    regulation = question.get_regulation()
    if regulation.aggregate.latest:
        why = "a rating stays until the player's next event"
    elif regulation.aggregate.decay is None:
        why = "results never fade"
    else:
        return None
    nothing = "nothing expires, and if nobody plays, nothing changes"
    return f"Under {regulation.name} {why}: {nothing}."


class Fading:
    """How results of a question fade, given the day from which they count and their edition.

    ``left`` gives the days left on a day and those in all, ``left_on_days`` on each of several;
    ``ends`` the first day on which a result counts no more, none if it always does; ``halves`` the
    first day with half of it or less.
    """

    def __init__(self, question: Question) -> None:
        self.lasts = lasting(question) is not None  # nothing ever stops counting
        self._left = question.days_left()
        self.left = lru_cache(FADES)(self._left)
        self.ends = lru_cache(FADES)(partial(self._first, 0))
        self.halves = lru_cache(FADES)(partial(self._first, 2))
        self.left_on_days = lru_cache(FADES)(self._left_on_days)

    def _left_on_days(self, effective: date, edition: str, days: tuple[date, ...]) -> Array:
        """What is left on each of some days: nothing before the result counts."""
        left = [self.left(effective, edition, day) if effective <= day else (0, 1) for day in days]
        return np.fromiter(chain.from_iterable(left), np.int64, 2 * len(days)).reshape(-1, 2)

    def _first(self, times: int, effective: date, edition: str) -> date | None:
        """The first day on which *times* what is left is no more than the whole."""

        def is_down(ordinal: int) -> bool:
            now, in_all = self._left(effective, edition, date.fromordinal(ordinal))
            return now <= 0 or (times > 0 and times * now <= in_all)

        past = date.max.toordinal() + 1
        if self.lasts:
            return None
        day = bisect_left(range(past), x=True, lo=effective.toordinal(), key=is_down)
        return None if day == past else date.fromordinal(day)


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
    errors = list(period.errors())
    errors += [] if players else ["A history is of a player, or of several."]
    ids: dict[str, None] = {}
    for wanted in players:
        try:
            ids[player_id_of(facts, wanted)] = None
        except Refused as refused:
            errors.append(str(refused))
    if errors:
        raise Refused("\n".join(errors))
    players_by_id = people(facts)
    names = {player: players_by_id[player].name for player in ids}
    given = award(question, facts)
    in_period = given.frame.filter(pl.col("effective") <= period.until)
    theirs = _from_until(question, in_period.filter(pl.col("player_id").is_in(list(names))), facts)
    without = set(names) - set(theirs["player_id"])
    if without:
        where = f"under {question.regulation} up to {period.until}"
        nothing = [
            f"{name} ({player}) has no points {where}."
            for player, name in names.items()
            if player in without
        ]
        raise Refused("\n".join([*nothing, *say_waiting(given.waiting)]))
    book = ledger(replace(given, numbered=given.numbered.until(period.until)))
    return Careers(book=book, people=names, period=period, results=theirs)


def days(first: date, last: date, every: str) -> Iterator[date]:
    """The days of a history: each one, or the ends of weeks or months, and the last day."""
    day = first
    while (end := _end_of_step(day, every)) < last.toordinal():
        yield date.fromordinal(end)
        day = date.fromordinal(end + 1)
    if first <= last:
        yield last


def _end_of_step(day: date, every: str) -> int:
    """The ordinal of the last day of a week or month, or of the day itself."""
    if every == "month":
        return day.replace(day=monthrange(day.year, day.month)[1]).toordinal()
    return day.toordinal() + (SUNDAY - day.weekday() if every == "week" else 0)


def _from_until(question: Question, awards: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    """Awards with the names of their tournaments and the first day on which each ends."""
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
CHANGE_KEYS = ("player_id", "player", "day", "faded", "change", *KEYS[3:])
"""Where each step is a day of results: what faded since the row before, what changed on the day."""
EXPIRY_KEYS = ("player_id", "player", "day", "tournament", "event", "points", "rank")
BETWEEN = "; "
"""Between the names of tournaments in one cell; commas are in many a name."""

_WHEN = ("player_id", "day")


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Players over time.

    ``frame`` has player_id, player, day, nanopoints, rank (null: not on the list), results and
    expired (the tournaments whose results began and ceased to count since the row before) and
    projected; by `RESULT` also faded (nanopoints lost since the row before) and change (nanopoints
    of that day), null where there is nothing to compare with. ``line`` has
    player_id, day, nanopoints, rank for those days and all on which something of a player's begins
    or ends, the days before them, and the ends of months by `RESULT`. ``begun`` and ``ended`` have
    player_id, day, tournaments: the days on which results begin and cease to count.
    """

    careers: Careers
    frame: pl.DataFrame
    line: pl.DataFrame
    begun: pl.DataFrame
    ended: pl.DataFrame


def history(careers: Careers) -> History:
    """Points and rank on the last day of each step, and what began and ceased to count in it."""
    since = pl.lit(careers.period.since, pl.Date)
    first = careers.results.group_by("player_id").agg(first=pl.coalesce(since, pl.col("day").min()))
    results = careers.results.join(first, on="player_id")
    begun, ended = _changes(careers, results, "day"), _changes(careers, results, "ends")
    changes = pl.concat([begun.select(_WHEN), ended.select(_WHEN)])
    by_result = careers.period.every == RESULT
    ends = _steps(careers, dict(first.iter_rows()))
    steps = changes.unique().sort("day") if by_result else ends
    firsts = (
        (careers.results if by_result else ends)
        .group_by("player_id")
        .agg(first=pl.col("day").min())
    )
    eves = changes.join(firsts, on="player_id")
    eves = eves.filter(pl.col("day") > pl.col("first")).select("player_id", pl.col("day") - ONE_DAY)
    line = _standings(careers, pl.concat([ends, changes, eves]).unique())
    frame = steps.join(line, on=_WHEN, how="left", maintain_order="left")
    for name, rows in (("results", begun), ("expired", ended)):
        frame = frame.join(_by_step(rows, steps, name), on=_WHEN, how="left", maintain_order="left")
        frame = frame.with_columns(pl.col(name).fill_null([]))
    projected = (pl.col("day") > careers.period.until).alias("projected")
    frame = _with_change(careers, frame, line) if by_result else frame
    return History(
        careers=careers,
        frame=_of_people(
            careers, frame.with_columns(projected), CHANGE_KEYS if by_result else KEYS
        ),
        line=line,
        begun=begun,
        ended=ended,
    )


def _with_change(careers: Careers, frame: pl.DataFrame, line: pl.DataFrame) -> pl.DataFrame:
    """Rows with what each day changed, and what faded since the row before."""
    aggregate, rulebook = careers.question.aggregate, careers.question.rulebook()
    starts = []
    for player, day in careers.results.group_by("player_id").agg(pl.col("day").min()).iter_rows():
        start = None if aggregate.latest else 0
        if aggregate.opening and (rules := rulebook.on(day)):
            start = to_nanopoints(aggregate.opening(rules))
        starts.append((player, day, start))
    schema = {"player_id": pl.String, "day": pl.Date, "start": pl.Int64}
    eves = line.select("player_id", pl.col("day") + ONE_DAY, eve="nanopoints")
    frame = frame.join(eves, on=_WHEN, how="left", maintain_order="left")
    frame = frame.join(
        pl.DataFrame(starts, schema, orient="row"), on=_WHEN, how="left", maintain_order="left"
    )
    before = pl.col("nanopoints").shift().over("player_id")
    return frame.with_columns(
        change=pl.col("nanopoints") - pl.coalesce("start", "eve"), faded=pl.col("eve") - before
    )


def _steps(careers: Careers, first: Mapping[str, date]) -> pl.DataFrame:
    """The last day of each step for each player; of each month if steps are results."""
    period = careers.period
    every = "month" if period.every == RESULT else period.every
    rows = [(player, day) for player in careers.people
            for day in days(first[player], period.until, every)]  # fmt: skip
    if period.last > period.until:
        ahead = [*days(period.until + ONE_DAY, period.last, every)]
        rows += [(player, day) for player in careers.people for day in ahead]
    return pl.DataFrame(rows, {"player_id": pl.String, "day": pl.Date}, orient="row")


def _changes(careers: Careers, results: pl.DataFrame, column: str) -> pl.DataFrame:
    """The tournaments whose results begin, or end, on the days shown."""
    rows = results.filter(pl.col(column).is_between("first", careers.period.last))
    changes = rows.group_by("player_id", pl.col(column).alias("day")).agg(
        pl.col("tournament").unique().sort().alias("tournaments")
    )
    return _of_people(careers, changes.sort("day"), (*_WHEN, "tournaments"))


def _by_step(changes: pl.DataFrame, steps: pl.DataFrame, name: str) -> pl.DataFrame:
    """The tournaments of the changes between each step and the one before."""
    step = steps.with_columns(pl.col("day").alias("step")).sort("day")
    later = changes.sort("day").join_asof(
        step, on="day", by="player_id", strategy="forward", check_sortedness=False
    )
    return (
        later.explode("tournaments")
        .group_by("player_id", pl.col("step").alias("day"))
        .agg(pl.col("tournaments").unique(maintain_order=True).alias(name))
    )


def _of_people(careers: Careers, rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Rows by player, in the order of the question, with names; points as nanopoints."""
    people = pl.DataFrame(
        {"player_id": list(careers.people), "player": list(careers.people.values())},
        {"player_id": pl.String, "player": pl.String},
    )
    theirs = people.join(rows, on="player_id", how="inner", maintain_order="left_right")
    return theirs.select("nanopoints" if key == "points" else key for key in keys)


def expiries(careers: Careers) -> pl.DataFrame:
    """What stops counting after the last day, up to the day looked ahead to if there is one.

    The results of an event that end together are one, whatever flights and kinds they are of.

    Returns:
        player_id, player, day (the first on which the result no longer counts), tournament, event,
        nanopoints (what it is worth on the last day), rank (on that day, if no one plays).
    """
    question, until = careers.question, careers.period.until
    last = careers.period.ahead or date.max
    ending = careers.results.filter(pl.col("ends").is_between(until, last, "right"))
    fading = Fading(question)
    sums: dict[tuple[Any, ...], Fraction] = {}
    for *key, day, edition, nanopoints in ending.select(
        "player_id", "ends", "tournament", "event", "event_id", "day", "edition", "nanopoints"
    ).iter_rows():
        left, parts = fading.left(day, edition, until)
        sums[*key] = sums.get((*key,), Fraction(0)) + Fraction(nanopoints * left, parts)
    rows = [
        (player, day, tournament, event, divided_half_up(total.numerator, total.denominator))
        for (player, day, tournament, event, _), total in sorted(sums.items())
    ]
    schema = {"player_id": pl.String, "day": pl.Date, "tournament": pl.String, "event": pl.String}
    worth = pl.DataFrame(rows, schema | {"nanopoints": pl.Int64}, orient="row")
    ranks = _standings(careers, worth.select(_WHEN).unique()).drop("nanopoints")
    ranked = worth.join(ranks, on=_WHEN, how="left", maintain_order="left")
    return _of_people(careers, ranked, EXPIRY_KEYS)


def nothing_expires(careers: Careers) -> str | None:
    """Why nothing expires in the days ahead; none if something does."""
    question, period = careers.question, careers.period
    if reason := lasting(question):
        return reason
    ends = careers.results["ends"].filter(careers.results["ends"] > period.until)
    if ends.is_empty():
        return f"No result counts any more on {period.until}: nothing is left to expire."
    if period.ahead and min(ends) > period.ahead:
        return f"Nothing expires up to {period.ahead}; the first result does on {min(ends)}."
    return None


def published(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame as the contract names it: points as floats, tournaments as text."""
    floats = {"nanopoints": POINTS}
    for name in ("faded", "change"):
        floats[name] = pl.col(name).map_batches(in_points, return_dtype=pl.Float64)
    return worded(frame).select(floats.get(name, name) for name in frame.columns)


def worded(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame with its lists of tournaments as text."""
    return frame.with_columns(pl.col(pl.List(pl.String)).list.join(BETWEEN))


# ── ranks on many days ───────────────────────────────────────────────────────────────────────────


def _standings(careers: Careers, wanted: pl.DataFrame) -> pl.DataFrame:
    """Nanopoints and rank of each player on each of some days; no rank: not on the list.

    No list is made where they are on none; where nothing ever expires, none changes after the last
    day.
    """
    never = pl.when(pl.col("ends").null_count() == 0).then(pl.col("ends").max())
    counts = careers.results.group_by("player_id").agg(
        pl.col("day").min().alias("first"), never.alias("past")
    )
    final = careers.period.until if lasting(careers.question) else date.max
    on_a_list = pl.col("day").is_between("first", pl.col("past").fill_null(date.max), "left")
    moments = wanted.join(counts, on="player_id").with_columns(
        pl.when(on_a_list).then(pl.min_horizontal("day", pl.lit(final))).alias("at")
    )
    on = moments["at"].drop_nulls().unique().sort().to_list()
    codes = {careers.book.code(player): player for player in careers.people}
    standings = daily_ranks(careers.book, on, [*codes]).select(
        pl.col("day").alias("at"),
        pl.col("player").replace_strict(codes, return_dtype=pl.String).alias("player_id"),
        "nanopoints",
        "rank",
    )
    rows = moments.join(standings, on=["player_id", "at"], how="left")
    rows = rows.with_columns(pl.col("nanopoints").fill_null(0)).sort("day")
    return _of_people(careers, rows, (*_WHEN, "nanopoints", "rank"))
