"""
Performance points (wbgf) of 48.5 million placings in a million events of 8 to 500 players.

Ours is the kernel built from the regulation's clauses; the others are written by hand, with five
libraries. All are given the same arrays: of each event its scale (grade, format factor, size) and
its number of players, of each placing its event, its rank and how many share it; and the running
sums of rewards of every size. All give points counted in billionths.

Usage: python benchmarks/limits_points.py [EVENTS]
"""

from __future__ import annotations

import math
import sys
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from measure import Run, Way, fitting, side_by_side, tell
from numba import njit, prange

from palmares.points.kernels import compiled
from palmares.regulations import wbgf
from palmares.regulations.editions import rulebook

EVENTS = 200_000
SMALLEST, LARGEST = 8, 500
USUAL, SPREAD = 35.4, 0.8  # most draws are small, the mean is 48.5
SEED = 2019
CONSTANTS = rulebook("wbgf", wbgf.Constants).all[-1].constants
BILLION = 1e9


class Season(NamedTuple):
    """What all are given."""

    starts: Any  # rows of event e are starts[e] to starts[e + 1]
    size: Any  # an entry an event
    grade: Any
    factor: Any
    scaling: Any
    scale: Any  # grade, factor, T and scaling over the sum of rewards: what rows have in common
    number: Any  # which table of sums
    event: Any  # an entry a row
    rank: Any
    tied: Any
    sums: Any  # the running sums of rewards of all sizes, end to end
    first: Any  # where the sums of a size begin
    total: Any  # the sum of rewards, an entry an event


def season(events: int) -> Season:
    """So many events, and who shares which rank: 1, 2, 3, 3, 5, 5, 5, 5, ..."""
    rng = np.random.default_rng(SEED)
    drawn = rng.lognormal(np.log(USUAL), SPREAD, events)
    size = np.clip(drawn, SMALLEST, LARGEST).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(size)])
    event = np.repeat(np.arange(events, dtype=np.int32), size)
    place = (np.arange(starts[-1]) - np.repeat(starts[:-1], size)).astype(np.int16)
    rounds = np.frexp(place.astype(np.float32))[1]  # place 0 is 0, 1 is 1, 2 and 3 are 2
    rank = np.where(place == 0, 1, 2 ** np.maximum(rounds - 1, 0) + 1).astype(np.int16)
    tied = (np.minimum(2**rounds, np.repeat(size, size)) - rank + 1).astype(np.int16)
    sizes, number = np.unique(size, return_inverse=True)
    tables = [wbgf.cumulative(wbgf.rank_rewards(CONSTANTS, int(one))) for one in sizes]
    first = np.cumsum([0, *map(len, tables)])
    total = np.array([one[-1] for one in tables])[number]
    scaling = np.array([float(wbgf.size_scaling(CONSTANTS, int(one))) for one in sizes])[number]
    grade, factor = rng.uniform(0.2, 5, events), rng.choice([1.0, 0.8, 0.75], events)
    scale = grade * factor * CONSTANTS.t * scaling / total
    sums = np.concatenate([np.array(one) for one in tables])
    common = (starts, size, grade, factor, scaling, scale, number)
    return Season(*common, event, rank, tied, sums, first, total)


# ── ours ─────────────────────────────────────────────────────────────────────────────────────────

RECIPE = compiled.KernelSpec(
    module=wbgf.__name__,
    derived=(("reward", "tied_reward"),),
    formula="performance_points",
    terms=("grade", "format_factor", "size_scaling", "total_reward"),
    tables=("cumulated",),
    columns=("rank", "tied"),
)


def ours(all_of: Season) -> Run:
    """The clauses, compiled, on all cores."""
    given = {
        "constants": CONSTANTS,
        "starts": all_of.starts,
        "grade_of": all_of.grade,
        "format_factor_of": all_of.factor,
        "size_scaling_of": all_of.scaling,
        "total_reward_of": all_of.total,
        "cumulated_all": all_of.sums,
        "cumulated_starts": all_of.first,
        "cumulated_number": all_of.number,
        "rank_at": all_of.rank,
        "tied_at": all_of.tied,
        "nanopoints": np.empty(len(all_of.rank), np.int64),
    }

    def run() -> Any:
        compiled.run(RECIPE, given)
        return given["nanopoints"]

    return run


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────


def _by_table(starts, scale, number, rank, tied, sums, first, nanopoints):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for e in prange(len(scale)):
        common, at = scale[e], first[number[e]] - 1
        for i in range(starts[e], starts[e + 1]):
            r, m = rank[i], tied[i]
            points = common * (sums[at + r + m] - sums[at + r]) / m
            nanopoints[i] = math.floor(points * BILLION + 0.5)


def _by_gamma(starts, scale, size, rank, tied, k, nanopoints):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """The sum of rewards to rank n is gamma(n + 1) / gamma(n + k), times what a size shares."""
    for e in prange(len(scale)):
        n = size[e]
        common = scale[e] * math.exp(math.lgamma(n + k) - math.lgamma(n)) / (1 - k)
        for i in range(starts[e], starts[e + 1]):
            r, m = rank[i], tied[i]
            last = math.exp(math.lgamma(r + m) - math.lgamma(r + m - 1 + k))
            before = math.exp(math.lgamma(r) - math.lgamma(r - 1 + k))
            nanopoints[i] = math.floor(common * (last - before) / m * BILLION + 0.5)


