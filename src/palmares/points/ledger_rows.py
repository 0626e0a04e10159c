"""
Awards by player as plain numbers, so that a few of them can be taken out and made anew.

    Names       what the numbers stand for: players, stamps and events
    Stretch     the rows of some players, each player's together
    made        awards of some tournaments  ->  rows, and names with the new ones at the end
    stretch     rows in any order  ->  Stretch; where only the latest counts, in the order of time
    merged      a stretch over which a newer one was laid  ->  one stretch
    summed      what each player's rows are worth

A number, once given, stays: of an event that is made anew, the old number has no rows any more.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import polars as pl

from palmares import fold_rows
from palmares.awards import Awards, Question
from palmares.facts import Facts
from palmares.kernels import folds, sums
from palmares.kernels.rows import Array, Rows
from palmares.ledgers import STAMP

ROWS = pl.Schema(
    {
        "player": pl.UInt32(),
        "stamp": pl.UInt32(),
        "nanopoints": pl.Int64(),
        "event": pl.UInt32(),
        "grant": pl.UInt32(),  # its place among those of one event
    }
)
"""The numbers of every row; of a fold, what its formula takes follows."""

EVENTS = pl.Schema(
    {
        "tournament_id": pl.String(),
        "event_id": pl.String(),
        "end_date": pl.Date(),
        "start_date": pl.Date(),
        "sequence": pl.Int64(),
    }
)
MOMENT = ("end_date", "start_date", "sequence", "event_id")
"""Events in the order of time, as `palmares.awards.time_order` has it."""

COMPILED_FROM = 50_000_000
"""Rows from which loading Numba pays for a sum alone: NumPy adds up five million in 0.1 s."""
LOADED_FROM = 1_000_000
"""The same in a process that has Numba loaded."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Names:
    """What numbers stand for: row n is number n."""

    players: pl.DataFrame  # player_id
    stamps: pl.DataFrame  # the columns of `STAMP`
    events: pl.DataFrame  # `EVENTS`


