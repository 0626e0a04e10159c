"""
What a TOML report says in lines: placings, matches, matches of teams; its players and members.

    3-4  Carla Rossi (ITA)            a rank shared by two, both listed or not
    2019-01-05  9  Ada Novak > Ben Olsen, series 2
    1: Alpha 41-20 Beta (16)          round, teams, IMPs, boards
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from palmares.core.messages import msg
from palmares.facts.codes import held
from palmares.facts.names import PrintedName
from palmares.facts.text import squeezed
from palmares.formats.decoding import Findings
from palmares.formats.keys import MEMBER, MEMBERS, PLAYER, TOURNAMENT_PATH
from palmares.formats.people import People
from palmares.formats.ranks import Rank, rank_of, tell_alone
from palmares.formats.toml.cells import CLAUSE, Cells, Path

Lines = list[tuple[int, str]]

Beside = Callable[[str, Findings, int, str, str, People], None]
"""Reads a file of placings: its name, where to put things, the line, event, flight, people."""

_RANK = re.compile(
    r"(?P<rank>=?[0-9]+[.)]?(?:\s*[-/\u2010-\u2013]\s*[0-9]+[.)]?)?=?|[Tt]-?[0-9]+)(?P<star>\s*\*)?\s+(?P<who>\S.*)"
)
_BEHIND = re.compile(r",\s*([0-9]+)\s+rounds?\s+behind$")
_ROUND = re.compile(r"(?:round\s+)?(.+):", re.IGNORECASE)
_MATCH = re.compile(r"(?:([0-9]{4}-[0-9]{2}-[0-9]{2})\s+)?(?:([0-9]+)\s+)?(\S.*)")
_MATCH_ID = re.compile(r",\s*id\s+(.+)$")
_BEATS = re.compile(r"\s+>\s+")
_STATUS = re.compile(r",\s*(bye|walkover|series(?:\s+([0-9]+))?)$")
_TEAMS = re.compile(
    r"(?:(?P<round>[^:]+):\s*)?(?P<home>\S.*?)\s+"
    r"(?:(?P<hi>-?[0-9]+(?:\.[0-9]+)?)\s*[-:\u2013]\s*(?P<ai>-?[0-9]+(?:\.[0-9]+)?)\s+(?P<away>\S.*?)"
    r"\s*\((?P<boards>[0-9]+)\)(?P<void>,\s*void)?|(?P<bye>bye)(?:\s*\((?P<idle>[0-9]+)\))?)"
)
_BOARD = re.compile(r"(?P<board>[0-9]+)[.:]?\s+(?P<home>[+-]?[0-9]+)(?:\s+(?P<away>[+-]?[0-9]+))?")

PLACING_REMEDY = msg(
    "Write the rank, a space and the name: 1 Ada Novak (CZE), or 3-4 Ada Novak (CZE)."
)
MATCH_REMEDY = msg("Write: 2019-01-05 9 Ada Novak > Ben Olsen (day, match length, winner > loser).")
PAIR_REMEDY = msg("Give each of them a line; write a pair as Ada Novak & Ben Olsen.")
BOARD_REMEDY = msg(
    "Write: 1 420 450 (board, points of home, points of away), or: 1 -30 (difference)."
)
TEAM_REMEDY = msg(
    "Write: %(example)s (round, team, IMPs of both, team, boards).",
    example="1: Alpha 41-20 Beta (16)",
)


@dataclass(slots=True)
class Blocks:
    """Reads lines for one report."""

    found: Findings
    people: People
    beside: Beside | None = None
    counts: dict[str, int] = field(default_factory=dict)

    def know_ids(self, lines: Lines) -> None:
        """Learn the ids that placings write, before anybody is entered."""
        for line, text in lines:
            if "[" in text and (parts := placing_parts(text)):
                self.people.know_id(self.people.parse(parts.who, line))

    def placings(self, lines: Lines, event_id: str, flight: str) -> None:
        """The placings of one flight."""
        alone: dict[str, list[int]] = {}
        for line, text in lines:
            parts = placing_parts(text)
            if parts is None:
                what = msg("no rank and name in '%(text)s'", text=text)
                self.found.problem(line, what, "report placings", PLACING_REMEDY)
                continue
            person = self.people.parse(parts.who, line)
            if " / " in person.name:
                what = msg("two names on one line: '%(name)s'", name=person.name)
                self.found.problem(line, what, "report placings", PAIR_REMEDY)
                continue
            player = self.people.enter(person, line)
            if player is None:
                continue
            if parts.rank.shared and parts.rank.tied is None:
                alone.setdefault(parts.rank.rank, []).append(line)
            row = {
                "event_id": event_id,
                "flight": flight,
                "player_id": player,
                "rank": parts.rank.rank,
                "tied": parts.rank.tied,
                "designated": "true" if parts.designated else None,
                "rounds_behind": parts.behind,
                "nation": person.nation,
            }
            self.found.add("placings", row, line)
        tell_alone(self.found, alone.items())

    def placings_file(self, file: str, line: int, event_id: str, flight: str) -> None:
        """The placings of one flight, from a sheet beside the report."""
        if self.beside is None:
            self.found.problem(
                line,
                msg("%(file)s cannot be looked up from here", file=file),
                "report placings_file",
                msg("Write the placings into the report."),
            )
            return
        self.beside(file, self.found, line, event_id, flight, self.people)

    def matches(self, lines: Lines, event_id: str, flight: str | None, length: str | None) -> None:
        """The matches of one flight; *length* is the flight's own."""
        round_: str | None = None
        for line, text in lines:
            heading = heading_of(text)
            if heading is not None:
                round_ = heading
                continue
            parts = match_parts(text)
            if parts is None:
                what = msg("no winner > loser in '%(text)s'", text=text)
                self.found.problem(line, what, "report matches", MATCH_REMEDY)
                continue
            players = [self.people.find(name, line) for name in parts.names]
            if None in players:
                continue
            row = {
                "match_id": parts.id or self.number(event_id, "m"),
                "event_id": event_id,
                "flight": flight,
                "round": round_,
                "played_on": parts.played_on,
                "length": parts.length or length,
                "winner_id": players[0],
                "loser_id": players[1] if len(players) > 1 else None,
                "status": parts.status,
                "series_wins": parts.series_wins,
            }
            self.found.add("matches", row, line)

    def team_matches(self, lines: Lines, event_id: str) -> None:
        """The matches of teams of one event."""
        for line, text in lines:
            row = team_parts(text)
            if row is None:
                what = msg("no match of two teams in '%(text)s'", text=text)
                self.found.problem(line, what, "report team_matches", TEAM_REMEDY)
                continue
            match_id = self.number(event_id, "t")
            self.found.add(
                "team_matches", {"match_id": match_id, "event_id": event_id, **row}, line
            )

    def board_results(self, lines: Lines, match_id: str) -> None:
        """The results of one match of teams, board by board."""
        for line, text in lines:
            written = _BOARD.fullmatch(text)
            if written is None:
                what = msg("no result of a board in '%(text)s'", text=text)
                self.found.problem(line, what, "report board_results", BOARD_REMEDY)
                continue
            points = {"home_points": written["home"], "away_points": written["away"]}
            row = {"match_id": match_id, "board": written["board"], **points}
            self.found.add("boards", row, line)

    def number(self, event_id: str, letter: str) -> str:
        """The next id of a match nobody gave an id."""
        key = f"{event_id}/{letter}"
        self.counts[key] = self.counts.get(key, 0) + 1
        return f"{key}{self.counts[key]}"


