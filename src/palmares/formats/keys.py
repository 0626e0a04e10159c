"""
The keys of a TOML report, each with the column of the facts it fills.

A key whose column is empty is not a cell: it holds lines, a list or a further table.
"""

from __future__ import annotations

from palmares.facts.schema import TABLES

BLOCKS = ("matches", "match", "team_matches", "team_match", "teams")
TOP = ("tournament", "event", "player", "members", "member", "rate")
MEMBERS = {"players": "", "except": "", "level": "level", "start": "start", "end": "end"}


def _cells(table: str, *but: str) -> dict[str, str]:
    """The cells of a table of facts that are no ids: their keys are named as their columns."""
    columns = TABLES[table].values()
    return {
        column.name: column.name
        for column in columns
        if column.kind != "id" and column.name not in but
    }


_ID = {"id": "id"}
TOURNAMENT = {**_ID, **_cells("tournaments"), "players": ""}
EVENT = {**_ID, **_cells("events")}
FLIGHT = {**_cells("flights", "flight"), "placings": "", "placings_file": "", "matches": ""}
PLAYER = {column: column for column in ("id", "name", "nation", "origin", "withheld")}
MEMBER = {"player": "player", **_cells("memberships")}
RATE = _cells("rates")
MATCH = {**_ID, **_cells("matches"), "winner": "winner_id", "loser": "loser_id"}
TEAM_MATCH = {**_ID, **_cells("team_matches"), "board_results": ""}
TEAM = _cells("teams")
