"""One player's results under one regulation, without awarding everybody's points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

import polars as pl

from palmares.core.rounding import Nanopoints, shared
from palmares.facts import Facts
from palmares.facts.subsets import played_in, subset
from palmares.journal.projection.state import canonical_ids
from palmares.lists.figures import totals
from palmares.lists.figures.totals import PlayerResults, number_of, rows_of
from palmares.points import awards as awarding
from palmares.points.award_table import of_frame
from palmares.points.awards import Awards
from palmares.points.history import Fading
from palmares.points.ledger_rows import MOMENT
from palmares.web.http.state import Snapshot
from palmares.web.shared.names import EventName


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


def player_results(snapshot: Snapshot, regulation: str, player_id: str) -> PlayerResults:
    """A player's results under a regulation, as its figures take them."""
    return snapshot.once(
        ("player results", regulation, player_id),
        lambda: totals.player_results(
            snapshot.awarded(regulation), player_id, fading(snapshot, regulation)
        ),
    )


# ── how results fade ─────────────────────────────────────────────────────────────────────────────


def fading(snapshot: Snapshot, regulation: str) -> Fading:
    """How results of a regulation fade."""
    return snapshot.once(("fading", regulation), lambda: Fading(snapshot.question(regulation)))


# ── as rows ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardOfDay(EventName):
    """What a player was awarded for one flight of an event, and what it is worth on a day."""

    flight: str
    kind: str
    effective: date
    nanopoints: Nanopoints  # when it is new; a rating: after the event
    worth: Nanopoints  # on the day
    counts: bool  # on the day


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow(AwardOfDay):
    """What a player was awarded for one flight of an event."""

    has_other_days: bool  # other days of play in the same flight gave points of this kind, too
    rank: int | None  # their place; none: they were not placed
    entrants: int | None  # in the flight; none: nobody says
    country: str | None  # of the tournament
    percent_left: int  # of the points, on the day
    expires_on: date | None  # the first day on which it counts no more; none: it always does
    halves_on: date | None  # the first day on which it is worth half of it or less


def result_rows(
    snapshot: Snapshot, regulation: str, player_id: str, day: date
) -> tuple[ResultRow, ...]:
    """What a player was awarded up to a day, the latest first."""
    fades, latest = fading(snapshot, regulation), snapshot.question(regulation).aggregate.latest
    awards = own_results(snapshot, regulation, player_id).filter(pl.col("effective") <= day)
    tables = snapshot.facts.tables
    theirs = pl.col("event_id").is_in(awards["event_id"].implode())
    played = pl.col("tournament_id").is_in(awards["tournament_id"].implode())
    named = tables["tournaments"].filter(played).select("tournament_id", "name", "country")
    tournaments = {tournament: (name, country) for tournament, name, country in named.iter_rows()}
    entrants = _entrants(tables["events"].filter(theirs), tables["flights"].filter(theirs))
    placings = tables["placings"].filter(pl.col("player_id") == player_id)
    places = {
        (event, flight or "main"): rank
        for event, flight, rank in placings.select("event_id", "flight", "rank").iter_rows()
    }
    several = pl.len().over("event_id", "flight", "kind") > 1
    rows: list[ResultRow] = []
    for row in awards.with_columns(has_other_days=several).reverse().iter_rows(named=True):
        flight, edition = (row["event_id"], row["flight"]), row.pop("edition")
        left, parts = fades.left(row["effective"], edition, day)
        counts = not rows if latest else left > 0  # of ratings the last one does
        tournament, country = tournaments[row["tournament_id"]]
        rows.append(
            ResultRow(
                **row,
                tournament=tournament,
                country=country,
                rank=places.get(flight),
                entrants=entrants.get(flight),
                percent_left=shared(100 * max(left, 0), parts),
                worth=shared(row["nanopoints"] * max(left, 0), parts) if counts else 0,
                counts=counts,
                expires_on=fades.ends(row["effective"], edition),
                halves_on=fades.halves(row["effective"], edition),
            )
        )
    return tuple(rows)


def _entrants(events: pl.DataFrame, flights: pl.DataFrame) -> dict[tuple[str, str], int]:
    """How many played in each flight; of a Main, as the event says where the flight does not."""
    main = events.select("event_id", pl.lit("main"), "entrants").iter_rows()
    stated = flights.select("event_id", "flight", "entrants").iter_rows()
    return {(event, flight): many for event, flight, many in (*main, *stated) if many}
