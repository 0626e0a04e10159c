"""Details of players on a list: how many results, the best, the last, the course of a year."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from math import lcm

import numpy as np
import polars as pl

from palmares.core.rounding import Nanopoints
from palmares.lists.figures.players import opening_rating
from palmares.lists.live import JournalAwards
from palmares.points.awards import Question
from palmares.points.history import Fading
from palmares.points.kernels import sums
from palmares.points.kernels.sums import Array, AwardRows, places_of
from palmares.points.rankings import Selection, by_event

NEVER = np.iinfo(np.int64).min
RESULT_NAMES = ("tournament_id", "tournament_name")


@dataclass(frozen=True, slots=True, kw_only=True)
class RowResult:
    """A result of a player on a list."""

    tournament_id: str
    tournament: str
    nanopoints: Nanopoints  # on the day of the list; a rating: after the event
    rank: int | None  # their place; none: they were not placed
    tied: int  # who share the place, with them


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFigures:
    """The results behind a player's points on a list."""

    results: int  # up to the day
    counting: int  # of them that count on the day; of ratings the last one
    best: RowResult | None  # that is worth most; of ratings, that raised it most; none: none counts
    last: RowResult  # the latest
    trend: tuple[
        Nanopoints | None, ...
    ]  # at the ends of months and on the day; none: not rated yet


def row_figures(
    given: JournalAwards,
    players: Array,
    selection: Selection,
    days: tuple[date, ...],
    fades: Fading,
) -> Mapping[str, RowFigures]:
    """What the points of some players on a list come from, by player.

    Nobody's, where a nation keeps the points that were won under it: awards do not say which.

    Args:
        given: the awards of a regulation.
        players: their numbers, ascending.
        selection: which results count.
        days: of the curves; the last is the day of the list.
        fades: how results fade.
    """
    players = players.astype(np.int64)  # Polars counts in 32 bits without a sign
    events, ranks, tied, rows = _rows(given, players)
    some = rows.end > rows.begin
    if not some.any() or (selection.nation and by_event(given.question)):
        return {}
    players, rows = players[some], rows._replace(begin=rows.begin[some], end=rows.end[some])
    classes, award_class = np.unique(rows.award_classes, return_inverse=True)
    rows = rows._replace(award_classes=award_class)
    used = given.names.award_classes[classes]
    counts = used.select(selection.counts().fill_null(value=False)).to_series().to_numpy()
    weights, parts = _weights(used, days, fades)
    weights, latest = weights * counts, given.question.aggregate.latest
    worth, trends = _ratings(rows, weights) if latest else _worth(rows, weights, parts)
    begun = np.where(counts, used["effective"].to_numpy().astype(np.int64), NEVER)
    worth = worth.astype(np.int64)
    gained = _rises(given.question, rows, used["edition"]) if latest else worth
    results, counting, best, last = _picked(rows, gained, begun, weights[-1])
    at, many = np.append(best, last), len(best)
    chosen = _results(given, events[at], worth[at], ranks[at], tied[at])
    ids = given.names.players[players]["player_id"]
    columns = results.tolist(), counting.tolist(), chosen[:many], chosen[many:], trends.T.tolist()
    return {
        player_id: RowFigures(
            results=many,
            counting=min(some, 1) if latest else some,
            best=best if some else None,
            last=last,
            trend=tuple(trend),
        )
        for player_id, many, some, best, last, trend in zip(ids, *columns, strict=True)
        if many
    }


def _picked(
    rows: AwardRows, worth: Array, begun: Array, weights: Array
) -> tuple[Array, Array, Array, Array]:
    """Each player's results, those that count, and where the best and the last of them are.

    Args:
        rows: awards by player.
        worth: of each, or what it raised a rating by.
        begun: the day from which each award class counts; `NEVER`: it does not.
        weights: of the award classes on the day.
    """
    of_row = rows.award_classes
    player = np.repeat(np.arange(len(rows.end)), rows.end - rows.begin)
    results, counting = (
        np.bincount(player, flags[of_row], len(rows.end)).astype(int)
        for flags in (begun > NEVER, weights > 0)
    )
    begun = begun[of_row]
    worth = np.where(begun > NEVER, worth, NEVER)
    best = np.lexsort((begun, worth, player))[rows.end - 1]
    return results, counting, best, np.lexsort((begun, player))[rows.end - 1]


