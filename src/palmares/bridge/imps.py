"""
International Matchpoints: a board's difference in points as IMPs, and the IMPs of a match.

    imps(points)            the IMPs of a difference, on the side that has it
    board_imps(home, away)  (home, away): both sides' IMPs of one board, from their scores
    match_imps(boards)      (home, away): both sides' IMPs of a match, from its board results
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from operator import index
from typing import SupportsIndex

from palmares.core.errors import Refused, brief
from palmares.regulations import wbf_imps
from palmares.regulations.editions import Rules, editions, rules

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
    return rules(editions("wbf-imps")[-1], wbf_imps.Constants, Fraction)


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
