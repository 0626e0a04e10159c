"""Whom a streaming fund writes to: members before a tournament, players who were streamed after."""

from __future__ import annotations

from datetime import date

import polars as pl

from palmares.fund.books import Books
from palmares.journal.projection.project import Projection, canonical_ids


def members_to_write_to(
    projection: Projection, day: date, federation: str | None = None
) -> pl.DataFrame:
    """The members of a federation, or of any, on a day.

    Returns:
        player_id, player, nation, federation and level, by name.
    """
    members = projection.tables["memberships"].filter(
        (pl.col("start") <= day) & (pl.col("end").is_null() | (pl.col("end") >= day))
    )
    if federation is not None:
        members = members.filter(pl.col("federation") == federation)
    members = members.select("player_id", "federation", "level").unique(maintain_order=True)
    return _named(projection, members)


def streamed_players(projection: Projection, tournament: str) -> pl.DataFrame:
    """The players whose matches of a tournament were streamed.

    Returns:
        player_id, player, nation and their days, by name.
    """
    merged = canonical_ids(projection.state.merges())
    days: dict[str, list[str]] = {}
    for day, players in Books(projection.state, date.max).streamed(tournament).items():
        for player in dict.fromkeys(merged.get(player, player) for player in players):
            days.setdefault(player, []).append(day.isoformat())
    rows = pl.DataFrame(
        {"player_id": list(days), "days": [", ".join(of) for of in days.values()]},
        {"player_id": pl.String, "days": pl.String},
    )
    return _named(projection, rows)


def _named(projection: Projection, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with the players' names; those whose name is withheld or erased get no letter."""
    players = projection.tables["players"].filter(~pl.col("withheld").fill_null(value=False))
    names = players.select("player_id", pl.col("name").alias("player"), "nation")
    rest = [name for name in rows.columns if name != "player_id"]
    named = rows.join(names, on="player_id").select("player_id", "player", "nation", *rest)
    return named.sort("player", "player_id")
