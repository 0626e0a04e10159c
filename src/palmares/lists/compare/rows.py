"""The rows of a comparison: each player's ranks and points on both lists, and why they differ."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from palmares.core.rounding import NANO, points_text
from palmares.facts import Facts
from palmares.formats.printed_lists import PrintedList, PrintedPoints, PrintedRow
from palmares.lists.compare.causes import (
    CAUSES,
    FOLLOWS,
    HARMLESS,
    Cause,
    PlayerAward,
    awards_of,
    cause_of,
)
from palmares.lists.compare.matching import Match
from palmares.lists.compare.our_list import MAX_PLACES, OurList
from palmares.points import inputs
from palmares.points.awards import Awards
from palmares.points.rankings import Selection

STATUSES = {
    "same": "rank and points are ours",
    "differs": "rank or points are not ours",
    "only theirs": "not on our list",
    "only ours": "not on theirs",
    "unclear": "it may be several of our players",
}
"""The statuses of players."""

KEYS = (
    *("status", "player_id", "player", "nation", "line", "their_rank", "our_rank"),
    *("their_points", "our_points", "difference", "cause", "detail"),
)
IN_POINTS = ("their_points", "our_points", "difference")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A player of either list."""

    status: str  #: one of ``STATUSES``
    player: str
    line: int | None = None  #: of their file
    player_id: str | None = None
    nation: str | None = None
    their_rank: int | None = None
    our_rank: int | None = None
    theirs: PrintedPoints | None = None
    ours: int | None = None  #: nanopoints
    cause: str = ""  #: one of ``palmares.lists.compare.causes.CAUSES``
    detail: str = ""

    @property
    def difference(self) -> int | None:
        """Their points minus ours, in nanopoints."""
        if self.theirs is None or self.ours is None:
            return None
        return self.theirs.nanopoints - self.ours

    @property
    def matters(self) -> bool:
        """Whether it is a difference; their list may end before ours."""
        return self.status != "same" and self.cause != HARMLESS

    @property
    def is_listed(self) -> bool:
        """Whether it is a difference that does not follow from others."""
        return self.matters and self.cause != FOLLOWS


def row_values(row: Row) -> dict[str, Any]:
    """The columns of a row, points in nanopoints."""
    return {
        "status": row.status,
        "player_id": row.player_id,
        "player": row.player,
        "nation": row.nation,
        "line": row.line,
        "their_rank": row.their_rank,
        "our_rank": row.our_rank,
        "their_points": row.theirs.nanopoints if row.theirs else None,
        "our_points": row.ours,
        "difference": row.difference,
        "cause": row.cause,
        "detail": row.detail,
    }


def rows_frame(rows: Iterable[Row]) -> pl.DataFrame:
    """Rows as a table; points are floats."""
    schema: dict[str, Any] = dict.fromkeys(KEYS, pl.String)
    schema |= dict.fromkeys(("line", "their_rank", "our_rank"), pl.Int64)
    schema |= dict.fromkeys(IN_POINTS, pl.Float64)
    values = [
        row | {name: None if row[name] is None else row[name] / NANO for name in IN_POINTS}
        for row in map(row_values, rows)
    ]
    return pl.DataFrame(values, schema=schema)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """What rows are made from."""

    pairs: Sequence[tuple[PrintedRow, Match]]
    ours: OurList
    our_rows: Mapping[str, Mapping[str, Any]]  # of our list, by player
    awards: Mapping[str, Sequence[PlayerAward]]  # of players whose lines differ
    people: Mapping[str, inputs.Person]
    theirs: Sequence[int]  # nanopoints on their list, ascending


def side_by_side(
    printed: PrintedList,
    matches: Sequence[Match],
    facts: Facts,
    awards: Awards,
    selection: Selection,
    ours: OurList,
) -> Sides:
    """Collect what rows are made from."""
    pairs = list(zip(printed.rows, matches, strict=True))
    differ = [
        match.player_id
        for row, match in pairs
        if match.player_id and not ours.fits(match.player_id, row)
    ]
    return Sides(
        pairs=pairs,
        ours=ours,
        our_rows={row["player_id"]: row for row in ours.frame.iter_rows(named=True)},
        awards=awards_of(awards, facts, selection, ours, differ),
        people=inputs.people(facts),
        theirs=sorted(row.points.nanopoints for row in printed.rows),
    )


