"""
Split the changes between two lists into parts, one for each cause and award.

The entries between two heads of a journal are applied kind by kind, whatever their order; what
differs after a step and not before is due to its entries. What an award adds to a total is its
worth, or, in a rating, how far its event moved the rating; the first event also adds the opening
rating. Parts are rounded by largest remainders, so that they add up to the change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import lcm

import polars as pl
from msgspec import structs

from palmares.core.rounding import to_nanopoints
from palmares.facts.merge import played_in, subset
from palmares.journal.projection.project import (
    Delta,
    Place,
    Projection,
    State,
    apply_entries,
    changed_canonical_ids,
)
from palmares.journal.store.journal import Reader
from palmares.lists.live import affected_tournaments
from palmares.points import rankings
from palmares.points.award_table import of_frame
from palmares.points.awards import Awards, award, in_order
from palmares.points.rankings import Selection

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

EntriesByPlace = Mapping[Place, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class DiffStep:
    """Entries of one kind, and the facts before and after them."""

    cause: str  # one of `ORDER`
    before: Projection
    after: Projection
    tournaments: frozenset[str]  # whose awards may differ
    entries: EntriesByPlace


def steps(low: Projection, high: Projection, source: Reader) -> Iterator[DiffStep]:
    """The steps from an earlier head of a journal to a later one, without empty ones.

    Args:
        low: the facts at the earlier head.
        high: the facts at the later head.
        source: the journal.
    """
    by_kind = _by_kind(low.state, high.state)
    before = low
    for cause in ORDER:
        by_place = by_kind.get(cause)
        if by_place is None:
            continue
        only = {entry for entries in by_place.values() for entry in entries}
        delta = apply_entries(before, source, only=only)
        yield DiffStep(
            cause=cause,
            before=before,
            after=delta.after,
            tournaments=frozenset(_affected_tournaments(cause, delta)),
            entries=by_place,
        )
        before = delta.after


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


# ── what an award adds ────────────────────────────────────────────────────────────────────────────

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
EXPIRED = "expired"


# ── what an award adds ───────────────────────────────────────────────────────────────────────────


def contributions(awards: Awards, selection: Selection) -> pl.DataFrame:
    """The awards that count, each with what it adds to the player's total.

    Returns:
        The columns of `COLUMNS`: an award adds weight (Int128) / parts (Int64) nanopoints.
    """
    if awards.question.aggregate.latest:
        return _moves(awards, selection)
    return rankings.award_worths(awards.question, awards.frame, selection).select(COLUMNS)


def _moves(awards: Awards, selection: Selection) -> pl.DataFrame:
    """How far each event moved a rating, up to the last one, and the opening rating."""
    last = rankings.latest(awards.frame, selection, ["order"]).select(
        "player_id", pl.col("order").alias("last")
    )
    rows = (
        awards.frame.join(last, on="player_id")
        .filter(pl.col("order") <= pl.col("last"))
        .sort("player_id", "order")
    )
    opening = awards.question.aggregate.opening
    start = {
        rules.edition.id: to_nanopoints(opening(rules)) if opening else 0
        for rules in awards.question.rulebook().all
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


def updated_awards(before: Awards, after: Projection, tournaments: Collection[str]) -> Awards:
    """The awards after some tournaments changed; all awards, if it is a rating.

    Args:
        before: the awards before.
        after: the facts after.
        tournaments: that changed, came or went.
    """
    question = before.question
    if question.aggregate.latest:
        return award(question, after.facts, terms=False)
    facts = replace(after.facts, tables=subset(after.tables, tournaments))
    changed = award(question, facts, terms=False)
    unchanged = before.frame.filter(~pl.col("tournament_id").is_in(list(tournaments)))
    waiting = [event for event in before.waiting if event.tournament_id not in tournaments]
    return structs.replace(
        before,
        numbered=of_frame(pl.concat([unchanged, changed.frame])),
        waiting=in_order([*waiting, *changed.waiting]),
    )


# ── parts ────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class PathPoint:
    """The awards at one point of the path between the lists."""

    cause: str  # of the differences from the point before; empty at the first
    awards: Awards
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
    worth = [
        point.worth.with_columns(
            pl.col("weight") * (pl.lit(of, pl.Int64) // pl.col("parts")).cast(pl.Int128)
        )
        for point in path
    ]
    moves = [_nothing()]
    for point, before, after in zip(path[1:], worth, worth[1:], strict=False):
        moved = _moved(_affected_awards(before, point.steps), _affected_awards(after, point.steps))
        moves.append(_with_cause(moved, point, days, new).select(_nothing().columns))
    frame = (
        pl.concat(moves)
        .group_by(KEY, maintain_order=True)
        .agg(pl.col("event", "note").last(), pl.col("effective").max(), pl.col("weight").sum())
        .filter(pl.col("weight") != 0)
    )
    return ExactParts(frame, of)


def _nothing() -> pl.DataFrame:
    return pl.DataFrame(
        schema={name: kind for name, kind in SCHEMA.items() if name != "nanopoints"}
    )


def _affected_awards(worth: pl.DataFrame, steps: Sequence[DiffStep]) -> pl.DataFrame:
    """The awards that some steps may have changed; in a rating, all."""
    if not steps or worth.filter(pl.col("tournament_id") == "").height:
        return worth
    wanted = [tournament for step in steps for tournament in step.tournaments]
    return worth.filter(pl.col("tournament_id").is_in(wanted))


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


def rank_changes(first: pl.DataFrame, last: pl.DataFrame, exact: ExactParts) -> pl.DataFrame:
    """All players of either list with both ranks and points, and whether the points differ.

    Args:
        first: rank, player_id and nanopoints of the first list.
        last: the same of the last.
        exact: the parts of all changes.

    Returns:
        player_id, rank_a, rank_b, nanopoints_a, nanopoints_b, change, and ``moved``: whether the
        exact points differ.
    """
    sides = [
        frame.select(
            "player_id",
            pl.col("rank").alias(f"rank_{side}"),
            pl.col("nanopoints").alias(f"nanopoints_{side}"),
        )
        for side, frame in (("a", first), ("b", last))
    ]
    totals = exact.frame.group_by("player_id").agg((pl.col("weight").sum() != 0).alias("moved"))
    return (
        sides[0]
        .join(sides[1], on="player_id", how="full", coalesce=True)
        .join(totals, on="player_id", how="left")
        .with_columns(
            pl.col("nanopoints_a", "nanopoints_b").fill_null(0),
            pl.col("moved").fill_null(value=False),
        )
        .with_columns((pl.col("nanopoints_b") - pl.col("nanopoints_a")).alias("change"))
    )


def rounded(exact: ExactParts, changed: pl.DataFrame) -> pl.DataFrame:
    """The parts with ``nanopoints`` that add up to each player's change."""
    parts = exact.frame.with_columns(
        (pl.col("weight") // pl.lit(exact.of, pl.Int128)).cast(pl.Int64).alias("nanopoints"),
        (pl.col("weight") % pl.lit(exact.of, pl.Int128)).alias("rest"),
    ).sort("player_id", "rest", descending=[False, True], maintain_order=True)
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


def negated(changed: pl.DataFrame, parts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Changes and parts from the last list to the first."""
    back = pl.lit(-1, pl.Int64)
    sides = (("a", "b"), ("b", "a"))
    ends = {
        f"{name}_{side}": f"{name}_{other}"
        for name in ("rank", "nanopoints")
        for side, other in sides
    }
    swapped = changed.rename(ends).select(changed.columns)
    return (
        swapped.with_columns(pl.col("change") * back),
        parts.with_columns(pl.col("weight") * back, pl.col("nanopoints") * back),
    )


def overtaken(changed: pl.DataFrame) -> pl.DataFrame:
    """A part without points for each player whose points stayed and whose rank changed."""
    cells = {"player_id": pl.col("player_id"), "cause": pl.lit("others moved"), "note": pl.lit("")}
    cells |= {"weight": pl.lit(0), "nanopoints": pl.lit(0)}
    return changed.filter(~pl.col("moved"), pl.col("rank_a") != pl.col("rank_b")).select(
        cells.get(name, pl.lit(None)).cast(kind).alias(name) for name, kind in SCHEMA.items()
    )
