"""A player's results under a regulation, how clauses made an award, levels that were reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import polars as pl
from litestar.exceptions import NotFoundException

from palmares.core.errors import brief
from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints, divided_half_up, number_text
from palmares.lists import live
from palmares.lists.figures import players as figures
from palmares.lists.figures.levels import reached, thresholds_of
from palmares.lists.figures.players import PlayerResults
from palmares.lists.figures.rows import shared_places
from palmares.points.history import Fading
from palmares.points.rankings import Selection
from palmares.regulations.words import ClauseLine
from palmares.web.http.state import Snapshot, cached
from palmares.web.shared.names import (
    EventName,
    ShownPlayer,
    merged_into,
    rows_of_player,
    shown_players,
)

# ── results ──────────────────────────────────────────────────────────────────────────────────────


@cached
def player_results(snapshot: Snapshot, regulation: str, player_id: str) -> PlayerResults:
    """A player's results under a regulation."""
    given, fades = snapshot.awards(regulation), fading(snapshot, regulation)
    return figures.player_results(given, player_id, fades)


@cached
def fading(snapshot: Snapshot, regulation: str) -> Fading:
    """How the results of a regulation fade."""
    return Fading(snapshot.awards(regulation).question)


# ── as rows ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardOfDay(EventName):
    """What a player was awarded for one flight of an event, and what it is worth on a day."""

    flight: str
    kind: str
    effective: date
    nanopoints: Nanopoints  # when it is new; a rating: after the event
    worth: Nanopoints  # on the day
    counts: bool  # on the day


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow(AwardOfDay):
    """What a player was awarded for one flight of an event."""

    has_other_days: bool  # other days of play in the same flight gave points of this kind, too
    rank: int | None  # their place; none: they were not placed
    tied: int  # who share the place, with them
    entrants: int | None  # in the flight; none: nobody says
    country: str | None  # of the tournament
    percent_left: int  # of the points, on the day
    expires_on: date | None  # the first day on which it counts no more; none: it always does
    halves_on: date | None  # the first day on which it is worth half of it or less


def _entrants(
    tables: Mapping[str, pl.DataFrame], events: Collection[str]
) -> dict[tuple[str, str], int]:
    """How many entered each flight; a Main, as the event says where the flight does not."""
    theirs = pl.col("event_id").is_in(events)
    main = tables["events"].filter(theirs).select("event_id", pl.lit("main"), "entrants")
    stated = tables["flights"].filter(theirs).select("event_id", "flight", "entrants")
    every = (*main.iter_rows(), *stated.iter_rows())
    return {(event, flight): many for event, flight, many in every if many}


