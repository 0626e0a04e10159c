"""
The change between two lists in parts, one for each cause and award.

    put_in          awards and a selection  ->  a row per award that counts, with what it puts in
    awarded         awards, and facts of which some tournaments changed  ->  their awards
    Station         the awards at one point of the way, each with what it puts into a total
    split           the stations of a way  ->  Split: what changed between them, exactly
    changes         the first and the last list  ->  a row for everybody, changed or not
    rounded         exact parts  ->  whole nanopoints that add up to the change shown
    turned          changes and parts  ->  the same from the last list to the first
    of_others       parts of those whose rank changed only because others moved
    of_no_award     parts that are worth nothing, such as those of who is shown otherwise

Parts are rounded down, and those that lost most get one nanopoint more, until they add up: the
largest remainders, as seats are shared out.

Of a sum, an award puts in what it is worth. Of a rating, an event puts in what it moved the rating
by, and the first event also brings the rating that everybody starts from; so what is put in adds
up to the total under every regulation.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import lcm

import numpy as np
import polars as pl

from palmares.core.rounding import counted
from palmares.facts.subsets import subset
from palmares.journal.projection.project import Projection
from palmares.lists.diff.steps import Step
from palmares.points import rankings
from palmares.points.award_table import of_frame
from palmares.points.awards import Awards, award, in_order
from palmares.points.rankings import Selection

AWARD = ("player_id", "tournament_id", "event_id", "flight", "kind")
"""What tells awards apart; the rating to start from is of no tournament."""

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


# ── what an award puts in ────────────────────────────────────────────────────────────────────────


def contributions(awards: Awards, selection: Selection) -> pl.DataFrame:
    """The awards that count, each with what it puts into the player's total.

    Returns:
        The columns of `COLUMNS`: an award puts in weight (Int128) / parts (Int64) nanopoints.
    """
    if awards.question.aggregate.latest:
        return _moves(awards, selection)
    return rankings.award_worths(awards.question, awards.frame, selection).select(COLUMNS)


def _moves(awards: Awards, selection: Selection) -> pl.DataFrame:
    """What every event moved a rating by, up to the last that counts, and where it started."""
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
        one.edition.id: counted(opening(one)) if opening else 0
        for one in awards.question.rulebook().all
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
    found = pl.concat([moves.select(COLUMNS), starts.select(COLUMNS)])
    return found.with_columns(pl.col("weight").cast(pl.Int128))


def updated_awards(before: Awards, after: Projection, tournaments: Collection[str]) -> Awards:
    """The awards of facts of which some tournaments changed; of a rating, everything is new.

    Args:
        before: of the facts before.
        after: the facts.
        tournaments: that changed, came or went.
    """
    question = before.question
    if question.aggregate.latest:
        return award(question, after.facts, terms=False)
    facts = replace(after.facts, tables=subset(after.tables, tournaments))
    mended = award(question, facts, terms=False)
    kept = before.frame.filter(~pl.col("tournament_id").is_in(list(tournaments)))
    waiting = [one for one in before.waiting if one.tournament_id not in tournaments]
    return replace(
        before,
        numbered=of_frame(pl.concat([kept, mended.frame])),
        waiting=in_order([*waiting, *mended.waiting]),
    )


# ── parts ────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class PathPoint:
    """The awards at one point of the way from list to list."""

    cause: str  # of what differs from the station before; empty at the first
    awards: Awards
    worth: pl.DataFrame  # `put_in`
    steps: tuple[Step, ...] = ()  # that led here, if entries did: several where one alone cannot


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Exact parts: player, cause, award, weight; a part is weight / of nanopoints."""

    frame: pl.DataFrame
    of: int


