"""
The world ranking as of a day, beside a Numba kernel, NumPy, Polars, DuckDB and pandas by hand.

Awards of a million players over three years lie in memory, sorted by player, which suits each of
them best: as arrays for the kernel and NumPy, as a frame for Polars and pandas, as a table of its
own for DuckDB. All give the same ranks and nanopoints, which is verified. Medians in seconds; the
least processor time beside them, as other work on the machine disturbs it less. The set-up, sorting
by player once, stands beside ``numpy.argsort`` on fewer rows.

Usage: python benchmarks/limits_ranking.py [ROWS [PLAYERS [RUNS]]]
"""

from __future__ import annotations

import gc
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from statistics import median
from typing import Any

import numpy as np
import polars as pl
import psutil
from numba import njit, prange

from palmares.points import ledger
from palmares.points.awards import Question
from palmares.points.rankings import Selection

ROWS = 100_000_000
PLAYERS = 1_000_000
RUNS = 5
DAYS = 1095
MILLIONTH = 1_000 * DAYS  # of a point: totals no further apart share a rank
FIRST = date(2019, 1, 1)
AS_OF = FIRST + timedelta(days=DAYS - 1)
ARGSORTED = 5_000_000  # rows


# ── the input ────────────────────────────────────────────────────────────────────────────────────


