"""
Journals and the differences between their lists, in short.

    alone, match_won, rated     reports of one event under each of the regulations
    between                     a journal and two lists, each DAY or DAY@#ENTRY  ->  Differences
    told                        differences  ->  every part in words, by player
    ranks                       differences  ->  both ranks, by player
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Any

from palmares.core.rounding import exact_text
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import Journal
from palmares.lists.diff import Differences, Listing, diff_lists
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from tests.journal import statements as say

WBGF, USBGF, DPTR = (Question(regulation=name) for name in ("wbgf", "usbgf", "dptr"))
END = "2019-11-15"


def alone(tournament: str, player: str = "P1", points: str = "10.95", **more: str) -> Draft:
    """A report of one entrant, who earns as much as said: a tenth of the fee is 10 points.

    10.95 points lose 0.01 a day.
    """
    return say.report(tournament, {player: 1}, fee=str(Fraction(points) * 10 * 1.0), **more)


def between(
    journal: Journal, a: str, b: str, question: Question = WBGF, other: Question | None = None
) -> Differences:
    """The differences between two lists, each DAY or DAY@#ENTRY."""
    with journal.reading() as reader:
        return diff_lists(
            _listing(journal, a, question), _listing(journal, b, other or question), reader
        )


def _listing(journal: Journal, text: str, question: Question) -> Listing:
    day, _, known_at = text.partition("@")
    return Listing(
        question=question,
        projection=load_projection(journal, known_at or None),
        selection=Selection(as_of=date.fromisoformat(day)),
    )


def told(found: Differences) -> dict[str, list[str]]:
    """By player: cause, tournament, points, entries and note of every part."""
    return {one.player_id: [_part(part) for part in one.parts] for one in found.changes}


def _part(part: Any) -> str:
    entries = ",".join(f"#{one.sequence}" for one in part.entries)
    words = [part.cause, part.tournament, exact_text(part.nanopoints), entries, part.note]
    return " ".join(word for word in words if word)


def ranks(found: Differences) -> dict[str, tuple[int | None, int | None]]:
    """Both ranks by player."""
    return {one.player_id: (one.rank_a, one.rank_b) for one in found.changes}


def match_won(tournament: str, winner: str, loser: str, day: str = END) -> Draft:
    """A 9-point match of a tournament of weight 1: one point to a member who wins it."""
    tables = say.tables(tournament, {winner: 1, loser: 2}, day)
    event = f"{tournament}/main"
    tables["events"] |= {"event_type": ["ABT Main Event"], "division_rank": ["1"]}
    del tables["placings"]
    tables["matches"] = {
        "match_id": [f"{tournament}/1"],
        "event_id": [event],
        "length": [9],
        "winner_id": [winner],
        "loser_id": [loser],
        "played_on": [day],
    }
    return say.reported(tournament, tables)


def rated(tournament: str, day: str, ranks: dict[str, int]) -> Draft:
    """A World Championship: it moves a rating 20 per cent of the way."""
    tables = say.tables(tournament, ranks, day)
    tables["tournaments"]["discipline"] = ["diplomacy"]
    tables["events"] |= {"world_championship": [True], "entrants": [max(2, len(ranks))]}
    return say.reported(tournament, tables)
