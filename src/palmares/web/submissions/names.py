"""Who the names of a report are, as a form says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from palmares.core.errors import Refused
from palmares.facts.text import plain
from palmares.journal.identity.register import find_player_id
from palmares.web.http.parameters import field
from palmares.web.http.state import Snapshot
from palmares.web.shared.names import shown_players


def names_of_form(form: Mapping[str, Any], snapshot: Snapshot) -> tuple[dict[str, str], list[str]]:
    """The player of each name, an id or "new", and what is wrong with those that name nobody.

    A name is a field ``name.3``; who it is, a choice ``who.3``, or someone else in ``other.3`` by
    id or by name.
    """
    chosen: dict[str, str] = {}
    problems = []
    for key, value in form.items():
        before, _, number = key.partition(".")
        if before != "name" or not value or not isinstance(value, str):
            continue
        if other := field(form, f"other.{number}").strip():
            try:
                chosen[value] = _player(snapshot, other)
            except Refused as error:
                problems.append(str(error))
        elif who := field(form, f"who.{number}"):
            chosen[value] = who
    return chosen, problems


def _player(snapshot: Snapshot, text: str) -> str:
    """The id of a player by id or by name; capitals and accents do not matter.

    Raises:
        Refused: nobody, or more than one, is called so; those who come close are named.
    """
    try:
        return find_player_id(snapshot.projection, text)
    except Refused:
        players = shown_players(snapshot).filter(~pl.col("hidden"))
        same = plain(players["player"]) == plain(pl.Series([text], dtype=pl.String))[0]
        ids = players.filter(same)["player_id"]
        if len(ids) == 1:
            return str(ids[0])
        raise
