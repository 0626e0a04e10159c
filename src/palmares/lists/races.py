"""Races: the ranking of a regulation by the results of a window, and what changed in a week."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import polars as pl

from palmares.journal.projection.project import State
from palmares.journal.store.entries import Race
from palmares.points.rankings import TOTAL, Selection
from palmares.regulations import get_regulation

WEEK = timedelta(days=7)


def race_selection(race: Race, day: date) -> Selection:
    """Which awards a race counts as of a day; after its last day that is the final.

    A result counts on the day on which its points do, so of an event that crosses the end of the
    window the matches inside count.
    """
    kinds = set(race.kinds)
    is_single_kind = len(kinds) == 1 < len(get_regulation(race.regulation).kinds)
    return Selection(
        as_of=min(day, race.until or day),
        since=race.since,
        until=race.until,
        setting=race.setting,
        kind=kinds.pop() if is_single_kind else TOTAL,
        divisions=tuple(sorted(race.divisions)),
    )


def standings(race: Race, day: date, rank: Callable[[Selection], pl.DataFrame]) -> pl.DataFrame:
    """The standings of a race, and what changed in the week before.

    Args:
        race: which race.
        day: as of which day.
        rank: the frame of a ranking.

    Returns:
        The frame of the ranking; ``rank_before`` (null: not on it a week ago) and ``gained``, the
        nanopoints since.
    """
    now = rank(race_selection(race, day))
    before = rank(race_selection(race, min(day, race.until or day) - WEEK)).select(
        "player_id", rank_before="rank", nanopoints_before="nanopoints"
    )
    return now.join(before, on="player_id", how="left", maintain_order="left").with_columns(
        gained=pl.col("nanopoints") - pl.col("nanopoints_before").fill_null(0)
    )


def published_standings(state: State, race: Race) -> list[tuple[int, date]]:
    """The official lists of a race, the latest day first: the entry of each, and its day."""
    wanted = race_selection(race, date.max)
    return sorted(
        (
            (statement.sequence, statement.body.selection.as_of)
            for _, statement in state.all_in_force("publications")
            if statement.body.regulation == race.regulation
            and not (statement.body.edition or statement.body.readings.chosen)
            and statement.body.selection.by == "player"
            and all(
                getattr(statement.body.selection, name) == getattr(wanted, name)
                for name in ("since", "until", "setting", "kind", "nation", "divisions")
            )
        ),
        key=lambda published: published[1],
        reverse=True,
    )
