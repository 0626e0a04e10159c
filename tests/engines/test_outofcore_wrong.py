"""DuckDB and its workers: what is wrong is refused, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from palmares.core.errors import FactsRejected, NotCovered, Refused
from palmares.engines import ROWS_PER_SHARD, EngineSettings, engine
from palmares.engines.duckdb import limits
from palmares.facts import Facts
from tests.engines import works
from tests.engines.started import frames_of, problems, put, rejected, started

# ── what is wrong ────────────────────────────────────────────────────────────────────────────────


def other_last(rows: pl.DataFrame, **cells: object) -> pl.DataFrame:
    """The rows, and the last one again with other cells."""
    again = rows.tail(1).with_columns(
        pl.lit(value).cast(rows.schema[name]).alias(name) for name, value in cells.items()
    )
    return pl.concat([rows, again])


WRONG: dict[str, tuple[str, dict[str, Any]]] = {
    "a placing of no event": ("placings", {"event_id": "none"}),
    "a placing of nobody": ("placings", {"player_id": "nobody", "rank": 1}),
    "an event of no tournament": ("events", {"event_id": "new", "tournament_id": "T99"}),
    "a flight of no event": ("flights", {"event_id": "none"}),
    "a match of no event": ("matches", {"match_id": "new", "event_id": "none"}),
    "a match that nobody won": ("matches", {"match_id": "new", "winner_id": "nobody"}),
    "a tournament without a day": ("tournaments", {"tournament_id": "T98", "end_date": None}),
    "a tournament in a year to come": ("tournaments", {"end_date": date(2999, 1, 1)}),
    "a tournament before all years": (
        "tournaments",
        {"tournament_id": "T97", "end_date": -(10**6)},
    ),
    "a tournament on two days": ("tournaments", {"end_date": date(2010, 1, 1)}),
    "an event twice": ("events", {}),
    "a match twice": ("matches", {}),
    "a placing twice": ("placings", {}),
    "a placing at no rank": ("placings", {"rank": 0}),
    "a player twice": ("players", {}),
    "a membership that ends early": ("memberships", {"end": date(1999, 1, 1)}),
}


@pytest.mark.parametrize("why", WRONG)
def test_what_is_wrong_is_refused_as_in_process(why: str, sound: Facts, tmp_path: Path) -> None:
    """By the same clause at least; ids that lead to no shard are told once, with examples."""
    table, cells = WRONG[why]
    frames = frames_of(sound)
    frames[table] = other_last(frames[table], **cells)
    package = put(frames, tmp_path / "season")
    told = rejected("inprocess", package)
    found = rejected("duckdb", package)
    assert found
    across = [one for one in found if one.code in ("unknown-id", "repeated-id")]
    if across:
        assert {one.at.table for one in across} & {one.at.table for one in told if one.at.table}
        assert all("inprocess names every row" in one.remedy for one in across)
    else:
        assert {one.clause for one in found} == {one.clause for one in told}
        assert {one.where for one in found} <= {one.where for one in told}


def test_ids_that_lead_nowhere_are_named(sound: Facts, tmp_path: Path) -> None:
    frames = frames_of(sound)
    for table, cells in (WRONG["a flight of no event"], WRONG["an event of no tournament"]):
        frames[table] = other_last(frames[table], **cells)
    package = put(frames, tmp_path / "season")
    found = rejected("duckdb", package)
    assert [(one.code, one.at.table, one.at.key, one.at.file) for one in found] == [
        ("unknown-id", "events", "event_id", str(package / "events.parquet")),
        ("unknown-id", "flights", "event_id", str(package / "flights.parquet")),
    ]
    assert [one.what for one in found] == [
        "1 row of events leads to no day of a tournament, by event_id 'new'",
        "1 row of flights leads to no day of a tournament, by event_id 'none'",
    ]


def test_an_id_used_in_two_shards(sound: Facts, tmp_path: Path) -> None:
    """A match of the first event and one of the last have the same id."""
    frames = frames_of(sound)
    matches = frames["matches"]
    ends = matches.join(frames["events"], on="event_id").join(
        frames["tournaments"], on="tournament_id"
    ).sort("end_date")["match_id"]  # fmt: skip
    frames["matches"] = matches.with_columns(pl.col("match_id").replace(ends[-1], ends[0]))
    package = put(frames, tmp_path / "season")
    assert "is there twice" in problems("inprocess", package)[0]
    (found,) = rejected("duckdb", package)
    assert (found.code, found.at.table, found.at.key) == ("repeated-id", "matches", "match_id")
    assert f"'{ends[0]}'" in found.what


def test_everything_wrong_in_shards_is_told_at_once(sound: Facts, tmp_path: Path) -> None:
    frames = frames_of(sound)
    for table, cells in (WRONG["a placing of nobody"], WRONG["a placing at no rank"]):
        frames[table] = other_last(frames[table], **cells)
    package = put(frames, tmp_path / "season")
    told = problems("inprocess", package)
    assert len(told) > 2
    assert problems("duckdb", package) == told


def test_the_command_says_nothing_else(sound: Facts, tmp_path: Path) -> None:
    """DuckDB's binding prints what it takes for leaks of its own when Python ends."""
    frames = frames_of(sound)
    frames["placings"] = other_last(frames["placings"], rank=0)
    command = [
        sys.executable,
        "-m",
        "palmares",
        "rank",
        "wbgf",
        str(put(frames, tmp_path / "season")),
    ]
    done = subprocess.run([*command, "--engine", "duckdb"], capture_output=True, check=False)
    assert (done.returncode, b"leaked" in done.stderr) == (1, False)


