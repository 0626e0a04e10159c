"""
From how many rows machine code pays: the same grants in plain Python and compiled.

Each measurement is a process of its own, Polars loaded as it is when facts are read; what is
measured is the CPU time of the engine alone, loading Numba and the kernel from the cache included.

Usage: python benchmarks/crossover.py REGULATION plain|compiled ROWS
"""

from __future__ import annotations

import random
import sys
import time
from datetime import date, timedelta
from fractions import Fraction

import polars as pl  # noqa: F401  (as in every process that reads facts)

from palmares.core.money import Rate
from palmares.points.kernels import dispatch
from palmares.regulations import get_regulation
from palmares.regulations.model import Event, Flight, Grant, Tournament

FIELD = 50
PLAYERS = 20_000


def flights(rng: random.Random) -> list[Flight]:
    """Flights of 50 players each, to be played again and again."""
    ranks, alone = list(range(1, FIELD + 1)), [1] * FIELD
    return [
        Flight(
            name="main",
            entrants=FIELD,
            players=[f"p{one}" for one in rng.sample(range(PLAYERS), FIELD)],
            ranks=ranks,
            tied=alone,
        )
        for _ in range(1_000)
    ]


def tournament(flight: Flight, number: int) -> Tournament:
    """One event of one flight."""
    event = Event(
        event_id=f"e{number}",
        name=f"Event {number}",
        where="events.csv:1",
        kind="championship",
        entry_fee=Fraction(100),
        rounds=2,
        flights=(flight,),
    )
    return Tournament(
        tournament_id=f"t{number}",
        name=f"Tournament {number}",
        where="tournaments.csv:1",
        end_date=date(2020, 1, 1) + timedelta(days=number // 50),
        rate=Rate(eur_per_unit=Fraction(1), source="euro"),
        events=(event,),
    )


def main(name: str, way: str, rows: int) -> None:
    """Print the seconds of CPU time."""
    held = get_regulation(name)
    rules = held.rulebook()
    played = flights(random.Random(2019))
    season = [tournament(played[one % len(played)], one) for one in range(rows // FIELD)]
    granted = (one for each in season for one in held.award(rules, each, {}))
    grants = [one for one in granted if isinstance(one, Grant)]
    start = time.process_time()
    compiled_from = 0 if way == "compiled" else rows + 1
    dispatch.work(grants, held.aggregate.opening, compiled_from)
    print(time.process_time() - start)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
