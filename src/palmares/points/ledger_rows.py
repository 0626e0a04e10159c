"""
Awards by player as plain numbers, so that a few of them can be replaced.

A number never changes: an event that is awarded again gets a new one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from palmares.facts import Facts
from palmares.points import ratings
from palmares.points.award_table import row_numbers
from palmares.points.awards import Awards, Question
from palmares.points.kernels.sums import Array
from palmares.points.ledger import AWARD_CLASS, PlayerRows, player_rows

ROWS = pl.Schema(
    {
        "player": pl.UInt32(),
        "award_class": pl.UInt32(),
        "nanopoints": pl.Int64(),
        "event": pl.UInt32(),
        "grant": pl.UInt32(),  # its place among those of one event
        "place": pl.UInt32(),  # of the player in the flight; 0: they were not placed
        "tied": pl.UInt32(),  # who share the place, with them; 0: they were not placed
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
        "event_name": pl.String(),
        "tournament_name": pl.String(),
    }
)
CLASS_COLUMNS = (*AWARD_CLASS, "flight")
"""What rows of one class have in common."""
MOMENT = ("end_date", "start_date", "sequence", "event_id")
"""Events in the order of time, as `palmares.points.awards.time_order` has it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Names:
    """What numbers stand for: row n is number n."""

    players: pl.DataFrame  # player_id
    award_classes: pl.DataFrame  # the columns of `CLASS_COLUMNS`
    events: pl.DataFrame  # `EVENTS`


NOBODY = Names(
    players=pl.DataFrame(schema={"player_id": pl.String()}),
    award_classes=pl.DataFrame(
        schema=dict.fromkeys(CLASS_COLUMNS, pl.String())
        | {"effective": pl.Date(), "division": pl.Int64()}
    ),
    events=pl.DataFrame(schema=EVENTS),
)


def row_schema(question: Question) -> pl.Schema:
    """The columns of a question's rows."""
    step = question.aggregate.step
    return pl.Schema(
        ROWS | dict.fromkeys(ratings.fold_parameters(step) if step else (), pl.Float64())
    )


# ── numbers ──────────────────────────────────────────────────────────────────────────────────────


def number_awards(given: Awards, facts: Facts, names: Names) -> tuple[Names, pl.DataFrame]:
    """The awards of some tournaments as numbers.

    Args:
        given: their awards; of a fold, not folded.
        facts: of the same tournaments.
        names: the numbers that were given so far.
    """
    frame = given.frame
    players, player = _numbered(names.players, frame.select("player_id"))
    award_classes, award_class = _numbered(names.award_classes, frame.select(CLASS_COLUMNS))
    tournaments = facts.tables["tournaments"].select(
        "tournament_id",
        "end_date",
        pl.col("start_date").fill_null(pl.col("end_date")),
        tournament_name="name",
    )
    events = (
        facts.tables["events"]
        .with_columns(event_name="name")
        .join(tournaments, on="tournament_id", maintain_order="left")
        .select(*EVENTS)
    )
    numbers = events.select("event_id").with_row_index("event", len(names.events))
    event = frame.select("event_id").join(
        numbers, on="event_id", how="left", maintain_order="left"
    )["event"]
    rows = frame.with_columns(
        player.alias("player"),
        award_class.alias("award_class"),
        event,
        pl.col("order").cast(pl.UInt32).alias("grant"),
        *_places(frame, facts),
    ).select(
        (pl.col(name) if name in frame.columns or name in ROWS else pl.lit(None, kind))
        .cast(kind)
        .alias(name)
        for name, kind in row_schema(given.question).items()
    )
    return Names(
        players=players,
        award_classes=award_classes,
        events=pl.concat([names.events, events], rechunk=True),
    ), rows


def _places(frame: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    """The place in its flight of each award's player, and how many share it; 0: no place."""
    key = ("event_id", "flight", "player_id")
    sharing = pl.len().over("event_id", "flight", "rank")
    placings = (
        facts.tables["placings"]
        .with_columns(pl.col("flight").fill_null("main"))
        .select(*key, pl.coalesce("tied", sharing), place="rank")
    )
    players = frame.select(key)
    rows = players.join(placings, on=key, how="left", maintain_order="left")
    if rows.height > players.height:  # two people who were placed there were said to be one
        placings = placings.sort("place").unique(key, keep="first")
        rows = players.join(placings, on=key, how="left", maintain_order="left")
    return rows.select(pl.col("place", "tied").fill_null(0))  # NumPy would copy nulls


def _numbered(numbered: pl.DataFrame, wanted: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """All different rows, new ones last, and the number of each wanted row among them."""
    wanted, on = wanted.select(numbered.columns), numbered.columns
    there = numbered.join(wanted, on=on, how="semi")  # those known may be many times as many
    new = wanted.unique(maintain_order=True).join(there, on=on, how="anti", maintain_order="left")
    every = pl.concat([numbered, new], rechunk=True) if new.height else numbered
    return every, row_numbers(wanted, every)


# ── by player ────────────────────────────────────────────────────────────────────────────────────


def rows_of_players(
    question: Question, names: Names, players: Array, rows: pl.DataFrame
) -> PlayerRows:
    """The rows of some players, by player; of a fold, in the order of time and folded.

    Raises:
        FactsRejected: a fold comes to no number.
    """
    if question.aggregate.latest and not rows.is_empty():
        return player_rows(players, _folded(question, names, rows))
    return player_rows(players, rows.sort("player", maintain_order=True))


def in_time(names: Names, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows in the order in which all awards are made, with ``time``: their event's place in it."""
    used = rows["event"].unique()
    moments = names.events[used].with_columns(used).sort(MOMENT, nulls_last=False)
    times = moments.with_row_index("time").select("event", "time")
    return rows.join(times, on="event", maintain_order="left").sort("time", "grant")


def _folded(question: Question, names: Names, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows by player and in the order of time, folded if the regulation folds."""
    timed = in_time(names, rows)
    if question.aggregate.step is None:
        return timed.sort("player", maintain_order=True).select(rows.columns)
    steps = timed.select(
        pl.col("player").alias("player_id"),
        names.award_classes["edition"].gather(timed["award_class"]).alias("edition"),
        *(
            column.cast(pl.Int64).alias(name)
            for name, column in zip(
                ratings.ORDER, (pl.lit(0), pl.col("time"), pl.col("grant")), strict=True
            )
        ),
        pl.exclude("player", "time", "nanopoints"),
    )
    folded = ratings.folded(question, steps).rename({"player_id": "player"})
    return folded.select(rows.columns)


def overlaid(below: PlayerRows, above: PlayerRows, players: Array) -> PlayerRows:
    """Rows with those of some players replaced by newer ones.

    Args:
        below: rows of some players.
        above: newer ones.
        players: the numbers of all of both.
    """
    replaced = np.isin(below.frame["player"].to_numpy(), above.players)
    unchanged = below.frame.filter(~pl.Series(replaced))
    rows = pl.concat([unchanged, above.frame]).sort("player", maintain_order=True)
    return player_rows(players, rows)
