"""
The compiled clauses beside the same loops written by hand for Numba, in one run.

Ours is what the engine builds from the regulation's clauses; nothing here repeats it but the
baseline, which is written as somebody would who knows the regulation by heart: everything that an
event's rows have in common is worked out once an event, nothing is checked. Both read the same
arrays and count the same nanopoints, which is verified.

Usage: python benchmarks/kernels.py [PLACINGS]
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from palmares.bridge import vp
from palmares.points.kernels import compiled
from palmares.regulations import dptr, usbgf, wbf_vp, wbgf
from palmares.regulations.editions import rulebook

ROWS = 10_000_000
RUNS = 5


class Pair(NamedTuple):
    """A workload: our loop and one by hand, each with the array it fills."""

    name: str
    ours: Callable[[], Any]
    by_hand: Callable[[], Any]


# ── the input ────────────────────────────────────────────────────────────────────────────────────


class Field(NamedTuple):
    """Events of 8 to 500 players in bracket ranks, laid end to end."""

    sizes: Any  # an entry an event
    starts: Any
    rank: Any  # an entry a row
    tied: Any
    player: Any


def field(rows: int) -> Field:
    """So many placings, or a few more."""
    rng = np.random.default_rng(2019)
    sizes = rng.integers(8, 500, rows // 250, endpoint=True)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
    far = np.frexp(place)[1]  # rounds behind: place 0 is 0, 1 is 1, 2 and 3 are 2
    rank = np.where(place == 0, 1, 2 ** np.maximum(far - 1, 0) + 1).astype(np.int64)
    last = np.minimum(2**far, np.repeat(sizes, sizes)).astype(np.int64)
    player = rng.integers(0, rows // 50, len(place))
    return Field(sizes, starts, rank, last - rank + 1, player)


def laid_out(tables: list[Any]) -> tuple[Any, Any]:
    """Tables laid end to end, and where each begins."""
    return np.concatenate(tables), np.cumsum([0, *map(len, tables)])


def ours(spec: compiled.KernelSpec, given: dict[str, Any], fills: str) -> Callable[[], Any]:
    """Our loop, called with what it asks for by name."""
    kernel = compiled.kernel(spec)
    values = [given[name] for name in compiled.arguments(spec)]

    def run() -> Any:
        kernel(*values)
        return given[fills]

    return run


# ── wbgf: performance points ─────────────────────────────────────────────────────────────────────


@njit(nogil=True)
def points_by_hand(starts, common, rank, tied, sums, first, number, nanopoints) -> None:  # noqa: ANN001
    """Points of a flight: what all rows have in common, times the mean reward."""
    for e in range(len(starts) - 1):
        scale, at = common[e], first[number[e]] - 1
        for i in range(starts[e], starts[e + 1]):
            r, m = rank[i], tied[i]
            points = scale * (sums[at + r + m] - sums[at + r]) / m
            nanopoints[i] = math.floor(points * 1e9 + 0.5)


def wbgf_points(events: Field) -> Pair:
    """Grade, format factor, size and the mean reward of shared ranks."""
    constants = rulebook("wbgf", wbgf.Constants).all[-1].constants
    sizes, number = np.unique(events.sizes, return_inverse=True)
    rewards = [wbgf.rank_rewards(constants, int(size)) for size in sizes]
    sums, starts = laid_out([np.array(wbgf.cumulative(one)) for one in rewards])
    total = np.array([wbgf.total_reward(one) for one in rewards])[number]
    scaled = np.array([float(wbgf.size_scaling(constants, int(size))) for size in sizes])[number]
    grade = np.random.default_rng(1).uniform(0.2, 5, len(events.sizes))
    factor = np.full(len(events.sizes), 0.8)
    spec = compiled.KernelSpec(
        module=wbgf.__name__,
        derived=(("reward", "tied_reward"),),
        formula="performance_points",
        terms=("grade", "format_factor", "size_scaling", "total_reward"),
        tables=("cumulated",),
        columns=("rank", "tied"),
    )
    given = {
        "constants": constants,
        "starts": events.starts,
        "grade_of": grade,
        "format_factor_of": factor,
        "size_scaling_of": scaled,
        "total_reward_of": total,
        "cumulated_all": sums,
        "cumulated_starts": starts,
        "cumulated_number": number,
        "rank_at": events.rank,
        "tied_at": events.tied,
        "nanopoints": np.empty(len(events.rank), np.int64),
    }
    common = grade * factor * constants.t * scaled / total
    filled = np.empty(len(events.rank), np.int64)

    def by_hand() -> Any:
        rows = (events.rank, events.tied, sums, starts, number, filled)
        points_by_hand(events.starts, common, *rows)
        return filled

    return Pair("wbgf performance points", ours(spec, given, "nanopoints"), by_hand)


# ── usbgf: placement points ──────────────────────────────────────────────────────────────────────


def usbgf_points(events: Field) -> Pair:
    """Event weight, division weight, event size factor and the mean factor of shared ranks."""
    constants = rulebook("usbgf", usbgf.Constants).all[-1].constants
    factors = [usbgf.rank_factor(constants, float(rank)) for rank in range(1, 501)]
    sums, starts = laid_out([np.concatenate([[0.0], np.cumsum(factors)])])
    number = np.zeros(len(events.sizes), np.int64)
    weight = np.random.default_rng(1).choice([1.0, 2.0, 3.0, 5.0], len(events.sizes))
    division = np.full(len(events.sizes), 0.5)
    size = np.log2(events.sizes)
    spec = compiled.KernelSpec(
        module=usbgf.__name__,
        derived=(("rank_factor", "split_rank_factor"), ("rank_points", "rank_points")),
        formula="placement_master_points",
        terms=("event_weight", "division_weight", "event_size_factor"),
        tables=("cumulated",),
        columns=("rank", "tied"),
    )
    given = {
        "constants": constants,
        "starts": events.starts,
        "event_weight_of": weight,
        "division_weight_of": division,
        "event_size_factor_of": size,
        "cumulated_all": sums,
        "cumulated_starts": starts,
        "cumulated_number": number,
        "rank_at": events.rank,
        "tied_at": events.tied,
        "nanopoints": np.empty(len(events.rank), np.int64),
    }
    common = weight * division * constants.rank_points_weight * size
    filled = np.empty(len(events.rank), np.int64)

    def by_hand() -> Any:
        rows = (events.rank, events.tied, sums, starts, number, filled)
        points_by_hand(events.starts, common, *rows)
        return filled

    return Pair("usbgf placement points", ours(spec, given, "nanopoints"), by_hand)


# ── dptr: ratings ────────────────────────────────────────────────────────────────────────────────


@njit(nogil=True)
def ratings_by_hand(starts, share, players, rank, player, rating, nanopoints) -> None:  # noqa: ANN001
    """Ratings after every event, in the order of time."""
    for e in range(len(starts) - 1):
        moves, step = share[e], 100 / players[e]
        for i in range(starts[e], starts[e + 1]):
            before = rating[player[i]]
            after = before + moves * ((players[e] + 0.5 - rank[i]) * step - before)
            rating[player[i]] = after
            nanopoints[i] = math.floor(after * 1e9 + 0.5)


def dptr_ratings(events: Field) -> Pair:
    """The fold over every player's events, events in the order of time."""
    constants = rulebook("dptr", dptr.Constants).all[-1].constants
    value = np.minimum(events.sizes / 3.5 + 2, 15.0)
    everyone = int(events.player.max()) + 1
    start = float(constants.initial_rating)
    spec = compiled.KernelSpec(
        module=dptr.__name__,
        derived=(("percentile", "percentile"),),
        formula="new_rating",
        terms=("value", "players"),
        columns=("rank",),
        fold=True,
    )
    given = {
        "constants": constants,
        "starts": events.starts,
        "value_of": value,
        "players_of": events.sizes,
        "rank_at": events.rank,
        "player_at": events.player,
        "points_so_far": np.empty(everyone),
        "nanopoints": np.empty(len(events.rank), np.int64),
    }
    machine, rating = ours(spec, given, "nanopoints"), np.empty(everyone)
    filled = np.empty(len(events.rank), np.int64)

    def fold() -> Any:
        given["points_so_far"].fill(start)
        return machine()

    def by_hand() -> Any:
        rating.fill(start)
        rows = (events.rank, events.player, rating, filled)
        ratings_by_hand(events.starts, value / 100, events.sizes, *rows)
        return filled

    return Pair("dptr ratings", fold, by_hand)


