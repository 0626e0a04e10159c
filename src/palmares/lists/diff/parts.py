"""
Split the changes between two lists into parts, one for each cause and award.

The entries between two heads of a journal are applied kind by kind, whatever their order; what
differs after a step and not before is due to its entries. What an award adds to a total is its
worth, or, in a rating, how far its event moved the rating; the first event also adds the opening
rating. Parts are rounded by largest remainders, so that they add up to the change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import lcm
from typing import NamedTuple

import numpy as np
import polars as pl

from palmares.core.rounding import to_nanopoints
from palmares.facts import Facts
from palmares.facts.merge import of_tournaments, played_in, with_people
from palmares.journal.projection.project import (
    Delta,
    Place,
    Projection,
    State,
    changed_canonical_ids,
    delta_to,
    state_with,
    updated,
)
from palmares.journal.store.journal import Reader
from palmares.lists.live import affected_tournaments
from palmares.points import rankings
from palmares.points.awards import Question, Waiting, award, in_order
from palmares.points.inputs import of_discipline
from palmares.points.rankings import Selection
from palmares.regulations import Regulation

CAUSE_OF_GROUP: Mapping[str, str] = {
    "players": "player",
    "erasures": "player",
    "apart": "player",
    "publications": "player",
    "memberships": "membership",
    "rates": "rate",
    "merges": "merge",
    "overrides": "override",
}
"""The kind of change that each group of statements makes, but for reports; "player" moves none."""

ORDER = (
    "player",
    "withdrawal",
    "membership",
    "rate",
    "merge",
    "correction",
    "override",
    "new result",
)
"""The kinds of change in the order in which they are applied.

