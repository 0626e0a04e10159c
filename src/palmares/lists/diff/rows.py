"""
Differences as rows: one a part of a change.

    OF_A_CHANGE, OF_A_PART      the columns
    head        a change  ->  what is said of a player whatever the causes
    of_part     a part  ->  its columns
    flat        a change  ->  its rows, in nanopoints
    frame       changes  ->  all rows, in points
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

from palmares.lists.diff import Change, Part
from palmares.points.award_table import in_points

OF_A_CHANGE = ("rank_a", "rank_b", "player_id", "player", "points_a", "points_b", "change")
OF_A_PART = (
    *("cause", "tournament_id", "tournament", "event", "flight", "kind", "part"),
    *("note", "entry", "author", "recorded"),
)
IN_POINTS = ("points_a", "points_b", "change", "part")
WHOLE = ("rank_a", "rank_b", "entry")


def head(change: Change) -> dict[str, Any]:
    """What is said of a player whatever the causes."""
    return {
        "rank_a": change.rank_a,
        "rank_b": change.rank_b,
        "player_id": change.player_id,
        "player": change.player,
        "points_a": change.nanopoints_a if change.rank_a else None,
        "points_b": change.nanopoints_b if change.rank_b else None,
        "change": change.nanopoints,
    }


def of_part(part: Part) -> dict[str, Any]:
    """A part, and the last of the entries behind it."""
    last = part.said[-1] if part.said else None
    return {
        "cause": part.cause,
        "tournament_id": part.tournament_id,
        "tournament": part.tournament,
        "event": part.event,
        "flight": part.flight,
        "kind": part.kind,
        "part": part.nanopoints,
        "note": part.note,
        "entry": last.sequence if last else None,
        "author": last.author if last else None,
        "recorded": last.day if last else None,
    }


def flat(change: Change) -> Iterator[dict[str, Any]]:
    """One row a part."""
    for part in change.parts or (None,):
        yield head(change) | (of_part(part) if part else {})


def frame(changes: Iterable[Change]) -> pl.DataFrame:
    """One row a part of every change; points are floats."""
    schema: dict[str, Any] = dict.fromkeys((*OF_A_CHANGE, *OF_A_PART), pl.String)
    schema |= dict.fromkeys((*IN_POINTS, *WHOLE), pl.Int64)
    schema |= {"recorded": pl.Date}
    rows = [row for change in changes for row in flat(change)]
    found = pl.DataFrame(rows, schema=schema)
    return found.with_columns(in_points(found[name]).alias(name) for name in IN_POINTS)
