"""
Totals over consecutive days, from day to day instead of anew for each.

    blocks     every player's totals, some days at a time
    tops       the greatest totals of each day
    places     the totals and ranks of some players on each day

A total under linear decay is a straight line between the days on which an award begins to count or
ends: it is kept as a value and a slope, and moved on. Whole numbers throughout, so that the totals
are those that valuing each day gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from palmares.core import threads
from palmares.points.kernels import jit, sums, sweeps_jit
from palmares.points.kernels.rows import ABSENT, Array, Rows, Shape, State

COMPILED_FROM = 2_000_000  # totals and awards: players times days, and rows
BLOCK = 2**26  # totals in a block: 512 MB
WIDEST = 64  # days in a block: half of it takes half as long again
DAYS_AT_ONCE = 1024  # a player's totals on so many days stay in the cache


def many(rows: Rows, shape: Shape) -> bool:
    """Whether compiling pays."""
    players = len(rows.begin)
    return players > 0 and players * len(shape.counter) + len(rows.award_classes) >= COMPILED_FROM


def blocks(rows: Rows, shape: Shape) -> Iterator[tuple[slice, Array]]:
    """The totals of some days at a time: a row a day, an entry a player.

    The array is filled anew for the next days; copy what you keep.
    """
    days = len(shape.counter)
    if not many(rows, shape):
        yield slice(0, days), _in_numpy(rows, shape)
        return
    machine, state = _machine(), State.before(rows)
    width = max(1, min(BLOCK // max(len(rows.begin), 1), WIDEST))
    held = np.empty((min(width, days), len(rows.begin)), np.int64)
    parts = sums.stretches(rows, sums.PIECES * threads.cores())
    for low, high in _spans(days, width):
        found = held[: high - low]

        def part(here: slice, span: tuple[int, int] = (low, high), found: Array = found) -> None:
            machine.lines(rows.of(here), shape, span, state.of(here), found[:, here])

        threads.in_threads(part, parts)
        yield slice(low, high), found


def tops(rows: Rows, shape: Shape, parts: int, top: int) -> Array:
    """Day, player and total of all who have a rank up to *top* on each day.

    Two sweeps: which totals are great enough, then whose they are. Enough is what shares a rank
    with the *top*-th greatest total, if it is on the list at all.
    """
    days, machine = len(shape.counter), _machine()
    cuts = sums.stretches(rows, threads.cores())
    greatest = np.full((len(cuts), days, top), ABSENT)
    least = np.full((len(cuts), days), ABSENT)

    def heaps(number: int) -> None:
        here = rows.of(cuts[number])
        state = State.before(here)
        for span in _spans(days, DAYS_AT_ONCE):
            machine.best(here, shape, span, state, greatest[number], least[number])

    threads.in_threads(heaps, range(len(cuts)))
    together = np.sort(greatest.transpose(1, 0, 2).reshape(days, -1), axis=1)
    apart = sums.tied(together, parts)
    enough = np.maximum(together[:, -top], ABSENT + apart) - apart
    enough = np.maximum(enough, sums.floor(enough, latest=shape.latest) + 1)

    def who(here: slice) -> Array:
        room = days * top
        while True:
            found, count = np.empty((3, room), np.int64), 0
            state = State.before(rows.of(here))
            for span in _spans(days, DAYS_AT_ONCE):
                more = found[:, min(count, room) :]
                count += machine.reached(rows.of(here), shape, span, state, enough, more)
            if count <= room:
                found[1] += here.start
                return found[:, :count]
            room = count

    found = np.concatenate(threads.in_threads(who, cuts), axis=1)
    return found[:, np.lexsort((found[1], -found[2], found[0]))]


def places(rows: Rows, shape: Shape, parts: int, players: Array) -> tuple[Array, Array]:
    """The totals of some players, a row each, an entry a day; and their ranks."""
    days, machine = len(shape.counter), _machine()
    asked = rows._replace(begin=rows.begin[players], end=rows.end[players])
    theirs = np.empty((days, len(players)), np.int64)
    machine.lines(asked, shape, (0, days), State.before(asked), theirs)
    theirs = np.ascontiguousarray(theirs.T)
    shared = theirs + sums.tied(theirs, parts)

    def higher(here: slice) -> Array:
        count, some = np.zeros(theirs.shape, np.int64), rows.of(here)
        state = State.before(some)
        for span in _spans(days, DAYS_AT_ONCE):
            machine.above(some, shape, span, state, shared, count)
        return count

    counts = threads.in_threads(higher, sums.stretches(rows, threads.cores()))
    return theirs, np.sum(counts, axis=0) + 1


def _machine() -> Any:
    return jit.compiled(sweeps_jit.__name__)


def _spans(days: int, width: int) -> Iterator[tuple[int, int]]:
    return pairwise([*range(0, days, width), days])


def _in_numpy(rows: Rows, shape: Shape) -> Array:
    """All totals at once: what each day changes, then sums over the days."""
    sizes = rows.end - rows.begin
    before = np.cumsum(sizes) - sizes
    places = np.arange(sizes.sum()) + np.repeat(rows.begin - before, sizes)
    player = np.repeat(np.arange(len(sizes)), sizes)
    award_classes = rows.award_classes[places]
    kept = shape.counts[award_classes] > 0
    player, award_classes, nanopoints = (
        player[kept],
        award_classes[kept],
        rows.nanopoints[places][kept],
    )
    days = len(shape.counter)
    base, slope, counting = np.zeros((3, days + 1, len(sizes)), np.int64)
    first, past = (shape.first[award_classes], player), (shape.past[award_classes], player)
    np.add.at(counting, first, 1)
    if shape.latest:
        same = np.append(False, player[1:] == player[:-1])
        replaced = np.where(same, np.roll(nanopoints, 1), 0)
        np.add.at(base, first, nanopoints - replaced)
    else:
        worth = nanopoints * shape.bases[award_classes]
        for sign, day in ((1, first), (-1, past)):
            np.add.at(base, day, sign * worth)
            np.add.at(slope, day, sign * nanopoints)
        np.add.at(counting, past, -1)
    base, slope, counting = (one[:days].cumsum(axis=0) for one in (base, slope, counting))
    found: Array = np.where(counting > 0, base - shape.counter[:, None] * slope, ABSENT)
    return found
