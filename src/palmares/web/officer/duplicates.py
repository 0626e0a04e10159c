"""Possible duplicates, one pair at a time, with the evidence side by side."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares.journal.identity.register import Register, SearchResult, search_players
from palmares.web.http.state import AppState, Snapshot
from palmares.web.officer.inbox import possible_duplicates
from palmares.web.officer.log import Outcome, outcome

PAIRS = 50
"""Pairs that are listed."""
LATEST_RESULTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatePair:
    """Two players who may be one; the first came first."""

    player_id: str
    player: str
    other_id: str
    other: str
    score: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerResult:
    """A player's place in a tournament."""

    tournament_id: str
    tournament: str
    day: date
    rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerEvidence:
    """What is known of one of the two."""

    player: SearchResult
    latest: tuple[PlayerResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatesPage:
    """Pairs that are neither merged nor kept apart; the likeliest first."""

    pairs: tuple[DuplicatePair, ...]
    more: int
    number: int = 0  # of the pair that is shown side by side, from 1; 0: there is none
    evidence: tuple[PlayerEvidence, ...] = ()  # of the two
    outcome: Outcome | None = None  # of the decision before


def duplicates_page(app_state: AppState, number: int, done: int | None) -> DuplicatesPage:
    """Pairs of players, and one of them with the evidence.

    Args:
        app_state: of the journal.
        number: of the pair, from 1; the first where there are not so many.
        done: the entry of the decision before.
    """
    snapshot = app_state.snapshot(at_once=True)
    found = possible_duplicates(app_state)
    pairs = tuple(
        DuplicatePair(
            player_id=one.player,
            player=str(one.form),
            other_id=one.other,
            other=str(one.other_form),
            score=one.score,
            why=one.why,
        )
        for one in found[:PAIRS]
    )
    if not pairs:
        return DuplicatesPage(pairs=(), more=0, outcome=outcome(app_state, done))
    number = number if 0 < number <= len(pairs) else 1
    ids = (pairs[number - 1].player_id, pairs[number - 1].other_id)
    with app_state.journal.reading() as reader:
        register = Register.of(snapshot.projection, reader)
        players = [search_players(register, one)[0] for one in ids]
    return DuplicatesPage(
        pairs=pairs,
        more=max(0, len(found) - PAIRS),
        number=number,
        evidence=tuple(
            PlayerEvidence(player=one, latest=_latest(snapshot, one.player_id)) for one in players
        ),
        outcome=outcome(app_state, done),
    )


def _latest(snapshot: Snapshot, player: str) -> tuple[PlayerResult, ...]:
    """A player's last places, the latest first."""
    facts = snapshot.facts
    tournaments = facts["tournaments"].select(
        "tournament_id", pl.col("name").alias("tournament"), pl.col("end_date").alias("day")
    )
    rows = (
        facts["placings"]
        .filter(pl.col("player_id") == player)
        .join(facts["events"].select("event_id", "tournament_id"), on="event_id")
        .join(tournaments, on="tournament_id")
        .select("tournament_id", "tournament", "day", "rank")
        .sort("day", "tournament_id", descending=[True, False])
    )
    return tuple(PlayerResult(**row) for row in rows.head(LATEST_RESULTS).iter_rows(named=True))
