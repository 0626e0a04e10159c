"""
From the facts of one tournament to a TOML report that reads back to the same facts.

    write       tables  ->  the text of a report

Of the columns that are no part of the contract only a player's origin is kept. A person whom a line
cannot name without doubt is described by a table [[player]], and the lines name his id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from palmares.errors import Refused
from palmares.reports.names import Nations, nation_table
from palmares.reports.texts import slug
from palmares.reports.toml_lines_out import Cast, heading_line, match_line, placing_line, team_line
from palmares.reports.toml_report import is_flight
from palmares.reports.toml_shape import (
    EVENT,
    FLIGHT,
    FLIGHTS,
    MATCH,
    MEMBER,
    PLAYER,
    RATE,
    TEAM,
    TEAM_MATCH,
    TOURNAMENT,
)
from palmares.reports.toml_values import block, key_text, table_text

Row = Mapping[str, Any]


def write(tables: Mapping[str, Any], *, nations: Nations | None = None) -> str:
    """The report of one tournament.

    Args:
        tables: frames by the names of the tables of facts, with the columns of the contract.
        nations: exact look-up of codes and countries' names; without it, the project's table.

    Raises:
        Refused: there is not exactly one tournament, or an id or a flight's name cannot stand in
            a report.
    """
    rows = {name: list(frame.iter_rows(named=True)) for name, frame in tables.items()}
    tournaments = rows.get("tournaments", [])
    if len(tournaments) != 1:
        raise Refused(
            f"A report holds one tournament, and these facts hold {len(tournaments)}.\n"
            "    Write a package of tables, or convert one tournament at a time."
        )
    cast = Cast(rows.get("players", []), rows.get("placings", []), nations or nation_table())
    parts = [_tournament(tournaments[0], cast)]
    for event in rows.get("events", []):
        of_event = {
            name: [row for row in rows.get(name, []) if row["event_id"] == event["event_id"]]
            for name in ("flights", "placings", "matches", "team_matches", "teams")
        }
        played = {row["match_id"] for row in of_event["team_matches"]}
        of_event["boards"] = [row for row in rows.get("boards", []) if row["match_id"] in played]
        parts += _event(event, of_event, cast)
    parts += [table_text("[[player]]", PLAYER, row) for row in cast.described()]
    parts += _members(rows.get("memberships", []), cast)
    parts += [table_text("[[rate]]", RATE, row) for row in rows.get("rates", [])]
    return "\n".join(parts)


def _tournament(row: Row, cast: Cast) -> str:
    made = "-".join(slug(str(row[part])) for part in ("name", "end_date") if row.get(part))
    shown = {**row, "id": None if row["tournament_id"] == made else row["tournament_id"]}
    text = table_text("[tournament]", TOURNAMENT, shown)
    listed = cast.listed()
    return text + (block("players", listed) if listed else "")


class _Numbers:
    """The ids that a reader would make up for matches without one, in the order of reading."""

    def __init__(self, event_id: str) -> None:
        self.event_id = event_id
        self.last = {"m": 0, "t": 0}

    def written(self, match_id: str, letter: str) -> str | None:
        """The id to be written, or None if the reader will find it by itself."""
        if match_id != f"{self.event_id}/{letter}{self.last[letter] + 1}":
            return match_id
        self.last[letter] += 1
        return None


def _event(event: Row, tables: Mapping[str, Sequence[Row]], cast: Cast) -> Iterator[str]:
    """One event with everything that belongs to it, in the order in which it will be read."""
    event_id = event["event_id"]
    made = f"{event['tournament_id']}/{slug(event['name'] or '')}"
    numbers = _Numbers(event_id)
    shown = {**event, "id": None if event_id == made else event_id}
    matches: dict[str | None, list[Row]] = {}
    for row in sorted(tables["matches"], key=lambda row: row["round"] or ""):
        matches.setdefault(row["flight"], []).append(row)
    tabled = [row for rows in matches.values() if not _have_lines(rows, cast) for row in rows]
    lined = {flight: rows for flight, rows in matches.items() if _have_lines(rows, cast)}
    text = table_text("[[event]]", EVENT, shown)
    text += _match_block(lined.pop(None, []), numbers, cast)
    teams = tables["team_matches"]
    lines = [team_line(row) for row in teams]
    implicit = [f"{event_id}/t{number}" for number in range(1, len(teams) + 1)]
    as_lines = bool(teams) and None not in lines and implicit == [row["match_id"] for row in teams]
    as_lines = as_lines and not tables["boards"]
    yield text + (block("team_matches", map(str, lines)) if as_lines else "")
    for row in tabled:
        sides = {side: cast.short(row[side]) for side in ("winner_id", "loser_id") if row[side]}
        yield table_text("[[event.match]]", MATCH, {**row, **sides, "id": row["match_id"]})
    for row in tables["teams"]:
        yield table_text("[[event.teams]]", TEAM, row)
    for row in () if as_lines else teams:
        text = table_text("[[event.team_match]]", TEAM_MATCH, {**row, "id": row["match_id"]})
        yield text + _board_results(row["match_id"], tables["boards"])
    yield from _flights(tables, lined, numbers, cast)


def _board_results(match_id: str, boards: Sequence[Row]) -> str:
    """The lines of a match's boards, if it has any."""
    parts = ("board", "home_points", "away_points")
    lines = [
        "  ".join(str(row[part]) for part in parts if row[part] is not None)
        for row in boards
        if row["match_id"] == match_id
    ]
    return block("board_results", lines) if lines else ""


