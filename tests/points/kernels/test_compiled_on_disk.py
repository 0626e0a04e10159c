"""Kernels on disk: kept where there is room, never stale, never in the way."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from palmares.core import mathx, rounding
from palmares.points.kernels import compiled
from palmares.regulations import dptr, tracing

RECIPE = compiled.KernelSpec(
    module=dptr.__name__,
    derived=(),
    formula="new_rating",
    terms=("value",),
    columns=("before", "percentile"),
)
PROGRAM = """
import sys
from tests.points.kernels.test_compiled_on_disk import ratings
sys.exit(ratings() != [54_600_000_000, 47_000_000_000])
"""


def ratings() -> list[int]:
    """The ratings 54 and 46 after an event of value 20 in which the scores were 57 and 51."""
    counted = np.empty(2, np.int64)
    starts, scores = np.array([0, 2]), np.array([57.0, 51.0])
    run = compiled.kernel(RECIPE)
    run(0, starts, np.array([20.0]), np.array([54.0, 46.0]), scores, counted)
    found: list[int] = counted.tolist()
    return found


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache; where the kernels will be."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    compiled.kernel.cache_clear()
    yield tmp_path / "palmares" / "kernels"
    compiled.kernel.cache_clear()


def kept(kernels: Path, suffix: str) -> list[Path]:
    """What is kept of one kind: .py the loops, .nbi and .nbc what Numba made of them."""
    return sorted(kernels.rglob(f"*{suffix}"))


def test_a_kernel_is_kept_and_read_again(kernels: Path) -> None:
    assert ratings() == [54_600_000_000, 47_000_000_000]
    written = {path: path.stat().st_mtime_ns for path in kernels.rglob("*.*")}
    assert [len(kept(kernels, suffix)) for suffix in (".py", ".nbi", ".nbc")] == [1, 1, 1]
    compiled.kernel.cache_clear()
    assert ratings() == [54_600_000_000, 47_000_000_000]
    assert {path: path.stat().st_mtime_ns for path in kernels.rglob("*.*")} == written


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", [b"", b"\x80\x04garbage", b"I"])
def test_a_damaged_cache_is_left_aside(kernels: Path, suffix: str, damage: bytes) -> None:
    ratings()
    for path in kept(kernels, suffix):
        path.write_bytes(damage)
    compiled.kernel.cache_clear()
    assert ratings() == [54_600_000_000, 47_000_000_000]


def test_where_nothing_can_be_written_it_is_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    compiled.kernel.cache_clear()
    assert ratings() == [54_600_000_000, 47_000_000_000]
    compiled.kernel.cache_clear()


def test_where_numba_cannot_write_it_is_compiled_anew(
    kernels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = numba.njit

    def njit(function: Any, **options: Any) -> Any:
        if options.get("cache"):
            raise RuntimeError("cannot cache function 'kernel': no locator available")
        return real(function, **options)

    monkeypatch.setattr(numba, "njit", njit)
    assert ratings() == [54_600_000_000, 47_000_000_000]
    assert kept(kernels, ".nbi") == []


def test_a_change_in_recipe_or_source_makes_a_new_kernel(
    kernels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = compiled._source(RECIPE)
    found = {compiled._kernel_file(RECIPE, source)}
    found.add(compiled._kernel_file(RECIPE._replace(checked=False), source))
    real = inspect.getsource
    for changed in (dptr, tracing, mathx, rounding, compiled):
        monkeypatch.setattr(
            compiled,
            "getsource",
            lambda one, changed=changed: real(one) + "# changed" * (one is changed),
        )
        found.add(compiled._kernel_file(RECIPE, source))
    assert len(found) == 7
    assert len(kept(kernels, ".py")) == 7


def test_two_processes_may_write_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    command = [sys.executable, "-c", PROGRAM]
    both = [subprocess.Popen(command) for _ in range(2)]
    assert [one.wait() for one in both] == [0, 0]
    loops = tmp_path / "palmares" / "kernels"
    assert len([path for path in loops.iterdir() if path.is_file()]) == 1
    assert subprocess.run(command, check=False).returncode == 0
