"""
Two players of equal results whose awards are cut differently, and one of a match more.

    RESULTS     the tables of a live ABT Main Event
    written     the same as a package
    drafts      the same as entries of a journal
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from palmares.journal.store.entries import Draft
from tests.journal import statements as say

EVENT = "Orlando/main"
WON = (("a", "main"), ("a", "main"), ("b", "main"), ("b", "consolation"), ("c", "main"))
"""Who won matches to 5 points, and in which flight; c lost one to each of the others."""

RESULTS: dict[str, dict[str, list[Any]]] = {
    "tournaments": {
        "tournament_id": ["Orlando"],
        "name": ["Orlando Open"],
        "discipline": ["backgammon"],
        "end_date": ["2019-11-15"],
    },
    "events": {
        "event_id": [EVENT],
        "tournament_id": ["Orlando"],
        "name": ["Main"],
        "event_type": ["ABT Main Event"],
        "entrants": [64],
    },
    "matches": {
        "match_id": [f"m{number}" for number in range(5)],
        "event_id": [EVENT] * 5,
        "flight": [flight for _, flight in WON],
        "played_on": ["2019-11-14"] * 5,
        "length": [5] * 5,
        "winner_id": [winner for winner, _ in WON],
        "loser_id": ["c", "d", "c", "d", "d"],
    },
}
PEOPLE = {"a": "Ada", "b": "Ben", "c": "Cy", "d": "Dee"}


def written(directory: Path) -> Path:
    """The tables as a package."""
    directory.mkdir(parents=True)
    tables = RESULTS | {
        "players": {
            "player_id": list(PEOPLE),
            "name": list(PEOPLE.values()),
            "nation": ["CZE", "DEU", "CZE", ""],
        },
        "memberships": {
            "player_id": list(PEOPLE),
            "federation": ["usbgf"] * 4,
            "start": ["2010-01-01"] * 4,
        },
    }
    for name, columns in tables.items():
        with (directory / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([list(columns), *zip(*columns.values(), strict=True)])
    return directory


def drafts() -> list[Draft]:
    """The tables as entries."""
    people = [say.player(*one) for one in PEOPLE.items()]
    members = [say.membership(one, "2010-01-01") for one in PEOPLE]
    return [*people, *members, say.reported("Orlando", RESULTS)]
