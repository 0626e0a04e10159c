"""
A ledger over consecutive days: everybody's totals, and who stood where, day by day.

    sweep     a ledger, days  ->  Sweep: how awards count over these days
    totals    every player's total, some days at a time
    places    the points and ranks of some players on each day
    tops      the top of each day's list
    lists     the complete ranked list of each day

The days are not valued one by one: totals move on from day to day
(`palmares.points.kernels.sweeps`). How awards fade is asked of the regulation, for each day from
which awards count and each day of the sweep, and never assumed: where the steps are not the same
for all awards, or 64 bits might not hold the sums, each day is valued as `palmares.points.ledger`
does it. The lists are the same either way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import pairwise
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from palmares.core import threads
from palmares.core.errors import Refused
from palmares.core.progress import task
from palmares.facts import codes
from palmares.points.kernels import sums
from palmares.points.kernels import sweeps as kernels
from palmares.points.kernels.rows import Array, Rows, Shape
from palmares.points.ledger import Ledger, RankedRows, order_totals, weights
from palmares.points.rankings import Selection, refuse_nonsense

_AT_ONCE = 2**24  # rows looked at together
_PLACES = {"day": pl.Date, "player": pl.Int64, "nanopoints": pl.Int64, "rank": pl.Int64}
_TOPS = {"day": pl.Date, "rank": pl.Int64, "player": pl.Int64, "nanopoints": pl.Int64}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """How the awards of a ledger count on consecutive days."""

    book: Ledger
    selection: Selection  # as of the last day
    days: tuple[date, ...]
    rows: Rows  # of the players who may be on the list
    shape: Shape | None  # none: each day is valued by itself
    parts: int  # what totals are divided by to be nanopoints, where there is a shape


class Block(NamedTuple):
    """Totals of some days: a row a day, an entry a player.

    A total is in nanopoints times parts: whole and exact. On the list are those whose total is
    above ``floor``.
    """

    days: tuple[date, ...]
    totals: Array
    parts: int
    floor: Any


def sweep(book: Ledger, first: date, last: date, selection: Selection | None = None) -> Sweep:
    """How awards count from a first to a last day.

    Args:
        book: of any regulation.
        first: the first day.
        last: the last day.
        selection: what else decides which awards count; its ``as_of`` does not matter.

    Raises:
        Refused: the last day is before the first, or the regulation has nothing of the kind.
    """
    if last < first:
        raise Refused(f"The first day, {first}, is after the last, {last}.")
    chosen = replace(selection, as_of=last) if selection else Selection(as_of=last)
    refuse_nonsense(book.question, chosen, "player")
    rows = book.rows
    if chosen.nation is not None:
        rows = rows.only(book.of_nation(str(codes.nation(chosen.nation))))
    days = tuple(pl.date_range(first, last, "1d", eager=True).to_list())
    shape, parts = _shape(book, chosen, days)
    return Sweep(book=book, selection=chosen, days=days, rows=rows, shape=shape, parts=parts)


# ── how awards count ─────────────────────────────────────────────────────────────────────────────


def _shape(book: Ledger, selection: Selection, days: Sequence[date]) -> tuple[Shape | None, int]:
    """The days on which awards of each award class count, and what they lose a day."""
    award_classes = book.award_classes.with_row_index("award_class")
    kept = selection.apply(award_classes)
    counts = np.zeros(len(award_classes), np.int64)
    counts[kept["award_class"].to_numpy()] = 1
    numbers = np.array(days, "datetime64[D]")
    first = np.searchsorted(numbers, award_classes["effective"].to_numpy().astype("datetime64[D]"))
    if book.question.aggregate.decay is None:
        past, none = np.full(len(award_classes), len(days)), np.zeros(len(days), np.int64)
        shape = Shape(first, past, counts, counts, none, book.latest)
        timely = not book.latest or _in_time(book.rows, first)
        return (shape if timely and book.reach < sums.LIMIT else None), 1
    pairs = kept.select("effective", "edition").unique(maintain_order=True)
    begun = np.searchsorted(numbers, pairs["effective"].to_numpy().astype("datetime64[D]"))
    decline = _decline(book, list(zip(pairs.iter_rows(), begun.tolist(), strict=True)), days)
    if decline is None:
        return None, 1
    index = kept.join(
        pairs.with_row_index("pair"),
        on=["effective", "edition"],
        how="left",
        maintain_order="left",
    )
    here, pair = index["award_class"].to_numpy(), index["pair"].to_numpy()
    bases, past = np.zeros((2, len(award_classes)), np.int64)
    bases[here], past[here] = decline.bases[pair], decline.past[pair]
    ends = np.maximum(np.maximum.accumulate(past), first)
    greatest = int(bases.max(initial=0)) + int(np.abs(decline.counter).max())
    if (ends[here] != past[here]).any() or book.reach * greatest >= sums.LIMIT:
        return None, 1
    return Shape(first, ends, bases, counts, decline.counter, latest=False), decline.parts


def _in_time(rows: Rows, first: Array) -> bool:
    """Whether no award of a player begins to count before one of theirs that comes before it."""
    starts = np.zeros(len(rows.award_classes) + 1, np.bool_)
    starts[rows.begin] = True
    for low in range(0, len(rows.award_classes), _AT_ONCE):
        begun = first[rows.award_classes[low : low + _AT_ONCE + 1]]
        back = begun[1:] < begun[:-1]
        if (back & ~starts[low + 1 : low + 1 + len(back)]).any():
            return False
    return True


class _Decline(NamedTuple):
    """What awards of each day and edition are worth: bases - counter, until the day past."""

    past: Array
    bases: Array
    counter: Array  # an entry a day
    parts: int


def _decline(
    book: Ledger, pairs: Sequence[tuple[Any, int]], days: Sequence[date]
) -> _Decline | None:
    """How awards fade, asked of the regulation; none where they do not lose the same each day."""
    fade = book.question.days_left()
    table = np.zeros((len(pairs), len(days)), np.int64)
    past, parts = np.zeros((2, len(pairs)), np.int64)
    for number, ((effective, edition), first) in enumerate(pairs):
        found: list[int] = []
        parts[number] = fade(effective, edition, effective)[1]
        for day in days[first:]:
            left, of = fade(effective, edition, day)
            if of != parts[number]:
                return None
            if left <= 0:
                break
            found.append(left)
        past[number] = first + len(found)
        if past[number] < len(days) and fade(effective, edition, days[-1])[0] > 0:
            return None  # something comes back of which nothing was left
        table[number, first : past[number]] = found
    common = lcm(*parts.tolist())
    table *= (common // parts)[:, None]
    counting = table > 0
    both = counting[:, 1:] & counting[:, :-1]
    lost = table[:, :-1] - table[:, 1:]
    most = np.where(both, lost, np.iinfo(np.int64).min).max(axis=0, initial=np.iinfo(np.int64).min)
    if (both & (lost != most)).any():
        return None
    counter = np.cumsum(np.append(0, np.where(both.any(axis=0), most, 0)))
    begun = np.minimum([first for _, first in pairs], len(days) - 1).astype(np.int64)
    bases = table[np.arange(len(pairs)), begun] + counter[begun]
    return _Decline(past, bases, counter, common)


# ── day by day ───────────────────────────────────────────────────────────────────────────────────


def totals(course: Sweep) -> Iterator[Block]:
    """Every player's totals, some days at a time.

    The array of a block is filled anew for the next: copy what you keep.
    """
    with task("days", len(course.days)) as step:
        for block in _blocks(course):
            yield block
            step(len(block.days))


def _blocks(course: Sweep) -> Iterator[Block]:
    if course.shape is None:
        for day in course.days:
            worth, parts = weights(course.book, replace(course.selection, as_of=day))
            found = sums.totals(
                course.rows, worth, latest=course.book.latest, reach=course.book.reach
            )
            yield Block((day,), found[None], parts, _floor(course, found))
        return
    for span, found in kernels.blocks(course.rows, course.shape):
        yield Block(course.days[span], found, course.parts, _floor(course, found))


def _floor(course: Sweep, found: Array) -> Any:
    return sums.floor(found, latest=course.book.latest)


def places(course: Sweep, players: Sequence[int]) -> pl.DataFrame:
    """The points and ranks of some players on each day.

    Args:
        course: the days.
        players: rows of the ledger's players.

    Returns:
        day, player, nanopoints, rank; no points and no rank where a player is not on the list.
    """
    asked = np.array(players, np.int64)
    if not len(asked):
        return pl.DataFrame(schema=_PLACES)
    if course.shape is not None and kernels.many(course.rows, course.shape):
        theirs, ranks = kernels.places(course.rows, course.shape, course.parts, asked)
        found = [(theirs.T, ranks.T, course.parts, _floor(course, theirs))]
    else:
        found = []
        for block in totals(course):
            theirs = block.totals[:, asked]
            shared = theirs + sums.tied(theirs, block.parts)
            higher = [(block.totals > shared[:, k, None]).sum(axis=1) for k in range(len(asked))]
            ranks = np.array(higher, np.int64).T + 1
            found.append((theirs, ranks, block.parts, block.floor))
    points = [
        np.where(theirs > floor, sums.shared(np.where(theirs > floor, theirs, 0), parts), 0)
        for theirs, _, parts, floor in found
    ]
    listed = np.concatenate([(theirs > floor).ravel() for theirs, *_, floor in found])
    return pl.DataFrame(
        {
            "day": np.repeat(np.array(course.days, "datetime64[D]"), len(asked)),
            "player": np.tile(asked, len(course.days)),
            "nanopoints": [int(one) for some in points for one in some.ravel()],
            "rank": np.concatenate([ranks.ravel() for _, ranks, *_ in found]),
        },
        schema=_PLACES,
    ).with_columns(pl.when(pl.Series(listed)).then("rank"))


def tops(course: Sweep, top: int) -> pl.DataFrame:
    """The players up to a rank on each day.

    Returns:
        day, rank, player (a row of the ledger's players), nanopoints.
    """
    if course.shape is None or not kernels.many(course.rows, course.shape) or top < 1:
        found = [_top(day, one) for day, one in lists(course, top)]
        return pl.concat(found) if found else pl.DataFrame(schema=_TOPS)
    day, player, total = kernels.tops(course.rows, course.shape, course.parts, top)
    begins = np.searchsorted(day, np.arange(len(course.days) + 1))
    ranks = [sums.ranks(total[low:high], course.parts) for low, high in pairwise(begins.tolist())]
    return pl.DataFrame(
        {
            "day": np.array(course.days, "datetime64[D]")[day],
            "rank": np.concatenate(ranks),
            "player": player,
            "nanopoints": sums.shared(total, course.parts),
        },
        schema=_TOPS,
    )


def _top(day: date, one: RankedRows) -> pl.DataFrame:
    """A list as rows of `tops`."""
    return pl.DataFrame(
        {
            "rank": one.ranks,
            "player": one.players,
            "nanopoints": one.nanopoints.tolist(),
        },
        schema={name: kind for name, kind in _TOPS.items() if name != "day"},
    ).select(pl.lit(day, pl.Date).alias("day"), pl.all())


def lists(course: Sweep, top: int | None = None) -> Iterator[tuple[date, RankedRows]]:
    """The complete ranked list of each day, or its top."""
    compiled = course.shape is not None and kernels.many(course.rows, course.shape)
    for block in totals(course):
        one = partial(
            order_totals, parts=block.parts, top=top, latest=course.book.latest, compiled=compiled
        )
        for low in range(0, len(block.days), threads.cores()):
            some = slice(low, low + threads.cores())
            yield from zip(
                block.days[some], threads.in_threads(one, block.totals[some]), strict=True
            )
