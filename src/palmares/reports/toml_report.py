"""
The TOML report: one tournament as its director writes it.

    [tournament]
    name     = "Carolina Invitational"
    end_date = 2005-01-16

    [[event]]
    name = "Open"

    [event.main]
    entrants = 48
    placings = '''
    1    Phil Simborg (IL)
    2    Carter Mattig (IL)
    3-4  Gregg Cattanach (GA)
    '''

    read        a file or its text  ->  Raw: every cell with its line, every problem at once

The lines of placings and matches are read by `palmares.reports.toml_blocks`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from palmares.facts.raw import Raw
from palmares.reports import toml_blocks
from palmares.reports.names import Named, Nations, nation_table
from palmares.reports.people import People
from palmares.reports.texts import Found, decoded, meant, slug
from palmares.reports.toml_lines import Path as Place
from palmares.reports.toml_lines import Positions, positions
from palmares.reports.toml_shape import (
    BLOCKS,
    EVENT,
    FLIGHT,
    FLIGHTS,
    MEMBER,
    MEMBERS,
    PLAYER,
    RATE,
    TEAM_MATCH,
    TOP,
    TOURNAMENT,
)

CLAUSE = "report"


def read(
    content: str | bytes,
    file: str,
    *,
    nations: Nations | None = None,
    encoding: str | None = None,
    beside: toml_blocks.Beside | None = None,
) -> Raw:
    """Read one report.

    Args:
        content: the report, as text or as the bytes of its file.
        file: its name as the user knows it.
        nations: exact look-up of codes and countries' names; without it, the project's table.
        encoding: of the bytes; without it UTF-8.
        beside: reads a CSV or XLSX named by ``placings_file``; without it such a file is refused.

    Returns:
        The tables of facts as text cells, and every problem with its line.
    """
    found = Found(file)
    text = decoded(content, found, encoding) if isinstance(content, bytes) else content
    if text is None:
        return found.raw
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        document = tomllib.loads(text, parse_float=str)
    except (ValueError, RecursionError) as error:
        line, words = toml_blocks.complaint(error)
        found.problem(line, f"this is not TOML: {words}", "TOML", "Correct this line.")
        return found.raw
    people = People(found, nations or nation_table())
    _Report(found, positions(text), people, document, beside).read()
    return found.raw


@dataclass(slots=True)
class _Report:
    """One document on its way to tables."""

    found: Found
    where: Positions
    people: People
    document: Mapping[str, Any]
    beside: toml_blocks.Beside | None

    def read(self) -> None:
        """Everything, in the order that lets a later part name people of an earlier one."""
        self.known(self.document, TOP, ())
        tournament = self.table("tournament")
        if tournament is None:
            self.found.problem(
                1, "there is no [tournament]", CLAUSE, "Start with [tournament], name and end_date."
            )
            tournament = {}
        self.known(tournament, TOURNAMENT, ("tournament",))
        key = self.tournament(tournament)
        events = [(at, event) for at, event in self.tables(self.document, "event", ())]
        blocks = toml_blocks.Blocks(self.found, self.people, self.beside)
        self.meet(tournament, events, blocks)
        self.list_players(tournament)
        keys = self.events(key, events)
        flights = list(self.flights(events, keys))
        for path, event_id, name, flight in flights:
            self.placings(blocks, path, event_id, name, flight)
        for (at, event), event_id in zip(events, keys, strict=True):
            matches = self.block(event, "matches", at)
            blocks.matches(matches, event_id, None, None)
            blocks.team_matches(self.block(event, "team_matches", at), event_id)
            self.team_matches(event, at, event_id)
        for path, event_id, name, flight in flights:
            blocks.matches(
                self.block(flight, "matches", path),
                event_id,
                name,
                self.cell(flight, path, "match_length"),
            )
        self.members(tournament)
        self.rates()
        self.people.write()

    # ── tournament and events ────────────────────────────────────────────────────────────────────

    def tournament(self, tournament: Mapping[str, Any]) -> str:
        """The tournament's row; its id, made from name and last day if none is written."""
        row = self.row(tournament, TOURNAMENT, ("tournament",))
        row.setdefault("tournament_id", row.pop("id", None))
        if not row["tournament_id"]:
            parts = (row.get("name"), row.get("end_date"))
            row["tournament_id"] = "-".join(slug(part) for part in parts if part) or None
        self.found.add("tournaments", row, self.where.line("tournament"))
        return row["tournament_id"] or ""

    def events(self, key: str, events: Sequence[tuple[Place, Mapping[str, Any]]]) -> list[str]:
        """The events' rows; their ids, made from the tournament's id and the name."""
        keys: list[str] = []
        for at, event in events:
            row = self.row(event, EVENT, at)
            event_id = row.pop("id", None) or f"{key}/{slug(row.get('name') or '')}"
            if event_id in keys:
                self.found.problem(
                    self.where.line(*at),
                    f"two events are {event_id}",
                    "facts events.event_id",
                    "Give the events different names, or this one an id of its own.",
                )
            keys.append(event_id)
            self.found.add(
                "events", {"event_id": event_id, "tournament_id": key, **row}, self.where.line(*at)
            )
        return keys

    def flights(
        self, events: Sequence[tuple[Place, Mapping[str, Any]]], keys: Sequence[str]
    ) -> Any:
        """Every flight that is written, with its path, event and name."""
        for (at, event), event_id in zip(events, keys, strict=True):
            for name in FLIGHTS:
                if name not in event:
                    continue
                path = (*at, name)
                flight = event[name]
                if not isinstance(flight, Mapping):
                    self.not_a_table(path)
                    continue
                self.known(flight, FLIGHT, path)
                row = self.row(flight, FLIGHT, path)
                if row and name == "main":
                    row.setdefault("entrants", self.cell(event, at, "entrants", quiet=True))
                if row:
                    line = self.where.line(*path)
                    self.found.add("flights", {"event_id": event_id, "flight": name, **row}, line)
                yield path, event_id, name, flight

    def placings(
        self,
        blocks: toml_blocks.Blocks,
        path: Place,
        event_id: str,
        name: str,
        flight: Mapping[str, Any],
    ) -> None:
        """The placings of a flight, from its lines or from the file it names."""
        blocks.placings(self.block(flight, "placings", path), event_id, name)
        file = self.cell(flight, path, "placings_file")
        if file:
            line = self.where.line(*path, "placings_file")
            if "placings" in flight:
                self.found.problem(
                    line, "placings and placings_file at once", CLAUSE, "Keep one of the two."
                )
            blocks.placings_file(file, line, event_id, name)

    # ── people ───────────────────────────────────────────────────────────────────────────────────

    def meet(
        self,
        tournament: Mapping[str, Any],
        events: Sequence[tuple[Place, Mapping[str, Any]]],
        blocks: toml_blocks.Blocks,
    ) -> None:
        """Learn every written id before anybody is entered."""
        for at, player in self.tables(self.document, "player", ()):
            self.known(player, PLAYER, at)
        for _, who, _ in self.listed():
            self.people.know_id(who)
        for line, text in self.block(tournament, "players", ("tournament",)):
            self.people.know_id(self.people.parse(text, line))
        for at, event in events:
            self.known(event, (*EVENT, *FLIGHTS, *BLOCKS), at)
            for name in FLIGHTS:
                if isinstance(event.get(name), Mapping):
                    blocks.know_ids(self.block(event[name], "placings", (*at, name)))

    def listed(self) -> Any:
        """Every [[player]] with a name: its line, the person, the other columns."""
        for at, player in self.tables(self.document, "player", ()):
            row = self.row(player, PLAYER, at)
            line = self.where.line(*at)
            who = self.people.parse(row.pop("name", None) or "", line)
            nation, origin = row.pop("nation", None), row.pop("origin", None)
            if not who.name:
                continue
            yield line, self.completed(who, row.pop("id", None), nation, origin), row

    def completed(
        self, who: Named, key: str | None, nation: str | None, origin: str | None
    ) -> Named:
        """A person with what the other keys of [[player]] say."""
        nation, origin = nation or who.nation, origin or who.origin
        place = who.written[len(who.name) :].strip(" ()") or nation or origin
        return Named(
            name=who.name,
            nation=nation,
            origin=origin,
            id=key or who.id,
            written=f"{who.name} ({place})" if place else who.name,
        )

    def list_players(self, tournament: Mapping[str, Any]) -> None:
        """Enter everybody of [[player]] and of the tournament's list."""
        for line, who, more in self.listed():
            self.people.enter(who, line, more)
        for line, text in self.block(tournament, "players", ("tournament",)):
            self.people.enter(self.people.parse(text, line), line)
        for at, player in self.tables(self.document, "player", ()):
            if not player.get("name"):
                self.found.problem(
                    self.where.line(*at), "a [[player]] without name", CLAUSE, "Add name = '...'."
                )

    def members(self, tournament: Mapping[str, Any]) -> None:
        """Who belonged to which federation: everybody, a list, or single stretches of days."""
        days = (
            self.cell(tournament, ("tournament",), "start_date", quiet=True),
            self.cell(tournament, ("tournament",), "end_date", quiet=True),
        )
        for federation, said in (self.table("members") or {}).items():
            self.federation(federation, said, days)
        for at, member in self.tables(self.document, "member", ()):
            self.known(member, MEMBER, at)
            row = self.row(member, MEMBER, at)
            line = self.where.line(*at)
            player = self.people.find(row.pop("player", None) or "", line)
            if player:
                self.found.add("memberships", {"player_id": player, **row}, line)

    def federation(self, name: str, said: Any, days: tuple[str | None, str | None]) -> None:
        """The members of one federation during the tournament."""
        path: Place = ("members", name)
        line = self.where.line(*path)
        wanted = said if isinstance(said, Mapping) else {"players": said}
        self.known(wanted, MEMBERS, path)
        row = self.row(wanted, {"level": "level", "start": "start", "end": "end"}, path)
        row.setdefault("level", "Basic")
        row.setdefault("start", days[0] or days[1])
        row.setdefault("end", days[1])
        left_out = {self.people.find(text, line) for text in self.words(wanted, "except", path)}
        if wanted.get("players", "all") == "all":
            players: list[str | None] = list(self.people.players)
        else:
            players = [self.people.find(text, line) for text in self.words(wanted, "players", path)]
        for player in dict.fromkeys(players):
            if player and player not in left_out:
                self.found.add(
                    "memberships", {"player_id": player, "federation": name, **row}, line
                )

    def rates(self) -> None:
        """Exchange rates."""
        for at, rate in self.tables(self.document, "rate", ()):
            self.known(rate, RATE, at)
            self.found.add("rates", self.row(rate, RATE, at), self.where.line(*at))

    def team_matches(self, event: Mapping[str, Any], at: Place, event_id: str) -> None:
        """Matches of teams written as tables, for what a line cannot say."""
        for path, match in self.tables(event, "team_match", at):
            self.known(match, TEAM_MATCH, path)
            row = self.row(match, TEAM_MATCH, path)
            row["match_id"] = row.pop("id", None) or f"{event_id}/{path[-1]}t"
            self.found.add("team_matches", {"event_id": event_id, **row}, self.where.line(*path))

    # ── from TOML values to cells ────────────────────────────────────────────────────────────────

    def known(
        self, table: Mapping[str, Any], keys: Sequence[str] | Mapping[str, str], at: Place
    ) -> None:
        """Complain of every key that a table does not have."""
        for key in table:
            if key not in keys:
                place = (
                    f"[{'.'.join(str(part) for part in at if isinstance(part, str))}]"
                    if at
                    else "the report"
                )
                self.found.problem(
                    self.where.line(*at, key),
                    f"{place} has no {key}",
                    CLAUSE,
                    meant(key, list(keys)),
                )

    def not_a_table(self, path: Place) -> None:
        name = ".".join(str(part) for part in path if isinstance(part, str))
        self.found.problem(
            self.where.line(*path),
            f"{name} must be a table",
            CLAUSE,
            f"Write [{name}] above its keys.",
        )

    def table(self, name: str) -> Mapping[str, Any] | None:
        """A table of the document, or None and, if it is something else, a problem."""
        value = self.document.get(name)
        if value is not None and not isinstance(value, Mapping):
            self.not_a_table((name,))
            return {}
        return value

    def tables(
        self, parent: Mapping[str, Any], name: str, at: Place
    ) -> list[tuple[Place, Mapping[str, Any]]]:
        """The tables of an array of tables, each with its path."""
        value = parent.get(name, [])
        value = value if isinstance(value, list) else [value]
        found = []
        for number, one in enumerate(value):
            path = (*at, name, number)
            if isinstance(one, Mapping):
                found.append((path, one))
            else:
                self.found.problem(
                    self.where.line(*path),
                    f"{name} must be tables",
                    CLAUSE,
                    f"Write [[{name}]] above each.",
                )
        return found

    def row(
        self, table: Mapping[str, Any], keys: Mapping[str, str], at: Place
    ) -> dict[str, str | None]:
        """The cells of a table by their column; keys whose column is empty are no cells."""
        return {
            column: self.cell(table, at, key)
            for key, column in keys.items()
            if column and key in table
        }

    def cell(
        self, table: Mapping[str, Any], at: Place, key: str, *, quiet: bool = False
    ) -> str | None:
        """One value as text, as it was written."""
        value = table.get(key)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, date | time):
            return value.isoformat()
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int):
            return toml_blocks.digits(value)
        if not quiet:
            self.found.problem(
                self.where.line(*at, key),
                f"{key} must be one value, not a list or a table",
                CLAUSE,
                f"Write {key} = followed by one text, number or date.",
            )
        return None

    def words(self, table: Mapping[str, Any], key: str, at: Place) -> list[str]:
        """A list of texts, or the lines of one text."""
        value = table.get(key, [])
        if isinstance(value, str):
            value = [line.strip() for line in value.splitlines() if line.strip()]
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return value
        self.found.problem(
            self.where.line(*at, key),
            f"{key} must be a list of names",
            CLAUSE,
            f'Write {key} = ["Ada Novak (CZE)", "Ben Olsen (DEN)"].',
        )
        return []

    def block(self, table: Mapping[str, Any], key: str, at: Place) -> list[tuple[int, str]]:
        """The lines of a block of text that are not empty, each with its number."""
        value = table.get(key)
        if value is None:
            return []
        if not isinstance(value, str):
            self.found.problem(
                self.where.line(*at, key),
                f"{key} must be lines of text",
                CLAUSE,
                f"Write {key} = three quotes, one line for each, three quotes.",
            )
            return []
        first = self.where.content(*at, key)
        return [
            (first + number, line.strip())
            for number, line in enumerate(value.split("\n"))
            if line.strip()
        ]
