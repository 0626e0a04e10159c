"""
What a printed list as a whole may be: our list of another day, edition, reading, setting or kind.

    our_list        awards x selection  ->  OurList: exact totals and the ranked list
    fitted          awards, lines of a printed list  ->  Fitted: as what it fits best, and how well
    of_one_nation   the same, of one nation, if nobody else is on their list
    fits            lines, our totals  ->  how many lines fit under each rule of rounding

Each possibility is computed anew and counts only by the lines that it makes fit exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from palmares.core.errors import PalmaresError
from palmares.facts import Facts
from palmares.formats.printed_lists import RULES, PrintedPoints
from palmares.points import ledger, sweeps
from palmares.points.awards import Awards, Question, award
from palmares.points.rankings import TOTAL, Selection, listed, worth

DAYS = 400  # before and after the day asked for
ENOUGH = 3  # lines that must fit on another day; any single one does on some


class Line(NamedTuple):
    """A line whose player is known."""

    player_id: str
    points: PrintedPoints


@dataclass(frozen=True, slots=True, kw_only=True)
class OurList:
    """What we have, as exact numbers."""

    question: Question
    selection: Selection
    frame: pl.DataFrame  # the ranking
    weights: Mapping[str, int]  # of everybody on the list: nanopoints times parts
    counts: Mapping[str, int]  # how many awards make them
    parts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that is otherwise than asked."""

    cause: str  # day | edition | reading | setting | kind | nation
    words: str  # "as of 2005-11-30"
    as_well: str = ""  # "on any day from 2005-11-01 to 2005-12-04"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """As what a printed list fits best."""

    ours: OurList
    awards: Awards
    rule: str  # one of `palmares.formats.printed_lists.RULES`
    rules: tuple[str, ...]  # all under which as many lines fit
    asked: int  # lines that fit as asked
    lines: int  # lines that fit so
    changes: tuple[Change, ...]
    as_well: tuple[tuple[Change, ...], ...]  # other changes with which as many lines fit


def our_list(awards: Awards, selection: Selection) -> OurList:
    """The ranked list of a selection, with exact totals."""
    valued = worth(awards, selection)
    ranking = listed(awards.question, selection, valued, notices=awards.notices)
    parts = lcm(*valued["parts"].unique())
    times = pl.lit(parts, pl.Int64) // pl.col("parts")
    totals = (
        valued.join(ranking.frame, on="player_id", how="semi")
        .group_by("player_id")
        .agg((pl.col("weight") * times).sum(), pl.len())
    )
    return OurList(
        question=awards.question,
        selection=selection,
        frame=ranking.frame,
        weights=dict(totals.select("player_id", "weight").iter_rows()),
        counts=dict(totals.select("player_id", "len").iter_rows()),
        parts=parts,
    )


def fits(ours: OurList, lines: Sequence[Line]) -> dict[str, int]:
    """How many lines fit under each rule of rounding."""
    return {rule: sum(fit(ours, line, rule) for line in lines) for rule in RULES}


def fit(ours: OurList, line: Line, rule: str) -> bool:
    """Whether a line is our number, printed by a rule."""
    weight = ours.weights.get(line.player_id)
    if weight is None:
        return False
    low, high = line.points.bounds(rule, ours.parts, ours.counts[line.player_id])
    return low <= weight <= high


def fitted(facts: Facts, selection: Selection, awards: Awards, lines: Sequence[Line]) -> Fitted:
    """As what a printed list fits best: as asked, if nothing else makes more than half of it fit.

    Args:
        facts: ours.
        selection: as asked.
        awards: as asked.
        lines: whose players are known.
    """
    asked = _way((), our_list(awards, selection), awards, lines)
    best, ways = asked, [asked]
    if asked.lines < len(lines):
        ways += _singly(asked, facts, lines)
        best = max(ways, key=_lines)  # the first of several
        if best.lines < len(lines):
            ways += _twice(ways[1:], lines)
            best = max([best, *ways], key=_lines)
        if best.lines <= len(lines) // 2:
            best = asked
    by_rule = fits(best.ours, lines)
    rules = tuple(rule for rule in RULES if by_rule[rule] == best.lines)
    return Fitted(
        ours=best.ours,
        awards=best.awards,
        rule=rules[0],
        rules=rules,
        asked=asked.lines,
        lines=best.lines,
        changes=best.changes,
        as_well=tuple(
            one.changes
            for one in ways
            if best.changes and one.lines == best.lines and len(one.changes) == len(best.changes)
            if {change.cause for change in one.changes} != {change.cause for change in best.changes}
        ),
    )


