"""
History in one sweep: a million players over a thousand consecutive days, 100 million awards.

    set-up           sorting by player, and asking the regulation how awards fade
    totals           every player's total on every day, some days at a time
    top 100          of each day
    one player       points and rank on each day
    complete lists   of all days
    recomputing      the complete list of each day by itself: of some days, extrapolated

Awards begin on each of the days of the sweep and of the three years before. What a sweep says is
compared with the lists of the days that were recomputed.

Usage: python benchmarks/limits_history.py [ROWS [PLAYERS [DAYS]]]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl
from limits_ranking import DAYS as DECAY
from limits_ranking import FIRST, PLAYERS, ROWS, award_classes, copied, made_up, peak, say

from palmares.points import ledger, sweeps
from palmares.points.awards import Question
from palmares.points.rankings import Selection

SWEPT = 1000  # days
RECOMPUTED = 5  # days
TOP = 100
PLAYER = 5


def measured(name: str, rows: int, run: Callable[[], Any], **more: Any) -> Any:
    """What a workload gives, after a line for it."""
    with peak() as extra:
        start, used = time.perf_counter(), time.process_time()
        found = run()
        taken, used = time.perf_counter() - start, time.process_time() - used
    memory, processor = {"ours": extra[0] / rows}, {"ours": used}
    say(name=name, rows=rows, ours=taken, bytes_per_row=memory, processor_seconds=processor, **more)
    return found


def all_totals(course: sweeps.Sweep) -> int:
    """How many totals a sweep gives."""
    return sum(block.totals.size for block in sweeps.totals(course))


def all_lists(course: sweeps.Sweep, checked: dict[Any, ledger.RankedRows]) -> int:
    """How many places all lists have; those of some days are compared."""
    places = 0
    for day, found in sweeps.lists(course):
        places += len(found.players)
        if day in checked and not all(map(np.array_equal, found, checked[day])):
            raise SystemExit(f"{day}: another list")
    return places


def compared(best: pl.DataFrame, mine: pl.DataFrame, days: dict[Any, ledger.RankedRows]) -> None:
    """End where a sweep says something else than the list of a day."""
    for day, found in days.items():
        top = best.filter(pl.col("day") == day)
        many = int((found.ranks <= TOP).sum())
        told = [top[name].to_list() for name in ("player", "rank", "nanopoints")]
        rank = mine.filter(pl.col("day") == day)["rank"].to_list()
        if told != [cells[:many].tolist() for cells in found]:
            raise SystemExit(f"{day}: another top")
        if rank != found.ranks[found.players == PLAYER].tolist():
            raise SystemExit(f"{day}: another rank")


def main() -> None:
    """Every workload, one line of JSON each."""
    given = [int(float(one)) for one in sys.argv[1:]]
    rows, players, swept = (*given, *(ROWS, PLAYERS, SWEPT)[len(given) :])
    question, table = Question(regulation="wbgf"), award_classes(DECAY + swept)
    first = FIRST + timedelta(days=DECAY)
    last = first + timedelta(days=swept - 1)
    small = ledger.from_codes(question, table, *made_up(1000, 10, DECAY + swept), players=10)
    warm_up(small, first)
    arrays = made_up(rows, players, DECAY + swept)
    copy = copied(list(arrays))
    start = time.perf_counter()
    book = ledger.from_codes(question, table, *arrays, players=players)
    del arrays
    sorting = time.perf_counter() - start
    course = measured(
        "history: set-up",
        rows,
        lambda: sweeps.sweep(book, first, last),
        sorting=sorting,
        copy=copy,
    )
    step = max(1, swept // RECOMPUTED)
    chosen = course.days[::step][:RECOMPUTED]
    ledger.rank_rows(book, Selection(as_of=chosen[0]))
    start = time.perf_counter()
    lists = {day: ledger.rank_rows(book, Selection(as_of=day)) for day in chosen}
    each = (time.perf_counter() - start) / len(lists)
    recomputing = {"recomputing_each_day_extrapolated": each * swept, "days_measured": len(lists)}
    measured("history: totals of all days", rows, lambda: all_totals(course), **recomputing)
    best = measured("history: top 100 of each day", rows, lambda: sweeps.tops(course, TOP))
    mine = measured("history: one player", rows, lambda: sweeps.places(course, [PLAYER]))
    compared(best, mine, lists)
    measured("history: complete lists", rows, lambda: all_lists(course, lists), **recomputing)


def warm_up(small: ledger.Ledger, first: Any) -> None:
    """Have every loop compiled."""
    from palmares.points.kernels import sums
    from palmares.points.kernels import sweeps as kernels

    held = kernels.COMPILED_FROM, sums.COMPILED_FROM
    kernels.COMPILED_FROM = sums.COMPILED_FROM = 0
    few = sweeps.sweep(small, first, first + timedelta(days=3))
    sweeps.tops(few, 2)
    sweeps.places(few, [1])
    list(sweeps.lists(few))
    ledger.rank_rows(small, Selection(as_of=first))
    kernels.COMPILED_FROM, sums.COMPILED_FROM = held


if __name__ == "__main__":
    main()
