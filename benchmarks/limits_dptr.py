"""
DPTR ratings over 10 million rows of 200,000 players, in the order of time and sorted by player.

A row is a player's event: its value and the percentile scored. Ours is the kernel built from the
regulation's clause; ours and the loops by hand give the rating after every row, counted, and each
player's last rating; the libraries give the last ratings only, which is less.

A database has no fold, so its users write the last rating as a sum: 50 times the product of all
(1 - value), and each value times percentile times the product of the (1 - value) that come after.
NumPy plays the first event of everybody, then the second of everybody, and so on.

Usage: python benchmarks/limits_dptr.py [ROWS]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from measure import Result, Run, Way, fitting, side_by_side, tell
from numba import njit, prange

from palmares.points.kernels import compiled
from palmares.regulations import dptr
from palmares.regulations.editions import rulebook

ROWS = 10_000_000
ROWS_A_PLAYER = 50
SEED = 2019
CONSTANTS = rulebook("dptr", dptr.Constants).all[-1].constants
START = float(CONSTANTS.initial_rating)
BILLION = 1e9


class Career(NamedTuple):
    """What all are given: an entry a row."""

    player: Any
    value: Any
    percentile: Any
    starts: Any  # sorted by player: where each player's rows begin; else none
    players: int


def careers(rows: int, *, by_player: bool) -> Career:
    """So many rows, of players who come equally often."""
    rng = np.random.default_rng(SEED)
    players = max(rows // ROWS_A_PLAYER, 1)
    player = rng.integers(0, players, rows, dtype=np.int32)
    starts = None
    if by_player:
        player.sort()
        starts = np.searchsorted(player, np.arange(players + 1))
    return Career(player, rng.uniform(2, 15, rows), rng.uniform(0, 100, rows), starts, players)


# ── ours ─────────────────────────────────────────────────────────────────────────────────────────

RECIPE = compiled.KernelSpec(
    module=dptr.__name__,
    derived=(),
    formula="new_rating",
    columns=("value", "percentile"),
    fold=True,
    alone=True,
    checked=False,  # no place is looked up
)


def ours(of: Career) -> Run:
    """The clause, compiled; on all cores if nobody's rows are apart."""
    given = {
        "constants": CONSTANTS,
        "value_at": of.value,
        "percentile_at": of.percentile,
        "player_at": of.player,
        "points_so_far": np.empty(of.players),
        "nanopoints": np.empty(len(of.player), np.int64),
    }

    def run() -> Any:
        given["points_so_far"].fill(START)
        compiled.run(RECIPE, given, players=of.starts)
        return given["points_so_far"]

    return run


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────


@njit
def _in_time(player, value, percentile, rating, nanopoints):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for i in range(len(player)):
        before = rating[player[i]]
        after = before + value[i] * 0.01 * (percentile[i] - before)
        rating[player[i]] = after
        nanopoints[i] = math.floor(after * BILLION + 0.5)


def _by_player(starts, value, percentile, rating, nanopoints):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for p in prange(len(rating)):
        now = rating[p]
        for i in range(starts[p], starts[p + 1]):
            now += value[i] * 0.01 * (percentile[i] - now)
            nanopoints[i] = math.floor(now * BILLION + 0.5)
        rating[p] = now


def by_hand(of: Career) -> Run:
    """Numba: in the order of time with one thread, sorted by player on all cores."""
    rating, nanopoints = np.empty(of.players), np.empty(len(of.player), np.int64)
    loop = _in_time if of.starts is None else njit(parallel=True)(_by_player)
    key = of.player if of.starts is None else of.starts

    def run() -> Any:
        rating.fill(START)
        loop(key, of.value, of.percentile, rating, nanopoints)
        return rating

    return run


