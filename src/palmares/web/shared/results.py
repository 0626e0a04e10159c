"""What is known of one player under one regulation, without awarding everybody's points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from fractions import Fraction

import polars as pl

from palmares.facts import Facts
from palmares.facts.subsets import played_in, subset
from palmares.journal.projection.state import canonical_ids
from palmares.lists.figures.totals import number_of, rows_of
from palmares.points import awards as awarding
from palmares.points.award_table import of_frame
from palmares.points.awards import Awards
from palmares.points.history import Fading
from palmares.points.ledger_rows import MOMENT
from palmares.web.http.state import Snapshot


def merged_into(snapshot: Snapshot) -> Mapping[str, str]:
    """For every merged record the one that it is part of in the end."""
    return snapshot.once("merged", lambda: canonical_ids(snapshot.projection.state.merges()))


# ── awards ───────────────────────────────────────────────────────────────────────────────────────


def narrowed(snapshot: Snapshot, tournaments: set[str]) -> Facts:
    """The facts as if there were only some tournaments, and those who were placed in them."""
    return Facts(subset(snapshot.facts.tables, tournaments), may_wait=True)


def own_facts(snapshot: Snapshot, player: str) -> Facts:
    """The facts of the tournaments in which somebody was placed, or played matches."""
    return snapshot.once(
        ("own facts", player),
        lambda: narrowed(snapshot, played_in(snapshot.facts.tables, {player})),
    )


def own_awards(snapshot: Snapshot, regulation: str, player: str) -> Awards:
    """A player's awards: a rating is made from their own results alone, so these are enough."""

    def make() -> Awards:
        found = awarding.award(snapshot.question(regulation), own_facts(snapshot, player))
        theirs = found.frame.filter(pl.col("player_id") == player).sort("order")
        return replace(found, numbered=of_frame(theirs))

    return snapshot.once(("own awards", regulation, player), make)


_OF_RESULTS = ("event_id", "event", "flight", "kind", "effective", "edition", "nanopoints",
               "tournament_id")  # fmt: skip


def own_results(snapshot: Snapshot, regulation: str, player: str) -> pl.DataFrame:
    """A player's awards in the order of time, out of those that are kept.

    Where a player was in several flights of an event, or in none, only the regulation says which
    flight gave what: their tournaments are awarded anew.

    Returns:
        event_id, event, flight, kind, effective, edition, nanopoints, tournament_id.
    """

    def make() -> pl.DataFrame:
        given, tables = snapshot.awarded(regulation), snapshot.facts.tables
        number = number_of(given, player)
        if number is None:
            return own_awards(snapshot, regulation, player).frame.select(_OF_RESULTS)
        rows = rows_of(given, number)
        classes = given.names.award_classes[rows["award_class"]]
        frame = given.names.events[rows["event"]].hstack(
            [*rows.select("grant", "nanopoints"), *classes.select("effective", "edition", "kind")]
        )
        own = pl.col("event_id").is_in(frame["event_id"].implode())
        flights = tables["placings"].filter(pl.col("player_id") == player, own)
        flights = flights.select("event_id", pl.col("flight").fill_null("main"))
        if (
            len(flights) != frame["event_id"].n_unique()
            or flights["event_id"].is_duplicated().any()
        ):
            return own_awards(snapshot, regulation, player).frame.select(_OF_RESULTS)
        names = tables["events"].filter(own).select("event_id", event="name")
        return (
            frame.join(flights, on="event_id")
            .join(names, on="event_id")
            .sort(*MOMENT, "grant", nulls_last=False)
            .select(_OF_RESULTS)
        )

    return snapshot.once(("own results", regulation, player), make)


# ── how results fade ─────────────────────────────────────────────────────────────────────────────


def fading(snapshot: Snapshot, regulation: str) -> Fading:
    """How results of a regulation fade."""
    return snapshot.once(("fading", regulation), lambda: Fading(snapshot.question(regulation)))


def points_on(rows: Iterable[tuple[date, str, int]], fades: Fading, day: date) -> Fraction:
    """What results come to on a day: the day from which each counts, its edition, its points."""
    sums: dict[int, int] = {}
    for effective, edition, nanopoints in rows:
        if effective <= day:
            left, parts = fades.left(effective, edition, day)
            sums[parts] = sums.get(parts, 0) + nanopoints * max(left, 0)
    return sum((Fraction(points, parts) for parts, points in sums.items()), Fraction(0))