def test_a_column_that_is_not_there(sound: Facts, tmp_path: Path) -> None:
    frames = frames_of(sound)
    frames["placings"] = frames["placings"].rename({"event_id": "Event_ID"})
    package = put(frames, tmp_path / "season")
    told = problems("duckdb", package)
    assert "there is no column event_id" in told[0]
    assert told[0] in problems("inprocess", package)


def test_a_broken_file(package: Path) -> None:
    whole = (package / "placings.parquet").read_bytes()
    (package / "placings.parquet").write_bytes(whole[: len(whole) // 2])
    told = problems("duckdb", package)
    assert len(told) == 1
    assert "placings.parquet: this is not a Parquet file, or it is incomplete" in told[0]
    assert told == problems("inprocess", package)


def test_every_file_damaged_within_is_named(package: Path) -> None:
    damaged = [package / "placings.parquet", package / "events.parquet"]
    for path in damaged:
        whole = bytearray(path.read_bytes())
        whole[100:400] = b"\xff" * 300
        path.write_bytes(whole)
    told = sorted(problems("duckdb", package))
    assert [each.split(": ")[0] for each in told] == sorted(map(str, damaged))
    assert all("cannot be read" in each for each in told)


def test_work_may_reject_facts_or_refuse(package: Path) -> None:
    with started("duckdb", package, workers=2) as held:
        with pytest.raises(FactsRejected) as raised:
            held.by_tournament(works.refusing)
        assert [one.where for one in raised.value.problems][:2] == ["shard:1", "shard:2"]
        with pytest.raises(NotCovered, match="no rule holds"):
            held.by_tournament(works.uncovered)
        assert held.collect(held.by_tournament(works.ranks)).height > 0


def test_a_process_that_dies_is_told_of_plainly(package: Path) -> None:
    with started("duckdb", package, workers=2) as held:
        with pytest.raises(Refused, match=r"ended\. Most likely the memory ran out"):
            held.by_tournament(works.dying)
        assert held.collect(held.by_tournament(works.ranks)).height > 0


def test_a_script_without_a_guard_is_run_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from palmares.engines.duckdb import each\n"
        "print(each(divmod, [(7, 2), (9, 4)], 2, 1, lambda: None))\n",
        encoding="utf-8",
    )
    paths = os.pathsep.join(one or "." for one in sys.path)
    done = subprocess.run(
        [sys.executable, script],
        check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("[(3, 1), (2, 1)]\n", "")


@pytest.mark.parametrize("memory", ["much", "0GB", "-4GB", "4 apples"])
def test_memory_that_is_no_amount(package: Path, memory: str) -> None:
    with pytest.raises(Refused, match="is not an amount of memory"):
        engine("duckdb", [str(package)], EngineSettings(memory=memory))


def test_memory_makes_shards_smaller() -> None:
    rows = []
    for memory in ("1GB", "2 GiB", "8GB"):
        limit = limits(EngineSettings(memory=memory, workers=2))
        assert limit.duckdb < 2**30 * int(memory[0])
        rows.append(limit.rows)
    assert rows == sorted(set(rows))
    assert rows[-1] == ROWS_PER_SHARD
    assert limits(EngineSettings(memory="8GB", rows_per_shard=7)).rows == 7
    assert limits(EngineSettings()).workers == len(os.sched_getaffinity(0))


def test_nothing_is_printed_where_python_is_interactive() -> None:
    """DuckDB draws a bar of its own there, if it is let."""
    asked = "SELECT current_setting('enable_progress_bar')"
    program = (
        "from pathlib import Path; from palmares.engines import EngineSettings; "
        "from palmares.engines.duckdb import Sql, limits; "
        f'sql = Sql(limits(EngineSettings(memory="2GB")), Path(".")); print(sql.rows("{asked}"))'
    )
    paths = os.pathsep.join(one or "." for one in sys.path)
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True, capture_output=True, env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    assert done.stdout == b"[(False,)]\n"


# ── what is left behind ──────────────────────────────────────────────────────────────────────────


def test_nothing_is_left_behind(package: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with started("duckdb", package, workers=2, scratch=scratch) as held:
        held.by_tournament(works.ranks)
        assert list(scratch.iterdir())
        with pytest.raises(FactsRejected):
            held.by_tournament(works.refusing)
    assert not list(scratch.iterdir())
    (package / "placings.parquet").write_bytes(b"nothing")
    with pytest.raises(FactsRejected), started("duckdb", package, scratch=scratch):
        pass
    assert not list(scratch.iterdir())
    with pytest.raises(Refused, match="No temporary files can be written"):
        engine("duckdb", [str(package)], EngineSettings(scratch=str(tmp_path / "none")))


PROGRAM = """
import signal
import sys
from palmares.engines import EngineSettings, engine
from tests.engines import works
signal.signal(signal.SIGINT, signal.default_int_handler)
held = engine("duckdb", [sys.argv[1]], EngineSettings(
    rows_per_shard=400, workers=2, scratch=sys.argv[2]
))
print("started", flush=True)
try:
    held.by_tournament(works.sleeping)
finally:
    held.close()
"""


def parent_and_state(process: str | int) -> tuple[int, str]:
    try:
        told = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0, "Z"
    state, parent = told.rpartition(")")[2].split()[:2]
    return int(parent), state


def children(process: int) -> list[int]:
    every = [one.name for one in Path("/proc").iterdir() if one.name.isdigit()]
    return [int(one) for one in every if parent_and_state(one)[0] == process]


def gone(process: int) -> bool:
    return parent_and_state(process)[1] == "Z"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_this_one(package: Path, tmp_path: Path, how: signal.Signals) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    paths = os.pathsep.join(one or "." for one in sys.path)
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(package), str(scratch)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert child.stdout
    with child.stdout:
        assert child.stdout.readline() == b"started\n"
    until = time.monotonic() + 30
    while len(workers := children(child.pid)) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)
    assert workers
    child.send_signal(how)
    child.wait(timeout=30)
    until = time.monotonic() + 10
    while not all(map(gone, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert all(map(gone, workers))
    if how == signal.SIGINT:
        assert not list(scratch.iterdir())