# ── one line ─────────────────────────────────────────────────────────────────────────────────────


class Placing(NamedTuple):
    """The parts of a line of placings."""

    rank: Rank
    designated: bool
    who: str
    behind: str | None


class Match(NamedTuple):
    """The parts of a line of matches."""

    played_on: str | None
    length: str | None
    names: list[str]
    status: str | None
    series_wins: str | None
    id: str | None


def placing_parts(text: str) -> Placing | None:
    """``3-4* Ada Novak (CZE), 2 rounds behind`` in parts, or None."""
    written = _RANK.fullmatch(text)
    rank = rank_of(written["rank"]) if written else None
    if written is None or rank is None:
        return None
    who = written["who"].strip()
    behind = _BEHIND.search(who)
    name = who[: behind.start()] if behind else who
    return Placing(rank, bool(written["star"]), name, behind[1] if behind else None)


def heading_of(text: str) -> str | None:
    """The round that ``Round 2:`` or ``Final:`` begins, or None."""
    heading = _ROUND.fullmatch(text)
    return heading[1].strip() if heading else None


def match_parts(text: str) -> Match | None:
    """``2019-01-05 9 Ada Novak > Ben Olsen, series 2`` in parts, or None."""
    key = _MATCH_ID.search(text)
    rest = text[: key.start()] if key else text
    status = _STATUS.search(rest)
    written = _MATCH.fullmatch(rest[: status.start()] if status else rest)
    word = status[1].split()[0] if status else None
    names = _BEATS.split(written[3]) if written else []
    if written is None or len(names) not in ({1, 2} if word == "bye" else {2}):
        return None
    wins = status[2] if status else None
    return Match(written[1], written[2], names, word, wins, key[1].strip() if key else None)


