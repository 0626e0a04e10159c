"""
Find a player, whichever list he is on.

    players_page    what somebody typed  ->  PlayersPage
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from palmares.rankings import Selection
from palmares.web.hall import Known
from palmares.web.pages import days, names
from palmares.web.pages.turning import turned

ROWS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a player stands on a list."""

    regulation: str
    title: str
    as_of: date  # today, or the day of the last list with anybody on it
    rank: int
    nanopoints: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRow:
    """A player who was found."""

    player_id: str
    player: str
    nation: str | None
    standings: tuple[Standing, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersPage:
    """The players who were found."""

    as_of: date
    search: str
    known: int  # players that there are
    players: int  # found
    page: int  # from 1
    pages: int
    rows: tuple[PlayerRow, ...]


def players_page(known: Known, search: str, today: date, page: int = 1) -> PlayersPage:
    """The players whose names have every word that was typed."""
    found = names.matching(known, search)
    page, pages = turned(page, len(found), ROWS)
    here = found.slice((page - 1) * ROWS, ROWS)
    of = standings(known, here["player_id"].to_list(), today)
    return PlayersPage(
        as_of=today,
        search=search,
        known=len(names.shown(known)),
        players=len(found),
        page=page,
        pages=pages,
        rows=tuple(
            PlayerRow(player_id=one, player=name, nation=nation, standings=tuple(of[one]))
            for one, name, nation in here.select("player_id", "player", "nation").iter_rows()
        ),
    )


def standings(known: Known, players: list[str], day: date) -> dict[str, list[Standing]]:
    """Where some players stand on every list of a day."""
    found: dict[str, list[Standing]] = {one: [] for one in players}
    if not players:
        return found
    for held in days.making():
        name, title = held.name, held.title
        as_of = days.current(known, name, day)
        frame = known.ranking(name, Selection(as_of=as_of)).frame
        rows = frame.filter(frame["player_id"].is_in(players))
        for one, rank, nanopoints in rows.select("player_id", "rank", "nanopoints").iter_rows():
            found[one].append(
                Standing(
                    regulation=name, title=title, as_of=as_of, rank=rank, nanopoints=nanopoints
                )
            )
    return found
