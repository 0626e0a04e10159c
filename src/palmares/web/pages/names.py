"""
Names as they may be shown, and how they are searched: capitals and accents mean nothing.

    matching    what somebody typed  ->  the ids of the players whose names have every word of it
    shown       every player: player_id, player, nation
"""

from __future__ import annotations

from functools import reduce
from operator import and_

import polars as pl

from palmares.facts.texts import LONGEST, plain
from palmares.results import WITHHELD
from palmares.web.hall import Known

__all__ = ["LONGEST", "matching", "shown", "typed"]  # a search is no longer than a name


def shown(known: Known) -> pl.DataFrame:
    """Every player, by name and id."""
    return known.once("shown names", lambda: _shown(known))


def _shown(known: Known) -> pl.DataFrame:
    withheld = pl.col("withheld").fill_null(value=False)
    return (
        known.facts["players"]
        .select(
            "player_id",
            pl.when(withheld).then(pl.lit(WITHHELD)).otherwise("name").alias("player"),
            "nation",
            withheld.alias("hidden"),
        )
        .sort("player", "player_id")
    )


def matching(known: Known, text: str) -> pl.DataFrame:
    """The players whose shown names have every word that was typed, by name; nobody is withheld."""
    names = known.once("plain names", lambda: _plain(known))
    words = typed(text)
    if not words:  # signs alone: exactly these
        signs = text.strip()[:LONGEST]
        found = pl.col("player").str.contains(signs, literal=True)
        return names.filter(found) if signs else names.clear()
    return names.filter(
        reduce(and_, (pl.col("plain").str.contains(word, literal=True) for word in words))
    )


def _plain(known: Known) -> pl.DataFrame:
    names = shown(known).filter(~pl.col("hidden")).drop("hidden")
    return names.with_columns(plain=plain(names["player"]))


def typed(text: str) -> list[str]:
    """The words of a search in small plain letters."""
    return str(plain(pl.Series([text[:LONGEST]], dtype=pl.String))[0]).split()
