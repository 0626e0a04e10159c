"""
Measuring, for all benchmarks: in turn, medians, peak memory, the machine's memory-copy time.

    Way             one way to do a workload: its name, who made it, and how it prepares itself
    side_by_side    ways in processes of their own, on one input, in turn; a `Result` each
    copy_rates      bytes a second that one thread and two threads copy
    child           a program of this directory that prints one JSON object a line

What is made before `side_by_side` is shared with all ways: they are forked, so nobody copies it. A
way is first prepared (its own form of the input, not counted), then run once, which is not counted
and compared with what is expected, then five times in turn with the others.
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

RUNS = 5
SLOW = 5.0  # seconds from which a way runs only three times
HERE = Path(__file__).parent

Run = Callable[[], Any]


class Way(NamedTuple):
    """One way to do a workload."""

    name: str
    prepare: Callable[[], Run]  # the library's own form of the input, and what to run
    most_apart: float = 1.0  # from what is expected, in the units of the result
    in_order: bool = True  # whether its rows come in the order of the input; a database's may not


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one way took."""

    work: str
    way: str
    rows: int
    seconds: float  # the median
    cpu: float  # of all threads; the median
    runs: int
    memory: int | None  # bytes beyond its input, at the peak
    copies: float  # of the time that one thread needs to copy the input once
    apart: float  # its result from what is expected, at the most


def side_by_side(
    work: str,
    ways: Sequence[Way],
    size: tuple[int, int],
    expected: Any,
) -> Iterator[Result]:
    """Each way in a process of its own, all on the same input, in turn.

    Args:
        work: what is measured.
        ways: the first is ours.
        size: rows and bytes of the input.
        expected: the result, an array.
    """
    rows, input_bytes = size
    copied = input_bytes / copy_rates(1)[0]
    fork = multiprocessing.get_context("fork")
    children = []
    for way in ways:
        here, there = fork.Pipe()
        child = fork.Process(target=_serve, args=(way, expected, there), daemon=True)
        child.start()
        there.close()
        children.append((way, child, here, *_told(work, way, here)))
    times: list[list[tuple[float, float]]] = [[] for _ in ways]
    for number in range(RUNS):
        for (_, _, pipe, first, _), found in zip(children, times, strict=True):
            if number < (3 if first > SLOW else RUNS):
                pipe.send("run")
                found.append(pipe.recv())
    for (way, child, pipe, _, far), found in zip(children, times, strict=True):
        pipe.send("end")
        memory = pipe.recv()
        child.join()
        took, cpu = (median(one) for one in zip(*found, strict=True))
        yield Result(
            work=work,
            way=way.name,
            rows=rows,
            seconds=took,
            cpu=cpu,
            runs=len(found),
            memory=memory,
            copies=took / copied,
            apart=far,
        )


def _told(work: str, way: Way, pipe: Connection) -> tuple[float, float]:
    """The seconds of the first run, and how far off it was; too far ends everything."""
    first, far = pipe.recv()
    if not far <= way.most_apart:
        raise SystemExit(f"{work}, {way.name}: {far} from what is expected")
    return float(first), float(far)


def _serve(way: Way, expected: Any, pipe: Connection) -> None:
    """A child's life: prepare, run once and compare, then run whenever it is told to."""
    run = way.prepare()
    gc.collect()
    held = resident()
    first, result = timed(run)
    peak = _highest()
    pipe.send((first, _apart(way, result, expected)))
    del result
    while pipe.recv() == "run":
        resident()
        before = time.process_time()
        took, _ = timed(run)
        cpu = time.process_time() - before
        peak = max(peak, _highest())
        pipe.send((took, cpu))
    pipe.send(peak - held if held else None)


def _apart(way: Way, result: Any, expected: Any) -> float:
    """How far a result is from what is expected, at the most."""
    if not way.in_order:
        result, expected = np.sort(result), np.sort(expected)
    return float(np.abs(result - expected).max())


def timed(run: Run) -> tuple[float, Any]:
    """How long a run takes, and what it gives."""
    begun = time.perf_counter()
    result = run()
    return time.perf_counter() - begun, result


# ── memory ───────────────────────────────────────────────────────────────────────────────────────


def resident() -> int:
    """Bytes this process holds now; its highest mark is set back to that. 0 where Linux is not."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return 0
    return _status("VmRSS")


def _highest() -> int:
    return _status("VmHWM")


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return 0


def available() -> int:
    """Bytes of memory that are free to use."""
    import psutil

    return int(psutil.virtual_memory().available)


def fitting(wanted: int, bytes_a_row: int) -> int:
    """As many rows as wanted, or halves of it until they fit in half of what is free; says so."""
    rows = wanted
    while rows * bytes_a_row > available() // 2 and rows > 1_000:
        rows //= 2
    if rows < wanted:
        print(f"Too little memory: {rows:,} rows instead of {wanted:,}.", file=sys.stderr)
    return rows


def copy_rates(*threads: int) -> list[float]:
    """Bytes a second that so many threads copy, from memory to memory, at best.

    The best of some tries, and of one thread its CPU time: other work on the machine counts for
    less, and it is the machine that is asked for.
    """
    many = 2**26  # of eight bytes: half a gigabyte, far beyond every cache
    source, target = np.ones(many), np.empty(many)
    return [source.nbytes / _copied(source, target, number) for number in threads]


def _copied(source: Any, target: Any, threads: int) -> float:
    ends = [len(source) * part // threads for part in range(threads + 1)]
    parts = [slice(*pair) for pair in pairwise(ends)]
    clock = time.process_time if threads == 1 else time.perf_counter
    found = []
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(2 * RUNS):
            begun = clock()
            list(pool.map(lambda here: np.copyto(target[here], source[here]), parts))
            found.append(clock() - begun)
    return min(found)


# ── programs ─────────────────────────────────────────────────────────────────────────────────────


def child(program: str, *arguments: object) -> list[dict[str, Any]]:
    """The JSON objects, one a line, that a program of this directory prints."""
    command = [sys.executable, HERE / program, *map(str, arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in done.splitlines()]


def tell(results: Iterator[Result]) -> None:
    """Print each result as one line of JSON."""
    for result in results:
        print(json.dumps(asdict(result)), flush=True)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))
