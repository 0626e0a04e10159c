"""Personal recognition: who reached which level on which day, and through which award."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import polars as pl

from palmares.core.rounding import TIE, to_nanopoints

COLUMNS = ("player_id", "level", "effective", "event_id", "kind", "lifetime")


def levels_reached(awards: pl.DataFrame, thresholds: Mapping[str, Fraction]) -> pl.DataFrame:
    """The award by which each player reached each level.

    Lifetime points are all of a player's (usbgf, recognition, reading U30); a threshold is reached
    from a millionth of a point below it (reading U17).

    Args:
        awards: player_id, event_id, kind, effective and nanopoints, in the order of time.
        thresholds: lifetime points by level.

    Returns:
        The columns of `COLUMNS`, the latest first; ``lifetime`` in nanopoints, with that award.
    """
    running = awards.with_columns(
        pl.col("nanopoints").cum_sum().over("player_id").alias("lifetime")
    )
    reached = [
        running.filter(pl.col("lifetime") >= to_nanopoints(points) - TIE)
        .unique("player_id", keep="first", maintain_order=True)
        .with_columns(pl.lit(level).alias("level"))
        .select(COLUMNS)
        for level, points in thresholds.items()
    ]
    return pl.concat(reached).sort(
        "effective", "lifetime", "player_id", descending=[True, True, False]
    )
