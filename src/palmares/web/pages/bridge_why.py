"""
How a bridge team's total came about, and the boards of a match.

    team_why        an event, its list and a team  ->  TeamWhy
    match_boards    a match  ->  MatchBoards
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from palmares.errors import Refused
from palmares.facts import Facts
from palmares.imps import board_imps
from palmares.standings import Standings, vp_text
from palmares.team_explanations import added_up, explained, headed
from palmares.team_results import Desk
from palmares.web.messages import said
from palmares.web.pages.tie_words import team_words
from palmares.web.pages.working import WorkedLine, worked


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamPart:
    """One match, bye or column of a total."""

    what: str  # "round 2, against Beta, 16 boards"
    points: str  # VPs
    lines: tuple[WorkedLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamWhy:
    """How a team's total came about, part by part."""

    team: str
    name: str
    points: str
    head: str  # its rank, and what parted it from teams with as many VPs
    summary: str  # the total as a sum of its parts: "12.03 + 7.97 − 1.00 = 19.00"
    parts: tuple[TeamPart, ...]
    total: tuple[WorkedLine, ...]
    editions: tuple[str, ...]  # with the hashes of their sheets


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """A board: points at both tables, seen from North-South of the home team."""

    board: int
    home_points: int
    away_points: int | None  # none: home_points is the difference already
    home_imps: int
    away_imps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchBoards:
    """A match, board by board."""

    match_id: str
    home: str
    away: str
    rows: tuple[BoardRow, ...]
    home_imps: int
    away_imps: int


def team_why(held: Desk, made: Standings, team: str) -> TeamWhy:
    """How the total of a team came about.

    Raises:
        Refused: there is no such team; says which there are.
    """
    why = explained(held, made, team)
    told: set[str] = set()
    return TeamWhy(
        team=why.standing.team,
        name=why.standing.name,
        points=vp_text(why.standing.points),
        head=headed(why, team_words(why.standing.team, made.ties)),
        summary=added_up(why),
        parts=tuple(
            TeamPart(what=part.what, points=vp_text(part.vp), lines=worked(part.lines, told))
            for part in why.parts
        ),
        total=worked(why.total, told),
        editions=why.editions,
    )


def match_boards(facts: Facts, held: Desk, match: str) -> MatchBoards:
    """A match, board by board.

    Raises:
        Refused: the event has no such match, or nobody said what its boards were.
    """
    row = next((one for one in held.rows if one["match_id"] == match), None)
    boards = facts["boards"].filter(pl.col("match_id") == match).sort("board")
    if row is None or boards.is_empty():
        raise Refused(
            said(
                "%(event)s has no boards of a match %(match)s.", event=held.event, match=match[:40]
            )
        )
    rows = []
    for one in boards.iter_rows(named=True):
        home, away = board_imps(one["home_points"], one["away_points"] or 0)
        rows.append(
            BoardRow(
                board=one["board"],
                home_points=one["home_points"],
                away_points=one["away_points"],
                home_imps=home,
                away_imps=away,
            )
        )
    return MatchBoards(
        match_id=match,
        home=held.entries[row["home"]].name,
        away=held.entries[row["away"]].name,
        rows=tuple(rows),
        home_imps=sum(one.home_imps for one in rows),
        away_imps=sum(one.away_imps for one in rows),
    )
