"""
What pages know of one player under one regulation, without awarding everybody's points.

    merged_into     which record a merged record is part of
    own_awards      a player's awards, from the tournaments in which he was placed alone
    Fading          on which days a result expires and halves, and what it is worth on others
    fading          a regulation  ->  Fading
    course          his points and ranks at the ends of months
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

import numpy as np
import polars as pl

from palmares import awards as awarding
from palmares import ledgers
from palmares.awarded import can_keep
from palmares.awarded_rows import merged
from palmares.awards import Awards, Question
from palmares.careers import days, lasting
from palmares.facts import Facts
from palmares.journal.projection import played_in
from palmares.journal.recording import part
from palmares.journal.state import became
from palmares.ledgers import STAMP, Ledger
from palmares.rankings import faded
from palmares.sweeps import places, sweep
from palmares.web.hall import Known

STRETCH = 3_000
"""Days that one sweep goes over."""


def merged_into(known: Known) -> Mapping[str, str]:
    """For every merged record the one that it is part of in the end."""
    return known.once("merged", lambda: became(known.projection.state.merges()))


# ── awards ───────────────────────────────────────────────────────────────────────────────────────


def narrowed(known: Known, tournaments: set[str]) -> Facts:
    """The facts as if there were only some tournaments."""
    tables = known.facts.tables
    return Facts({**tables, **part(tables, tournaments)})


def own_facts(known: Known, player: str) -> Facts:
    """The facts of the tournaments in which somebody was placed, or played matches."""
    return known.once(
        ("own facts", player),
        lambda: narrowed(known, played_in(known.facts.tables, {player})),
    )


def own_awards(known: Known, regulation: str, player: str) -> Awards:
    """A player's awards: a rating is made from his own results alone, so that these are enough."""

    def make() -> Awards:
        question = Question(regulation=regulation)
        found = awarding.award(question, own_facts(known, player))
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
    return known.once(("fading", regulation), lambda: _fading(Question(regulation=regulation)))


def _fading(question: Question) -> Fading:
    editions = {rules.edition.id: rules for rules in question.rulebook().all}
    fade, lasts = faded(question), lasting(question) is not None

    @cache
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


def course(known: Known, regulation: str, player: str, until: date) -> pl.DataFrame:
    """His points and rank at the end of every month from his first result to a day, and on it.

    Returns:
        day, nanopoints, rank (null: not on the list).
    """
    return known.once(
        ("course", regulation, player, until), lambda: _course(known, regulation, player, until)
    )


def _course(known: Known, regulation: str, player: str, until: date) -> pl.DataFrame:
    first = own_awards(known, regulation, player).frame["effective"].min()
    schema = {"day": pl.Date, "nanopoints": pl.Int64, "rank": pl.Int64}
    if not isinstance(first, date) or first > until:
        return pl.DataFrame(schema=schema)
    on = list(days(first, until, "month"))
    number, book = _book(known, regulation, player)
    parts = []
    while on:
        last = next(day for day in reversed(on) if (day - on[0]).days <= STRETCH)
        swept = places(sweep(book, on[0], last), [number])
        here = [day for day in on if day <= last]
        parts.append(
            pl.DataFrame({"day": here}, schema={"day": pl.Date})
            .join(swept, on="day", how="left", maintain_order="left")
            .select("day", pl.col("nanopoints").fill_null(0), "rank")
        )
        on = on[len(here) :]
    return pl.concat(parts)


def _book(known: Known, regulation: str, player: str) -> tuple[int, Ledger]:
    """The number of a player in a ledger of everybody's awards, and the ledger."""
    if not can_keep(Question(regulation=regulation)):
        book = known.ledger(regulation)
        return book.code(player), book
    found = known.awarded(regulation)
    number = found.names.players["player_id"].index_of(player)
    if number is None:  # pragma: no cover  he has awards
        raise AssertionError(player)
    return number, known.once(("numbered ledger", regulation), lambda: _numbered(known, regulation))


def _numbered(known: Known, regulation: str) -> Ledger:
    """The awards that grow with the journal as a ledger that knows players by number alone."""
    found = known.awarded(regulation)
    many = len(found.names.players)
    rows = merged(found.rows, found.newer, np.arange(many)).rows
    stamps = found.names.stamps.with_row_index("was").sort(STAMP).with_row_index("now")
    renamed = np.zeros(len(stamps), np.int64)
    renamed[stamps["was"].to_numpy()] = stamps["now"].to_numpy()
    return ledgers.from_codes(
        found.question,
        stamps.select(STAMP),
        rows["player"].to_numpy(),
        renamed[rows["stamp"].to_numpy()],
        rows["nanopoints"].to_numpy(),
        players=many,
    )
