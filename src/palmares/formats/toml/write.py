"""
From the facts of one tournament to a TOML report that reads back to the same facts.

    write       tables  ->  the text of a report

Of the columns that are no part of the contract only a player's origin is kept. A person whom a line
cannot name without doubt is described by a table [[player]], and the lines name their id.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from palmares.core.errors import Refused
from palmares.facts.names import Nations, is_place, nation_table, parse_name, place_inside
from palmares.facts.schema import FLIGHTS
from palmares.facts.text import squeezed
from palmares.formats.decoding import slug
from palmares.formats.keys import (
    EVENT,
    FLIGHT,
    MATCH,
    MEMBER,
    PLAYER,
    RATE,
    TEAM,
    TEAM_MATCH,
    TOURNAMENT,
)
from palmares.formats.toml.blocks import heading_of, match_parts, team_parts
from palmares.formats.toml.read import is_flight

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


_BARE = re.compile(r"[A-Za-z0-9_-]+")


def table_text(heading: str, columns: Mapping[str, str], row: Mapping[str, Any]) -> str:
    """A table: its heading, and a line for each key whose cell is not empty."""
    cells = {key: row.get(key, row.get(column)) for key, column in columns.items()}
    said = {key: value for key, value in cells.items() if value is not None}
    width = max(map(len, said), default=0)
    lines = [f"{key:<{width}} = {value_text(value)}" for key, value in said.items()]
    return "\n".join([heading, *lines, ""])


def block(key: str, lines: Iterable[str]) -> str:
    """A key with lines of text between three quotes."""
    safe = (line.replace("\\", "\\\\").replace('"""', '""\\"') for line in lines)
    return "\n".join([f'{key} = """', *safe, '"""', ""])


def key_text(key: str) -> str:
    """A key, in quotes where it needs them."""
    return key if _BARE.fullmatch(key) else value_text(key)