NOBODY = Names(
    players=pl.DataFrame(schema={"player_id": pl.String()}),
    stamps=pl.DataFrame(schema=dict.fromkeys(STAMP, pl.String()) | {"effective": pl.Date()}),
    events=pl.DataFrame(schema=EVENTS),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stretch:
    """The rows of some players."""

    players: Array  # their numbers, ascending
    rows: pl.DataFrame  # by player
    arrays: Rows  # the same as sums take them; entry p is of players[p]
    reach: int  # no player's absolute nanopoints come to more

    def of(self, players: Array) -> pl.DataFrame:
        """The rows of those of some players who are here."""
        places = np.flatnonzero(np.isin(self.players, players, assume_unique=True))
        begin, end = self.arrays.begin[places], self.arrays.end[places]
        sizes = end - begin
        ends = np.cumsum(sizes)
        wanted = np.arange(sizes.sum()) + np.repeat(begin - (ends - sizes), sizes)
        return self.rows.select(pl.all().gather(wanted))

    def touched(self, events: Array) -> Array:
        """Whose rows are of some events, given a flag an event."""
        found = self.rows["player"].to_numpy()[events[self.rows["event"].to_numpy()]]
        return np.unique(found)


def is_fold(question: Question) -> bool:
    """Whether a player's points are made from those before."""
    return question.held().total == "latest"


def schema(question: Question) -> pl.Schema:
    """The columns of a question's rows."""
    if not is_fold(question):
        return ROWS
    takes = folds.taken(fold_rows.formula_of(question))
    return pl.Schema(ROWS | dict.fromkeys(takes, pl.Float64()))


# ── numbers ──────────────────────────────────────────────────────────────────────────────────────


def made(given: Awards, facts: Facts, names: Names) -> tuple[Names, pl.DataFrame]:
    """The awards of some tournaments as numbers.

    Args:
        given: their awards; of a fold, not folded.
        facts: of the same tournaments.
        names: the numbers that were given so far.
    """
    frame = given.frame
    players, player = _numbered(names.players, frame.select("player_id"))
    stamps, stamp = _numbered(names.stamps, frame.select(STAMP))
    days = pl.col("start_date").fill_null(pl.col("end_date"))
    events = (
        facts.tables["events"]
        .join(facts.tables["tournaments"], on="tournament_id", maintain_order="left")
        .select(days if name == "start_date" else pl.col(name) for name in EVENTS)
    )
    numbers = events.select("event_id").with_row_index("event", len(names.events))
    event = frame.select("event_id").join(
        numbers, on="event_id", how="left", maintain_order="left"
    )["event"]
    rows = frame.with_columns(
        player.alias("player"),
        stamp.alias("stamp"),
        event,
        pl.col("order").cast(pl.UInt32).alias("grant"),
    ).select(
        (pl.col(name) if name in frame.columns or name in ROWS else pl.lit(None, kind))
        .cast(kind)
        .alias(name)
        for name, kind in schema(given.question).items()
    )
    return Names(
        players=players, stamps=stamps, events=pl.concat([names.events, events], rechunk=True)
    ), rows


def _numbered(known: pl.DataFrame, wanted: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """The number of each row among those known; those not known yet are put at their end."""
    different = wanted.unique(maintain_order=True)
    columns = known.columns
    found = known.with_row_index("number").join(different, on=columns, how="semi")
    fresh = different.join(found, on=columns, how="anti", maintain_order="left")
    numbers = pl.concat([found, fresh.with_row_index("number", len(known))])
    of = wanted.join(numbers, on=columns, how="left", maintain_order="left")
    whole = pl.concat([known, fresh], rechunk=True) if fresh.height else known
    return whole, of["number"]


# ── by player ────────────────────────────────────────────────────────────────────────────────────


def stretch(question: Question, names: Names, players: Array, rows: pl.DataFrame) -> Stretch:
    """The rows of some players, by player; of a fold, in the order of time and folded.

    Raises:
        FactsRejected: a fold comes to no number.
    """
    if is_fold(question):
        return as_stretch(players, _folded(question, names, rows))
    return as_stretch(players, rows.sort("player", maintain_order=True))


def as_stretch(players: Array, rows: pl.DataFrame) -> Stretch:
    """Rows that stand by player already."""
    rows = rows.rechunk()
    of = rows["player"].to_numpy()
    arrays = Rows(
        np.searchsorted(of, players, "left"),
        np.searchsorted(of, players, "right"),
        rows["stamp"].to_numpy(),
        rows["nanopoints"].to_numpy(),
    )
    absolute = np.abs(arrays.nanopoints.astype(float))
    most = np.bincount(np.searchsorted(players, of), absolute, minlength=1).max()
    return Stretch(players=players, rows=rows, arrays=arrays, reach=sums.above(most))


def _folded(question: Question, names: Names, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows by player and in the order of time, with the points after each."""
    if rows.is_empty():
        return rows
    events = names.events.with_row_index("event")
    used = events.filter(pl.col("event").is_in(rows["event"].unique().to_list()))
    moments = used.sort(MOMENT, nulls_last=False).with_row_index("time")
    steps = rows.join(moments.select("event", "time"), on="event", maintain_order="left").select(
        pl.col("player").alias("player_id"),
        names.stamps["edition"].gather(rows["stamp"]).alias("edition"),
        *(
            column.cast(pl.Int64).alias(name)
            for name, column in zip(
                fold_rows.ORDER, (pl.lit(0), pl.col("time"), pl.col("grant")), strict=True
            )
        ),
        pl.exclude("player", "time", "nanopoints"),
    )
    found = fold_rows.folded(question, steps).rename({"player_id": "player"})
    return found.select(rows.columns)


def merged(below: Stretch, above: Stretch, players: Array) -> Stretch:
    """Two stretches as one; who is in the newer one, *above*, has no other rows.

    Args:
        below: a stretch.
        above: a newer one.
        players: the numbers of all of both.
    """
    kept = below.rows.filter(~pl.Series(np.isin(below.rows["player"].to_numpy(), above.players)))
    rows = pl.concat([kept, above.rows]).sort("player", maintain_order=True)
    return as_stretch(players, rows)


def summed(
    below: Stretch, above: Stretch, many: int, weights: Array, *, latest: bool
) -> Array:  # fmt: skip
    """What the rows of each of so many players are worth; see `palmares.kernels.sums.totals`."""
    reach = max(below.reach, above.reach)
    pays = LOADED_FROM if "numba" in sys.modules else COMPILED_FROM
    parts = [
        sums.totals(one.arrays, weights, latest=latest, reach=reach, compiled=len(one.rows) >= pays)
        for one in (below, above)
    ]
    found: Array = np.full(many, sums.absent(parts[0]), parts[0].dtype)
    found[below.players] = parts[0]
    found[above.players] = parts[1]
    return found
