"""
The keys of a TOML report, each with the column of the facts it fills.

A key whose column is empty is not a cell: it holds lines, a list or a further table.
"""

from __future__ import annotations

TOURNAMENT_PATH = ("tournament",)
FLIGHTS = ("main", "consolation", "last_chance")
BLOCKS = ("matches", "match", "team_matches", "team_match", "teams")
TOP = ("tournament", "event", "player", "members", "member", "rate")
MEMBERS = ("players", "except", "level", "start", "end")


def _alike(*names: str) -> dict[str, str]:
    """Keys that are named as their columns are."""
    return {name: name for name in names}


TOURNAMENT = {
    **_alike("id", "name", "discipline", "start_date", "end_date", "city", "country"),
    **_alike("setting", "currency", "eur_per_unit", "date_of_record"),
    "players": "",
}
EVENT = {
    **_alike("id", "name", "kind", "event_type", "division_rank", "entrants", "entry_fee"),
    **_alike("added_money", "bonus_grade", "rounds", "world_championship"),
    **_alike("national_championship", "team", "event_level", "date_of_record"),
    **_alike("completed_on", "sequence", "not_counted_in"),
}
FLIGHT = {
    **_alike("entrants", "format", "match_length"),
    **dict.fromkeys(("placings", "placings_file", "matches"), ""),
}
PLAYER = _alike("id", "name", "nation", "origin", "withheld")
MEMBER = _alike("player", "federation", "level", "start", "end")
RATE = _alike("currency", "date", "eur_per_unit", "units_per_eur", "source", "published_on")
MATCH = {
    **_alike("id", "flight", "round", "played_on", "length", "status", "series_wins"),
    "winner": "winner_id",
    "loser": "loser_id",
}
TEAM_MATCH = {
    **_alike("id", "round", "home", "away", "boards", "home_imps", "away_imps", "played_on"),
    **_alike("home_adjust_vp", "away_adjust_vp", "status", "home_carry_imps", "away_carry_imps"),
    **_alike("split_home_imps", "split_away_imps"),
    "board_results": "",
}
TEAM = _alike("team", "name", "carried_vp", "withdrawn", "lot")
