"""
Write the facts of one tournament as a TOML report that reads back to the same facts.

Columns of other programs are left out, except a player's origin. A player whom a line cannot name
clearly gets a table [[player]], and lines name them by id.
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
from palmares.facts.decoding import event_id_of, tournament_id_of
from palmares.facts.names import is_place, parse_name
from palmares.facts.schema import FLIGHTS
from palmares.facts.text import squeezed
from palmares.formats.lines import match_parts, team_parts
from palmares.formats.people import is_refused
from palmares.formats.toml.read import KEYS, is_flight

Row = Mapping[str, Any]


def write(tables: Mapping[str, Any]) -> str:
    """The report of one tournament.

    Args:
        tables: frames by the names of the tables of facts, with the columns of the contract.

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
    cast = Cast(rows.get("players", []), rows.get("placings", []))
    parts = [_tournament(tournaments[0], cast)]
    for event in rows.get("events", []):
        of_event = {
            name: [row for row in rows.get(name, []) if row["event_id"] == event["event_id"]]
            for name in ("flights", "placings", "matches", "team_matches", "teams")
        }
        played = {row["match_id"] for row in of_event["team_matches"]}
        of_event["boards"] = [row for row in rows.get("boards", []) if row["match_id"] in played]
        parts += _event(event, of_event, cast)
    parts += [table_text("[[player]]", row) for row in cast.described()]
    parts += _members(rows.get("memberships", []), cast)
    parts += [table_text("[[rate]]", row) for row in rows.get("rates", [])]
    return "\n".join(parts)


def _tournament(row: Row, cast: Cast) -> str:
    end_date = row.get("end_date")
    default = tournament_id_of(row.get("name"), str(end_date) if end_date else None)
    cells = {**row, "id": None if row["tournament_id"] == default else row["tournament_id"]}
    text = table_text("[tournament]", cells)
    player_list = cast.player_list()
    return text + (block("players", player_list) if player_list else "")


def _event(event: Row, tables: Mapping[str, Sequence[Row]], cast: Cast) -> Iterator[str]:
    """One event with everything that belongs to it, in the order in which it will be read."""
    event_id = event["event_id"]
    default = event_id_of(event["tournament_id"], event["name"])
    cells = {**event, "id": None if event_id == default else event_id}
    matches = sorted(tables["matches"], key=lambda row: (_place(row["flight"]), row["round"] or ""))
    blocks = _match_blocks(matches, event_id, cast)
    team_lines = _team_lines(tables, event_id)
    text = table_text("[[event]]", cells) + blocks.get(None, "")
    yield text + (block("team_matches", team_lines) if team_lines else "")
    for row in tables["teams"]:
        yield table_text("[[event.teams]]", row)
    for row in () if team_lines else tables["team_matches"]:
        text = table_text("[[event.team_match]]", {**row, "id": row["match_id"]})
        yield text + _board_results(row["match_id"], tables["boards"])
    yield from _flights(tables, blocks, cast)


def _place(flight: str | None) -> tuple[int, str]:
    """The order of flights: matches of no flight, the three standard flights, the others."""
    order = (None, *FLIGHTS)
    return order.index(flight) if flight in order else len(order), flight or ""


def _match_blocks(rows: Sequence[Row], event_id: str, cast: Cast) -> dict[str | None, str]:
    """The matches of each flight as lines, in the order of reading.

    Ids are left out where the reader would give each match the one that it has.
    """
    ids = [row["match_id"] for row in rows]
    implicit = ids == [f"{event_id}/m{number}" for number in range(1, len(rows) + 1)]
    lines: dict[str | None, list[str]] = {}
    rounds: dict[str | None, str | None] = {}
    for row in rows:
        flight, round_ = row["flight"], row["round"]
        line = match_line(row, None if implicit else row["match_id"], cast)
        if round_ != rounds.get(flight):
            lines.setdefault(flight, []).append(heading_line(round_ or ""))
        rounds[flight] = round_
        lines.setdefault(flight, []).append(line)
    return {flight: block("matches", several) for flight, several in lines.items()}


def _team_lines(tables: Mapping[str, Sequence[Row]], event_id: str) -> list[str]:
    """The matches of teams as lines; none if lines cannot say all of them."""
    rows = tables["team_matches"]
    lines = [line for row in rows if (line := team_line(row))]
    implicit = [f"{event_id}/t{number}" for number in range(1, len(lines) + 1)]
    complete = implicit == [row["match_id"] for row in rows] and not tables["boards"]
    return lines if complete else []


