"""
What a printed list as a whole may be: our list of another day, edition, reading, setting or kind.

    our_list    awards x selection  ->  OurList: exact totals and the ranked list
    fitted      a question, lines of a printed list  ->  Fitted: as what it fits best, and how well
    fits        lines, our totals  ->  how many lines fit under each rule of rounding

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

from palmares import ledgers, sweeps
from palmares.awards import Awards, Question, award
from palmares.errors import PalmaresError
from palmares.facts import Facts
from palmares.rankings import TOTAL, Selection, listed, worth
from palmares.reports.printed_points import RULES, PrintedPoints

DAYS = 400  # before and after the day asked for
ENOUGH = 3  # lines that must fit on another day; any single one does on some
CHANGES = 2  # how many things may be otherwise than asked


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

    cause: str  # day | edition | reading | setting | kind
    words: str  # "as of 2005-11-30"
    lines: int  # that fit with it
    as_well: str = ""  # "on any day from 2005-11-01 to 2005-12-04"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """As what a printed list fits best."""

    ours: OurList
    rule: str  # one of `palmares.reports.printed_points.RULES`
    rules: tuple[str, ...]  # all under which as many lines fit
    asked: int  # lines that fit as asked
    lines: int  # lines that fit so
    changes: tuple[Change, ...]
    notices: tuple[Any, ...]


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


def fitted(
    question: Question, facts: Facts, selection: Selection, awards: Awards, lines: Sequence[Line]
) -> Fitted:
    """As what a printed list fits best: as asked, if nothing else makes more than half of it fit.

    Args:
        question: as asked.
        facts: ours.
        selection: as asked.
        awards: of the question.
        lines: whose players are known.
    """
    known = {_key(question): awards}
    best = our_list(awards, selection)
    count = asked = max(fits(best, lines).values())
    changes: list[Change] = []
    while count < len(lines) and len(changes) < CHANGES:
        found = _better(best, facts, lines, known, {one.cause for one in changes})
        if found is None or found[0].lines <= max(count, len(lines) // 2):
            break
        change, best = found
        count = change.lines
        changes.append(change)
    by_rule = fits(best, lines)
    rules = tuple(rule for rule in RULES if by_rule[rule] == count)
    return Fitted(
        ours=best,
        rule=rules[0],
        rules=rules,
        asked=asked,
        lines=count,
        changes=tuple(changes),
        notices=known[_key(best.question)].notices,
    )


def _key(question: Question) -> tuple[Any, ...]:
    return question.edition, tuple(sorted((question.chosen or {}).items()))


def _better(
    base: OurList,
    facts: Facts,
    lines: Sequence[Line],
    known: dict[tuple[Any, ...], Awards],
    changed: set[str],
) -> tuple[Change, OurList] | None:
    """The change that makes most lines fit; of several, the first."""
    best: tuple[Change, OurList] | None = None
    awards = known[_key(base.question)]
    for cause, words, question, selection in _others(base, awards):
        if cause in changed:
            continue
        try:
            if _key(question) not in known:
                known[_key(question)] = award(question, facts, terms=False)
            other = our_list(known[_key(question)], selection)
        except PalmaresError:
            continue  # the facts do not do for it: it is not how the list was made
        count = max(fits(other, lines).values())
        if best is None or count > best[0].lines:
            best = Change(cause=cause, words=words, lines=count), other
    day = None if "day" in changed else _day(awards, base.selection, lines)
    if day and (best is None or day.lines > best[0].lines):
        selection = replace(base.selection, as_of=day.day)
        other = our_list(awards, selection)
        count = max(fits(other, lines).values())
        words, as_well = f"as of {day.day}", _other_days(day)
        best = Change(cause="day", words=words, lines=count, as_well=as_well), other
    return best


def _others(base: OurList, awards: Awards) -> Iterator[tuple[str, str, Question, Selection]]:
    """Everything that may be otherwise, one at a time, the day apart."""
    question, selection = base.question, base.selection
    held = question.held()
    editions = [one.id for one in held.editions()]
    for edition in (*editions, None) if len(editions) > 1 else ():
        if edition != question.edition:
            words = f"under the edition {edition}" if edition else "under the edition of each day"
            yield "edition", words, replace(question, edition=edition), selection
    chosen = dict(question.chosen or {})
    for reading, option in _options(question):
        if chosen.get(reading) == option:
            del chosen[reading]
            words = f"with our own reading of {reading}"
            yield "reading", words, replace(question, chosen=chosen), selection
            chosen[reading] = option
        else:
            words = f"with the reading {reading}={option}"
            yield "reading", words, replace(question, chosen=chosen | {reading: option}), selection
    for kind in (*held.kinds, TOTAL) if len(held.kinds) > 1 else ():
        if kind != selection.kind:
            words = f"of {kind} points" if kind != TOTAL else "of all kinds of points together"
            yield "kind", words, question, replace(selection, kind=kind)
    for setting in ("live", "online", None) if awards.frame["setting"].n_unique() > 1 else ():
        if setting != selection.setting:
            words = f"of {setting} results" if setting else "of live and online results together"
            yield "setting", words, question, replace(selection, setting=setting)


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
    book = ledgers.ledger(awards)
    around = timedelta(days=DAYS)
    first = max(selection.as_of, date.min + around) - around
    last = min(selection.as_of, date.max - around) + around
    course = sweeps.sweep(book, first, last, selection)
    codes = {one: code for code, one in enumerate(ledgers.named(book)["player_id"])}
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
        counts += _counted(block.totals[:, columns], block.absent, *bounds)
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


def _counted(totals: Any, absent: Any, low: Any, high: Any) -> list[int]:
    """How many lines fit on each day of a block, under the rule that fits most of them."""
    there = totals != absent
    best = np.zeros(len(totals), np.int64)
    for least, most in zip(low, high, strict=True):
        within = there & (totals >= least) & (totals <= most)
        best = np.maximum(best, within.sum(axis=1))
    return [int(one) for one in best]