def value_text(value: Any) -> str:
    """One value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        text = f"{value:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(value_text(one) for one in value) + "]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007F")


_PLAIN = re.compile(r"[^\W\d_][^\[\]<>/:|\\\"\x00-\x1f\x7f]*")
_ONLY_IN_TABLES = ("played_on", "home_adjust_vp", "away_adjust_vp", "home_carry_imps",
                   "away_carry_imps", "split_home_imps", "split_away_imps")  # fmt: skip
_ENDING = re.compile(r",\s*(?:bye|walkover|series|id\b|\d+\s+rounds?\s+behind)", re.IGNORECASE)


class Cast:
    """Everybody of a tournament."""

    def __init__(self, players: Sequence[Row], placings: Iterable[Row], nations: Nations) -> None:
        self.people = {row["player_id"]: row for row in players}
        self.nations = nations
        self.placed: dict[str, set[str | None]] = {}
        for row in placings:
            self.placed.setdefault(row["player_id"], set()).add(row.get("nation"))
        missing = [key for key in self.placed if key not in self.people]
        for key in [*self.people, *missing]:
            if squeezed(key) != key or not key or re.search(r"[\[\]]", key) or missing:
                raise Refused(
                    f"A report cannot name the player with the id '{key}'.\n"
                    "    Give them an id without square brackets, and a row in the players."
                )
        texts = {key: self._text(row) for key, row in self.people.items()}
        mentions = Counter(text for row in self.people.values() for text in self._mentions(row))
        self.texts = {
            key: text
            for key, text in texts.items()
            if text and mentions[text] == (text in self._mentions(self.people[key]))
        }

    def _mentions(self, row: Row) -> set[str]:
        """Every text that a report may use for somebody."""
        places = {row.get("nation") or row.get("origin"), *self.placed.get(row["player_id"], ())}
        name = row["name"] or ""
        return {row["player_id"]} | {f"{name} ({place})" if place else name for place in places}

    def _text(self, row: Row) -> str | None:
        """The text that names somebody completely, if there is one."""
        nation, origin = row.get("nation"), row.get("origin")
        key, name = row["player_id"], row["name"] or ""
        if row.get("withheld") is not None or (nation and origin):
            return None
        if self.placed.get(key, {nation}) != {nation}:
            return None
        place = nation or origin
        for text in (key, f"{name} ({place})" if place else name):
            who = parse_name(text, self.nations)
            same = (who.name, who.nation, who.origin) == (name, nation, origin)
            same = same and not is_place(key, self.nations)
            if same and who.id is None and who.written == text and self._is_plain(text):
                return text
        return None

    def _is_plain(self, text: str) -> bool:
        who = parse_name(text, self.nations)
        if who.unclear or who.turned or place_inside(who.name, self.nations):
            return False
        return bool(_PLAIN.fullmatch(text)) and not _ENDING.search(text)

    def short(self, key: str) -> str:
        """How a line names somebody who is known."""
        text = self.texts.get(key)
        if text is None:
            return f"[{key}]"
        return text if text == key else f"{text} [{key}]"

    def full(self, key: str, nation: str | None) -> str:
        """How a placing names somebody."""
        text = self.texts.get(key)
        if text:
            return text if text == key else f"{text} [{key}]"
        name = self.people[key]["name"] or ""
        text = f"{name} ({nation})" if nation else name
        who = parse_name(text, self.nations)
        if (who.name, who.nation, who.id) == (name, nation, None) and self._is_plain(text):
            return f"{text} [{key}]"
        return f"({nation}) [{key}]" if nation else f"[{key}]"

    def described(self) -> Iterator[Row]:
        """Those who need a table of their own."""
        for key, row in self.people.items():
            if key not in self.texts:
                nation, origin = row.get("nation"), row.get("origin")
                yield {
                    **row,
                    "id": key,
                    "origin": origin,
                    "nation": nation or ("" if not origin else None),
                }

    def listed(self) -> list[str]:
        """Those whom no placing names and no table describes."""
        return [self.full(key, None) for key in self.texts if key not in self.placed]


def placing_line(row: Row, cast: Cast) -> str:
    """One placing."""
    rank, tied = row["rank"], row.get("tied")
    place = f"{rank}-{rank + tied - 1}" if tied else f"{rank}"
    place += "*" if row.get("designated") else ""
    behind = row.get("rounds_behind")
    ending = f", {behind} rounds behind" if behind is not None else ""
    return f"{place:<5} {cast.full(row['player_id'], row.get('nation'))}{ending}"


def heading_line(round_: str) -> str | None:
    """The heading of a round, or nothing if no line can say it."""
    line = f"Round {round_}:" if round_.isdigit() else f"{round_}:"
    return line if heading_of(line) == round_ else None


def match_line(row: Row, match_id: str | None, cast: Cast) -> str | None:
    """One match, or nothing if no line can say it."""
    if row["length"] is None or (row["round"] and not heading_line(row["round"])):
        return None
    status = None if row["status"] == "played" else row["status"]
    wins = row["series_wins"]
    names = [cast.short(row[side]) for side in ("winner_id", "loser_id") if row[side]]
    line = f"{row['played_on']}  " if row["played_on"] else ""
    line += f"{row['length']}  {' > '.join(names)}"
    line += f", {status}" if status else ""
    line += f" {wins}" if wins is not None else ""
    line += f", id {match_id}" if match_id else ""
    day = row["played_on"] and str(row["played_on"])
    meant = (day, str(row["length"]), names, status, wins and str(wins), match_id)
    return line if match_parts(line) == meant and heading_of(line) is None else None


def team_line(row: Row) -> str | None:
    """One match of teams, or nothing if no line can say it."""
    if any(row.get(one) is not None for one in _ONLY_IN_TABLES):
        return None
    meant = {one: _said(row[one]) for one in ("round", "home", "away", "boards")}
    meant |= {one: _said(row[one]) for one in ("home_imps", "away_imps")}
    meant["status"] = None if row["status"] == "played" else row["status"]
    boards = "" if row["boards"] is None else f" ({row['boards']})"
    line = f"{row['round']}: " if row["round"] else ""
    if row["status"] == "bye":
        line += f"{row['home']} bye{boards}"
    else:
        line += f"{row['home']} {meant['home_imps']}-{meant['away_imps']} {row['away']}{boards}"
        line += ", void" if row["status"] == "void" else ""
    return line if team_parts(line) == meant and "\n" not in line else None


def _said(value: Any) -> str | None:
    """A cell of a team's match as its line says it; an empty one is not said."""
    return None if value is None else value if isinstance(value, str) else value_text(value)