def team_parts(text: str) -> dict[str, str | None] | None:
    """``1: Alpha 41-20 Beta (16)`` as cells, or None."""
    written = _TEAMS.fullmatch(text)
    if written is None:
        return None
    cells = {name: written[name] for name in ("round", "home", "away")}
    cells["boards"] = written["boards"] or written["idle"]
    cells |= {"home_imps": written["hi"], "away_imps": written["ai"]}
    return {**cells, "status": "void" if written["void"] else ("bye" if written["bye"] else None)}


Table = Mapping[str, Any]


def know_players(cells: Cells, people: People, tournament: Table) -> None:
    """Learn every id before anybody is entered."""
    for at, player in cells.tables(cells.document, "player", ()):
        cells.known(player, PLAYER, at)
    for _, who, _ in _described(cells, people):
        people.know_id(who)
    for line, text in cells.block(tournament, "players", TOURNAMENT_PATH):
        people.know_id(people.parse(text, line))


def list_players(cells: Cells, people: People, tournament: Table) -> None:
    """Enter everybody of [[player]] and of the tournament's list."""
    for line, who, more in _described(cells, people):
        if who.name:
            people.enter(who, line, more)
        else:
            what = msg("a [[player]] without name")
            cells.found.problem(line, what, CLAUSE, msg("Add %(example)s.", example='name = "..."'))
    for line, text in cells.block(tournament, "players", TOURNAMENT_PATH, quiet=True):
        people.enter(people.parse(text, line), line)


def _described(
    cells: Cells, people: People
) -> Iterator[tuple[int, PrintedName, Mapping[str, str | None]]]:
    """Every [[player]]: its line, the person, and what else is said of them."""
    for at, player in cells.tables(cells.document, "player", (), quiet=True):
        line = cells.where.line(*at)
        row = cells.row(player, PLAYER, at, quiet=True)
        name = row.pop("name", None) or ""
        key, nation, origin = (row.pop(column, None) for column in ("id", "nation", "origin"))
        if nation is None and origin is None:
            who = people.parse(name, line)
        else:
            nation = nation and (people.nations(nation) or held(nation) or nation)
            who = PrintedName(name=squeezed(name), nation=nation or None, origin=origin or None)
        yield line, replace(who, id=key or who.id), row


def members(cells: Cells, people: People, tournament: Table) -> None:
    """Who belonged to which federation: everybody, some, or single stretches of days."""
    days = tuple(
        cells.cell(tournament, TOURNAMENT_PATH, name, quiet=True)
        for name in ("start_date", "end_date")
    )
    for federation, wanted in (cells.table("members") or {}).items():
        _federation(cells, people, federation, wanted, days)
    for at, member in cells.tables(cells.document, "member", ()):
        cells.known(member, MEMBER, at)
        row = cells.row(member, MEMBER, at)
        line = cells.where.line(*at)
        player = people.find(row.pop("player", None) or "", line)
        if player:
            cells.found.add("memberships", {"player_id": player, **row}, line)


def _federation(
    cells: Cells, people: People, federation: str, listed: Any, days: tuple[str | None, ...]
) -> None:
    """The members of one federation, by default on the days of the tournament."""
    path: Path = ("members", federation)
    line = cells.where.line(*path)
    wanted = listed if isinstance(listed, Mapping) else {"players": listed}
    cells.known(wanted, MEMBERS, path)
    first, last = days
    row = {"federation": federation, "level": "Basic", "start": first or last, "end": last}
    row |= cells.row(wanted, {name: name for name in ("level", "start", "end")}, path)
    left_out = {people.find(text, line) for text in cells.words(wanted, "except", path)}
    if wanted.get("players", "all") == "all":
        chosen: list[str | None] = list(people.players)
    else:
        chosen = [people.find(text, line) for text in cells.words(wanted, "players", path)]
    for player in dict.fromkeys(chosen):
        if player and player not in left_out:
            cells.found.add("memberships", {"player_id": player, **row}, line)
