"""
Every benchmark, ours beside a baseline written by hand: ``make bench``.

Prints the tables and writes them to benchmarks/results.md. Whole processes are measured by the
user and system time they took, warm (the first run of each is not counted); all numbers are
medians of five. Goals stand beside the numbers as goals.

Usage: python benchmarks/run.py
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median

from make_data import report, season

HERE = Path(__file__).parent
DATA = HERE.parent / "build" / "bench"
RUNS = 5
AS_OF = "2022-01-01"
SIZES = (10_000, 100_000, 500_000, 1_000_000)


# ── measuring ────────────────────────────────────────────────────────────────────────────────────


def cpu_of(*command: str | Path) -> float:
    """Seconds of CPU time that a process took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_turn(*commands: Sequence[str | Path]) -> list[float]:
    """The median CPU time of each command; they take turns, after one round not counted."""
    for command in commands:
        cpu_of(*command)
    rounds = [[cpu_of(*command) for command in commands] for _ in range(RUNS)]
    return [median(times) for times in zip(*rounds, strict=True)]


def palmares(*arguments: str | Path) -> list[str | Path]:
    """The command line, as installed beside this Python or from the sources."""
    script = Path(sys.executable).with_name("palmares")
    code = "from palmares.cli import main; main()"
    return [*([script] if script.exists() else [sys.executable, "-c", code]), *arguments]


def python(*arguments: str | Path) -> list[str | Path]:
    """This Python."""
    return [sys.executable, *arguments]


# ── the tables ───────────────────────────────────────────────────────────────────────────────────


def commands() -> list[list[str]]:
    """Whole processes, each beside a script that does the same or the least there is to do."""
    tournaments, told = DATA / "season", DATA / "report.toml"
    season(tournaments)
    report(told)
    hand = HERE / "by_hand.py"
    ranking = palmares("rank", "wbgf", tournaments, "--as-of", AS_OF)
    script = python(hand, "ranking_python", tournaments)
    frames = python(hand, "ranking_polars", tournaments)
    award = palmares("award", "wbgf", told, "--format", "json")
    rows = [
        (
            "`palmares --help`",
            palmares("--help"),
            0.2,
            [
                ("`import click`", python("-c", "import click")),
                ("an empty Python", python("-c", "pass")),
            ],
        ),
        (
            "`palmares vp --boards 16 --margin 7`",
            palmares("vp", "--boards", "16", "--margin", "7"),
            0.4,
            [
                ("`import click, rich.table`", python("-c", "import click, rich.table")),
            ],
        ),
        (
            "a report of 500 players to awards",
            award,
            1.5,
            [
                ("by hand: tomllib and a pattern", python(hand, "report", told)),
            ],
        ),
        (
            "1,000 tournaments, 50,000 placings, CSV to a ranking",
            ranking,
            3.0,
            [
                ("by hand: csv and dictionaries", script),
                ("by hand: Polars", frames),
            ],
        ),
    ]
    found = []
    for name, ours, goal, others in rows:
        first, *rest = in_turn(ours, *(command for _, command in others))
        found.append([name, seconds(first), f"{goal} s", "", ""])
        for (other, _), took in zip(others, rest, strict=True):
            found.append(["", "", "", f"{other}: {seconds(took)}", f"{first / took:.1f}"])
    return found


def scale() -> list[list[str]]:
    """One VP table, made from nothing; what is read of the sheet stays in memory."""
    from palmares import vp

    vp.continuous(16)
    times = []
    for boards in range(100, 100 + RUNS):
        start = time.process_time()
        vp.continuous(boards)
        times.append(time.process_time() - start)
    return [["VP table for 100 boards", f"{median(times) * 1000:.1f} ms", "5 ms"]]


def margins() -> list[list[str]]:
    """100 million margins to victory points, as columns and arrays, and a bare look-up."""
    command = python(HERE / "margins.py")
    done = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [
        [
            one["name"],
            f"{one['ours'] * 1000:.0f} ms",
            f"{one['take'] * 1000:.0f} ms",
            f"{one['ours'] / one['take']:.2f}",
        ]
        for one in map(json.loads, done.splitlines())
    ]


def kernels() -> list[list[str]]:
    """Ten million rows through each regulation's clauses, and through a loop by hand."""
    done = subprocess.run(
        python(HERE / "kernels.py"), check=True, capture_output=True, text=True
    ).stdout
    return [
        [
            one["name"],
            f"{one['rows']:,}",
            f"{one['ours'] * 1000:.0f} ms",
            f"{one['by_hand'] * 1000:.0f} ms",
            f"{one['ours'] / one['by_hand']:.2f}",
        ]
        for one in map(json.loads, done.splitlines())
    ]


def crossover() -> list[list[str]]:
    """Plain Python and machine code on the same grants, by size."""
    found = []
    for name in ("wbgf", "dptr"):
        for rows in SIZES:
            ways: dict[str, list[float]] = {"plain": [], "compiled": []}
            engine(name, "compiled", rows)
            for _ in range(RUNS):
                for way, times in ways.items():
                    times.append(engine(name, way, rows))
            plain, machine = median(ways["plain"]), median(ways["compiled"])
            found.append(
                [name, f"{rows:,}", seconds(plain), seconds(machine), f"{plain / machine:.2f}"]
            )
    return found


def engine(name: str, way: str, rows: int) -> float:
    """The CPU time of the engine alone, in a process of its own."""
    command = python(HERE / "crossover.py", name, way, str(rows))
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


# ── printing ─────────────────────────────────────────────────────────────────────────────────────


def seconds(value: float) -> str:
    """Seconds as shown."""
    return f"{value:.2f} s"


def table(*header: str, rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, its columns aligned."""
    whole = [list(header), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*whole, strict=True)]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in whole]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def machine() -> str:
    """What it was measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numba", "polars", "click"))
    return (
        f"{len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB, {platform.system()} "
        f"{platform.machine()}; Python {platform.python_version()}, {libraries}."
    )


def main() -> None:
    """Measure, print, write."""
    parts = [
        ("# Measurements", lambda: f"Made by `make bench`; medians of {RUNS}.\n\n{machine()}"),
        (
            "## Whole commands: CPU time, user and system, warm",
            lambda: table("command", "ours", "goal", "beside it", "times", rows=commands()),
        ),
        ("## In a running process", lambda: table("work", "ours", "goal", rows=scale())),
        (
            "## Compiled clauses and loops by hand, one thread; the goal is 2 times",
            lambda: table("work", "rows", "ours", "by hand", "times", rows=kernels()),
        ),
        (
            "## 100 million margins to victory points: wall time; the goal is 1 time",
            lambda: table("margins as", "ours", "a bare numpy.take", "times", rows=margins()),
        ),
        (
            "## From how many rows Numba pays: CPU time of the engine, loading included",
            lambda: table(
                "regulation", "rows", "plain", "compiled", "plain / compiled", rows=crossover()
            ),
        ),
    ]
    written = ""
    for title, part in parts:
        text = f"{title}\n\n{part()}\n"
        print(text, flush=True)
        written += text + "\n"
    (HERE / "results.md").write_text(written.rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
