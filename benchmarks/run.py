"""
Every benchmark, ours beside baselines written by hand: ``make bench``.

Prints the tables and writes them to benchmarks/results.md; the parts that were not asked for stay
there as they are. Whole processes are measured by the user and system time they took, warm (the
first run of each is not counted); numbers are medians of five. What a table compares ran in turn,
in one run. Goals stand beside the numbers as goals.

Usage: python benchmarks/run.py [PART...]
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from make_big import big
from make_data import report, season
from measure import HERE, RUNS, child, cores, fitting
from processes import environment, palmares, python, spent
from tables import (
    event,
    history,
    journal,
    limits,
    machine,
    much,
    ranking,
    replaced,
    shown,
    site,
    table,
)

DATA = HERE.parent / "build" / "bench"
PAGE = HERE / "results.md"
AS_OF = "2022-01-01"
AWARDS, SWEPT = 20_000_000, 10_000_000


# ── whole commands ───────────────────────────────────────────────────────────────────────────────


def cpu_of(*command: str) -> float:
    """Seconds of CPU time that a process took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=environment())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands_in_turn(*commands: Sequence[str]) -> list[float]:
    """The median CPU time of each command; they take turns, after one round not counted."""
    for command in commands:
        cpu_of(*command)
    rounds = [[cpu_of(*command) for command in commands] for _ in range(RUNS)]
    return [median(times) for times in zip(*rounds, strict=True)]


def inside_in_turn(package: Path) -> list[float]:
    """The median CPU time of a ranking by us and by hand, without loading; they take turns."""
    small = DATA / "small"
    big(small, 10_000)
    rounds = [
        [
            float(subprocess.check_output(python(HERE / "inside.py", way, small, package)))
            for way in ("ours", "hand")
        ]
        for _ in range(RUNS)
    ]
    return [median(times) for times in zip(*rounds, strict=True)]


def commands() -> str:
    """Whole processes, each beside a script that does the same or the least there is to do."""
    tournaments, told, package = DATA / "season", DATA / "report.toml", DATA / "million"
    season(tournaments)
    report(told)
    big(package, 1_000_000)
    hand = HERE / "by_hand.py"
    rows = [
        (
            "`palmares --help`",
            palmares("--help"),
            0.2,
            {
                "`import click`": python("-c", "import click"),
                "an empty Python": python("-c", "pass"),
            },
        ),
        (
            "`palmares vp --boards 16 --margin 7`",
            palmares("vp", "--boards", "16", "--margin", "7"),
            0.4,
            {"`import click, rich.table`": python("-c", "import click, rich.table")},
        ),
        (
            "a report of 500 players to awards",
            palmares("award", "wbgf", told, "--format", "json"),
            1.5,
            {
                "by hand: tomllib and a pattern": python(hand, "report", told),
                "`import polars`": python("-c", "import polars"),
            },
        ),
        (
            "1,000 tournaments, 50,000 placings, CSV to a ranking",
            palmares("rank", "wbgf", tournaments, "--as-of", AS_OF),
            3.0,
            {
                "by hand: csv and dictionaries": python(hand, "ranking_python", tournaments),
                "by hand: Polars": python(hand, "ranking_polars", tournaments),
            },
        ),
        (
            "1,000,000 placings in 20,221 events, Parquet to the ten best",
            palmares("rank", "wbgf", package, "--as-of", AS_OF, "--top", 10),
            1.2,
            {"by hand: Polars": python(hand, "ranking_parquet", package)},
        ),
    ]
    found = []
    for name, ours, goal, others in rows:
        first, *rest = commands_in_turn(ours, *others.values())
        found.append([name, f"{first:.2f} s", f"{goal} s", "", ""])
        for other, took in zip(others, rest, strict=True):
            found.append(["", "", "", f"{other}: {took:.2f} s", f"{first / took:.2f}"])
    here, there = inside_in_turn(package)
    cells = ["the same within a process, all loaded", f"{here:.2f} s", "", f"{there:.2f} s"]
    found.append([*cells, f"{here / there:.2f}; goal 1.5"])
    _, ours, _, others = rows[-1]
    here, there = (spent(command).memory for command in (ours, *others.values()))
    found.append(["its peak memory", much(here), "", much(there), f"{here / there:.2f}; goal 1.3"])
    return table("command", "ours", "goal", "beside it", "times", rows=found)


# ── formulas ─────────────────────────────────────────────────────────────────────────────────────


def scale() -> str:
    """One VP table, made from nothing; what is read of the sheet stays in memory."""
    from palmares.bridge import vp

    vp.continuous(16)
    times = []
    for boards in range(100, 100 + RUNS):
        start = time.process_time()
        vp.continuous(boards)
        times.append(time.process_time() - start)
    row = ["VP table for 100 boards", f"{median(times) * 1000:.1f} ms", "5 ms"]
    return table("work", "ours", "goal", rows=[row])