# ── their lines ──────────────────────────────────────────────────────────────────────────────────


def rows(side: Sides) -> Iterator[Row]:
    """The rows of their lines in order, then of the players only on our list."""
    on_theirs: set[str | None] = set()
    for row, match in side.pairs:
        on_theirs.update((match.player_id, *match.several))
        if match.player_id is None:
            yield _unknown(side, row, match)
        else:
            yield _known(side, row, match.player_id)
    for player, mine in side.our_rows.items():
        if player not in on_theirs:
            yield _only_ours(side, player, mine)


def _known(side: Sides, row: PrintedRow, player: str) -> Row:
    """The row of a line with a known player."""
    mine = side.our_rows.get(player)
    cause: Cause | None = None
    if not side.ours.fits(player, row):
        cause = cause_of(side.ours, side.awards[player], player, row)
    elif mine and row.rank and row.rank != mine["rank"]:
        cause = _rank(side, row, row.rank)
    person = side.people[player]
    return Row(
        status="only theirs" if mine is None else "differs" if cause else "same",
        player=person.name,
        line=row.line,
        player_id=player,
        nation=person.nation,
        their_rank=row.rank,
        our_rank=mine["rank"] if mine else None,
        theirs=row.points,
        ours=mine["nanopoints"] if mine else None,
        cause=cause.key if cause else "",
        detail=cause.detail if cause else "",
    )


def _rank(side: Sides, row: PrintedRow, rank: int) -> Cause:
    """Why only the rank differs: equal points on their own list have these places."""
    points = row.points.nanopoints
    above = len(side.theirs) - bisect_right(side.theirs, points)
    shared_by = len(side.theirs) - above - bisect_left(side.theirs, points)
    dense = len(set(side.theirs[bisect_right(side.theirs, points) :])) + 1
    if rank == above + 1:
        return Cause(FOLLOWS, CAUSES[FOLLOWS])
    if dense <= rank <= above + shared_by:
        return Cause(
            "ties counted otherwise",
            f"players with equal points share the best place: {above + 1} for the {shared_by} with"
            " these points on their list",
        )
    return Cause("rank alone", CAUSES["rank alone"])


def _unknown(side: Sides, row: PrintedRow, match: Match) -> Row:
    """The row of a line without a known player."""
    if match.several:
        key, status, detail = "unclear player", "unclear", _several(side, row, match)
    else:
        key, status = "unknown player", "only theirs"
        detail = "we have no player with this name"
    return Row(
        status=status,
        player=row.name,
        line=row.line,
        nation=row.nation,
        their_rank=row.rank,
        theirs=row.points,
        cause=key,
        detail=detail,
    )


def _several(side: Sides, row: PrintedRow, match: Match) -> str:
    """Which of our players it may be, or which other lines are theirs."""
    players = " or ".join(_described(side, player, row) for player in match.several)
    if match.lines:
        which = f"line{'s' * (len(match.lines) > 1)} {', '.join(map(str, match.lines))}"
        return f"this is {players}, and so is {which}"
    return f"this may be {players}: give the id"


def _described(side: Sides, player: str, row: PrintedRow) -> str:
    """One of our players in words: name, id, points."""
    person = side.people[player]
    name = f"{person.name} ({person.nation})" if person.nation else person.name
    mine = side.our_rows.get(player)
    if mine is None:
        return f"{name} [{player}], not on our list"
    points = points_text(mine["nanopoints"], min(MAX_PLACES, side.ours.places))
    as_theirs = ", as they print" * side.ours.fits(player, row)
    return f"{name} [{player}] with {points}{as_theirs}"


def _only_ours(side: Sides, player: str, mine: Mapping[str, Any]) -> Row:
    """The row of a player only on our list."""
    harmless = mine["nanopoints"] < side.theirs[0]
    return Row(
        status="only ours",
        player=mine["player"],
        player_id=player,
        nation=mine["nation"],
        our_rank=mine["rank"],
        ours=mine["nanopoints"],
        cause=HARMLESS if harmless else "not on their list",
    )
