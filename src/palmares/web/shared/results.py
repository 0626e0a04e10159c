"""What is known of one player under one regulation, without awarding everybody's points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from fractions import Fraction

import polars as pl

from palmares.facts import Facts
from palmares.facts.subsets import played_in, subset
from palmares.journal.projection.state import became
from palmares.points import awards as awarding
from palmares.points.awards import Awards
from palmares.points.history import Fading
from palmares.web.http.state import Known


def merged_into(known: Known) -> Mapping[str, str]:
    """For every merged record the one that it is part of in the end."""
    return known.once("merged", lambda: became(known.projection.state.merges()))


# ── awards ───────────────────────────────────────────────────────────────────────────────────────


def narrowed(known: Known, tournaments: set[str]) -> Facts:
    """The facts as if there were only some tournaments, and those who were placed in them."""
    return Facts(subset(known.facts.tables, tournaments), may_wait=True)


def own_facts(known: Known, player: str) -> Facts:
    """The facts of the tournaments in which somebody was placed, or played matches."""
    return known.once(
        ("own facts", player),
        lambda: narrowed(known, played_in(known.facts.tables, {player})),
    )


def own_awards(known: Known, regulation: str, player: str) -> Awards:
    """A player's awards: a rating is made from their own results alone, so these are enough."""

    def make() -> Awards:
        found = awarding.award(known.question(regulation), own_facts(known, player))
        return replace(found, frame=found.frame.filter(pl.col("player_id") == player).sort("order"))

    return known.once(("own awards", regulation, player), make)


# ── how results fade ─────────────────────────────────────────────────────────────────────────────


def fading(known: Known, regulation: str) -> Fading:
    """How results of a regulation fade."""
    return known.once(("fading", regulation), lambda: Fading(known.question(regulation)))


def points_on(rows: Iterable[tuple[date, str, int]], fades: Fading, day: date) -> Fraction:
    """What results come to on a day: the day from which each counts, its edition, its points."""
    sums: dict[int, int] = {}
    for effective, edition, nanopoints in rows:
        if effective <= day:
            left, parts = fades.left(effective, edition, day)
            sums[parts] = sums.get(parts, 0) + nanopoints * max(left, 0)
    return sum((Fraction(points, parts) for parts, points in sums.items()), Fraction(0))
