"""Everybody's totals on two lists, and what other rules or another day make of sums."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from palmares.lists import live
from palmares.lists.diff.parts import (
    EXPIRED,
    ExactPart,
    ExactParts,
    PartKey,
    PathPoint,
    add_part,
    contributions,
    exact_parts,
    joined,
    split_change,
)
from palmares.lists.live import JournalAwards
from palmares.points import ledger
from palmares.points.kernels import sums
from palmares.points.kernels.sums import Array
from palmares.points.ledger import Ledger, Weights
from palmares.points.rankings import Selection


class Totals(NamedTuple):
    """The exact total of every player on a day, as `palmares.points.ledger` has it."""

    players: pl.Series  # their ids, each once
    found: Array  # nanopoints times ``parts``
    parts: int
    weights: Weights  # of the award classes of that ledger on the day
    latest: bool

    def exact(self) -> Array:
        """The totals, 0 where nothing counts."""
        exact: Array = np.where(self.found == sums.absent(self.found), 0, self.found)
        return exact

    def less(self, changes: ExactParts) -> Totals:
        """The sums without some changes, which may be of more players."""
        theirs = changes.weights()
        if not theirs:
            return self
        of = lcm(self.parts, changes.of)
        players, numbers = _numbered(self.players, pl.Series("player_id", list(theirs)))
        found = np.zeros(len(players), object)
        found[: len(self.players)] = self.exact()
        found *= of // self.parts
        found[numbers] -= np.array([*theirs.values()], object) * (of // changes.of)
        is_wide = np.abs(found).max() >= sums.LIMIT
        return self._replace(
            players=players, found=found if is_wide else found.astype(np.int64), parts=of
        )


def totals(book: Ledger, selection: Selection) -> Totals:
    """The totals of a day."""
    weights = ledger.class_weights(book, selection)
    found, parts = ledger.player_totals(book, selection, weights)
    return Totals(book.players["player_id"], found, parts, weights, book.latest)


def _numbered(players: pl.Series, wanted: pl.Series) -> tuple[pl.Series, Array]:
    """All players, new ones last, and the number of each wanted one among them."""
    at = players.is_in(wanted.implode()).arg_true()
    numbers = dict(zip(players.gather(at), at, strict=True))
    new = [player for player in wanted if player not in numbers]
    numbers |= {player: len(players) + place for place, player in enumerate(new)}
    every = pl.concat([players, pl.Series(new, dtype=pl.String)]) if new else players
    return every, np.array([numbers[player] for player in wanted], np.int64)


def rank_changes(first: Totals, last: Totals) -> tuple[pl.DataFrame, int]:
    """The players whose rank or exact points differ, and how many are on either list.

    Returns:
        player_id, rank_a, rank_b, nanopoints_a, nanopoints_b, change, and ``moved``: whether the
        exact points differ.
    """
    players, numbers = first.players, np.arange(len(first.players))
    others = numbers
    if last.players is not players:
        players, others = _numbered(players, last.players)
    a, b = _placed(first, numbers, len(players)), _placed(last, others, len(players))
    if first.parts == last.parts:
        moved = a.exact != b.exact
    else:  # 64 bits might not hold the products
        moved = a.exact.astype(object) * last.parts != b.exact.astype(object) * first.parts
    on_list = (a.ranks > 0) | (b.ranks > 0)
    differ = np.flatnonzero(on_list & (moved | (a.ranks != b.ranks)))
    columns: dict[str, Any] = {"player_id": players.gather(differ)}
    for name, side in (("a", a), ("b", b)):
        ranks = pl.Series(side.ranks[differ])
        columns[f"rank_{name}"] = ranks.set(ranks == 0, None)
        columns[f"nanopoints_{name}"] = side.nanopoints[differ]
    columns["change"] = (b.nanopoints - a.nanopoints)[differ]
    columns["moved"] = moved[differ].astype(bool)
    return pl.DataFrame(columns), int(np.count_nonzero(on_list))


class _Placed(NamedTuple):
    """A list by the numbers of players."""

    exact: Array
    ranks: Array  # 0: not on it
    nanopoints: Array


def _placed(given: Totals, numbers: Array, players: int) -> _Placed:
    """The list of some totals.

    Args:
        given: the totals.
        numbers: of their players.
        players: how many there are on both lists.
    """
    own, ranks, nanopoints = ledger.order_totals(given.found, given.parts, latest=given.latest)
    exact, *whole = (np.zeros(players, kind) for kind in (given.found.dtype, np.int64, np.int64))
    exact[numbers] = given.exact()
    for column, values in zip(whole, (ranks, nanopoints), strict=True):
        column[numbers[own]] = values
    return _Placed(exact, *whole)


@dataclass(frozen=True, slots=True, eq=False)
class OtherRules:
    """From the rules and the day of one list to those of another, with the same entries."""

    kept: tuple[JournalAwards, JournalAwards]  # by the rules of each; the same if they are
    selections: tuple[Selection, Selection]
    weights: tuple[Weights, Weights]  # of award classes by the other rules, on both days
    new: Collection[str]  # tournaments that only the later list knows

    def parts(self, players: pl.Series) -> ExactParts:
        """The parts of some players' changes."""
        rules, others = self.kept
        exact = [] if others is rules else [self._by_rules(players)]
        if self.selections[0] != self.selections[1]:
            exact.append(self._by_days(players))
        return joined(exact)

    def _by_rules(self, players: pl.Series) -> ExactParts:
        """What the other rules change on the earlier list."""
        path = [
            PathPoint(
                cause,
                contributions(
                    given.question,
                    live.of_players(given, *_numbers(given, players)),
                    self.selections[0],
                ),
            )
            for cause, given in zip(("", "edition"), self.kept, strict=True)
        ]
        return split_change(path, self.new)

    def _by_days(self, players: pl.Series) -> ExactParts:
        """What the other day changes: results fade, expire or begin to count."""
        given, first = self.kept[1], min(each.as_of for each in self.selections)
        of = lcm(*(each.parts for each in self.weights))
        rows = given.of(_numbers(given, players))
        old, left = (
            each.weights[rows["award_class"]] * (of // each.parts) for each in self.weights
        )
        differ = np.flatnonzero(old != left)
        rows = rows[differ]
        events = given.names.events[rows["event"]]
        classes = given.names.award_classes[rows["award_class"]]
        columns = (
            given.names.players["player_id"].gather(rows["player"]),
            *events["tournament_id", "event_id"],
            *classes["flight", "kind"],
            events["event_name"],
            classes["effective"],
            rows["nanopoints"],
            old[differ].tolist(),
            left[differ].tolist(),
        )
        found: dict[str, dict[PartKey, ExactPart]] = defaultdict(dict)
        rows_of_all = zip(*map(list, columns), strict=True)
        for player, *award, event, effective, nanopoints, was, now in rows_of_all:
            begins = effective > first and not (was and now)
            cause = "new result" if begins or award[0] in self.new else "decay"
            note = EXPIRED if not (begins or now) else ""
            part = ExactPart(nanopoints * (now - was), event, effective, note)
            add_part(found[player], PartKey(cause, *award), part)
        return exact_parts(found, of)


def _numbers(given: JournalAwards, players: pl.Series) -> Array:
    """The numbers of some players among those with awards."""
    here: Array = given.names.players["player_id"].is_in(players.implode()).arg_true().to_numpy()
    return here
