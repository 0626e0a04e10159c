"""Names of players, events, tournaments as pages show them, and the search for names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from functools import cache, lru_cache
from typing import Any, TypeVar

import numpy as np
import polars as pl
from rapidfuzz import process
from rapidfuzz.distance import OSA

from palmares.core.rounding import Nanopoints
from palmares.facts import codes
from palmares.facts.schema import WITHHELD
from palmares.facts.text import LONGEST, consonants, plain, sounds
from palmares.journal.projection.project import canonical_ids
from palmares.web.http.i18n import LANGUAGES, own_names, wording
from palmares.web.http.state import Snapshot, cached

T = TypeVar("T")

SHORTEST_TO_MISTYPE = 4
"""Letters of the shortest word in which one may be wrong."""
FEWEST_CONSONANTS = 3
"""Consonants of the shortest word that is known by them."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerChange(ShownPlayer):
    """A player whose rank, points or name differ between two lists."""

    rank_before: int | None  # none: not on the list
    rank: int | None
    nanopoints_before: Nanopoints
    nanopoints: Nanopoints
    change: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPlayer(ShownPlayer):
    """A player and their place on a list."""

    rank: int
    nanopoints: Nanopoints


@cached
def shown_players(snapshot: Snapshot) -> pl.DataFrame:
    """Every player by name and id, hidden names last: player_id, player, nation, hidden."""
    hidden = pl.col("withheld").fill_null(value=False)
    players = snapshot.facts["players"].select(
        "player_id",
        pl.when(hidden).then(pl.lit(WITHHELD)).otherwise("name").alias("player"),
        "nation",
        hidden.alias("hidden"),
    )
    return players.sort("hidden", "player", "player_id")


def rows_of_player(frame: pl.DataFrame, player_id: str) -> pl.DataFrame:
    """The rows of a player; taken by number, as a filter of Polars asks all cores."""
    return frame[(frame["player_id"] == player_id).arg_true()]


@cached
def merged_into(snapshot: Snapshot) -> Mapping[str, str]:
    """For every merged record the one that it is part of in the end."""
    return canonical_ids(snapshot.projection.state.merges())


def shown_row(snapshot: Snapshot, player: str) -> tuple[str, str, str | None, bool] | None:
    """A player's row of `shown_players`, of a merged record that of the one it is part of."""
    players = shown_players(snapshot)
    same = players["player_id"] == merged_into(snapshot).get(player, player)
    row = same.arg_max()  # a page asks for fifty: to gather rows would take nine times as long
    return None if row is None or not same[row] else players.row(row)


def shown_player(snapshot: Snapshot, player: str) -> ShownPlayer:
    """A player by the name that may be shown; a merged record has that of the one it is part of.

    The ID stands for a name where there is no player.
    """
    _, name, nation, _ = shown_row(snapshot, player) or (player, player, None, False)
    return ShownPlayer(player_id=player, player=name, nation=nation)


def shown_by_id(snapshot: Snapshot, players: Iterable[str]) -> dict[str, ShownPlayer]:
    """`shown_player` of some players who are no merged records; others are left out."""
    every = shown_players(snapshot)
    rows = every[
        every["player_id"].is_in(pl.Series([*players], dtype=pl.String).implode()).arg_true()
    ]
    return {
        player: ShownPlayer(player_id=player, player=name, nation=nation)
        for player, name, nation, _ in rows.iter_rows()
    }


def extended(cls: type[T], view: Any, **more: Any) -> T:
    """A view as another one: every field that both have, and what is given beside them."""
    same = {name: getattr(view, name) for name in _common_fields(cls, type(view))}  # type: ignore[arg-type]
    return cls(**same | more)


@cache
def _common_fields(cls: Any, other: Any) -> tuple[str, ...]:
    """The fields of a class that another one has, too: asked for each row of a page."""
    given = getattr(other, "__struct_fields__", None) or [field.name for field in fields(other)]
    names = {field.name for field in fields(cls)}
    return tuple(name for name in given if name in names)


