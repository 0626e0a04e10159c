"""
The loops of `palmares.points.kernels.sums`; plain functions over arrays, compiled for bulk.

    count, spread, settle   rows by player: two passes of a radix sort
    total, last             what a player's awards are worth, and whether any of them counts
    order, number           players by total, the greatest first; their ranks and points
"""

from __future__ import annotations

import numpy as np

from palmares.points.kernels.rows import ABSENT, Array, Rows

FEW = 32  # rows that are sorted by insertion


def count(codes: Array, shift: int, counts: Array) -> None:
    """How many rows each group of players has; a group is 2**shift codes."""
    for i in range(len(codes)):
        counts[codes[i] >> shift] += 1


def spread(codes: Array, given: Rows, shift: int, places: Array, low: Array, taken: Rows) -> None:
    """Every row to the next free place of its group; rows of a group stay in order."""
    mask = (1 << shift) - 1
    for i in range(len(codes)):
        group = codes[i] >> shift
        place = places[group]
        places[group] = place + 1
        low[place] = codes[i] & mask
        taken.award_classes[place] = given.award_classes[i]
        taken.nanopoints[place] = given.nanopoints[i]


def settle(
    bounds: Array,
    groups: tuple[int, int],
    shift: int,
    low: Array,
    rows: Rows,
    timed: bool,  # noqa: FBT001  (loops are called by position)
) -> float:
    """The rows of some groups by player, in place; fills where each player's rows begin and end.

    If *timed*, a player's rows come by their award classes, else they stay in order. Returns the
    greatest sum of absolute nanopoints that a player has.
    """
    width, greatest, most = 1 << shift, 0.0, 0
    for group in range(groups[0], groups[1]):
        most = max(most, bounds[group + 1] - bounds[group])
    award_classes = np.empty(most, rows.award_classes.dtype)
    nanopoints = np.empty(most, rows.nanopoints.dtype)
    for group in range(groups[0], groups[1]):
        first, start, past = group << shift, bounds[group], bounds[group + 1]
        players = min(width, len(rows.begin) - first)
        places = rows.end[first : first + players]
        places[:] = 0
        for i in range(start, past):
            places[low[i]] += 1
        place = start
        for k in range(players):
            size = places[k]
            rows.begin[first + k] = places[k] = place
            place += size
        for i in range(start, past):
            place = places[low[i]]
            places[low[i]] = place + 1
            award_classes[place - start] = rows.award_classes[i]
            nanopoints[place - start] = rows.nanopoints[i]
        rows.award_classes[start:past] = award_classes[: past - start]
        rows.nanopoints[start:past] = nanopoints[: past - start]
        for p in range(first, first + players):
            here, there = rows.begin[p], rows.end[p]
            if timed:
                _by_award_class(rows.award_classes[here:there], rows.nanopoints[here:there])
            reach = 0.0
            for i in range(here, there):
                reach += abs(float(rows.nanopoints[i]))
            greatest = max(greatest, reach)
    return greatest


def _by_award_class(award_classes: Array, nanopoints: Array) -> None:
    """A player's rows by their award classes; those of one award class stay in order."""
    sorted_already = True
    for i in range(1, len(award_classes)):
        sorted_already = sorted_already and award_classes[i - 1] <= award_classes[i]
    if sorted_already:
        return
    if len(award_classes) > FEW:
        order = np.argsort(award_classes, kind="mergesort")
        award_classes[:] = award_classes[order]
        nanopoints[:] = nanopoints[order]
        return
    for i in range(1, len(award_classes)):
        award_class, points, place = award_classes[i], nanopoints[i], i
        while place > 0 and award_classes[place - 1] > award_class:
            award_classes[place] = award_classes[place - 1]
            nanopoints[place] = nanopoints[place - 1]
            place -= 1
        award_classes[place] = award_class
        nanopoints[place] = points


def total(rows: Rows, weights: Array, totals: Array) -> None:
    """The sum of nanopoints times weight of each player; ABSENT where no award of theirs counts."""
    for p in range(len(totals)):
        # Slices tell Numba that no place is below 0: a quarter of the time.
        award_classes = rows.award_classes[rows.begin[p] : rows.end[p]]
        nanopoints = rows.nanopoints[rows.begin[p] : rows.end[p]]
        worth, counting = 0, 0
        for i in range(len(award_classes)):
            weight = weights[award_classes[i]]
            worth += nanopoints[i] * weight
            counting |= weight
        totals[p] = worth if counting else ABSENT


def last(rows: Rows, weights: Array, totals: Array) -> None:
    """The last award of each player that counts; ABSENT where none does."""
    for p in range(len(totals)):
        i = rows.end[p] - 1
        while i >= rows.begin[p] and weights[rows.award_classes[i]] == 0:
            i -= 1
        totals[p] = rows.nanopoints[i] if i >= rows.begin[p] else ABSENT


def order(totals: Array, players: Array, codes: Array) -> None:
    """Players by total, the greatest first; equal ones in the order of *players*.

    Radix sort by bytes: it is stable, and skips the bytes that all totals share. *players* holds
    codes; *totals* belongs to them, entry by entry, and is put in order. Fills *codes*.
    """
    size = len(totals)
    if size == 0:
        return
    greatest, least = totals.max(), totals.min()
    keys, keys_held = np.empty(size, np.uint64), np.empty(size, np.uint64)
    held = np.empty(size, codes.dtype)
    for i in range(size):
        keys[i] = np.uint64(greatest - totals[i])
        codes[i] = players[i]
    span, shift = np.uint64(greatest - least), np.uint64(0)
    places = np.empty(256, np.int64)
    swapped = False
    while span >> shift > 0:
        places[:] = 0
        for i in range(size):
            places[(keys[i] >> shift) & np.uint64(255)] += 1
        place = 0
        for k in range(256):
            here = places[k]
            places[k] = place
            place += here
        source, target = (held, codes) if swapped else (codes, held)
        for i in range(size):
            digit = (keys[i] >> shift) & np.uint64(255)
            place = places[digit]
            places[digit] = place + 1
            keys_held[place] = keys[i]
            target[place] = source[i]
        keys, keys_held = keys_held, keys
        swapped = not swapped
        shift += np.uint64(8)
        if shift == np.uint64(64):
            break
    if swapped:
        codes[:] = held
    for i in range(size):
        totals[i] = greatest - np.int64(keys[i])


def number(totals: Array, parts: int, margin: int, ranks: Array, nanopoints: Array) -> None:
    """Ranks of players in order, and their totals divided by *parts*, rounded half up.

    A rank is one more than the number of totals that are higher by more than *margin*.
    """
    higher = 0
    for i in range(len(totals)):
        while totals[higher] - totals[i] > margin:
            higher += 1
        whole = totals[i] // parts
        ranks[i] = higher + 1
        nanopoints[i] = whole + (2 * (totals[i] - whole * parts) >= parts)
