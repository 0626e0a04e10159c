"""Loops shared out over threads: the same bytes as with one thread, and no fold among them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from palmares.core.threads import share
from palmares.points.kernels import compiled
from palmares.regulations import dptr, wbgf
from palmares.regulations.editions import rulebook
from tests.points.kernels.specs import CELLS

SIZES = [3, 1, 2, 7, 0, 4, 1]
STARTS = np.concatenate([[0], np.cumsum(SIZES)])
ROWS = int(STARTS[-1])
REWARDS = [[0.0, 5.0, 9.0], [0.0, *range(3, 30, 3)]]

POINTS = compiled.KernelSpec(
    module=wbgf.__name__,
    derived=(("reward", "tied_reward"),),
    formula="performance_points",
    terms=("grade", "format_factor", "size_scaling", "total_reward"),
    tables=("cumulated",),
    columns=("rank", "tied"),
    outputs=("reward",),
)
RATINGS = compiled.KernelSpec(
    module=dptr.__name__,
    derived=(),
    formula="new_rating",
    terms=("value",),
    columns=("percentile",),
    fold=True,
)


def table(name: str, *tables: list[float], number: Any) -> dict[str, Any]:
    starts = np.cumsum([0, *map(len, tables)])
    laid_out = np.concatenate([np.array(one) for one in tables])
    return {f"{name}_all": laid_out, f"{name}_starts": starts, f"{name}_number": number}


def points() -> dict[str, Any]:
    rng = np.random.default_rng(7)
    names = ("grade", "format_factor", "size_scaling", "total_reward")
    return {
        "constants": rulebook("wbgf", wbgf.Constants).all[-1].constants,
        "starts": STARTS,
        **{f"{name}_of": rng.uniform(1, 5, len(SIZES)) for name in names},
        **table("cumulated", *REWARDS, number=np.array([0, 0, 0, 1, 0, 1, 0])),
        "rank_at": np.concatenate([np.minimum(np.arange(1, n + 1), 2) for n in SIZES]),
        "tied_at": np.ones(ROWS, np.int64),
        "reward_out": np.zeros(ROWS),
        "nanopoints": np.zeros(ROWS, np.int64),
    }


def cells() -> dict[str, Any]:
    return {
        "constants": 0,
        **table("cells", [10, 12, 15], [10, 20], number=np.arange(ROWS) % 2),
        "margin_at": np.arange(-ROWS, 0, dtype=np.int64) % 4 - 2,
        "winner_out": np.zeros(ROWS, np.int64),
    }


@pytest.mark.parametrize(("rows", "parts"), [(10, 1), (10, 3), (2, 5), (0, 2), (7, 7)])
def test_stretches_lie_end_to_end(rows: int, parts: int) -> None:
    found: list[tuple[int, int]] = []
    share(rows, lambda first, past: found.append((first, past)), parts)
    found.sort()
    assert (found[0][0], found[-1][1], len(found)) == (0, rows, parts)
    assert all(one[1] == after[0] for one, after in pairwise(found))
    assert max(b - a for a, b in found) - min(b - a for a, b in found) <= 1


@pytest.mark.parametrize(("spec", "given"), [(POINTS, points), (CELLS, cells)])
@pytest.mark.parametrize("number", [2, 3, 40])
def test_every_number_of_threads_gives_the_same(spec: Any, given: Any, number: int) -> None:
    one, many = given(), given()
    compiled.run(spec, one, threads=1)
    compiled.run(spec, many, threads=number)
    filled = [name for name in one if name.endswith("_out") or name == "nanopoints"]
    assert all(np.any(one[name]) for name in filled)
    assert all(one[name].tobytes() == many[name].tobytes() for name in filled)


def test_what_fails_in_a_thread_is_raised() -> None:
    given = points()
    given["rank_at"][-1] = 100
    with pytest.raises(IndexError):
        compiled.run(POINTS, given, threads=3)


def test_a_fold_has_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """One player in every event: each rating needs the one before."""
    monkeypatch.setattr(compiled, "share", lambda *_: pytest.fail("a fold was shared out"))
    given = {
        "constants": rulebook("dptr", dptr.Constants).all[-1].constants,
        "starts": np.arange(4),
        "value_of": np.full(3, 50.0),
        "percentile_at": np.array([100.0, 0.0, 100.0]),
        "player_at": np.zeros(3, np.int64),
        "points_so_far": np.array([50.0]),
        "nanopoints": np.zeros(3, np.int64),
    }
    compiled.run(RATINGS, given, threads=3)
    assert given["nanopoints"].tolist() == [75_000_000_000, 37_500_000_000, 68_750_000_000]


@pytest.mark.parametrize("number", [1, 2, 3, 40])
def test_a_fold_sorted_by_player_is_shared_out(number: int) -> None:
    """The same as one thread gives, to the last byte."""
    rng = np.random.default_rng(7)
    given: dict[str, Any] = {
        "constants": rulebook("dptr", dptr.Constants).all[-1].constants,
        "value_at": rng.uniform(2, 15, ROWS),
        "percentile_at": rng.uniform(0, 100, ROWS),
        "player_at": np.repeat(np.arange(len(SIZES)), SIZES),
    }
    found = []
    for players, threads_of in ((None, 1), (STARTS, number)):
        filled = {"points_so_far": np.full(len(SIZES), 50.0), "nanopoints": np.zeros(ROWS, int)}
        spec = RATINGS._replace(columns=("value", "percentile"), terms=(), alone=True)
        compiled.run(spec, {**given, **filled}, threads=threads_of, players=players)
        found.append(b"".join(one.tobytes() for one in filled.values()))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("rows", "parts"), [(compiled.THREADS_FROM - 1, 1), (compiled.THREADS_FROM, 5)]
)
def test_few_rows_have_one_thread(monkeypatch: pytest.MonkeyPatch, rows: int, parts: int) -> None:
    asked: list[int] = []
    monkeypatch.setattr(compiled, "cores", lambda: 5)
    monkeypatch.setattr(compiled, "share", lambda _rows, _work, parts: asked.append(parts))
    monkeypatch.setattr(compiled, "kernel", lambda _spec: lambda *_: asked.append(1))
    given = {**cells(), "winner_out": np.zeros(rows, np.int64)}
    compiled.run(CELLS, given)
    assert asked == [parts]
