"""
What pages know of one player under one regulation, without awarding everybody's points.

    merged_into     which record a merged record is part of
    own_awards      a player's awards, from the tournaments in which he was placed alone
    Fading          on which days a result expires and halves, and what it is worth on others
    fading          a regulation  ->  Fading
    course          his points and ranks at the ends of months  ->  CourseRow
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cache, lru_cache
from itertools import dropwhile
from typing import Any

import numpy as np
import polars as pl

from palmares import awards as awarding
from palmares import ledgers
from palmares.awarded import Awarded, can_keep
from palmares.awarded_rows import merged
from palmares.awards import Awards, Question
from palmares.careers import days, lasting
from palmares.facts import Facts
from palmares.journal.bodies import WHO
from palmares.journal.projection import played_in
from palmares.journal.recording import part
from palmares.journal.state import became
from palmares.ledgers import STAMP, Ledger
from palmares.rankings import Selection, faded
from palmares.rounding import shared
from palmares.web.hall import Known

MONTHS = 240
"""So many months of a course are shown, the last ones."""
FADES = 30_000
"""So many answers of a regulation about how a result fades are kept."""


def merged_into(known: Known) -> Mapping[str, str]:
    """For every merged record the one that it is part of in the end."""
    return known.once("merged", lambda: became(known.projection.state.merges()))


# ── awards ───────────────────────────────────────────────────────────────────────────────────────


def narrowed(known: Known, tournaments: set[str]) -> Facts:
    """The facts as if there were only some tournaments, and those who were placed in them."""
    tables = known.facts.tables
    own = part(tables, tournaments)
    named = pl.concat(
        own[name].select(pl.col(column).alias("player_id"))
        for name, columns in WHO.items()
        for column in columns
    )
    people = {
        name: tables[name].join(named, on="player_id", how="semi", maintain_order="left")
        for name in ("players", "memberships")
    }
    return Facts({**tables, **own, **people}, may_wait=True)


def own_facts(known: Known, player: str) -> Facts:
    """The facts of the tournaments in which somebody was placed, or played matches."""
    return known.once(
        ("own facts", player),
        lambda: narrowed(known, played_in(known.facts.tables, {player})),
    )


def own_awards(known: Known, regulation: str, player: str) -> Awards:
    """A player's awards: a rating is made from his own results alone, so that these are enough."""

    def make() -> Awards:
        found = awarding.award(known.question(regulation), own_facts(known, player))
        return replace(found, frame=found.frame.filter(pl.col("player_id") == player).sort("order"))

    return known.once(("own awards", regulation, player), make)


# ── how results fade ─────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Fading:
    """How results of a regulation fade; each takes the day from which they count, and an edition.

    ``left`` takes the day that is asked about, too: days left, and days in all.
    """

    lasts: bool  # nothing ever stops counting
    left: Callable[[date, str, date], tuple[int, int]]
    ends: Callable[[date, str], date | None]  # the first day on which it counts no more
    halves: Callable[[date, str], date | None]  # the first day with half of it or less


def fading(known: Known, regulation: str) -> Fading:
    """How results of a regulation fade."""
    return known.once(("fading", regulation), lambda: _fading(known.question(regulation)))


def _fading(question: Question) -> Fading:
    editions = {rules.edition.id: rules for rules in question.rulebook().all}
    fade, lasts = faded(question), lasting(question) is not None

    @lru_cache(FADES)
    def left(effective: date, edition: str, day: date) -> tuple[int, int]:
        return fade(editions[edition], effective, day)

    def first(effective: date, edition: str, parts_of: int) -> date | None:
        """The first day on which so many times what is left is not more than the whole."""

        def is_down(ordinal: int) -> bool:
            now, whole = fade(editions[edition], effective, date.fromordinal(ordinal))
            return now <= 0 or (parts_of > 0 and parts_of * now <= whole)

        if lasts:
            return None
        past = date.max.toordinal() + 1
        found = bisect_left(range(past), x=True, lo=effective.toordinal(), key=is_down)
        return None if found == past else date.fromordinal(found)

    @cache
    def ends(effective: date, edition: str) -> date | None:
        return first(effective, edition, 0)

    @cache
    def halves(effective: date, edition: str) -> date | None:
        return first(effective, edition, 2)

    return Fading(lasts=lasts, left=left, ends=ends, halves=halves)