def _board_results(match_id: str, boards: Sequence[Row]) -> str:
    """The lines of a match's boards, if it has any."""
    parts = ("board", "home_points", "away_points")
    lines = [
        "  ".join(str(row[part]) for part in parts if row[part] is not None)
        for row in boards
        if row["match_id"] == match_id
    ]
    return block("board_results", lines) if lines else ""


def _flights(
    tables: Mapping[str, Sequence[Row]], matches: Mapping[str | None, str], cast: Cast
) -> Iterator[str]:
    """The flights of an event, the printed three first."""
    rows = {row["flight"]: row for row in tables["flights"]}
    placed: dict[str, list[Row]] = {}
    for row in tables["placings"]:
        placed.setdefault(row["flight"] or "main", []).append(row)
    for name in sorted({*rows, *placed, *filter(None, matches)}, key=_place):
        if name in KEYS["event"] or not is_flight(name, {}):
            raise Refused(f"A report cannot name a flight '{name}'.\n    Give it another name.")
        text = table_text(f"[event.{key_text(name)}]", rows.get(name, {}), "flight")
        inside = sorted(placed.get(name, []), key=lambda row: (row["rank"], row["player_id"]))
        if inside:
            text += block("placings", [placing_line(row, cast) for row in inside])
        yield text + matches.get(name, "")


def _members(rows: Sequence[Row], cast: Cast) -> Iterator[str]:
    """Memberships: one list where all of a federation have the same level and days."""
    federations: dict[str, list[Row]] = {}
    for row in rows:
        federations.setdefault(row["federation"], []).append(row)
    for federation, members in federations.items():
        spans = {(row["level"], row["start"], row["end"]) for row in members}
        players = [row["player_id"] for row in members]
        level, start, end = next(iter(spans))
        if len(spans) == 1 and level and end and len(set(players)) == len(players):
            everybody = set(players) == set(cast.people)
            player_list = "all" if everybody else [cast.short(player) for player in players]
            row = {"players": player_list, "level": level, "start": start, "end": end}
            yield table_text(f"[members.{key_text(federation)}]", row, "members")
            continue
        for member in members:
            row = {**member, "player": cast.short(member["player_id"])}
            yield table_text("[[member]]", row)


_BARE = re.compile(r"[A-Za-z0-9_-]+")


def table_text(heading: str, row: Mapping[str, Any], kind: str = "") -> str:
    """A table: its heading, and a line for each key whose cell is not empty.

    Args:
        heading: as it stands there.
        row: the cells.
        kind: one of `KEYS`; the last part of the heading, unless it is a name.
    """
    keys = KEYS[kind or heading.strip("[]").rpartition(".")[2]]
    filled = {key: value for key in keys if (value := row.get(key)) is not None}
    width = max(map(len, filled), default=0)
    lines = [f"{key:<{width}} = {value_text(value)}" for key, value in filled.items()]
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
        return "[" + ", ".join(value_text(item) for item in value) + "]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007F")


_PLAIN = re.compile(r"[^\W\d_][^\[\]<>/:|\\\"\x00-\x1f\x7f]*")
_ONLY_IN_TABLES = ("played_on", "home_adjust_vp", "away_adjust_vp", "home_carry_imps",
                   "away_carry_imps", "split_home_imps", "split_away_imps")  # fmt: skip
_WORDS = ("round", "home", "away")
_ENDING = re.compile(r",\s*(?:bye|walkover|series|id\b|\d+\s+rounds?\s+behind)", re.IGNORECASE)


