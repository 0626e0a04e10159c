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

import polars as pl

from palmares.core.rounding import to_nanopoints
from palmares.facts import Facts
from palmares.facts.merge import played_in, subset
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
from palmares.points.award_table import SCHEMA as AWARDS_SCHEMA
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
    regulation: Regulation, low: Projection, high: Projection, source: Reader
) -> Iterator[DiffStep]:
    """The steps from an earlier head of a journal to a later one, without empty ones.

    Args:
        regulation: that the lists are of.
        low: the facts at the earlier head.
        high: the facts at the later head.
        source: the journal; it must stay open while the facts of steps are used.
    """
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
        seen = _seen(regulation, before, tournaments)
        seen |= _seen(regulation, high, tournaments - again)
        seen |= _seen(regulation, delta.after, tournaments & again)
        yield DiffStep(
            cause=cause,
            before=before,
            after=delta.after,
            tournaments=seen,
            entries=by_place,
        )
        before = delta.after


def _seen(regulation: Regulation, facts: Projection, tournaments: set[str]) -> frozenset[str]:
    """Some tournaments, those that a regulation makes awards of."""
    reported = [each for each in tournaments if facts.state.report(each)]
    if not reported:
        return frozenset()
    here = pl.col("tournament_id").is_in(reported)
    table = facts.tables["tournaments"].filter(here, of_discipline(regulation))
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

NEEDED = (*AWARD, "event", "effective", "edition", "setting", "division", "nanopoints")
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
EXPIRED = "expired"


class Counted(NamedTuple):
    """The awards at one point of the path between the lists."""

    frame: pl.DataFrame  # `NEEDED`; of a rating, the frame of `Awards`
    waiting: tuple[Waiting, ...]

    def waiting_ids(self) -> set[str]:
        """The ids of events that wait."""
        return {event.event_id for event in self.waiting}

    def only(self, tournaments: Collection[str]) -> Counted:
        """Those of some tournaments."""
        waiting = [event for event in self.waiting if event.tournament_id in tournaments]
        here = pl.col("tournament_id").is_in(list(tournaments))
        return Counted(self.frame.filter(here), tuple(waiting))

    def with_others(self, tournaments: Collection[str], *others: Counted) -> Counted:
        """The awards with others in the place of those of some tournaments."""
        here = pl.col("tournament_id").is_in(list(tournaments))
        frames = [self.frame.filter(~here)] if len(self.frame) else []
        frames += [each.frame for each in others if len(each.frame)]
        waiting = [event for event in self.waiting if event.tournament_id not in tournaments]
        waiting += [event for each in others for event in each.waiting]
        return Counted(pl.concat(frames) if frames else NOTHING.frame, in_order(waiting))


NOTHING = Counted(pl.DataFrame(schema={name: AWARDS_SCHEMA[name] for name in NEEDED}), ())


def award_some(
    question: Question, facts: Projection, tournaments: Collection[str], people: pl.DataFrame
) -> Counted:
    """The awards of some tournaments, those of them that are reported.

    Args:
        question: the regulation, and what was chosen.
        facts: of the tournaments.
        tournaments: their ids.
        people: players of any time: no sum depends on what they are called.
    """
    reported = [each for each in tournaments if facts.state.report(each)]
    if not reported:
        return NOTHING
    tables = subset(updated(facts.tables, {"players": lambda: people}), reported)
    given = award(question, Facts(tables, may_wait=facts.may_wait), terms=False)
    return Counted(given.frame.select(NEEDED), given.waiting)


def contributions(question: Question, awards: pl.DataFrame, selection: Selection) -> pl.DataFrame:
    """The awards that count, each with what it adds to the player's total.

    Args:
        question: the regulation.
        awards: `NEEDED`; of a rating, the frame of `Awards`.
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
    of = lcm(*(parts for point in path for parts in point.worth["parts"].unique()))
    worth = [_of_parts(point.worth, pl.col("parts"), of) for point in path]
    moves: list[pl.DataFrame] = []
    for point, before, after in zip(path[1:], worth, worth[1:], strict=False):
        if len(before) or len(after):
            moved = _with_cause(_moved(before, after), point, days, new)
            moves.append(moved.select(_nothing().columns))
    return ExactParts(_together(moves), of)


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
    if not moves:
        return _nothing()
    return (
        pl.concat(moves)
        .group_by(KEY, maintain_order=True)
        .agg(pl.col("event", "note").last(), pl.col("effective").max(), pl.col("weight").sum())
        .filter(pl.col("weight") != 0)
        .select(_nothing().columns)
    )


def _nothing() -> pl.DataFrame:
    return pl.DataFrame(
        schema={name: kind for name, kind in SCHEMA.items() if name != "nanopoints"}
    )


def _moved(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """What awards add more after than before; ``here``: 1 if they came, -1 if they went."""
    signed = [
        worth.with_columns(
            pl.col("weight") * pl.lit(sign, pl.Int64), pl.lit(sign, pl.Int64).alias("here")
        )
        for sign, worth in ((-1, before), (1, after))
    ]
    return (
        pl.concat(signed)
        .group_by(AWARD, maintain_order=True)
        .agg(
            pl.col("event").last(),
            pl.col("effective").max(),
            pl.col("weight").sum(),
            pl.col("here").sum(),
        )
        .filter(pl.col("weight") != 0)
    )


def _with_cause(
    moved: pl.DataFrame,
    point: PathPoint,
    days: tuple[date, date],
    new: Collection[str],
) -> pl.DataFrame:
    """Changes with their cause and a note."""
    tournament = pl.col("tournament_id")
    cause, note = pl.lit(point.cause), pl.lit("")
    if point.steps:
        of = {id_: step.cause for step in point.steps for id_ in step.tournaments}
        of |= {"": point.cause}
        cause = tournament.replace_strict(of, default="rating chain", return_dtype=pl.String)
    elif point.cause == "decay":
        came = (pl.col("here") != 0) & (pl.col("effective") > min(days)).fill_null(value=True)
        cause = pl.when(came).then(pl.lit("new result")).otherwise(cause)
        note = pl.when(~came & (pl.col("here") < 0)).then(pl.lit(EXPIRED)).otherwise(note)
    return moved.with_columns(
        pl.when(tournament.is_in(list(new)))
        .then(pl.lit("new result"))
        .otherwise(cause)
        .alias("cause"),
        note.alias("note"),
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
    parts = parts.join(
        changed.select("player_id", "change"), on="player_id", how="left", maintain_order="left"
    ).with_columns(
        (pl.col("change") - pl.col("nanopoints").sum().over("player_id")).alias("missing"),
        pl.int_range(pl.len(), dtype=pl.Int64).over("player_id").alias("place"),
        pl.len().over("player_id").alias("parts"),
    )
    if not parts["missing"].is_between(0, parts["parts"]).all():  # pragma: no cover
        raise AssertionError("the parts of a change do not come to it")
    more = (pl.col("place") < pl.col("missing")).cast(pl.Int64)
    return parts.with_columns(pl.col("nanopoints") + more).select(list(SCHEMA))


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
