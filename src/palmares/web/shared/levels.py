"""Recognition levels: who reached which, when, and through which award."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares.core.rounding import Nanopoints
from palmares.lists.figures.levels import reached, thresholds_of
from palmares.web.http.state import Snapshot
from palmares.web.shared.names import ShownPlayer, rows_with, shown_players


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelReached(ShownPlayer):
    """A player who reached a level, and the award that did it."""

    level: str
    effective: date
    event_id: str
    event: str
    tournament_id: str
    tournament: str
    kind: str
    nanopoints: Nanopoints  # of their lifetime, with that award


def levels_reached(snapshot: Snapshot, regulation: str) -> pl.DataFrame:
    """Every level that a player reached, the latest first.

    Returns:
        The fields of `LevelReached`, and ``row``, which tells the row from every other; no row
        where the journal has no levels.
    """

    def make() -> pl.DataFrame:
        thresholds = thresholds_of(snapshot.projection.state, regulation)
        if not thresholds:
            return pl.DataFrame(schema={"player_id": pl.String, "effective": pl.Date})
        tables = snapshot.facts.tables
        events = tables["events"].select("event_id", "tournament_id", event="name")
        tournaments = tables["tournaments"].select("tournament_id", tournament="name")
        names = shown_players(snapshot).drop("hidden")
        rows = reached(snapshot.awarded(regulation), thresholds).rename({"lifetime": "nanopoints"})
        for more, key in (
            (events, "event_id"),
            (tournaments, "tournament_id"),
            (names, "player_id"),
        ):
            rows = rows.join(more, on=key, how="left", maintain_order="left")
        return rows.with_columns(row=pl.format("{} {}", "level", "player_id"))

    return snapshot.once(("levels", regulation), make)


def level_of(snapshot: Snapshot, regulation: str, player_id: str, day: date) -> LevelReached | None:
    """The highest level that a player has reached up to a day; none: none."""
    names = list(thresholds_of(snapshot.projection.state, regulation))
    rows = rows_with(levels_reached(snapshot, regulation), "player_id", player_id)
    theirs = [LevelReached(**row) for row in rows.drop("row", strict=False).to_dicts()]
    return max(
        (level for level in theirs if level.effective <= day),
        key=lambda level: names.index(level.level),
        default=None,
    )