def made_up(rows: int, players: int, days: int) -> tuple[Any, Any, Any]:
    """Whose each award is, the day it counts from, its nanopoints; in the order of time."""
    rng = np.random.default_rng(2019)
    codes = rng.integers(0, players, rows, dtype=np.int32)
    day = (np.arange(rows, dtype=np.int64) * days // rows).astype(np.uint16)
    return codes, day, rng.integers(1, 10**11, rows)


def award_classes(days: int) -> pl.DataFrame:
    """An award class a day."""
    effective = pl.date_range(FIRST, FIRST + timedelta(days=days - 1), "1d", eager=True)
    return pl.DataFrame({"effective": effective}).with_columns(
        pl.lit("undated").alias("edition"),
        pl.lit("live").alias("setting"),
        pl.lit("performance").alias("kind"),
        pl.lit(1, pl.Int64).alias("division"),
    )


# ── by hand: each gives (players in order, ranks, nanopoints) ────────────────────────────────────


@njit(parallel=True)
def added(starts, day, nanopoints, last, days, totals) -> None:  # noqa: ANN001
    """Totals of players whose rows lie together, on all cores."""
    for p in prange(len(totals)):
        theirs, points = day[starts[p] : starts[p + 1]], nanopoints[starts[p] : starts[p + 1]]
        total = 0
        for i in range(len(theirs)):
            total += points[i] * (days - last + theirs[i])
        totals[p] = total


@njit
def numbered(totals, order, days, ranks, nanopoints) -> None:  # noqa: ANN001
    """Ranks and points of players in order."""
    higher = 0
    for i in range(len(order)):
        total = totals[order[i]]
        while totals[order[higher]] - total > 1_000 * days:
            higher += 1
        ranks[i] = higher + 1
        nanopoints[i] = (2 * total + days) // (2 * days)


def by_kernel(starts: Any, day: Any, nanopoints: Any) -> Any:
    """A kernel on rows sorted by player; NumPy puts the players in order."""
    totals = np.empty(len(starts) - 1, np.int64)
    added(starts, day, nanopoints, DAYS - 1, DAYS, totals)
    order = np.argsort(-totals, kind="stable")
    ranks, points = np.empty(len(totals), np.int64), np.empty(len(totals), np.int64)
    numbered(totals, order, DAYS, ranks, points)
    return order, ranks, points


def in_order(totals: Any) -> Any:
    """Totals by player to a ranked list, with NumPy."""
    order = np.argsort(-totals, kind="stable")
    theirs = totals[order]
    return order, shared_ranks(theirs), (2 * theirs + DAYS) // (2 * DAYS)


def shared_ranks(theirs: Any) -> Any:
    """Ranks of totals in order: 1 and how many are higher by more than a millionth of a point."""
    return np.searchsorted(-theirs, -theirs - MILLIONTH) + 1


def by_numpy(starts: Any, day: Any, nanopoints: Any) -> Any:
    """Rows sorted by player; `numpy.add.reduceat`, exact in whole numbers."""
    return in_order(np.add.reduceat(nanopoints * (day + np.int64(1)), starts[:-1]))


def by_polars(frame: pl.DataFrame) -> Any:
    """Group by player, sort, rank."""
    weight = pl.col("nanopoints") * (pl.col("day").cast(pl.Int64) + 1)
    ranked = (
        frame.lazy()
        .group_by("player")
        .agg(weight.sum().alias("total"))
        .sort(["total", "player"], descending=[True, False])
        .with_columns(
            pl.col("total")
            .search_sorted(pl.col("total") + MILLIONTH, side="left", descending=True)
            .cast(pl.Int64)
            .add(1)
            .alias("rank"),
            ((2 * pl.col("total") + DAYS) // (2 * DAYS)).alias("nanopoints"),
        )
        .collect()
    )
    return tuple(ranked[name].to_numpy() for name in ("player", "rank", "nanopoints"))


def by_duckdb(connection: Any, table: str) -> Any:
    """The same in SQL."""
    found = connection.execute(
        f"""
        WITH added AS (
            SELECT player, sum(nanopoints * (day + 1)::BIGINT)::BIGINT AS total
            FROM {table} GROUP BY player
        )
        SELECT player,
               1 + count(*) OVER (
                   ORDER BY total DESC
                   RANGE BETWEEN UNBOUNDED PRECEDING AND {MILLIONTH + 1} PRECEDING
               ) AS rank,
               (2 * total + {DAYS}) // (2 * {DAYS}) AS nanopoints
        FROM added ORDER BY total DESC, player
        """  # noqa: S608  (names of our own)
    ).fetchnumpy()
    return found["player"], found["rank"], found["nanopoints"]


def by_pandas(frame: Any) -> Any:
    """The same with pandas."""
    worth = frame["nanopoints"] * (frame["day"].astype("int64") + 1)
    total = worth.groupby(frame["player"], sort=True).sum()
    total = total.sort_values(ascending=False, kind="stable")
    points = (2 * total + DAYS) // (2 * DAYS)
    return total.index.to_numpy(), shared_ranks(total.to_numpy()), points.to_numpy()


# ── measuring ────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def peak() -> Iterator[list[int]]:
    """The most memory this process takes inside, beyond what it had; in bytes."""
    process, found, done = psutil.Process(), [0], threading.Event()
    gc.collect()
    before = process.memory_info().rss

    def watch() -> None:
        while not done.wait(0.005):
            found[0] = max(found[0], process.memory_info().rss - before)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield found
    finally:
        found[0] = max(found[0], process.memory_info().rss - before)
        done.set()
        watcher.join()


def timed(run: Callable[[], Any], runs: int) -> float:
    """The median of some runs, in seconds."""
    return in_turn({"it": run}, runs)["it"][0]


def in_turn(ways: dict[str, Callable[[], Any]], runs: int) -> dict[str, tuple[float, float]]:
    """Of each way the median in seconds, and the least processor time; the ways in turn."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, run in ways.items():
            start, used = time.perf_counter(), time.process_time()
            run()
            found[name].append((time.perf_counter() - start, time.process_time() - used))
    return {
        name: (median(wall for wall, _ in all_), min(cpu for _, cpu in all_))
        for name, all_ in found.items()
    }


def same(found: Any, expected: Any, name: str) -> None:
    """End where two lists differ."""
    if not all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True)):
        raise SystemExit(f"{name}: another list")


def say(**told: Any) -> None:
    """One line of JSON."""
    print(json.dumps(told), flush=True)


def copied(arrays: list[Any]) -> float:
    """Seconds to copy arrays once, on one thread; the memory is there already."""
    held = [np.zeros_like(one) for one in arrays]
    return timed(lambda: [np.copyto(*pair) for pair in zip(held, arrays, strict=True)], 5)


# ── the workloads ────────────────────────────────────────────────────────────────────────────────


def made_ledger(
    question: Question, table: Any, arrays: Sequence[Any], players: int
) -> ledger.Ledger:
    """A ledger of awards that are arrays: players, award classes, nanopoints."""
    columns = dict(zip(("player", "award_class", "nanopoints"), arrays, strict=True))
    return ledger.Ledger(
        question=question,
        players=pl.DataFrame({"player_id": np.arange(players)}),
        award_classes=table,
        base=ledger.sorted_by_player(question, pl.DataFrame(columns), players),
    )


def set_up(rows: int, players: int) -> ledger.Ledger:
    """Sort by player once; a line for it, and one for ``numpy.argsort``."""
    question, table = Question(regulation="wbgf"), award_classes(DAYS)
    few = [one[:ARGSORTED] for one in made_up(max(rows, ARGSORTED), players, DAYS)]
    kept = min(rows, ARGSORTED)
    few = [one[:kept] for one in few]

    def argsorted() -> Any:
        order = np.argsort(few[0], kind="stable")
        return few[1][order], few[2][order]

    say(
        name="ledger set-up, few rows",
        rows=kept,
        ours=timed(lambda: made_ledger(question, table, few, players), 3),
        numpy=timed(argsorted, 1),
        copy=copied(few),
    )
    given = made_up(rows, players, DAYS)
    with peak() as extra:
        start = time.perf_counter()
        book = made_ledger(question, table, given, players)
        taken = time.perf_counter() - start
    kept_bytes = sum(one.nbytes for one in book.rows)
    say(
        name="ledger set-up",
        rows=rows,
        ours=taken,
        bytes_per_row={"ours": extra[0] / rows, "of which kept": kept_bytes / rows},
        copy=copied(list(given)),
    )
    return book


def main() -> None:
    """The ranking in every way, one line of JSON; the set-up before it."""
    given = [int(float(one)) for one in sys.argv[1:]]
    rows, players, runs = (*given, *(ROWS, PLAYERS, RUNS)[len(given) :])
    players = min(players, rows // 20)  # the scripts by hand know no player without an award
    book = set_up(rows, players)
    asked = Selection(as_of=AS_OF)
    told = Told(rows, runs, ledger.rank_rows(book, asked))
    day, nanopoints = book.rows.award_classes, book.rows.nanopoints
    starts = np.append(book.rows.begin, book.rows.end[-1:])
    copy = copied([day, nanopoints])
    told.measure(
        {
            "ours": lambda: ledger.rank_rows(book, asked),
            "by_hand": lambda: by_kernel(starts, day, nanopoints),
            "numpy": lambda: by_numpy(starts, day, nanopoints),
        }
    )
    others(book, told)
    say(
        name="world ranking as of a day",
        rows=rows,
        **told.seconds,
        copy=copy,
        bytes_per_row=told.memory,
        processor_seconds=told.processor,
    )


class Told:
    """What was measured of each way."""

    def __init__(self, rows: int, runs: int, expected: Any) -> None:
        self.rows, self.runs, self.expected = rows, runs, expected
        self.seconds: dict[str, float] = {}
        self.processor: dict[str, float] = {}
        self.memory: dict[str, float] = {}

    def measure(self, ways: dict[str, Callable[[], Any]], runs: int | None = None) -> None:
        """Some ways in turn, after one run of each that is not counted and is compared."""
        for name, run in ways.items():
            same(run(), self.expected, name)
            with peak() as extra:
                run()
            self.memory[name] = round(extra[0] / self.rows, 2)
        for name, (wall, cpu) in in_turn(ways, runs or self.runs).items():
            self.seconds[name], self.processor[name] = wall, cpu


def others(book: ledger.Ledger, told: Told) -> None:
    """Polars, DuckDB and pandas on a table of the same rows."""
    import duckdb
    import pandas as pd

    rows, runs = book.rows, min(told.runs, 3)
    player = np.repeat(np.arange(len(rows.begin), dtype=np.int32), rows.end - rows.begin)
    frame = pl.DataFrame(
        {"player": player, "day": rows.award_classes, "nanopoints": rows.nanopoints}
    )
    told.measure({"polars": lambda: by_polars(frame)}, runs)
    connection = duckdb.connect()
    connection.execute("SET threads = 2; SET preserve_insertion_order = false")
    connection.execute("CREATE TABLE awards AS SELECT * FROM frame")
    told.measure({"duckdb": lambda: by_duckdb(connection, "awards")}, runs)
    connection.close()
    table = pd.DataFrame(
        {"player": player, "day": rows.award_classes, "nanopoints": rows.nanopoints}
    )
    told.measure({"pandas": lambda: by_pandas(table)}, 1)


if __name__ == "__main__":
    main()
