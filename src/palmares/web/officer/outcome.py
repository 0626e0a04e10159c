"""What a decision did, said on the page that comes after it."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from palmares.core.errors import PalmaresError
from palmares.lists.live import query
from palmares.points.rankings import Selection
from palmares.regulations import get_regulation
from palmares.web.http.state import AppState, awarding_regulations
from palmares.web.officer.log import JournalEntry, entry_page
from palmares.web.shared.names import shown_players


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPoints:
    """The points of a tournament under one regulation."""

    regulation: str  # its title
    players: int  # who have points of it
    leader: str  # who has most of them
    rank: int | None  # of the leader, on the list of today; none: not on it


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an entry did."""

    entry: JournalEntry
    points: tuple[TournamentPoints, ...]  # of the tournament that was reported or corrected


def outcome(app_state: AppState, entry: int | None) -> Outcome | None:
    """What an entry did, in words; none where there is no entry to speak of."""
    if entry is None or not 0 < entry <= app_state.snapshot(at_once=True).head.sequence:
        return None
    done = entry_page(app_state, entry)
    about = done.subject if done.kind in ("report", "override") else ""
    points = (_points(app_state, name, about) for name in awarding_regulations() if about)
    return Outcome(entry=done, points=tuple(one for one in points if one is not None))


def _points(app_state: AppState, regulation: str, tournament: str) -> TournamentPoints | None:
    snapshot = app_state.snapshot()
    try:
        awards = query.of_tournament(snapshot.awarded(regulation), tournament)
        ranking = snapshot.ranking(regulation, Selection(as_of=app_state.today())).frame
    except PalmaresError:  # the event waits for something that is missing
        return None
    if awards.is_empty():
        return None
    sums = awards.group_by("player_id").agg(pl.col("nanopoints").sum())
    leader = str(sums.sort("nanopoints", "player_id", descending=[True, False])["player_id"][0])
    named = shown_players(snapshot).filter(pl.col("player_id") == leader)["player"]
    rank = ranking.filter(pl.col("player_id") == leader)["rank"]
    return TournamentPoints(
        regulation=get_regulation(regulation).title,
        players=sums.height,
        leader=named[0] if len(named) else leader,
        rank=rank[0] if len(rank) else None,
    )
