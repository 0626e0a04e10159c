"""Players who may be one person: reported, never merged."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from palmares.core.errors import Problem
from palmares.core.messages import joined, msg
from palmares.facts.problems import Cell, problems_at
from palmares.facts.schema import FILE, LINE, Facts
from palmares.facts.text import plain, printable


def possible_duplicates(facts: Facts) -> Iterator[Problem]:
    """Players whose names have the same words, if one of them has no id of their own.

    Capitals, accents, hyphens, points and the order of words make no difference.
    """
    players = facts.tables["players"].select("player_id", "name", FILE, LINE).drop_nulls()
    by_name = (pl.col("player_id") == pl.col("name")) | pl.col("player_id").str.starts_with(
        pl.col("name") + " ("
    )
    players = players.with_columns(_by_name=by_name).unique(
        "player_id", keep="first", maintain_order=True
    )
    if not players["_by_name"].any():
        return
    alike = (
        players.with_columns(_key=pl.col("name").map_batches(_words, pl.String))
        .filter(pl.col("_key") != "", pl.col("_by_name").any().over("_key"))
        .filter(pl.col("_key").is_duplicated())
        .group_by("_key", maintain_order=True)
        .agg("player_id", "name", "_by_name", pl.col(FILE).last(), pl.col(LINE).last())
    )
    yield from problems_at(
        alike,
        lambda row: msg(
            "%(names)s: possibly one person",
            names=joined(
                [
                    printable(key if alone else f"{name} [{key}]")
                    for key, name, alone in zip(
                        row["player_id"], row["name"], row["_by_name"], strict=True
                    )
                ]
            ),
        ),
        Cell("players", "player_id"),
        msg("If so, give both the same id in square brackets; if not, give each an id of its own."),
    )


def _words(names: pl.Series) -> pl.Series:
    """The words of each name in small plain letters, sorted."""
    return plain(names).str.split(" ").list.sort().list.join(" ")
