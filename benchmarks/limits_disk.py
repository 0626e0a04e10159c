"""
From Parquet on disk to a ranking, out of core: placings larger than the memory they may take.

Ours reads the package, checks it, awards points by the regulation and ranks; the whole command is
held to the memory by a cgroup where one can be made. Beside it DuckDB alone, held to the same,
sums points that were worked out before: what a ranking takes at the least, since it neither checks
nor awards. Both must name the same players with the same points.

Usage: python benchmarks/limits_disk.py [PLACINGS [GIGABYTES]]
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from make_big import big
from processes import Spent, palmares, python, spent

PLACINGS = 10_000_000
GIGABYTES = 4
AS_OF = "2022-01-01"
TOP = 10
DATA = Path(__file__).parent.parent / "build" / "bench"

# Points were counted in billionths; they are valued at the day, summed, and rounded once.
ALONE = """
import json, sys, duckdb
awards, memory, scratch, players = sys.argv[1:]
base = duckdb.connect(config={"memory_limit": memory, "temp_directory": scratch})
rows = base.execute(f'''
    WITH valued AS (
        SELECT player_id, (points * 1e9)::BIGINT AS won,
            1095 - (DATE '2022-01-01' - effective) AS days_left
        FROM '{awards}' WHERE effective <= DATE '2022-01-01'),
    summed AS (
        SELECT player_id, (2 * sum(won::HUGEINT * days_left) + 1095) // 2190 AS nanopoints
        FROM valued WHERE days_left > 0 GROUP BY player_id)
    SELECT player_id, nanopoints / 1e9 AS points
    FROM summed JOIN '{players}/*.parquet' USING (player_id)
    ORDER BY nanopoints DESC, name, player_id LIMIT 10''').fetchall()
print(json.dumps(rows))
"""


def main(placings: int, gigabytes: float) -> None:
    """Ours and DuckDB alone, one line of JSON each."""
    package, scratch = DATA / f"big-{placings}", DATA / "scratch"
    awards = scratch / "awards.parquet"
    limit = int(gigabytes * 2**30)
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        big(package, placings)
        memory = f"{limit // 2**20}MiB"
        engine = ("--engine", "duckdb", "--memory", memory)
        ours = spent(ranked(package, *engine), limit)
        tell("ours: read, check, award, rank", placings, package, ours, limit)
        spent(palmares("award", "wbgf", package, *engine, "-o", awards))
        command = python("-c", ALONE, awards, memory, scratch, package / "players.parquet")
        alone = spent(command, limit)
        tell("DuckDB alone, points worked out before", placings, awards, alone, limit)
        expected = [(one["player_id"], one["points"]) for one in json.loads(ours.output)]
        if json.loads(alone.output) != [list(one) for one in expected]:
            raise SystemExit(f"They disagree: {ours.output} {alone.output}")
    finally:
        shutil.rmtree(package, ignore_errors=True)
        shutil.rmtree(scratch, ignore_errors=True)


def ranked(package: Path, *engine: str) -> list[str]:
    """The command that ranks a package."""
    top = ("--as-of", AS_OF, "--top", TOP, "--format", "json")
    return palmares("rank", "wbgf", package, *engine, *top)


def tell(way: str, rows: int, path: Path, took: Spent, limit: int) -> None:
    """One line of JSON."""
    told: dict[str, Any] = {
        "way": way,
        "rows": rows,
        "on_disk": bytes_of(path),
        "seconds": took.seconds,
        "cpu": took.cpu,
        "memory": took.memory,
        "read": took.read,
        "written": took.written,
        "limit": limit if took.limited else None,
    }
    print(json.dumps(told), flush=True)


def bytes_of(path: Path) -> int:
    """Of a file, or of all files in a folder."""
    files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    return sum(one.stat().st_size for one in files)


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else PLACINGS
    main(size, float(sys.argv[2]) if len(sys.argv) > 2 else GIGABYTES)
