"""International Matchpoints (IMPs) of a difference in points, of a board, and of matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from operator import index
from typing import TYPE_CHECKING, SupportsIndex

from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.regulations import wbf_imps
from palmares.regulations.editions import Rules, rulebook

if TYPE_CHECKING:  # polars, which one conversion does not need
    from palmares.facts import Facts

MOST_POINTS = 1_000_000_000

Board = SupportsIndex | tuple[SupportsIndex, SupportsIndex]
"""A board's result: the difference in points, or the two scores (home's, away's)."""


def imps(points: SupportsIndex) -> int:
    """The IMPs of a difference in points; negative where the difference is.

    Args:
        points: our score less theirs on one board, both seen from the same direction.

    Raises:
        Refused: no two scores differ by so much (reading I1).
    """
    side, other = board_imps(points)
    return side - other


def match_imps(board_scores: Iterable[Board]) -> tuple[int, int]:
    """Both sides' IMPs of a match of teams, from the results of its boards.

    Args:
        board_scores: one entry a board: the difference in points, positive where home did better;
            or the two scores (home's, away's) of the same direction, each at its own table.

    Returns:
        The IMPs of home and of away, each the sum of the boards it won (reading I2).

    Raises:
        Refused: an entry that two scores cannot make; says which board, counted from 1.
    """
    home = away = 0
    for number, entry in enumerate(board_scores, start=1):
        try:
            won, lost = board_imps(*entry) if isinstance(entry, tuple) else board_imps(entry)
        except Refused as refused:
            raise Refused(f"Board {number}: {refused}") from None
        home += won
        away += lost
    return home, away


def board_imps(home: SupportsIndex, away: SupportsIndex = 0) -> tuple[int, int]:
    """Both sides' IMPs of one board, from their scores of the same direction.

    Raises:
        Refused: one of them is no score.
    """
    newest = edition()
    difference = _score(home, newest) - _score(away, newest)
    return wbf_imps.match(newest.tables["scale"], [difference])


@cache
def edition() -> Rules:
    """The newest edition, in exact numbers; its scale serves matches of any day (reading I3)."""
    return rulebook("wbf-imps", wbf_imps.Constants, number=Fraction).all[-1]


def _score(points: SupportsIndex, rules: Rules) -> int:
    """A score, or a difference of two, as a whole number."""
    try:
        number = index(points)
    except TypeError:
        number = MOST_POINTS + 1
    if abs(number) > MOST_POINTS:
        raise Refused(f"A score is a whole number of points, not {brief(points)} [wbf-imps scale].")
    if not wbf_imps.is_of_two_scores(rules.constants, number):
        raise Refused(
            f"No score is {number} points: every one is a multiple of "
            f"{rules.constants.points_step} [wbf-imps scale, reading I1]. Look at the score again."
        )
    return number


Sums = dict[str, dict[str, int]]


def imps_of_matches(facts: Facts) -> Sums:
    """Both sides' IMPs by match, of the matches that have board results.

    Raises:
        FactsRejected: a score that no board gives, or IMPs beside board results that say
            otherwise; with every place.
    """
    imps_by_match: Sums = {}
    problems: list[Problem] = []
    if facts["boards"].is_empty():
        return imps_by_match
    for row in facts["boards"].iter_rows(named=True):
        try:
            home, away = board_imps(row["home_points"], row["away_points"] or 0)
        except Refused as refused:
            what = f"board {row['board']}: {refused}"
            problems.append(_problem(row["_file"], row["_line"], what))
            continue
        sums = imps_by_match.setdefault(row["match_id"], {"home_imps": 0, "away_imps": 0})
        sums["home_imps"] += home
        sums["away_imps"] += away
    if not problems:
        problems += _contradictions(facts, imps_by_match)
    if problems:
        raise FactsRejected(problems)
    return imps_by_match


def _problem(file: str, line: int, what: str) -> Problem:
    return Problem(
        at=Location(file, line),
        what=what,
        clause="wbf-imps scale",
        remedy="Correct the score, or enter the match by its IMPs.",
    )


def _contradictions(facts: Facts, imps_by_match: Sums) -> Iterator[Problem]:
    """The matches whose own IMPs are not those of their boards."""
    for row in facts["team_matches"].iter_rows(named=True):
        for column, imps in imps_by_match.get(row["match_id"], {}).items():
            if row[column] is not None and row[column] != imps:
                what = f"{column} is {row[column].normalize():f}, and the boards give {imps}"
                yield _problem(row["_file"], row["_line"], what)
