"""
The people of a TOML report: the players it lists, and who belongs to which federation.

    know_players    learn every id that [[player]] or the list of players writes
    list_players    enter everybody of both
    members         [members] and [[member]]  ->  rows of the table of memberships
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from palmares.facts.nations import held
from palmares.reports.names import Named
from palmares.reports.people import People
from palmares.reports.texts import squeezed
from palmares.reports.toml_cells import CLAUSE, Cells
from palmares.reports.toml_lines import Path
from palmares.reports.toml_shape import MEMBER, MEMBERS, PLAYER, TOURNAMENT_PATH
from palmares.sentences import said

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
            what = said("a [[player]] without name")
            cells.found.problem(
                line, what, CLAUSE, said("Add %(example)s.", example='name = "..."')
            )
    for line, text in cells.block(tournament, "players", TOURNAMENT_PATH, quiet=True):
        people.enter(people.parse(text, line), line)


def _described(
    cells: Cells, people: People
) -> Iterator[tuple[int, Named, Mapping[str, str | None]]]:
    """Every [[player]]: its line, the person, and what else is said of him."""
    for at, player in cells.tables(cells.document, "player", (), quiet=True):
        line = cells.where.line(*at)
        row = cells.row(player, PLAYER, at, quiet=True)
        name = row.pop("name", None) or ""
        key, nation, origin = (row.pop(column, None) for column in ("id", "nation", "origin"))
        if nation is None and origin is None:
            who = people.parse(name, line)
        else:
            nation = nation and (people.nations(nation) or held(nation) or nation)
            who = Named(name=squeezed(name), nation=nation or None, origin=origin or None)
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
