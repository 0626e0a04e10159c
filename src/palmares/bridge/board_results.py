"""
Matches of teams that were entered board by board: their IMPs.

    imps_of_matches     facts  ->  home_imps and away_imps of each such match
"""

from __future__ import annotations

from collections.abc import Iterator

from palmares.bridge.imps import board_imps
from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.facts import Facts

Sums = dict[str, dict[str, int]]


def imps_of_matches(facts: Facts) -> Sums:
    """Both sides' IMPs by match, of the matches that have board results.

    Raises:
        FactsRejected: a score that no board gives, or IMPs beside board results that say
            otherwise; with every place.
    """
    imps_by_match: Sums = {}
    problems = []
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
    """IMPs that a match has beside board results, and that these do not give."""
    for row in facts["team_matches"].iter_rows(named=True):
        for column, imps in imps_by_match.get(row["match_id"], {}).items():
            if row[column] is not None and row[column] != imps:
                what = f"{column} is {row[column].normalize():f}, and the boards give {imps}"
                yield _problem(row["_file"], row["_line"], what)