def result_rows(
    snapshot: Snapshot, regulation: str, player_id: str, day: date
) -> tuple[ResultRow, ...]:
    """What a player was awarded up to a day, the latest first."""
    player, tables = player_results(snapshot, regulation, player_id), snapshot.facts.tables
    results = [result for result in player.results if result.effective <= day]
    played = pl.col("tournament_id").is_in({result.tournament_id for result in results})
    countries = dict(tables["tournaments"].filter(played)[["tournament_id", "country"]].iter_rows())
    entrants = _entrants(tables, {result.event_id for result in results})
    events = pl.Series([result.event_id for result in results], dtype=pl.String)
    places = shared_places(tables["placings"], events, {player_id})
    days = Counter((result.event_id, result.flight, result.kind) for result in results)
    rows: list[ResultRow] = []
    for result in reversed(results):
        left, parts = player.fades.left(result.effective, result.edition, day)
        counts = not rows if player.latest else left > 0  # of ratings the last one does
        flight = (result.event_id, result.flight)
        rank, tied = places.get((player_id, *flight), (None, 1))
        rows.append(
            ResultRow(
                event_id=result.event_id,
                event=result.event,
                tournament_id=result.tournament_id,
                tournament=result.tournament,
                flight=result.flight,
                kind=result.kind,
                effective=result.effective,
                nanopoints=result.nanopoints,
                country=countries[result.tournament_id],
                has_other_days=days[*flight, result.kind] > 1,
                rank=rank,
                tied=tied,
                entrants=entrants.get(flight),
                percent_left=divided_half_up(100 * max(left, 0), parts),
                worth=divided_half_up(result.nanopoints * max(left, 0), parts) if counts else 0,
                counts=counts,
                expires_on=player.ends(result),
                halves_on=player.fades.halves(result.effective, result.edition),
            )
        )
    return tuple(rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPlace:
    """Where the player whom a visitor has pinned stands on a list."""

    player_id: str  # on the list: of a record that is theirs
    rank: int
    page: int


def own_place(snapshot: Snapshot, pinned: str, ranked: pl.DataFrame, size: int) -> OwnPlace | None:
    """Where a visitor's own player stands; none: nobody is pinned, or not on the list.

    Args:
        snapshot: what is known.
        pinned: their id, or that of a record that was merged.
        ranked: the list: the rank first, and player_id.
        size: rows of a page.
    """
    if not pinned:
        return None
    merged = merged_into(snapshot)
    player = merged.get(pinned, pinned)
    for record in (player, *(merged_id for merged_id, into in merged.items() if into == player)):
        if (at := ranked["player_id"].index_of(record)) is not None:
            return OwnPlace(player_id=record, rank=ranked[at, 0], page=at // size + 1)
    return None


BEST = 5
"""Results below the row of a player."""


@dataclass(frozen=True, kw_only=True)
class NarrowedPlayers:
    """What a list of players is narrowed to, and what it shows a visitor."""

    players: int  # on the whole list
    nation: str | None  # whose players alone are shown; none: all
    nations: tuple[str, ...]  # of the players on the whole list, and the one asked for
    search: str
    own: OwnPlace | None  # of the visitor's player; none: nobody is pinned, or not on the list
    opened: BestResults | None  # of the player who is asked for; none: nobody is


@dataclass(frozen=True, slots=True, kw_only=True)
class BestResults:
    """A player's results that are worth most on the day of a list; of a rating, that raised it."""

    player_id: str
    nanopoints: Nanopoints  # on the list
    together: Nanopoints  # what the results come to; other than on the list: it has other rules
    results: int  # that count; of a rating, all up to the day
    items: tuple[ResultRow, ...]
    rises: tuple[Nanopoints, ...]  # of a rating: by how much each of them raised it; else none

    @property
    def complete(self) -> bool:
        """Whether the results come to the points on the list; each was rounded once."""
        return abs(self.together - self.nanopoints) <= self.results


def best_results(
    snapshot: Snapshot, regulation: str, selection: Selection, ranked: pl.DataFrame, player_id: str
) -> BestResults | None:
    """The best results of a player on a list; none: no player is asked for.

    Args:
        snapshot: what was known when the list was made.
        regulation: of the list.
        selection: which results count on it.
        ranked: its player_id and nanopoints.
        player_id: whose results; empty: nobody's.

    Raises:
        NotFoundException: they are not on the list.
    """
    if not player_id:
        return None
    at = ranked["player_id"].index_of(player_id)
    if at is None:
        raise NotFoundException(
            msg("Nobody with the ID %(player)s is on this list.", player=brief(player_id))
        )
    player = player_results(snapshot, regulation, player_id)
    rows = result_rows(snapshot, regulation, player_id, selection.as_of)
    results = [result for result in rows if result.counts or player.latest]
    if player.number is not None and selection != Selection(
        as_of=selection.as_of, nation=selection.nation
    ):
        awards = selection.apply(live.of_players(snapshot.awards(regulation), player.number))
        counted = set(awards.select("event_id", "flight", "kind", "effective").iter_rows())
        results = [
            result
            for result in results
            if (result.event_id, result.flight, result.kind, result.effective) in counted
        ]
    until = [result for result in player.results if result.effective <= selection.as_of]
    given = snapshot.awards(regulation)
    rises = figures.won_in(given, until) if player.latest else {}
    worth = {result: rises.get(result.event_id, result.worth) for result in results}
    best = sorted(results, key=lambda result: (-worth[result], -result.effective.toordinal()))
    best = [result for result in best if worth[result] > 0][:BEST]
    return BestResults(
        player_id=player_id,
        nanopoints=ranked["nanopoints"][at],
        together=results[0].nanopoints
        if player.latest and results
        else sum(result.worth for result in results),
        results=len(results),
        items=tuple(best),
        rises=tuple(worth[result] for result in best) if player.latest else (),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelReached(ShownPlayer, EventName):
    """A player who reached a level, and the award that did it."""

    level: str
    effective: date
    kind: str
    nanopoints: Nanopoints  # of their lifetime, with that award


@cached
def levels_reached(snapshot: Snapshot, regulation: str) -> pl.DataFrame:
    """Every level that a player reached, the latest first.

    Returns:
        The fields of `LevelReached`, and ``row``, which tells the row from every other; no row
        where the journal has no levels.
    """
    thresholds = thresholds_of(snapshot.projection.state, regulation)
    if not thresholds:
        return pl.DataFrame(schema={"player_id": pl.String, "effective": pl.Date})
    tables = snapshot.facts.tables
    events = tables["events"].select("event_id", "tournament_id", event="name")
    tournaments = tables["tournaments"].select("tournament_id", tournament="name")
    names = shown_players(snapshot).drop("hidden")
    rows = reached(snapshot.awards(regulation), thresholds).rename({"lifetime": "nanopoints"})
    for more, key in (
        (events, "event_id"),
        (tournaments, "tournament_id"),
        (names, "player_id"),
    ):
        rows = rows.join(more, on=key, how="left", maintain_order="left")
    return rows.with_columns(row=pl.format("{} {}", "level", "player_id"))


def level_of(snapshot: Snapshot, regulation: str, player_id: str, day: date) -> LevelReached | None:
    """The highest level that a player has reached up to a day; none: none."""
    names = list(thresholds_of(snapshot.projection.state, regulation))
    rows = rows_of_player(levels_reached(snapshot, regulation), player_id)
    theirs = [LevelReached(**row) for row in rows.drop("row", strict=False).to_dicts()]
    return max(
        (level for level in theirs if level.effective <= day),
        key=lambda level: names.index(level.level),
        default=None,
    )


# ── clauses at work: their words, the numbers in, the number out ──────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedLine:
    """One clause at work."""

    clause: str  # "wbgf grade"
    label: str  # where it stands in the text
    says: str  # the text's own words
    repeated: bool  # its words were shown already
    inputs: Mapping[str, str]  # by name the numbers that went in, as a person reads them
    value: str
    readings: tuple[str, ...]  # those not shown already
    depth: int  # 0, or how far inside another clause


@dataclass(frozen=True, kw_only=True)
class WorkedAward:
    """How an award came about."""

    edition: str  # "wbgf/undated"
    sha256: str  # of the edition file
    summary: str  # "Place 2 of 48: 1.5 × 0.75 × … ≈ 54.76; 746 of 1,095 days are left: 37.31"
    formula: str  # "grade × format factor × …", the terms of that sum; empty: no arithmetic
    lines: tuple[WorkedLine, ...]
    fading: tuple[WorkedLine, ...]  # none where it is not valued on a day, or does not fade


def worked(lines: Iterable[ClauseLine], seen: set[str] | None = None) -> tuple[WorkedLine, ...]:
    """Lines for a page; each text and each reading is shown once.

    Args:
        lines: of an explanation, in order.
        seen: texts and readings already on the page; those of these lines are added.
    """
    seen = set() if seen is None else seen
    worked_lines = []
    for line in lines:
        worked_lines.append(
            WorkedLine(
                clause=line.clause,
                label=line.label,
                says=line.says,
                repeated=line.says in seen,
                inputs={name: _number(value) for name, value in line.inputs},
                value=_number(line.value),
                readings=tuple(reading for reading in line.readings if reading not in seen),
                depth=line.depth,
            )
        )
        seen.update((line.says, *line.readings))
    return tuple(worked_lines)


def _number(value: Any) -> str:
    """A number as a person reads it; what nobody gave is a dash."""
    return "–" if value is None else number_text(value)