class Cast:
    """The players of a tournament, and how a report names each."""

    def __init__(self, players: Sequence[Row], placings: Iterable[Row]) -> None:
        self.people = {row["player_id"]: row for row in players}
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
        """Every text that a report may use for a player."""
        places = {row.get("nation") or row.get("origin"), *self.placed.get(row["player_id"], ())}
        name = row["name"] or ""
        return {row["player_id"]} | {f"{name} ({place})" if place else name for place in places}

    def _text(self, row: Row) -> str | None:
        """The text that names a player without doubt, if there is one."""
        nation, origin = row.get("nation"), row.get("origin")
        key, name = row["player_id"], row["name"] or ""
        if row.get("withheld") is not None or (nation and origin):
            return None
        if self.placed.get(key, {nation}) != {nation}:
            return None
        place = nation or origin
        text = f"{name} ({place})" if place else name
        who = parse_name(text)
        same = (who.name, who.nation, who.origin, who.id) == (name, nation, origin, None)
        is_clear = same and not is_place(key) and self._is_plain(text)
        return text if is_clear else None

    def _is_plain(self, text: str) -> bool:
        who = parse_name(text)
        if who.last_name_first or is_refused(who):
            return False
        return bool(_PLAIN.fullmatch(text)) and not _ENDING.search(text)

    def short(self, key: str) -> str:
        """How a line names a player who has an id already."""
        text = self.texts.get(key)
        if text is None:
            return f"[{key}]"
        return text if text == key else f"{text} [{key}]"

    def full(self, key: str, nation: str | None) -> str:
        """How a placing names a player."""
        if key in self.texts:
            return self.short(key)
        name = self.people[key]["name"] or ""
        text = f"{name} ({nation})" if nation else name
        who = parse_name(text)
        if (who.name, who.nation, who.id) == (name, nation, None) and self._is_plain(text):
            return f"{text} [{key}]"
        return f"({nation}) [{key}]" if nation else f"[{key}]"

    def described(self) -> Iterator[Row]:
        """The players who need a table [[player]]."""
        for key, row in self.people.items():
            if key not in self.texts:
                nation, origin = row.get("nation"), row.get("origin")
                yield {
                    **row,
                    "id": key,
                    "origin": origin,
                    "nation": nation or ("" if not origin else None),
                }

    def player_list(self) -> list[str]:
        """The players without a placing and without a table [[player]]."""
        return [self.full(key, None) for key in self.texts if key not in self.placed]


def placing_line(row: Row, cast: Cast) -> str:
    """One placing."""
    rank, tied = row["rank"], row.get("tied")
    place = f"{rank}-{rank + tied - 1}" if tied else f"{rank}"
    place += "*" if row.get("designated") else ""
    behind = row.get("rounds_behind")
    ending = f", {behind} rounds behind" if behind is not None else ""
    return f"{place:<5} {cast.full(row['player_id'], row.get('nation'))}{ending}"


def heading_line(round_: str) -> str:
    """The heading of a round; a word of our own goes before what is a number, or has it already."""
    plain = f"{round_}:"
    return plain if not round_.isdigit() and match_parts(plain) == round_ else f"Round {plain}"


def match_line(row: Row, match_id: str | None, cast: Cast) -> str:
    """One match.

    Raises:
        Refused: no line can say it.
    """
    status = None if row["status"] == "played" else row["status"]
    wins = row["series_wins"]
    names = [cast.short(row[side]) for side in ("winner_id", "loser_id") if row[side]]
    line = f"{row['played_on']}  " if row["played_on"] else ""
    line += f"{row['length']}  {' > '.join(names)}"
    line += f", {status}" if status else ""
    line += f" {wins}" if wins is not None else ""
    line += f", id {match_id}" if match_id else ""
    meant = {
        "match_id": match_id,
        "played_on": row["played_on"] and str(row["played_on"]),
        "length": str(row["length"]),
        "names": names,
        "status": status,
        "series_wins": wins and str(wins),
    }
    if match_parts(line) != meant or match_parts(heading_line(row["round"] or "-")) != (
        row["round"] or "-"
    ):
        raise Refused(
            f"A report cannot write the match {row['match_id']}.\n    Write a package of tables."
        )
    return line


def team_line(row: Row) -> str | None:
    """One match of teams, or nothing if no line can say it."""
    if any(row.get(column) is not None for column in _ONLY_IN_TABLES):
        return None
    cells = {
        name: None if row[name] is None else row[name] if name in _WORDS else value_text(row[name])
        for name in (*_WORDS, "boards", "home_imps", "away_imps")
    }
    status = None if row["status"] == "played" else row["status"]
    boards = "" if row["boards"] is None else f" ({row['boards']})"
    line = f"{row['round']}: " if row["round"] else ""
    if status == "bye":
        line += f"{row['home']} bye{boards}"
    else:
        line += f"{row['home']} {cells['home_imps']}-{cells['away_imps']} {row['away']}{boards}"
        line += ", void" if status == "void" else ""
    return line if team_parts(line) == {**cells, "status": status} and "\n" not in line else None