def of_one_nation(best: Fitted, lines: Sequence[Line]) -> Fitted:
    """The same; of the players of one nation, if nobody else is on their list who would be."""
    frame, selection = best.ours.frame, best.ours.selection
    theirs = frame.filter(pl.col("player_id").is_in([line.player_id for line in lines]))
    nation = theirs["nation"].drop_nulls().unique().to_list()
    if selection.nation or len(theirs) < ENOUGH or len(nation) != 1 or theirs["nation"].has_nulls():
        return best
    others = frame.filter(pl.col("nation").ne_missing(nation[0]))
    above = others.filter(pl.col("rank") < theirs["rank"].max())
    ours = our_list(best.awards, replace(selection, nation=nation[0]))
    if above.is_empty() or max(fits(ours, lines).values()) < best.lines:
        return best
    change = Change(cause="nation", words=f"of the players of {nation[0]}")
    return replace(best, ours=ours, changes=(*best.changes, change))


# ── otherwise than asked ─────────────────────────────────────────────────────────────────────────


class _Way(NamedTuple):
    """A way to make the list: what is otherwise than asked, and how many lines fit."""

    changes: tuple[Change, ...]
    ours: OurList
    awards: Awards
    lines: int


def _way(changes: tuple[Change, ...], ours: OurList, awards: Awards, lines: Sequence[Line]) -> _Way:
    return _Way(changes, ours, awards, max(fits(ours, lines).values()))


def _lines(way: _Way) -> int:
    return way.lines


def _singly(base: _Way, facts: Facts, lines: Sequence[Line]) -> Iterator[_Way]:
    """Every way in which one thing is otherwise; the day is the last."""
    for change, question in _rules(base.ours.question):
        try:
            awards = award(question, facts, terms=False)
            other = our_list(awards, base.ours.selection)
        except PalmaresError:
            continue  # the facts do not do for it: it is not how the list was made
        yield _way((*base.changes, change), other, awards, lines)
    yield from _of_the_same_awards(base, lines)


def _twice(ways: Sequence[_Way], lines: Sequence[Line]) -> Iterator[_Way]:
    """Every way in which another thing is otherwise, too: the day, the kind or the setting."""
    for way in ways:
        yield from _of_the_same_awards(way, lines)


def _of_the_same_awards(base: _Way, lines: Sequence[Line]) -> Iterator[_Way]:
    """Ways in which the kind, the setting or the day is otherwise, if it was not before."""
    done = {one.cause for one in base.changes}
    for change, selection in _selections(base.ours, base.awards):
        if change.cause not in done:
            other = our_list(base.awards, selection)
            yield _way((*base.changes, change), other, base.awards, lines)
    day = None if "day" in done else _day(base.awards, base.ours.selection, lines)
    if day:
        change = Change(cause="day", words=f"as of {day.day}", as_well=_other_days(day))
        other = our_list(base.awards, replace(base.ours.selection, as_of=day.day))
        yield _way((*base.changes, change), other, base.awards, lines)


def _rules(question: Question) -> Iterator[tuple[Change, Question]]:
    """Other editions, and other readings, one at a time."""
    editions = [one.id for one in question.held().editions()]
    for edition in (*editions, None) if len(editions) > 1 else ():
        if edition != question.edition:
            words = f"under the edition {edition}" if edition else "under the edition of each day"
            yield Change(cause="edition", words=words), replace(question, edition=edition)
    chosen = dict(question.chosen or {})
    for reading, option in _options(question):
        if chosen.get(reading) == option:
            ours = {one: way for one, way in chosen.items() if one != reading}
            change = Change(cause="reading", words=f"with our own reading of {reading}")
            yield change, replace(question, chosen=ours)
        else:
            change = Change(cause="reading", words=f"with the reading {reading}={option}")
            yield change, replace(question, chosen=chosen | {reading: option})


