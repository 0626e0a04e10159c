"""The loops of `palmares.points.kernels.sums`; plain functions over arrays, compiled for bulk."""

from __future__ import annotations

from palmares.points.kernels.rows import ABSENT, Array, Rows


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
