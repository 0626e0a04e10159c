"""
The loops of `palmares.points.kernels.sweeps`; plain functions over arrays, compiled for bulk.

    lines      totals of every player on some days
    best       the greatest totals of each day
    reached    everybody who reaches a total given for each day
    above      how many have more than some players have, each day

Each goes over players, advances one from day to day, and looks at the totals while they are still
in the processor's cache: no more memory is written than what is asked for.
"""

from __future__ import annotations

import numpy as np

from palmares.points.kernels.rows import ABSENT, Array, Rows, Shape, State

TILE = 256  # players whose totals are turned from days of a player to players of a day at once


def lines(rows: Rows, shape: Shape, days: tuple[int, int], state: State, found: Array) -> None:
    """Fills a row a day, an entry a player."""
    low, high = days
    tile = np.empty((TILE, high - low), np.int64)
    changes = np.empty((3, high - low + 1), np.int64)
    for start in range(0, len(rows.begin), TILE):
        many = min(TILE, len(rows.begin) - start)
        for k in range(many):
            _advance(start + k, rows, shape, low, state, changes, tile[k])
        for day in range(high - low):
            for k in range(many):
                found[day, start + k] = tile[k, day]


def best(
    rows: Rows, shape: Shape, days: tuple[int, int], state: State, greatest: Array, least: Array
) -> None:
    """Keeps the greatest totals of each day in a heap a day, the least of them first.

    *least* repeats the first of each heap, where a day's neighbours are at hand.
    """
    low, high = days
    line = np.empty(high - low, np.int64)
    changes = np.empty((3, high - low + 1), np.int64)
    for p in range(len(rows.begin)):
        _advance(p, rows, shape, low, state, changes, line)
        for day in range(high - low):
            if line[day] > least[low + day]:
                _replace(greatest[low + day], line[day])
                least[low + day] = greatest[low + day, 0]


def _replace(heap: Array, total: int) -> None:
    """A greater total in the place of the least of a heap."""
    place, size = 0, len(heap)
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= total:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = total


def reached(
    rows: Rows, shape: Shape, days: tuple[int, int], state: State, least: Array, found: Array
) -> int:
    """Fills day, player and total of each who reaches the day's least; returns how many do.

    Counts on where there is no more room.
    """
    low, high = days
    line = np.empty(high - low, np.int64)
    changes = np.empty((3, high - low + 1), np.int64)
    many, room = 0, found.shape[1]
    for p in range(len(rows.begin)):
        _advance(p, rows, shape, low, state, changes, line)
        for day in range(high - low):
            if line[day] >= least[low + day]:
                if many < room:
                    found[0, many] = low + day
                    found[1, many] = p
                    found[2, many] = line[day]
                many += 1
    return many


def above(
    rows: Rows, shape: Shape, days: tuple[int, int], state: State, theirs: Array, higher: Array
) -> None:
    """Adds up how many have more on each day than each of some totals, a row a player."""
    low, high = days
    line = np.empty(high - low, np.int64)
    changes = np.empty((3, high - low + 1), np.int64)
    for p in range(len(rows.begin)):
        _advance(p, rows, shape, low, state, changes, line)
        for k in range(len(theirs)):
            mine, count = theirs[k, low:high], higher[k, low:high]
            for day in range(high - low):
                count[day] += line[day] > mine[day]


def _advance(
    p: int, rows: Rows, shape: Shape, low: int, state: State, changes: Array, line: Array
) -> None:
    """One player's totals from a day on, and their state after them.

    A total is base - counter * slope while any award counts. What a day changes of the three is
    gathered first, then summed up from day to day.
    """
    width = len(line)
    changes[:] = 0
    if shape.latest:
        _replaced(p, rows, shape, low, width, state, changes)
    else:
        _begun_and_ended(p, rows, shape, low, width, state, changes)
    base, slope, counting = state.base[p], state.slope[p], state.counting[p]
    for day in range(width):
        base += changes[0, day]
        slope += changes[1, day]
        counting += changes[2, day]
        line[day] = base - shape.counter[low + day] * slope if counting else ABSENT
    state.base[p], state.slope[p], state.counting[p] = base, slope, counting


def _begun_and_ended(
    p: int, rows: Rows, shape: Shape, low: int, width: int, state: State, changes: Array
) -> None:
    """What awards change that begin to count, and those of which nothing is left."""
    i = state.begun[p]
    while i < rows.end[p]:
        award_class = rows.award_classes[i]
        day = shape.first[award_class] - low
        if day >= width:
            break
        counts = shape.counts[award_class]
        changes[0, day] += rows.nanopoints[i] * shape.bases[award_class]
        changes[1, day] += rows.nanopoints[i] * counts
        changes[2, day] += counts
        i += 1
    state.begun[p] = i
    i = state.ended[p]
    while i < state.begun[p]:
        award_class = rows.award_classes[i]
        day = shape.past[award_class] - low
        if day >= width:
            break
        counts = shape.counts[award_class]
        changes[0, day] -= rows.nanopoints[i] * shape.bases[award_class]
        changes[1, day] -= rows.nanopoints[i] * counts
        changes[2, day] -= counts
        i += 1
    state.ended[p] = i


def _replaced(
    p: int, rows: Rows, shape: Shape, low: int, width: int, state: State, changes: Array
) -> None:
    """What an award changes that takes the place of the one before."""
    i, before = state.begun[p], state.base[p]
    while i < rows.end[p]:
        award_class = rows.award_classes[i]
        day = shape.first[award_class] - low
        if day >= width:
            break
        if shape.counts[award_class]:
            changes[0, day] += rows.nanopoints[i] - before
            changes[2, day] += 1
            before = rows.nanopoints[i]
        i += 1
    state.begun[p] = i
