"""
Master points side by side: live and online, match and placement, their sum, and the level reached.

The texts keep four statistics apart and add them only for an aggregate; competitive
races run over a window of days, personal recognition levels over a lifetime.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import polars as pl
from msgspec.structs import replace

from palmares.core.errors import Refused
from palmares.core.messages import hint
from palmares.core.rounding import NANO, TIE, to_nanopoints
from palmares.points.award_table import in_points
from palmares.points.awards import Awards, Question
from palmares.points.kernels import sums
from palmares.points.rankings import RankedList, Selection, entering
from palmares.regulations import regulations

LIFETIME = "lifetime"


def separate_totals(question: Question) -> dict[str, tuple[str, str]]:
    """The totals kept apart, by name, each of one setting and kind of points."""
    regulation = question.get_regulation()
    return {
        f"{setting}_{kind}": (setting, kind)
        for setting in regulation.settings
        for kind in regulation.kinds
    }


def keys(question: Question) -> tuple[str, ...]:
    """The columns of totals, in order."""
    return ("rank", "player_id", "player", "nation", *separate_totals(question), "total", "level")


def totals_schema(question: Question) -> pl.Schema:
    """The columns of `points_by_player`."""
    sums = dict.fromkeys((*separate_totals(question), "total", LIFETIME), pl.Int64())
    return pl.Schema({"player_id": pl.String(), **sums})


class MasterPoints(RankedList, frozen=True, kw_only=True):
    """One row a player, by total; the columns of `keys`, points as nanopoints (Int64)."""

    def published(self) -> pl.DataFrame:
        """The rows with points as floats."""
        points = [*separate_totals(self.question), "total"]
        return self.frame.with_columns(
            pl.col(points).map_batches(in_points, return_dtype=pl.Float64)
        )


def rank_master_points(
    awards: Awards, selection: Selection, levels: Mapping[str, Any] | None = None
) -> MasterPoints:
    """The separate totals of every player, their sum, and the level of their lifetime points.

    Args:
        awards: of a regulation that keeps settings apart.
        selection: the day, and the window of a race if there is one.
        levels: thresholds by level, as `palmares.regulations.levels.read_levels` reads them.

    Raises:
        Refused: the awards are of a regulation that keeps no such totals.
    """
    refuse_others(awards.question)
    people = awards.frame.group_by("player_id").agg(
        pl.col("player").first(), pl.col("nation_now").first()
    )
    added_up = points_by_player(awards, selection).join(people, on="player_id", how="left")
    ranked = rank_players(awards.question, selection, added_up, levels)
    waiting = entering(awards.question, selection, awards.waiting)
    return replace(ranked, notices=awards.notices, waiting=waiting)


def refuse_others(question: Question) -> None:
    """Refuse a regulation that keeps no such totals."""
    if not question.get_regulation().settings:
        able = ", ".join(
            regulation.name for regulation in regulations().values() if regulation.settings
        )
        raise Refused(
            hint(
                "rank-instead",
                "%(regulation)s keeps no separate totals; %(able)s does. Ask for its ranking.",
                regulation=question.regulation,
                able=able,
            )
        )


def points_by_player(awards: Awards, selection: Selection) -> pl.DataFrame:
    """Every player's totals in nanopoints, also of a lifetime: the columns of `totals_schema`.

    A player without a selected award has a lifetime all the same: other shards may have more.
    """
    points, within = pl.col("nanopoints"), selection.counts()
    own = [
        points.filter((pl.col("setting") == setting) & (pl.col("kind") == kind) & within)
        .sum()
        .alias(name)
        for name, (setting, kind) in separate_totals(awards.question).items()
    ]
    lifetime = replace(selection, since=None, until=None).apply(awards.frame)
    return lifetime.group_by("player_id").agg(
        *own,
        points.filter(within).sum().alias("total"),
        points.sum().alias(LIFETIME),
    )


def added_up(rows: pl.DataFrame) -> pl.DataFrame:
    """Parts of the same player as one."""
    return rows.group_by("player_id").agg(pl.exclude("player_id").sum())


def rank_players(
    question: Question,
    selection: Selection,
    rows: pl.DataFrame,
    levels: Mapping[str, Any] | None = None,
) -> MasterPoints:
    """The list that parts add up to, given each player's ``player`` and ``nation_now``."""
    frame = (
        rows.filter(pl.col("total") > 0)
        .with_columns(pl.col("nation_now").alias("nation"))
        .sort(["total", "player", "player_id"], descending=[True, False, False])
    )
    reach = question.get_regulation().level
    level = [
        reach(levels, Fraction(reached, NANO)) if levels and reach else None
        for reached in frame[LIFETIME]
    ]
    return MasterPoints(
        question=question,
        selection=selection,
        frame=frame.with_columns(
            pl.Series("rank", sums.ranks(frame["total"].to_numpy(), 1), dtype=pl.Int64),
            pl.Series("level", level, dtype=pl.String),
        ).select(keys(question)),
    )


# ── recognition ───────────────────────────────────────────────────────────────────────────────────


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