def with_name(
    cls: type[T],
    snapshot: Snapshot,
    view: Any,
    known: Mapping[str, ShownPlayer] | None = None,
    **more: Any,
) -> T:
    """A view of a player with the name that may be shown, found by its ``player_id``.

    Args:
        cls: of the view to make.
        snapshot: what is known.
        view: of the player.
        known: players who were found together, by ``shown_by_id``.
        more: fields beside those that both views have.
    """
    name = (known or {}).get(view.player_id) or shown_player(snapshot, view.player_id)
    return extended(cls, view, player=name.player, nation=name.nation, **more)


@cached
def players_with_names(snapshot: Snapshot) -> pl.DataFrame:
    """Players whose names may be shown; ``plain`` is the name in lower-case ASCII."""
    names = shown_players(snapshot).filter(~pl.col("hidden")).drop("hidden")
    return names.with_columns(plain=plain(names["player"]))


def matching_players(
    snapshot: Snapshot, text: str, more: Mapping[str, str] | None = None
) -> pl.DataFrame:
    """Players whose names match the search, or whose ID it is; none whose name is withheld.

    The ID of a merged record is one of the player whom it is a part of.

    Args:
        snapshot: what is known.
        text: the search.
        more: names of records that are no players any more, by their ids.
    """
    names, typed = players_with_names(snapshot), text.strip()[:LONGEST]
    if more:
        records = pl.DataFrame([*more.items()], ["player_id", "player"], orient="row")
        records = records.filter(pl.col("player") != WITHHELD)
        records = records.with_columns(plain=plain(records["player"]))
        names = pl.concat([names, records], how="diagonal")
    ids = [typed, merged_into(snapshot).get(typed, typed)]
    own = names[names["player_id"].is_in(ids).arg_true()]
    if searched_words(text):
        matches = matching_rows(names, text)
    else:  # signs alone: exactly these
        has_signs = pl.col("player").str.contains(typed, literal=True)
        matches = names.filter(pl.lit(bool(typed)) & has_signs)
    return pl.concat([own, matches.filter(~pl.col("player_id").is_in(ids))])


def matching_rows(frame: pl.DataFrame, text: str) -> pl.DataFrame:
    """The rows whose column ``plain`` has every word of a text.

    Where no row has, those that have them with one letter wrong, missing or too many, or with a
    space where none was typed.
    """
    patterns = _patterns(text)
    if not patterns:
        return frame.clear()
    matches = frame.filter(*(pl.col("plain").str.contains(pattern) for pattern, _ in patterns))
    if len(matches):
        return matches
    vocabulary = frame["plain"].str.split(" ").explode().unique().drop_nulls()
    together = pl.col("plain").str.replace_all(" ", "", literal=True)
    return frame.filter(
        *(
            pl.col("plain").str.contains(pattern)
            | pl.col("plain").str.contains_any(near_words(word, vocabulary).implode())
            | (together.str.contains(word, literal=True) & (len(word) >= SHORTEST_TO_MISTYPE))
            for pattern, word in patterns
        )
    )


@lru_cache  # a page looks for the same words in several tables
def _patterns(text: str) -> tuple[tuple[str, str], ...]:
    """What to find for each word of a search, and the word; empty where it is not mistyped.

    Other letters than Latin ones stand for a few of them, which are in many names: words begin
    with these. Words are made of syllables wholly: 日本, "ri ben", is not in Ben Friesen.
    """
    patterns = []
    for typed in text[:LONGEST].split():
        words = searched_words(typed)
        if _SYLLABLE.search(typed):
            of_these = f"(?:{'|'.join(words)})*"
            patterns += [(rf"\b{of_these}{word}{of_these}\b", "") for word in words]
        else:
            start = "" if all(map(_is_latin, typed)) else r"\b"
            patterns += [(start + word, word) for word in words]
    return tuple(patterns)


