"""What lists, events and players are called, and the search for names that may be shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import reduce
from operator import and_

import polars as pl

from palmares.facts.schema import WITHHELD
from palmares.facts.text import LONGEST, plain
from palmares.web.http.state import Snapshot


@dataclass(frozen=True, kw_only=True)
class ListAsOf:
    """A list of a regulation, as of a day."""

    regulation: str
    title: str
    as_of: date


@dataclass(frozen=True, kw_only=True)
class EventName:
    """An event and its tournament."""

    event_id: str
    event: str
    tournament_id: str
    tournament: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPlayer:
    """A player by the name that may be shown."""

    player_id: str
    player: str
    nation: str | None


def shown_players(snapshot: Snapshot) -> pl.DataFrame:
    """Every player by name and id: player_id, player, nation, and whether the name is hidden."""

    def make() -> pl.DataFrame:
        hidden = pl.col("withheld").fill_null(value=False)
        found = snapshot.facts["players"].select(
            "player_id",
            pl.when(hidden).then(pl.lit(WITHHELD)).otherwise("name").alias("player"),
            "nation",
            hidden.alias("hidden"),
        )
        return found.sort("player", "player_id")

    return snapshot.once("shown names", make)


def matching_players(snapshot: Snapshot, text: str) -> pl.DataFrame:
    """The players whose shown names have every word that was typed; nobody whose name is withheld.

    Args:
        snapshot: what is known.
        text: what was typed.
    """

    def make() -> pl.DataFrame:
        names = shown_players(snapshot).filter(~pl.col("hidden")).drop("hidden")
        return names.with_columns(plain=plain(names["player"]))

    names = snapshot.once("plain names", make)
    if words := searched_words(text):
        return names.filter(has_words(words))
    signs = text.strip()[:LONGEST]  # signs alone: exactly these
    has_signs = pl.col("player").str.contains(signs, literal=True)
    return names.filter(pl.lit(bool(signs)) & has_signs)


def searched_words(text: str) -> list[str]:
    """The words of a search in small plain letters."""
    return str(plain(pl.Series([text[:LONGEST]], dtype=pl.String))[0]).split()


def has_words(words: list[str]) -> pl.Expr:
    """Whether the column ``plain`` has every one of some words."""
    return reduce(and_, (pl.col("plain").str.contains(word, literal=True) for word in words))