def _have_lines(rows: Iterable[Row], cast: Cast) -> bool:
    """Whether lines can say all of these matches."""
    return all(match_line(row, row["match_id"], cast) for row in rows)


def _flights(
    tables: Mapping[str, Sequence[Row]],
    matches: Mapping[str | None, Sequence[Row]],
    numbers: _Numbers,
    cast: Cast,
) -> Iterator[str]:
    """The flights of an event, the printed three first."""
    rows = {row["flight"]: row for row in tables["flights"]}
    placed: dict[str, list[Row]] = {}
    for row in tables["placings"]:
        placed.setdefault(row["flight"] or "main", []).append(row)
    others = {*rows, *placed, *(name for name in matches if name)}.difference(FLIGHTS)
    for name in (*FLIGHTS, *sorted(others)):
        if not (name in rows or name in placed or name in matches):
            continue
        if name in EVENT or not is_flight(name, {}):
            raise Refused(f"A report cannot name a flight '{name}'.\n    Give it another name.")
        text = table_text(f"[event.{key_text(name)}]", FLIGHT, rows.get(name, {}))
        inside = sorted(placed.get(name, []), key=lambda row: (row["rank"], row["player_id"]))
        if inside:
            text += block("placings", [placing_line(row, cast) for row in inside])
        yield text + _match_block(matches.get(name, ()), numbers, cast)


def _match_block(rows: Iterable[Row], numbers: _Numbers, cast: Cast) -> str:
    """The lines of matches, under a heading for each round."""
    lines: list[str] = []
    round_: str | None = None
    for row in rows:
        if row["round"] != round_:
            round_ = row["round"]
            lines.append(heading_line(round_ or "") or "")
        lines.append(match_line(row, numbers.written(row["match_id"], "m"), cast) or "")
    return block("matches", lines) if lines else ""


def _members(rows: Sequence[Row], cast: Cast) -> Iterator[str]:
    """Memberships: a list where all of a federation are alike, else one by one."""
    federations: dict[str, list[Row]] = {}
    for row in rows:
        federations.setdefault(row["federation"], []).append(row)
    for federation, members in federations.items():
        spans = {(row["level"], row["start"], row["end"]) for row in members}
        players = [row["player_id"] for row in members]
        level, start, end = next(iter(spans))
        if len(spans) == 1 and level and end and len(set(players)) == len(players):
            everybody = set(players) == set(cast.people)
            listed = "all" if everybody else [cast.short(one) for one in players]
            columns = {name: name for name in ("players", "level", "start", "end")}
            row = {"players": listed, "level": level, "start": start, "end": end}
            yield table_text(f"[members.{key_text(federation)}]", columns, row)
            continue
        for one in members:
            named = {**one, "player": cast.short(one["player_id"])}
            yield table_text("[[member]]", MEMBER, named)
