"""
A package of Parquet files as large as wanted, made in parts so that memory stays small.

    big(directory, placings)    backgammon events of 8 to 500 players over three years

A two-hundredth as many players as placings, from 1,000 to 1,000,000, some of them far more often;
one tournament holds one event, a Championship with one flight. Tables are in order of time, as a
platform's are; ranks are those of a bracket. The same number gives the same package.

Usage: python benchmarks/make_big.py DIRECTORY PLACINGS [PARTS_OF]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl

SEED = 2019
FIRST_DAY, DAYS = date(2019, 1, 1), 3 * 365
SMALLEST, LARGEST, USUAL = 8, 500, 50
ROWS_OF_A_PART = 2_000_000
SCATTER = 1_000_003  # a prime beyond the number of players
NATIONS = ("CZE", "DEU", "DNK", "ESP", "FRA", "GBR", "GRC", "ISR", "ITA", "JPN", "ROU", "USA")


def big(directory: Path, placings: int, part: int = ROWS_OF_A_PART) -> None:
    """Write the package: each table as a folder of parts, no part larger than so many placings."""
    rng = np.random.default_rng(SEED)
    people = min(max(placings // 200, 1_000), 1_000_000)
    players(rng, people).write_parquet(folder(directory, "players") / "part-0000.parquet")
    sizes = fields(rng, placings)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for number, (first, last) in enumerate(parts(starts, part)):
        tables = season(rng, first, sizes[first:last], len(sizes), people)
        for name, table in tables.items():
            table.write_parquet(folder(directory, name) / f"part-{number:04}.parquet")


def folder(directory: Path, table: str) -> Path:
    """The folder of a table's parts."""
    path = directory / f"{table}.parquet"
    path.mkdir(parents=True, exist_ok=True)
    return path


def fields(rng: np.random.Generator, placings: int) -> np.ndarray:
    """How many play in each event: most near 50, some up to 500, so many placings in all."""
    drawn = rng.lognormal(np.log(USUAL * 0.75), 0.75, placings // USUAL + 1_000)
    sizes = np.clip(drawn.astype(np.int64), SMALLEST, LARGEST)
    while sizes.sum() < placings:
        sizes = np.concatenate([sizes, sizes])
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), placings)) + 1]
    over = int(sizes.sum()) - placings
    sizes[-1] = max(sizes[-1] - over, SMALLEST)
    return sizes


def parts(starts: np.ndarray, rows: int) -> Iterator[tuple[int, int]]:
    """Runs of events of about so many placings."""
    first, events = 0, len(starts) - 1
    while first < events:
        last = int(np.searchsorted(starts, starts[first] + rows, side="right")) - 1
        last = min(max(last, first + 1), events)
        yield first, last
        first = last


def season(
    rng: np.random.Generator, first: int, sizes: np.ndarray, events: int, people: int
) -> dict[str, pl.DataFrame]:
    """The tables of some events of all."""
    count, rows = len(sizes), int(sizes.sum())
    number = np.arange(first, first + count)
    of_row = np.repeat(number, sizes)
    place = np.arange(rows) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    ends = np.datetime64(FIRST_DAY) + (number * DAYS // events).astype("timedelta64[D]")
    tournaments = pl.DataFrame(
        {
            "tournament_id": text("t", number, 8),
            "name": text("Open ", number, 1),
            "discipline": pl.repeat("backgammon", count, eager=True),
            "start_date": ends - np.timedelta64(2, "D"),
            "end_date": ends,
            "setting": pl.repeat("live", count, eager=True),
            "currency": pl.repeat("EUR", count, eager=True),
        }
    )
    championships = pl.DataFrame(
        {
            "event_id": text("e", number, 8),
            "tournament_id": text("t", number, 8),
            "name": pl.repeat("Championship", count, eager=True),
            "kind": pl.repeat("championship", count, eager=True),
            "entrants": sizes,
            "entry_fee": rng.integers(2, 40, count) * 10,
            "added_money": rng.integers(0, 30, count) * 100,
            "rounds": rng.integers(3, 10, count),
        }
    )
    flights = pl.DataFrame(
        {
            "event_id": text("e", number, 8),
            "flight": pl.repeat("main", count, eager=True),
            "entrants": sizes,
        }
    )
    placings = pl.DataFrame(
        {
            "event_id": text("e", of_row, 8),
            "flight": pl.repeat("main", rows, eager=True),
            "player_id": text("p", field_of(rng, sizes, people), 7),
            "rank": bracket(place),
        }
    )
    return {
        "tournaments": tournaments,
        "events": championships,
        "flights": flights,
        "placings": placings,
    }


def field_of(rng: np.random.Generator, sizes: np.ndarray, people: int) -> np.ndarray:
    """Different players for each event: a walk round the ring of players, in steps of one stride.

    The stride shares no factor with the number of players, so that nobody comes twice; starts are
    drawn so that some parts of the ring are visited more often. Neighbours on the ring have ids
    that lie far apart.
    """
    steps = [step for step in (7, 11, 13, 17, 19, 23, 29, 31, 37, 41) if people % step]
    start = (rng.beta(0.7, 2.0, len(sizes)) * people).astype(np.int64)
    stride = rng.choice(steps, len(sizes))
    place = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return (np.repeat(start, sizes) + place * np.repeat(stride, sizes)) % people * SCATTER % people


def bracket(place: np.ndarray) -> np.ndarray:
    """The ranks of a knockout from places counted from 0: 1, 2, 3, 3, 5, 5, 5, 5, 9, ..."""
    ranks = np.ones(len(place), dtype=np.int64)
    later = place > 0
    ranks[later] = 2 ** np.floor(np.log2(place[later])).astype(np.int64) + 1
    return ranks


def players(rng: np.random.Generator, people: int) -> pl.DataFrame:
    """Everyone, with names of no meaning."""
    number = np.arange(people)
    return pl.DataFrame(
        {
            "player_id": text("p", number, 7),
            "name": text("Player ", number, 1),
            "nation": pl.Series(NATIONS).gather(rng.integers(0, len(NATIONS), people)),
        }
    )


def text(letter: str, number: np.ndarray, digits: int) -> pl.Series:
    """Ids such as p0000123."""
    return pl.select(
        pl.lit(letter) + pl.lit(pl.Series(number)).cast(pl.String).str.pad_start(digits, "0")
    ).to_series()


if __name__ == "__main__":
    where, wanted, *rest = sys.argv[1:]
    big(Path(where), int(wanted.replace(",", "").replace("_", "")), *map(int, rest))