def with_tables(all_of: Season, *, parallel: bool) -> Run:
    """Numba: what rows have in common once an event, a look-up and a product a row."""
    loop = njit(parallel=parallel)(_by_table)
    nanopoints = np.empty(len(all_of.rank), np.int64)

    def run() -> Any:
        one = all_of
        common = (one.starts, one.scale, one.number)
        loop(*common, one.rank, one.tied, one.sums, one.first, nanopoints)
        return nanopoints

    return run


def with_gamma(all_of: Season) -> Run:
    """Numba: the rewards from their closed form, row by row."""
    loop = njit(parallel=True)(_by_gamma)
    nanopoints = np.empty(len(all_of.rank), np.int64)

    def run() -> Any:
        one = all_of
        k = float(CONSTANTS.k)
        loop(one.starts, one.scale, one.size, one.rank, one.tied, k, nanopoints)
        return nanopoints

    return run


def with_numpy(all_of: Season) -> Run:
    """NumPy: what rows have in common repeated for each row, two gathers."""
    offset = all_of.first[all_of.number] - 1

    def run() -> Any:
        at = np.repeat(offset, all_of.size) + all_of.rank
        points = np.take(all_of.sums, at + all_of.tied)
        points -= np.take(all_of.sums, at)
        points *= np.repeat(all_of.scale, all_of.size)
        points /= all_of.tied
        points *= BILLION
        points += 0.5
        return np.floor(points, out=points).astype(np.int64)

    return run


def with_polars(all_of: Season) -> Run:
    """Polars: gathers from columns of events and of sums."""
    import polars as pl

    rows = pl.DataFrame({"event": all_of.event, "rank": all_of.rank, "tied": all_of.tied}).lazy()
    scale = pl.lit(pl.Series(all_of.scale))
    offset = pl.lit(pl.Series((all_of.first[all_of.number] - 1).astype(np.int32)))
    sums = pl.lit(pl.Series(all_of.sums))
    at = offset.gather(pl.col("event")) + pl.col("rank")
    share = (sums.gather(pl.col("at") + pl.col("tied")) - sums.gather("at")) / pl.col("tied")
    points = scale.gather(pl.col("event")) * share
    nanopoints = (points * BILLION + 0.5).floor().cast(pl.Int64)
    query = rows.with_columns(at=at).select(nanopoints=nanopoints)

    def run() -> Any:
        return query.collect()["nanopoints"].to_numpy()

    return run


def with_duckdb(all_of: Season) -> Run:
    """DuckDB: rows joined with their events, and twice with the sums by size and place."""
    import duckdb

    base = duckdb.connect()
    sizes = np.unique(all_of.size)
    held = np.diff(all_of.first)
    tables = {
        "placings": {"event": all_of.event, "rank": all_of.rank, "tied": all_of.tied},
        "events": {
            "event": np.arange(len(all_of.size), dtype=np.int32),
            "size": all_of.size.astype(np.int16),
            "scale": all_of.scale,
        },
        "sums": {
            "size": np.repeat(sizes, held).astype(np.int16),
            "place": np.concatenate([np.arange(one) for one in held]).astype(np.int16),
            "reward": all_of.sums,
        },
    }
    for name, columns in tables.items():
        base.register("given", columns)
        base.execute(f"CREATE TABLE {name} AS SELECT * FROM given")  # noqa: S608  (our own names)
    query = """
        SELECT floor(scale * (upto.reward - before.reward) / tied * 1e9 + 0.5)::BIGINT AS nanopoints
        FROM placings
        JOIN events USING (event)
        JOIN sums AS upto ON upto.size = events.size AND upto.place = rank + tied - 1
        JOIN sums AS before ON before.size = events.size AND before.place = rank - 1"""
    return lambda: base.execute(query).fetchnumpy()["nanopoints"]


def with_pandas(all_of: Season) -> Run:
    """pandas: events looked up by their number, sums by their place."""
    import pandas as pd

    rows = pd.DataFrame({"event": all_of.event, "rank": all_of.rank, "tied": all_of.tied})
    offset = all_of.first[all_of.number] - 1
    events = pd.DataFrame({"scale": all_of.scale, "offset": offset})
    sums = pd.Series(all_of.sums)

    def run() -> Any:
        of_event = events.take(rows["event"]).set_axis(rows.index)
        at = of_event["offset"] + rows["rank"]
        share = sums.take(at + rows["tied"]).to_numpy() - sums.take(at).to_numpy()
        points = of_event["scale"] * share / rows["tied"]
        return np.floor(points * BILLION + 0.5).astype(np.int64).to_numpy()

    return run


def main(wanted: int) -> None:
    """One line of JSON a way."""
    all_of = season(fitting(wanted, 10_000))
    expected = with_tables(all_of, parallel=False)().copy()

    ways = [
        Way("ours: the clauses, compiled", partial(ours, all_of)),
        Way("Numba by hand, tables", partial(with_tables, all_of, parallel=True)),
        Way("Numba by hand, log-gamma a row", partial(with_gamma, all_of), 10_000),
        Way("NumPy", partial(with_numpy, all_of)),
        Way("Polars", partial(with_polars, all_of)),
        Way("DuckDB", partial(with_duckdb, all_of), in_order=False),
        Way("pandas", partial(with_pandas, all_of)),
    ]
    given = sum(getattr(all_of, name).nbytes for name in ("event", "rank", "tied"))
    tell(side_by_side("wbgf performance points", ways, (len(all_of.rank), given), expected))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS)