# ── points and ranks over time ───────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseRow:
    """Points and rank at the end of a month, or on the last day."""

    day: date
    nanopoints: int
    rank: int | None  # none: not on the list


def course(known: Known, regulation: str, player: str, until: date) -> tuple[CourseRow, ...]:
    """His points and rank at the end of every month, and on a day; from when he was on the list."""
    return known.once(
        ("course", regulation, player, until), lambda: _course(known, regulation, player, until)
    )


def _course(known: Known, regulation: str, player: str, until: date) -> tuple[CourseRow, ...]:
    awards = own_awards(known, regulation, player).frame
    first = awards["effective"].min()
    if not isinstance(first, date) or first > until:
        return ()
    on = list(days(first, until, "month"))[-MONTHS:]
    number = _number(known, regulation, player)
    ranks = [int(_month(known, regulation, day)[number]) for day in on[:-1]]
    frame = known.ranking(regulation, Selection(as_of=until)).frame
    at = frame["player_id"].index_of(player)
    ranks.append(0 if at is None else frame["rank"][at])
    rows = (
        CourseRow(day=day, nanopoints=points, rank=rank or None)
        for day, points, rank in zip(on, _points(known, regulation, awards, on), ranks, strict=True)
    )
    return tuple(dropwhile(lambda row: row.rank is None, rows))


def _points(known: Known, regulation: str, awards: pl.DataFrame, on: list[date]) -> Iterator[int]:
    """What awards come to on some days; they stand in the order of time."""
    fades = fading(known, regulation)
    latest = known.question(regulation).held().total == "latest"
    rows = awards.select("effective", "edition", "nanopoints").rows()
    for day in on:
        counting = [row for row in rows if row[0] <= day]
        if latest:
            yield counting[-1][2] if counting else 0
            continue
        sums: dict[int, int] = {}
        for effective, edition, nanopoints in counting:
            left, parts = fades.left(effective, edition, day)
            sums[parts] = sums.get(parts, 0) + nanopoints * max(left, 0)
        total = sum((Fraction(points, parts) for parts, points in sums.items()), Fraction(0))
        yield shared(total.numerator, total.denominator)


def _month(known: Known, regulation: str, day: date) -> Any:
    """Everybody's rank at the end of a month, by number; 0: not on the list."""
    kept: dict[date, Any] = known.once(("ranks of months", regulation), dict)
    if day not in kept:
        book = _book(known, regulation)
        found = ledgers.listed(book, Selection(as_of=day))
        ranks = np.zeros(len(book.rows.begin), np.int32)
        ranks[found.players] = found.ranks
        kept[day] = ranks
    return kept[day]


def _number(known: Known, regulation: str, player: str) -> int:
    """The number of a player who has awards."""
    if not can_keep(known.question(regulation)):
        return known.ledger(regulation).code(player)
    found = known.awarded(regulation).names.players["player_id"].index_of(player)
    if found is None:  # pragma: no cover
        raise AssertionError(player)
    return found


def _book(known: Known, regulation: str) -> Ledger:
    """A ledger of everybody's awards; players by number."""
    if not can_keep(known.question(regulation)):
        return known.ledger(regulation)
    return known.once(("numbered ledger", regulation), lambda: _numbered(known.awarded(regulation)))


def _numbered(found: Awarded) -> Ledger:
    """The awards that grow with the journal as a ledger that knows players by number alone."""
    many = len(found.names.players)
    rows = merged(found.rows, found.newer, np.arange(many)).rows
    stamps = found.names.stamps.with_row_index("was").sort(STAMP)
    renamed = np.zeros(len(stamps), np.int64)
    renamed[stamps["was"].to_numpy()] = np.arange(len(stamps))
    return ledgers.from_codes(
        found.question,
        stamps.select(STAMP),
        rows["player"].to_numpy(),
        renamed[rows["stamp"].to_numpy()],
        rows["nanopoints"].to_numpy(),
        players=many,
    )