Rates come before the reports that need them, merges before corrections that name merged records,
and overrides after the reports that they change.
"""

REPORTS = ("tournaments", "overrides")
"""The groups of statements that change what is known of a tournament itself."""

EntriesByPlace = Mapping[Place, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class DiffStep:
    """Entries of one kind, and the facts before and after them."""

    cause: str  # one of `ORDER`
    before: Projection
    after: Projection
    tournaments: frozenset[str]  # of the regulation, whose awards may differ
    entries: EntriesByPlace


def steps(
    regulation: Regulation, low: Projection, high: Projection, source: Reader, until: date
) -> Iterator[DiffStep]:
    """The steps from an earlier head of a journal to a later one, without empty ones.

    Args:
        regulation: that the lists are of.
        low: the facts at the earlier head.
        high: the facts at the later head.
        source: the journal; it must stay open while the facts of steps are used.
        until: the day of the later list; a rating is not moved by what ends after it.
    """
    day = until if regulation.aggregate.latest else date.max
    by_kind = _by_kind(low.state, high.state)
    causes = [cause for cause in ORDER if cause in by_kind]
    before = low.lazy()
    for number, cause in enumerate(causes, 1):
        by_place = by_kind[cause]
        later = [place for other in causes[number:] for place in by_kind[other]]
        again = {key for group, key in later if group in REPORTS}
        state = state_with(before.state, high.state, by_place)
        delta = delta_to(before, state, list(by_place), source)
        tournaments = _affected_tournaments(cause, delta)
        seen = _seen(regulation, before, tournaments, day)
        seen |= _seen(regulation, high, tournaments - again, day)
        seen |= _seen(regulation, delta.after, tournaments & again, day)
        yield DiffStep(
            cause=cause,
            before=before,
            after=delta.after,
            tournaments=seen,
            entries=by_place,
        )
        before = delta.after


def _seen(
    regulation: Regulation, facts: Projection, tournaments: set[str], day: date
) -> frozenset[str]:
    """Some tournaments, those that end by a day and that a regulation makes awards of."""
    reported = [each for each in tournaments if facts.state.report(each)]
    if not reported:
        return frozenset()
    here = pl.col("tournament_id").is_in(reported)
    ended = pl.col("end_date") <= day
    table = facts.tables["tournaments"].filter(here, ended, of_discipline(regulation))
    return frozenset(table["tournament_id"])


def _by_kind(low: State, high: State) -> dict[str, dict[Place, tuple[int, ...]]]:
    """The entries after the earlier head, by kind of change, group and key."""
    places = {
        statement.sequence: (name, key)
        for name, group in high.groups.items()
        for key, statements in group.items()
        for statement in statements
    }
    kinds: dict[str, dict[Place, tuple[int, ...]]] = {}
    new = range(low.sequence + 1, high.sequence + 1)
    for sequence, root in zip(new, high.roots(new), strict=True):
        place = places.get(root)
        if place is not None:
            by_place = kinds.setdefault(_kind(place, low, high), {})
            by_place[place] = (*by_place.get(place, ()), sequence)
    return kinds


def _kind(place: Place, low: State, high: State) -> str:
    """The kind of change that entries of a group and key make."""
    group, key = place
    if group in CAUSE_OF_GROUP:
        return CAUSE_OF_GROUP[group]
    if low.report(key) is None:
        return "new result"
    return "withdrawal" if high.report(key) is None else "correction"


# ── which awards may differ ──────────────────────────────────────────────────────────────────────


def _affected_tournaments(cause: str, delta: Delta) -> set[str]:
    """The tournaments whose awards a step may change."""
    tournaments = affected_tournaments(delta)
    if cause == "merge":
        players = {
            player
            for pair in changed_canonical_ids(delta.before.state, delta.after.state).values()
            for player in pair
        }
        tournaments |= played_in(delta.before.tables, players)
    return tournaments


# ── what an award adds ───────────────────────────────────────────────────────────────────────────

AWARD = ("player_id", "tournament_id", "event_id", "flight", "kind")
"""The key of an award; the opening rating has no tournament."""

COLUMNS = (*AWARD, "event", "effective", "weight", "parts")
KEY = (*AWARD[:1], "cause", *AWARD[1:])
SCHEMA = {
    "player_id": pl.String(),
    "cause": pl.String(),
    "tournament_id": pl.String(),
    "event_id": pl.String(),
    "flight": pl.String(),
    "kind": pl.String(),
    "event": pl.String(),
    "effective": pl.Date(),
    "note": pl.String(),
    "weight": pl.Int128(),
    "nanopoints": pl.Int64(),
}
NO_WORTH = pl.DataFrame(schema={**SCHEMA, "parts": pl.Int64()}).select(COLUMNS)
NO_PARTS = pl.DataFrame(schema=SCHEMA).drop("nanopoints")
EXPIRED = "expired"


class Counted(NamedTuple):
    """What awards add at one point of the path between the lists."""

    worth: pl.DataFrame  # as `contributions` gives it
    waiting: tuple[Waiting, ...]

    def waiting_ids(self) -> set[str]:
        """The ids of events that wait."""
        return {event.event_id for event in self.waiting}

    def only(self, tournaments: Collection[str]) -> Counted:
        """Those of some tournaments."""
        waiting = [event for event in self.waiting if event.tournament_id in tournaments]
        here = pl.col("tournament_id").is_in(list(tournaments))
        return Counted(self.worth.filter(here), tuple(waiting))

    def with_others(self, tournaments: Collection[str], *others: Counted) -> Counted:
        """The same with others in the place of those of some tournaments."""
        here = pl.col("tournament_id").is_in(list(tournaments))
        every = [self.worth.filter(~here), *(each.worth for each in others)]
        waiting = [event for event in self.waiting if event.tournament_id not in tournaments]
        waiting += [event for each in others for event in each.waiting]
        return Counted(pl.concat(every), in_order(waiting))


def award_some(
    question: Question,
    facts: Projection,
    tournaments: Collection[str],
    people: pl.DataFrame,
    selection: Selection,
) -> Counted:
    """What the awards of some tournaments add, of those of them that are reported.

    Args:
        question: the regulation, and what was chosen.
        facts: of the tournaments.
        tournaments: their ids.
        people: players of any time: no sum depends on what they are called.
        selection: the day and what else decides which awards count.
    """
    reported = [each for each in tournaments if facts.state.report(each)]
    if not reported:
        return Counted(NO_WORTH, ())
    everybody = updated(facts.tables, {"players": lambda: people})
    tables = with_people(_reports(facts, set(reported)), everybody)
    given = award(question, Facts(tables, may_wait=facts.may_wait), terms=False)
    return Counted(contributions(question, given.frame, selection), given.waiting)


def _reports(facts: Projection, tournaments: set[str]) -> Mapping[str, pl.DataFrame]:
    """The rows of some reported tournaments; of those that were read last, without asking all."""
    rows = facts.read or facts.tables
    known = set(rows["tournaments"]["tournament_id"])
    if known == tournaments:
        return rows
    return of_tournaments(rows if known > tournaments else facts.tables, tournaments)


def contributions(question: Question, awards: pl.DataFrame, selection: Selection) -> pl.DataFrame:
    """The awards that count, each with what it adds to the player's total.

    Args:
        question: the regulation.
        awards: as `Awards.frame` has them.
        selection: the day and what else decides which awards count.

    Returns:
        The columns of `COLUMNS`: an award adds weight (Int128) / parts (Int64) nanopoints.
    """
    if question.aggregate.latest:
        return _moves(question, awards, selection)
    if awards.is_empty():
        return NO_WORTH
    counted = rankings.counting(question, awards, selection)
    return counted.with_columns(rankings.WORTH).select(COLUMNS)


def _moves(question: Question, awards: pl.DataFrame, selection: Selection) -> pl.DataFrame:
    """How far each event moved a rating, up to the last one, and the opening rating."""
    last = rankings.latest(awards, selection, ["order"]).select(
        "player_id", pl.col("order").alias("last")
    )
    rows = (
        awards.join(last, on="player_id")
        .filter(pl.col("order") <= pl.col("last"))
        .sort("player_id", "order")
    )
    opening = question.aggregate.opening
    start = {
        rules.edition.id: to_nanopoints(opening(rules)) if opening else 0
        for rules in question.rulebook().all
    }
    before = pl.col("nanopoints").shift(1).over("player_id")
    begun = pl.col("edition").replace_strict(start, return_dtype=pl.Int64)
    rows = rows.with_columns(before.alias("before")).with_columns(
        pl.coalesce("before", begun).alias("from"), pl.lit(1, pl.Int64).alias("parts")
    )
    moves = rows.with_columns((pl.col("nanopoints") - pl.col("from")).alias("weight"))
    starts = rows.filter(pl.col("before").is_null()).with_columns(
        *(pl.lit("").alias(name) for name in ("tournament_id", "event_id", "event", "flight")),
        pl.lit(None, pl.Date).alias("effective"),
        pl.col("from").alias("weight"),
    )
    moved = pl.concat([moves.select(COLUMNS), starts.select(COLUMNS)])
    return moved.with_columns(pl.col("weight").cast(pl.Int128))


# ── parts ────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class PathPoint:
    """What awards add at one point of the path between the lists."""

    cause: str  # of the differences from the point before; empty at the first
    worth: pl.DataFrame  # as `contributions` gives it
    steps: tuple[DiffStep, ...] = ()  # that led here, if entries did


@dataclass(frozen=True, slots=True, eq=False)
class ExactParts:
    """Exact parts: player, cause, award, weight; a part is weight / of nanopoints."""

    frame: pl.DataFrame
    of: int


def split_change(
    path: Sequence[PathPoint], days: tuple[date, date], new: Collection[str]
) -> ExactParts:
    """The changes along a path, by cause, player and award.

    Args:
        path: at least the first list and the last.
        days: of the first and the last list.
        new: tournaments that only the last list knows.
    """
    worth = pl.concat([point.worth for point in path])
    if worth.is_empty():
        return ExactParts(NO_PARTS, 1)
    of = lcm(*worth["parts"].unique())
    moved = _moved(_of_parts(worth, pl.col("parts"), of), [len(point.worth) for point in path])
    return ExactParts(_together([_with_causes(moved, path, days, new)]), of)


def joined(exact: Sequence[ExactParts]) -> ExactParts:
    """The parts of changes that follow on each other."""
    of = lcm(*(each.of for each in exact))
    if len(exact) == 1:
        return exact[0]
    return ExactParts(
        _together([_of_parts(each.frame, pl.lit(each.of, pl.Int64), of) for each in exact]), of
    )


def _of_parts(frame: pl.DataFrame, parts: pl.Expr, of: int) -> pl.DataFrame:
    """The same weights in parts of another size."""
    more = (pl.lit(of, pl.Int64) // parts).cast(pl.Int128)
    return frame.with_columns(pl.col("weight") * more)


def _together(moves: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """One row for each player, cause and award, but those that come to nothing."""
    return (
        pl.concat(moves)
        .group_by(KEY, maintain_order=True)
        .agg(pl.col("event", "note").last(), pl.col("effective").max(), pl.col("weight").sum())
        .filter(pl.col("weight") != 0)
        .select(NO_PARTS.columns)
    )


def _moved(worth: pl.DataFrame, sizes: Sequence[int]) -> pl.DataFrame:
    """What awards add more after each move along a path than before.

    All moves at once: a question to Polars takes as long for a few rows as for thousands.

    Args:
        worth: of all points, one after another.
        sizes: how many rows each point has.

    Returns:
        ``move``, from 1; ``here``: 1 if they came, -1 if they went; the columns of `COLUMNS` but
        ``parts``.
    """
    point = np.repeat(np.arange(len(sizes)), sizes)
    move = np.concatenate([point + 1, point])  # what is added at a point is lost by the next move
    order = np.argsort(move, kind="stable")
    order = order[(move[order] > 0) & (move[order] < len(sizes))]
    before = order < len(point)
    signed = worth[np.where(before, order, order - len(point))].with_columns(
        pl.Series("move", move[order]), pl.Series("here", np.where(before, -1, 1))
    )
    return (
        signed.group_by("move", *AWARD, maintain_order=True)
        .agg(
            pl.col("event").last(),
            pl.col("effective").max(),
            (pl.col("weight") * pl.col("here")).sum(),
            pl.col("here").sum(),
        )
        .filter(pl.col("weight") != 0)
    )


def _with_causes(
    moved: pl.DataFrame,
    path: Sequence[PathPoint],
    days: tuple[date, date],
    new: Collection[str],
) -> pl.DataFrame:
    """Changes with their causes and notes."""
    causes = {
        (move, tournament): cause
        for move, point in enumerate(path)
        for step in point.steps
        for tournament, cause in (
            ("", point.cause),
            *((id_, step.cause) for id_ in step.tournaments),
        )
    }
    others = {
        move: "rating chain" if point.steps else point.cause for move, point in enumerate(path)
    }
    here = moved[["move", "tournament_id"]].rows()
    cause = [causes.get((move, tournament), others[move]) for move, tournament in here]
    decays = pl.col("cause") == "decay"
    came = (pl.col("here") != 0) & (pl.col("effective") > min(days)).fill_null(value=True)
    is_new = pl.col("tournament_id").is_in(list(new)) | (decays & came)
    return (
        moved.with_columns(pl.Series("cause", cause, pl.String))
        .select(
            pl.when(is_new).then(pl.lit("new result")).otherwise("cause").alias("cause"),
            pl.when(decays, ~came, pl.col("here") < 0)
            .then(pl.lit(EXPIRED))
            .otherwise(pl.lit(""))
            .alias("note"),
            *(name for name in NO_PARTS.columns if name not in ("cause", "note")),
        )
        .select(NO_PARTS.columns)
    )


# ── players ──────────────────────────────────────────────────────────────────────────────────────


def rounded(exact: ExactParts, changed: pl.DataFrame) -> pl.DataFrame:
    """The parts with ``nanopoints`` that add up to each player's change.

    Of equal remainders the first in the order of `KEY` get what is left.
    """
    parts = exact.frame.with_columns(
        (pl.col("weight") // pl.lit(exact.of, pl.Int128)).cast(pl.Int64).alias("nanopoints"),
        (pl.col("weight") % pl.lit(exact.of, pl.Int128)).alias("rest"),
    ).sort("player_id", "rest", *KEY[1:], descending=[False, True, *(False for _ in KEY[1:])])
    more = (pl.col("place") < pl.col("missing")).cast(pl.Int64)
    found = (
        parts.join(
            changed[["player_id", "change"]], on="player_id", how="left", maintain_order="left"
        )
        .with_columns(
            (pl.col("change") - pl.col("nanopoints").sum().over("player_id")).alias("missing"),
            pl.int_range(pl.len(), dtype=pl.Int64).over("player_id").alias("place"),
            pl.len().over("player_id").alias("parts"),
        )
        .with_columns(pl.col("nanopoints") + more)
    )
    if not found["missing"].is_between(0, found["parts"]).all():  # pragma: no cover
        raise AssertionError("the parts of a change do not come to it")
    return found[list(SCHEMA)]


def swapped(changed: pl.DataFrame) -> pl.DataFrame:
    """Changes from the last list to the first."""
    sides = (("a", "b"), ("b", "a"))
    ends = {
        f"{name}_{side}": f"{name}_{other}"
        for name in ("rank", "nanopoints")
        for side, other in sides
    }
    return negated(changed.rename(ends).select(changed.columns), "change")


def negated(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """A frame with the signs of some columns turned."""
    return frame.with_columns(pl.col(columns) * pl.lit(-1, pl.Int64))


def overtaken(changed: pl.DataFrame) -> pl.DataFrame:
    """A part without points for each player whose points stayed and whose rank changed."""
    cells = {"player_id": pl.col("player_id"), "cause": pl.lit("others moved"), "note": pl.lit("")}
    cells |= {"weight": pl.lit(0), "nanopoints": pl.lit(0)}
    return changed.filter(~pl.col("moved"), pl.col("rank_a") != pl.col("rank_b")).select(
        cells.get(name, pl.lit(None)).cast(kind).alias(name) for name, kind in SCHEMA.items()
    )