def _rises(question: Question, rows: AwardRows, editions: pl.Series) -> Array:
    """What each rating is more than the one before, which it follows in time."""
    before = np.roll(rows.nanopoints, 1)
    openings = [opening_rating(question, edition) for edition in editions]
    before[rows.begin] = np.array(openings)[rows.award_classes[rows.begin]]
    return rows.nanopoints - before


def _rows(given: JournalAwards, players: Array) -> tuple[Array, Array, Array, AwardRows]:
    """The event of each award of some players, their place in it, who share it, and the awards.

    By NumPy: a frame of Polars would ask all cores for a few thousand rows.
    """
    layers = []
    newer = np.isin(players, given.newer.players)
    for layer, theirs in ((given.rows, players[~newer]), (given.newer, players[newer])):
        at = np.searchsorted(layer.players, theirs)
        begin, sizes = layer.arrays.begin[at], layer.arrays.end[at] - layer.arrays.begin[at]
        places = places_of(begin, sizes)
        more = (layer.frame[name].to_numpy() for name in ("event", "place", "tied"))
        columns = layer.arrays.award_classes, layer.arrays.nanopoints, *more
        layers.append((np.repeat(theirs, sizes), *(column[places] for column in columns)))
    player, award_classes, nanopoints, *of_row = map(np.concatenate, zip(*layers, strict=True))
    order = np.argsort(player, kind="stable")
    begin, end = (np.searchsorted(player[order], players, side) for side in ("left", "right"))
    arrays = AwardRows(begin, end, award_classes[order], nanopoints[order])
    events, ranks, tied = (column[order] for column in of_row)
    return events, ranks, tied, arrays


def _weights(used: pl.DataFrame, days: tuple[date, ...], fades: Fading) -> tuple[Array, int]:
    """What a nanopoint of each award class is worth on each day, in parts; 0 before it counts."""
    numbers: dict[tuple[date, str], int] = {}
    of_class = [
        numbers.setdefault(begun, len(numbers)) for begun in used[["effective", "edition"]].rows()
    ]
    left_on_days = np.array([fades.left_on_days(*begun, days) for begun in numbers])
    left, parts = np.maximum(left_on_days, 0).T
    common = lcm(*np.unique(parts).tolist())
    return (left * (common // parts))[:, of_class], common


def _worth(rows: AwardRows, weights: Array, parts: int) -> tuple[Array, Array]:
    """What each result is worth on the last day, rounded, and each player's points on each day."""
    wide = sums.is_wide(weights, sums.reach(rows))
    nanopoints = rows.nanopoints.astype(object) if wide else rows.nanopoints
    worth = nanopoints * weights[:, rows.award_classes]
    totals = np.add.reduceat(worth, rows.begin, axis=1)
    return sums.divided_half_up(worth[-1], parts), sums.divided_half_up(totals, parts)


def _ratings(rows: AwardRows, weights: Array) -> tuple[Array, Array]:
    """Each rating, and each player's last on each day; none: they have none yet."""
    reach = sums.reach(rows)
    totals = np.array([sums.totals(rows, day, latest=True, reach=reach) for day in weights])
    ratings = totals.astype(object)
    ratings[totals == sums.absent(totals)] = None
    return rows.nanopoints, ratings


def _results(
    given: JournalAwards, events: Array, worth: Array, ranks: Array, tied: Array
) -> list[RowResult]:
    """Results by their events, what they are worth, and their places."""
    names = given.names.events[RESULT_NAMES][events]
    return [
        RowResult(tournament_id=tournament, tournament=name, nanopoints=nanopoints,
                  rank=rank or None, tied=sharing or 1)
        for tournament, name, nanopoints, rank, sharing in zip(
            *names, worth.tolist(), ranks.tolist(), tied.tolist(), strict=True
        )
    ]  # fmt: skip


def shared_places(
    placings: pl.DataFrame, events: pl.Series, players: Collection[str]
) -> Mapping[tuple[str, str, str], tuple[int, int]]:
    """The places of players in some events, and how many share each.

    Args:
        placings: the table.
        events: ids of events.
        players: whose places.

    Returns:
        Place and how many share it, by player, event and flight.
    """
    wanted = placings["event_id"].is_in(events.implode()).arg_true()  # a filter asks all cores
    rows = placings[["player_id", "event_id", "flight", "rank", "tied"]][wanted].rows()
    sharing = Counter((event, flight or "main", rank) for _, event, flight, rank, _ in rows)
    return {
        (player, event, flight or "main"): (rank, tied or sharing[event, flight or "main", rank])
        for player, event, flight, rank, tied in rows
        if player in players
    }
