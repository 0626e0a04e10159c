"""
From one list to another: who is new on it, who is gone, whose rank, points or nation are others.

    ListStep    so many of each
    step    two lists  ->  ListStep
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True, kw_only=True)
class ListStep:
    """How many rows of a list differ from those of another."""

    new: int  # only on the later one
    gone: int  # only on the earlier one
    moved: int  # on both, with another rank
    revalued: int  # on both, with other points
    regrouped: int  # on both, with another nation; of nations, with another number of players

    def same(self) -> bool:
        """Whether nothing differs."""
        return not (self.new or self.gone or self.moved or self.revalued or self.regrouped)


def step(earlier: pl.DataFrame, later: pl.DataFrame) -> ListStep:
    """How one list became another.

    Args:
        earlier: rank, nanopoints, and player_id with nation or nation with players.
        later: the same of the other list.
    """
    by_player = "player_id" in earlier.columns
    key, group = ("player_id", "nation") if by_player else ("nation", "players")
    one, other = (each.select(key, "rank", "nanopoints", group) for each in (earlier, later))
    both = one.join(other, on=key, how="inner", nulls_equal=True)
    return ListStep(
        new=len(other) - len(both),
        gone=len(one) - len(both),
        moved=len(both.filter(pl.col("rank") != pl.col("rank_right"))),
        revalued=len(both.filter(pl.col("nanopoints") != pl.col("nanopoints_right"))),
        regrouped=len(both.filter(pl.col(group).ne_missing(pl.col(f"{group}_right")))),
    )