def kernels() -> str:
    """Ten million rows through each regulation's clauses, and through a loop by hand."""
    rows = [
        [
            one["name"],
            f"{one['rows']:,}",
            shown(one["ours"]),
            shown(one["by_hand"]),
            f"{one['ours'] / one['by_hand']:.2f}",
        ]
        for one in child("kernels.py")
    ]
    return table("work", "rows", "ours", "by hand", "times", rows=rows)


# ── limits ───────────────────────────────────────────────────────────────────────────────────────


def workloads(program: str) -> str:
    """A table for every workload that a program measures."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in child(program):
        found.setdefault(f"{one['work']}: {one['rows']:,} rows", []).append(one)
    return "\n\n".join(f"{title}\n\n{limits(rows)}" for title, rows in found.items())


def disk() -> str:
    """Ours and DuckDB alone under a limit of memory."""
    found = child("limits_disk.py")
    rows = [
        [
            one["way"],
            much(one["on_disk"]),
            shown(one["seconds"]),
            shown(one["cpu"]),
            much(one["memory"]),
            much(one["read"]),
            much(one["written"]),
        ]
        for one in found
    ]
    held = found[0]["limit"]
    limit = f"held to {much(held)} by a cgroup" if held else "held to no limit: no cgroup here"
    header = ("way", "on disk", "time", "CPU time", "peak memory", "read from disk", "written")
    return f"{found[0]['rows']:,} placings, {limit}.\n\n{table(*header, rows=rows)}"


def profiles() -> str:
    """Each workload with a part taken out, by the row."""
    rows = [
        [
            one["work"],
            one["what"],
            shown(one["cpu"]),
            f"{one['cpu'] / one['rows'] * 1e9:,.2f} ns",
            f"{one['moved'] / one['cpu'] / 1e9:.1f} GB/s" if one["moved"] else "",
        ]
        for one in child("profiles.py")
    ]
    return table("work", "what", "CPU time", "a row", "read and written", rows=rows)


# ── all of them ──────────────────────────────────────────────────────────────────────────────────


class Part(NamedTuple):
    """A part of the page."""

    title: str
    made: Callable[[], str]


PARTS: Mapping[str, Part] = {
    "machine": Part("## The machine", machine),
    "commands": Part("## Whole commands: CPU time, user and system, warm", commands),
    "scale": Part("## In a running process", scale),
    "kernels": Part(
        "## Compiled clauses and loops by hand, CPU time; the goal is 2 times", kernels
    ),
    "points": Part(
        "## Performance points; the goal is 2 times the loop by hand",
        lambda: workloads("limits_points.py"),
    ),
    "dptr": Part(
        "## Ratings; the goal is 2 times the loop by hand", lambda: workloads("limits_dptr.py")
    ),
    "vp": Part(
        "## Margins to victory points; the goal is 1.5 times the loop by hand, 1 time a bare take",
        lambda: workloads("limits_vp.py"),
    ),
    "ranking": Part(
        "## World ranking as of a day; the goal is 1.5 times the loop by hand",
        lambda: ranking(child("limits_ranking.py", fitting(AWARDS, 100))),
    ),
    "history": Part(
        "## History of 100,000 players on 300 days, in one sweep",
        lambda: history(child("limits_history.py", fitting(SWEPT, 100), 100_000, 300)),
    ),
    "journal": Part(
        "## A journal, opened and ranked again", lambda: journal(child("limits_journal.py"))
    ),
    "site": Part(
        "## The site: a federation of 20,000 players, one worker, over loopback",
        lambda: site(child("limits_site.py")),
    ),
    "event": Part(
        "## An event that phones watch while two directors enter results",
        lambda: event(child("limits_events.py")),
    ),
    "disk": Part("## From Parquet on disk to a ranking, out of core", disk),
    "profiles": Part("## What bounds them: CPU time with a part taken out", profiles),
}
HEAD = f"""\
# Measurements

Made by `make bench`; medians of {RUNS}, in turn; wall time where nothing else is said. Where more
is at work than there are cores, wall times are too long, and CPU times are to be compared.

"""


def main(wanted: Sequence[str]) -> None:
    """Measure, print, write."""
    if unknown := [one for one in wanted if one not in PARTS]:
        raise SystemExit(f"There is no part {unknown[0]}. There are: {', '.join(PARTS)}.")
    made = dict.fromkeys((part.title for part in PARTS.values()), "")
    for name in wanted or PARTS:
        title, work = PARTS[name]
        begun = time.perf_counter()
        made[title] = work()
        took = time.perf_counter() - begun
        busy = os.getloadavg()[0]
        made[title] += (
            f"\n\n*{datetime.now(UTC):%Y-%m-%d}, took {took:.0f} s; {busy:.0f} at work on {cores()}"
            " cores at the end.*"
        )
        print(f"{title}\n\n{made[title]}\n", flush=True)
        page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        PAGE.write_text(HEAD + replaced(page, made), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
