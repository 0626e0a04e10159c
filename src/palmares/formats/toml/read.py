"""The TOML report: one tournament as its director writes it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from palmares.core.messages import LocalNumber, msg
from palmares.facts.names import Nations, nation_table
from palmares.facts.problems import Cell
from palmares.facts.raw import Raw
from palmares.facts.schema import FLIGHTS, TABLES
from palmares.formats.decoding import Findings, decoded, slug
from palmares.formats.keys import (
    BLOCKS,
    EVENT,
    FLIGHT,
    MATCH,
    RATE,
    TEAM,
    TEAM_MATCH,
    TOP,
    TOURNAMENT,
    TOURNAMENT_PATH,
)
from palmares.formats.people import People
from palmares.formats.toml.blocks import Beside, Blocks, know_players, list_players, members
from palmares.formats.toml.cells import CLAUSE, Cells, Path, positions
from palmares.formats.toml.problems import complaint

MOST_LETTERS = 8 * 2**20
"""Of a report; one of three hundred players has twelve thousand."""
MOST_OF_A_LINE = 100_000
MOST_DOTS = 200
"""Points in a line: of each key in `a.a.a = 1` the reader copies all before it."""
_TYPING_ERROR = 0.8
"""How alike an unknown flight and a known one must be to take it for a typing error."""


def read(
    content: str | bytes,
    file: str,
    *,
    nations: Nations | None = None,
    encoding: str | None = None,
    beside: Beside | None = None,
) -> Raw:
    """Read one report.

    Args:
        content: the report, as text or as the bytes of its file.
        file: its name as the user knows it.
        nations: exact look-up of codes and countries' names; without it, the project's table.
        encoding: of the bytes; without it UTF-8.
        beside: reads a CSV or XLSX named by ``placings_file``; without it such a file is refused.

    Returns:
        The tables of facts as cells of text, and every problem with its line.
    """
    found = Findings(file)
    text = decoded(content, found, encoding) if isinstance(content, bytes) else content
    if text is None:
        return found.raw
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if _is_too_much(text, found):
        return found.raw
    try:
        document = tomllib.loads(text, parse_float=str)
    except (ValueError, RecursionError) as error:
        line, what, remedy = complaint(text, error)
        found.problem(line, what, "TOML", remedy)
        return found.raw
    found.seen.has_keys = True
    found.seen.names = {column: key for key, column in MATCH.items() if column != key}
    cells = Cells(document, positions(text), found)
    people = People(found, nations or nation_table())
    _read(cells, people, Blocks(found, people, beside))
    for name, table in found.raw.tables.items():
        for column in TABLES[name].values():
            if column.required and column.name not in table.columns:
                table.columns[column.name] = [None] * len(table)
    return found.raw


def _is_too_much(text: str, found: Findings) -> bool:
    """Whether a text would keep its reader busy for hours, or fill the memory, with a problem."""
    if len(text) > MOST_LETTERS:
        has, most = LocalNumber(f"{len(text):,}"), LocalNumber(f"{MOST_LETTERS:,}")
        what = msg("the report has %(has)s letters, and %(most)s are read", has=has, most=most)
        found.problem(0, what, "report", msg("Keep one tournament in one report."))
        return True
    for number, line in enumerate(text.split("\n"), start=1):
        letters, dots = len(line), line.count(".")
        if letters > MOST_OF_A_LINE:
            has, most = LocalNumber(f"{letters:,}"), LocalNumber(f"{MOST_OF_A_LINE:,}")
            what = msg("this line has %(has)s letters, and %(most)s are read", has=has, most=most)
        elif dots > MOST_DOTS:
            has, most = LocalNumber(f"{dots:,}"), LocalNumber(f"{MOST_DOTS}")
            what = msg("this line has %(has)s points, and %(most)s are read", has=has, most=most)
        else:
            continue
        found.problem(number, what, "report", msg("Write shorter lines."))
        return True
    return False


@dataclass(frozen=True, slots=True)
class _Flight:
    """One flight as written."""

    path: Path
    event_id: str
    name: str
    table: Mapping[str, Any]


def _read(cells: Cells, people: People, blocks: Blocks) -> None:
    """Everything, in the order that lets a later part name the people of an earlier one."""
    cells.known(cells.document, TOP, ())
    tournament = cells.table("tournament")
    if tournament is None:
        remedy = msg("Start with [tournament], its name and its end_date.")
        cells.found.problem(1, msg("there is no [tournament]"), CLAUSE, remedy)
        tournament = {}
    cells.known(tournament, TOURNAMENT, TOURNAMENT_PATH)
    key = _tournament(cells, tournament)
    events = _events(cells, key)
    flights = [one for event in events for one in _flights(cells, *event)]
    know_players(cells, people, tournament)
    for one in flights:
        blocks.know_ids(cells.block(one.table, "placings", one.path))
    list_players(cells, people, tournament)
    for one in flights:
        _placings(cells, blocks, one)
    for at, event, event_id in events:
        blocks.matches(cells.block(event, "matches", at), event_id, None, None)
        _match_tables(cells, blocks, at, event, event_id)
        _team_matches(cells, blocks, at, event, event_id)
    for one in flights:
        length = cells.cell(one.table, one.path, "match_length", quiet=True)
        blocks.matches(cells.block(one.table, "matches", one.path), one.event_id, one.name, length)
    members(cells, people, tournament)
    for at, rate in cells.tables(cells.document, "rate", ()):
        cells.known(rate, RATE, at)
        cells.found.add("rates", cells.row(rate, RATE, at), cells.where.line(*at))
    people.write()


def _tournament(cells: Cells, tournament: Mapping[str, Any]) -> str:
    """The tournament's row; its id is made from name and last day if none is written."""
    row = cells.row(tournament, TOURNAMENT, TOURNAMENT_PATH)
    key = row.pop("id", None) or "-".join(
        slug(part) for part in (row.get("name"), row.get("end_date")) if part
    )
    cells.found.add(
        "tournaments", {"tournament_id": key, **row}, cells.where.line(*TOURNAMENT_PATH)
    )
    return key


