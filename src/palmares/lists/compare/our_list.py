"""Our list with exact totals, and how theirs is rounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from palmares.core.rounding import points_text, shared
from palmares.formats.printed_lists import RULES, PrintedRow
from palmares.points import ledger
from palmares.points.awards import Awards
from palmares.points.rankings import Selection

MAX_PLACES = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class OurList:
    """Our list, and the rounding rules under which most of their lines fit."""

    frame: pl.DataFrame  # the ranking
    weights: Mapping[str, int]  # by player: nanopoints times parts
    counts: Mapping[str, int]  # of awards by player
    parts: int
    latest: bool  # whether the latest award replaces those before
    rules: tuple[str, ...]  # of `palmares.formats.printed_lists.RULES`, under which most fit
    lines: int  # of theirs that fit
    places: int  # decimals of their list

    @property
    def rule(self) -> str:
        """The rounding rule of their list, as far as it fits."""
        return self.rules[0]

    def bounds(self, player_id: str, row: PrintedRow, rule: str = "") -> tuple[int, int]:
        """The least and the greatest weight that are printed as in a line."""
        return row.points.bounds(rule or self.rule, self.parts, self.counts.get(player_id, 1))

    def fits(self, player_id: str, row: PrintedRow) -> bool:
        """Whether a line has our number of a player."""
        return _fits(self.weights, player_id, self.bounds(player_id, row))

    def points(self, weight: int) -> str:
        """A weight as points, with the decimals of their list."""
        return points_text(shared(weight, self.parts), min(MAX_PLACES, self.places))


def our_list(
    awards: Awards, selection: Selection, lines: Sequence[tuple[str, PrintedRow]], places: int
) -> OurList:
    """Our list, and how their list is rounded.

    Args:
        awards: of all players.
        selection: the day, and which awards count.
        lines: of their list, with the ids of their players.
        places: decimals of their list.
    """
    book, latest = ledger.ledger(awards), awards.question.aggregate.latest
    frame = ledger.ranking(book, selection).frame
    totals, parts = ledger.totals(book, selection)
    ids, on_list = book.players["player_id"], set(frame["player_id"])
    weights = {
        player: total
        for player, total in zip(ids, totals.tolist(), strict=True)
        if player in on_list
    }
    counts = selection.apply(awards.frame).group_by("player_id").len()
    many = {} if latest else dict(counts.iter_rows())
    fitting = {
        rule: sum(
            _fits(weights, player, row.points.bounds(rule, parts, many.get(player, 1)))
            for player, row in lines
        )
        for rule in RULES
    }
    most = max(fitting.values())
    return OurList(
        frame=frame,
        weights=weights,
        counts=many,
        parts=parts,
        latest=latest,
        rules=tuple(rule for rule in RULES if fitting[rule] == most),
        lines=most,
        places=places,
    )


def _fits(weights: Mapping[str, int], player_id: str, bounds: tuple[int, int]) -> bool:
    return player_id in weights and bounds[0] <= weights[player_id] <= bounds[1]