_SYLLABLE = re.compile("[\u3400-\u9fff\uac00-\ud7a3]")
"""A letter of Chinese or Korean."""


def _is_latin(letter: str) -> bool:
    return letter.isascii() or not letter.isalpha() or "LATIN" in unicodedata.name(letter, "")


BRITISH = ("GBR", "ENG", "NIR", "SCO", "WAL")
"""The United Kingdom, and its nations in sport."""


def matching_nations(frame: pl.DataFrame, text: str) -> pl.DataFrame:
    """The rows whose nation a text names, in any language that is read, or nearly."""
    if not text:
        return frame.clear()
    named = frame.with_columns(
        plain=pl.Series(map(_nation_names, frame["nation"]), dtype=pl.String)
    )
    code = codes.nation_in_column(" ".join(text.split()))
    meant = BRITISH if code == "GBR" else (code,)
    return frame.filter(pl.col("nation").is_in([*matching_rows(named, text)["nation"], *meant]))


@cache
def _nation_names(code: str) -> str:
    """The code of a nation and its names in our languages and its own, in small plain letters."""
    names = [code, *(wording(tag).country(code) for tag in LANGUAGES), *own_names(code)]
    return str(plain(pl.Series([" ".join(names)]))[0])


def near_words(word: str, vocabulary: pl.Series) -> pl.Series:
    """Words that begin or sound like one but for one letter, or have its consonants.

    Short words have no letter wrong; where no vowel was typed, consonants tell, not sounds.
    """
    if not word or vocabulary.is_empty():
        return vocabulary.clear()
    words = pl.concat([pl.Series([word]), vocabulary], rechunk=True)
    if set(word) & set("aeiou"):
        near = _nearly(sounds(words))
    else:
        bare, *others = consonants(words)
        near = np.array([len(bare) >= FEWEST_CONSONANTS and each == bare for each in others])
    return vocabulary.filter(pl.Series(_nearly(words) | near))


def _nearly(words: pl.Series) -> Any:
    """Which words but the first begin like it, but for one letter if it is not short."""
    typed, *vocabulary = words
    wrong = 1 if len(typed) >= SHORTEST_TO_MISTYPE else 0
    full_words, beginnings = (
        process.cdist([typed], others, scorer=OSA.distance, score_cutoff=wrong)[0] <= wrong
        for others in (vocabulary, [each[: len(typed)] for each in vocabulary])
    )
    return np.logical_or(full_words, beginnings)


@lru_cache  # a page looks for the same words in several tables
def searched_words(text: str) -> tuple[str, ...]:
    """The words of a search in small plain letters."""
    return (*str(plain(pl.Series([text[:LONGEST]], dtype=pl.String))[0]).split(),)


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRow:
    """One tournament."""

    tournament_id: str
    name: str
    discipline: str | None
    setting: str  # live | online
    city: str | None
    country: str | None
    end_date: date


def tournament_rows(table: pl.DataFrame) -> tuple[TournamentRow, ...]:
    """Rows of `all_tournaments` for a page."""
    rows = table[list(TournamentRow.__slots__)].iter_rows(named=True)
    return tuple(TournamentRow(**row) for row in rows)


@cached
def all_tournaments(snapshot: Snapshot) -> pl.DataFrame:
    """Every tournament, the latest first, with its year."""
    return (
        snapshot.facts["tournaments"]
        .select(
            *("tournament_id", "name", "discipline"),
            pl.col("setting").fill_null("live"),
            *("city", "country", "end_date"),
            pl.col("end_date").dt.year().alias("year"),
        )
        .sort("end_date", "tournament_id", descending=True)
    )


@cached
def searchable_tournaments(snapshot: Snapshot) -> pl.DataFrame:
    """Every tournament, the latest first, with its name and place in plain words."""
    table = all_tournaments(snapshot)
    words = pl.concat_str("name", "city", "country", separator=" ", ignore_nulls=True)
    return table.with_columns(plain=plain(table.select(words.alias("words"))["words"]))
