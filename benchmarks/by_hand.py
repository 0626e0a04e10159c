"""
The same answers from scripts written by hand, as baselines: floats, no checks, no explanation.

    ranking_polars DIRECTORY    the ranking of a package of CSV, with Polars
    ranking_parquet DIRECTORY   the same of Parquet, and the ten best
    ranking_python DIRECTORY    the same of CSV with csv and dictionaries
    report REPORT               the points of one report, with tomllib and a pattern

Usage: python benchmarks/by_hand.py WHICH PATH
"""

from __future__ import annotations

import csv
import re
import sys
import tomllib
from collections import Counter, defaultdict
from datetime import date
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

AS_OF = date(2022, 1, 1)
TOP = 5
TABLES = ("players", "tournaments", "events", "flights", "placings")
FACTORS = {"main": 0.75, "consolation": 0.25}  # of a Championship of these two flights


@cache
def sums(entrants: int) -> list[float]:
    """Running sums of the rewards."""
    rewards = [1.0]
    for rank in range(entrants - 1, 0, -1):
        rewards.append((1 + 0.75 / rank) * rewards[-1])
    return list(accumulate(reversed(rewards), initial=0.0))


@cache
def size(entrants: int) -> float:
    """The size of a Main, growing slowly beyond 128."""
    return float(min(entrants, 128)) + sum(128 / n for n in range(129, entrants + 1))


def points(grade: float, factor: float, main: int, entrants: int, rank: int, tied: int) -> float:
    """Performance points."""
    of = sums(entrants)
    share = (of[rank + tied - 1] - of[rank - 1]) / tied / of[-1]
    return grade * factor * 10 * size(main) * share


def ranking_polars(directory: Path) -> Any:
    """The best players, with Polars, from CSV."""
    import polars as pl

    return ranked({n: pl.read_csv(directory / f"{n}.csv", try_parse_dates=True) for n in TABLES})


def ranking_parquet(directory: Path) -> Any:
    """The ten best players, with Polars, from Parquet."""
    import polars as pl

    return ranked({n: pl.read_parquet(directory / f"{n}.parquet/*.parquet") for n in TABLES}, 10)


def ranked(table: Any, top: int = TOP) -> Any:
    """The best players, with Polars."""
    import polars as pl

    flights = table["flights"].join(table["events"], on="event_id")
    flights = flights.join(table["tournaments"], on="tournament_id")
    main = pl.col("entrants").filter(pl.col("flight") == "main").first().over("event_id")
    grade = (pl.col("entry_fee") + pl.col("added_money") / main) / 100
    flights = flights.with_columns(main=main, grade=grade.clip(upper_bound=5.0))
    alone = pl.len().over("event_id") == 1  # a Championship that is only a Main
    factor = pl.when(alone).then(1.0).otherwise(pl.col("flight").replace_strict(FACTORS))
    scale = pl.col("main").map_elements(size, return_dtype=pl.Float64)
    total = pl.col("entrants").map_elements(lambda n: sums(n)[-1], return_dtype=pl.Float64)
    left = (1 - (pl.lit(AS_OF) - pl.col("end_date")).dt.total_days() / 1095).clip(lower_bound=0)
    flights = flights.with_columns(worth=pl.col("grade") * factor * 10 * scale / total * left)
    sizes = flights["entrants"].unique()
    rewards = pl.DataFrame(
        [(n, place, one) for n in sizes for place, one in enumerate(sums(n))],
        schema={"entrants": pl.Int64, "place": pl.Int64, "sum": pl.Float64},
        orient="row",
    )
    rows = table["placings"].with_columns(tied=pl.len().over("event_id", "flight", "rank"))
    rows = rows.join(
        flights.select("event_id", "flight", "entrants", "worth"), on=["event_id", "flight"]
    )
    rows = rows.with_columns(before=pl.col("rank") - 1, last=pl.col("rank") + pl.col("tied") - 1)
    for edge in ("before", "last"):
        of = rewards.rename({"place": edge, "sum": f"sum_{edge}"})
        rows = rows.with_columns(pl.col(edge).cast(pl.Int64)).join(of, on=["entrants", edge])
    mean = (pl.col("sum_last") - pl.col("sum_before")) / pl.col("tied")
    totals = rows.group_by("player_id").agg(points=(pl.col("worth") * mean).sum())
    totals = totals.join(table["players"], on="player_id").sort("points", descending=True)
    return totals.head(top).select("name", "points").rows()


def ranking_python(directory: Path) -> Any:
    """The best players, with csv and dictionaries."""
    table = {}
    for name in TABLES:
        with (directory / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            table[name] = list(csv.DictReader(file))
    ends = {t["tournament_id"]: date.fromisoformat(t["end_date"]) for t in table["tournaments"]}
    fields = {(f["event_id"], f["flight"]): int(f["entrants"]) for f in table["flights"]}
    events = {}
    for event in table["events"]:
        main = fields[event["event_id"], "main"]
        grade = min((float(event["entry_fee"]) + float(event["added_money"]) / main) / 100, 5)
        left = max(0, 1 - (AS_OF - ends[event["tournament_id"]]).days / 1095)
        events[event["event_id"]] = (grade, main, left)
    tied = Counter((p["event_id"], p["flight"], p["rank"]) for p in table["placings"])
    totals: dict[str, float] = defaultdict(float)
    for row in table["placings"]:
        key = row["event_id"], row["flight"]
        grade, main, left = events[row["event_id"]]
        shared = tied[*key, row["rank"]]
        totals[row["player_id"]] += left * points(
            grade, FACTORS[row["flight"]], main, fields[key], int(row["rank"]), shared
        )
    names = {player["player_id"]: player["name"] for player in table["players"]}
    best = sorted(totals.items(), key=lambda item: -item[1])[:TOP]
    return [(names[player], total) for player, total in best]


def report(path: Path) -> Any:
    """Every player's points in a report."""
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    event = told["event"][0]
    lines = re.findall(r"^(\d+)=? (.+) \((\w+)\)$", event["main"]["placings"], re.MULTILINE)
    main = event["main"]["entrants"]
    grade = min((event["entry_fee"] + event["added_money"] / main) / 100, 5)
    tied = Counter(rank for rank, _, _ in lines)
    return [(name, points(grade, 1, main, main, int(rank), tied[rank])) for rank, name, _ in lines][
        :TOP
    ]


if __name__ == "__main__":
    for name, total in globals()[sys.argv[1]](Path(sys.argv[2])):
        print(f"{total:.2f},{name}")
