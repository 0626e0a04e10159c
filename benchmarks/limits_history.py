"""
History in one sweep: a million players over a thousand consecutive days, 100 million awards.

    set-up           sorting by player
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

import polars as pl
from limits_ranking import DAYS as DECAY
from limits_ranking import (
    FIRST,
    PLAYERS,
    ROWS,
    award_classes,
    made_ledger,
    made_up,
    peak,
    say,
)

from palmares.points import history, ledger
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


def all_totals(book: ledger.Ledger, days: list[Any]) -> int:
    """How many totals a sweep gives."""
    return sum(len(totals.exact) for totals in history.daily_totals(book, days))


def all_lists(
    book: ledger.Ledger,
    days: list[Any],
    checked: dict[Any, ledger.RankedRows],
    top: int | None = None,
) -> int:
    """How many places all lists, or their tops, have; those of some days are compared."""
    places = 0
    for totals in history.daily_totals(book, days):
        day = totals.day
        found = ledger.order_totals(totals.exact, totals.parts, top, latest=book.latest)
        places += len(found.players)
        if day in checked:
            many = int((checked[day].ranks <= (top or len(found.ranks))).sum())
            if [one.tolist() for one in found] != [one[:many].tolist() for one in checked[day]]:
                raise SystemExit(f"{day}: another list")
    return places


def compared(mine: pl.DataFrame, days: dict[Any, ledger.RankedRows]) -> None:
    """End where a sweep says something else than the list of a day."""
    for day, found in days.items():
        rank = mine.filter(pl.col("day") == day)["rank"].to_list()
        if rank != found.ranks[found.players == PLAYER].tolist():
            raise SystemExit(f"{day}: another rank")


def main() -> None:
    """Every workload, one line of JSON each."""
    given = [int(float(one)) for one in sys.argv[1:]]
    rows, players, swept = (*given, *(ROWS, PLAYERS, SWEPT)[len(given) :])
    question, table = Question(regulation="wbgf"), award_classes(DECAY + swept)
    first = FIRST + timedelta(days=DECAY)
    last = first + timedelta(days=swept - 1)
    arrays = made_up(rows, players, DECAY + swept)
    start = time.perf_counter()
    book = made_ledger(question, table, arrays, players)
    del arrays
    sorting = time.perf_counter() - start
    say(name="history: set-up", rows=rows, ours=sorting)
    days = pl.date_range(first, last, "1d", eager=True).to_list()
    step = max(1, swept // RECOMPUTED)
    chosen = days[::step][:RECOMPUTED]
    ledger.rank_rows(book, Selection(as_of=chosen[0]))
    start = time.perf_counter()
    lists = {day: ledger.rank_rows(book, Selection(as_of=day)) for day in chosen}
    each = (time.perf_counter() - start) / len(lists)
    recomputing = {"recomputing_each_day_extrapolated": each * swept, "days_measured": len(lists)}
    measured("history: totals of all days", rows, lambda: all_totals(book, days), **recomputing)
    measured("history: top 100 of each day", rows, lambda: all_lists(book, days, lists, TOP))
    mine = measured("history: one player", rows, lambda: history.daily_ranks(book, days, [PLAYER]))
    compared(mine, lists)
    measured("history: complete lists", rows, lambda: all_lists(book, days, lists), **recomputing)


if __name__ == "__main__":
    main()
