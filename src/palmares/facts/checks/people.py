"""Names that look like one person's; told, never merged."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from palmares.core.errors import Problem
from palmares.core.messages import joined, msg
from palmares.facts.problems import Cell, problems_at
from palmares.facts.schema import FILE, LINE, Facts
from palmares.facts.text import plain, shown


def possible_duplicates(facts: Facts) -> Iterator[Problem]:
    """Players known by their name alone whose names have the same words.

    Capitals, accents, hyphens, points and the order of words are looked through. A player with an
    id of their own is somebody in particular and is left out.
    """
    players = facts.tables["players"].select("player_id", "name", FILE, LINE).drop_nulls()
    by_name = (pl.col("player_id") == pl.col("name")) | pl.col("player_id").str.starts_with(
        pl.col("name") + " ("
    )
    alike = (
        players.filter(by_name)
        .unique("player_id", keep="first", maintain_order=True)
        .with_columns(_key=pl.col("name").map_batches(_words, pl.String))
        .filter(pl.col("_key").is_duplicated() & (pl.col("_key") != ""))
        .group_by("_key", maintain_order=True)
        .agg("player_id", pl.col(FILE).last(), pl.col(LINE).last())
    )
    yield from problems_at(
        alike,
        lambda row: msg(
            "%(names)s: possibly one person", names=joined([shown(one) for one in row["player_id"]])
        ),
        Cell("players", "player_id"),
        msg("If so, give both the same id in square brackets; if not, give each an id of its own."),
    )


def _words(names: pl.Series) -> pl.Series:
    """The words of each name in small plain letters, sorted."""
    return plain(names).str.split(" ").list.sort().list.join(" ")