# ── wbf-vp: look-ups ─────────────────────────────────────────────────────────────────────────────


@njit(nogil=True)
def cells_by_hand(table, margin, cells, first, winner) -> None:  # noqa: ANN001
    """The winner's cells of matches of different lengths."""
    for i in range(len(margin)):
        start, end = first[table[i]], first[table[i] + 1]
        winner[i] = cells[min(start + abs(margin[i]), end - 1)]


def vp_lookups(rows: int) -> Pair:
    """One match a row, of 1 to 60 boards."""
    rng = np.random.default_rng(1)
    cells, starts = laid_out([np.array(vp.continuous(boards).table) for boards in range(1, 61)])
    number = rng.integers(0, 60, rows)
    margin = rng.integers(-120, 120, rows)
    spec = compiled.KernelSpec(
        module=wbf_vp.__name__,
        derived=(("winner", "winner_cells"),),
        formula=None,
        tables=("cells",),
        columns=("margin",),
        outputs=("winner",),
        alone=True,
        checked=False,  # the clause itself stays inside
    )
    given = {
        "constants": 0,
        "cells_all": cells,
        "cells_starts": starts,
        "cells_number": number,
        "margin_at": margin,
        "winner_out": np.empty(rows, np.int64),
    }
    filled = np.empty(rows, np.int64)

    def by_hand() -> Any:
        cells_by_hand(number, margin, cells, starts, filled)
        return filled

    return Pair("wbf-vp look-ups", ours(spec, given, "winner_out"), by_hand)


# ── measuring ────────────────────────────────────────────────────────────────────────────────────


def measured(pair: Pair) -> dict[str, Any]:
    """Medians of runs in turn, after one of each that is not counted and is compared."""
    filled, expected = pair.ours(), pair.by_hand()
    apart = int(np.abs(filled - expected).max())  # a nanopoint: it multiplies in another order
    if apart > 1:
        raise SystemExit(f"{pair.name}: {apart} nanopoints apart")
    times: dict[str, list[float]] = {"ours": [], "by_hand": []}
    for _ in range(RUNS):
        for kind, found in times.items():
            start = time.process_time()
            getattr(pair, kind)()
            found.append(time.process_time() - start)
    return {
        "name": pair.name,
        "rows": len(filled),
        **{kind: median(found) for kind, found in times.items()},
    }


def main() -> None:
    """Every workload, one line of JSON each."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    events = field(rows)
    for make in (wbgf_points, usbgf_points, dptr_ratings):
        print(json.dumps(measured(make(events))), flush=True)
    print(json.dumps(measured(vp_lookups(rows))), flush=True)


if __name__ == "__main__":
    main()
