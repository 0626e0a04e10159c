"""
The keys of a TOML report, each with the column of the facts it fills.

A key whose column is empty is not a cell: it holds lines, a list or a further table.
"""

from __future__ import annotations

FLIGHTS = ("main", "consolation", "last_chance")
BLOCKS = ("matches", "team_matches", "team_match")

TOP = ("tournament", "event", "player", "members", "member", "rate")

TOURNAMENT = {
    "id": "tournament_id",
    **{
        name: name
        for name in (
            "name discipline start_date end_date city country setting currency eur_per_unit "
            "date_of_record"
        ).split()
    },
    "players": "",
}

EVENT = {
    name: name
    for name in (
        "id name kind event_type division_rank entrants entry_fee added_money bonus_grade rounds "
        "world_championship national_championship team event_level date_of_record completed_on "
        "sequence not_counted_in"
    ).split()
}

FLIGHT = {
    "entrants": "entrants",
    "format": "format",
    "match_length": "match_length",
    "placings": "",
    "placings_file": "",
    "matches": "",
}

PLAYER = {name: name for name in ("id", "name", "nation", "origin", "withheld")}
MEMBER = {name: name for name in ("player", "federation", "level", "start", "end")}
MEMBERS = ("players", "except", "level", "start", "end")
RATE = {name: name for name in ("currency", "date", "eur_per_unit", "source")}
TEAM_MATCH = {
    name: name
    for name in (
        "id round home away boards home_imps away_imps played_on home_adjust_vp away_adjust_vp "
        "status"
    ).split()
}
