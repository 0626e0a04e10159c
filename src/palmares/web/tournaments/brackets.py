"""The bracket of a knockout whose matches were reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from palmares.web.shared.names import ShownPlayer

MOST_ROUNDS = 4
"""A bracket begins with the round of 16; all places stand in the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketMatch:
    """A match of a knockout."""

    length: int  # points that win it
    winner: ShownPlayer
    loser: ShownPlayer | None  # none: a bye


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketRound:
    """A round of a knockout, from the top of its bracket to the bottom."""

    round: str
    matches: tuple[BracketMatch | None, ...]  # two for each of the next round; none: not reported


def bracket(matches: pl.DataFrame, players: Mapping[str, ShownPlayer]) -> tuple[BracketRound, ...]:
    """The last rounds of a knockout; empty where its matches do not lead to one final.

    Rounds are known by their number of matches, since directors name them as they like; of two with
    as many matches, the one reported nearer the final is the later one.

    Args:
        matches: of one flight.
        players: everybody in them, by id.
    """
    by_round: dict[str, list[dict[str, Any]]] = {}
    for match in matches.drop_nulls("round").iter_rows(named=True):
        by_round.setdefault(match["round"], []).append(match)
    names = list(by_round)
    final = next((at for at, name in enumerate(names) if len(by_round[name]) == 1), 0)
    rounds = sorted(
        by_round.items(), key=lambda item: (len(item[1]), abs(names.index(item[0]) - final))
    )
    slots: list[dict[str, Any] | None] = []
    columns: list[BracketRound] = []
    for name, played in rounds[:MOST_ROUNDS]:
        if not slots:
            slots = list(played)
        else:
            by_winner = {match["winner_id"]: match for match in played}
            sides = [match and match[side] for match in slots for side in ("winner_id", "loser_id")]
            slots = [by_winner.pop(player, None) for player in sides]
            if by_winner:  # somebody won it and did not play on
                return ()
        if len(slots) != 2 ** len(columns):
            return ()
        columns.append(
            BracketRound(round=name, matches=tuple(_match(match, players) for match in slots))
        )
    return tuple(reversed(columns)) if len(columns) > 1 else ()


def _match(
    match: Mapping[str, Any] | None, players: Mapping[str, ShownPlayer]
) -> BracketMatch | None:
    if match is None:
        return None
    return BracketMatch(
        length=match["length"],
        winner=players[match["winner_id"]],
        loser=players[match["loser_id"]] if match["loser_id"] else None,
    )
