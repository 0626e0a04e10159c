"""
A ledger on many days: everyone's total on each day, made from that of the day before.

Where all awards lose the same from one day to the next, totals move on by it; on any other day all
awards are added up again. The lists are those that `palmares.points.ledger` makes of each day.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from math import lcm

import numpy as np
import polars as pl
from msgspec.structs import replace

from palmares.core.progress import over
from palmares.facts import codes
from palmares.points.kernels import sums
from palmares.points.kernels.rows import Array, AwardRows
from palmares.points.ledger import DayTotals, Ledger, RankedRows, Weights, order_totals
from palmares.points.rankings import Selection, refuse_nonsense

_PLACES = {"day": pl.Date, "player": pl.Int64, "nanopoints": pl.Int64, "rank": pl.Int64}


def daily_totals(
    book: Ledger, days: Sequence[date], selection: Selection | None = None
) -> Iterator[DayTotals]:
    """Every player's total on each day, changed in place for the next one: copy what you keep.

    Args:
        book: of any regulation.
        days: in order.
        selection: what else decides which awards count; its ``as_of`` does not matter.

    Raises:
        Refused: the regulation has nothing of the kind.
    """
    if not days:
        return
    chosen = replace(selection or Selection(as_of=days[-1]), as_of=days[-1])
    refuse_nonsense(book.question, chosen, "player")
    rows = book.rows
    if chosen.nation is not None:
        rows = rows.only(book.of_nation(str(codes.nation(chosen.nation))))
    by_class = RowsByClass(rows, len(book.award_classes))
    before = Weights(np.zeros(len(book.award_classes), np.int64), 0)  # before the first day
    per_player = slope = np.zeros(0, np.int64)
    for day, now in over(zip(days, _weights(book, chosen, days), strict=True), "days", len(days)):
        lost = _lost(before, now)
        ended = np.flatnonzero((before.weights > 0) & (now.weights == 0))
        begun = np.flatnonzero((before.weights == 0) & (now.weights > 0))
        great = sums.is_wide(now.weights, book.reach)
        if lost is None or great or (book.latest and begun.size):
            per_player, slope = (
                sums.totals(rows, each, latest=book.latest, reach=book.reach)
                for each in (now.weights, np.minimum(now.weights, 1))
            )
            if not book.latest:  # 0 points put no player on a list
                for each in (per_player, slope):
                    each[each == sums.absent(each)] = 0
        elif not book.latest:
            by_class.add(ended, -before.weights, per_player, slope)
            per_player -= lost * slope
            by_class.add(begun, now.weights, per_player, slope)
        yield DayTotals(day=day, found=per_player, parts=now.parts, latest=book.latest)
        before = now


def _lost(before: Weights, now: Weights) -> int | None:
    """What every award loses between two days; none if awards lose different amounts."""
    counting = (before.weights > 0) & (now.weights > 0)
    lost = before.weights[counting] - now.weights[counting]
    if before.parts != now.parts or (lost != lost[:1]).any():
        return None
    return int(lost[0]) if lost.size else 0


class RowsByClass:
    """The awards of each award class, with their players."""

    def __init__(self, rows: AwardRows, award_classes: int) -> None:
        places = rows.places()
        classes = rows.award_classes[places].astype(np.int64)
        order = sums.sort_order(classes)
        sizes = rows.end - rows.begin
        self.players = np.repeat(np.arange(len(sizes)), sizes)[order]
        self.nanopoints = rows.nanopoints[places[order]]
        self.starts = np.searchsorted(classes[order], np.arange(award_classes + 1))

    def add(self, award_classes: Array, weights: Array, per_player: Array, slope: Array) -> None:
        """Add the awards of some classes to totals and slopes; take them off below 0."""
        for each in award_classes.tolist():
            here = slice(self.starts[each], self.starts[each + 1])
            points, players = self.nanopoints[here], self.players[here]
            np.add.at(per_player, players, points * weights[each])
            np.add.at(slope, players, points * np.sign(weights[each]))


def _weights(book: Ledger, selection: Selection, days: Sequence[date]) -> Iterator[Weights]:
    """What awards of each class are worth, day by day.

    Once an award has no days left, it never has any again: see `Decay.left`.
    """
    classes, days_left = book.award_classes, book.question.days_left()
    counted = selection.apply(classes.with_row_index("award_class"))
    pairs = counted.select("effective", "edition").unique(maintain_order=True)
    pairs = pairs.with_row_index("pair")
    of = counted.join(pairs, on=["effective", "edition"], maintain_order="left")
    award_class, pair = of["award_class"].to_numpy(), of["pair"].to_numpy()
    unexpired = list(pairs.iter_rows())
    for day in days:
        left, expired = {}, set()
        for number, effective, edition in unexpired:
            if effective <= day:
                left[number] = days_left(effective, edition, day)
                if left[number][0] <= 0:
                    expired.add(number)
        unexpired = [each for each in unexpired if each[0] not in expired]
        parts = lcm(*(each for _, each in left.values()))
        worth = np.zeros(len(pairs), np.int64)
        worth[[*left]] = [max(0, now) * (parts // each) for now, each in left.values()]
        weights = np.zeros(len(classes), np.int64)
        weights[award_class] = worth[pair]
        yield Weights(weights, parts)


def daily_ranks(
    book: Ledger, days: Sequence[date], players: Sequence[int], selection: Selection | None = None
) -> pl.DataFrame:
    """The points and ranks of some players on each day.

    Args:
        book: of any regulation.
        days: in order.
        players: rows of the ledger's players.
        selection: as in `daily_totals`.

    Returns:
        day, player, nanopoints, rank; no points and no rank where a player is not on the list.
    """
    rows = [
        (totals.day, player, totals.nanopoints(player) or 0, totals.rank(player))
        for totals in daily_totals(book, days, selection)
        for player in players
    ]
    return pl.DataFrame(rows, _PLACES, orient="row")


def daily_lists(
    book: Ledger, days: Sequence[date], top: int | None = None, selection: Selection | None = None
) -> Iterator[tuple[date, RankedRows]]:
    """The complete ranked list of each day, or its top; see `daily_ranks`."""
    for totals in daily_totals(book, days, selection):
        yield totals.day, order_totals(totals.found, totals.parts, top, latest=book.latest)
