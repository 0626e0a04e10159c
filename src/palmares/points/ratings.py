"""
The rows of a fold on their way: made tournament by tournament, folded player by player.

    ORDER       the columns that keep rows in the order of time
    steps       the awards of a shard before the fold  ->  what the fold takes of every row
    folded      all steps of some players  ->  the same with points, before and after
    finished    the same for rows with terms: ``before`` and ``change`` as terms of their own
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.core.messages import hint
from palmares.core.rounding import GREATEST, UNCOUNTABLE
from palmares.points.award_table import CHANGE, in_points
from palmares.points.awards import Awards, Question
from palmares.points.kernels import folds
from palmares.points.kernels.formulas import BEFORE

ORDER = ("shard_number", "grant_number", "row_number")
"""The shard, the grant in it and the row of that: together, a place in the order of time."""

_NEEDED = ("player_id", "nation", "setting", "kind", "effective", "edition")


def formula_of(question: Question) -> Callable[..., Any]:
    """The formula that a regulation folds with.

    Raises:
        Refused: its module does not name it.
    """
    formula = question.aggregate.step
    if formula is None:
        raise Refused(
            hint(
                "use-no-engine",
                "%(regulation)s does not name the formula of its fold, so that a player's events"
                " cannot be gathered first: use no engine.",
                regulation=question.regulation,
            )
        )
    return formula


def ordered(frame: pl.DataFrame, shard: int) -> pl.DataFrame:
    """Awards of a shard with the columns of `ORDER`, in the place of ``order``."""
    return frame.with_columns(
        pl.lit(shard, pl.Int64).alias(ORDER[0]),
        pl.col("order").alias(ORDER[1]),
        pl.int_range(pl.len(), dtype=pl.Int64).alias(ORDER[2]),
    ).drop("order")


def schema(question: Question) -> pl.Schema:
    """The columns that `steps` gives."""
    kinds: dict[str, Any] = dict.fromkeys(_NEEDED, pl.String()) | {"effective": pl.Date()}
    kinds |= dict.fromkeys(ORDER, pl.Int64())
    return pl.Schema(kinds | dict.fromkeys(folds.taken(formula_of(question)), pl.Float64()))


def steps(given: Awards, shard: int) -> pl.DataFrame:
    """What a fold takes of every row of a shard, and what a list has to know of it."""
    frame = ordered(given.frame, shard)
    return frame.select(
        (pl.col(name) if name in frame.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in schema(given.question).items()  # a shard without rows has no terms
    )


def folded(question: Question, rows: pl.DataFrame) -> pl.DataFrame:
    """Every row with ``nanopoints`` after it and ``before`` it, by player and in order of time.

    Raises:
        FactsRejected: a player's points come to no number, or to too great a one.
    """
    formula = formula_of(question)
    rows = rows.sort("player_id", *ORDER)
    player = rows["player_id"].rle_id().to_numpy().astype(np.int64)
    editions = {rules.edition.id: rules for rules in question.rulebook().all}
    number = {name: place for place, name in enumerate(editions)}
    edition = rows["edition"].replace_strict(number, return_dtype=pl.Int64).to_numpy()
    opening = question.aggregate.opening
    openings = np.array([float(opening(one)) if opening else 0.0 for one in editions.values()])
    first = np.flatnonzero(np.diff(player, prepend=-1))
    found = folds.folded(
        formula,
        [rules.constants for rules in editions.values()],
        edition,
        openings[edition[first]],
        player,
        {name: rows[name].cast(pl.Float64).to_numpy() for name in folds.taken(formula)},
    )
    _refuse_uncountable(question, rows, found.after)
    return rows.with_columns(pl.Series("nanopoints", found.after), pl.Series(BEFORE, found.before))


def _refuse_uncountable(question: Question, rows: pl.DataFrame, nanopoints: Any) -> None:
    lost = rows.filter(pl.Series(nanopoints == UNCOUNTABLE))
    if lost.height:
        raise FactsRejected(
            Problem(
                at=Location(player),
                what=f"the {kind} points of {player} come to no number below {GREATEST:,}",
                clause=question.regulation,
                remedy="Look for a number far too large in the reports of their tournaments.",
            )
            for player, kind in lost.select("player_id", "kind").unique().sort(pl.all()).iter_rows()
        )


def finished(question: Question, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with their terms, folded; a fold's own terms come after all others."""
    found = folded(question, rows)
    before, after = found[BEFORE], found["nanopoints"]
    return found.drop(BEFORE).with_columns(
        in_points(before).alias(BEFORE), in_points(after - before).alias(CHANGE)
    )
