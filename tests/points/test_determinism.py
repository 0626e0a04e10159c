"""
The same facts give the same bytes, whatever the order of rows, the hash seed, the time zone or
the number of threads.

Each process has its own combination of all four and runs every command; so that few of them
are enough, they must all print what the first one prints.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.amounts import amount
from tests.packages import rows
from tests.season import season, shuffled, written

RUNS = amount(300)
ZONES = ("UTC", "Pacific/Kiritimati", "America/Los_Angeles", "Asia/Kolkata")
THREADS = ("1", "2", "4")
DAY = ("--as-of", "2020-06-30")
COMMANDS = [
    ["award", "wbgf", "{}"],
    ["award", "usbgf", "{}"],
    ["award", "dptr", "{}"],
    ["rank", "wbgf", "{}", *DAY],
    ["rank", "wbgf", "{}", *DAY, "--by", "nation"],
    ["rank", "wbgf", "{}", *DAY, "--by", "nation", "--reading", "W17=at-event"],
    ["rank", "wbgf", "{}", *DAY, "--format", "table"],
    ["rank", "usbgf", "{}", *DAY, "--setting", "live", "--kind", "match"],
    ["rank", "dptr", "{}", *DAY, "--since", "2019-01-01"],
    ["totals", "usbgf", "{}", *DAY],
    ["history", "wbgf", "{}", "--player", "p19", "--until", "2020-06-30"],
    ["explain", "wbgf", "{}", *DAY, "--player", "p19"],
    ["explain", "wbgf", "{}", *DAY, "--player", "p20", "--format", "table"],
    ["explain", "usbgf", "{}", *DAY, "--player", "p22"],
    ["explain", "dptr", "{}", *DAY, "--player", "p06"],
]
DRIVER = """
import json, sys
from palmares.cli import cli
for command in json.loads(sys.argv[1]):
    arguments = [sys.argv[2] if one == "{}" else one for one in command]
    formats = [] if "--format" in command else ["--format", "json"]
    print("#", *command, flush=True)
    cli([*arguments, *formats], prog_name="palmares", standalone_mode=False)
    sys.stdout.flush()
"""


def printed(package: Path, seed: int) -> bytes:
    """What all commands print in a process with that seed, its zone and its threads."""
    environment = os.environ | {
        "PYTHONHASHSEED": str(seed),
        "TZ": ZONES[seed % len(ZONES)],
        "POLARS_MAX_THREADS": THREADS[seed % len(THREADS)],
    }
    command = [sys.executable, "-c", DRIVER, json.dumps(COMMANDS), str(package)]
    done = subprocess.run(command, capture_output=True, check=False, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def test_byte_for_byte(tmp_path: Path) -> None:
    tables = season(2019)
    packages = [written(tables, tmp_path / "0")]
    packages += [written(shuffled(tables, run), tmp_path / str(run)) for run in range(1, RUNS)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        first, *others = pool.map(printed, packages, range(RUNS))
    assert first.count(b"\n# ") == len(COMMANDS) - 1
    assert len(first) > 100_000
    for run, other in enumerate(others, start=1):
        assert other == first, f"run {run} differs"


class TestTheSeasonIsWorthIt:
    """What the run above goes through: many awards of every kind, ties and shared names."""

    @pytest.fixture
    def package(self, tmp_path: Path) -> Path:
        return written(season(2019), tmp_path / "season")

    def test_awards(self, package: Path) -> None:
        counts = {name: len(rows("award", name, package)) for name in ("wbgf", "usbgf", "dptr")}
        assert min(counts.values()) > 40
        assert {row["kind"] for row in rows("award", "usbgf", package)} == {"match", "placement"}

    def test_two_who_share_a_name_keep_their_order(self, package: Path) -> None:
        listed = rows("rank", "wbgf", package, *DAY)
        assert len({row["player"] for row in listed}) < len(listed)

    def test_one_package_or_one_a_table(self, package: Path, tmp_path: Path) -> None:
        apart = tmp_path / "apart"
        for file in package.iterdir():
            (apart / file.stem).mkdir(parents=True)
            (apart / file.stem / file.name).write_bytes(file.read_bytes())
        assert rows("award", "wbgf", apart) == rows("award", "wbgf", package)