def _selections(base: OurList, awards: Awards) -> Iterator[tuple[Change, Selection]]:
    """Other kinds of points, and other settings, one at a time."""
    kinds, selection = base.question.held().kinds, base.selection
    for kind in (*kinds, TOTAL) if len(kinds) > 1 else ():
        if kind != selection.kind:
            words = f"of {kind} points" if kind != TOTAL else "of all kinds of points together"
            yield Change(cause="kind", words=words), replace(selection, kind=kind)
    for setting in ("live", "online", None) if awards.frame["setting"].n_unique() > 1 else ():
        if setting != selection.setting:
            words = f"of {setting} results" if setting else "of live and online results together"
            yield Change(cause="setting", words=words), replace(selection, setting=setting)


def _options(question: Question) -> Iterator[tuple[str, str]]:
    """Every named alternative of the editions that are used."""
    seen = set()
    for rules in question.rulebook().all:
        if question.edition in (None, rules.edition.id):
            for reading in rules.edition.readings.values():
                for option in reading.options:
                    if (reading.id, option) not in seen:
                        seen.add((reading.id, option))
                        yield reading.id, option


# ── another day ──────────────────────────────────────────────────────────────────────────────────


class _Day(NamedTuple):
    """A day and how many lines fit on it, and on which days around it as many do."""

    day: date
    lines: int
    first: date
    last: date


def _other_days(day: _Day) -> str:
    """On which other days as many lines fit."""
    return "" if day.first == day.last else f"on any day from {day.first} to {day.last}"


def _day(awards: Awards, selection: Selection, lines: Sequence[Line]) -> _Day | None:
    """The day on which most lines fit, the nearest to the one asked for."""
    if len(lines) < ENOUGH or awards.frame.is_empty():
        return None
    book = ledger.ledger(awards)
    around = timedelta(days=DAYS)
    first = max(selection.as_of, date.min + around) - around
    last = min(selection.as_of, date.max - around) + around
    course = sweeps.sweep(book, first, last, selection)
    codes = {one: code for code, one in enumerate(ledger.named(book)["player_id"])}
    kept = [line for line in lines if line.player_id in codes]
    columns = np.array([codes[line.player_id] for line in kept], np.int64)
    many = dict(awards.frame.group_by("player_id").len().iter_rows())
    counts: list[int] = []
    bounds: tuple[Any, Any] | None = None
    parts = 0
    for block in sweeps.totals(course):
        if bounds is None or parts != block.parts:
            parts = block.parts
            bounds = _bounds(kept, many, parts)
        counts += _counted(block.totals[:, columns], block.floor, *bounds)
    most = max(counts, default=0)
    if most < ENOUGH:
        return None
    asked = (selection.as_of - first).days
    best = min(
        (at for at, count in enumerate(counts) if count == most), key=lambda at: abs(at - asked)
    )
    low = high = best
    while low and counts[low - 1] == most:
        low -= 1
    while high + 1 < len(counts) and counts[high + 1] == most:
        high += 1
    return _Day(course.days[best], most, course.days[low], course.days[high])


def _bounds(lines: Sequence[Line], many: Mapping[str, int], parts: int) -> tuple[Any, Any]:
    """The bounds of every line under every rule: a row a rule, an entry a line; whole numbers."""
    pairs = [
        [line.points.bounds(rule, parts, many[line.player_id]) for line in lines] for rule in RULES
    ]
    found = np.array(pairs, object).reshape(len(RULES), len(lines), 2)
    greatest = 2**62
    if all(abs(one) < greatest for one in found.flat):
        found = found.astype(np.int64)
    return found[:, :, 0], found[:, :, 1]


def _counted(totals: Any, floor: Any, low: Any, high: Any) -> list[int]:
    """How many lines fit on each day of a block, under the rule that fits most of them."""
    there = totals > floor
    best = np.zeros(len(totals), np.int64)
    for least, most in zip(low, high, strict=True):
        within = there & (totals >= least) & (totals <= most)
        best = np.maximum(best, within.sum(axis=1))
    return [int(one) for one in best]