def split_change(way: Sequence[PathPoint], days: tuple[date, date], new: Collection[str]) -> Split:
    """What changed between the stations of a way, by cause, player and award.

    Args:
        way: at least the first list and the last.
        days: of the first and the last list.
        new: tournaments that only the last knows; all that their awards put in is new.
    """
    of = lcm(*(parts for at in way for parts in at.worth["parts"].unique()))
    worth = [
        at.worth.with_columns(
            pl.col("weight") * (pl.lit(of, pl.Int64) // pl.col("parts")).cast(pl.Int128)
        )
        for at in way
    ]
    found = [_nothing()]
    for at, before, after in zip(way[1:], worth, worth[1:], strict=False):
        moved = _moved(_apart(before, at.steps), _apart(after, at.steps))
        found.append(_with_cause(moved, at, days, new).select(_nothing().columns))
    frame = (
        pl.concat(found)
        .group_by(KEY, maintain_order=True)
        .agg(pl.col("event", "note").last(), pl.col("effective").max(), pl.col("weight").sum())
        .filter(pl.col("weight") != 0)
    )
    return Split(frame, of)


def _nothing() -> pl.DataFrame:
    return pl.DataFrame(
        schema={name: kind for name, kind in SCHEMA.items() if name != "nanopoints"}
    )


def _apart(worth: pl.DataFrame, steps: Sequence[Step]) -> pl.DataFrame:
    """What entries may have changed; the rest of a sum is the same before and after."""
    if not steps or worth.filter(pl.col("tournament_id") == "").height:
        return worth
    wanted = [tournament for step in steps for tournament in step.tournaments]
    return worth.filter(pl.col("tournament_id").is_in(wanted))


def _moved(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """What awards put in more after than before; ``here``: 1 if they came, -1 if they went."""
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
    at: PathPoint,
    days: tuple[date, date],
    new: Collection[str],
) -> pl.DataFrame:
    """The cause of everything that moved towards a station, and a note to it."""
    tournament = pl.col("tournament_id")
    cause, note = pl.lit(at.cause), pl.lit("")
    if at.steps:
        of = {one: step.cause for step in at.steps for one in step.tournaments} | {"": at.cause}
        cause = tournament.replace_strict(of, default="rating chain", return_dtype=pl.String)
    elif at.cause == "decay":
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


def rank_changes(first: pl.DataFrame, last: pl.DataFrame, exact: Split) -> pl.DataFrame:
    """Everybody of either list with both ranks and points, and whether the points are the same.

    Args:
        first: rank, player_id and nanopoints of the first list, in its order.
        last: the same of the last.
        exact: the parts of all changes.

    Returns:
        player_id, rank_a, rank_b, place_a, place_b (lines of the lists), nanopoints_a,
        nanopoints_b, change, and ``moved``: whether the exact points differ.
    """
    sides = [
        frame.select(
            "player_id",
            pl.col("rank").alias(f"rank_{side}"),
            pl.int_range(1, pl.len() + 1).alias(f"place_{side}"),
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


def rounded(exact: Split, changed: pl.DataFrame) -> pl.DataFrame:
    """The parts with ``nanopoints`` that add up to everybody's change."""
    whole = exact.frame.with_columns(
        (pl.col("weight") // pl.lit(exact.of, pl.Int128)).cast(pl.Int64).alias("nanopoints"),
        (pl.col("weight") % pl.lit(exact.of, pl.Int128)).alias("rest"),
    ).sort("player_id", "rest", descending=[False, True], maintain_order=True)
    whole = whole.join(
        changed.select("player_id", "change"), on="player_id", how="left", maintain_order="left"
    ).with_columns(
        (pl.col("change") - pl.col("nanopoints").sum().over("player_id")).alias("missing"),
        pl.int_range(pl.len(), dtype=pl.Int64).over("player_id").alias("place"),
        pl.len().over("player_id").alias("parts"),
    )
    if not whole["missing"].is_between(0, whole["parts"]).all():  # pragma: no cover
        raise AssertionError("the parts of a change do not come to it")
    more = (pl.col("place") < pl.col("missing")).cast(pl.Int64)
    return whole.with_columns(pl.col("nanopoints") + more).select(list(SCHEMA))


def negated(changed: pl.DataFrame, parts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The same from the last list to the first."""
    back = pl.lit(-1, pl.Int64)
    sides = (("a", "b"), ("b", "a"))
    ends = {
        f"{name}_{one}": f"{name}_{other}"
        for name in ("rank", "place", "nanopoints")
        for one, other in sides
    }
    swapped = changed.rename(ends).select(changed.columns)
    return (
        swapped.with_columns(pl.col("change") * back),
        parts.with_columns(pl.col("weight") * back, pl.col("nanopoints") * back),
    )


def overtaking_parts(changed: pl.DataFrame) -> pl.DataFrame:
    """A part for everybody whose points stayed and whose rank did not: how many passed them.

    Whoever has rank 4 is outranked by the first three lines of the list, and by nobody else.
    """
    same = changed.filter(
        ~pl.col("moved") & pl.col("rank_a").is_not_null() & pl.col("rank_b").is_not_null()
    ).sort("rank_a", "rank_b")
    movers = changed.filter(pl.col("moved"))
    below = changed.height + 1  # the line of whoever is on no list
    was, now = (
        np.searchsorted(
            same[f"rank_{side}"].to_numpy(),
            movers[f"place_{side}"].fill_null(below).to_numpy(),
            side="right",
        )
        for side in ("a", "b")
    )  # from which of the same on a mover outranks them
    passed, fell = _spans(now, was, same.height), _spans(was, now, same.height)
    kept = same.with_columns(pl.Series("passed", passed), pl.Series("fell", fell)).filter(
        pl.col("rank_a") != pl.col("rank_b")
    )
    return zero_parts(
        [
            (row["player_id"], "others moved", _counted(row["passed"], row["fell"]))
            for row in kept.select("player_id", "passed", "fell").iter_rows(named=True)
        ]
    )


def _spans(starts: np.ndarray, ends: np.ndarray, size: int) -> np.ndarray:
    """How many ranges from a start up to an end, if it lies behind, cover each place."""
    real = starts < ends
    edges = np.zeros(size + 1, dtype=np.int64)
    np.add.at(edges, starts[real], 1)
    np.add.at(edges, ends[real], -1)
    return np.cumsum(edges)[:size]


def _counted(passed: int, fell: int) -> str:
    """In words how many passed somebody and how many fell behind them."""
    said = [f"{passed} passed"] if passed else []
    return ", ".join([*said, *([f"{fell} fell behind"] if fell else [])])


def zero_parts(rows: Sequence[tuple[str, str, str]]) -> pl.DataFrame:
    """Parts that are worth nothing: player, cause and note."""
    given = [
        {"player_id": player, "cause": cause, "note": note, "weight": 0, "nanopoints": 0}
        for player, cause, note in rows
    ]
    return pl.DataFrame(given, SCHEMA)
