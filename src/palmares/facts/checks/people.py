"""Players who may be one person, and names with letters of two scripts: reported, never merged."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
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


def mixed_scripts(facts: Facts) -> Iterator[Problem]:
    """Names that have a letter of another script among their letters, such as a Cyrillic A."""
    name = pl.col("name")
    several = name.str.contains(r"[\p{Cyrillic}\p{Greek}]") & name.str.contains(r"\p{Latin}")
    rows = facts.tables["players"].filter(several)
    letters = rows["name"].map_elements(_odd_letter, pl.String)
    yield from problems_at(
        rows.with_columns(_letter=letters).filter(pl.col("_letter") != ""),
        lambda row: msg(
            "'%(name)s' has a letter of another script: %(letter)s",
            name=printable(row["name"]),
            letter=row["_letter"],
        ),
        Cell("players", "name"),
        msg("It may look the same, but makes another name. Type it again, unless it is meant."),
    )


def _odd_letter(name: str) -> str:
    """The rarer letter in a word of two scripts, or in a word of one letter; else nothing."""
    script = {char: unicodedata.name(char, "").split(" ")[0] for char in name if char.isalpha()}
    usual = Counter(script[char] for char in name if char in script).most_common(1)[0][0]
    for word in re.findall(r"[^\W\d_]+", name):
        scripts = Counter(script[char] for char in word)
        main = usual if len(word) == 1 else scripts.most_common(1)[0][0]
        if odd := next((char for char in word if script[char] != main), ""):
            return f"U+{ord(odd):04X} {unicodedata.name(odd)}"
    return ""