def _events(cells: Cells, key: str) -> list[tuple[Path, Mapping[str, Any], str]]:
    """The events' rows; their ids are made from the tournament's id and the name."""
    found: list[tuple[Path, Mapping[str, Any], str]] = []
    taken: set[str] = set()
    for at, event in cells.tables(cells.document, "event", ()):
        flights = [name for name, value in event.items() if is_flight(name, value)]
        cells.known(event, (*EVENT, *FLIGHTS, *BLOCKS, *flights), at)
        row = cells.row(event, EVENT, at)
        event_id = row.pop("id", None) or f"{key}/{slug(row.get('name') or '')}"
        line = cells.where.line(*at)
        if event_id in taken:
            cells.found.problem(
                line,
                msg("two events are %(id)s", id=event_id),
                Cell("events", "event_id"),
                msg("Give the events different names, or this one an id of its own."),
            )
        taken.add(event_id)
        found.append((at, event, event_id))
        cells.found.add("events", {"event_id": event_id, "tournament_id": key, **row}, line)
    return found


def is_flight(name: str, value: Any) -> bool:
    """A table is a flight, under whatever name; but not one that looks like a typing error."""
    if name in FLIGHTS:
        return True
    known = (*FLIGHTS, *BLOCKS)
    return isinstance(value, Mapping) and not (
        name in known or get_close_matches(name, known, n=1, cutoff=_TYPING_ERROR)
    )


def _flights(cells: Cells, at: Path, event: Mapping[str, Any], event_id: str) -> Iterator[_Flight]:
    """The flights of an event and their rows; a Main has the event's entrants if it says none."""
    for name, table in event.items():
        if not is_flight(name, table):
            continue
        path = (*at, name)
        if not isinstance(table, Mapping):
            cells.not_a_table(path)
            continue
        cells.known(table, FLIGHT, path)
        row = cells.row(table, FLIGHT, path)
        if row and name == "main" and "entrants" in event:
            row.setdefault("entrants", cells.cell(event, at, "entrants", quiet=True))
        if row:
            line = cells.where.line(*path)
            cells.found.add("flights", {"event_id": event_id, "flight": name, **row}, line)
        yield _Flight(path, event_id, name, table)


def _placings(cells: Cells, blocks: Blocks, flight: _Flight) -> None:
    """The placings of a flight, from its lines or from the file it names."""
    lines = cells.block(flight.table, "placings", flight.path, quiet=True)
    blocks.placings(lines, flight.event_id, flight.name)
    file = cells.cell(flight.table, flight.path, "placings_file")
    if file is None:
        return
    path = (*flight.path, "placings_file")
    if "placings" in flight.table:
        what = msg("placings and placings_file at once")
        cells.odd(path, what, msg("Keep one of the two."))
    blocks.placings_file(file, cells.where.line(*path), flight.event_id, flight.name)


def _match_tables(
    cells: Cells, blocks: Blocks, at: Path, event: Mapping[str, Any], event_id: str
) -> None:
    """Matches written as tables, for what a line cannot say."""
    for path, match in cells.tables(event, "match", at):
        cells.known(match, MATCH, path)
        row = cells.row(match, MATCH, path)
        line = cells.where.line(*path)
        match_id = row.pop("id", None) or blocks.number(event_id, "m")
        names = {side: row[side] for side in ("winner_id", "loser_id") if row.get(side)}
        players = {side: blocks.people.find(name or "", line) for side, name in names.items()}
        if None not in players.values():
            row = {"match_id": match_id, "event_id": event_id, **row, **players}
            cells.found.add("matches", row, line)


def _team_matches(
    cells: Cells, blocks: Blocks, at: Path, event: Mapping[str, Any], event_id: str
) -> None:
    """Teams and their matches: as lines, or as tables for what a line cannot say."""
    for path, team in cells.tables(event, "teams", at):
        cells.known(team, TEAM, path)
        row = cells.row(team, TEAM, path)
        cells.found.add("teams", {"event_id": event_id, **row}, cells.where.line(*path))
    blocks.team_matches(cells.block(event, "team_matches", at), event_id)
    for path, match in cells.tables(event, "team_match", at):
        cells.known(match, TEAM_MATCH, path)
        row = cells.row(match, TEAM_MATCH, path)
        match_id = row.pop("id", None) or blocks.number(event_id, "t")
        line = cells.where.line(*path)
        cells.found.add("team_matches", {"match_id": match_id, "event_id": event_id, **row}, line)
        blocks.board_results(cells.block(match, "board_results", path), match_id)