def with_numpy(of: Career) -> Run:
    """NumPy: everybody's first event, everybody's second event, ...; sorted first if need be."""

    def run() -> Any:
        value, percentile, starts = of.value, of.percentile, of.starts
        if starts is None:
            order = np.argsort(of.player, kind="stable")
            value, percentile = value[order], percentile[order]
            starts = np.concatenate([[0], np.cumsum(np.bincount(of.player, minlength=of.players))])
        count = np.diff(starts)
        rating = np.full(of.players, START)
        for number in range(int(count.max())):
            playing = np.flatnonzero(count > number)
            row = starts[playing] + number
            before = rating[playing]
            rating[playing] = before + value[row] / 100 * (percentile[row] - before)
        return rating

    return run


def with_polars(of: Career) -> Run:
    """Polars: the sum, by player; it is told where the rows are sorted."""
    import polars as pl

    columns = {"player": of.player, "value": of.value, "percentile": of.percentile}
    frame = pl.DataFrame(columns).lazy()
    if of.starts is not None:
        frame = frame.with_columns(pl.col("player").set_sorted()).collect().lazy()
    keep = 1 - pl.col("value") / 100
    after = keep.cum_prod(reverse=True) / keep
    gained = (pl.col("value") / 100 * pl.col("percentile") * after).sum()
    query = frame.group_by("player").agg(rating=gained + START * keep.product())

    def run() -> Any:
        return _by_code(of, query.collect())

    return run


def with_duckdb(of: Career) -> Run:
    """DuckDB: the sum, the products that come after from a window of logarithms."""
    import duckdb

    base = duckdb.connect()
    given = {"player": of.player, "value": of.value, "percentile": of.percentile}
    base.register("given", given)
    base.execute("CREATE TABLE rows_ AS SELECT * FROM given")
    query = f"""
        SELECT player,
            sum(value / 100 * percentile * after) + {START} * product(1 - value / 100) AS rating
        FROM (
            SELECT *, coalesce(exp(sum(ln(1 - value / 100)) OVER (
                PARTITION BY player ORDER BY rowid
                ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)), 1) AS after
            FROM rows_)
        GROUP BY player"""  # noqa: S608  (our own number)

    def run() -> Any:
        return _by_code(of, base.execute(query).fetchnumpy())

    return run


def with_pandas(of: Career) -> Run:
    """pandas: the sum, from the last row to the first."""
    import pandas as pd

    columns = {"player": of.player, "value": of.value, "percentile": of.percentile}
    frame = pd.DataFrame(columns)

    def run() -> Any:
        back = frame[::-1]
        keep = 1 - back["value"] / 100
        keeps = keep.groupby(back["player"])
        gained = back["value"] / 100 * back["percentile"] * keeps.cumprod() / keep
        rating = gained.groupby(back["player"]).sum() + START * keeps.prod()
        return _by_code(of, rating.rename("rating").reset_index())

    return run


def _by_code(of: Career, found: Any) -> Any:
    """Ratings by player's number; those who never played have what they began with."""
    rating = np.full(of.players, START)
    rating[np.asarray(found["player"])] = np.asarray(found["rating"])
    return rating


def measured(work: str, of: Career) -> Iterator[Result]:
    """All ways on the same rows; a rating may be half a billionth off, as its rounding may."""
    expected, nanopoints = np.full(of.players, START), np.empty(len(of.player), np.int64)
    _in_time(of.player, of.value, of.percentile, expected, nanopoints)
    del nanopoints
    made = {
        "ours: the clause, compiled": ours,
        "Numba by hand": by_hand,
        "NumPy": with_numpy,
        "Polars": with_polars,
        "DuckDB": with_duckdb,
        "pandas": with_pandas,
    }
    ways = [Way(name, partial(prepare, of), 5e-10) for name, prepare in made.items()]
    given = of.player.nbytes + of.value.nbytes + of.percentile.nbytes
    return side_by_side(work, ways, (len(of.player), given), expected)


def main(wanted: int) -> None:
    """One line of JSON a way, for each order."""
    rows = fitting(wanted, 150)
    tell(measured("dptr, in the order of time", careers(rows, by_player=False)))
    tell(measured("dptr, sorted by player", careers(rows, by_player=True)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
